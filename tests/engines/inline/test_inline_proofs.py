"""The proofs that the engine gives are accepted, and what is no proof is rejected, with the reason."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.findings import Proof
from cleave.engines.inline.merging import Merging
from cleave.ir.reader import read_program
from cleave.ir.unfolded import UnfoldedInstance, UnfoldedProof
from cleave.passes.prepare import Prepared, prepare
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs.unfolded import check_unfolded
from support.engine_runs import solve
from support.programs import LayeredMaker

TWICE = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    call f() -> ()
    call f() -> ()
    assert (= g 2)
    return
}
proc f() -> () {
  b:
    goto t, u
  t:
    g := (+ g 1)
    return
  u:
    g := (+ g 1)
    return
}
"""
RECURSION = """\
proc main() -> () {
  b:
    call f(0) -> ()
    return
}
proc f(n: Int) -> () {
  b:
    assert (< n 3)
    goto t, z
  t:
    call f((+ n 1)) -> ()
    goto z
  z:
    return
}
"""


def proved(text: str, merging: Merging = Merging.FIRST, bound: int = 3) -> tuple[Prepared, UnfoldedProof]:
    prepared = prepare(read_program(text), ("main",))
    finding = solve(prepared, merging, (bound,))
    assert isinstance(finding, Proof)
    return prepared, finding.evidence


def judged(prepared: Prepared, proof: UnfoldedProof) -> Confirmation:
    return check_unfolded(prepared.program, prepared.entry, proof, Z3Solver(profile=DEFAULT))


def with_instance(proof: UnfoldedProof, number: int, instance: UnfoldedInstance) -> UnfoldedProof:
    return replace(proof, instances=(*proof.instances[:number], instance, *proof.instances[number + 1 :]))


def reason(prepared: Prepared, proof: UnfoldedProof) -> str:
    rejected = judged(prepared, proof)
    assert not rejected.holds
    assert not rejected.undecided
    return rejected.text


@pytest.mark.parametrize("text", [TWICE, RECURSION], ids=["twice", "recursion"])
@pytest.mark.parametrize("merging", [Merging.TREE, Merging.FIRST, Merging.RANDOM])
def test_the_engines_proofs_are_accepted(text: str, merging: Merging) -> None:
    assert judged(*proved(text, merging)).holds


def test_two_calls_of_one_path_must_not_share_an_instance() -> None:
    prepared, proof = proved(TWICE)
    root = proof.instances[0]
    assert len(set(root.callees.values())) == 2
    first = min(root.callees.values())
    shared = with_instance(proof, 0, replace(root, callees=dict.fromkeys(root.callees, first)))
    assert "exclusive" in reason(prepared, shared)
    shared = replace(shared, instances=tuple(replace(instance, exclusive=False) for instance in shared.instances))
    assert "twice" in reason(prepared, shared)


def test_an_instance_that_claims_to_be_exclusive_must_be() -> None:
    prepared, proof = proved(RECURSION)
    before = replace(proof, instances=tuple(replace(instance, exclusive=True) for instance in proof.instances))
    assert judged(prepared, before).holds


def test_a_missing_instance_leaves_the_formula_satisfiable() -> None:
    prepared, proof = proved(TWICE)
    root = proof.instances[0]
    for place in root.callees:
        fewer = {other: number for other, number in root.callees.items() if other != place}
        assert "satisfiable" in reason(prepared, with_instance(proof, 0, replace(root, callees=fewer)))


def test_a_bound_that_the_unfolding_does_not_reach_is_not_claimed() -> None:
    prepared, proof = proved(RECURSION)
    assert proof.bound == 3
    assert "satisfiable" in reason(prepared, replace(proof, bound=4))
    assert "satisfiable" in reason(prepared, replace(proof, bound=None))


def test_an_instance_of_another_procedure_serves_no_call() -> None:
    prepared, proof = proved(TWICE)
    wrong = replace(proof.instances[1], procedure="main", callees={})
    assert "another procedure" in reason(prepared, with_instance(proof, 1, wrong))


@pytest.mark.parametrize(
    ("root", "message"),
    [
        (UnfoldedInstance("main", {("nowhere", 0): 1}), "does not make"),
        (UnfoldedInstance("f", {}), "not the entry"),
    ],
)
def test_shapes_that_are_not_of_the_program(root: UnfoldedInstance, message: str) -> None:
    prepared, proof = proved(TWICE)
    assert message in reason(prepared, with_instance(proof, 0, root))


def test_instances_are_of_procedures_that_exist() -> None:
    prepared, proof = proved(TWICE)
    stranger = replace(proof, instances=(*proof.instances, UnfoldedInstance("nobody", {})))
    assert "no procedure" in reason(prepared, stranger)


@pytest.mark.parametrize("callee", [0, 99, -1])
def test_a_call_is_bound_to_an_instance_that_exists(callee: int) -> None:
    prepared, proof = proved(TWICE)
    root = proof.instances[0]
    place = next(iter(root.callees))
    wrong = replace(root, callees={**root.callees, place: callee})
    assert "does not exist" in reason(prepared, with_instance(proof, 0, wrong))


def test_instances_form_no_cycle() -> None:
    prepared, proof = proved(RECURSION)
    number, instance = next((n, i) for n, i in enumerate(proof.instances) if i.procedure == "f" and i.callees)
    looping = replace(instance, callees=dict.fromkeys(instance.callees, number))
    assert "cycle" in reason(prepared, with_instance(proof, number, looping))


@settings(max_examples=30, deadline=None, database=None)
@given(st.integers(0, 2**32 - 1))
def test_a_call_on_a_feasible_path_can_not_be_left_out(number: int) -> None:
    """Opening a call keeps a proof only if the call did not matter; then the engine would not have inlined it."""
    prepared = prepare(LayeredMaker(random.Random(number), 2).program(), ("main",))
    finding = solve(prepared)
    if isinstance(finding, Proof) and finding.evidence.instances[0].callees:
        assert judged(prepared, finding.evidence).holds
        opened = with_instance(finding.evidence, 0, replace(finding.evidence.instances[0], callees={}))
        assert "satisfiable" in reason(prepared, opened)
