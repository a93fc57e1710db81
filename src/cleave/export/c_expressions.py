"""Formulas as expressions of C, with the same value whatever the variables hold: over bit vectors here, over integers
in `c_numbers`.

    bvslt(i, n)  for  int i, n             i < n
    extract(0, 0, y) = 0                   (((unsigned long long)y >> 0) & 1ULL) == 0ULL

Comparisons of variables and constants are written as a programmer would. Everything else is computed in
``unsigned long long``, where no operation is undefined, and cut to the width that it has. Operators for which that
would be long, and what is wider than that type, have no expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cleave.export.c_numbers import c_comparison
from cleave.export.c_types import CInteger
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Op, Term
from cleave.logic.walk import fold

_WIDEST = 64
_LONGEST = 2000  # characters


Types = Mapping[str, CInteger]
"""By the name of a variable."""


def c_expression(formula: Term, types: Types) -> str | None:
    """None if there is none."""
    return fold(formula, lambda node, parts: _made(node, parts, types))


def _made(node: Term, parts: list[str | None], types: Types) -> str | None:
    if node.args and node.args[0].sort is INT:
        return c_comparison(node, types)
    given = [part for part in parts if part is not None]
    if len(given) < len(parts) or sum(map(len, given)) > _LONGEST:
        return None
    if node.sort is not BOOL and not (node.sort.is_bitvec and node.sort.width <= _WIDEST):
        return None
    match node.op:
        case Op.VAR:
            return _variable(node, types)
        case Op.VALUE:
            return f"{int(node.value)}ULL" if node.sort is not BOOL else str(int(node.value))
        case _ if node.op in _COMPARISONS:
            return _plain(node, types) or _COMPARISONS[node.op](node, *given)
        case _ if node.op in _OPERATIONS:
            return _OPERATIONS[node.op](node, *given)
    return None


def _variable(node: Term, types: Types) -> str | None:
    type_ = types.get(node.name)
    if type_ is None or node.sort is BOOL or type_.width != node.sort.width:
        return None
    wide = f"(unsigned long long){node.name}"
    return f"({wide} & {_mask(node)})" if type_.signed and type_.width < _WIDEST else f"({wide})"


# --- comparisons ----------------------------------------------------------------------------------------------------

_SIGNS = {Op.BV_SLT: ("<", True), Op.BV_SLE: ("<=", True), Op.BV_ULT: ("<", False), Op.BV_ULE: ("<=", False)}


def _plain(node: Term, types: Types) -> str | None:
    """``x < 3``, where that means the same."""
    if not all(part.op is Op.VAR or (part.op is Op.VALUE and part.sort is not BOOL) for part in node.args):
        return None
    signs = {types[part.name].signed for part in node.args if part.op is Op.VAR}
    operator, signed = _SIGNS.get(node.op, ("==", next(iter(signs), None)))
    if signs != {signed} or len(node.args) != 2:
        return None
    left, right = (part.name if part.op is Op.VAR else _constant(part, bool(signed)) for part in node.args)
    return f"({left} {operator} {right})"


def _constant(node: Term, signed: bool) -> str:
    number, width = int(node.value), node.sort.width
    if not signed:
        return f"{number}U"
    value = number - (1 << width) if number >> (width - 1) else number
    return f"({value + 1} - 1)" if value == -(1 << (_WIDEST - 1)) else str(value)


def _compared(operator: str, flip: bool) -> Callable[..., str]:
    """Signed numbers compare as unsigned ones do if their highest bits are flipped."""

    def made(node: Term, left: str, right: str) -> str:
        flipped = f" ^ {_highest(node.args[0])}" if flip else ""
        return f"(({left}{flipped}) {operator} ({right}{flipped}))"

    return made


_COMPARISONS: Mapping[Op, Callable[..., str | None]] = {
    Op.EQ: lambda node, *parts: f"({' == '.join(parts)})" if len(parts) == 2 else None,
    **{op: _compared(operator, flip) for op, (operator, flip) in _SIGNS.items()},
}


# --- operations -----------------------------------------------------------------------------------------------------


def _mask(node: Term) -> str:
    return f"{(1 << node.sort.width) - 1}ULL"


def _highest(node: Term) -> str:
    return f"{1 << (node.sort.width - 1)}ULL"


def _cut(operator: str) -> Callable[..., str]:
    return lambda node, *parts: f"(({f' {operator} '.join(parts)}) & {_mask(node)})"


def _joined(operator: str) -> Callable[..., str]:
    return lambda _, *parts: f"({f' {operator} '.join(parts)})"


def _sign_extended(node: Term, part: str) -> str:
    highest = _highest(node.args[0])
    return f"((({part} ^ {highest}) - {highest}) & {_mask(node)})"


_OPERATIONS: Mapping[Op, Callable[..., str]] = {
    Op.NOT: lambda _, part: f"(!{part})",
    Op.AND: _joined("&&"),
    Op.OR: _joined("||"),
    Op.IMPLIES: lambda _, left, right: f"(!{left} || {right})",
    Op.ITE: lambda _, condition, one, other: f"({condition} ? {one} : {other})",
    Op.CONCAT: lambda node, high, low: f"(({high} << {node.args[1].sort.width}) | {low})",
    Op.EXTRACT: lambda node, part: f"(({part} >> {node.value[1]}) & {_mask(node)})",
    Op.ZERO_EXTEND: lambda _, part: part,
    Op.SIGN_EXTEND: _sign_extended,
    Op.BV_NOT: lambda node, part: f"(~{part} & {_mask(node)})",
    Op.BV_NEG: lambda node, part: f"((0ULL - {part}) & {_mask(node)})",
    Op.BV_AND: _joined("&"),
    Op.BV_OR: _joined("|"),
    Op.BV_XOR: _joined("^"),
    Op.BV_ADD: _cut("+"),
    Op.BV_SUB: _cut("-"),
    Op.BV_MUL: _cut("*"),
    Op.BV_UDIV: lambda node, left, right: f"({right} ? {left} / {right} : {_mask(node)})",
    Op.BV_UREM: lambda _, left, right: f"({right} ? {left} % {right} : {left})",
    Op.BV_SHL: lambda node, a, b: f"({b} < {node.sort.width} ? ({a} << {b}) & {_mask(node)} : 0ULL)",
    Op.BV_LSHR: lambda node, a, b: f"({b} < {node.sort.width} ? {a} >> {b} : 0ULL)",
}
