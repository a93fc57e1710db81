"""Operators on floating-point numbers as bit-vector terms: against `exact` on all values of small formats, and proved
equal to Bitwuzla's own theory of floating point."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import bitwuzla
import pytest
from bitwuzla import Kind, RoundingMode

from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.formats import DOUBLE, SINGLE, Format, Rounding
from cleave.logic.floats.operations import (
    ARITHMETIC,
    COMPARISONS,
    MEANINGS,
    arithmetic,
    compare,
    convert,
    from_integer,
    to_integer,
)
from cleave.logic.operators import OPERATORS
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, Term, bv, eq, neg, var
from cleave.logic.walk import fold, substitute
from cleave.smt.bitwuzla.terms import Translator
from cleave.smt.sat.solver import SatSolver
from cleave.smt.solver import Answer

SMALL = Format(3, 4)
MODES = (RoundingMode.RNE, RoundingMode.RNA, RoundingMode.RTP, RoundingMode.RTN, RoundingMode.RTZ)
KINDS = {
    Op.FP_ADD: Kind.FP_ADD,
    Op.FP_SUB: Kind.FP_SUB,
    Op.FP_MUL: Kind.FP_MUL,
    Op.FP_DIV: Kind.FP_DIV,
    Op.FP_FMA: Kind.FP_FMA,
    Op.FP_SQRT: Kind.FP_SQRT,
    Op.FP_ROUND: Kind.FP_RTI,
    Op.FP_EQ: Kind.FP_EQUAL,
    Op.FP_LT: Kind.FP_LT,
    Op.FP_LE: Kind.FP_LEQ,
}


def evaluate(term: Term, values: dict[Term, int]) -> Any:
    def value(node: Term, args: list[Any]) -> Any:
        match node.op:
            case Op.VAR:
                return values[node]
            case Op.VALUE:
                return node.value
            case Op.ITE:
                return args[1] if args[0] else args[2]
            case Op.NOT:
                return not args[0]
            case Op.AND | Op.OR:
                return all(args) if node.op is Op.AND else any(args)
            case _:
                return OPERATORS[node.op](node, *args)

    return fold(term, value)


def variables(form: Format, count: int) -> list[Term]:
    return [var(name, bitvec(form.width)) for name in "abc"[:count]]


def differs(node: Term) -> bool:
    """Whether Bitwuzla's result can be another number than the circuit's."""
    terms = bitwuzla.TermManager()
    translator = Translator(terms)
    form = list(node.value.format)

    def number(bits: Any) -> Any:
        return terms.mk_term(Kind.FP_TO_FP_FROM_BV, [bits], form)

    made = translator.term(circuit(node))
    args = [number(translator.term(arg)) for arg in node.args]
    if node.op in COMPARISONS:
        own = terms.mk_term(KINDS[node.op], args)
    else:
        own = terms.mk_term(KINDS[node.op], [terms.mk_rm_value(MODES[node.value.mode]), *args])
        made = number(made)
    solver = bitwuzla.Bitwuzla(terms)
    solver.assert_formula(terms.mk_term(Kind.DISTINCT, [own, made]))
    return bool(solver.check_sat() != bitwuzla.Result.UNSAT)


@pytest.mark.parametrize("mode", Rounding, ids=lambda mode: mode.name)
def test_arithmetic_is_that_of_the_theory(mode: Rounding) -> None:
    for op in (Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV, Op.FP_SQRT):
        assert not differs(arithmetic(op, SMALL, *variables(SMALL, ARITHMETIC[op]), mode=mode))


@pytest.mark.slow
@pytest.mark.parametrize("mode", Rounding, ids=lambda mode: mode.name)
def test_a_product_and_a_sum_are_those_of_the_theory(mode: Rounding) -> None:
    assert not differs(arithmetic(Op.FP_FMA, SMALL, *variables(SMALL, 3), mode=mode))


@pytest.mark.parametrize("form", [SINGLE, DOUBLE], ids=["single", "double"])
def test_comparisons_are_those_of_the_theory(form: Format) -> None:
    for op in COMPARISONS:
        assert not differs(compare(op, form, *variables(form, 2)))


def test_rounding_to_integers_is_that_of_the_theory() -> None:
    for mode in Rounding:
        assert not differs(arithmetic(Op.FP_ROUND, SINGLE, *variables(SINGLE, 1), mode=mode))


def unary() -> Iterator[Term]:
    (a,) = variables(SMALL, 1)
    for mode in Rounding:
        yield arithmetic(Op.FP_ROUND, SMALL, a, mode=mode)
        yield arithmetic(Op.FP_SQRT, SMALL, a, mode=mode)
        yield from (convert(a, SMALL, to, mode) for to in (Format(3, 3), Format(4, 6)))
        for width in (2, 6):
            integer = var("i", bitvec(width))
            for is_signed in (False, True):
                yield from_integer(integer, SMALL, is_signed=is_signed, mode=mode)
                yield to_integer(a, SMALL, width, is_signed=is_signed, mode=mode)


def test_all_values_of_a_small_format() -> None:
    for node in unary():
        (a,) = node.args
        made = circuit(node)
        for value in range(1 << a.sort.width):
            assert evaluate(made, {a: value}) == MEANINGS[node.op](node, value), (node, value)


@pytest.mark.parametrize("form", [SINGLE, DOUBLE], ids=["single", "double"])
def test_special_values(form: Format) -> None:
    one = form.bias << (form.significand - 1)
    values = (0, 1, form.sign | 3, one | 77, form.infinity, form.infinity | 5, form.sign)
    args = variables(form, 3)
    for op, count in ARITHMETIC.items():
        node = arithmetic(op, form, *args[:count])
        made = circuit(node)
        for given in product(values[:: 1 if count < 3 else 2], repeat=count):
            expected = MEANINGS[op](node, *given)
            constants = {arg: bv(value, form.width) for arg, value in zip(args, given, strict=False)}
            assert substitute(node, constants) is bv(expected, form.width)
            assert evaluate(made, dict(zip(args, given, strict=False))) == expected


def test_sums_commute_but_for_nans() -> None:
    """By Cleave's own bit-blasting."""
    a, b = variables(SMALL, 2)
    one, other = arithmetic(Op.FP_ADD, SMALL, a, b), arithmetic(Op.FP_ADD, SMALL, b, a)
    solver = SatSolver("minisat")
    solver.add(neg(eq(one, other)))
    assert solver.check() is Answer.SAT
    solver.add(compare(Op.FP_EQ, SMALL, a, a))
    assert solver.check() is Answer.UNSAT
