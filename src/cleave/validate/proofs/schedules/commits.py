"""Store buffers where executions have a partial order: when stores commit.

commits[s]       store s gets to memory at all
at[s]            a number: that of its commit, among those of events, after the event that makes it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Op, Term, bv_compare, conj, conj_all, disj, implies, neg, var
from cleave.validate.proofs.schedules.code import Unfolding
from cleave.validate.proofs.schedules.stores import Store, in_order, stores_in

Events = Sequence[Sequence[Term]]


class Commits:
    """``at`` and ``live`` are those of events."""

    def __init__(self, unfolding: Unfolding, at: Events, live: Events, clock: Sort) -> None:
        self._unfolding = unfolding
        self._events, self._live = at, live
        self._stores = [stores_in(thread) for thread in unfolding.threads]
        self._at = {
            (number, one.number): var(f"commit:{number}:{one.number}", clock)
            for number, own in enumerate(self._stores)
            for one in own
        }
        self._commits = {key: var(f"commits:{key[0]}:{key[1]}", BOOL) for key in self._at}

    def at(self, thread: int, store: int) -> Term:
        return self._at[thread, store]

    def is_before(self, thread: int, store: int, moment: Term) -> Term:
        """Whether it is in memory then."""
        return conj(self._commits[thread, store], _less(self._at[thread, store], moment))

    def is_after(self, thread: int, store: int, moment: Term) -> Term:
        """Whether it is in memory later or never. It commits at no moment of an event that reads it."""
        return disj(neg(self._commits[thread, store]), _less(moment, self._at[thread, store]))

    def all_before(self, thread: int, moment: Term) -> Term:
        """Whether all that a thread stores is in memory then."""
        own = self._stores[thread]
        return conj_all(disj(neg(self._made(thread, s)), self.is_before(thread, s.number, moment)) for s in own)

    def facts(self) -> Iterator[Term]:
        assert self._unfolding.model is not None
        for number, (thread, own) in enumerate(zip(self._unfolding.threads, self._stores, strict=True)):
            yield from (_less(self._events[number][one.event], self._at[number, one.number]) for one in own)
            for first, second, condition in in_order(thread, own, self._unfolding.model):
                one, other = own[first], own[second]
                both = conj(self._made(number, one), self._made(number, other), condition)
                is_before = self.is_before(number, one.number, self._at[number, other.number])
                yield implies(conj(both, self._commits[number, other.number]), is_before)
            for place, event in enumerate(thread.events):
                for fence in event.fences:
                    passed = conj(self._live[number][place], fence.guard)
                    for one in own:
                        if one.number <= fence.after and not fence.stores_only:
                            is_before = self.is_before(number, one.number, self._events[number][place])
                            yield implies(conj(passed, self._made(number, one)), is_before)

    def _made(self, thread: int, store: Store) -> Term:
        return conj(self._live[thread][store.event], store.guard)


def _less(one: Term, other: Term) -> Term:
    return bv_compare(Op.BV_ULT, one, other)
