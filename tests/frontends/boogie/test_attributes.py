"""Attributes that mean something: entries, places in the user's source, messages."""

from __future__ import annotations

import pytest

from cleave.frontends.boogie import read_boogie
from cleave.ir.program import Assert, Program, Property


def entries(program: Program) -> list[str]:
    return [name for name, procedure in program.procedures.items() if procedure.is_entry]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("procedure {:entrypoint} p() { }", ["p"]),
        ("procedure {:entry_point} p() { }", ["p"]),
        ("procedure {:entrypoint} p(); implementation p() { }", ["p"]),
        ("procedure {:entrypoint} p(); procedure q(); implementation {:entrypoint} q() { }", ["q"]),
        (
            "procedure {:entrypoint} p(); implementation p() { } procedure q(); implementation {:entrypoint} q() { }",
            ["q"],
        ),
        ("procedure {:entrypoint} p();", []),
    ],
)
def test_entry(text: str, expected: list[str]) -> None:
    assert entries(read_boogie(text, "case.bpl")) == expected


def test_old_assert_outside_the_entry_changes_nothing() -> None:
    text = "procedure p() { assume {:OldAssert} false; } procedure {:entrypoint} q() { assert true; }"
    assert read_boogie(text, "case.bpl").property is Property.ASSERTIONS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("procedure {:entrypoint} q() { }", Property.END_REACHABLE),
        ("procedure q() { }", Property.ASSERTIONS),
        ("procedure {:entrypoint} q() { call p(); } procedure p() { assert false; }", Property.ASSERTIONS),
        ("procedure {:entrypoint} q() { } procedure p() requires false; { }", Property.ASSERTIONS),
        ("procedure {:entrypoint} q() { } procedure p() free requires false; { }", Property.END_REACHABLE),
    ],
)
def test_a_marked_entry_without_assertions_asks_for_its_end(text: str, expected: Property) -> None:
    assert read_boogie(text, "case.bpl").property is expected


@pytest.mark.parametrize(
    ("attributes", "place"),
    [
        ("", "case.bpl:1:17"),
        ('{:sourcefile "a.c"} {:sourceline 7}', "a.c:7"),
        ('{:sourceloc "a.c", 7, 3}', "a.c:7:3"),
        ('{:sourceloc "a.c"} {:sourceline}', "case.bpl:1:17"),
        ("{:sourceloc x + 1, {true}, 3}", "case.bpl:1:17"),
    ],
)
def test_location(attributes: str, place: str) -> None:
    (statement,) = (
        read_boogie(f"procedure p() {{ assert {attributes} false; }}", "case.bpl").procedures["p"].statements()
    )
    assert str(statement.location) == place


def test_message() -> None:
    text = 'procedure p() { assert {:msg "say \\"no\\""} false; assert false; }'
    found = [s.message for s in read_boogie(text, "case.bpl").procedures["p"].statements() if isinstance(s, Assert)]
    assert found == ['say "no"', "assertion"]
