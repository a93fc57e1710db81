"""Classic programs, with the number of contexts that their violations need."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import UsageError
from cleave.run.outcome import Outcome
from cleave.smt.sat import solver as sat
from cleave.smt.sat.solver import NAMES
from cleave.verdict import BoundedSafe, Safe, Unsafe
from support.runs import run_stage

EXAMPLES = Path(__file__).parent / "examples"
VIOLATIONS = {"lost_update": 5, "peterson_broken": 4, "buffer": 5, "stack": 4}


def verify(name: str, source: str, options: ThreadsOptions, workers: int = 1) -> Outcome:
    return run_stage(f"{name}.ir", source, "threads", options, workers=workers)


@pytest.mark.parametrize(("name", "contexts"), VIOLATIONS.items())
def test_the_violation_needs_so_many_contexts(name: str, contexts: int) -> None:
    source = (EXAMPLES / f"{name}.ir").read_text()
    fewer = verify(name, source, ThreadsOptions(contexts=(contexts - 1,)))
    assert isinstance(fewer.verdict, BoundedSafe)
    assert fewer.verdict.bounds["contexts"] == contexts - 1
    found = verify(name, source, ThreadsOptions(contexts=tuple(range(2, 8))))
    assert isinstance(found.verdict, Unsafe)
    assert found.counters["contexts"] == contexts
    headers = [step for step in found.verdict.trace.steps if step.kind == "context"]
    assert len(headers) == contexts
    assert headers[0].thread == 0
    assert found.verdict.trace.steps[-1].kind == "violation"


@pytest.mark.parametrize("name", ["peterson", "dekker", "buffer_correct"])
def test_all_interleavings_are_tried_where_they_are_few(name: str) -> None:
    result = verify(name, (EXAMPLES / f"{name}.ir").read_text(), ThreadsOptions(contexts=(4,)))
    assert isinstance(result.verdict, BoundedSafe | Safe)
    assert "interleavings" in result.verdict.validation


def test_safe_without_a_bound_and_without_trying_all() -> None:
    # Main and two threads that run once: three contexts at most if neither is interrupted ...
    source = """var x: (_ BitVec 32)
proc main() -> () [entry] {
  local t: (_ BitVec 8)
  start:
    x := (_ bv0 32)
    spawn add() -> (t)
    join t
    assert (= x (_ bv1 32))
    return
}
proc add() -> () {
  start:
    x := (bvadd x (_ bv1 32))
    return
}
"""
    options = ThreadsOptions(contexts=(4,), confirm_states=0)
    result = verify("once", source, options)
    assert isinstance(result.verdict, Safe)
    assert "proved again from the program by another unfolding and encoding" in result.verdict.validation
    bounded = verify("once", source, ThreadsOptions(contexts=(2,), confirm_states=0))
    assert isinstance(bounded.verdict, BoundedSafe)
    assert dict(bounded.verdict.bounds) == {"contexts": 2}


def fibonacci(times: int, limit: int) -> str:
    """The paper's Figure 2: two threads add each other's number to their own."""

    def adding(name: str, own: str, other: str) -> str:
        return f"""proc {name}() -> () {{
  local k: (_ BitVec 8)
  start:
    k := #x00
    goto again
  again:
    goto add, done
  add:
    assume (bvult k (_ bv{times} 8))
    {own} := (bvadd {own} {other})
    k := (bvadd k #x01)
    goto again
  done:
    assume (not (bvult k (_ bv{times} 8)))
    return
}}
"""

    return f"""var i: (_ BitVec 32)
var j: (_ BitVec 32)
proc main() -> () [entry] {{
  local a: (_ BitVec 8)
  local b: (_ BitVec 8)
  start:
    i, j := (_ bv1 32), (_ bv1 32)
    spawn t1() -> (a)
    spawn t2() -> (b)
    join a
    join b
    assert (bvult j (_ bv{limit} 32))
    assert (bvult i (_ bv{limit} 32))
    return
}}
{adding("t1", "i", "j")}{adding("t2", "j", "i")}"""


@pytest.mark.parametrize(("times", "largest"), [(2, 8), (3, 21)])
def test_fibonacci(times: int, largest: int) -> None:
    contexts = 2 * times + 2
    options = ThreadsOptions(unwind=times, contexts=(contexts,))
    assert isinstance(verify("fibonacci", fibonacci(times, largest), options).verdict, Unsafe)
    unreached = verify("fibonacci", fibonacci(times, largest + 1), options)
    assert isinstance(unreached.verdict, BoundedSafe | Safe)


def test_partitions_as_in_the_paper() -> None:
    options = ThreadsOptions(unwind=2, contexts=(6,), confirm_states=0)
    verdicts = [
        verify("f", fibonacci(2, 8), replace(options, partitions=4, first=n, last=n)).verdict.word for n in range(4)
    ]
    assert "unsafe" in verdicts
    assert "bounded-safe" in verdicts


@pytest.mark.parametrize(("limit", "word"), [(21, "unsafe"), (22, "bounded-safe")])
def test_worker_processes(limit: int, word: str) -> None:
    options = ThreadsOptions(
        unwind=3, contexts=(7, 8), confirm_states=0, confirm_seconds=1, slice_cost=50, split_after=0
    )
    result = verify("fibonacci", fibonacci(3, limit), options, workers=2)
    assert result.verdict.word == word
    if isinstance(result.verdict, BoundedSafe):
        assert "cover all schedules" in result.verdict.validation
        assert result.counters["clauses"] > 0


def test_partitions_that_make_no_sense() -> None:
    source = (EXAMPLES / "lost_update.ir").read_text()
    for options in (
        ThreadsOptions(contexts=(3,), partitions=3),
        ThreadsOptions(contexts=(3,), partitions=1 << 20),
        ThreadsOptions(contexts=(3,), partitions=4, first=3, last=4),
        ThreadsOptions(contexts=(3,), first=1),
    ):
        with pytest.raises(UsageError):
            verify("lost_update", source, options)


@pytest.mark.parametrize("solver", NAMES)
def test_solvers_on_the_same_clauses(solver: str) -> None:
    options = ThreadsOptions(unwind=2, contexts=(6,), confirm_states=0, solver=solver)
    found = verify("fibonacci", fibonacci(2, 8), options)
    assert isinstance(found.verdict, Unsafe)
    assert found.counters["clauses"] > 0
    unreached = verify("fibonacci", fibonacci(2, 9), options)
    assert isinstance(unreached.verdict, BoundedSafe | Safe)
    assert unreached.verdict.validation.endswith("decided by Bitwuzla")


def test_a_share_of_the_schedules_is_proved_again() -> None:
    options = ThreadsOptions(unwind=2, contexts=(4,), confirm_states=0, partitions=4, first=1, last=2)
    found = verify("fibonacci", fibonacci(2, 9), options)
    assert isinstance(found.verdict, BoundedSafe)
    assert found.verdict.validation == (
        "parts 1 to 2 of 4: proved again from the program by another unfolding and encoding, decided by Bitwuzla"
    )
    assert any("only parts 1 to 2 of 4 were searched" in said for said in found.assumptions)


def test_a_solver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sat, "is_installed", lambda: False)
    with pytest.raises(UsageError, match=r"cadical needs PySAT: pip install 'cleave-verifier\[sat\]'"):
        verify("fibonacci", fibonacci(2, 8), ThreadsOptions(solver="cadical"))


def test_unbounded_numbers_are_nothing_for_a_sat_solver() -> None:
    source = "var n: Int\nproc main() -> () [entry] {\n  start:\n    havoc n\n    assert (< n 3)\n    return\n}\n"
    with pytest.raises(UsageError, match="unbounded numbers"):
        verify("numbers", source, ThreadsOptions(solver="minisat"))
