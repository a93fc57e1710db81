"""The partitioner (P3, section V): resolves queries with rules until there are as many partitions as wanted.

    for _ in (steps := Partitioning(system, options)).run(): ...     # one step for each partition that is divided
    steps.divisions, steps.violation

Breadth first, on the partition with the fewest resolutions: on its atom with the most rules. A resolvent whose
constraint has no solution is left out, one without atoms that has one is a derivation. Done by a worker: it needs a
solver.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from cleave.engines.pdr.extension import derivation_of_facts
from cleave.engines.pdr.messages import Division
from cleave.engines.pdr.options import PdrOptions
from cleave.errors import UnsupportedError
from cleave.ir.horn import Derivation, HornSystem
from cleave.ir.horn_partition import Partition, resolve, rules_for, whole
from cleave.logic.terms import Term
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver

_RESOLVENT_COST = 2_000  # to make one: Python's work, which the solver does not count


class Partitioning:
    def __init__(self, system: HornSystem, options: PdrOptions, workers: int) -> None:
        self._system = system
        self._wanted, self._levels = options.wanted(workers), options.levels
        self._options = options
        self.queries = tuple(partition.query for partition in whole(system))
        self.divisions: list[Division] = []
        self.violation: Derivation | None = None
        self.cost = 0

    def run(self) -> Iterator[None]:
        waiting = deque(whole(self._system))
        kept = 0
        while (
            waiting
            and len(waiting) + kept < self._wanted
            and self.violation is None
            and self.cost < self._options.division_cost
        ):
            partition = waiting.popleft()
            atom = self._choose(partition) if len(partition.path) < self._levels else None
            if atom is None:
                kept += 1
                continue
            division = self._divide(partition, atom)
            yield
            if not division.open:  # closed at once by whoever searches it
                kept += 1
                continue
            self.divisions.append(division)
            waiting.extend(partition.child(atom, rule) for rule in division.open)
        self.divisions = _branching(self.divisions)

    def _choose(self, partition: Partition) -> int | None:
        """The atom to resolve on."""
        body = resolve(self._system, partition).body
        counts = [len(rules_for(self._system, atom.predicate)) for atom in body]
        allowed = [place for place, count in enumerate(counts) if count <= self._options.most_rules]
        return max(allowed, key=lambda place: (counts[place], -place), default=None)

    def _divide(self, partition: Partition, atom: int) -> Division:
        predicate = resolve(self._system, partition).body[atom].predicate
        still_open: list[int] = []
        infeasible: list[int] = []
        for rule in rules_for(self._system, predicate):
            part = partition.child(atom, rule)
            query = resolve(self._system, part)
            answer = self._check(query.constraint) if self.cost < self._options.division_cost else Answer.UNKNOWN
            (infeasible if answer is Answer.UNSAT else still_open).append(rule)
            if answer is Answer.SAT and not query.body and self.violation is None:
                with suppress(UnsupportedError):  # a partition like others then
                    self.violation = derivation_of_facts(self._system, part)
        return Division(partition, atom, tuple(still_open), tuple(infeasible))

    def _check(self, constraint: Term) -> Answer:
        solver = Z3Solver(profile=DEFAULT)
        solver.add(constraint)
        answer = solver.check(cost_limit=self._options.division_check_cost)
        self.cost += solver.cost() + _RESOLVENT_COST
        solver.close()
        return answer


def _branching(divisions: list[Division]) -> list[Division]:
    """Without those that leave one partition in the end: that is the same problem, only longer."""
    leaves: dict[Partition, int] = {}
    kept: list[Division] = []
    for division in reversed(divisions):  # those of children come after their parents'
        children = [division.partition.child(division.atom, rule) for rule in division.open]
        leaves[division.partition] = sum(leaves.get(child, 1) for child in children)
        if leaves[division.partition] > 1:
            kept.append(division)
    return kept[::-1]
