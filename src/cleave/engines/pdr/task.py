"""From a task to the problem that is solved, the same wherever it is done: here, in a worker, after a crash.

problem = read_problem(task)
problem.given             # the clauses of the file, or of the program in it
problem.prepared          # simplified: what SPACER gets, and what partitions are parts of
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cleave.engines.pdr.messages import Task
from cleave.frontends.clauses import holds_clauses, read_clauses
from cleave.frontends.read import read_program
from cleave.ir.horn import Derivation, HornSystem, Interpretation
from cleave.ir.program import Program, Property
from cleave.passes.entries import choose_entries
from cleave.passes.horn import SimplifiedHorn, simplify_horn
from cleave.passes.to_horn import HornProgram, program_to_horn


@dataclass(frozen=True, slots=True)
class HornProblem:
    """``program`` and ``horn`` are there if the clauses are those of a program."""

    given: HornSystem
    simplified: SimplifiedHorn
    program: Program | None = None
    horn: HornProgram | None = None

    @property
    def prepared(self) -> HornSystem:
        return self.simplified.system

    def interpretation(self, found: Interpretation) -> Interpretation:
        """Of the given clauses, from one of the prepared ones."""
        return self.simplified.interpretation(found)

    def derivation(self, found: Derivation) -> Derivation:
        return self.simplified.derivation(found)


def read_problem(task: Task) -> HornProblem:
    if holds_clauses(task.file):
        return horn_problem(read_clauses(task.file, task.source))
    program = read_program(task.file, task.source)
    if task.property:
        program = replace(program, property=Property(task.property))
    horn = program_to_horn(program, choose_entries(program, task.entry))
    return replace(horn_problem(horn.system), program=program, horn=horn)


def horn_problem(system: HornSystem) -> HornProblem:
    return HornProblem(system, simplify_horn(system))
