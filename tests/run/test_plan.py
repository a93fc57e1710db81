"""Which stages a plan has, for which input and which options."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cleave.engines.inline.options import InlineOptions
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import UsageError
from cleave.frontends.input import Input
from cleave.ir.integers import Integers
from cleave.run.plan import Plan, Stage, decode_plan, encode_plan, given_options, groups, larger, unfinished
from cleave.run.request import Options
from cleave.run.rules import make_plan
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict

PROGRAM = b"procedure main() { assert true; }"
CLAUSES = b"(set-logic HORN)(declare-fun P (Int) Bool)(assert (P 0))(check-sat)"
NOT_LINEAR = (
    b"(set-logic HORN)(declare-fun P (Int) Bool)"
    b"(assert (forall ((x Int) (y Int)) (=> (and (P x) (P y)) (P (+ x y)))))(check-sat)"
)
THREADS = b"""\
var x: Int
proc work() -> () {
  b:
    return
}
proc main() -> () [entry] {
  local t: Int
  b:
    spawn work() -> (t)
    return
}
"""


def plan(file: str = "p.bpl", source: bytes = PROGRAM, **options: object) -> Plan:
    return make_plan(Input(file, source), Options(workers=options.pop("workers", 2), **options))  # type: ignore[arg-type]


def engines(made: Plan) -> list[list[str]]:
    """By lane, in the order in which they run."""
    return [[stage.engine for stage in lane] for lanes in groups(made.stages) for lane in lanes]


def test_several_engines_are_the_default_for_sequential_programs() -> None:
    assert engines(plan()) == [["inline"], ["executions", "pdr", "inline"], ["pdr", "cegar"]]
    assert engines(plan(engine="auto")) == engines(plan())


def test_one_worker_does_one_thing_at_a_time() -> None:
    made = plan(workers=1)
    assert engines(made) == [["inline"], ["pdr", "pdr", "cegar", "executions", "inline"]]
    assert {stage.workers for stage in made.stages} == {1}


@pytest.mark.parametrize("workers", [2, 3, 4, 5, 8, 64])
def test_workers_side_by_side_are_no_more_than_were_asked_for(workers: int) -> None:
    made = plan(workers=workers)
    for lanes in groups(made.stages):
        assert sum(max(stage.workers for stage in lane) for lane in lanes) <= workers


def test_the_last_stage_of_a_lane_has_all_the_time() -> None:
    for workers in (1, 2, 8):
        for lanes in groups(plan(workers=workers).stages):
            assert all(lane[-1].share == 1.0 for lane in lanes)


def test_c_is_run_first() -> None:
    bounds = InlineOptions(bounds=(3,))
    assert engines(plan("p.ir", b"proc main() -> () {\n  b:\n    return\n}\n", engine="inline")) == [
        ["inline", "executions"]
    ]
    assert engines(plan(engine="inline", engines=(bounds,))) == [["inline"]], "who chooses a bound gets that one"


def test_a_part_of_a_program_in_c_is_searched_as_the_whole_is() -> None:
    text = b"proc main() -> () {\n  b:\n    return\n}\n"
    assert "bmc" not in {stage.engine for stage in plan("p.ir", text).stages}
    first, *_ = engines(plan("p.ir", b"checked assertions 1, memory 2\n" + text))
    assert first == ["executions", "intervals", "inline", "pdr", "pdr", "bmc"]


def test_a_named_engine_is_the_only_one_that_settles_anything() -> None:
    made = plan(engine="pdr")
    assert [stage.engine for stage in made.stages if stage.role == "settle"] == ["pdr"]
    assert engines(plan(engine="cegar")) == [["cegar"]]


def test_threads_go_to_the_engine_for_threads_and_deepen_without_bounds() -> None:
    made = plan("p.ir", THREADS, timelimit=60)
    assert engines(made) == [["executions", "threads"]]
    assert made.stages[-1].deepens
    chosen = plan("p.ir", THREADS, engines=(ThreadsOptions(unwind=4),))
    assert engines(chosen) == [["threads"]]
    assert not chosen.stages[-1].deepens
    assert chosen.stages[-1].options == {"unwind": 4}


def test_clauses_have_cegar_beside_pdr_if_there_are_workers_for_it() -> None:
    assert engines(plan("c.smt2", CLAUSES, workers=2)) == [["pdr", "cegar"]]
    assert engines(plan("c.smt2", CLAUSES, workers=4)) == [["pdr"], ["cegar"]]


def test_clauses_that_are_not_linear_are_for_pdr_with_all_the_time() -> None:
    (stage,) = plan("n.smt2", NOT_LINEAR, workers=4, timelimit=60.0).stages
    assert (stage.engine, stage.workers, stage.share) == ("pdr", 4, 1.0)


def test_invariants_are_found_for_those_who_use_them() -> None:
    made = plan(invariants_from="pdr", engine="inline")
    finder, user = made.stages[0], made.stages[1]
    assert (finder.role, user.uses) == ("invariants", finder.number)


@pytest.mark.parametrize(
    ("file", "source", "options", "complaint"),
    [
        ("c.smt2", CLAUSES, {"engine": "inline"}, "takes a sequential program, not Horn clauses"),
        ("p.ir", THREADS, {"engine": "pdr"}, "not a program with threads"),
        ("p.bpl", PROGRAM, {"integers": Integers.UNBOUNDED}, "--integers is for programs in C"),
        ("p.bpl", PROGRAM, {"engine": "pdr", "invariants_from": "pdr"}, "--invariants-from"),
        ("p.bpl", PROGRAM, {"engine": "none"}, "there is no engine 'none'; there are inline, pdr, cegar, threads"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    file: str, source: bytes, options: dict[str, object], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        plan(file, source, **options)


def test_a_plan_survives_its_journal() -> None:
    made = plan(timelimit=30, outputs={"sarif": "x.sarif"})
    again = decode_plan(encode_plan(made))
    assert again == made
    assert Path(again.outputs["sarif"]).is_absolute(), "who resumes it may be in another folder"


def test_options_are_kept_where_they_differ() -> None:
    assert given_options(InlineOptions()) == {}
    kept = given_options(InlineOptions(bounds=(2, 5), seed=3))
    assert kept == {"bounds": [2, 5], "seed": 3}
    assert msgspec.convert(kept, InlineOptions) == InlineOptions(bounds=(2, 5), seed=3)


# --- larger bounds ----------------------------------------------------------------------------------------------------


def chain(engine: str, *verdicts: Verdict, probes: int = 0) -> list[Stage]:
    """The stages that follow when the first one has the first verdict, and so on."""
    stage = Stage(number=2, engine=engine, purpose="", deepens=True, probes=probes)
    found: list[Stage] = []
    for verdict in verdicts:
        following = larger(stage, verdict)
        found += following
        if following:
            stage = following[-1]
    return found


def bounded(**bounds: int) -> BoundedSafe:
    return BoundedSafe(bounds, "")


def test_only_bounds_that_took_part_grow() -> None:
    found = chain("threads", bounded(contexts=5), bounded(unwind=2))
    assert [stage.options for stage in found] == [
        {"contexts": [6, 7], "seed": 1},
        {"contexts": [2, 3, 4, 5, 6, 7], "unwind": 3, "seed": 2},
    ]


def test_both_grow_where_nothing_could_be_confirmed() -> None:
    (found,) = chain("threads", Unknown(Reason.UNCONFIRMED))
    assert (found.options["unwind"], found.options["contexts"][-1]) == (3, 7)


def test_recursion_grows_by_half() -> None:
    found = chain("inline", bounded(recursion=9), bounded(recursion=13))
    assert [stage.options["bounds"] for stage in found] == [[13], [19]]


def test_each_time_other_executions_are_tried() -> None:
    found = chain("threads", bounded(contexts=5), bounded(contexts=7), probes=100)
    assert [stage.engine for stage in found] == ["executions", "threads"] * 2
    assert len({stage.options["seed"] for stage in found if stage.engine == "executions"}) == 2


@pytest.mark.parametrize("verdict", [Safe("checked"), Unknown(Reason.TIMEOUT), Unknown(Reason.SOLVER)])
def test_nothing_follows_what_is_settled_or_stuck(verdict: Verdict) -> None:
    assert chain("threads", verdict) == []


def test_numbers_of_stages_are_never_used_twice() -> None:
    found = chain("threads", *(bounded(contexts=n) for n in range(5, 40, 2)), probes=10)
    numbers = [stage.number for stage in found]
    assert len(set(numbers)) == len(numbers)
    assert {stage.chain for stage in found if stage.engine == "threads"} == {2}


def test_what_is_left_of_a_plan_goes_on_with_larger_bounds() -> None:
    made = {stage.number: stage for stage in plan().stages}
    deepens = next(stage for stage in made.values() if stage.deepens)
    done: dict[int, Verdict] = {number: Unknown(Reason.BUDGET) for number in made}
    assert unfinished(made, done) == []
    done[deepens.number] = bounded(recursion=6)
    (left,) = unfinished(made, done)
    assert left.options["bounds"] == [9]
