"""What attributes mean to Cleave.

{:sourcefile "a.c"} {:sourceline 7}, {:sourceloc "a.c", 7, 3}     where the user's statement is
{:msg "text"}                                                     how a failing assertion is described
{:entrypoint}, {:LoopProcedure}, {:SIextraRecBound k}             about implementations
"""

from __future__ import annotations

from cleave.frontends.boogie.syntax import Attributes
from cleave.ir.program import Location

_ENTRY = ("entrypoint", "entry_point")
_MAX_NUMBER_LENGTH = 9


def user_location(attributes: Attributes) -> Location | None:
    """The place in the user's own source, if the attributes tell."""
    if not attributes:
        return None
    place = attributes.get("sourceloc")
    if place is not None and len(place) >= 3 and place[0][:1] == '"':
        line = _number(place[2])
        column = _number(place[4]) if len(place) >= 5 else 0
        return Location(_text(place[0]), line, column) if line else None
    file = attributes.get("sourcefile")
    line = _number(next(iter(attributes.get("sourceline", ())), ""))
    return Location(_text(file[0]), line) if file and line and file[0][:1] == '"' else None


def message(attributes: Attributes, default: str) -> str:
    found = attributes.get("msg") or attributes.get("message")
    return _text(found[0]) if found else default


def is_entry(attributes: Attributes) -> bool:
    return any(name in attributes for name in _ENTRY)


def extra_recursion(attributes: Attributes) -> int:
    return _number(next(iter(attributes.get("SIextraRecBound", ())), ""))


def inline_depth(attributes: Attributes) -> int | None:
    """How many bodies of a procedure are used inside of each other; None: its contract is."""
    told = attributes.get("inline")
    return None if told is None else _number(told[0] if told else "1")


def is_verified(attributes: Attributes) -> bool:
    """Whether Boogie verifies the procedure by itself."""
    return "inline" not in attributes and attributes.get("verify") != ["false"]


def _text(token: str) -> str:
    return token[1:-1].replace('\\"', '"') if token[:1] == '"' else token


def _number(token: str) -> int:
    return int(token) if token.isdigit() and len(token) <= _MAX_NUMBER_LENGTH else 0
