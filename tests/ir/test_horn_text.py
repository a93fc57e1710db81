"""Printed clauses are read back as the same system, by the front end, Z3 and cvc5; and what the checker finds."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from cleave.errors import InternalError
from cleave.frontends.horn import read_horn
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate, Relation
from cleave.ir.horn_check import check_horn, check_interpretation_sorts
from cleave.ir.horn_text import print_horn, print_interpretation
from cleave.logic import terms as t
from cleave.logic.floats.operations import FLOATING
from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import Function, Term
from cleave.logic.walk import functions, postorder
from support.cvc5_process import ask_cvc5
from support.random_terms import ROW, SEEDS, SHAPE, random_terms

z3: Any = importlib.import_module("z3")

X, Y = t.var("x", INT), t.var("y", INT)
INV = Predicate("Inv", (INT,))
COUNTER = HornSystem(
    predicates={"Inv": INV},
    clauses=(
        Clause(Atom("Inv", (X,)), (), t.eq(X, t.integer(0))),
        Clause(Atom("Inv", (t.add(X, t.integer(1)),)), (Atom("Inv", (X,)),), t.lt(X, t.integer(10))),
        Clause(None, (Atom("Inv", (X,)),), t.lt(t.integer(10), X)),
    ),
    expected="safe",
)


def test_golden() -> None:
    assert print_horn(COUNTER) == (
        "(set-logic HORN)\n"
        "(set-info :status sat)\n"
        "(declare-fun Inv (Int) Bool)\n"
        "(assert (forall ((x Int)) (=> (= x 0) (Inv x))))\n"
        "(assert (forall ((x Int)) (=> (and (Inv x) (< x 10)) (Inv (+ x 1)))))\n"
        "(assert (forall ((x Int)) (=> (and (Inv x) (< 10 x)) false)))\n"
        "(check-sat)\n"
    )


def test_interpretations() -> None:
    system = replace(COUNTER, predicates={"Inv": INV, "select": Predicate("select", (INT, BOOL))})
    relation = Relation((Y,), t.le(Y, t.integer(10)))
    check_interpretation_sorts(system, {"Inv": relation})
    assert print_interpretation(system, {"Inv": relation}) == (
        "(define-fun Inv ((y Int)) Bool (<= y 10))\n(define-fun |%73elect| ((x0 Int) (x1 Bool)) Bool true)\n"
    )


def random_system(seed: int) -> HornSystem:
    """Names that need escapes, functions, shared terms, data types; heads with any arguments."""
    made = [term for term in random_terms(seed, 40) if not term.is_value]
    terms = [term for term in made if not FLOATING & {one.op for one in postorder([term])}]  # no solver reads those
    numbers = [term for term in terms if term.sort is INT] or [X]
    shapes = [term for term in terms if term.sort is SHAPE] or [t.var("s", SHAPE)]
    conditions = [term for term in terms if term.sort is BOOL] or [t.TRUE]
    predicates = [Predicate("a b", (INT, SHAPE)), Predicate("select", (INT, SHAPE)), Predicate("x", (BOOL, ROW))]
    atoms = [Atom(p.name, (n, s)) for p, n, s in zip(predicates[:2], numbers, shapes, strict=False)]
    clauses = [Clause(atoms[0], (), conditions[0])]
    clauses.append(
        Clause(atoms[-1], (*atoms, Atom("x", (conditions[-1], t.var("row", ROW)))), t.conj(*conditions[-3:]))
    )
    clauses.append(Clause(None, tuple(atoms[::-1]), conditions[-1]))
    used: dict[Function, None] = {}
    for clause in clauses:
        used |= functions(clause.constraint, *(a for atom in clause.atoms() for a in atom.arguments))
    known = tuple(f for f in used if f.result is not BOOL)
    return HornSystem(
        predicates={p.name: p for p in predicates},
        clauses=tuple(c for c in clauses if all(f.result is not BOOL for f in _functions(c))),
        functions=known,
    )


def _functions(clause: Clause) -> dict[Function, None]:
    terms: list[Term] = [clause.constraint, *(a for atom in clause.atoms() for a in atom.arguments)]
    return functions(*terms)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_round_trip(seed: int) -> None:
    """The second reading changes nothing: the first one simplifies, as the random terms are not simplified."""
    system = random_system(seed)
    once = read_horn("f", print_horn(system).encode())
    check_horn(once)
    assert once.predicates == system.predicates
    twice = read_horn("f", print_horn(once).encode())
    assert [replace(c, location=None) for c in once.clauses] == [replace(c, location=None) for c in twice.clauses]
    assert once.predicates == twice.predicates


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_solvers_read_what_is_printed(seed: int) -> None:
    text = print_horn(random_system(seed))
    z3.Solver(ctx=z3.Context()).from_string(text)
    declared = text.replace("(set-logic HORN)", "(set-logic ALL)").replace("(check-sat)", "")
    assert ask_cvc5(declared) == ""


BAD_RELATION = Relation((X, X), t.lt(X, Y))


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (Clause(Atom("Inv", (t.real(1),)), (), t.TRUE), "clause 0: Inv takes (Int), not (Real)"),
        (Clause(None, (Atom("Foo", ()),), t.TRUE), "clause 0: Foo is not declared"),
        (Clause(None, (), t.integer(1)), "clause 0: the constraint is of sort Int"),
        (Clause(None, (), t.apply(Function("Inv", (INT,), BOOL), X)),
         "clause 0: the predicate Inv occurs in the constraint"),
        (Clause(Atom("Inv", (t.apply(Function("f", (), INT)),)), (), t.TRUE),
         "clause 0: the function f of an argument of Inv is not declared"),
        (Clause(Atom("Inv", (X,)), (), t.forall((X,), t.lt(X, Y))), "clause 0: x is both free and bound"),
    ],
)  # fmt: skip
def test_ill_formed(clause: Clause, expected: str) -> None:
    with pytest.raises(InternalError) as caught:
        check_horn(replace(COUNTER, clauses=(clause,)))
    assert expected in str(caught.value)


def test_ill_formed_interpretations() -> None:
    with pytest.raises(InternalError) as caught:
        check_interpretation_sorts(COUNTER, {"Inv": BAD_RELATION, "Foo": Relation((), t.TRUE)})
    message = str(caught.value)
    for problem in ("takes (Int), not (Int, Int)", "not distinct", "uses y, which is no parameter", "Foo is no pred"):
        assert problem in message
    assert REAL is not INT
