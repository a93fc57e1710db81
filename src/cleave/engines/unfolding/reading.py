"""From a model of a formula to what an unfolded thread does in it: the values and successors that it chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cleave.engines.unfolding.code import Opened, ThreadCode
from cleave.logic.operators import DIVISIONS, OPERATORS, no_division_by_zero
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value, default_value, from_model
from cleave.logic.walk import postorder
from cleave.smt.solver import Model


def choices_made(
    thread: ThreadCode, values: Values, is_done: Callable[[int], bool] = lambda position: True
) -> tuple[list[tuple[str, Value]], list[str]]:
    """The values that the program leaves open, each with the name of its variable, and the successors of blocks, in the
    order in which the thread needs them."""
    opened: list[tuple[str, Value]] = []
    successors: list[str] = []
    for made in thread.choices:
        if not (is_done(made.position) and values.is_true(made.guard)):
            continue
        if isinstance(made, Opened):
            opened.append((made.variable.name, values(made.leaf)))
        else:
            taken = (label for condition, label in made.ways if values.is_true(condition))
            successors.append(next(taken, made.ways[-1][1]))
    return opened, successors


class Values:
    """Values of terms, each computed once, from the model's values of variables; others can have any value."""

    def __init__(self, model: Model, asked: Iterable[Term]) -> None:
        """``asked`` are the formulas that the model is one of."""
        self._model = model
        self._asked = {node for node in postorder(asked) if node.op is Op.VAR}
        self._known: dict[Term, Value] = {}
        self._seen: set[Term] = set()

    def __call__(self, term: Term) -> Value:
        for node in postorder((term,), self._seen):
            self._known[node] = self._value(node)
        return self._known[term]

    def is_true(self, term: Term) -> bool:
        return self(term) is True

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
