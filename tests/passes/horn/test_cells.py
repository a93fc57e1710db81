"""Arrays abstracted to cells: the clauses that are made, and invariants that come back and hold of the arrays."""

from __future__ import annotations

import pytest

from cleave.engines.pdr.cells import CellRun
from cleave.engines.pdr.options import ABOUT_CELLS, CELL_PAIRS, CELLS, CELLS_ACCELERATED
from cleave.engines.pdr.spacer.run import STRATEGIES, Event, NoAnswer, SafeAnswer, SpacerRun
from cleave.frontends.horn import read_horn
from cleave.ir.horn import HornSystem, Interpretation, Relation
from cleave.ir.horn_check import check_horn
from cleave.ir.horn_text import print_horn
from cleave.logic.sorts import INT, array
from cleave.logic.terms import conj, eq, forall, implies, integer, le, lt, select, var
from cleave.logic.walk import has_quantifier
from cleave.passes.horn.cells import cells
from cleave.validate.clauses.invariant import check_interpretation

STRATEGY = {strategy.name: strategy for strategy in STRATEGIES}


def given(*clauses: str, **predicates: str) -> HornSystem:
    """Clauses over the variables i, j, n, q, m (integers), a, b (arrays) and d (an array of arrays)."""
    sorts = {"I": "Int", "A": "(Array Int Int)", "D": "(Array Int (Array Int Int))"}
    lines = [
        f"(declare-fun {name} ({' '.join(sorts[s] for s in arguments)}) Bool)" for name, arguments in predicates.items()
    ]
    bound = "(i Int) (j Int) (n Int) (q Int) (m Int) (a (Array Int Int)) (b (Array Int Int))"
    bound += " (d (Array Int (Array Int Int)))"
    lines += [f"(assert (forall ({bound}) (=> {clause})))" for clause in clauses]
    return read_horn("x.smt2", "\n".join(["(set-logic HORN)", *lines, "(check-sat)"]).encode())


INITIALISE = given(
    "true (P 0 n a)",
    "(and (P i n a) (< i n)) (P (+ i 1) n (store a i 7))",
    "(and (P i n a) (>= i n) (<= 0 q) (< q n) (not (= (select a q) 7))) false",
    P="IIA",
)
STRIDE = given(  # four bytes for each element, from 8192 on
    "true (P 0 n a)",
    "(and (P i n a) (< i n)) (P (+ i 1) n (store a (+ 8192 (* 4 i)) 7))",
    "(and (P i n a) (>= i n) (<= 0 q) (< q n) (not (= (select a (+ 8192 (* 4 q))) 7))) false",
    P="IIA",
)
COPY = given(
    "true (P 0 n a b)",
    "(and (P i n a b) (< i n)) (P (+ i 1) n a (store b i (select a i)))",
    "(and (P i n a b) (>= i n) (<= 0 q) (< q n) (not (= (select a q) (select b q)))) false",
    P="IIAA",
)
MAXIMUM = given(
    "true (P 0 n (select a 0) a)",
    "(and (P i n m a) (< i n)) (P (+ i 1) n (ite (< m (select a i)) (select a i) m) a)",
    "(and (P i n m a) (>= i n) (<= 0 q) (< q n) (< m (select a q))) false",
    P="IIIA",
)
SEARCH = given(
    "true (P 0 n m a)",
    "(and (P i n m a) (< i n) (not (= (select a i) m))) (P (+ i 1) n m a)",
    "(and (P i n m a) (>= i n) (<= 0 q) (< q n) (= (select a q) m)) false",
    P="IIIA",
)
GRID = given(
    "true (P 0 n d)",
    "(and (P i n d) (< i n)) (P (+ i 1) n (store d i (store (select d i) i 7)))",
    "(and (P i n d) (>= i n) (<= 0 q) (< q n) (not (= (select (select d q) q) 7))) false",
    P="IID",
)
ORDER = given(
    "true (P 0 n a)",
    "(and (P i n a) (< i n)) (P (+ i 1) n (store a i (* 2 i)))",
    "(and (P i n a) (>= i n) (<= 0 q) (< q j) (< j n) (< (select a j) (select a q))) false",
    P="IIA",
)
EQUAL = given(  # arrays that are compared
    "(= a b) (P 0 n a b)",
    "(and (P i n a b) (< i n)) (P (+ i 1) n (store a i 7) (store b i 7))",
    "(and (P i n a b) (not (= a b))) false",
    P="IIAA",
)
SAFE = {
    "initialise": INITIALISE,
    "stride": STRIDE,
    "copy": COPY,
    "maximum": MAXIMUM,
    "search": SEARCH,
    "grid": GRID,
    "equal": EQUAL,
}


def run(system: HornSystem, strategy: str, limit: int = 4_000_000) -> Event:
    spacer = STRATEGY["no-equality-propagation" if strategy == CELLS_ACCELERATED else "global"]

    def start(cells: HornSystem) -> SpacerRun:
        check_horn(cells)
        return SpacerRun(cells, spacer, slice_cost=10**9, cost_limit=limit)

    running = CellRun(system, strategy, start)
    try:
        return running.resume()
    finally:
        running.stop()


def test_the_clauses() -> None:
    done = cells(INITIALISE)
    assert done is not None
    assert print_horn(done.system).splitlines()[1:-1] == [
        "(declare-fun P (Int Int Int Int) Bool)",
        "(assert (forall ((n Int) (|k'1| Int) (|a'1| Int)) (=> true (P 0 n |k'1| |a'1|))))",
        "(assert (forall ((i Int) (n Int) (|k'1| Int) (|a'1| Int)) (=> (and (P i n |k'1| |a'1|) (< i n))"
        " (P (+ i 1) n |k'1| (ite (= i |k'1|) 7 |a'1|)))))",
        "(assert (forall ((i Int) (n Int) (q Int) (|a'1| Int)) (=> (and (P i n q |a'1|) (<= n i) (<= 0 q) (< q n)"
        " (not (= |a'1| 7))) false)))",
    ]


def test_a_clause_for_each_case() -> None:
    """Where the loop is, and where it is not; what is read elsewhere may be anything."""
    done = cells(COPY, cases=True, own=True)
    assert done is not None
    text = print_horn(done.system)
    assert "(=> (and (P |k'1| n |k'1| |a'2| |b'1|) (< |k'1| n)) (P (+ |k'1| 1) n |k'1| |a'2| |a'2|))" in text
    assert "(=> (and (P i n |k'1| |a'1| |b'1|) (< i n) (not (= i |k'1|))) (P (+ i 1) n |k'1| |a'1| |b'1|))" in text


def test_every_cell_that_is_read_has_a_premise() -> None:
    done = cells(MAXIMUM)
    assert done is not None
    assert [len(clause.body) for clause in done.system.clauses] == [0, 2, 1]
    pairs = cells(ORDER, 2)
    assert pairs is not None
    assert [len(clause.body) for clause in pairs.system.clauses] == [0, 4, 4]


def test_cells_are_numbered() -> None:
    done = cells(STRIDE)
    assert done is not None
    assert "8192" not in print_horn(done.system)
    back = done.interpretation(
        {"P": Relation(tuple(var(name, INT) for name in "inkc"), eq(var("c", INT), var("k", INT)))}
    )
    assert repr(back["P"].formula) == "(forall ((|k'1| Int)) (= (select a2 (+ (* |k'1| 4) 8192)) |k'1|))"


@pytest.mark.parametrize("strategy", [CELLS, CELLS_ACCELERATED])
@pytest.mark.parametrize("name", SAFE)
def test_what_is_found_holds_of_the_arrays(name: str, strategy: str) -> None:
    event = run(SAFE[name], strategy)
    assert isinstance(event, SafeAnswer), event
    assert any(has_quantifier(relation.formula) for relation in event.interpretation.values())
    judged = check_interpretation(SAFE[name], event.interpretation, seconds=60)
    assert judged.holds, judged.text


def test_an_order_takes_two_cells() -> None:
    event = run(ORDER, CELL_PAIRS)
    assert isinstance(event, SafeAnswer), event
    assert check_interpretation(ORDER, event.interpretation, seconds=60).holds


BROKEN = given(  # the last element is not written
    "true (P 0 n a)",
    "(and (P i n a) (< i n)) (P (+ i 1) n (store a i 7))",
    "(and (P i n a) (>= i n) (<= 0 q) (<= q n) (not (= (select a q) 7))) false",
    P="IIA",
)


@pytest.mark.parametrize("strategy", ABOUT_CELLS)
def test_a_violation_of_cells_is_none(strategy: str) -> None:
    assert run(BROKEN, strategy) == NoAnswer("the arrays have violations cell by cell, which may be none")


def test_nothing_to_do() -> None:
    plain = given("(= i 0) (P i)", "(and (P i) (< i 5)) (P (+ i 1))", "(and (P i) (< 5 i)) false", P="I")
    assert cells(plain) is None
    assert run(plain, CELLS) == NoAnswer("no arrays")


def told(bound: int) -> Interpretation:
    """Of INITIALISE: all cells up to i, and some more, are written."""
    i, n, a, k = var("i", INT), var("n", INT), var("a", array(INT, INT)), var("k", INT)
    written = implies(conj(le(integer(0), k), lt(k, i if not bound else integer(bound))), eq(select(a, k), integer(7)))
    return {"P": Relation((i, n, a), conj(le(integer(0), i), forall((k,), written)))}


def test_invariants_that_do_not_hold_are_rejected() -> None:
    assert check_interpretation(INITIALISE, told(0), seconds=60).holds
    for wrong in (told(3), {"P": Relation(told(0)["P"].parameters, le(integer(0), var("i", INT)))}):
        assert not check_interpretation(INITIALISE, wrong, seconds=60).holds
    assert not check_interpretation(BROKEN, told(0), seconds=60).holds
