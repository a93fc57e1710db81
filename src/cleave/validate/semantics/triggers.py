"""Where a quantifier's triggers match what a run applied: the instances that matter to the run.

    (forall ((i Int)) (! (< i (f i)) :pattern ((f i))))      the run applied f to 3 and 8:  (3,) and (8,)

As in a solver, a trigger of several terms needs a match of each, and the arguments in a pattern may be patterns,
constructors of data types among them; unlike in a solver, only what the run itself applied is matched, not what other
instances apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from cleave.errors import UnsupportedError
from cleave.logic.terms import Function, Op, Term
from cleave.logic.values import DatatypeValue, Value
from cleave.logic.walk import free_variables, postorder, triggers

Key = Function | Op  # an applied function, or SELECT
Binding = Mapping[Term, Value]
Applied = Mapping[Key, Mapping[tuple[Value, ...], Value]]  # arguments to results

_LIMIT = 1000  # matches of one trigger


def matching_rows(
    quantifier: Term, applied: Applied, ground: Callable[[Term], Value | None]
) -> list[tuple[Value, ...]] | None:
    """Values for the bound variables, by matching; None when the quantifier has no trigger that can be matched.

    ``ground`` evaluates a term without bound variables.
    """
    variables: tuple[Term, ...] = quantifier.value.variables
    usable = [trigger for trigger in triggers(quantifier) or _inferred(quantifier) if _covers(trigger, variables)]
    if not usable:
        return None
    matcher = _Matcher(frozenset(variables), applied, ground)
    rows: dict[tuple[Value, ...], None] = {}
    for trigger in usable:
        for binding in islice(matcher.all_of(trigger, {}), _LIMIT):
            rows[tuple(binding[variable] for variable in variables)] = None
    return list(rows)


def _inferred(quantifier: Term) -> tuple[tuple[Term, ...], ...]:
    """Without triggers: each application that has all bound variables as arguments."""
    variables = set(quantifier.value.variables)
    return tuple((node,) for node in postorder(quantifier.args) if _key(node) and variables <= set(node.args))


def _covers(trigger: Sequence[Term], variables: Sequence[Term]) -> bool:
    """Whether the bound variables all stand where matching finds them: below applications and constructors only."""
    found: set[Term] = set()
    stack = list(trigger)
    while stack:
        node = stack.pop()
        if node in variables:
            found.add(node)
        elif _key(node) is not None or node.op is Op.CONSTRUCT:
            stack.extend(node.args)
        elif not free_variables(node).isdisjoint(variables):
            return False
    return found == set(variables) and all(_key(pattern) is not None for pattern in trigger)


def _key(node: Term) -> Key | None:
    if node.op is Op.APPLY and node.args:
        function: Function = node.value
        return function
    return Op.SELECT if node.op is Op.SELECT else None


class _Matcher:
    """Patterns are shallow: this recurses."""

    def __init__(self, variables: frozenset[Term], applied: Applied, ground: Callable[[Term], Value | None]) -> None:
        self.variables = variables
        self.applied = applied
        self.ground = ground

    def all_of(self, patterns: Sequence[Term], binding: Binding) -> Iterator[Binding]:
        """Every way to match all patterns with applications of the run."""
        if not patterns:
            yield binding
            return
        for row in self._rows(patterns[0]):
            for extended in self._arguments(patterns[0].args, row, binding):
                yield from self.all_of(patterns[1:], extended)

    def _arguments(self, patterns: Sequence[Term], values: Sequence[Value], binding: Binding) -> Iterator[Binding]:
        if not patterns:
            yield binding
            return
        for extended in self._one(patterns[0], values[0], binding):
            yield from self._arguments(patterns[1:], values[1:], extended)

    def _one(self, pattern: Term, value: Value, binding: Binding) -> Iterator[Binding]:
        """Every way to give ``pattern`` this value."""
        if pattern in self.variables:
            if pattern not in binding:
                yield {**binding, pattern: value}
            elif _is_known_to_be(binding[pattern], value):
                yield binding
        elif free_variables(pattern).isdisjoint(self.variables):
            if _is_known_to_be(self.ground(pattern), value):
                yield binding
        elif pattern.op is Op.CONSTRUCT:
            if isinstance(value, DatatypeValue) and value.constructor == pattern.value:
                yield from self._arguments(pattern.args, value.fields, binding)
        else:
            for row in self._rows(pattern, value):
                yield from self._arguments(pattern.args, row, binding)

    def _rows(self, pattern: Term, value: Value | None = None) -> list[tuple[Value, ...]]:
        key = _key(pattern)
        rows = self.applied.get(key, {}) if key is not None else {}
        return [row for row, result in rows.items() if value is None or _is_known_to_be(result, value)]


def _is_known_to_be(found: Value | None, value: Value) -> bool:
    """Maps that can't be compared do not match: that costs an instance, no more."""
    try:
        return found == value
    except UnsupportedError:
        return False
