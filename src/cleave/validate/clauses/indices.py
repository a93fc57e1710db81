"""The instances of bound variables that are indices of arrays: see `instances`.

    for all k: a[4*k + 8] = 0     and     a[4*i + 8] = x, b[j] = y          k is taken for i, and for (j - 8) div 4

What is said of all cells is needed of those cells that the formula speaks of. Any choice is sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from cleave.logic.sorts import INT, Sort
from cleave.logic.sums import Sum, sum_of, term_of
from cleave.logic.terms import Op, Term, bv, bv_binary, div, extract, integer
from cleave.logic.walk import free_variables, postorder

_MOST = 200  # choices for one quantifier

Indices = Mapping[Sort, Iterable[Term]]
"""By the sorts of their arrays."""


def indices(formulas: Iterable[Term]) -> Indices:
    """Those that occur in formulas without quantifiers."""
    found: dict[Sort, dict[Term, None]] = {}
    for node in postorder(formulas):
        if node.op in (Op.SELECT, Op.STORE):
            found.setdefault(node.args[0].sort, {})[node.args[1]] = None
    return found


def choices(quantifier: Term, known: Indices) -> Iterator[dict[Term, Term]]:
    """What the variables may be taken for, all together."""
    variables: tuple[Term, ...] = quantifier.value.variables
    found: dict[Term, dict[Term, None]] = {variable: {} for variable in variables}
    for node in postorder(quantifier.args[:1]):
        if node.op is Op.SELECT:
            bound = [variable for variable in variables if variable in free_variables(node.args[1])]
            for index in known.get(node.args[0].sort, ()) if len(bound) == 1 else ():
                value = _solved(node.args[1], bound[0], index)
                if value is not None:
                    found[bound[0]][value] = None
    for chosen in islice(product(*found.values()), _MOST):
        yield dict(zip(variables, chosen, strict=True))


def _solved(pattern: Term, variable: Term, index: Term) -> Term | None:
    """What the variable is if the pattern is the index; None if the pattern is too complicated."""
    if pattern is variable:
        return index
    return _of_integers(pattern, variable, index) if pattern.sort is INT else _of_bits(pattern, variable, index)


def _of_integers(pattern: Term, variable: Term, index: Term) -> Term | None:
    left, right = sum_of(pattern), sum_of(index)
    times = left.terms.pop(variable, 0)
    if times <= 0 or any(variable in free_variables(term) for term in left.terms):
        return None
    terms = {t: right.terms.get(t, 0) - left.terms.get(t, 0) for t in (*right.terms, *left.terms)}
    rest = Sum(right.constant - left.constant, {t: count for t, count in terms.items() if count})
    if all(number % times == 0 for number in (rest.constant, *rest.terms.values())):
        return term_of(Sum(rest.constant // times, {t: count // times for t, count in rest.terms.items()}), INT)
    return div(term_of(rest, INT), integer(times))


def _of_bits(pattern: Term, variable: Term, index: Term) -> Term | None:
    """Operator by operator, from the outside."""
    while pattern is not variable:
        inside = [argument for argument in pattern.args if variable in free_variables(argument)]
        if len(inside) != 1 or not pattern.sort.is_bitvec:
            return None
        width, (other,) = pattern.sort.width, [a for a in pattern.args if a is not inside[0]] or [pattern]
        match pattern.op:
            case Op.BV_ADD:
                index = _difference(index, other)
            case Op.BV_MUL if index.op is Op.BV_MUL and other in index.args:
                index = next((a for a in index.args if a is not other), other)
            case Op.BV_MUL if other.is_value and other.value.bit_count() == 1:
                index = bv_binary(Op.BV_LSHR, index, bv(other.value.bit_length() - 1, width))
            case Op.CONCAT if pattern.args[0] is inside[0]:
                index = _high(index, other.sort.width)
            case Op.SIGN_EXTEND | Op.ZERO_EXTEND if index.op is pattern.op and index.value == pattern.value:
                index = index.args[0]
            case Op.SIGN_EXTEND | Op.ZERO_EXTEND:
                index = extract(index, inside[0].sort.width - 1, 0)
            case _:
                return None
        pattern = inside[0]
    return index


def _difference(one: Term, other: Term) -> Term:
    left, right, size = sum_of(one), sum_of(other), 1 << one.sort.width
    terms = {t: (left.terms.get(t, 0) - right.terms.get(t, 0)) % size for t in (*left.terms, *right.terms)}
    rest = Sum((left.constant - right.constant) % size, {t: count for t, count in terms.items() if count})
    return term_of(rest, one.sort)


def _high(index: Term, low_bits: int) -> Term:
    """The index without its lowest bits."""
    if index.op is Op.CONCAT and index.args[1].sort.width == low_bits:
        return index.args[0]
    return extract(index, index.sort.width - 1, low_bits)
