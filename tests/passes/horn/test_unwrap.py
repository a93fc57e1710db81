"""Arithmetic that does not go round in its clause: written without that, where the bounds say so and only there."""

from __future__ import annotations

from itertools import product

from cleave.ir.horn import Atom, Clause
from cleave.logic.sorts import INT
from cleave.logic.terms import Term, add, conj, disj, eq, implies, integer, ite, le, lt, mod, mul, neg, sub, var
from cleave.passes.horn.unwrap import unwrapped
from cleave.validate.semantics.evaluate import World, evaluate

X, Y = var("x", INT), var("y", INT)


def N(value: int) -> Term:  # noqa: N802
    return integer(value)


def wrap(term: Term) -> Term:
    """To signed numbers of four bits."""
    return sub(mod(add(term, N(8)), N(16)), N(8))


def head(constraint: Term, argument: Term) -> Term:
    made = unwrapped(Clause(Atom("P", (argument,)), (), constraint)).head
    assert made is not None
    return made.arguments[0]


def test_within_bounds() -> None:
    assert head(conj(le(N(0), X), lt(X, N(4))), mod(mul(X, N(4)), N(16))) is mul(X, N(4))
    assert head(conj(le(N(0), X), neg(lt(N(3), X))), mod(mul(X, N(4)), N(16))) is mul(X, N(4))
    above = ite(lt(N(7), add(X, N(1))), sub(add(X, N(1)), N(16)), add(X, N(1)))
    assert head(le(X, N(6)), above) is add(X, N(1))


def test_at_the_edge() -> None:
    given = mod(mul(X, N(4)), N(16))
    assert head(conj(le(N(0), X), le(X, N(4))), given) is given
    assert head(lt(X, N(4)), given) is given


def test_bounds_of_a_part_are_for_that_part() -> None:
    inside = conj(le(N(0), X), le(X, N(3)), eq(mod(X, N(8)), Y))
    given = disj(inside, eq(mod(X, N(8)), Y))
    made = unwrapped(Clause(None, (), implies(lt(Y, X), given))).constraint
    assert made is implies(lt(Y, X), disj(conj(le(N(0), X), le(X, N(3)), eq(X, Y)), eq(mod(X, N(8)), Y)))


def test_the_clause_means_the_same() -> None:
    parts = [wrap(add(X, Y)), wrap(mul(X, N(3))), ite(le(X, Y), wrap(X), sub(Y, N(1)))]
    bounds = [
        le(X, N(5)),
        lt(N(-3), X),
        neg(le(Y, N(-6))),
        le(Y, N(2)),
        disj(le(X, Y), conj(le(X, N(0)), lt(N(-2), Y))),
    ]
    for part, low, high in product(parts, bounds, bounds):
        given = conj(low, high, le(part, N(4)))
        made = unwrapped(Clause(None, (), given)).constraint
        for x, y in product(range(-9, 10), repeat=2):
            known = {X: x, Y: y}.__getitem__
            assert evaluate(given, known, World()) == evaluate(made, known, World())
