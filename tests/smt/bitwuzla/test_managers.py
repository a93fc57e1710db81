"""Term managers outlive what was made with them, whatever Python's collector of cycles takes apart first.

A mistake here ends the process, so each case has a process of its own.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from cleave.logic.sorts import bitvec
from cleave.logic.terms import Term, bv, eq, var
from cleave.smt.bitwuzla.managers import _managers, free_managers
from cleave.smt.bitwuzla.solver import BitwuzlaSolver
from cleave.smt.solver import Answer

_BEGIN = """
import gc
from cleave.errors import UnsupportedError
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, bv, bv_binary, bv_to_int, eq, integer, lt, var
from cleave.smt.bitwuzla.solver import BitwuzlaSolver
x, y = var("x", bitvec(8)), var("y", bitvec(8))
total = bv_binary(Op.BV_ADD, x, y)
solver = BitwuzlaSolver()
"""
_END = """
solver.close()
del solver
gc.collect()
print("alive")
"""
_CYCLES = {
    "an exception whose frames hold terms": """
try:
    solver.add(lt(bv_to_int(total), integer(3)))
except UnsupportedError as error:
    error.itself = error
""",
    "a list that is younger than its terms": """
held = [solver._native.translator.term(t) for t in (x, y, total)]
held.append(held)
del held
""",
}


@pytest.mark.parametrize("cycle", _CYCLES)
def test_terms_in_a_cycle_are_collected_after_their_solver(cycle: str) -> None:
    script = _BEGIN + _CYCLES[cycle] + _END
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "alive\n"), ran.stderr


def test_a_manager_is_freed_with_the_last_of_its_terms() -> None:
    free_managers()
    before = set(_managers)
    x: Term = var("x", bitvec(8))
    solver = BitwuzlaSolver()
    solver.add(eq(x, bv(3, 8)))
    assert solver.check() is Answer.SAT
    native = solver._native.translator.term(x)
    (own,) = set(_managers) - before
    solver.close()
    assert own in _managers  # the term is still there
    del native
    free_managers()
    assert own not in _managers
