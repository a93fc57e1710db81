"""What a proof needs is a proof by itself; a part that is none is rejected, and then the whole is checked."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.desk import Desk
from cleave.engines.engine import Setting
from cleave.engines.findings import Proof
from cleave.engines.inline.alone import InlineEngine
from cleave.engines.inline.complete import complete
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.confirm import ProofCheck
from cleave.engines.inline.merging import first, never
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.proof import ProofWriter
from cleave.engines.inline.search import InlineSearch, how_far
from cleave.frontends.input import Input
from cleave.ir.reader import read_program
from cleave.ir.unfolded import UnfoldedInstance, UnfoldedProof
from cleave.passes.prepare import Prepared, prepare
from cleave.smt.z3.solver import PLAIN, Z3Solver
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.unfolded import check_unfolded
from cleave.verdict import Reason, Unknown
from cleave.watch import Watch
from support.programs import HIERARCHICAL, LayeredMaker, ProgramMaker, Reference, TooManyPaths

# Only what set does matters; the other calls are on the way of every execution.
MAIN = """\
var g: Int
var h: Int
proc main() -> () {
  b:
    g := 0
    h := 0
    call noise() -> ()
    call set() -> ()
    call noise() -> ()
    assert (= g 1)
    return
}
proc set() -> () {
  b:
    goto t, u
  t:
    call one() -> ()
    return
  u:
    call one() -> ()
    return
}
proc one() -> () {
  b:
    goto t, u
  t:
    g := 1
    return
  u:
    g := 1
    return
}
"""
NOISE = """\
proc noise() -> () {
  b:
    goto t, u
  t:
    call more() -> ()
    return
  u:
    h := 7
    return
}
proc more() -> () {
  b:
    goto t, u
  t:
    h := (+ h 1)
    return
  u:
    h := (+ h 2)
    return
}
"""
STOPPED = rejected("the check of the proof's formula stopped: cost", undecided=True, stopped=True)


def found(prepared: Prepared, **options: object) -> Proof[UnfoldedProof]:
    """What the engine finds, reduced whatever the size of the unfolding is."""
    chosen = replace(InlineOptions(part_from=1, part_share=1000.0), **options)  # type: ignore[arg-type]
    run = InlineEngine(prepared, chosen, Z3Solver()).run()
    while True:
        try:
            next(run)
        except StopIteration as end:
            proof: Proof[UnfoldedProof] = end.value
            return proof


def whole_and_part() -> tuple[Prepared, UnfoldedProof, UnfoldedProof]:
    """A whole proof that binds every call, and the part of it that main, set and one are."""
    prepared = prepare(read_program(MAIN + NOISE), ("main",))
    unfolding = complete(Conditions(prepared.program), prepared.entry, lambda _: 1, first)
    needed = {i.number for i in unfolding.instances if i.condition.procedure in (prepared.entry, "set", "one")}
    return prepared, ProofWriter(unfolding).proof(None), ProofWriter(unfolding, frozenset(needed)).proof(None)


def holds(prepared: Prepared, proof: UnfoldedProof) -> bool:
    return check_unfolded(prepared.program, prepared.entry, proof, Z3Solver(profile=PLAIN)).holds


def finished(check: ProofCheck) -> Confirmation:
    while (judged := check.go_on()) is None:
        pass
    return judged


def test_a_part_of_the_unfolding_is_enough() -> None:
    prepared, whole, part = whole_and_part()
    assert len(part.instances) < len(whole.instances)
    assert holds(prepared, part)
    assert finished(ProofCheck(prepared, whole, part)).holds


def test_the_engine_tells_what_its_proof_needs() -> None:
    """The search inlines every call of a path; the proof needs two of the instances that come of it."""
    noisy = MAIN.replace("    call noise() -> ()\n", 6 * "    call noise() -> ()\n")
    prepared = prepare(read_program(noisy + NOISE), ("main",))
    proof = found(prepared)
    assert proof.part is not None
    assert {i.procedure for i in proof.part.instances} == {prepared.entry, "set", "one"}
    assert "noise" in {i.procedure for i in proof.evidence.instances}
    assert holds(prepared, proof.part)


def test_small_proofs_are_not_reduced() -> None:
    prepared, _, _ = whole_and_part()
    assert found(prepared, part_from=1000).part is None
    assert found(prepared, part_share=0.0).part is None


def forged(part: UnfoldedProof, kind: str) -> UnfoldedProof:
    """The part with one mistake in it."""
    instances = [replace(i, callees=dict(i.callees)) for i in part.instances]
    if kind == "a needed call is open":
        for instance in instances:
            if instance.procedure == "set":
                instance.callees.clear()
    elif kind == "a call is bound to another procedure":
        main = instances[0]
        place = next(p for p, callee in main.callees.items() if instances[callee].procedure == "set")
        main.callees[place] = next(n for n, i in enumerate(instances) if i.procedure == "one")
    elif kind == "an instance of a procedure that is not there":
        instances.append(UnfoldedInstance("nothing", {}))
    elif kind == "another entry":
        instances = instances[1:]
    return UnfoldedProof(instances, part.bound)


@pytest.mark.parametrize(
    "kind",
    [
        "a needed call is open",
        "a call is bound to another procedure",
        "an instance of a procedure that is not there",
        "another entry",
    ],
)
def test_a_forged_part_is_rejected_and_decides_nothing(kind: str) -> None:
    prepared, whole, part = whole_and_part()
    wrong = forged(part, kind)
    assert not holds(prepared, wrong)
    assert finished(ProofCheck(prepared, whole, wrong)).holds, "the whole is still a proof"
    assert not finished(ProofCheck(prepared, wrong, wrong)).holds


def test_what_two_calls_of_one_execution_share_is_rejected_in_a_part_too() -> None:
    prepared, _, _ = whole_and_part()
    label = prepared.program.procedures[prepared.entry].entry.label
    wrong = UnfoldedProof(
        [UnfoldedInstance(prepared.entry, {(label, 0): 1, (label, 2): 1}), UnfoldedInstance("noise", {})], None
    )
    judged = check_unfolded(prepared.program, prepared.entry, wrong, Z3Solver(profile=PLAIN))
    assert not judged.holds
    assert "twice" in judged.text


@settings(max_examples=60, deadline=None, database=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_no_part_of_a_violating_program_is_accepted(number: int, layered: bool, shared: bool) -> None:
    """Whatever is left open, no execution is lost: a part proves less than the whole does, never more."""
    pick = random.Random(number)
    program = (LayeredMaker(pick, 2) if layered else ProgramMaker(pick, HIERARCHICAL)).program()
    prepared = prepare(program, ("main",))
    unfolding = complete(Conditions(prepared.program), prepared.entry, lambda _: 1, first if shared else never)
    try:
        violated = Reference(program).violates("main")
    except TooManyPaths:
        return
    for _ in range(3):
        kept = frozenset({0, *(i.number for i in unfolding.instances if pick.random() < 0.7)})
        accepted = holds(prepared, ProofWriter(unfolding, kept).proof(None))
        assert not (accepted and violated)


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_check_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its checker, and with it the solver and what that has learned, is the same after a limit."""
    prepared, whole, part = whole_and_part()
    asked: list[tuple[object, int]] = []

    def stops_twice(checker: object, proof: object, *, seconds: float, cost_limit: int) -> Confirmation:
        asked.append((checker, cost_limit))
        return STOPPED if len(asked) < 3 else Confirmation(True)

    monkeypatch.setattr("cleave.engines.inline.confirm.PartitionChecker.check", stops_twice)
    check = ProofCheck(prepared, whole, part)
    assert check.go_on(500) is None
    assert check.go_on(500) is None
    judged = check.go_on(700)
    assert judged is not None
    assert judged.holds
    assert [limit for _, limit in asked] == [500, 500, 700]
    assert len({id(checker) for checker, _ in asked}) == 1


def test_a_tiny_limit_is_kept_and_does_not_decide() -> None:
    prepared, whole, part = whole_and_part()
    check = ProofCheck(prepared, whole, part)
    steps = 1
    while (judged := check.go_on(1)) is None and steps < 10_000:
        steps += 1
    assert judged is None or judged.holds


def test_a_finished_search_whose_proof_is_not_confirmed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "procedure main() { var x: int; assume x > 0; assert x > 0; }"
    search = InlineSearch.make(Input.of("p.bpl", text.encode(), None, None), InlineOptions(), Setting())
    with Watch() as watch:

        def never_ends(*_: object, **__: object) -> Confirmation:
            watch.stop(Reason.TIMEOUT)
            return STOPPED

        monkeypatch.setattr("cleave.engines.inline.confirm.PartitionChecker.check", never_ends)
        verdict = search.alone(Desk(watch))
    assert isinstance(verdict, Unknown)
    assert verdict.reason is Reason.TIMEOUT
    assert "search is finished, but its proof is not confirmed" in verdict.detail


def test_workers_say_so_too() -> None:
    assert "not confirmed" in how_far({"closed": 1, "open_partitions": 2, "claimed": 2})
    assert how_far({"closed": 1, "open_partitions": 2, "claimed": 1}) == "parts of the search: 1 closed, 2 open"
