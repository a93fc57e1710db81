"""Partitions: what another worker is told means the same to it, confines its search, and halves make up the whole."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.findings import Violation
from cleave.engines.inline.alone import make_search
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import Choose, Merging, at_random, first, largest, never
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.partition import Decision, describe
from cleave.engines.inline.proof import ProofWriter
from cleave.engines.inline.stratified import NoViolation, Outcome, Search
from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding
from cleave.ir.path import Enter, Leave, Path, Visit
from cleave.ir.reader import read_program
from cleave.passes.prepare import Prepared, prepare
from cleave.smt.z3.solver import PLAIN, Z3Solver
from cleave.validate.proofs.unfolded import PartitionChecker
from cleave.validate.violations.confirm import validate_trace
from support.hydra_runs import BOUNDS, random_program
from support.programs import LayeredMaker

SEEDS = st.integers(0, 2**32 - 1)
MERGINGS = st.sampled_from((Merging.FIRST, Merging.TREE, Merging.MAXC, Merging.RANDOM, Merging.OPT))


def prepared_program(pick: random.Random) -> Prepared:
    return prepare(random_program(pick), ("main",))


def some_choice(pick: random.Random) -> Choose:
    return pick.choice((first, largest, never, at_random(pick.randrange(100), 0.3)))


# --- unfoldings -----------------------------------------------------------------------------------------------------


def grow(unfolding: Unfolding, pending: list[OpenCall], pick: random.Random, choose: Choose, most: int) -> None:
    """Binds calls in any order until there are so many instances."""
    while pending and len(unfolding.instances) < most:
        call = pending.pop(pick.randrange(len(pending)))
        shared = choose(unfolding, call)
        if shared is not None:
            unfolding.merge(call, shared)
        else:
            pending += unfolding.open_calls(unfolding.inline(call))


def grown(prepared: Prepared, pick: random.Random, most: int = 25) -> tuple[Unfolding, list[OpenCall]]:
    """An unfolding and its open calls."""
    unfolding = Unfolding(Conditions(prepared.program), prepared.entry)
    pending = unfolding.open_calls(unfolding.root)
    grow(unfolding, pending, pick, some_choice(pick), pick.randint(2, most))
    return unfolding, pending


def some_decisions(unfolding: Unfolding, pick: random.Random) -> tuple[Decision, ...]:
    numbers = range(1, len(unfolding.instances))
    chosen = pick.sample(numbers, min(len(numbers), pick.randint(1, 4)))
    return tuple(Decision(number, pick.random() < 0.5) for number in chosen)


def meanings(unfolding: Unfolding, decisions: tuple[Decision, ...]) -> list[bytes]:
    return [unfolding.meaning(unfolding.instances[decision.instance]) for decision in decisions]


def search_of(prepared: Prepared, merging: Merging = Merging.FIRST) -> Search:
    options = InlineOptions(merging=merging, bounds=BOUNDS)
    return make_search(prepared, Conditions(prepared.program), options, Z3Solver())


@settings(max_examples=40, deadline=None, database=None)
@given(SEEDS)
def test_what_is_rebuilt_means_the_same(number: int) -> None:
    pick = random.Random(number)
    prepared = prepared_program(pick)
    unfolding, _ = grown(prepared, pick)
    decisions = some_decisions(unfolding, pick)
    partition = describe(unfolding, decisions, bound=1)
    rebuilt = search_of(prepared)
    rebuilt.rebuild(partition.bindings())
    assert [decision.reach for decision in partition.decisions] == [decision.reach for decision in decisions]
    assert meanings(rebuilt.unfolding, partition.decisions) == meanings(unfolding, decisions)
    assert describe(rebuilt.unfolding, partition.decisions, bound=1) == partition, "nothing is left to prune"
    if partition.decisions:
        other = partition.flipped()
        assert other.decisions[:-1] == partition.decisions[:-1]
        assert other.decisions[-1] == Decision(partition.decisions[-1].instance, not partition.decisions[-1].reach)
        assert other.flipped() == partition


@settings(max_examples=40, deadline=None, database=None)
@given(SEEDS)
def test_engine_and_validator_agree_on_what_an_instance_means(number: int) -> None:
    pick = random.Random(number)
    prepared = prepared_program(pick)
    unfolding, _ = grown(prepared, pick)
    writer = ProofWriter(unfolding)
    checker = PartitionChecker(prepared.program, prepared.entry, Z3Solver(profile=PLAIN))
    assert checker.grow(writer.proof(None)) is None
    found = [unfolding.meaning(instance) for instance in unfolding.instances]
    assert found == [checker.meaning(writer.number(instance.number)) for instance in unfolding.instances]
    assert len(set(found)) == len(found), "instances that differ have different meanings"


@settings(max_examples=40, deadline=None, database=None)
@given(SEEDS)
def test_no_call_is_bound_to_what_leads_to_a_frozen_instance(number: int) -> None:
    pick = random.Random(number)
    prepared = prepared_program(pick)
    unfolding, pending = grown(prepared, pick, 12)
    decisions = some_decisions(unfolding, pick)
    before = meanings(unfolding, decisions)
    for decision in decisions:
        unfolding.freeze(unfolding.instances[decision.instance])
    grow(unfolding, pending, pick, some_choice(pick), 60)
    assert meanings(unfolding, decisions) == before


def test_freezing_matters() -> None:
    """Without it, the calls of a layered program would be bound to what was decided on."""
    changed = 0
    for seed in range(40):
        pick = random.Random(seed)
        prepared = prepare(LayeredMaker(pick, 3).program(), ("main",))
        unfolding, pending = grown(prepared, pick, 12)
        decisions = some_decisions(unfolding, pick)
        before = meanings(unfolding, decisions)
        grow(unfolding, pending, pick, first, 60)
        changed += meanings(unfolding, decisions) != before
    assert changed > 5


# --- what is left out -----------------------------------------------------------------------------------------------


def executions(instance: Instance) -> Iterator[frozenset[int]]:
    """For each way through ``instance`` that control allows, the instances that it passes; open calls are skipped."""
    pending = [(instance.condition.entry, [frozenset({instance.number})])]
    while pending:
        block, sets = pending.pop()
        for call in instance.condition.calls_of_block[block]:
            callee = instance.callees[call] if isinstance(call, int) else None
            if callee is not None:
                sets = [one | other for one, other in product(sets, set(executions(callee)))]
        successors = [successor for successor, _ in instance.condition.edges[block]]
        pending += [(successor, sets) for successor in successors]
        if not successors:
            yield from sets


def kept(unfolding: Unfolding, decisions: tuple[Decision, ...]) -> set[int]:
    """The numbers of the instances that the partition tells of, as they are here."""
    found = {0: unfolding.root}
    for caller, index, callee in describe(unfolding, decisions, 1).bindings():
        instance = found[caller].callees[index]
        assert instance is not None
        assert found.setdefault(callee, instance) is instance
    return {instance.number for instance in found.values()}


@settings(max_examples=40, deadline=None, database=None)
@given(SEEDS)
def test_what_executions_of_the_partition_pass_is_kept_and_little_else(number: int) -> None:
    pick = random.Random(number)
    unfolding, _ = grown(prepared_program(pick), pick, 10)
    decisions = some_decisions(unfolding, pick)
    allowed = [
        passed
        for passed in executions(unfolding.root)
        if all((decision.instance in passed) == decision.reach for decision in decisions)
    ]
    decided = [unfolding.instances[decision.instance] for decision in decisions]
    leading = {ancestor.number for instance in decided for ancestor in unfolding.ancestors(instance)}
    needed = leading.union(*allowed)
    assert needed <= kept(unfolding, decisions)
    if len(decisions) == 1 and decisions[0].reach:
        assert needed == kept(unfolding, decisions)


# --- confined searches ----------------------------------------------------------------------------------------------


def passed_by(unfolding: Unfolding, path: Path) -> set[int]:
    """The instances that the path passes; what was executed in place has none."""
    passed: set[int] = set()
    stack: list[tuple[Instance | None, str, int]] = []  # instance, block, calls of the block already made
    for step in path:
        match step:
            case Enter():
                instance: Instance | None = unfolding.root
                if stack:
                    caller, block, made = stack.pop()
                    stack.append((caller, block, made + 1))
                    call = caller.condition.calls_of_block[block][made] if caller is not None else ()
                    instance = caller.callees[call] if caller is not None and isinstance(call, int) else None
                    assert instance is not None or not isinstance(call, int), "the path makes an open call"
                if instance is not None:
                    passed.add(instance.number)
                stack.append((instance, "", 0))
            case Visit(block):
                stack.append((stack.pop()[0], block, 0))
            case Leave():
                stack.pop()
    return passed


def finish(search: Search) -> Outcome:
    steps = search.run(BOUNDS)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome


def confine(search: Search, decisions: tuple[Decision, ...]) -> Outcome:
    search.decisions = decisions
    for decision in decisions:
        search.unfolding.freeze(search.unfolding.instances[decision.instance])
    return finish(search)


def begun(prepared: Prepared, pick: random.Random, merging: Merging) -> Search | None:
    """A search that has inlined something; None if there was nothing to inline."""
    search = search_of(prepared, merging)
    for _ in islice(search.run(BOUNDS), pick.randint(1, 6)):
        pass
    return search if len(search.unfolding.instances) > 1 else None


def confirms(prepared: Prepared, search: Search, outcome: NoViolation) -> bool:
    """Whether the validator agrees that there is nothing in the partition."""
    checker = PartitionChecker(prepared.program, prepared.entry, Z3Solver(profile=PLAIN))
    bound = outcome.bound if outcome.needs_bound else None
    return checker.check(ProofWriter(search.unfolding).proof(bound, search.decisions)).holds


@settings(max_examples=50, deadline=None, database=None)
@given(SEEDS, MERGINGS)
def test_violations_pass_what_must_be_reached_and_avoid_what_must_be_avoided(number: int, merging: Merging) -> None:
    pick = random.Random(number)
    program = random_program(pick)
    prepared = prepare(program, ("main",))
    search = begun(prepared, pick, merging)
    if search is None:
        return
    decisions = some_decisions(search.unfolding, pick)[: pick.choice((1, 1, 2, 3))]
    outcome = confine(search, decisions)
    if isinstance(outcome, Violation):
        passed = passed_by(search.unfolding, outcome.evidence)
        assert all((decision.instance in passed) == decision.reach for decision in decisions)
        judged = validate_trace(program, "main", prepared.lift(outcome.evidence))
        assert judged.holds, judged
    else:
        assert isinstance(outcome, NoViolation)
        assert confirms(prepared, search, outcome)


@settings(max_examples=30, deadline=None, database=None)
@given(SEEDS, MERGINGS)
def test_the_whole_is_safe_iff_both_halves_are(number: int, merging: Merging) -> None:
    pick = random.Random(number)
    prepared = prepared_program(pick)
    whole = finish(search_of(prepared, merging))
    search = begun(prepared, pick, merging)
    if search is None:
        return
    chosen = pick.randrange(1, len(search.unfolding.instances))
    search.unfolding.freeze(search.unfolding.instances[chosen])
    sent = describe(search.unfolding, (Decision(chosen, True),), bound=1)
    halves: list[bool] = []
    for partition in (sent, sent.flipped()):
        here = confine(search, (Decision(chosen, partition.decisions[0].reach),))
        elsewhere = search_of(prepared, merging)
        elsewhere.rebuild(partition.bindings())
        there = confine(elsewhere, partition.decisions)
        halves.append(isinstance(there, NoViolation))
        assert isinstance(here, NoViolation) == isinstance(there, NoViolation), "whoever solves it"
        for done, outcome in ((search, here), (elsewhere, there)):
            assert not isinstance(outcome, NoViolation) or confirms(prepared, done, outcome)
    assert all(halves) == isinstance(whole, NoViolation)


ROUTES = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    goto t, u
  t:
    call f() -> ()
    goto z
  u:
    call f() -> ()
    goto z
  z:
    call h() -> ()
    assert (< g 2)
    return
}
proc f() -> () {
  b:
    call h() -> ()
    return
}
proc h() -> () {
  b:
    goto t, u
  t:
    g := (+ g 1)
    return
  u:
    return
}
"""


@pytest.mark.parametrize("block", ["t", "u"])
def test_a_shared_instance_is_reached_by_either_of_its_calls(block: str) -> None:
    """Instance 1 is f for both branches, 2 is h in it, 3 is h after it; one branch is closed by hand."""
    text = ROUTES.replace(f"  {block}:\n    call f()", f"  {block}:\n    assume (< g 0)\n    call f()")
    prepared = prepare(read_program(text), ("main",))
    search = search_of(prepared)
    search.rebuild([(0, 0, 1), (0, 1, 1), (1, 0, 2), (0, 2, 3)])
    for shared in (1, 2):
        outcome = confine(search, (Decision(shared, True),))
        assert isinstance(outcome, Violation)
        assert passed_by(search.unfolding, outcome.evidence) == {0, 1, 2, 3}
        outcome = confine(search, (Decision(shared, False),))
        assert isinstance(outcome, NoViolation)
        assert confirms(prepared, search, outcome)
