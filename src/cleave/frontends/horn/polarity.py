"""What normalisation must know of a formula beforehand: where its predicates stand, and how far it would branch.

    (=> (or (P x) (Q x)) (R x))      P, Q: negative    R: positive    as clauses: 2

The polarity of a term is a set of bits; none if no predicate occurs in it. The width of a formula is the number of
cases in which it can be true and the number in which it can be false, as far as predicates separate cases.
"""

from __future__ import annotations

from collections import Counter
from math import prod

from cleave.logic.sorts import BOOL
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder

POSITIVE, NEGATIVE, ENCLOSED = 1, 2, 4
"""Of a predicate: asserted, denied, or within an argument where it is neither."""

_CAP = 1_000_000
_SWAP = {0: 0, 1: 2, 2: 1, 3: 3, 4: 4, 5: 6, 6: 5, 7: 7}
Width = tuple[int, int]


class Analysis:
    """Of one assertion, and of what is made of it."""

    def __init__(self, predicates: set[Function]) -> None:
        self._predicates = predicates
        self._polarity: dict[Term, int] = {}
        self._width: dict[Term, Width] = {}
        self._done: set[Term] = set()
        self.binders: Counter[Term] = Counter()
        self.names: set[str] = set()

    def add(self, root: Term) -> None:
        """Must come before any question about ``root``."""
        for node in postorder((root,), self._done):
            if node.op is Op.VAR:
                self.names.add(node.name)
            elif node.op is Op.FORALL or node.op is Op.EXISTS:
                self.binders.update(node.value.variables)
                self.names.update(v.name for v in node.value.variables)
            found = self._find(node)
            if found:
                self._polarity[node] = found
                self._width[node] = self._measure(node)

    def polarity(self, term: Term) -> int:
        return self._polarity.get(term, 0)

    def width(self, term: Term) -> Width:
        """The cases in which it is true and in which it is false."""
        return self._width.get(term, (1, 1))

    def is_predicate(self, term: Term) -> bool:
        return term.op is Op.APPLY and term.value in self._predicates

    def _find(self, node: Term) -> int:
        if self.is_predicate(node):
            enclosed = any(a in self._polarity for a in node.args)
            return POSITIVE | ENCLOSED if enclosed else POSITIVE
        below = [self._polarity.get(a, 0) for a in node.args]
        if not any(below):
            return 0
        match node.op:
            case Op.NOT:
                return _SWAP[below[0]]
            case Op.AND | Op.OR:
                return _union(below)
            case Op.IMPLIES:
                return _SWAP[below[0]] | below[1]
            case Op.FORALL | Op.EXISTS:
                return below[0]
            case Op.ITE if node.sort is BOOL:
                return below[0] | _SWAP[below[0]] | below[1] | below[2]
            case Op.EQ if node.args[0].sort is BOOL:
                both = _union(below)
                return both | _SWAP[both]
            case _:
                return ENCLOSED

    def _measure(self, node: Term) -> Width:
        below = [self.width(a) for a in node.args]
        match node.op:
            case Op.NOT:
                true, false = below[0][1], below[0][0]
            case Op.AND:
                true, false = prod(b[0] for b in below), self._sum(node, 1)
            case Op.OR:
                true, false = self._sum(node, 0), prod(b[1] for b in below)
            case Op.IMPLIES:
                (a, not_a), (b, not_b) = below
                true, false = not_a + b, a * not_b
            case Op.ITE:
                (c, not_c), (a, not_a), (b, not_b) = below
                true, false = c * a + not_c * b, c * not_a + not_c * not_b
            case Op.EQ:
                (a, not_a), (b, not_b) = below
                true, false = a * b + not_a * not_b, a * not_b + not_a * b
            case Op.FORALL | Op.EXISTS:
                true, false = below[0]
            case _:
                true = false = 1
        return min(true, _CAP), min(false, _CAP)

    def _sum(self, node: Term, side: int) -> int:
        """What has no predicate is one case together."""
        cases = [self.width(a)[side] for a in node.args if a in self._polarity]
        return sum(cases) + (len(cases) < len(node.args))


def _union(parts: list[int]) -> int:
    found = 0
    for part in parts:
        found |= part
    return found
