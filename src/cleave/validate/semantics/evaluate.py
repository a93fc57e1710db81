"""The value of a term in a concrete state, computed without recursion and without a solver.

    world = World()
    evaluate(add(x, integer(1)), {x: 3}.__getitem__, world)      # 4

Quantifiers over infinite sorts can't be enumerated. They are tried on instances drawn from the values that the run
met; the answer is `UNDETERMINED` when no instance decides, and the connectives then follow Kleene's three-valued logic:
what is determined is determined whatever the quantifier's value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from itertools import islice, product
from math import prod

from cleave.logic.operators import DIVISIONS, OPERATORS, no_division_by_zero
from cleave.logic.sorts import Sort
from cleave.logic.terms import Function, Op, Term
from cleave.logic.values import DatatypeValue, Value, default_value, domain, domain_size, parts
from cleave.logic.walk import functions, postorder
from cleave.records import dataclass
from cleave.validate.semantics.triggers import Key, matching_rows


class Undetermined(Enum):
    """The value of a term that depends on a quantifier which the instances tried do not decide."""

    UNDETERMINED = "undetermined"


UNDETERMINED = Undetermined.UNDETERMINED
Lookup = Callable[[Term], Value]

_POOL_LIMIT = 200  # values of one sort that instances are drawn from
_INSTANCE_LIMIT = 400  # instances of one quantifier in one evaluation


@dataclass(slots=True)
class World:
    """What a run takes as given: functions, division by zero, and where instances of quantifiers come from.

    ``only_triggered``: a quantifier over functions is tried only where a trigger matches what the run applied. That is
    what a candidate model promises: elsewhere its functions may break the axioms, and could be repaired.
    """

    functions: Mapping[Function, Callable[[tuple[Value, ...]], Value]] = field(default_factory=dict)
    divide_by_zero: Callable[[Op, Value], Value] = no_division_by_zero
    only_triggered: bool = False
    false_instance: tuple[Term, tuple[Value, ...]] | None = None  # of the last `forall` found false
    _pool: dict[Sort, dict[Value, None]] = field(default_factory=dict)
    _applied: dict[Key, dict[tuple[Value, ...], Value]] = field(default_factory=dict)

    def met(self, value: Value, sort: Sort) -> None:
        """Notes a value, and what a map holds, as one that instances may be drawn from."""
        for where, part in parts(value, sort):
            pool = self._pool.setdefault(where, {})
            if len(pool) < _POOL_LIMIT:
                pool[part] = None

    def apply(self, function: Function, arguments: tuple[Value, ...]) -> Value:
        table = self.functions.get(function)
        return default_value(function.result) if table is None else table(arguments)

    def applied(self, key: Key, arguments: tuple[Value, ...], result: Value) -> None:
        """Notes an application in the run itself, not in an instance of a quantifier."""
        self._applied.setdefault(key, {})[arguments] = result

    def instances(self, quantifier: Term, lookup: Lookup) -> tuple[list[tuple[Value, ...]], bool]:
        """Values for the bound variables, and whether these are all there are."""
        variables: tuple[Term, ...] = quantifier.value.variables
        sizes = [domain_size(variable.sort) for variable in variables]
        known = [size for size in sizes if size is not None]
        if len(known) == len(sizes) and prod(known) <= _INSTANCE_LIMIT:
            return list(product(*(domain(variable.sort) for variable in variables))), True
        matched = matching_rows(quantifier, self._applied, lambda term: self._ground(term, lookup))
        if matched is not None and self.only_triggered and functions(quantifier):
            return matched, False
        drawn = product(*(self._drawn(variable.sort, quantifier) for variable in variables))
        return [*(matched or ()), *islice(drawn, _INSTANCE_LIMIT)], False

    def _ground(self, term: Term, lookup: Lookup) -> Value | None:
        value = evaluate(term, lookup, self, in_run=False)
        return None if value is UNDETERMINED else value

    def _drawn(self, sort: Sort, quantifier: Term) -> list[Value]:
        literals = {node.value: None for node in postorder(quantifier.args) if node.is_value and node.sort is sort}
        pool = {**self._pool.get(sort, {}), **literals}
        return list(pool) if pool else [default_value(sort)]


def evaluate(root: Term, lookup: Lookup, world: World, *, in_run: bool = True) -> Value | Undetermined:
    """The value of ``root`` where ``lookup`` gives the values of its free variables."""
    results: dict[Term, Value | Undetermined] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in results:
            stack.pop()
        elif node.op is Op.FORALL or node.op is Op.EXISTS:
            results[node] = _quantifier(node, lookup, world)
        elif node.op is Op.VAR:
            results[node] = lookup(node)
        elif node.op is Op.VALUE:
            results[node] = node.value
        else:
            waiting = [a for a in node.args if a not in results]
            if waiting:
                stack.extend(waiting)
            else:
                results[node] = _apply(node, [results[a] for a in node.args], world, in_run)
    return results[root]


def _apply(node: Term, args: list[Value | Undetermined], world: World, in_run: bool) -> Value | Undetermined:
    connective = _CONNECTIVES.get(node.op)
    if connective is not None:
        return connective(args)
    known = tuple(a for a in args if a is not UNDETERMINED)
    if len(known) < len(args):
        return UNDETERMINED
    if node.op is Op.FIELD and isinstance(known[0], DatatypeValue) and known[0].constructor != node.value[0]:
        return UNDETERMINED  # a field of another constructor is anything
    if node.op is Op.APPLY:
        result = world.apply(node.value, known)
    elif node.op in DIVISIONS and known[1] == 0:
        result = world.divide_by_zero(node.op, known[0])
    else:
        result = OPERATORS[node.op](node, *known)
    if in_run and (node.op is Op.APPLY or node.op is Op.SELECT):
        world.applied(node.value if node.op is Op.APPLY else Op.SELECT, known, result)
    return result


def _quantifier(node: Term, lookup: Lookup, world: World) -> Value | Undetermined:
    decisive = node.op is Op.EXISTS  # one such instance decides
    rows, complete = world.instances(node, lookup)
    for row in rows:
        bound = dict(zip(node.value.variables, row, strict=True))
        value = evaluate(node.args[0], _extended(lookup, bound), world, in_run=False)
        if value is UNDETERMINED:
            complete = False
        elif value is decisive:
            if node.op is Op.FORALL:
                world.false_instance = (node, row)
            return decisive
    return (not decisive) if complete else UNDETERMINED


def _extended(lookup: Lookup, bound: Mapping[Term, Value]) -> Lookup:
    return lambda variable: bound[variable] if variable in bound else lookup(variable)


# --- connectives, in Kleene's logic ---------------------------------------------------------------------------------


def _and(args: Sequence[Value | Undetermined]) -> Value | Undetermined:
    if False in args:
        return False
    return UNDETERMINED if UNDETERMINED in args else True


def _or(args: Sequence[Value | Undetermined]) -> Value | Undetermined:
    if True in args:
        return True
    return UNDETERMINED if UNDETERMINED in args else False


def _not(args: Sequence[Value | Undetermined]) -> Value | Undetermined:
    return UNDETERMINED if args[0] is UNDETERMINED else not args[0]


def _implies(args: Sequence[Value | Undetermined]) -> Value | Undetermined:
    return _or((_not(args[:1]), args[1]))


def _ite(args: Sequence[Value | Undetermined]) -> Value | Undetermined:
    condition, then, other = args
    if condition is UNDETERMINED:
        return then if then == other else UNDETERMINED
    return then if condition else other


_CONNECTIVES: dict[Op, Callable[[Sequence[Value | Undetermined]], Value | Undetermined]] = {
    Op.AND: _and,
    Op.OR: _or,
    Op.NOT: _not,
    Op.IMPLIES: _implies,
    Op.ITE: _ite,
}
