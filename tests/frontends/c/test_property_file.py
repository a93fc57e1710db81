"""Property files: what they mean, and the words for those that are not checked."""

from __future__ import annotations

import pytest

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.c.options import Check
from cleave.frontends.c.property_file import property_of, read_property


@pytest.mark.parametrize(
    ("formula", "check"),
    [
        ("LTL(G ! call(reach_error()))", Check.REACH),
        ("LTL(G ! call(__VERIFIER_error()))", Check.REACH),
        ("LTL(G ! label(ERROR))", Check.LABEL),
        ("LTL(G ! data-race)", Check.DATA_RACE),
        ("LTL( G !data-race )", Check.DATA_RACE),
        ("LTL(G ! deadlock)", Check.DEADLOCK),
    ],
)
def test_known(formula: str, check: Check) -> None:
    assert read_property("p.prp", f"CHECK( init(main()), {formula} )\n\n".encode()) is check


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("LTL(G ! overflow)", "signed overflow"),
        ("LTL(G valid-deref)", "memory safety"),
        ("LTL(G valid-free)", "memory safety"),
        ("LTL(G valid-memcleanup)", "memory safety"),
        ("LTL(F end)", "termination"),
    ],
)
def test_not_checked(formula: str, told: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"p\.prp: {told} .*is not checked yet; what can be checked is"):
        read_property("p.prp", f"CHECK( init(main()), {formula} )".encode())


@pytest.mark.parametrize("formula", ["LTL(G ! call(other()))", "LTL(G ! data-race) && LTL(F x)"])
def test_unknown(formula: str) -> None:
    with pytest.raises(UnsupportedError, match="this property can't be checked"):
        read_property("p.prp", f"CHECK( init(main()), {formula} )".encode())


def test_other_entry() -> None:
    with pytest.raises(UnsupportedError, match="this property can't be checked"):
        read_property("p.prp", b"CHECK( init(start()), LTL(G ! data-race) )")


@pytest.mark.parametrize("text", [b"", b"int main(void);", b"CHECK(", b"CHECK( init(main()) )"])
def test_no_property(text: bytes) -> None:
    with pytest.raises(InputError, match="a property expected"):
        read_property("p.prp", text)


def test_no_text() -> None:
    with pytest.raises(InputError):
        read_property("p.prp", b"\xff\xfe")


def test_of_a_task() -> None:
    assert property_of("../properties/no-data-race.prp", None) is Check.DATA_RACE
    assert property_of("own.prp", b"CHECK( init(main()), LTL(G ! deadlock) )") is Check.DEADLOCK
    assert property_of("own.prp", None) is None
    assert property_of("no-overflow.prp", b"CHECK( init(main()), LTL(G ! overflow) )") is None
