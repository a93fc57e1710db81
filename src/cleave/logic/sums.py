"""Integers and bit vectors as sums: a constant, and terms that each occur so many times.

>>> from cleave.logic.terms import INT, add, integer, mul, sub, var
>>> i = var("i", INT)
>>> sum_of(sub(mul(integer(5), add(i, integer(1))), i))
Sum(constant=5, terms={i: 4})
>>> term_of(sum_of(sub(add(i, integer(1)), i)), INT)
1
"""

from __future__ import annotations

from dataclasses import field

from cleave.logic.sorts import INT, Sort
from cleave.logic.terms import Op, Term, add, bv_binary, integer, minus, mul, sub, value_of
from cleave.records import dataclass

_DEEPEST = 40  # what is further down counts as one term


@dataclass(slots=True)
class Sum:
    """``constant`` plus each term so many times; of bit vectors, all numbers are between 0 and two to their width."""

    constant: int = 0
    terms: dict[Term, int] = field(default_factory=dict)


def sum_of(term: Term) -> Sum:
    """An integer or a bit vector as a sum."""
    found = Sum()
    _add(found, term, 1, _DEEPEST)
    if term.sort.is_bitvec:
        size = 1 << term.sort.width
        found = Sum(found.constant % size, {t: c % size for t, c in found.terms.items()})
    return Sum(found.constant, {t: c for t, c in found.terms.items() if c})


def _add(to: Sum, term: Term, times: int, depth: int) -> None:
    if term.is_value:
        to.constant += times * term.value
        return
    left, right = (term.args[0], term.args[-1]) if term.args else (term, term)
    match term.op if depth else Op.VAR:
        case Op.ADD | Op.BV_ADD:
            _add(to, left, times, depth - 1)
            _add(to, right, times, depth - 1)
        case Op.SUB | Op.BV_SUB:
            _add(to, left, times, depth - 1)
            _add(to, right, -times, depth - 1)
        case Op.NEG | Op.BV_NEG:
            _add(to, left, -times, depth - 1)
        case Op.MUL | Op.BV_MUL if left.is_value:
            _add(to, right, times * left.value, depth - 1)
        case Op.MUL | Op.BV_MUL if right.is_value:
            _add(to, left, times * right.value, depth - 1)
        case _:
            to.terms[term] = to.terms.get(term, 0) + times


def term_of(found: Sum, sort: Sort) -> Term:
    """The terms in a fixed order, so that equal sums are equal terms."""
    made: Term | None = None
    for term, times in sorted(found.terms.items(), key=lambda item: (-item[1], repr(item[0]))):
        if sort is INT:
            part = mul(integer(abs(times)), term)
            made = (part if times > 0 else minus(part)) if made is None else (add if times > 0 else sub)(made, part)
        else:
            part = term if times == 1 else bv_binary(Op.BV_MUL, term, value_of(times, sort))
            made = part if made is None else bv_binary(Op.BV_ADD, made, part)
    constant = value_of(found.constant, sort)
    if made is None:
        return constant
    if not found.constant:
        return made
    if sort is INT:
        return add(made, constant) if found.constant > 0 else sub(made, integer(-found.constant))
    return bv_binary(Op.BV_ADD, made, constant)
