"""Immutable records are values: equal when their fields are, of one kind only, and usable in sets and patterns."""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.program import AtomicBegin, AtomicEnd, Location, Statement


def test_records_are_values() -> None:
    here = Location("a.bpl", 1)
    assert {here, Location("a.bpl", 1), Location("a.bpl", 1, 2)} == {here, replace(here, column=2)}
    assert not hasattr(here, "__dict__")


def test_records_of_two_kinds_differ() -> None:
    statements: list[Statement] = [AtomicBegin(), AtomicEnd()]
    assert statements[0] != statements[1]


def test_records_match_by_position() -> None:
    match Location("a.bpl", 7):
        case Location(file, line):
            assert (file, line) == ("a.bpl", 7)
