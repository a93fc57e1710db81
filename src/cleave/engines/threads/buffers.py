"""Store buffers in the formula of schedules: when each store of each thread commits.

    begun[s, c]      store s is in memory when context c begins to run, after its commits
    ended[s, c]      ... when context c ends
    drains[c, t]     context c begins with commits of thread t: one thread at most

A context begins with commits of one buffer; then one thread runs. What that thread itself commits in its context may as
well be in memory from the context's beginning, or from the store on, as no other thread runs there. So ``begun`` gets
true by ``drains`` or because the thread runs, and ``ended`` by a store that commits at once.

What a thread sees is memory with its stores that wait. Whether a store whose guard is false has committed is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from cleave.engines.unfolding.code import Cell, Fenced, ThreadCode, Write
from cleave.engines.unfolding.simplify import choice, equal, stored
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Term, conj, conj_all, disj, disj_all, implies, neg, var
from cleave.records import dataclass

Values = dict[Cell, Term]


@dataclass(slots=True)
class Store:
    """What one statement writes. ``guard``: of any of its writes."""

    number: int
    position: int
    writes: list[Write] = field(default_factory=list)

    @property
    def guard(self) -> Term:
        return disj_all(write.guard for write in self.writes)


def stores_of(thread: ThreadCode) -> list[Store]:
    """In their order. Stores to what no other thread uses are left out: they make no difference."""
    found: dict[int, Store] = {}
    for access in thread.accesses:
        if isinstance(access, Write) and access.store:
            found.setdefault(access.store, Store(access.store, access.position)).writes.append(access)
    return [found[number] for number in sorted(found)]


class ThreadBuffer:
    """That of one thread, while contexts are encoded one after the other."""

    def __init__(self, thread: ThreadCode, keeps_order: bool, constraints: list[Term]) -> None:
        self.stores = stores_of(thread)
        self._thread = thread
        self._constraints = constraints
        self._fences = [access for access in thread.accesses if isinstance(access, Fenced)]
        self._order = list(self._ordered(keeps_order))
        self.ended: list[Term] = [FALSE] * len(self.stores)
        self._last: list[Term] = self.ended  # at the end of the context before
        self.begun: list[Term] = self.ended
        self._before: Sequence[Term] = ()

    def begin_context(self, context: int, drains: Term, runs: Term, before: Sequence[Term]) -> None:
        """``before``: the positions that are done when it begins."""
        self._before, self._last = before, self.ended
        self.begun = []
        for store, was in zip(self.stores, self._last, strict=True):
            if was is TRUE or before[store.position] is FALSE:
                self.begun.append(was)
                continue
            now = self._variable("begun", store, context)
            self._say(implies(was, now), implies(now, before[store.position]), disj(neg(now), was, drains, runs))
            self.begun.append(now)
        self.ended = self.begun
        self._keep_order(self.begun)

    def end_context(self, context: int, runs: Term, done: Sequence[Term]) -> None:
        """The thread runs in it, if ``runs``; ``done``: the positions that are done then."""
        self.ended = []
        for store, was in zip(self.stores, self.begun, strict=True):
            if was is TRUE or done[store.position] is self._before[store.position]:
                self.ended.append(was)
                continue
            now = self._variable("ended", store, context)
            at_once = conj(runs, done[store.position], neg(self._before[store.position]))
            self._say(implies(was, now), disj(neg(now), was, at_once))
            self.ended.append(now)
        self._keep_order(self.ended)
        for fence in self._fences:
            if not fence.stores_only and done[fence.position] is not FALSE:
                passed = conj(done[fence.position], fence.guard)
                self._say(*(implies(conj(passed, s.guard), is_in) for s, is_in in self._up_to(fence.store)))

    # --- values -------------------------------------------------------------------------------------------------------

    def drained(self, values: Values, if_so: Term) -> None:
        """Memory after the commits with which a context begins."""
        for store, was, now in zip(self.stores, self._last, self.begun, strict=True):
            if now is not was:
                self._put(values, store, conj(if_so, now, neg(was)))

    def seen(self, values: Values) -> Values:
        """What the thread reads where memory holds ``values``, when it begins to run."""
        found = dict(values)
        for store, is_in in zip(self.stores, self.begun, strict=True):
            waits = conj(self._before[store.position], neg(is_in))
            if waits is not FALSE:
                self._put(found, store, waits)
        return found

    def is_at_once(self, number: int) -> Term:
        """Whether a store is in memory in the context in which it is made, which is under way; what is no store is."""
        if not number:
            return TRUE
        return next(is_in for store, is_in in zip(self.stores, self.ended, strict=True) if store.number == number)

    def is_empty(self) -> Term:
        """When the context begins."""
        return conj_all(disj(is_in, neg(s.guard)) for s, is_in in zip(self.stores, self.begun, strict=True))

    def drains_any(self) -> Term:
        """Whether the context begins with commits of this thread."""
        return disj_all(
            conj(now, neg(was), store.guard)
            for store, was, now in zip(self.stores, self._last, self.begun, strict=True)
            if now is not was
        )

    def _put(self, values: Values, store: Store, when: Term) -> None:
        for write in store.writes:
            old = values[write.cell]
            new = write.held if write.index is None else stored(old, write.index, write.held)
            values[write.cell] = choice(conj(when, write.guard), new, old)

    # --- order --------------------------------------------------------------------------------------------------------

    def _ordered(self, keeps_order: bool) -> Iterator[tuple[int, int, Term]]:
        """Pairs of stores of which the first has to commit first, if a condition holds."""
        for later in range(1, len(self.stores)):
            for earlier in range(later - 1, -1, -1):
                if keeps_order:
                    yield earlier, later, TRUE
                    break  # the others follow
                one, other = self.stores[earlier], self.stores[later]
                condition = disj(_meet(one, other), self._fenced(one.number, other.number))
                if condition is not FALSE:
                    yield earlier, later, conj(condition, one.guard, other.guard)

    def _fenced(self, earlier: int, later: int) -> Term:
        return disj_all(fence.guard for fence in self._fences if earlier <= fence.store < later)

    def _keep_order(self, is_in: list[Term]) -> None:
        for earlier, later, condition in self._order:
            self._say(implies(conj(is_in[later], condition), is_in[earlier]))

    def _up_to(self, number: int) -> Iterator[tuple[Store, Term]]:
        return ((s, is_in) for s, is_in in zip(self.stores, self.ended, strict=True) if s.number <= number)

    def _variable(self, what: str, store: Store, context: int) -> Term:
        return var(f"{what}:{self._thread.instance}:{store.number}:{context}", BOOL)

    def _say(self, *facts: Term) -> None:
        self._constraints += [fact for fact in facts if fact is not TRUE]


def _meet(one: Store, other: Store) -> Term:
    """Whether both write a cell, or an element."""
    return disj_all(
        TRUE if a.index is None or b.index is None else equal(a.index, b.index)
        for a in one.writes
        for b in other.writes
        if a.cell == b.cell
    )
