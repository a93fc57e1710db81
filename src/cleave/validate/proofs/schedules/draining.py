"""Store buffers where executions have contexts: which stores are in memory when.

    waits[s]         store s does not commit in the context in which it is made
    kept[s, c]       it is in memory after the commits with which context c begins
    opens[c, t]      context c begins with commits of thread t; then those of the thread that runs may follow

A store that does not wait is in memory at once. One that waits commits at the beginning of a later context.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, Term, conj, conj_all, disj, implies, neg, store, var
from cleave.validate.proofs.schedules.code import Cell, Thread, Unfolding
from cleave.validate.proofs.schedules.fold import choice
from cleave.validate.proofs.schedules.stores import Store, in_order, stores_in

Contents = dict[Cell, Term]
Done = Sequence[Term]
"""By event of a thread."""


class _Buffer:
    def __init__(self, number: int, thread: Thread, model: str, facts: list[Term]) -> None:
        self.stores = stores_in(thread)
        self._number, self._thread, self._facts = number, thread, facts
        self._pairs = list(in_order(thread, self.stores, "tso" if model == "tso" else "pso"))
        self._waits = [var(f"waits:{number}:{one.number}", BOOL) for one in self.stores]
        self.held: list[Term] = [FALSE] * len(self.stores)  # whether each is in memory, as far as contexts are encoded
        self._new: list[Term] = []

    def begin(self, context: int, may: Term, done: Done) -> None:
        held: list[Term] = []
        for one, waits, before in zip(self.stores, self._waits, self.held, strict=True):
            if done[one.event] is FALSE:
                held.append(FALSE)
                continue
            now = var(f"kept:{self._number}:{one.number}:{context}", BOOL)
            facts = (implies(before, now), implies(conj(now, neg(before)), conj(may, waits, done[one.event])))
            self._facts += facts
            held.append(now)
        self._new = [conj(now, neg(before)) for now, before in zip(held, self.held, strict=True)]
        self.held = held
        self._in_order()

    def commit(self, memory: Contents, when: Term) -> None:
        for one, new in zip(self.stores, self._new, strict=True):
            _write(memory, one, conj(new, when))

    def overlaid(self, memory: Contents, done: Done) -> Contents:
        """What the thread reads when it begins to run."""
        seen = dict(memory)
        for one, held in zip(self.stores, self.held, strict=True):
            _write(seen, one, conj(done[one.event], neg(held)))
        return seen

    def end(self, done: Done, was_done: Done) -> None:
        self.held = [
            disj(held, conj(done[one.event], neg(was_done[one.event]), neg(waits)))
            for one, waits, held in zip(self.stores, self._waits, self.held, strict=True)
        ]
        self._in_order()
        for place, event in enumerate(self._thread.events):
            for fence in event.fences:
                for one, held in zip(self.stores, self.held, strict=True):
                    if one.number <= fence.after and not fence.stores_only:
                        self._facts.append(implies(conj(done[place], fence.guard, one.guard), held))

    def commits_at_once(self, number: int) -> Term:
        return next(neg(waits) for one, waits in zip(self.stores, self._waits, strict=True) if one.number == number)

    def is_empty(self) -> Term:
        return conj_all(disj(held, neg(one.guard)) for one, held in zip(self.stores, self.held, strict=True))

    def _in_order(self) -> None:
        for first, second, condition in self._pairs:
            both = conj(self.stores[first].guard, self.stores[second].guard, condition)
            self._facts.append(implies(conj(both, self.held[second]), self.held[first]))


class Draining:
    """All buffers."""

    def __init__(self, unfolding: Unfolding, facts: list[Term]) -> None:
        model = unfolding.model or "tso"
        self._facts = facts
        self._buffers = [_Buffer(number, one, model, facts) for number, one in enumerate(unfolding.threads)]
        self._empty: list[Term] = []

    def begin(self, context: int, owners: Sequence[Term], done: Sequence[Done], memory: Contents) -> None:
        opens = [var(f"opens:{context}:{number}", BOOL) for number in range(len(owners))]
        self._facts += [neg(conj(a, b)) for place, a in enumerate(opens) for b in opens[:place]]
        for buffer, first, owner, own in zip(self._buffers, opens, owners, done, strict=True):
            buffer.begin(context, disj(first, owner), own)
        for buffer, first in zip(self._buffers, opens, strict=True):
            buffer.commit(memory, first)
        for buffer, first in zip(self._buffers, opens, strict=True):
            buffer.commit(memory, neg(first))
        self._empty = [buffer.is_empty() for buffer in self._buffers]

    def view(self, number: int, memory: Contents, done: Done) -> Contents:
        return self._buffers[number].overlaid(memory, done)

    def end(self, number: int, done: Done, was_done: Done) -> None:
        self._buffers[number].end(done, was_done)

    def commits_at_once(self, number: int, store: int) -> Term:
        return self._buffers[number].commits_at_once(store)

    def is_empty(self, number: int) -> Term:
        """Whether a thread had no store that waits when the context began."""
        return self._empty[number]


def _write(contents: Contents, one: Store, when: Term) -> None:
    for write in one.writes:
        held = contents[write.cell]
        new = write.value if write.index is None else store(held, write.index, write.value)
        contents[write.cell] = choice(conj(when, write.guard), new, held)
