"""From a task to the problem that is solved, the same wherever it is done: here, in a worker, after a crash.

problem = read_problem(task)
problem.given             # the clauses of the file, or of the program in it
problem.prepared          # simplified: what SPACER gets, and what partitions are parts of
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from cleave.engines.pdr.messages import Task
from cleave.engines.pdr.options import ABOUT_CELLS, BITS
from cleave.engines.pdr.questions import is_about_bits
from cleave.frontends.input import Input
from cleave.ir.horn import Derivation, HornSystem, Interpretation
from cleave.ir.integers import Integers
from cleave.passes.horn import SimplifiedHorn, simplify_horn
from cleave.records import dataclass

if TYPE_CHECKING:
    from cleave.ir.program import Program
    from cleave.passes.to_horn import HornProgram

_HORN_LOGIC = rb"\(\s*set-logic\s+HORN\s*\)"


@dataclass(frozen=True, slots=True)
class HornProblem:
    """``text`` is a file of SMT-LIB that asserts the given clauses, if they come from one. ``program`` and ``horn`` are
    there if they are those of a program."""

    given: HornSystem
    simplified: SimplifiedHorn
    program: Program | None = None
    horn: HornProgram | None = None
    text: bytes = b""

    @property
    def prepared(self) -> HornSystem:
        return self.simplified.system

    @property
    def unfit(self) -> tuple[str, ...]:
        """Strategies that have nothing to do here."""
        sorts = [sort for predicate in self.prepared.predicates.values() for sort in predicate.sorts]
        about_cells = () if any(sort.is_array for sort in sorts) else ABOUT_CELLS
        return about_cells if is_about_bits(self.prepared) else (*about_cells, BITS)

    @property
    def inlined(self) -> tuple[str, ...]:
        """Predicates of the given clauses that the prepared ones do without: whoever checks may unfold them."""
        return self.simplified.inlined

    def interpretation(self, found: Interpretation) -> Interpretation:
        """Of the given clauses, from one of the prepared ones."""
        return self.simplified.interpretation(found)

    def of_prepared(self, found: Interpretation) -> Interpretation:
        """Of the prepared clauses, from one of the given ones."""
        return self.simplified.forward(found)

    def derivation(self, found: Derivation) -> Derivation:
        return self.simplified.derivation(found)


def read_problem(task: Task) -> HornProblem:
    return problem_of(Input.of(task.file, task.source, task.entry, task.property), task.integers, task.known)


def problem_of(input: Input, integers: Integers, known: bytes = b"") -> HornProblem:
    """``known`` are facts about the program, as `engines.known` encodes them: they are assumed."""
    if input.kind.is_program:
        return _program_problem(input, integers, known)
    text = input.source if _asserts_clauses(input.file, input.source) else b""
    return replace(horn_problem(input.clauses), text=text)


def _program_problem(input: Input, integers: Integers, known: bytes) -> HornProblem:
    # What is needed for programs only takes a third of a worker's start.
    from cleave.engines.known import decode_known
    from cleave.passes.entries import choose_entries
    from cleave.passes.known import assume_known
    from cleave.passes.to_horn import program_to_horn
    from cleave.passes.to_integers import to_integers

    program = input.program
    assumed, from_known = assume_known(program, decode_known(known) if known else ())
    horn = program_to_horn(to_integers(assumed, integers), choose_entries(program, input.entry))
    horn = replace(horn, ways_back=(from_known, *horn.ways_back))
    return replace(horn_problem(horn.system), program=program, horn=horn)


def _asserts_clauses(file: str, source: bytes) -> bool:
    """Whether it is written as CHC-COMP wants it, and neither a transition system nor in Z3's own dialect."""
    commands = re.sub(rb";[^\n]*", b"", source)
    return PurePath(file).suffix.lower() == ".smt2" and re.search(_HORN_LOGIC, commands) is not None


def horn_problem(system: HornSystem) -> HornProblem:
    return HornProblem(system, simplify_horn(system))
