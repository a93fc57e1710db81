"""Each pass on small programs: text in, text out, and the runs of what comes out are paths of what went in.

A case in ``golden/`` is the pass with its entries, the input and the output, separated by lines of three dashes. After
a change that is meant, ``python tests/passes/test_golden_passes.py`` writes the outputs anew: read the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as File

import pytest

from cleave.ir.check import check_program
from cleave.ir.integers import Integers
from cleave.ir.path import Path
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.ir.text import print_program
from cleave.passes.compact import compact_blocks
from cleave.passes.contracts import contracts_to_statements
from cleave.passes.entries import single_entry
from cleave.passes.failures import failures_to_end
from cleave.passes.loops import loops_to_recursion
from cleave.passes.prepare import prepare
from cleave.passes.to_integers import to_integers
from cleave.validate.semantics.events import Finished, Violated
from cleave.validate.semantics.interpreter import run
from support.programs import Dice, is_path

GOLDEN = File(__file__).parent / "golden"
CASES = sorted(GOLDEN.glob("*.txt"))
SEPARATOR = "---\n"

Lift = Callable[[Path], Path]


def apply(command: str, program: Program) -> tuple[Program, str, Lift]:
    """What the pass makes of ``program``, where to start it, and the way back."""
    name, *entries = command.split()
    first = next(iter(program.procedures))
    match name:
        case "contracts":
            changed, way_back = contracts_to_statements(program)
            return changed, first, way_back
        case "entries":
            return single_entry(program, tuple(entries))
        case "failures":
            changed, way_back = failures_to_end(program, entries[0])
            return changed, entries[0], way_back
        case "loops":
            changed, way_back = loops_to_recursion(program)
            return changed, first, way_back
        case "compact":
            changed, merged = compact_blocks(program)
            return changed, first, merged
        case "to_integers":
            return to_integers(program, Integers(entries[0])), first, lambda path: path
        case "prepare":
            prepared = prepare(program, tuple(entries))
            return prepared.program, prepared.entry, prepared.lift
    raise AssertionError(f"no pass is called {name}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_golden(case: File) -> None:
    command, before, after = case.read_text().split(SEPARATOR)
    program = read_program(before)
    check_program(program)
    changed, entry, lift = apply(command, program)
    check_program(changed)
    assert print_program(changed) == after
    for seed in range(40):
        done = run(changed, entry, Dice(seed), max_steps=200)
        if isinstance(done.outcome, Violated | Finished):
            lifted = lift(done.path)
            assert is_path(program, lifted), lifted


def rewrite() -> None:
    for case in CASES:
        command, before, *_ = case.read_text().split(SEPARATOR)
        changed, _, _ = apply(command, read_program(before))
        case.write_text(SEPARATOR.join((command, before, print_program(changed))))


if __name__ == "__main__":
    rewrite()
