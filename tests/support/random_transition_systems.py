"""Random small transition systems over integers, rationals and Booleans, and paths of them.

system = random_system(Random(7))
path = random_path(Random(7), system, 5)      # at most so many transitions, or None
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from cleave.ir.transition_system import ERROR, START, ControlLocation, Transition, TransitionSystem
from cleave.logic.sorts import BOOL, INT, REAL, Sort
from cleave.logic.terms import (
    Term,
    add,
    conj,
    conj_all,
    disj,
    distinct,
    div,
    eq,
    implies,
    integer,
    ite,
    le,
    lt,
    mod,
    mul,
    neg,
    real,
    sub,
    to_real,
    var,
)

_X, _Y, _Z, _U = var("x", INT), var("y", INT), var("z", INT), var("u", REAL)
_B, _C = var("b", BOOL), var("c", BOOL)
_INPUTS = (var("n", INT), var("i", BOOL))
_LOCATIONS = (
    ControlLocation("start"),
    ControlLocation("error"),
    ControlLocation("p", (_X, _Y, _U, _B)),
    ControlLocation("q", (_Y, _Z, _B, _C)),
)
_EDGES = ((0, 2), (0, 3), (2, 2), (2, 3), (3, 2), (3, 3), (2, 2), (3, 3), (2, 1), (3, 1))


def random_system(random: Random) -> TransitionSystem:
    return TransitionSystem(_LOCATIONS, tuple(_transition(random, source, target) for source, target in _EDGES))


def _transition(random: Random, source: int, target: int) -> Transition:
    known = _LOCATIONS[source].variables
    usable = (*known, *(_INPUTS if random.random() < 0.5 else ()))
    updates = []
    for variable in _LOCATIONS[target].variables:
        if variable in known and random.random() < 0.5:
            updates.append(variable)
        elif variable.sort is BOOL:
            updates.append(_formula(random, usable, random.randint(0, 1)))
        else:
            updates.append(_number(random, usable, variable.sort, random.randint(0, 2)))
    guard = conj_all(_formula(random, usable, random.randint(0, 2)) for _ in range(random.randint(0, 3)))
    return Transition(source, target, guard, tuple(updates))


def random_path(random: Random, system: TransitionSystem, most: int) -> tuple[int, ...] | None:
    """From START to ERROR; None if luck does not lead there within ``most`` steps."""
    at, path = START, list[int]()
    while at != ERROR and len(path) < most:
        choices = [number for number, transition in enumerate(system.transitions) if transition.source == at]
        path.append(random.choice(choices))
        at = system.transitions[path[-1]].target
    return tuple(path) if at == ERROR else None


def _number(random: Random, usable: Sequence[Term], sort: Sort, depth: int) -> Term:
    constant = integer if sort is INT else real
    of_sort = [variable for variable in usable if variable.sort is sort]
    kind = random.choice(("leaf", "leaf", "+", "-", "*", "div", "ite", "cast")) if depth else "leaf"

    def part(its_sort: Sort = sort) -> Term:
        return _number(random, usable, its_sort, depth - 1)

    match kind:
        case "+":
            return add(part(), part())
        case "-":
            return sub(part(), part())
        case "*":
            return mul(constant(random.randint(-3, 3)), part())
        case "div" if sort is INT:
            return random.choice((div, mod))(part(), integer(random.choice((2, 3, -2))))
        case "ite":
            return ite(_formula(random, usable, depth - 1), part(), part())
        case "cast" if sort is REAL:
            return to_real(part(INT))
        case _:
            return random.choice(of_sort) if of_sort and random.random() < 0.7 else constant(random.randint(-4, 4))


def _formula(random: Random, usable: Sequence[Term], depth: int) -> Term:
    kind = random.choice(("leaf", "leaf", "leaf", "and", "or", "not", "=>", "=", "distinct")) if depth else "leaf"

    def part() -> Term:
        return _formula(random, usable, depth - 1)

    def number(sort: Sort = INT) -> Term:
        return _number(random, usable, sort, 1)

    match kind:
        case "and":
            return conj(part(), part())
        case "or":
            return disj(part(), part())
        case "not":
            return neg(part())
        case "=>":
            return implies(part(), part())
        case "=":
            return eq(part(), part())
        case "distinct":
            return distinct(number(), number(), number())
    booleans = [variable for variable in usable if variable.sort is BOOL]
    if booleans and random.random() < 0.2:
        chosen = random.choice(booleans)
        return chosen if random.random() < 0.5 else neg(chosen)
    sort = random.choice((INT, INT, REAL))
    return random.choice((le, lt, eq))(number(sort), number(sort))
