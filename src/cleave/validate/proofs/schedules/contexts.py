"""All executions of unfolded threads within a number of contexts.

    owner[c, t]      thread t runs in context c: one of them; in the first, main
    done[e, c]       by the end of context c, its thread has executed event e, or has left it out
    memory[x, c]     what the cell x holds when context c begins

A share of the executions is named by bits of the numbers of the threads that run.

Events of a thread are done in their order, and only in contexts of the thread; those of a thread that was started, in
later contexts. What is read is what the cell holds then: the writes of a context are applied one after the other.
With store buffers (`draining`), a context begins with commits, and a thread reads its own stores before they commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Term, conj, conj_all, disj, disj_all, eq, implies, neg, store, var
from cleave.validate.proofs.schedules.code import Cell, Joined, Read, Unfolding, Write
from cleave.validate.proofs.schedules.draining import Draining
from cleave.validate.proofs.schedules.fold import choice, element, same
from cleave.validate.proofs.schedules.formula import Formula
from cleave.validate.proofs.schedules.unfold import number_as

Share: TypeAlias = Mapping[tuple[int, int], bool]
"""Executions by who runs: of a context, counted from 0, and a bit, what that bit of the thread's number is. A context
in which nobody runs belongs to every share."""


def within_contexts(
    unfolding: Unfolding,
    contexts: int,
    *,
    rounds: int = 0,
    shares: Sequence[Share] = (),
    watch: Callable[[], None] = lambda: None,
) -> Formula:
    """With ``rounds``, the threads run in turn, so many times, instead of in any order. With ``shares``, these only.
    ``watch`` is called often."""
    return _Encoder(unfolding, contexts, rounds, shares, watch).formula()


class _Encoder:
    def __init__(
        self, unfolding: Unfolding, contexts: int, rounds: int, shares: Sequence[Share], watch: Callable[[], None]
    ) -> None:
        self._unfolding = unfolding
        self._watch = watch
        self._threads = unfolding.threads
        self._contexts = rounds * len(self._threads) if rounds else contexts
        self._rounds = rounds
        self._shares = shares
        self._out = Formula()
        self._memory: dict[Cell, Term] = dict(unfolding.initial)
        self._draining = Draining(unfolding, self._out.constraints) if unfolding.model is not None else None
        self._view = self._memory  # what the thread sees whose turn it is
        self._done: list[list[Term]] = [[FALSE] * len(thread.events) for thread in self._threads]
        self._found: dict[Term, list[tuple[Term, Term]]] = {}  # of each leaf: by when the event is done, what it is

    def formula(self) -> Formula:
        before: list[Term] = []
        chosen: list[list[Term]] = []
        for context in range(self._contexts):
            owners = self._owners(context)
            chosen.append(owners)
            if not self._rounds and context:
                if self._draining is None:
                    self._out.constraints += [neg(conj(a, b)) for a, b in zip(before, owners, strict=True)]
                self._out.constraints.append(implies(disj_all(owners), disj_all(before)))
            before = owners
            self._context(context, owners)
        for leaf, cases in self._found.items():
            value = cases[-1][1]
            for when, one in reversed(cases[:-1]):
                value = choice(when, one, value)
            self._out.constraints.append(eq(leaf, value))
        self._out.conclude(self._unfolding, self._done)
        if self._shares:
            self._out.constraints.append(disj_all(_is_in(share, chosen) for share in self._shares))
        return self._out

    def _owners(self, context: int) -> list[Term]:
        """Nobody runs in two contexts in a row: those are one, unless something commits between. Nobody runs at all
        only in the last ones."""
        count = len(self._threads)
        if context == 0 or self._rounds:
            return [TRUE if number == context % count else FALSE for number in range(count)]
        owners = [var(f"owner:{context}:{number}", BOOL) for number in range(count)]
        pairs = [neg(conj(a, b)) for place, a in enumerate(owners) for b in owners[:place]]
        self._out.constraints += pairs
        return owners

    def _context(self, context: int, owners: Sequence[Term]) -> None:
        before = self._done
        self._done = [self._advance(number, context, owners[number]) for number in range(len(self._threads))]
        if self._draining is not None:
            self._draining.begin(context, owners, before, self._memory)
        for number, thread in enumerate(self._threads):
            self._watch()
            self._view = self._memory
            if self._draining is not None:
                self._view = self._draining.view(number, self._memory, before[number])
                self._draining.end(number, self._done[number], before[number])
            for place, event in enumerate(thread.events):
                done, was_done = self._done[number][place], before[number][place]
                if done is not was_done:
                    for access in event.accesses:
                        self._access(access, done, was_done, number, before)

    def _advance(self, number: int, context: int, owner: Term) -> list[Term]:
        """Which events of a thread are done by the end of the context."""
        thread, before = self._threads[number], self._done[number]
        can_run = conj(owner, self._is_started(number))
        if can_run is FALSE:
            return before
        done: list[Term] = []
        for place in range(len(thread.events)):
            if (number, place, context) == (0, 0, 0) or before[place] is TRUE:
                done.append(TRUE)
                continue
            now = var(f"done:{number}:{place}:{context}", BOOL)
            done.append(now)
            self._out.constraints.append(implies(before[place], now))
            self._out.constraints.append(disj(neg(now), before[place], can_run))
            if place:
                self._out.constraints.append(implies(now, done[place - 1]))
        return done

    def _is_started(self, number: int) -> Term:
        """By the end of the context before."""
        if number == 0:
            return TRUE
        parent = self._threads[number].parent
        return FALSE if parent is None else conj(self._done[parent[0]][parent[1]], parent[2])

    # --- accesses -----------------------------------------------------------------------------------------------------

    def _access(
        self, access: Read | Write | Joined, done: Term, was_done: Term, number: int, before: Sequence[Sequence[Term]]
    ) -> None:
        match access:
            case Read(cell=cell, leaf=leaf, index=index):
                held = self._view[cell] if index is None else element(self._view[cell], index)
                self._found.setdefault(leaf, []).append((done, held))
            case Joined(thread=thread, leaf=leaf):
                self._found.setdefault(leaf, []).append((done, self._has_ended(number, thread, before)))
            case Write(guard=guard, store=waiting):
                now = conj(done, neg(was_done), guard)
                if self._draining is not None:
                    _write(self._view, access, now)
                    now = conj(now, self._draining.commits_at_once(number, waiting)) if waiting else now
                _write(self._memory, access, now)

    def _has_ended(self, number: int, thread: Term, before: Sequence[Sequence[Term]]) -> Term:
        ended = []
        for other, joined in enumerate(self._threads):
            if other not in (0, number) and joined.events:
                place, guard = joined.ends
                is_meant = same(thread, number_as(joined.number, thread.sort))
                has_ended = conj(is_meant, before[other][place], guard)
                ended.append(has_ended if self._draining is None else conj(has_ended, self._draining.is_empty(other)))
        return disj_all(ended)


def _is_in(share: Share, owners: Sequence[Sequence[Term]]) -> Term:
    others = (
        neg(owner)
        for (context, bit), value in share.items()
        for number, owner in enumerate(owners[context])
        if bool(number >> bit & 1) != value
    )
    return conj_all(others)


def _write(memory: dict[Cell, Term], write: Write, when: Term) -> None:
    held = memory[write.cell]
    written = write.value if write.index is None else store(held, write.index, write.value)
    memory[write.cell] = choice(when, written, held)
