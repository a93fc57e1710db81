"""Loops that count, taken many rounds at a time: what is added are facts of the loop, and evidence comes back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import product
from random import Random
from typing import Any

import pytest

from cleave.engines.pdr.spacer.run import STRATEGIES, SafeAnswer, SpacerRun, UnsafeAnswer
from cleave.errors import UnsupportedError
from cleave.ir.horn import Clause, HornSystem
from cleave.logic.sorts import BOOL, INT, array, bitvec
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Op,
    Term,
    add,
    bv,
    bv_binary,
    bv_compare,
    conj,
    conj_all,
    const_array,
    div,
    eq,
    ge,
    gt,
    ite,
    le,
    lt,
    mod,
    mul,
    neg,
    store,
    var,
)
from cleave.passes.horn.accelerate import accelerate
from cleave.passes.horn.step import Pass
from cleave.validate.semantics.evaluate import World, evaluate
from support.horn_systems import broken_clause, broken_step
from support.pdr_runs import N, X, Y, Z, atom, pairs, query, rule, system

B = var("b", BOOL)
STRATEGY = {strategy.name: strategy for strategy in STRATEGIES}["global"]


def added(given: HornSystem) -> tuple[Clause, ...]:
    faster = accelerate(given)
    return () if faster is None else faster.system.clauses[len(given.clauses) :]


def solve(given: HornSystem) -> str:
    """What SPACER says with little effort, with evidence of the given clauses."""
    faster = accelerate(given)
    assert faster is not None
    with SpacerRun(faster.system, STRATEGY, slice_cost=10**9, cost_limit=3_000_000) as run:
        event = run.resume()
    match event:
        case SafeAnswer():
            assert broken_clause(given, faster.interpretation(event.interpretation)) is None
            return "safe"
        case UnsafeAnswer():
            return _refuted(given, faster, event)
        case _:
            return "unknown"


def _refuted(given: HornSystem, faster: Pass, answer: UnsafeAnswer) -> str:
    assert answer.derivation is not None
    filled = faster.derivation(answer.derivation)
    assert all(step.clause < len(given.clauses) for step in filled.steps)
    assert broken_step(given, filled) is None
    return f"unsafe in {len(filled.steps)}"


def phases(bad: Term) -> HornSystem:
    """x goes up by one, and y with it from x = 150 on."""
    return system(
        rule(atom("at", N(0), N(150)), TRUE),
        rule(atom("at", add(X, N(1)), ite(ge(X, N(150)), add(Y, N(1)), Y)), TRUE, atom("at", X, Y)),
        query(conj(eq(X, N(300)), bad), atom("at", X, Y)),
    )


def test_two_phases_of_many_rounds() -> None:
    assert solve(phases(neg(eq(X, Y)))) == "safe"
    assert solve(phases(eq(X, Y))) == "unsafe in 302"


def test_each_case_that_counts_has_a_rule() -> None:
    first, second = added(phases(TRUE))
    for made in (first, second):
        assert made.head is not None
        assert [a.predicate for a in (made.head, *made.body)] == ["at", "at"]
    assert len(first.variables()) == 3  # and the number of rounds


def until(start: int, end: int, bad: Term) -> HornSystem:
    """y counts the rounds until x is ``end``."""
    return system(
        rule(atom("at", N(start), N(0)), TRUE),
        rule(atom("at", add(X, N(1)), add(Y, N(1))), neg(eq(X, N(end))), atom("at", X, Y)),
        query(conj(eq(X, N(end)), bad), atom("at", X, Y)),
    )


def test_an_inequality_is_read_in_both_ways() -> None:
    """Below the end a loop counts up to it; above, it counts on and on."""
    below, above = added(until(0, 300, TRUE))
    assert below.constraint is not above.constraint
    assert solve(until(0, 300, neg(eq(Y, N(300))))) == "safe"
    assert solve(until(0, 300, eq(Y, N(300)))) == "unsafe in 302"
    assert solve(until(7, 3, TRUE)) == "safe"


def test_a_boolean_tells_the_place() -> None:
    """It counts to 1000 at the first place, and goes on to the second one."""
    goes_on = ge(X, N(1000))
    given = system(
        rule(atom("at", FALSE, N(0)), TRUE),
        rule(atom("at", goes_on, ite(goes_on, X, add(X, N(1)))), neg(B), atom("at", B, X)),
        query(conj(B, neg(eq(X, N(1000)))), atom("at", B, X)),
    )
    assert len(added(given)) == 1
    assert solve(given) == "safe"


def test_a_variable_that_is_set_but_not_read() -> None:
    given = system(
        rule(atom("at", N(0), N(7)), TRUE),
        rule(atom("at", add(X, N(2)), mul(N(3), X)), lt(X, N(300)), atom("at", X, Y)),
        query(conj(eq(X, N(100)), eq(Y, N(294))), atom("at", X, Y)),
    )
    assert solve(given) == "unsafe in 52"


def test_an_input_stays_the_same() -> None:
    given = system(
        rule(atom("at", N(0), N(0)), TRUE),
        rule(atom("at", add(X, N(1)), Z), conj(lt(X, Z), le(Z, N(200))), atom("at", X, Y)),
        query(eq(X, N(150)), atom("at", X, Y)),
    )
    assert solve(given) == "unsafe in 152"


def test_quotients_stay_and_remainders_have_cases() -> None:
    """x = y + z, where y grows by 100 when x has, and z counts from 0 to 99."""
    grown = ite(eq(div(Y, N(100)), div(add(X, N(1)), N(100))), Y, add(Y, N(100)))
    given = system(
        rule(atom("at", N(0), N(0), N(0)), TRUE),
        rule(atom("at", add(X, N(1)), grown, mod(add(Z, N(1)), N(100))), TRUE, atom("at", X, Y, Z)),
        query(neg(eq(X, add(Y, Z))), atom("at", X, Y, Z)),
    )
    assert solve(given) == "safe"


def test_steps_of_two_keep_a_number_even() -> None:
    given = system(
        rule(atom("at", N(0)), TRUE),
        rule(atom("at", ite(eq(mod(X, N(2)), N(0)), add(X, N(2)), add(X, N(1)))), TRUE, atom("at", X)),
        query(eq(X, N(401)), atom("at", X)),
    )
    assert solve(given) == "safe"


def test_what_does_not_count() -> None:
    memory = var("m", array(INT, INT))
    start = rule(atom("at", N(0), N(0)), TRUE)
    asked = query(gt(X, N(3)), atom("at", X, Y))
    assert accelerate(pairs(8)) is not None
    for update in (atom("at", mul(N(2), X), Y), atom("at", add(X, Y), add(Y, N(1))), atom("at", add(X, Z), Y)):
        assert accelerate(system(start, rule(update, TRUE, atom("at", X, Y)), asked)) is None
    once = rule(atom("at", add(X, N(1)), Y), eq(X, N(5)), atom("at", X, Y))
    assert accelerate(system(start, once, asked)) is None
    filled = rule(atom("in", store(memory, X, X), add(X, N(1))), TRUE, atom("in", memory, X))
    assert accelerate(system(rule(atom("in", const_array(INT, N(0)), N(0)), TRUE), filled)) is None


def test_what_takes_too_many_rounds_is_said() -> None:
    given = system(
        rule(atom("at", N(0)), TRUE),
        rule(atom("at", add(X, N(1))), TRUE, atom("at", X)),
        query(eq(X, N(2_000_000)), atom("at", X)),
    )
    with pytest.raises(UnsupportedError, match="takes more than 50000 steps"):
        solve(given)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_added_are_facts_of_the_loop(seed: int) -> None:
    """Counted out: whatever an added rule gives from small numbers, the loop gives in as many rounds."""
    random = Random(seed)
    loop = _random_loop(random)
    steps = cache(partial(_steps, loop))
    given = system(rule(atom("at", N(0), N(0)), TRUE), loop, query(gt(X, N(30)), atom("at", X, Y)))
    for made in added(given):
        assert made.head is not None
        others = sorted(made.variables().difference(made.body[0].arguments), key=lambda v: v.name)
        for start in product(range(-3, 7), repeat=2):
            reached: set[tuple[int, ...]] | None = None
            every = product(range(-2, 4), repeat=len(others))
            some = every if len(others) < 2 else (random.choices(range(-2, 4), k=len(others)) for _ in range(8))
            for values in some:
                state = dict(zip(made.body[0].arguments, start, strict=True)) | dict(zip(others, values, strict=True))
                if _value(made.constraint, state):
                    reached = _reached(steps, start) if reached is None else reached
                    assert tuple(_value(argument, state) for argument in made.head.arguments) in reached


BYTE = var("x", bitvec(8))
U, V, W = (var(name, bitvec(width)) for name, width in (("u", 3), ("v", 3), ("w", 2)))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_added_for_bit_vectors_are_facts_of_the_loop(seed: int) -> None:
    """From every state, with every number of rounds; the loops have no inputs."""
    loop = _loop_of_bits(Random(seed))
    zeros = (bv(0, 3), bv(0, 3), bv(0, 2))
    given = system(rule(atom("at", *zeros), TRUE), loop, query(eq(U, V), atom("at", U, V, W)))
    for made in added(given):
        assert made.head is not None
        assert loop.head is not None
        variables = made.body[0].arguments
        (rounds,) = made.variables().difference(variables)
        constraint = compiled((*variables, rounds), (made.constraint, *made.head.arguments))
        once = compiled((U, V, W), (loop.constraint, *loop.head.arguments))
        for start in product(range(8), range(8), range(4)):
            states: list[tuple[int, ...] | None] = [start]
            for _ in range(9):
                last = states[-1]
                held, *after = (False,) if last is None else once(*last)
                states.append(tuple(after) if held else None)
            for count in range(8):
                holds, *end = constraint(*start, count)
                assert not holds or tuple(end) == states[count + 1]


def compiled(variables: tuple[Term, ...], terms: tuple[Term, ...]) -> Callable[..., tuple[Any, ...]]:
    @cache
    def values(*state: int) -> tuple[Any, ...]:
        known = dict(zip(variables, state, strict=True))
        return tuple(_value(term, known) for term in terms)

    return values


def _loop_of_bits(random: Random) -> Clause:
    operators = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)

    def compared() -> Term:
        left, right = random.choice((U, V)), random.choice((U, V, bv(random.randint(0, 7), 3)))
        made = random.choice((eq(left, right), bv_compare(random.choice(operators), left, right)))
        return neg(made) if random.random() < 0.5 else made

    def updated(variable: Term) -> Term:
        step = bv(random.choice((0, 1, 1, 2, 3, -1, -1, -2)), variable.sort.width)
        return bv_binary(Op.BV_ADD, variable, step)

    guard = conj_all(compared() for _ in range(random.randint(1, 2)))
    return rule(atom("at", updated(U), updated(V), updated(W)), guard, atom("at", U, V, W))


def wrapping(low: int, end: int, bad: Term, op: Op = Op.BV_ULT) -> HornSystem:
    """Counts from ``low`` by three while it is less than ``end``, in eight bits."""
    return system(
        rule(atom("at", bv(low, 8)), TRUE),
        rule(atom("at", bv_binary(Op.BV_ADD, BYTE, bv(3, 8))), bv_compare(op, BYTE, bv(end, 8)), atom("at", BYTE)),
        query(bad, atom("at", BYTE)),
    )


def test_bit_vectors_count_until_they_wrap_around() -> None:
    assert solve(wrapping(0, 240, bv_compare(Op.BV_ULT, bv(243, 8), BYTE))) == "safe"
    assert solve(wrapping(0, 240, eq(BYTE, bv(240, 8)))) == "unsafe in 82"
    assert solve(wrapping(-120, 0, eq(BYTE, bv(-3, 8)), Op.BV_SLT)) == "unsafe in 41"
    assert solve(wrapping(250, 255, eq(BYTE, bv(3, 8)))) == "unsafe in 5"  # past 255, and begins again at 0


def _random_loop(random: Random) -> Clause:
    numbers = [X, Y, Z, N(random.randint(-1, 6))]

    def compared() -> Term:
        left = random.choice(numbers[:2])
        if random.random() < 0.3:
            divided = random.choice((mod, div))(left, N(random.randint(2, 3)))
            return eq(divided, N(random.randint(0, 1)))
        made = random.choice((lt, le, eq))(left, random.choice(numbers))
        return neg(made) if random.random() < 0.4 else made

    def updated(variable: Term) -> Term:
        stepped = [add(variable, N(random.randint(-2, 2))) for _ in range(2)]
        kinds = [variable, *stepped, ite(compared(), *stepped), mod(stepped[0], N(3)), random.choice(numbers)]
        return random.choice(kinds)

    guard = conj_all(compared() for _ in range(random.randint(0, 2)))
    within = conj(le(N(-2), Z), le(Z, N(3)))  # the only input
    return rule(atom("at", updated(X), updated(Y)), conj(guard, within), atom("at", X, Y))


def _steps(loop: Clause, x: int, y: int) -> set[tuple[int, ...]]:
    assert loop.head is not None
    return {
        tuple(_value(argument, state) for argument in loop.head.arguments)
        for z in range(-2, 4)
        if _value(loop.constraint, state := {X: x, Y: y, Z: z})
    }


def _reached(
    steps: Callable[[int, int], set[tuple[int, ...]]], start: tuple[int, ...], rounds: int = 4
) -> set[tuple[int, ...]]:
    """By up to so many rounds: an added rule has one more than its variable says, which is at most 3 here."""
    found, last = set[tuple[int, ...]](), {start}
    for _ in range(rounds):
        last = {to for x, y in last for to in steps(x, y)}
        found |= last
    return found


def _value(term: Term, state: dict[Term, int]) -> Any:
    return evaluate(term, state.__getitem__, World())
