"""Ranges of terms and states under conditions, against all values of four bits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import Op, Term
from cleave.passes.ranges.assume import assume
from cleave.passes.ranges.evaluate import evaluate
from cleave.passes.ranges.numbers import Number
from cleave.passes.ranges.values import Range, made
from cleave.validate.semantics.evaluate import World
from cleave.validate.semantics.evaluate import evaluate as value_of

WIDTH = 4
X, Y, C = t.var("x", bitvec(WIDTH)), t.var("y", bitvec(WIDTH)), t.var("c", BOOL)
BINARY = [
    *(Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_UDIV, Op.BV_UREM),
    *(Op.BV_SDIV, Op.BV_SREM, Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR),
]
COMPARED = [Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE]


class Terms:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self, depth: int) -> Term:
        pick = self.random.random()
        if depth == 0 or pick < 0.2:
            return self.random.choice([X, Y, t.bv(self.random.randrange(16), WIDTH)])
        if pick < 0.7:
            return t.bv_binary(self.random.choice(BINARY), self.number(depth - 1), self.number(depth - 1))
        if pick < 0.75:
            return t.bv_unary(self.random.choice([Op.BV_NOT, Op.BV_NEG]), self.number(depth - 1))
        if pick < 0.85:
            return t.ite(self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1))
        if pick < 0.9:
            low = self.random.choice([0, 2, 4])
            return t.extract(t.concat(self.number(depth - 1), self.number(depth - 1)), low + WIDTH - 1, low)
        longer = self.random.choice([t.zero_extend, t.sign_extend])(self.number(depth - 1), 3)
        return t.extract(t.bv_binary(self.random.choice(BINARY), longer, longer), WIDTH - 1, 0)

    def truth(self, depth: int) -> Term:
        pick = self.random.random()
        if depth == 0 or pick < 0.1:
            return self.random.choice([C, t.bv_compare(self.random.choice(COMPARED), X, Y)])
        if pick < 0.6:
            return t.bv_compare(self.random.choice(COMPARED), self.number(depth - 1), self.number(depth - 1))
        if pick < 0.75:
            return t.eq(self.number(depth - 1), self.number(depth - 1))
        if pick < 0.95:
            return self.random.choice([t.conj, t.disj])(self.truth(depth - 1), self.truth(depth - 1))
        return t.neg(self.truth(depth - 1))

    def range(self) -> Range:
        while True:
            low, high = sorted(self.random.randrange(16) for _ in "ab")
            least, most = sorted(self.random.randrange(-8, 8) for _ in "ab")
            unsigned = Number.made(low, high, self.random.choice([1, 1, 2, 3, 4]), self.random.randrange(16))
            signed = Number.made(least, most, self.random.choice([1, 1, 2, 3]), self.random.randrange(16))
            kind = self.random.choice(["both", "signed", "unsigned"])
            found = made(
                WIDTH,
                Number(0, 15) if kind == "signed" else unsigned,
                Number(-8, 7) if kind == "unsigned" else signed,
            )
            if found is not None:
                return found


def holds(found: Range | None, value: int) -> bool:
    if found is None:
        return True
    return value in found.unsigned and (value if value < 8 else value - 16) in found.signed


def states(of_x: Range, of_y: Range) -> Iterator[dict[Term, int | bool]]:
    for x, y, c in product(range(16), range(16), (False, True)):
        if holds(of_x, x) and holds(of_y, y):
            yield {X: x, Y: y, C: c}


@pytest.mark.parametrize("seed", range(60))
def test_nothing_that_happens_is_excluded(seed: int) -> None:
    terms = Terms(seed)
    of_x, of_y = terms.range(), terms.range()
    state = {X: of_x, Y: of_y}
    number, condition = terms.number(3), terms.truth(3)
    of_number, left = evaluate(number, state), assume(condition, state)
    for values in states(of_x, of_y):
        assert holds(of_number, value_of(number, values.__getitem__, World()))  # type: ignore[arg-type]
        if value_of(condition, values.__getitem__, World()) is True:
            assert left is not None
            assert holds(left.get(X), int(values[X]))
            assert holds(left.get(Y), int(values[Y]))
            assert C not in left or int(values[C]) in left[C].unsigned


@pytest.mark.parametrize("seed", range(40))
def test_formulas_say_just_what_the_range_does(seed: int) -> None:
    found = Terms(seed).range()
    formula = t.conj_all(found.terms(X))
    for value in range(16):
        assert value_of(formula, {X: value}.__getitem__, World()) is holds(found, value)
