"""Proofs of partitions: decisions count, unfoldings grow from proof to proof, and what is wrong is found when it comes.

The programs are as engines get them: a violation is that main returns.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.inline.complete import complete
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import first, never
from cleave.engines.inline.proof import proof_of
from cleave.ir.program import Assign, Assume, Block, Call, Program, Statement
from cleave.ir.reader import read_program
from cleave.ir.unfolded import CallPlace, Decision, UnfoldedInstance, UnfoldedProof
from cleave.logic.sorts import BOOL
from cleave.logic.terms import boolean, var
from cleave.passes.flow import reachable
from cleave.passes.prepare import prepare
from cleave.smt.z3.solver import PLAIN, Z3Solver
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.unfolded import PartitionChecker, check_unfolded
from support.programs import HIERARCHICAL, LayeredMaker, ProgramMaker, Reference, TooManyPaths

SATISFIABLE = rejected("the proof's formula is satisfiable")
ACCEPTED = Confirmation(True, "proof checked by another encoding")


def avoid(instance: int) -> Decision:
    return Decision(instance, reach=False)


def reach(instance: int) -> Decision:
    return Decision(instance, reach=True)


def unfolding(*instances: tuple[str, dict[CallPlace, int]]) -> list[UnfoldedInstance]:
    return [UnfoldedInstance(procedure, dict(callees)) for procedure, callees in instances]


def checker(text: str) -> PartitionChecker:
    return PartitionChecker(read_program(text), "main", Z3Solver(profile=PLAIN))


def once(text: str, instances: list[UnfoldedInstance], *decisions: Decision, bound: int | None = None) -> bool:
    """Whether a checker of its own accepts the proof."""
    proof = UnfoldedProof(instances, bound, decisions)
    return check_unfolded(read_program(text), "main", proof, Z3Solver(profile=PLAIN)).holds


# --- decisions ------------------------------------------------------------------------------------------------------

EITHER = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    goto l, r, m
  l:
    call f() -> ()
    goto z
  r:
    call h() -> ()
    goto z
  m:
    g := 3
    goto z
  z:
    assume (= g 1)
    return
}
proc f() -> () {
  b:
    g := 1
    return
}
proc h() -> () {
  b:
    g := 2
    return
}
"""
BOTH_CALLED = unfolding(("main", {("l", 0): 1, ("r", 0): 2}), ("f", {}), ("h", {}))


@pytest.mark.parametrize(
    ("decisions", "accepted"),
    [
        ((), False),
        ((avoid(1),), True),
        ((reach(1),), False),
        ((avoid(2),), False),
        ((reach(2),), True),
        ((avoid(2), avoid(1)), True),
        ((avoid(2), reach(1)), False),
        ((reach(1), reach(2)), True),  # no execution passes both
        ((reach(1), avoid(1)), True),
        ((reach(0),), False),
    ],
)
def test_decisions_say_which_executions_are_meant(decisions: tuple[Decision, ...], accepted: bool) -> None:
    assert once(EITHER, BOTH_CALLED, *decisions) is accepted


def test_one_checker_takes_decisions_back() -> None:
    check = checker(EITHER).check
    for decisions, expected in [
        ((), SATISFIABLE),
        ((avoid(1),), ACCEPTED),
        ((reach(1),), SATISFIABLE),
        ((reach(2),), ACCEPTED),
        ((), SATISFIABLE),
        ((reach(1), avoid(2)), SATISFIABLE),
    ]:
        assert check(UnfoldedProof(BOTH_CALLED, None, decisions)) == expected


def test_an_open_call_of_a_reached_instance_does_anything() -> None:
    assert not once(EITHER, unfolding(("main", {("l", 0): 1}), ("f", {})), avoid(1))
    assert once(EITHER, unfolding(("main", {("r", 0): 1}), ("h", {})), reach(1))


@pytest.mark.parametrize(
    ("decision", "reason"), [(avoid(0), "entry"), (avoid(3), "does not exist"), (reach(-1), "does not exist")]
)
def test_decisions_that_make_no_sense(decision: Decision, reason: str) -> None:
    partitions = checker(EITHER)
    rejected = partitions.check(UnfoldedProof(BOTH_CALLED, None, (decision,)))
    assert not rejected.holds
    assert reason in rejected.text
    assert partitions.check(UnfoldedProof(BOTH_CALLED, None, (avoid(1),))).holds, "the unfolding was not at fault"


SHARED = """\
var g: Int
proc main() -> () {
  b:
    goto l, r, m
  l:
    g := 1
    call f() -> ()
    goto z
  r:
    g := 2
    call f() -> ()
    goto z
  m:
    g := 0
    goto z
  z:
    assume (= g WANTED)
    return
}
proc f() -> () {
  b:
    call k() -> ()
    return
}
proc k() -> () {
  b:
    return
}
"""
ONE_F = unfolding(("main", {("l", 0): 1, ("r", 0): 1}), ("f", {("b", 0): 2}), ("k", {}))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(("wanted", "passing"), [("0", False), ("1", True), ("2", True)])
def test_a_shared_instance_is_passed_through_any_of_its_calls(number: int, wanted: str, passing: bool) -> None:
    text = SHARED.replace("WANTED", wanted)
    assert not once(text, ONE_F)
    assert once(text, ONE_F, avoid(number)) is passing
    assert once(text, ONE_F, reach(number)) is not passing


# --- growth ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2], ids=["new caller of the instance", "new caller above it"])
def test_reaching_an_instance_through_a_call_that_was_bound_later(number: int) -> None:
    partitions = checker(SHARED.replace("WANTED", "2"))
    instances = unfolding(("main", {("l", 0): 1}), ("f", {("b", 0): 2}), ("k", {}))
    reaching = UnfoldedProof(instances, None, (reach(number),))
    avoiding = replace(reaching, decisions=(avoid(number),))
    assert partitions.check(reaching).holds
    assert partitions.check(avoiding) == SATISFIABLE, "the other call is open"
    before = partitions.meaning(number)

    instances[0].callees["r", 0] = 1
    assert partitions.check(reaching) == SATISFIABLE
    assert partitions.check(avoiding).holds
    assert partitions.meaning(number) != before


def test_instances_and_calls_are_added_between_checks() -> None:
    partitions = checker(EITHER)
    instances = unfolding(("main", {}))
    assert partitions.check(UnfoldedProof(instances, None)) == SATISFIABLE
    instances[0].callees["r", 0] = 1
    instances += unfolding(("h", {}))
    assert partitions.check(UnfoldedProof(instances, None, (avoid(1),))) == SATISFIABLE
    assert partitions.check(UnfoldedProof(instances, None, (reach(1),))).holds
    instances[0].callees["l", 0] = 2
    instances += unfolding(("f", {}))
    assert partitions.check(UnfoldedProof(instances, None, (avoid(1), avoid(2)))).holds
    assert partitions.check(UnfoldedProof(instances, None, (avoid(1), reach(2)))) == SATISFIABLE


def test_an_instance_that_nothing_calls_yet() -> None:
    partitions = checker(EITHER)
    instances = unfolding(("main", {("r", 0): 2}), ("f", {}), ("h", {}))
    assert partitions.check(UnfoldedProof(instances, None, (reach(1),))).holds, "nothing passes it"
    instances[0].callees["l", 0] = 1
    assert partitions.check(UnfoldedProof(instances, None, (reach(1),))) == SATISFIABLE


COUNTING = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    call f() -> ()
    assume (= g 2)
    return
}
proc f() -> () {
  b:
    goto t, z
  t:
    g := (+ g 1)
    call f() -> ()
    goto z
  z:
    return
}
"""


def test_the_bound_is_raised_and_lowered() -> None:
    partitions = checker(COUNTING)
    instances = unfolding(("main", {("b", 0): 1}), ("f", {}))

    def accepted(bound: int | None, *decisions: Decision) -> bool:
        rejected = partitions.check(UnfoldedProof(instances, bound, decisions))
        assert rejected in (ACCEPTED, SATISFIABLE)
        return rejected.holds

    assert [accepted(bound) for bound in (1, 2, None)] == [True, False, False]
    instances[1].callees["t", 0] = 2
    instances += unfolding(("f", {}))
    assert [accepted(bound) for bound in (1, 2, 3, None)] == [True, True, False, False]
    instances[2].callees["t", 0] = 3
    instances += unfolding(("f", {}))
    assert [accepted(bound) for bound in (2, 3, None)] == [True, False, False], "calls beyond the bound don't count"
    assert accepted(3, avoid(3))
    assert accepted(3, reach(1), avoid(2))
    assert accepted(2, reach(3))
    assert not accepted(3, reach(3))


TWO_WAYS = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    goto l, r
  l:
    call f() -> ()
    goto z
  r:
    call f() -> ()
    goto z
  z:
    assume (= g 5)
    return
}
""" + COUNTING[COUNTING.index("proc f") :]


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_a_shorter_way_makes_calls_less_deep(depth: int) -> None:
    """A chain of so many f, of which only the last has an open call, and then another way to the second of them."""
    partitions = checker(TWO_WAYS)
    chain: list[tuple[str, dict[CallPlace, int]]] = [("f", {("t", 0): number}) for number in range(2, depth + 1)]
    instances = unfolding(("main", {("l", 0): 1}), *chain, ("f", {}))
    proof = UnfoldedProof(instances, depth, (reach(1),))
    assert partitions.check(proof).holds
    instances[0].callees["r", 0] = 2
    assert partitions.check(proof) == SATISFIABLE


def test_the_meaning_of_an_instance_does_not_depend_on_numbers() -> None:
    one, other, apart = (checker(SHARED.replace("WANTED", "1")) for _ in range(3))
    assert one.grow(UnfoldedProof(ONE_F, None)) is None
    renumbered = unfolding(("main", {("l", 0): 2, ("r", 0): 2}), ("k", {}), ("f", {("b", 0): 1}))
    assert other.grow(UnfoldedProof(renumbered, None)) is None
    two_f = unfolding(("main", {("l", 0): 1, ("r", 0): 3}), ("f", {("b", 0): 2}), ("k", {}), ("f", {}))
    assert apart.grow(UnfoldedProof(two_f, None)) is None
    assert [one.meaning(n) for n in (1, 2)] == [other.meaning(n) for n in (2, 1)]
    meanings = [partitions.meaning(n) for partitions in (one, apart) for n in range(1, 3)] + [apart.meaning(3)]
    assert len(set(meanings)) == len(meanings)


# --- wrong unfoldings -----------------------------------------------------------------------------------------------

SEQUENCE = """\
proc main() -> () {
  b:
    call f() -> ()
    goto c
  c:
    call f() -> ()
    assume false
    return
}
proc f() -> () {
  b:
    goto t, u
  t:
    call k() -> ()
    return
  u:
    call k() -> ()
    return
}
proc k() -> () {
  b:
    return
}
"""


def sequence() -> list[UnfoldedInstance]:
    """Both calls of the first f share a k; the second f is open."""
    return unfolding(("main", {("b", 0): 1, ("c", 0): 2}), ("f", {("t", 0): 3, ("u", 0): 3}), ("f", {}), ("k", {}))


@pytest.mark.parametrize(
    ("number", "place", "callee", "reason"),
    [
        (2, ("t", 0), 3, "twice below main"),
        (2, ("t", 0), 1, "another procedure"),
        (2, ("t", 0), 9, "does not exist"),
        (2, ("t", 0), 0, "does not exist"),
        (2, ("t", 1), 3, "does not make"),
        (1, ("t", 0), 4, "no longer binds"),
        (0, ("c", 0), 1, "no longer binds"),
    ],
)
def test_a_wrong_call_is_found_when_it_comes(number: int, place: CallPlace, callee: int, reason: str) -> None:
    partitions = checker(SEQUENCE)
    right = UnfoldedProof(sequence(), None, (reach(1),))
    assert partitions.check(right).holds
    wrong = UnfoldedProof([*sequence(), UnfoldedInstance("k", {})], None)
    assert partitions.check(wrong).holds
    wrong.instances[number].callees[place] = callee
    for proof in (wrong, wrong, right):  # an unfolding only grows, so it stays wrong
        rejected = partitions.check(proof)
        assert not rejected.holds
        assert reason in rejected.text
        assert not rejected.undecided


def test_a_call_of_one_execution_shares_what_another_one_gets_later() -> None:
    """The k is below both f before it is found that main calls both in one execution."""
    partitions = checker(SEQUENCE)
    instances = unfolding(("main", {("b", 0): 1}), ("f", {("t", 0): 2}), ("k", {}), ("f", {("u", 0): 2}))
    assert partitions.check(UnfoldedProof(instances, None)).holds
    instances[0].callees["c", 0] = 3
    rejected = partitions.check(UnfoldedProof(instances, None))
    assert not rejected.holds
    assert "twice below main" in rejected.text


def test_a_cycle_is_found_when_it_closes() -> None:
    partitions = checker(COUNTING)
    instances = unfolding(("main", {("b", 0): 1}), ("f", {("t", 0): 2}), ("f", {("t", 0): 3}), ("f", {}))
    assert partitions.check(UnfoldedProof(instances, 1)).holds
    instances[3].callees["t", 0] = 1
    rejected = partitions.check(UnfoldedProof(instances, 1))
    assert not rejected.holds
    assert "cycle" in rejected.text


@pytest.mark.parametrize(
    "changed",
    [sequence()[:3], [*sequence()[:3], UnfoldedInstance("f", {})], [UnfoldedInstance("main", {}), *sequence()[1:]]],
    ids=["an instance is gone", "an instance is of another procedure", "calls are open again"],
)
def test_nothing_is_taken_back(changed: list[UnfoldedInstance]) -> None:
    partitions = checker(SEQUENCE)
    assert partitions.check(UnfoldedProof(sequence(), None)).holds
    assert not partitions.check(UnfoldedProof(changed, None)).holds


def test_a_limit_leaves_the_proof_undecided_and_the_checker_usable() -> None:
    program = prepare(LayeredMaker(random.Random(5)).program(), ("main",))
    proof = proof_of(complete(Conditions(program.program), program.entry, lambda _: 1, never), None)
    partitions = PartitionChecker(program.program, program.entry, Z3Solver(profile=PLAIN))
    stopped = partitions.check(proof, cost_limit=1)
    assert not stopped.holds
    assert stopped.undecided
    assert partitions.check(proof) == check_unfolded(program.program, program.entry, proof, Z3Solver(profile=PLAIN))


# --- random programs ------------------------------------------------------------------------------------------------


class Case:
    """A random program with a complete unfolding, and choices by the same seed."""

    def __init__(self, number: int, *, layered: bool, shared: bool) -> None:
        self.pick = random.Random(number)
        made = LayeredMaker(self.pick, 2) if layered else ProgramMaker(self.pick, HIERARCHICAL)
        prepared = prepare(made.program(), ("main",))
        self.program, self.entry = prepared.program, prepared.entry
        conditions = Conditions(self.program)
        self.proof = proof_of(complete(conditions, self.entry, lambda _: 1, first if shared else never), None)

    def decisions(self, below: int) -> tuple[Decision, ...]:
        if below < 2:
            return ()
        return tuple(Decision(self.pick.randrange(1, below), self.pick.random() < 0.5) for _ in range(3))

    def growing(self, steps: int) -> list[UnfoldedProof]:
        """Parts of the unfolding, each within the next, the last one being all of it; each with decisions."""
        total = len(self.proof.instances)
        sizes = [*sorted(self.pick.randint(1, total) for _ in range(steps)), total]
        proofs = []
        revealed: set[tuple[int, CallPlace]] = set()
        for size in sizes:
            part = [
                UnfoldedInstance(instance.procedure, {}, instance.exclusive) for instance in self.proof.instances[:size]
            ]
            for number, instance in enumerate(self.proof.instances[:size]):
                for place, callee in instance.callees.items():
                    if (number, place) in revealed or (callee < size and self.pick.random() < 0.7):
                        revealed.add((number, place))
                        part[number].callees[place] = callee
            proofs.append(UnfoldedProof(part, None, self.decisions(size)))
        return [*proofs, replace(self.proof, decisions=self.decisions(total))]

    def fresh(self, proof: UnfoldedProof) -> Confirmation:
        return check_unfolded(self.program, self.entry, proof, Z3Solver(profile=PLAIN))

    def checker(self) -> PartitionChecker:
        return PartitionChecker(self.program, self.entry, Z3Solver(profile=PLAIN))


def executions(program: Program, proof: UnfoldedProof) -> Program:
    """The executions that the proof is about, as a program: a procedure for each instance, decisions as statements."""
    flags = {decision.instance: var(f"passed {decision.instance}", BOOL) for decision in proof.decisions}
    procedures = {}
    for number, instance in enumerate(proof.instances):
        procedure = program.procedures[instance.procedure]
        entry = procedure.entry.label
        passed = reachable(procedure.blocks, entry)  # the calls of other blocks are bound to nothing
        blocks = {label: _bound(block, instance) for label, block in procedure.blocks.items() if label in passed}
        start: list[Statement] = [Assign((flags[number],), (boolean(True),))] if number in flags else []
        start.extend(Assume(boolean(False)) for decision in proof.decisions if decision == avoid(number))
        if number == 0:
            start = [Assign((flag,), (boolean(False),)) for flag in flags.values()]
            reached = tuple(Assume(flags[decision.instance]) for decision in proof.decisions if decision.reach)
            for label, block in blocks.items():
                if not block.successors:
                    blocks[label] = replace(block, statements=(*block.statements, *reached))
        blocks[entry] = replace(blocks[entry], statements=(*start, *blocks[entry].statements))
        name = "main" if number == 0 else f"{procedure.name} {number}"
        procedures[name] = replace(procedure, name=name, blocks=blocks)
    return replace(program, globals=(*program.globals, *flags.values()), procedures=procedures)


def _bound(block: Block, instance: UnfoldedInstance) -> Block:
    statements: list[Statement] = []
    calls = 0
    for statement in block.statements:
        if isinstance(statement, Call):
            callee = instance.callees.get((block.label, calls))
            if callee is None:  # no execution reaches the block
                return replace(block, statements=(Assume(boolean(False)),))
            statement = replace(statement, procedure=f"{statement.procedure} {callee}")
            calls += 1
        statements.append(statement)
    return replace(block, statements=tuple(statements))


CASES = st.builds(Case, st.integers(0, 2**32 - 1), layered=st.booleans(), shared=st.booleans())


@settings(max_examples=60, deadline=None, database=None)
@given(CASES)
def test_a_growing_checker_says_what_a_fresh_one_says(case: Case) -> None:
    partitions = case.checker()
    for proof in case.growing(3):
        assert partitions.check(proof) == case.fresh(proof)


@settings(max_examples=60, deadline=None, database=None)
@given(CASES)
def test_a_partition_is_closed_iff_both_sides_of_its_split_are(case: Case) -> None:
    partitions = case.checker()
    for proof in case.growing(2):
        for number in range(1, len(proof.instances)):
            sides = [replace(proof, decisions=(*proof.decisions, side(number))) for side in (avoid, reach)]
            closed = [partitions.check(side).holds for side in sides]
            assert partitions.check(proof).holds == all(closed)


@settings(max_examples=60, deadline=None, database=None)
@given(CASES)
def test_decisions_mean_the_executions_that_pass_or_avoid_the_instance(case: Case) -> None:
    partitions = case.checker()
    for _ in range(4):
        proof = replace(case.proof, decisions=case.decisions(len(case.proof.instances))[:2])
        try:
            violated = Reference(executions(case.program, proof)).violates("main")
        except TooManyPaths:
            return
        assert partitions.check(proof).holds != violated
