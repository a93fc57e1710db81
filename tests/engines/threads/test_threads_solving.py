"""Which solver searches, and what happens where it has too much to do."""

from __future__ import annotations

import pytest

from cleave.engines.findings import GivenUp
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.part import Outcome, Part
from cleave.engines.unfolding.instances import Unfolded, unfold
from cleave.engines.unfolding.options import AUTO, BITWUZLA, MINISAT
from cleave.engines.unfolding.solving import Z3, chosen
from cleave.errors import UnsupportedError
from cleave.ir.reader import read_program
from cleave.smt.sat import gates
from cleave.smt.sat import solver as sat

BITS = ("(_ BitVec 8)", "havoc x\n    assert (not (= (bvmul x x) (_ bv9 8)))")
NUMBERS = ("Int", "havoc x\n    assert (< x 3)")
ARRAYS = ("(Array (_ BitVec 8) (_ BitVec 8))", "havoc x\n    havoc i\n    assert (= (select x i) (_ bv3 8))")
WRITTEN = (
    ARRAYS[0],
    "havoc x\n    havoc i\n    x := (store x i i)\n    havoc i\n    assert (= (select x i) (_ bv3 8))",
)


def unfolded(kind: tuple[str, str]) -> Unfolded:
    sort, statements = kind
    body = f"  start:\n    {statements}\n    return\n"
    return unfold(
        read_program(f"var x: {sort}\nvar i: (_ BitVec 8)\nproc main() -> () [entry] {{\n{body}}}\n"), "main", 2
    )


@pytest.mark.skipif(not sat.is_installed(), reason="the extra 'sat' is not installed")
@pytest.mark.parametrize(("kind", "name"), [(BITS, MINISAT), (NUMBERS, Z3), (ARRAYS, MINISAT), (WRITTEN, BITWUZLA)])
def test_who_searches(kind: tuple[str, str], name: str) -> None:
    assert chosen(unfolded(kind), AUTO) == name


def test_who_searches_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sat, "is_installed", lambda: False)
    assert chosen(unfolded(BITS), AUTO) == BITWUZLA


@pytest.mark.skipif(not sat.is_installed(), reason="the extra 'sat' is not installed")
def test_too_many_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "MOST_CLAUSES", 10)
    outcome = _searched(ThreadsOptions())
    assert isinstance(outcome, GivenUp)
    assert "more than 10 clauses" in outcome.reason
    with pytest.raises(UnsupportedError, match="more than 10 clauses"):
        _searched(ThreadsOptions(solver=MINISAT))


def _searched(options: ThreadsOptions) -> Outcome:
    slices = Part(unfolded(BITS), 2, "", options).run(100, last=True)
    try:
        while True:
            next(slices)
    except StopIteration as stop:
        found: Outcome = stop.value
        return found
