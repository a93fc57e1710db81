"""Maps that a path defines point by point, by quantified assumptions, as copying and filling memory does.

    assume (forall x :: d <= x && x < d + n ==> N[x] == M[s - d + x])      N is M where nothing was copied to
    assume (forall x :: x < d || d + n <= x ==> N[x] == M[x])

Solvers find no values for such conditions, or give maps by formulas. Here the solver gets what N holds at each index
that the path reads, by instances without quantifiers; what it holds elsewhere is computed from the definition when
the run asks for it. Two assumptions that may contradict each other at some index are left to the solver. The run checks
all of them like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from cleave.errors import UnsupportedError
from cleave.logic.terms import Op, Term, disj_all, eq, implies, neg, select
from cleave.logic.values import FormulaMap, Value, as_term, default_value
from cleave.logic.walk import free_variables, postorder, substitute
from cleave.smt.solver import Answer, Model
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.semantics.evaluate import UNDETERMINED, Lookup, World, evaluate
from cleave.validate.violations.proposals import value_in

_MAX_INSTANCES = 20_000
_SECONDS_TO_COMPARE = 1.0


class Rule(NamedTuple):
    """Where ``guard`` holds of ``place``, the map holds ``value``; both are terms over the variable ``place``."""

    target: Term
    place: Term
    guard: Term
    value: Term

    def at(self, place: Term) -> Term:
        """The instance for one place."""
        guard, value = self._moved(place)
        return implies(guard, eq(select(self.target, place), value))

    def agrees_with(self, other: Rule) -> bool:
        """Whether the two never say different things of one place, whatever the path."""
        guard, value = other._moved(self.place)
        solver = Z3Solver(profile=DEFAULT)
        for term in (self.guard, guard, neg(eq(self.value, value))):
            solver.add(term)
        return solver.check(seconds=_SECONDS_TO_COMPARE) is Answer.UNSAT

    def _moved(self, place: Term) -> tuple[Term, Term]:
        inside = {self.place: place}
        return substitute(self.guard, inside), substitute(self.value, inside)


class PointwiseMaps:
    """The maps of a path that have rules."""

    def __init__(self, conditions: Iterable[Term], choices: Sequence[Term]) -> None:
        """``choices``: the variables that stand for what the path leaves open, in the order of the path."""
        order = {symbol: number for number, symbol in enumerate(choices)}
        self.rules: dict[Term, list[Rule]] = {}
        self.replaced: set[Term] = set()  # conditions that are rules
        for condition in conditions:
            rule = _rule(condition, order)
            others = self.rules.get(rule.target, []) if rule is not None else []
            if rule is not None and all(rule.agrees_with(other) for other in others):
                self.rules[rule.target] = [*others, rule]
                self.replaced.add(condition)

    def instances(self, formulas: Iterable[Term]) -> list[Term]:
        """What the rules say at all places where ``formulas``, or these instances themselves, read a map."""
        found: list[Term] = []
        seen: set[tuple[Term, Term]] = set()
        reader = _Reader(self.rules)
        waiting = list(formulas)
        while waiting:
            for target, place in reader.reads(waiting.pop()):
                if (target, place) not in seen:
                    seen.add((target, place))
                    made = [rule.at(place) for rule in self.rules[target]]
                    found += made
                    waiting += made
            if len(found) > _MAX_INSTANCES:
                raise UnsupportedError("memory is copied too often to find values")
        return found

    def values(self, model: Model, choices: Iterable[Term], world: World) -> dict[Term, Value]:
        """The values of ``choices``, those of maps with rules by their rules."""
        values: dict[Term, Value] = {}
        for symbol in choices:
            has_rules = symbol in self.rules
            values[symbol] = self._defined(symbol, model, values, world) if has_rules else value_in(model, symbol)
        return values

    def _defined(self, symbol: Term, model: Model, values: Mapping[Term, Value], world: World) -> FormulaMap:
        rules = self.rules[symbol]

        def at(key: Value) -> Value:
            for rule in rules:
                lookup = _with(values, rule.place, key)
                if evaluate(rule.guard, lookup, world, in_run=False) is True:
                    value = evaluate(rule.value, lookup, world, in_run=False)
                    if value is not UNDETERMINED:
                        return value
            place = as_term(key, symbol.sort.index)
            if place is None:
                raise UnsupportedError("a map is indexed by maps")
            return value_in(model, select(symbol, place))

        return FormulaMap(at, default_value(symbol.sort.element), {})


def _rule(condition: Term, order: Mapping[Term, int]) -> Rule | None:
    if condition.op is not Op.FORALL or len(condition.value.variables) != 1:
        return None
    (index,) = condition.value.variables
    body = condition.args[0]
    parts = list(body.args) if body.op is Op.OR else [body]
    if body.op is Op.IMPLIES:
        parts = [neg(body.args[0]), body.args[1]]
    for place, part in enumerate(parts):
        guard = neg(disj_all(parts[:place] + parts[place + 1 :]))
        if part.op is Op.EQ:
            for read, value in (part.args, part.args[::-1]):
                if read.op is Op.SELECT and read.args[1] is index:
                    rule = Rule(read.args[0], index, guard, value)
                    if _defines(rule, order):
                        return rule
    return None


def _defines(rule: Rule, order: Mapping[Term, int]) -> bool:
    """Whether the path leaves the target open, after all maps that the rule defines it by, and all else is known."""
    if rule.target not in order:
        return False
    others = free_variables(rule.guard, rule.value) - {rule.place}
    return all(o in order and (not o.sort.is_array or order[o] < order[rule.target]) for o in others)


def _with(values: Mapping[Term, Value], index: Term, key: Value) -> Lookup:
    return lambda variable: key if variable is index else values[variable]


class _Reader:
    """Finds where terms read maps that come from ``targets`` by stores and choices; no term is looked at twice."""

    def __init__(self, targets: Collection[Term]) -> None:
        self._targets = targets
        self._walked: set[Term] = set()
        self._bases: dict[Term, frozenset[Term]] = {}  # of terms that are arrays

    def reads(self, root: Term) -> list[tuple[Term, Term]]:
        """Pairs of a target and a place; what depends on a bound variable is no place."""
        found: list[tuple[Term, Term]] = []
        bound: set[Term] = set()
        for node in postorder((root,), self._walked):
            if node.sort.is_array:
                self._bases[node] = self._bases_of(node)
            if node.op is Op.FORALL or node.op is Op.EXISTS:
                bound.update(node.value.variables)
            elif node.op is Op.SELECT:
                found += [(base, node.args[1]) for base in self._bases[node.args[0]]]
        return [(base, place) for base, place in found if bound.isdisjoint(free_variables(place))]

    def _bases_of(self, array: Term) -> frozenset[Term]:
        match array.op:
            case Op.STORE:
                return self._bases[array.args[0]]
            case Op.ITE:
                return self._bases[array.args[1]] | self._bases[array.args[2]]
            case _:
                return frozenset((array,)) if array in self._targets else frozenset()
