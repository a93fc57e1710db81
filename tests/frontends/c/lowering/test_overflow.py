"""Which numbers a term can be, and when an operation on signed numbers is exact: tried on all numbers of few bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.frontends.c.llvm.module import CompilerCheck, SourceType
from cleave.frontends.c.lowering.compiler_checks import meaning
from cleave.frontends.c.lowering.limits import limits, within
from cleave.frontends.c.lowering.overflow import fits
from cleave.logic.sorts import bitvec
from cleave.logic.terms import (
    TRUE,
    Op,
    Term,
    bv,
    bv_binary,
    bv_unary,
    extract,
    ite,
    sign_extend,
    signed,
    var,
    zero_extend,
)
from cleave.validate.semantics.evaluate import World, evaluate
from support.bit_terms import CONDITIONS, SMALL_TERMS, VARIABLES

WIDTH = 4
X, Y = var("x", bitvec(WIDTH)), var("y", bitvec(WIDTH))
NUMBERS = range(1 << WIDTH)
EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}
# Terms of six bits over variables of three: their limits are narrower than their width.
NARROW = st.one_of(
    SMALL_TERMS.map(lambda term: zero_extend(term, 3)),
    SMALL_TERMS.map(lambda term: sign_extend(term, 3)),
    st.integers(0, 63).map(lambda number: bv(number, 6)),
)
OPERATORS = (
    *(Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_UDIV, Op.BV_SDIV, Op.BV_UREM, Op.BV_SREM),
    *(Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR),
)


def larger(smaller: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(bv_binary, st.sampled_from(OPERATORS), smaller, smaller),
        smaller.map(lambda term: bv_unary(Op.BV_NEG, term)),
        st.builds(ite, CONDITIONS, smaller, smaller),
        smaller.map(lambda term: zero_extend(extract(term, 4, 0), 1)),
        smaller.map(lambda term: sign_extend(extract(term, 4, 0), 1)),
    )


SIGNED, UNSIGNED = SourceType("int", WIDTH, True), SourceType("unsigned", WIDTH, False)


def holds(term: Term, x: int, y: int = 0) -> bool:
    return bool(evaluate(term, {X: x, Y: y}.__getitem__, World()))


@pytest.mark.parametrize("operation", EXACT)
def test_operations_are_exact_where_they_fit(operation: str) -> None:
    general = fits(operation, X, Y)
    for x, y in product(NUMBERS, NUMBERS):
        exact = EXACT[operation](signed(x, WIDTH), signed(y, WIDTH))
        expected = -8 <= exact <= 7
        right, left = fits(operation, X, bv(y, WIDTH)), fits(operation, bv(x, WIDTH), Y)
        both = fits(operation, bv(x, WIDTH), bv(y, WIDTH))
        assert [holds(term, x, y) for term in (general, right, left, both)] == [expected] * 4, (x, y)


def test_small_operands_fit() -> None:
    small = zero_extend(var("c", bitvec(8)), 24)
    assert fits("mul", small, small) is TRUE
    assert fits("add", sign_extend(var("s", bitvec(16)), 16), small) is TRUE
    assert fits("sub", bv(0, 32), small) is TRUE


@pytest.mark.parametrize(("low", "high"), [(-8, 7), (-3, 2), (0, 7), (-8, -1), (5, 4), (3, 3)])
def test_within(low: int, high: int) -> None:
    for x in NUMBERS:
        assert holds(within(X, low, high), x) == (low <= signed(x, WIDTH) <= high)


@settings(max_examples=200, deadline=None)
@given(st.recursive(NARROW, larger, max_leaves=4))
def test_no_term_leaves_its_limits(term: Term) -> None:
    low, high = limits(term)
    for values in product(range(8), repeat=len(VARIABLES)):
        value = evaluate(term, dict(zip(VARIABLES, values, strict=True)).__getitem__, World())
        assert low <= signed(int(value), term.sort.width) <= high  # type: ignore[arg-type]


def test_limits_are_seen() -> None:
    c = zero_extend(var("c", bitvec(8)), 24)
    assert limits(c) == (0, 255)
    assert limits(sign_extend(var("c", bitvec(8)), 24)) == (-128, 127)


@pytest.mark.parametrize(("left", "right"), [(SIGNED, SIGNED), (UNSIGNED, UNSIGNED), (SIGNED, UNSIGNED)])
def test_shifts(left: SourceType, right: SourceType) -> None:
    for x, y in product(NUMBERS, NUMBERS):
        far = not 0 <= (signed(y, WIDTH) if right.is_signed else y) < WIDTH
        base = signed(x, WIDTH)
        lost = not far and not (base >= 0 and base << y < 8)
        for terms in ((X, Y), (X, bv(y, WIDTH)), (bv(x, WIDTH), Y), (bv(x, WIDTH), bv(y, WIDTH))):
            amount, kept = (
                meaning(CompilerCheck(kind, (left, right)), terms) for kind in ("shift_amount", "shift_base")
            )
            assert amount is not None
            assert kept is not None
            assert holds(amount.condition, x, y) == (not far), (x, y)
            assert holds(kept.condition, x, y) == (not lost), (x, y)


def test_division() -> None:
    for x, y in product(NUMBERS, NUMBERS):
        for terms in ((X, Y), (X, bv(y, WIDTH)), (bv(x, WIDTH), Y)):
            zero, quotient = (
                meaning(CompilerCheck(kind, (SIGNED,)), terms) for kind in ("division_by_zero", "quotient_overflow")
            )
            assert zero is not None
            assert quotient is not None
            assert holds(zero.condition, x, y) == (y != 0)
            assert holds(quotient.condition, x, y) == (not (x == 8 and y == 15))


@pytest.mark.parametrize("source", [SIGNED, UNSIGNED])
@pytest.mark.parametrize(
    "target", [SourceType("t", width, is_signed) for width in (2, 4, 6) for is_signed in (False, True)]
)
def test_conversions(source: SourceType, target: SourceType) -> None:
    found = meaning(CompilerCheck("implicit_conversion", (source, target)), (X, X))
    assert found is not None
    for x in NUMBERS:
        number = signed(x, WIDTH) if source.is_signed else x
        low = -(1 << (target.width - 1)) if target.is_signed else 0
        high = (1 << (target.width - (1 if target.is_signed else 0))) - 1
        assert holds(found.condition, x) == (low <= number <= high), (source, target, number)
