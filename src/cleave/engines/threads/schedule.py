"""From a model of the formula to a schedule that can be replayed on the program as it was read."""

from __future__ import annotations

from collections.abc import Sequence

from cleave.engines.threads.code import Opened, ThreadCode
from cleave.engines.threads.encode import Formula
from cleave.engines.threads.instances import Unfolded
from cleave.ir.schedule import Context, Schedule
from cleave.logic.operators import DIVISIONS, OPERATORS, no_division_by_zero
from cleave.logic.terms import FALSE, Op, Term
from cleave.logic.values import Value, default_value, from_model
from cleave.logic.walk import postorder
from cleave.smt.solver import Model


def schedule_of(unfolded: Unfolded, formula: Formula, model: Model) -> Schedule:
    return _Reading(unfolded, formula, model).schedule()


class _Reading:
    def __init__(self, unfolded: Unfolded, formula: Formula, model: Model) -> None:
        self._threads = unfolded.threads
        self._formula = formula
        self._values = _Values(model, formula)

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
        return self._values(term) is True

    def _choices(self, thread: ThreadCode) -> tuple[list[tuple[str, Value]], list[str]]:
        values: list[tuple[str, Value]] = []
        successors: list[str] = []
        last = len(self._formula.done) - 1
        for made in thread.choices:
            if not (self._is_done(last, thread, made.position) and self._is_true(made.guard)):
                continue
            if isinstance(made, Opened):
                values.append((made.variable.name, self._values(made.leaf)))
            else:
                taken = (label for condition, label in made.ways if self._is_true(condition))
                successors.append(next(taken, made.ways[-1][1]))
        return values, successors

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


class _Values:
    """Values of terms, each computed once, from the model's values of variables; others can have any value."""

    def __init__(self, model: Model, formula: Formula) -> None:
        self._model = model
        asked = postorder((*formula.constraints, formula.violation))
        self._asked = {node for node in asked if node.op is Op.VAR}
        self._known: dict[Term, Value] = {}
        self._seen: set[Term] = set()

    def __call__(self, term: Term) -> Value:
        for node in postorder((term,), self._seen):
            self._known[node] = self._value(node)
        return self._known[term]

    def _value(self, node: Term) -> Value:
        if node.op is Op.VAR:
            if node not in self._asked:
                return default_value(node.sort)
            return from_model(self._model.value(node), node.sort)
        if node.op is Op.VALUE:
            found: Value = node.value
            return found
        arguments: Sequence[Value] = [self._known[arg] for arg in node.args]
        match node.op:
            case Op.AND:
                return all(arguments)
            case Op.OR:
                return any(arguments)
            case Op.NOT:
                return not arguments[0]
            case Op.IMPLIES:
                return not arguments[0] or bool(arguments[1])
            case Op.ITE:
                return arguments[1] if arguments[0] else arguments[2]
        if node.op in DIVISIONS and arguments[1] == 0:
            return no_division_by_zero(node.op, arguments[0])  # as the machine has it, whatever the model says
        result: Value = OPERATORS[node.op](node, *arguments)
        return result
