"""Division by positive constants, written so that loops with it can be seen to count.

    x mod 5, with cases             ite(0 <= x < 5, x, ite(5 <= x < 10, x - 5, x mod 5))
    x div 5, with a name            q,  where  5*q <= x < 5*q + 5

Both mean the same as before. Where a case applies a remainder grows by what its argument grows by; and where a quotient
stays what it is for many rounds, so does its name.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.logic.sorts import INT
from cleave.logic.terms import Op, Term, add, conj, conj_all, integer, ite, le, lt, mul, sub, var
from cleave.logic.walk import fold, postorder, rebuild
from cleave.passes.fresh import FreshNames


def has_division(terms: Sequence[Term]) -> bool:
    return any(_is_division(node) for node in postorder(terms))


def with_cases(term: Term) -> Term:
    """The same term if nothing is divided in it."""
    if not has_division((term,)):
        return term

    def combine(node: Term, args: list[Term]) -> Term:
        made = rebuild(node, tuple(args)) if args else node
        if made.op is not Op.MOD or not _is_division(made):
            return made
        number, by = made.args
        twice = add(by, by)
        wrapped = ite(conj(le(by, number), lt(number, twice)), sub(number, by), made)
        return ite(conj(le(integer(0), number), lt(number, by)), number, wrapped)

    return fold(term, combine)


def with_names(terms: Sequence[Term], names: FreshNames) -> tuple[list[Term], Term]:
    """The terms, and what the names in them stand for."""
    meanings: list[Term] = []
    named: dict[tuple[Term, Term], Term] = {}

    def combine(node: Term, args: list[Term]) -> Term:
        made = rebuild(node, tuple(args)) if args else node
        if not _is_division(made):
            return made
        number, by = made.args
        quotient = named.get((number, by))
        if quotient is None:
            quotient = named[number, by] = var(names.like("quotient"), INT)
            least = mul(by, quotient)
            meanings.append(conj(le(least, number), lt(number, add(least, by))))
        return quotient if made.op is Op.DIV else sub(number, mul(by, quotient))

    memo: dict[Term, Term] = {}
    return [fold(term, combine, memo) for term in terms], conj_all(meanings)


def _is_division(term: Term) -> bool:
    return term.op in (Op.DIV, Op.MOD) and term.args[1].is_value and term.args[1].value > 0
