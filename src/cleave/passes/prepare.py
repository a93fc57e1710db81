"""The passes that make any sequential program ready for inlining, in order.

After them: one entry procedure, no contracts, no assertions, no loops; the question is whether the entry's end can be
reached. Recursion is left; the engine bounds it. Half-way, when all is as it will be but for the loops, what is known
about the program can be added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.ir.path import Path
from cleave.ir.program import Program, first_thread_statement
from cleave.passes.compact import compact_blocks
from cleave.passes.contracts import contracts_to_statements
from cleave.passes.effects import callees
from cleave.passes.entries import single_entry
from cleave.passes.failures import failures_to_end
from cleave.passes.known import Known, assume_known
from cleave.passes.loops import loops_to_recursion
from cleave.records import dataclass

Lift = Callable[[Path], Path]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program ready for inlining, or half-way there, and how its paths become paths of the one it was made from."""

    program: Program
    entry: str
    ways_back: tuple[Lift, ...]

    def lift(self, path: Path) -> Path:
        for way_back in reversed(self.ways_back):
            path = way_back(path)
        return path


def prepare(program: Program, entries: tuple[str, ...], known: Iterable[Known] = ()) -> Prepared:
    """``known`` are facts about what `ask` makes of the program."""
    asked = ask(program, entries)
    program, from_known = assume_known(asked.program, known)
    program, from_loops = loops_to_recursion(program)
    program, from_merging = compact_blocks(program)
    program = only_reachable(program, (asked.entry,))
    return Prepared(program, asked.entry, (*asked.ways_back, from_known, from_loops, from_merging))


def ask(program: Program, entries: tuple[str, ...]) -> Prepared:
    """The program with its question: one entry, whose end can be reached if there is a violation, and no contracts or
    assertions. Loops are left."""
    program = only_reachable(program, entries)
    refuse_threads(program)
    program, from_contracts = contracts_to_statements(program)
    program, entry, from_start = single_entry(program, entries)
    program = only_reachable(program, (entry,))
    program, from_failures = failures_to_end(program, entry)
    return Prepared(program, entry, (from_contracts, from_start, from_failures))


def only_reachable(program: Program, entries: tuple[str, ...]) -> Program:
    """Without the procedures that the entries never call."""
    found = dict.fromkeys(entries)
    pending = list(entries)
    while pending:
        for callee in callees(program.procedures[pending.pop()]):
            if callee not in found:
                found[callee] = None
                pending.append(callee)
    if len(found) == len(program.procedures):
        return program
    return replace(program, procedures={n: p for n, p in program.procedures.items() if n in found})


def refuse_threads(program: Program) -> None:
    """Sequential passes and engines know nothing of threads."""
    found = first_thread_statement(program)
    if found is not None:
        procedure, statement = found
        place = statement.location
        raise UnsupportedError(
            f"{procedure} starts or orders threads, which only the engine `threads` handles",
            file=place.file if place else "",
            line=place.line if place else 0,
            column=place.column if place else 0,
        )
