"""The task of a search, the same everywhere: here, in a worker, after a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import msgspec

from cleave.engines.bmc.options import VERSION, BmcOptions
from cleave.engines.unfolding.instances import Unfolded, unfold
from cleave.engines.unfolding.options import AUTO, BITWUZLA, CADICAL
from cleave.engines.unfolding.solving import Z3, chosen, has_numbers
from cleave.errors import UsageError
from cleave.frontends.input import Input
from cleave.ir.loops import LoopBounds
from cleave.ir.program import Program
from cleave.logic.walk import postorder
from cleave.passes.entries import choose_entries
from cleave.records import dataclass
from cleave.smt.sat import solver as sat


class Task(msgspec.Struct, frozen=True):
    """The program as its file holds it, and how to search it. Whoever has it can start a worker or a coordinator."""

    file: str
    source: bytes
    entry: str | None
    options: BmcOptions
    workers: int = 1
    version: int = VERSION


@dataclass(slots=True)
class Problem:
    """A program that is unfolded with larger and larger bounds; activations have the same numbers each time."""

    program: Program
    entry: str
    options: BmcOptions
    _paths: dict[object, int] = field(default_factory=dict)

    def unfolded(self, bounds: LoopBounds, check: Callable[[], None] = lambda: None) -> Unfolded:
        """``check`` is called often and may raise to end it."""
        return unfold(self.program, self.entry, bounds, check, self.options.extent, self._paths)


def problem_of(input: Input, options: BmcOptions) -> Problem:
    program = input.program
    entries = choose_entries(program, input.entry)
    if len(entries) != 1:
        raise UsageError(f"the engine bmc has one entry, not {', '.join(entries)}: choose with --entry")
    return Problem(program, entries[0], options)


def solver_for(unfolded: Unfolded, options: BmcOptions) -> str:
    if options.solver != AUTO:
        return chosen(unfolded, options.solver)
    if has_numbers(postorder(unfolded.terms())):
        return Z3
    return CADICAL if sat.is_installed() else BITWUZLA
