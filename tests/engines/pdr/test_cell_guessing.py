"""Invariants of arrays by guessing: loops of 100,000 rounds, and that what is found holds of the clauses."""

from __future__ import annotations

import pytest

from cleave.engines.pdr.cell_guessing import CellGuessing
from cleave.engines.pdr.spacer.run import NoAnswer, Paused, SafeAnswer
from cleave.frontends.horn import read_horn
from cleave.ir.horn import HornSystem
from support.horn_systems import broken_clause

ARRAY = "(Array Int Int)"
N = 100_000


def system(*clauses: str, **predicates: str) -> HornSystem:
    declared = " ".join(f"(declare-fun {name} ({sorts}) Bool)" for name, sorts in predicates.items())
    asserted = " ".join(
        f"(assert (forall ((i Int) (n Int) (x Int) (q Int) (m Int) (a {ARRAY}) (b {ARRAY})) {one}))" for one in clauses
    )
    return read_horn("given.smt2", f"(set-logic HORN) {declared} {asserted} (check-sat)".encode())


def answer(given: HornSystem) -> object:
    run = CellGuessing(given, cost_limit=20_000_000)
    while isinstance(event := run.resume(), Paused):
        pass
    if isinstance(event, SafeAnswer):
        assert broken_clause(given, event.interpretation) is None
    return event


COPY = (
    "(P 0 a b)",
    f"(=> (and (P i a b) (< i {N})) (P (+ i 1) a (store b i (select a i))))",
    f"(=> (and (P i a b) (>= i {N}) (<= 0 q) (< q {N}) (not (= (select a q) (select b q)))) false)",
)
SOME = (  # all but one cell are written to
    "(P 0 a)",
    f"(=> (and (P i a) (< i {N}) (not (= i 7))) (P (+ i 1) (store a i (* 2 i))))",
    f"(=> (and (P i a) (< i {N}) (= i 7)) (P (+ i 1) a))",
    f"(=> (and (P i a) (>= i {N}) (<= 0 q) (< q {N}) (not (= q 7)) (not (= (select a q) (* 2 q)))) false)",
)
MOST = (  # the maximum
    "(=> (< 0 n) (P 1 n (select a 0) a))",
    "(=> (and (P i n m a) (< i n)) (P (+ i 1) n (ite (< m (select a i)) (select a i) m) a))",
    "(=> (and (P i n m a) (>= i n) (<= 0 q) (< q n) (< m (select a q))) false)",
)
ROWS = (  # row by row, 30 numbers in each
    "(P 0 0 a)",
    "(=> (and (P i n a) (<= 0 i) (< i 20) (<= 0 n) (< n 30)) (P i (+ n 1) (store a (+ (* 30 i) n) 5)))",
    "(=> (and (P i n a) (<= 0 i) (<= i 19) (<= 30 n)) (P (+ i 1) 0 a))",
    "(=> (and (P i n a) (<= 20 i)) (Q 0 0 a))",
    "(=> (and (Q i n a) (<= 0 i) (<= i 19) (<= 0 n) (<= n 29) (not (= (select a (+ (* 30 i) n)) 5))) false)",
    "(=> (and (Q i n a) (<= 0 i) (<= i 19) (<= 0 n) (<= n 29)) (Q i (+ n 1) a))",
    "(=> (and (Q i n a) (<= 0 i) (<= i 19) (<= 30 n)) (Q (+ i 1) 0 a))",
)
TURNS = (  # even cells first, then the odd ones
    "(P 0 a)",
    f"(=> (and (P i a) (< i {N})) (P (+ i 1) (store a (* 2 i) 5)))",
    f"(=> (and (P i a) (>= i {N})) (Q 0 a))",
    f"(=> (and (Q i a) (< i {N})) (Q (+ i 1) (store a (+ (* 2 i) 1) 5)))",
    f"(=> (and (Q i a) (>= i {N}) (<= 0 q) (< q {2 * N}) (not (= (select a q) 5))) false)",
)


@pytest.mark.parametrize(
    "given",
    [
        system(*COPY, P=f"Int {ARRAY} {ARRAY}"),
        system(*SOME, P=f"Int {ARRAY}"),
        system(*MOST, P=f"Int Int Int {ARRAY}"),
        system(*ROWS, P=f"Int Int {ARRAY}", Q=f"Int Int {ARRAY}"),
        system(*TURNS, P=f"Int {ARRAY}", Q=f"Int {ARRAY}"),
    ],
    ids=["copy", "some", "maximum", "rows", "turns"],
)
def test_it_is_proved_of_all_cells(given: HornSystem) -> None:
    assert isinstance(answer(given), SafeAnswer)


def test_what_does_not_hold_is_not_proved() -> None:
    wrong = (COPY[0], COPY[1], COPY[2].replace(f"(< q {N})", f"(<= q {N})"))
    assert isinstance(answer(system(*wrong, P=f"Int {ARRAY} {ARRAY}")), NoAnswer)


def test_without_arrays_there_is_no_answer() -> None:
    assert answer(system("(P 0)", "(=> (P x) (<= 0 x))", P="Int")) == NoAnswer("no arrays")
