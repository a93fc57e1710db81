"""Cuts schedules that are equivalent to others: a symbolic partial-order reduction.

Steps of two threads are independent if neither writes what the other one uses; then their order does not matter. Of the
executions that differ only in the order of independent steps, one with the fewest contexts, then with the smallest
numbers of threads in its contexts, then with the longest contexts, the first one first, is enough. In that one

    a thread that continues begins with something that depends on what others did since it was interrupted
        (otherwise that step belongs to its context before), and
    the threads of two contexts in a row are in the order of their numbers, unless the second depends on the first
        (otherwise they change places).

Both are constraints on the schedule. To take steps for dependent that are not is always right: less is cut then. Here
arrays count as a whole unless they are split, every join depends on what was before it, and a start of any thread
counts as one of the next thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from cleave.engines.unfolding.code import Cell, Fenced, Joined, Read, ThreadCode, Write
from cleave.logic.terms import FALSE, TRUE, Term, conj, conj_all, disj, disj_all, implies, neg
from cleave.records import dataclass


@dataclass(slots=True)
class Happened:
    """What is done in one context: when each cell is read and written, whether threads are started, and joined."""

    reads: dict[Cell, list[Term]] = field(default_factory=dict)
    writes: dict[Cell, list[Term]] = field(default_factory=dict)
    starts: list[Term] = field(default_factory=list)
    joins: list[Term] = field(default_factory=list)

    def is_read(self, cell: Cell) -> Term:
        return disj_all(self.reads.get(cell, ()))

    def is_written(self, cell: Cell) -> Term:
        return disj_all(self.writes.get(cell, ()))


class Reduction:
    """Is told what happens in each context, in order, and then gives its constraints."""

    def __init__(self, threads: Sequence[ThreadCode]) -> None:
        self._threads = threads
        self._constraints: list[Term] = []
        self._last = Happened()
        self._here = Happened()
        self._last_chosen: list[Term] = []
        self._used: list[dict[Cell, Term]] = [{} for _ in threads]  # by others, since a thread ran
        self._written: list[dict[Cell, Term]] = [{} for _ in threads]
        self._accesses = [_by_position(thread) for thread in threads]

    def executes(self, thread: ThreadCode, before: Sequence[Term], done: Sequence[Term]) -> None:
        """What the thread does if it runs in the context that is under way."""
        nothing_yet: Term = TRUE
        for position in range(thread.positions):
            passed = conj(done[position], neg(before[position]), thread.arrivals[position])
            if passed is FALSE:
                continue
            self._note(thread, position, passed)
            if position and before[0] is not FALSE:
                goes_on = conj(before[0], nothing_yet, passed)
                self._constraints.append(implies(goes_on, self._depends(thread, position)))
            nothing_yet = conj(nothing_yet, neg(passed))
        self._here.starts += [
            conj(done[s.position], neg(before[s.position]), s.guard) for s in thread.started if s.position < len(done)
        ]

    def end_context(self, chosen: Sequence[Term], moves: Term) -> None:
        """The context is complete; ``chosen`` says who ran in it, ``moves`` whether anything was done."""
        if self._last_chosen:
            swapped = disj_all(
                conj(self._last_chosen[first], chosen[second])
                for first in range(len(chosen))
                for second in range(first)
            )
            self._constraints.append(implies(conj(swapped, moves), self._conflict()))
        for number, ran in enumerate(chosen):
            self._since(self._used[number], ran, {**self._here.reads, **self._here.writes}, both=True)
            self._since(self._written[number], ran, self._here.writes, both=False)
        self._last, self._here, self._last_chosen = self._here, Happened(), list(chosen)

    def constraints(self) -> Iterator[Term]:
        return (constraint for constraint in self._constraints if constraint is not TRUE)

    def _note(self, thread: ThreadCode, position: int, passed: Term) -> None:
        for access in self._accesses[thread.instance].get(position, ()):
            match access:
                case Read(cell=cell):
                    self._here.reads.setdefault(cell, []).append(passed)
                case Write(cell=cell):
                    self._here.writes.setdefault(cell, []).append(passed)
                case Joined():
                    self._here.joins.append(passed)

    def _depends(self, thread: ThreadCode, position: int) -> Term:
        """On what others did since the thread was interrupted."""
        number = thread.instance
        found = []
        for access in self._accesses[number].get(position, ()):
            match access:
                case Read(cell=cell):
                    found.append(self._written[number].get(cell, FALSE))
                case Write(cell=cell):
                    found.append(self._used[number].get(cell, FALSE))
                case Joined():
                    return TRUE
        return disj_all(found)

    def _conflict(self) -> Term:
        """Whether the context that is under way depends on the one before."""
        before, here = self._last, self._here
        found = [*before.starts, *here.joins]
        for cell in before.writes:
            found += [conj(before.is_written(cell), disj(here.is_read(cell), here.is_written(cell)))]
        for cell in before.reads:
            found += [conj(before.is_read(cell), here.is_written(cell))]
        return disj_all(found)

    def _since(self, known: dict[Cell, Term], ran: Term, cells: dict[Cell, list[Term]], *, both: bool) -> None:
        for cell in {**known, **cells}:
            now = self._here.is_written(cell)
            if both:
                now = disj(now, self._here.is_read(cell))
            known[cell] = conj_all((neg(ran), disj(known.get(cell, FALSE), now)))


def _by_position(thread: ThreadCode) -> dict[int, list[Read | Write | Joined]]:
    found: dict[int, list[Read | Write | Joined]] = {}
    for access in thread.accesses:
        if not isinstance(access, Fenced):
            found.setdefault(access.position, []).append(access)
    return found
