"""Another solver's word on a formula."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

import pytest

from cleave.logic import terms as t
from cleave.logic.sorts import INT, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.smt.sat import solver as sat
from cleave.smt.solver import Answer
from cleave.validate.confirmation import Ruling
from cleave.validate.proofs.second_solver import (
    BITWUZLA,
    CVC5,
    MINISAT,
    Z3,
    combined,
    processor_limit,
    second_opinion,
)

X, Y = t.var("x", bitvec(8)), t.var("y", bitvec(8))
LESS, GREATER = t.bv_compare(Op.BV_ULT, X, Y), t.bv_compare(Op.BV_ULT, Y, X)


@contextmanager
def unguarded(_interrupt: Callable[[], None]) -> Iterator[None]:
    yield


@pytest.mark.parametrize(("first", "second"), [(BITWUZLA, MINISAT), (MINISAT, BITWUZLA), ("CaDiCaL", BITWUZLA)])
def test_another_one_is_asked(first: str, second: str) -> None:
    assert second_opinion(first, (LESS, GREATER), 10, unguarded) == Ruling(Answer.UNSAT, second)
    assert second_opinion(first, (LESS,), 10, unguarded) == Ruling(Answer.SAT, second)


def test_the_cases_of_a_disjunction_are_asked_for_in_order() -> None:
    cases = [t.eq(X, t.bv(number, 8)) for number in range(100)]
    large = t.bv_compare(Op.BV_ULT, t.bv(99, 8), X)
    assert second_opinion(BITWUZLA, (large, t.disj(*cases)), 10, unguarded) == Ruling(Answer.UNSAT, MINISAT)
    assert second_opinion(BITWUZLA, (t.neg(large), t.disj(*cases)), 10, unguarded) == Ruling(Answer.SAT, MINISAT)


def test_numbers_go_to_cvc5() -> None:
    number = t.var("n", INT)
    formulas = (t.lt(number, t.integer(3)), t.lt(t.integer(3), number))
    assert second_opinion(Z3, formulas, 10, unguarded) == Ruling(Answer.UNSAT, CVC5)


def test_what_is_not_bit_blasted_goes_to_the_next() -> None:
    one, other = (t.var(name, array(bitvec(8), bitvec(8))) for name in "ab")
    formulas = (t.disj(t.eq(one, other), LESS), t.neg(t.eq(one, other)), GREATER)
    assert second_opinion(BITWUZLA, formulas, 10, unguarded) == Ruling(Answer.UNSAT, Z3)


def test_z3_where_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sat, "is_installed", lambda: False)
    assert second_opinion(BITWUZLA, (LESS, GREATER), 10, unguarded) == Ruling(Answer.UNSAT, Z3)


def test_all_parts_must_be_refuted() -> None:
    no, open_, yes = (Ruling(answer, MINISAT) for answer in (Answer.UNSAT, Answer.UNKNOWN, Answer.SAT))
    assert combined([no, no]) is no
    assert combined([no, open_]) is open_
    assert combined([open_, yes, no]) is yes


def hard() -> tuple[Term, ...]:
    """Nobody multiplies to a large prime."""
    x, y = (t.zero_extend(t.var(name, bitvec(31)), 31) for name in "pq")
    return (
        t.eq(t.bv_binary(Op.BV_MUL, x, y), t.bv(2_305_843_009_213_693_951, 62)),
        t.bv_compare(Op.BV_ULT, t.bv(1, 62), x),
        t.bv_compare(Op.BV_ULT, t.bv(1, 62), y),
    )


def test_it_can_be_stopped() -> None:
    @contextmanager
    def soon(interrupt: Callable[[], None]) -> Iterator[None]:
        timer = Timer(0.3, interrupt)
        timer.start()
        yield
        timer.cancel()

    began = time.monotonic()
    assert second_opinion(BITWUZLA, hard(), 60, soon).answer is Answer.UNKNOWN
    assert second_opinion(BITWUZLA, hard(), 0.5, unguarded).answer is Answer.UNKNOWN
    assert time.monotonic() - began < 40


def test_the_limit_is_of_processor_time() -> None:
    told: list[float] = []
    with processor_limit(0.2, lambda: told.append(time.process_time())):
        time.sleep(0.5)  # uses none
        assert told == []
        end = time.process_time() + 0.5
        while time.process_time() < end:
            pass
    assert told
