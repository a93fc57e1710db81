"""Invariants of a program's loops as those of a witness: expressions of C at the keywords of loops.

    - invariant:
        type: "loop_invariant"
        location: {file_name: "x.c", line: 6, column: 3, function: "main"}
        value: "(i <= n)"
        format: "c_expression"

The invariant of a ``while`` or a ``for`` holds whenever its condition is about to be evaluated, which is where Clang's
block for the condition begins. That of a ``do`` would be elsewhere, and is left out; as is what can't be said with
variables that are in scope at the keyword.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from cleave.export.c_expressions import c_expression
from cleave.export.c_scope import integers_in_scope
from cleave.export.c_text import CText, Place
from cleave.export.inputs import Inputs
from cleave.verdict import Invariant

_LOOPS = {"while.cond": "while", "for.cond": "for"}


def invariants_of(found: Iterable[Invariant], inputs: Inputs, bits: Literal[32, 64]) -> list[dict[str, Any]]:
    """The content of an ``invariant_set``."""
    texts = {file: CText(content) for file, content in inputs.contents.items()}
    return [{"invariant": made} for one in found for made in _made(one, texts, bits)]


def _made(one: Invariant, texts: dict[str, CText], bits: Literal[32, 64]) -> Iterator[dict[str, Any]]:
    keyword = _LOOPS.get(one.label.rstrip("0123456789"))
    if keyword is None or one.location is None or one.location.file not in texts:
        return
    text = texts[one.location.file]
    place = text.header(Place(one.location.line, one.location.column), keyword)
    if place is None:
        return
    types = integers_in_scope(text, place, bits)
    types = {name: type_ for name, type_ in types.items() if one.signed.get(name, type_.signed) == type_.signed}
    types = {name: type_ for name, type_ in types.items() if name not in one.unclear}
    parts = [part for condition in one.conditions if (part := c_expression(condition, types)) is not None]
    if parts:
        where = {"file_name": one.location.file, "line": place.line, "column": place.column}
        yield {
            "type": "loop_invariant",
            "location": {**where, "function": one.procedure.split(".")[0]},
            "value": " && ".join(parts),
            "format": "c_expression",
        }
