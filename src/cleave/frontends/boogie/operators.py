"""Boogie's operators as term constructors, where the two differ.

a <== b     (=> b a)
1 / 2       0.5: dividing two ints gives a real
x[8:0]      bits 7 to 0: the end is not included
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from cleave.errors import UnsupportedError
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import Op, SortError, Term
from cleave.logic.walk import free_variables, postorder

_MAX_EXPONENT = 4000
_FLAT_LIMIT = 1000  # a junction with more operands is not copied into the one around it


def _differ(a: Term, b: Term) -> Term:
    return t.neg(t.eq(a, b))


def _equivalent(a: Term, b: Term) -> Term:
    if a.sort is not BOOL:
        raise SortError("<==> takes Bool")
    return t.eq(a, b)


def _explies(a: Term, b: Term) -> Term:
    return t.implies(b, a)


def _divide(a: Term, b: Term) -> Term:
    if a.sort is INT:
        a = t.to_real(a)
    if b.sort is INT:
        b = t.to_real(b)
    return t.real_div(a, b)


def integer_division(a: Term, b: Term) -> Term:
    """Ultimate's ``/``, which stays among the integers."""
    return t.div(a, b) if a.sort is INT and b.sort is INT else _divide(a, b)


def _power(a: Term, b: Term) -> Term:
    if a.sort is not b.sort or a.sort not in (INT, REAL):
        raise SortError("** takes numbers")
    exponent = Fraction(b.value) if b.is_value else Fraction(1, 2)
    if not a.is_value or exponent.denominator != 1 or abs(exponent) > _MAX_EXPONENT:
        raise UnsupportedError("'**' is only supported between numbers that are written out")
    if exponent < 0 and (a.sort is INT or a.value == 0):
        raise UnsupportedError("'**' with a negative exponent needs a real that is not 0")
    return t.value_of(a.value ** int(exponent), a.sort)


def _subtype(a: Term, b: Term) -> Term:
    raise UnsupportedError("the order '<:' is not supported")


BINARY_OPERATORS: dict[str, Callable[[Term, Term], Term]] = {
    "<==>": _equivalent,
    "==>": t.implies,
    "<==": _explies,
    "==": t.eq,
    "!=": _differ,
    "<": t.lt,
    "<=": t.le,
    ">": t.gt,
    ">=": t.ge,
    "<:": _subtype,
    "++": t.concat,
    "+": t.add,
    "-": t.sub,
    "*": t.mul,
    "/": _divide,
    "div": t.div,
    "mod": t.mod,
    "**": _power,
}
UNARY_OPERATORS: dict[str, Callable[[Term], Term]] = {"-": t.minus, "!": t.neg}


def junction(operator: str, operands: list[Term]) -> Term:
    """All operands of a chain of ``&&`` or ``||`` at once."""
    op, build = (Op.AND, t.conj_all) if operator == "&&" else (Op.OR, t.disj_all)
    if any(a.op is op and len(a.args) > _FLAT_LIMIT for a in operands) and all(a.sort is BOOL for a in operands):
        # Flattening a deep nest of these at every level would take time and memory quadratic in its depth.
        return t.make(op, tuple(operands), BOOL)
    return build(operands)


def extract(a: Term, end: str, start: str) -> Term:
    """Boogie's ``a[end:start]``; ``end`` is not included."""
    if len(end) > 6 or len(start) > 6:
        raise SortError("no such bits")
    return t.extract(a, int(end) - 1, int(start))


def trigger_is_usable(terms: tuple[Term, ...], variables: tuple[Term, ...]) -> bool:
    """Whether a solver can match the trigger: functions only, and every bound variable occurs.

    Expanding a function that has a body may leave neither.
    """
    return all(map(_matchable, terms)) and free_variables(*terms).issuperset(variables)


_CONNECTIVES = frozenset(
    (Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.ITE, Op.EQ, Op.DISTINCT, Op.LE, Op.LT, Op.FORALL, Op.EXISTS)
)


def _matchable(term: Term) -> bool:
    return term.op in (Op.APPLY, Op.SELECT, Op.STORE) and not any(n.op in _CONNECTIVES for n in postorder((term,)))
