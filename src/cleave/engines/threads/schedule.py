"""From a model of the formula to a schedule that can be replayed on the program as it was read."""

from __future__ import annotations

from collections.abc import Sequence

from cleave.engines.threads.buffers import stores_of
from cleave.engines.threads.encode import Formula
from cleave.engines.unfolding.code import ThreadCode
from cleave.engines.unfolding.instances import Unfolded
from cleave.engines.unfolding.reading import Values, choices_made
from cleave.ir.schedule import ALL_STORES, Context, Schedule
from cleave.logic.terms import FALSE, Term, conj, neg
from cleave.logic.values import Value
from cleave.smt.solver import Model


def schedule_of(unfolded: Unfolded, formula: Formula, model: Model) -> Schedule:
    return _Reading(unfolded, formula, model).schedule()


class _Reading:
    def __init__(self, unfolded: Unfolded, formula: Formula, model: Model) -> None:
        self._threads = unfolded.threads
        self._is_buffered = unfolded.store_buffers is not None
        self._formula = formula
        self._over: set[int] = set()  # threads that have ended and have nothing in their buffers
        self._values = Values(model, (*formula.constraints, formula.violation))

    def schedule(self) -> Schedule:
        numbers = {thread.instance: self._number(thread) for thread in self._threads if self._has_run(thread)}
        values: dict[int, list[tuple[str, Value]]] = {}
        successors: dict[int, list[str]] = {}
        for thread in self._threads:
            if thread.instance in numbers:
                number = numbers[thread.instance]
                values[number], successors[number] = self._choices(thread)
        return Schedule(self._contexts(numbers), values, successors)

    def _number(self, thread: ThreadCode) -> int:
        return int(self._values(thread.number))  # type: ignore[arg-type]

    def _has_run(self, thread: ThreadCode) -> bool:
        return self._is_done(len(self._formula.done) - 1, thread, 0)

    def _is_done(self, context: int, thread: ThreadCode, position: int) -> bool:
        return context >= 0 and self._is_true(self._formula.done[context][thread.instance][position])

    def _is_true(self, term: Term) -> bool:
        return self._values.is_true(term)

    def _choices(self, thread: ThreadCode) -> tuple[list[tuple[str, Value]], list[str]]:
        last = len(self._formula.done) - 1
        return choices_made(thread, self._values, lambda position: self._is_done(last, thread, position))

    def _contexts(self, numbers: dict[int, int]) -> tuple[Context, ...]:
        found: list[Context] = []
        at_once: list[tuple[int, int]] = []  # commits in the context before, which nobody else sees sooner
        for context in range(len(self._formula.done)):
            commits = (*at_once, *self._drained(context, numbers))
            at_once = []
            for thread in self._threads:
                if thread.instance not in numbers:
                    continue
                steps = self._steps(context, thread)
                number = numbers[thread.instance]
                if steps and found and found[-1].thread == number and not commits:
                    found[-1] = Context(number, found[-1].steps + steps, found[-1].commits)
                elif steps:
                    found.append(Context(number, steps, commits))
                    commits = ()
                at_once += self._at_once(context, thread, numbers)
            if commits:  # nobody takes a step
                found.append(Context(found[-1].thread, 0, commits))
        return tuple(found)

    # --- commits ------------------------------------------------------------------------------------------------------

    def _drained(self, context: int, numbers: dict[int, int]) -> list[tuple[int, int]]:
        """With which a context begins: first those of the thread that is chosen for it."""
        if not self._is_buffered:
            return []
        found = self._begun(context, numbers) if self._formula.drains else []
        return found + [commit for thread in self._threads[1:] for commit in self._last(context, thread, numbers)]

    def _begun(self, context: int, numbers: dict[int, int]) -> list[tuple[int, int]]:
        ordered = sorted(self._threads, key=lambda t: not self._is_true(self._formula.drains[context][t.instance]))
        begun = self._formula.begun[context]
        ended = self._formula.ended[context - 1] if context else [[FALSE] * len(own) for own in begun]
        found: list[tuple[int, int]] = []
        for thread in ordered:
            found += self._new(thread, ended[thread.instance], begun[thread.instance], numbers)
        return found

    def _last(self, context: int, thread: ThreadCode, numbers: dict[int, int]) -> list[tuple[int, int]]:
        """Of a thread that has ended: also what it has stored for itself, once all that others use has committed."""
        position, guard = thread.ends
        if thread.instance in self._over or thread.instance not in numbers or not self._is_true(guard):
            return []
        if not self._is_done(context - 1, thread, position):
            return []
        begun = self._formula.begun[context][thread.instance] if self._formula.drains else ()
        if any(self._is_true(conj(s.guard, neg(is_in))) for s, is_in in zip(stores_of(thread), begun, strict=True)):
            return []
        self._over.add(thread.instance)
        return [(numbers[thread.instance], ALL_STORES)]

    def _at_once(self, context: int, thread: ThreadCode, numbers: dict[int, int]) -> list[tuple[int, int]]:
        if not self._formula.drains:
            return []
        begun, ended = self._formula.begun[context], self._formula.ended[context]
        return self._new(thread, begun[thread.instance], ended[thread.instance], numbers)

    def _new(
        self, thread: ThreadCode, was: Sequence[Term], now: Sequence[Term], numbers: dict[int, int]
    ) -> list[tuple[int, int]]:
        found = []
        for store, before, after in zip(stores_of(thread), was, now, strict=True):
            if after is not before and self._is_true(conj(after, neg(before), store.guard)):
                found.append((numbers[thread.instance], self._step_of(thread, store.position)))
        return found

    def _step_of(self, thread: ThreadCode, position: int) -> int:
        """The number of the step with which a position begins."""
        return 1 + sum(o.steps for o in thread.stretches if o.position < position and self._is_true(o.guard))

    def _steps(self, context: int, thread: ThreadCode) -> int:
        """How many steps the thread takes in a context."""
        if self._formula.runs[context][thread.instance] is FALSE:
            return 0
        new = {
            position
            for position in range(thread.positions)
            if self._is_done(context, thread, position) and not self._is_done(context - 1, thread, position)
        }
        return sum(one.steps for one in thread.stretches if one.position in new and self._is_true(one.guard))
