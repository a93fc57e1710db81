"""Running a program under many schedules: what is found replays, and is there."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from cleave.engines.executions.execution import Execution
from cleave.engines.executions.trying import probe
from cleave.frontends.boogie import read_boogie
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.logic.sorts import INT
from cleave.validate.proofs.interleavings import TooLargeError, explore
from cleave.validate.violations.concurrent import replay
from support.concurrent_programs import ConcurrentMaker, Features

EXAMPLES = Path(__file__).parents[1] / "threads" / "examples"
KINDS = {
    "plain": Features(),
    "arrays": Features(arrays=True),
    "loops": Features(loops=True, statements=2),
    "nested": Features(nested=True, statements=2),
    "numbers": Features(sort=INT),
}
STEPS = 15_000


def found(program: Program, steps: int = STEPS) -> int | None:
    """The contexts of a violation, which must replay."""
    schedule, taken, *_ = probe(program, "main", seed=1, steps=steps)
    assert taken > 0
    if schedule is None:
        return None
    assert replay(program, "main", schedule).holds
    return len(schedule.contexts)


@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_only_what_is_there_and_most_of_it(kind: str) -> None:
    violated, missed = 0, 0
    for seed in range(8):
        program = ConcurrentMaker(random.Random(seed), KINDS[kind]).program()
        contexts = found(program)
        try:
            least = explore(program, "main", states=1_500).contexts
        except TooLargeError:
            continue
        violated += least is not None
        missed += least is not None and contexts is None
        assert contexts is None or (least is not None and contexts >= least)
    assert violated > 3
    assert missed <= 1


@pytest.mark.parametrize(("name", "least"), {"lost_update": 5, "peterson_broken": 4, "buffer": 5, "stack": 4}.items())
def test_classic_mistakes_are_found_in_few_contexts(name: str, least: int) -> None:
    contexts = found(read_program((EXAMPLES / f"{name}.ir").read_text()), steps=60_000)
    assert contexts is not None
    assert least <= contexts <= least + 1


@pytest.mark.parametrize("name", ["peterson", "dekker", "buffer_correct"])
def test_nothing_is_found_where_nothing_is_wrong(name: str) -> None:
    assert found(read_program((EXAMPLES / f"{name}.ir").read_text())) is None


TURNS = """var i: (_ BitVec 32)
var j: (_ BitVec 32)
proc add(of: Bool) -> () {{
  local k: (_ BitVec 32)
  start:
    k := (_ bv0 32)
    goto head
  head:
    goto body, done
  body:
    assume (bvult k (_ bv{times} 32))
    k := (bvadd k (_ bv1 32))
    i, j := (ite of (bvadd i j) i), (ite of j (bvadd i j))
    goto head
  done:
    assume (not (bvult k (_ bv{times} 32)))
    return
}}
proc main() -> () [entry] {{
  start:
    i, j := (_ bv1 32), (_ bv1 32)
    spawn add(true) -> ()
    spawn add(false) -> ()
    assert (bvult j (_ bv{most} 32))
    return
}}
"""


def test_threads_that_must_take_turns_for_long() -> None:
    fibonacci = [1, 1]
    while len(fibonacci) < 42:
        fibonacci.append(fibonacci[-2] + fibonacci[-1])
    contexts = found(read_program(TURNS.format(times=20, most=fibonacci[41])))
    assert contexts is not None
    assert contexts > 40
    assert found(read_program(TURNS.format(times=20, most=fibonacci[41] + 1))) is None


LOCK = """var lock: Bool
var n: (_ BitVec 8)
proc add() -> () {
  local old: (_ BitVec 8)
  start:
    atomic begin
    old := n
    n := (bvadd old (_ bv1 8))
    assume (not lock)
    lock := true
    atomic end
    lock := false
    return
}
proc main() -> () [entry] {
  local a: (_ BitVec 8)
  local b: (_ BitVec 8)
  start:
    lock, n := true, (_ bv0 8)
    spawn add() -> (a)
    spawn add() -> (b)
    lock := false
    join a
    join b
    assert (= n (_ bv2 8))
    return
}
"""


def test_an_atomic_block_that_gets_stuck_has_done_nothing() -> None:
    assert found(read_program(LOCK)) is None
    assert found(read_program(LOCK.replace("(_ bv2 8)", "(_ bv1 8)"))) is not None


CHOSEN = """var n: (_ BitVec 32)
var table: (Array (_ BitVec 32) Bool)
proc take() -> () {
  local i: (_ BitVec 32)
  start:
    atomic begin
    havoc i
    assume (bvult i (_ bv3 32))
    assume (not (select table i))
    table := (store table i true)
    n := (bvadd n (_ bv1 32))
    atomic end
    return
}
proc main() -> () [entry] {
  local a: (_ BitVec 32)
  local b: (_ BitVec 32)
  local limit: (_ BitVec 32)
  start:
    n, table := (_ bv0 32), ((as const (Array (_ BitVec 32) Bool)) false)
    havoc limit
    assume (bvult (_ bv20 32) limit)
    n := (bvsub limit limit)
    assume (bvult limit (_ bv40 32))
    spawn take() -> (a)
    spawn take() -> (b)
    join a
    join b
    assert (not (= n (_ bv2 32)))
    return
}
"""


def test_values_that_get_a_thread_stuck_are_chosen_again() -> None:
    assert found(read_program(CHOSEN), steps=2_000) is not None


STUCK_AFTER_A_START = """var x: (_ BitVec 8)
proc idle() -> () {
  start:
    x := (_ bv1 8)
    return
}
proc main() -> () [entry] {
  local i: (_ BitVec 32)
  start:
    havoc i
    assume (= i (_ bv0 32))
    spawn idle() -> ()
    assume (= x (_ bv7 8))
    return
}
"""


def test_going_back_undoes_the_start_of_a_thread() -> None:
    assert found(read_program(STUCK_AFTER_A_START)) is None


ENDLESS = """var x: (_ BitVec 8)
proc main() -> () [entry] {
  start:
    x := (_ bv0 8)
    goto again
  again:
    goto again, more
  more:
    spawn main() -> ()
    goto again
}
"""


def test_programs_without_an_end_are_left() -> None:
    schedule, taken, *_ = probe(read_program(ENDLESS), "main", seed=1, steps=5_000)
    assert schedule is None
    assert taken < 300_000


@pytest.mark.parametrize("step", ["x := x * x;", "y := y * 0.7 + 0.1;"])
def test_numbers_that_grow_without_end_are_not_computed(step: str) -> None:
    text = f"procedure main() {{ var x: int; var y: real; x, y := 3, 0.3; while (true) {{ {step} assert x > 0; }} }}"
    schedule, taken, *_ = probe(read_boogie(text, "grows.bpl"), "main", seed=1, steps=10**9)
    assert schedule is None
    assert taken < 100_000


def test_a_loop_without_statements_is_not_run_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = 0

    def counted(*arguments: Any) -> Execution:
        nonlocal begun
        begun += 1
        return Execution(*arguments)

    monkeypatch.setattr("cleave.engines.executions.trying.Execution", counted)
    text = "procedure main() { while (true) { while (true) { } } }"
    assert probe(read_boogie(text, "idle.bpl"), "main", seed=1, steps=STEPS)[0] is None
    assert 0 < begun < 10


BEHIND_A_LOCK = """var m: Bool
proc take() -> () {{
  local i: (_ BitVec 32)
  start:
    atomic begin
{work}
    assume (not m)
    m := true
    atomic end
    return
}}
proc main() -> () [entry] {{
  start:
    m := false
    goto again
  again:
    spawn take() -> ()
    goto again
}}
"""


def test_steps_that_are_undone_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads but one get stuck in a long atomic block: what they do there is work, too."""
    undone = 0
    restore = Execution._restore

    def counted(execution: Execution, thread: Any, saved: Any) -> None:
        nonlocal undone
        undone += execution.steps - saved.steps
        restore(execution, thread, saved)

    monkeypatch.setattr(Execution, "_restore", counted)
    work = "\n".join("    i := (bvadd i (_ bv1 32))" for _ in range(200))
    schedule, taken, *_ = probe(read_program(BEHIND_A_LOCK.format(work=work)), "main", seed=1, steps=2_000)
    assert schedule is None
    assert 0 < undone < taken
