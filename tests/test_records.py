"""Data classes of `cleave.records` behave as those of the standard library do."""

from __future__ import annotations

from dataclasses import asdict, field, fields, is_dataclass, replace
from typing import Any, ClassVar

import msgspec
import pytest

from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is."""

    file: str
    line: int = 1
    notes: dict[str, int] = field(default_factory=dict)
    known: ClassVar[int] = 7


@dataclass(frozen=True, slots=True)
class Wide(Place):
    end: int = field(default=9, metadata={"unit": "lines"})


@dataclass(slots=True, eq=False)
class Counter:
    count: int = 0

    def __post_init__(self) -> None:
        self.count += 1


@dataclass(frozen=True, slots=True)
class Partly:
    name: str
    origin: str = field(default="", compare=False)


def test_it_is_a_structure() -> None:
    assert issubclass(Place, msgspec.Struct)
    assert Place.__doc__ == "Where something is."
    assert Place.__module__ == __name__
    assert Place.known == 7


def test_the_standard_library_takes_it_for_its_own() -> None:
    place = Place("a.bpl")
    assert is_dataclass(place)
    assert replace(place, line=3) == Place("a.bpl", 3)
    assert asdict(Wide("a.bpl")) == {"file": "a.bpl", "line": 1, "notes": {}, "end": 9}
    assert [one.name for one in fields(Place)] == ["file", "line", "notes"]
    assert [(one.name, one.metadata.get("unit")) for one in fields(Wide)][-1] == ("end", "lines")
    assert fields(Wide)[1].default == 1


def test_values_are_compared_and_hashed() -> None:
    assert Place("a") == Place("a", 1)
    assert Place("a") != Wide("a")
    assert repr(Counter(4)) == "Counter(count=5)"
    assert Counter() != Counter()
    assert len({Counter(), Counter()}) == 2
    with pytest.raises(TypeError):
        hash(Place("a"))  # it holds a dictionary, as before


def test_a_frozen_one_can_not_be_changed() -> None:
    place: Any = Place("a")
    with pytest.raises(AttributeError):
        place.line = 2


def test_each_instance_has_a_default_of_its_own() -> None:
    assert Place("a").notes is not Place("a").notes


def test_it_can_be_taken_apart_by_position() -> None:
    match Place("a", 2):
        case Place(file, line):
            assert (file, line) == ("a", 2)


def test_fields_that_are_not_compared_are_left_to_the_standard_library() -> None:
    assert not issubclass(Partly, msgspec.Struct)
    assert Partly("a", "here") == Partly("a", "there")
