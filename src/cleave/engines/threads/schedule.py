"""From a model of the formula to a schedule that can be replayed on the program as it was read."""

from __future__ import annotations

from cleave.engines.threads.encode import Formula
from cleave.engines.unfolding.code import ThreadCode
from cleave.engines.unfolding.instances import Unfolded
from cleave.engines.unfolding.reading import Values, choices_made
from cleave.ir.schedule import Context, Schedule
from cleave.logic.terms import FALSE, Term
from cleave.logic.values import Value
from cleave.smt.solver import Model


def schedule_of(unfolded: Unfolded, formula: Formula, model: Model) -> Schedule:
    return _Reading(unfolded, formula, model).schedule()


class _Reading:
    def __init__(self, unfolded: Unfolded, formula: Formula, model: Model) -> None:
        self._threads = unfolded.threads
        self._formula = formula
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
        for context in range(len(self._formula.done)):
            for thread in self._threads:
                if thread.instance not in numbers:
                    continue
                steps = self._steps(context, thread)
                number = numbers[thread.instance]
                if steps and found and found[-1].thread == number:
                    found[-1] = Context(number, found[-1].steps + steps)
                elif steps:
                    found.append(Context(number, steps))
        return tuple(found)

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
