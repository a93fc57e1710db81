"""The terms of one statement over integers, and what has to hold before it for them to mean the same.

    x := (bvadd x 1)        x := (+ x 1), if (<= (+ x 1) 2147483647)

An operation in a branch of a choice that is not taken may go out of range; its conditions and facts do not count then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleave.errors import UnsupportedError
from cleave.ir.program import Location, is_old
from cleave.logic.floats.operations import COMPARISONS as FLOAT_COMPARISONS
from cleave.logic.sorts import INT, Sort, array
from cleave.logic.terms import (
    TRUE,
    Op,
    Term,
    conj,
    conj_all,
    const_array,
    eq,
    implies,
    integer,
    ite,
    neg,
    select,
    store,
    var,
)
from cleave.logic.walk import postorder, rebuild
from cleave.passes.to_integers.numbers import Number, Reading, Settled, constant, either, in_range, known, settled
from cleave.passes.to_integers.operators import compare, operate, same
from cleave.records import dataclass

_COMPARISONS = frozenset((Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE))
_REFUSED = {
    Op.APPLY: "uninterpreted functions",
    Op.FORALL: "quantifiers",
    Op.EXISTS: "quantifiers",
    Op.CONSTRUCT: "data types",
    Op.FIELD: "data types",
    Op.TEST: "data types",
    Op.INT_TO_BV: "bit vectors made of mathematical integers",
}


@dataclass(frozen=True, slots=True)
class _Made:
    """``whole`` is a number for a bit vector, else a term; right where ``condition`` holds. ``elements`` are those of
    an array; None if nothing tells their reading."""

    whole: Number | Term
    condition: Term = TRUE
    elements: Reading | None = None

    @property
    def term(self) -> Term:
        assert isinstance(self.whole, Term)
        return self.whole

    @property
    def number(self) -> Number:
        assert isinstance(self.whole, Number)
        return self.whole


class Terms:
    """The terms of one statement. ``wraps``: arithmetic goes round exactly, so there are no conditions."""

    def __init__(
        self, reading: Callable[[Term], Reading], fresh: Callable[[], Term], place: Location | None, *, wraps: bool
    ) -> None:
        self.facts: list[Term] = []  # hold whatever bit vectors the integers stand for
        self.chosen: list[Term] = []  # new variables with any value
        self.condition: Term = TRUE  # without it the terms mean something else
        self.wraps = wraps
        self._reading = reading
        self._fresh = fresh
        self._place = place
        self._made: dict[Term, _Made] = {}

    def value(self, term: Term, reading: Reading) -> Term:
        """``term`` as a variable with this reading, or an array with such elements, is set to it."""
        memo = {} if term.sort.is_array else self._made  # nothing but the target may tell what a new array holds
        made = self._translated(term, memo, reading)
        sheet = _Sheet(self, made.condition)
        found = sheet.plain(made.whole, reading)
        self.condition = conj(self.condition, sheet.condition)
        return found

    def any_value(self, width: int, right: Term, fact: Callable[[Term], Term]) -> Number:
        """An unsigned number of which ``fact`` is known where ``right`` holds."""
        chosen = self._fresh()
        self.chosen.append(chosen)
        self.facts.append(conj(in_range(chosen, Reading.UNSIGNED, width), implies(right, fact(chosen))))
        return known(chosen, width, Reading.UNSIGNED)

    def refused(self, what: str) -> UnsupportedError:
        return refused(what, self._place)

    def _translated(self, root: Term, memo: dict[Term, _Made], new: Reading | None) -> _Made:
        for node in postorder((root,), done=set(memo)):
            memo[node] = self._node(node, [memo[argument] for argument in node.args], new)
        return memo[root]

    # --- one node ---------------------------------------------------------------------------------------------------

    def _node(self, node: Term, args: Sequence[_Made], new: Reading | None) -> _Made:
        if node.op in _REFUSED:
            raise self.refused(_REFUSED[node.op])
        if node.op is Op.VAR:
            return self._variable(node)
        if node.op is Op.ITE:
            return _choice(*args)
        sheet = _Sheet(self, *(made.condition for made in args))
        if node.op in (Op.SELECT, Op.STORE, Op.CONST_ARRAY):
            return self._array(node, args, sheet, new)
        return _Made(_combined(node, args, sheet), sheet.condition)

    def _variable(self, variable: Term) -> _Made:
        if is_old(variable):
            raise self.refused("former values of variables")
        renamed, sort = over_integers(variable), variable.sort
        if sort.is_bitvec:
            return _Made(known(renamed, sort.width, self._reading(variable)))
        return _Made(renamed, elements=self._reading(variable) if sort.is_array else None)

    def _array(self, node: Term, args: Sequence[_Made], sheet: _Sheet, new: Reading | None) -> _Made:
        """Indices are read as signed: it only matters that all are read in one way."""
        elements = args[0].elements if node.op is not Op.CONST_ARRAY else new
        if node.op is Op.CONST_ARRAY:
            whole = const_array(integer_sort(node.sort.index), sheet.plain(args[0].whole, elements))
            return _Made(whole, sheet.condition, elements)
        index = sheet.plain(args[1].whole, Reading.SIGNED)
        if node.op is Op.STORE:
            whole = store(args[0].term, index, sheet.plain(args[2].whole, elements))
            return _Made(whole, sheet.condition, elements)
        found = select(args[0].term, index)
        if not node.sort.is_bitvec:
            return _Made(found, sheet.condition, elements)
        reading, width = elements or Reading.SIGNED, node.sort.width
        self.facts.append(in_range(found, reading, width))
        return _Made(known(found, width, reading), sheet.condition)


class _Sheet:
    """Takes down the conditions of one node."""

    def __init__(self, terms: Terms, *conditions: Term) -> None:
        self.condition = conj_all(conditions)
        self.terms = terms

    def settle(self, number: Number, reading: Reading) -> Settled:
        found = settled(number, reading, wraps=self.terms.wraps)
        self.condition = conj(self.condition, found.condition)
        return found

    def any_value(self, width: int, fact: Callable[[Term], Term]) -> Number:
        return self.terms.any_value(width, self.condition, fact)

    def plain(self, whole: Number | Term, reading: Reading | None) -> Term:
        """Without a reading, only what is the same in both."""
        if isinstance(whole, Term):
            return whole
        if reading is None and not (whole.is_within(Reading.SIGNED) and whole.is_within(Reading.UNSIGNED)):
            raise self.terms.refused("values that may be signed or not")
        return self.settle(whole, reading or Reading.SIGNED).term


def _combined(node: Term, args: Sequence[_Made], sheet: _Sheet) -> Number | Term:
    """What is neither a leaf, nor a choice, nor about arrays."""
    if node.op is Op.VALUE:
        return constant(node.value, node.sort.width) if node.sort.is_bitvec else node
    if node.op in (Op.EQ, Op.DISTINCT):
        return _equal(node, args, sheet)
    if node.op is Op.BV_TO_INT:
        return sheet.settle(args[0].number, Reading.UNSIGNED).term
    if node.op in FLOAT_COMPARISONS:
        return eq(sheet.settle(sheet.any_value(1, lambda _: TRUE), Reading.UNSIGNED).term, integer(1))
    if node.op in _COMPARISONS:
        return compare(node.op, args[0].number, args[1].number, sheet)
    if node.sort.is_bitvec:
        return operate(node, [made.number for made in args], sheet)
    return rebuild(node, tuple(made.term for made in args))


def _choice(condition: _Made, then: _Made, other: _Made) -> _Made:
    guard = condition.term
    right = conj(condition.condition, implies(guard, then.condition), implies(neg(guard), other.condition))
    if isinstance(then.whole, Number):
        return _Made(either(guard, then.whole, other.number), right)
    return _Made(ite(guard, then.term, other.term), right, then.elements or other.elements)


def _equal(node: Term, args: Sequence[_Made], sheet: _Sheet) -> Term:
    if node.args[0].sort.is_array:
        raise sheet.terms.refused("comparisons of whole arrays")
    pairs = [(a, b) for number, a in enumerate(args) for b in args[number + 1 :]]
    equal = [_same(a.whole, b.whole, sheet) for a, b in pairs]
    return equal[0] if node.op is Op.EQ else conj_all(map(neg, equal))


def _same(a: Number | Term, b: Number | Term, sheet: _Sheet) -> Term:
    if isinstance(a, Number) and isinstance(b, Number):
        return same(a, b, sheet)
    assert isinstance(a, Term)
    assert isinstance(b, Term)
    return eq(a, b)


def over_integers(variable: Term) -> Term:
    return var(variable.name, integer_sort(variable.sort))


def integer_sort(sort: Sort) -> Sort:
    if sort.is_bitvec:
        return INT
    return array(integer_sort(sort.index), integer_sort(sort.element)) if sort.is_array else sort


def refused(what: str, place: Location | None) -> UnsupportedError:
    message = f"{what} can't be computed with mathematical integers: leave out --integers"
    if place is None:
        return UnsupportedError(message)
    return UnsupportedError(message, file=place.file, line=place.line, column=place.column)
