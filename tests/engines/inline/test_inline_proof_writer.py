"""A description that is written while an unfolding grows is the one that would be written at the end."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import first, never
from cleave.engines.inline.proof import ProofWriter, proof_of
from cleave.engines.inline.unfolding import Unfolding
from cleave.ir.unfolded import UnfoldedProof
from cleave.passes.prepare import prepare
from cleave.smt.z3.solver import PLAIN, Z3Solver
from cleave.validate.proofs.unfolded import PartitionChecker, check_unfolded
from support.programs import HIERARCHICAL, LayeredMaker, ProgramMaker


def snapshot(proof: UnfoldedProof) -> list[tuple[str, dict[tuple[str, int], int]]]:
    return [(instance.procedure, dict(instance.callees)) for instance in proof.instances]


@settings(max_examples=60, deadline=None, database=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_a_growing_description(number: int, layered: bool, shared: bool) -> None:
    pick = random.Random(number)
    made = LayeredMaker(pick, 2) if layered else ProgramMaker(pick, HIERARCHICAL)
    prepared = prepare(made.program(), ("main",))
    unfolding = Unfolding(Conditions(prepared.program), prepared.entry)
    writer = ProofWriter(unfolding)
    checker = PartitionChecker(prepared.program, prepared.entry, Z3Solver(profile=PLAIN))
    pending = unfolding.open_calls(unfolding.root)
    while pending:
        if pick.random() < 0.3:
            before = snapshot(writer.proof(None))
            known = len(unfolding.instances)
            decided = [(pick.randrange(1, known), pick.random() < 0.5)] if known > 1 else []
            proof = writer.proof(None, decided)
            assert snapshot(proof) == before
            fresh = Z3Solver(profile=PLAIN)
            assert checker.check(proof) == check_unfolded(prepared.program, prepared.entry, proof, fresh)
        call = pending.pop(pick.randrange(len(pending)))
        instance = (first if shared else never)(unfolding, call)
        if instance is not None:
            unfolding.merge(call, instance)
        else:
            pending.extend(unfolding.open_calls(unfolding.inline(call)))
    assert snapshot(writer.proof(None)) == snapshot(proof_of(unfolding, None))
    for instance in unfolding.instances:
        assert writer.proof(None).instances[writer.number(instance.number)].procedure == instance.condition.procedure
