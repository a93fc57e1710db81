"""Comparisons of mathematical integers as C.

    x + 2 * y <= 7  for  int x, y          (((long long)x + (2LL * (long long)y)) <= 7LL)

All is computed in ``long long``, and only what can't leave its range there has an expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

from cleave.export.c_types import CInteger
from cleave.logic.terms import Op, Term
from cleave.logic.walk import fold

_LARGEST = 1 << 62
_COMPARISONS = {Op.EQ: "==", Op.LE: "<=", Op.LT: "<"}
_OPERATIONS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}


class _Number(NamedTuple):
    text: str
    largest: int  # that its absolute value can be


def c_comparison(node: Term, types: Mapping[str, CInteger]) -> str | None:
    """Of a comparison of two integers; each variable is the number that it holds in C."""
    sides = [fold(side, lambda part, parts: _number(part, parts, types)) for side in node.args]
    found = [side.text for side in sides if side is not None]
    if node.op not in _COMPARISONS or len(found) != 2 or len(sides) != 2:
        return None
    return f"({found[0]} {_COMPARISONS[node.op]} {found[1]})"


def _number(node: Term, parts: list[_Number | None], types: Mapping[str, CInteger]) -> _Number | None:
    given = [part for part in parts if part is not None]
    made: _Number | None = None
    if node.op is Op.VAR and node.name in types:
        made = _Number(f"(long long){node.name}", 1 << types[node.name].width)
    elif node.op is Op.VALUE:
        made = _Number(f"{node.value}LL" if node.value >= 0 else f"({node.value}LL)", abs(node.value))
    elif node.op is Op.NEG and given:
        made = _Number(f"(-{given[0].text})", given[0].largest)
    elif node.op is Op.MOD and given and node.args[1].op is Op.VALUE and node.args[1].value > 0:
        by = f"{node.args[1].value}LL"  # C's remainder has the sign of the number
        made = _Number(f"((({given[0].text} % {by}) + {by}) % {by})", 2 * node.args[1].value)
    elif node.op in _OPERATIONS and given and len(given) == len(parts):
        sizes = [part.largest for part in given]
        text = f" {_OPERATIONS[node.op]} ".join(part.text for part in given)
        made = _Number(f"({text})", prod(max(size, 1) for size in sizes) if node.op is Op.MUL else sum(sizes))
    return made if made is not None and made.largest < _LARGEST else None
