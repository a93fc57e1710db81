"""The checker of thread proofs agrees with all interleavings, and accepts no claim that is wrong, whoever makes it."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product

import pytest

from cleave.engines.unfolding.instances import unfold
from cleave.errors import UnsupportedError
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.ir.shape import CUT, Body, Shape, is_cut
from cleave.logic.sorts import INT
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs.interleavings import Explored, TooLargeError, explore
from cleave.validate.proofs.schedules.check import Claim, checked
from cleave.validate.proofs.schedules.shape import WrongShapeError, check_shape
from cleave.validate.proofs.second_solver import MINISAT, Z3
from support.concurrent_programs import ConcurrentMaker, Features

UNWIND = 3
KINDS = {
    "plain": Features(),
    "arrays": Features(arrays=True),
    "loops": Features(loops=True, statements=2),
    "nested": Features(nested=True, statements=2),
    "numbers": Features(sort=INT),
}


@contextmanager
def unguarded(_interrupt: Callable[[], None]) -> Iterator[None]:
    yield


def shape_of(program: Program, unwind: int = UNWIND) -> list[Body]:
    return [thread.shape for thread in unfold(program, "main", unwind).threads]


def check(
    program: Program, shape: Shape, contexts: int | None, *, numbers: bool = False, rounds: int = 0
) -> Confirmation:
    claim = Claim(program, "main", shape, UNWIND, contexts, rounds, all_iterations=True)
    return checked(claim, Z3 if numbers else MINISAT, 60, unguarded)


def explored(program: Program) -> Explored | None:
    """None: there are too many states."""
    try:
        return explore(program, "main", states=2_500)
    except (TooLargeError, UnsupportedError):
        return None


@pytest.mark.parametrize(("kind", "seed"), list(product(KINDS, [1, 5, 9, 32, 40, 71])))
def test_the_same_as_all_interleavings(kind: str, seed: int) -> None:
    program = ConcurrentMaker(random.Random(seed), KINDS[kind]).program()
    found, shape = explored(program), shape_of(program)
    if found is None:
        pytest.skip("too many states")
    least = found.contexts
    for contexts in (2, 3, 4, None):
        violated = least is not None and (contexts is None or least <= contexts)
        outcome = check(program, shape, contexts, numbers=kind == "numbers")
        assert (outcome.holds, outcome.is_wrong) == (not violated, violated), (contexts, least, outcome)


@pytest.mark.parametrize("seed", [1, 5, 9, 32])
def test_a_violation_is_in_a_share(seed: int) -> None:
    """By the threads that run in the second and the third context: all four shares together are the whole."""
    program = ConcurrentMaker(random.Random(seed), Features()).program()
    found, shape = explored(program), shape_of(program)
    if found is None:
        pytest.skip("too many states")
    claim = Claim(program, "main", shape, UNWIND, 3)
    shares = [{(1, 0): bool(number & 1), (2, 0): bool(number & 2)} for number in range(4)]
    outcomes = [checked(replace(claim, shares=(share,)), MINISAT, 60, unguarded) for share in shares]
    violated = found.contexts is not None and found.contexts <= 3
    assert any(outcome.is_wrong for outcome in outcomes) == violated
    assert checked(replace(claim, shares=tuple(shares)), MINISAT, 60, unguarded).is_wrong == violated
    if violated and found.contexts == 3:
        assert any(outcome.holds for outcome in outcomes)


# --- wrong claims -----------------------------------------------------------------------------------------------------


def bodies(shape: Shape) -> list[Body]:
    found, pending = [], list(shape)
    while pending:
        body = pending.pop()
        found.append(body)
        pending += [called for node in body.nodes for called in node.calls.values() if called is not None]
    return found


MISTAKES = ("cut a way", "lose a way", "lead elsewhere", "lose a call", "lose a thread", "swap", "cut here")


def mutant(shape: Shape, pick: random.Random) -> list[Body] | None:
    """A shape with one mistake in it; None if there is no place for it."""
    made = copy.deepcopy(list(shape))
    body = pick.choice(bodies(made))
    node = pick.choice(body.nodes)
    match pick.choice(
        ("cut a way", "lose a way", "lead elsewhere", "lose a call", "lose a thread", "swap", "cut here")
    ):
        case "cut a way" if node.ways:
            node.ways[pick.choice(list(node.ways))] = CUT
        case "lose a way" if node.ways:
            del node.ways[pick.choice(list(node.ways))]
        case "lead elsewhere" if node.ways and len(body.nodes) > 1:
            node.ways[pick.choice(list(node.ways))] = pick.randrange(len(body.nodes))
        case "lose a call" if node.calls:
            place = pick.choice(list(node.calls))
            if pick.random() < 0.5:
                node.calls[place] = None
            else:
                del node.calls[place]
        case "lose a thread" if node.spawns:
            place = pick.choice(list(node.spawns))
            if pick.random() < 0.5:
                node.spawns[place] = CUT
            else:
                del node.spawns[place]
        case "swap" if len(body.nodes) > 1:
            body.nodes[0], body.nodes[1] = body.nodes[1], body.nodes[0]
        case "cut here":
            node.cut = True
        case _:
            return None
    return made


@pytest.mark.parametrize("seed", range(12))
def test_no_wrong_shape_makes_a_violation_disappear(seed: int) -> None:
    """All mutants of a proof about a program that can be violated are refused."""
    pick = random.Random(seed)
    features = pick.choice([Features(loops=True, statements=2), Features(nested=True, statements=2), Features()])
    made = 0
    for _ in range(40):
        program = ConcurrentMaker(random.Random(pick.randrange(10_000)), features).program()
        found, shape = explored(program), shape_of(program)
        if found is None or found.contexts is None:
            continue
        for _ in range(6):
            wrong = mutant(shape, pick)
            if wrong is not None:
                made += 1
                assert not check(program, wrong, found.contexts).holds
                assert not check(program, wrong, None).holds
        if made > 20:
            break
    assert made > 20


LOOP = """var x: (_ BitVec 8)
proc main() -> () [entry] {
  local t: (_ BitVec 8)
  start:
    x := #x00
    spawn count() -> (t)
    assert (not (= x #x05))
    return
}
proc count() -> () {
  start:
    goto again
  again:
    goto more, done
  more:
    x := (bvadd x #x01)
    goto again
  done:
    return
}
"""


def test_a_bound_that_takes_part_is_seen() -> None:
    program = read_program(LOOP)
    for unwind, violated in ((2, False), (4, False), (5, True)):
        shape = shape_of(program, unwind)
        assert is_cut(shape)
        for contexts in (3, None):
            claim = Claim(program, "main", shape, unwind, contexts)
            outcome = checked(claim, MINISAT, 60, unguarded)
            assert (outcome.holds, outcome.is_wrong) == (not violated, violated)
            beyond = Claim(program, "main", shape, unwind, contexts, all_iterations=True)
            assert checked(beyond, MINISAT, 60, unguarded).is_wrong


def test_nothing_is_cut_off_within_the_bound() -> None:
    program = read_program(LOOP)
    shape = shape_of(program, 2)
    assert not check_shape(program, "main", shape, 2)
    assert check_shape(program, "main", shape, 3)  # a bound that is larger than what was unfolded
    assert checked(Claim(program, "main", shape, 2, 3), MINISAT, 60, unguarded).holds
    assert checked(Claim(program, "main", shape, 3, 3), MINISAT, 60, unguarded).is_wrong
    with pytest.raises(WrongShapeError, match="does not run the entry"):
        check_shape(program, "main", shape[1:], 2)
    with pytest.raises(WrongShapeError, match="is not there"):
        check_shape(program, "main", [shape[0], Body("count")][:1], 2)
    elsewhere = copy.deepcopy(shape)
    elsewhere[1].nodes[0].ways = {"done": 1}
    with pytest.raises(WrongShapeError, match="does not lead to done"):
        check_shape(program, "main", elsewhere, 2)


@pytest.mark.parametrize("rounds", [1, 2])
def test_rounds(rounds: int) -> None:
    program = read_program(LOOP.replace("#x05", "#x01"))
    outcome = check(program, shape_of(program), 1, rounds=rounds)
    assert outcome.is_wrong
    safe = read_program(LOOP.replace("(not (= x #x05))", "(bvule x #xff)"))
    claim = Claim(safe, "main", shape_of(safe), UNWIND, None, rounds)
    assert checked(claim, MINISAT, 60, unguarded).holds
