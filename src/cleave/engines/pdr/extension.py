"""From a partition's problem to the problem it is a part of, and back for the evidence.

    part = PartProblem(system, partition)
    part.system                       # the rules, and the partition's query alone
    part.derivation(found)            # of ``system``: what was resolved into the query is put back

An interpretation of the part is about the same predicates, so nothing has to be done to it here; how those of all parts
become one of the problem is `validate.clauses.resolvents`' to say.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from cleave.errors import InternalError, UnsupportedError
from cleave.ir.horn import Clause, Derivation, HornSystem, Step
from cleave.ir.horn_partition import Partition, resolvent
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Term, const_array, eq, store, value_of
from cleave.logic.values import MapValue
from cleave.records import dataclass
from cleave.smt.solver import Answer, Model
from cleave.smt.z3.solver import DEFAULT, Z3Solver

_SECONDS = 60.0  # to find values for what was resolved into a query: one conjunction, with all inputs given


@dataclass(slots=True)
class _Node:
    """A clause of the problem that was applied; ``arguments`` over the query's variables (none for the query), and a
    premise is a node, or the number of an atom that is left in the partition's query."""

    clause: int
    predicate: str | None
    arguments: tuple[Term, ...]
    premises: list[_Node | None] = field(default_factory=list)


class PartProblem:
    """The whole problem, if ``partition`` is None."""

    def __init__(self, system: HornSystem, partition: Partition | None) -> None:
        self._given = system
        self._partition = partition
        self.system = system
        self._numbers = list(range(len(system.clauses)))  # of the part's clauses, in the given problem
        if partition is not None:
            self._numbers = [n for n, clause in enumerate(system.clauses) if not clause.is_query]
            self._query, self._root = _unfolded(system, partition)
            rules = tuple(system.clauses[number] for number in self._numbers)
            self.system = replace(system, clauses=(*rules, self._query), expected=None)

    @property
    def is_whole(self) -> bool:
        return self._partition is None

    def derivation(self, found: Derivation) -> Derivation:
        """Raises `UnsupportedError` if no values can be found for what was resolved into the query."""
        if self._partition is None:
            return found
        *earlier, last = found.steps
        if last.clause != len(self._numbers):
            raise InternalError("a derivation of a partition that does not end with its query")
        steps = [replace(step, clause=self._numbers[step.clause]) for step in earlier]
        premises = [earlier[number].arguments for number in last.premises]
        model = _solve(self._query, premises)
        _put_back(self._root, iter(last.premises), steps, model)
        return Derivation(tuple(steps))


def derivation_of_facts(system: HornSystem, partition: Partition) -> Derivation:
    """That of a partition whose query has no atoms left, and whose constraint has a solution."""
    query, root = _unfolded(system, partition)
    steps: list[Step] = []
    _put_back(root, iter(()), steps, _solve(query, []))
    return Derivation(tuple(steps))


def _unfolded(system: HornSystem, partition: Partition) -> tuple[Clause, _Node]:
    """The partition's query, and the clauses that were resolved into it as a tree."""
    query = system.clauses[partition.query]
    root = _Node(partition.query, None, (), [None] * len(query.body))
    places = [(root, place) for place in range(len(query.body))]  # where each atom of the body belongs
    for number, (atom, rule) in enumerate(partition.path, start=1):
        clause = system.clauses[rule]
        resolved = query.body[atom]
        node = _Node(rule, resolved.predicate, resolved.arguments, [None] * len(clause.body))
        above, place = places[atom]
        above.premises[place] = node
        places[atom : atom + 1] = [(node, inner) for inner in range(len(clause.body))]
        query = resolvent(query, atom, clause, number)
    return query, root


def _solve(query: Clause, premises: list[tuple[Term, ...]]) -> Model:
    solver = Z3Solver(profile=DEFAULT)
    solver.add(query.constraint)
    for atom, arguments in zip(query.body, premises, strict=True):
        for argument, value in zip(atom.arguments, arguments, strict=True):
            solver.add(eq(argument, value))
    if solver.check(seconds=_SECONDS) is not Answer.SAT:
        raise UnsupportedError(
            f"no values for the steps of a partition were found ({solver.reason_unknown() or 'none'})"
        )
    return solver.model()


def _put_back(root: _Node, leaves: Any, steps: list[Step], model: Model) -> None:
    """Adds a step for each node, premises first. An atom that is left takes the next of ``leaves``: in a walk in order,
    they come in the order of the query's body."""
    done: dict[int, int] = {}  # the number of a node's step
    ready: dict[int, list[int]] = {}
    stack: list[tuple[_Node, int]] = [(root, 0)]
    while stack:
        node, position = stack.pop()
        premises = ready.setdefault(id(node), [])
        if position < len(node.premises):
            premise = node.premises[position]
            if premise is None:
                premises.append(next(leaves))
            elif id(premise) not in done:
                stack += [(node, position), (premise, 0)]
                continue
            else:
                premises.append(done[id(premise)])
            stack.append((node, position + 1))
            continue
        arguments = tuple(ground(model.value(argument), argument.sort) for argument in node.arguments)
        done[id(node)] = len(steps)
        steps.append(Step(node.clause, node.predicate, arguments, tuple(premises)))


def ground(value: Any, sort: Sort) -> Term:
    """The term for a model's value."""
    if sort.kind is SortKind.ARRAY and isinstance(value, MapValue):
        term = const_array(sort.index, ground(value.default, sort.element))
        for key, element in value.entries.items():
            term = store(term, ground(key, sort.index), ground(element, sort.element))
        return term
    if sort.kind in (SortKind.BOOL, SortKind.INT, SortKind.REAL, SortKind.BITVEC):
        return value_of(value, sort)
    raise UnsupportedError(f"no term for a value of sort {sort!r}")
