"""Every operator means the same in every backend and in the concrete evaluator: small random terms, compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, REAL, Sort, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.logic.walk import free_variables
from cleave.smt.bitwuzla.solver import BitwuzlaSolver
from cleave.smt.sat.solver import SatSolver
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.semantics.evaluate import World, evaluate

UNARY = (Op.BV_NOT, Op.BV_NEG)
COMPARISONS = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)
BINARY = tuple(op for op in Op if op.name.startswith("BV_") and op not in (*UNARY, *COMPARISONS, Op.BV_TO_INT))
WIDTHS = (1, 3, 8)
NAMES = "xyz"


def edge_values(width: int) -> list[int]:
    return sorted({0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1, 5 % (1 << width)})


def backends() -> list[Solver]:
    return [Z3Solver(), Z3Solver(profile=DEFAULT), BitwuzlaSolver(), SatSolver("minisat")]


def agree(term: Term, state: dict[Term, Any], solvers: list[Solver]) -> None:
    """The evaluator's value is the only one that each solver allows."""
    expected = evaluate(term, state.__getitem__, World())
    different = t.neg(t.eq(term, t.value_of(expected, term.sort)))
    for solver in solvers:
        solver.push()
        for variable, value in state.items():
            solver.add(t.eq(variable, t.value_of(value, variable.sort)))
        assert solver.check() is Answer.SAT
        assert solver.model().value(term) == expected, term
        solver.add(different)
        assert solver.check() is Answer.UNSAT, term
        solver.pop()


@pytest.mark.parametrize("op", [*BINARY, *COMPARISONS], ids=lambda op: op.value)
def test_bit_vector_operators_on_edge_values(op: Op) -> None:
    """One query for each backend: all pairs of edge values at once."""
    width = 4
    build = t.bv_compare if op in COMPARISONS else t.bv_binary
    x, y = t.var("x", bitvec(width)), t.var("y", bitvec(width))
    facts = []
    for a in edge_values(width):
        for b in edge_values(width):
            value = evaluate(build(op, x, y), {x: a, y: b}.__getitem__, World())
            here = t.conj(t.eq(x, t.bv(a, width)), t.eq(y, t.bv(b, width)))
            term = build(op, x, y)
            facts.append(t.implies(here, t.eq(term, t.value_of(value, term.sort))))
    for solver in backends():
        solver.add(t.neg(t.conj_all(facts)))
        assert solver.check() is Answer.UNSAT


def bit_vectors(width: int) -> st.SearchStrategy[Term]:
    """Terms of one width over x, y, z; other widths come in through extraction, extension and concatenation."""
    sort = bitvec(width)
    leaves = st.one_of(
        st.sampled_from([t.var(f"{name}{width}", sort) for name in NAMES]),
        st.sampled_from(edge_values(width)).map(lambda value: t.bv(value, width)),
    )

    def extend(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        return st.one_of(
            st.builds(t.bv_unary, st.sampled_from(UNARY), inner),
            st.builds(t.bv_binary, st.sampled_from(BINARY), inner, inner),
            st.builds(
                lambda op, a, b, c, d: t.ite(t.bv_compare(op, a, b), c, d),
                st.sampled_from(COMPARISONS),
                inner,
                inner,
                inner,
                inner,
            ),
            st.builds(lambda a, b: t.extract(t.concat(a, b), width, 1), inner, inner),
            st.builds(lambda a, n: t.extract(t.sign_extend(a, n), width + n - 1, n), inner, st.integers(1, 3)),
            st.builds(lambda a, n: t.extract(t.zero_extend(a, n), width + n - 1, n), inner, st.integers(1, 3)),
            st.builds(lambda a, b, c: t.select(t.store(t.const_array(sort, a), b, c), a), inner, inner, inner),
        )

    return st.recursive(leaves, extend, max_leaves=8)


SOLVERS = backends()  # kept between examples; each is popped back


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_bit_vector_terms(data: st.DataObject) -> None:
    width = data.draw(st.sampled_from(WIDTHS))
    term = data.draw(bit_vectors(width))
    state = {v: data.draw(st.integers(0, (1 << v.sort.width) - 1)) for v in sorted(free_variables(term), key=str)}
    agree(term, state, SOLVERS)


def numbers(sort: Sort, constant: Callable[[int], Term]) -> st.SearchStrategy[Term]:
    leaves = st.one_of(
        st.sampled_from([t.var(f"{name}{sort!r}", sort) for name in NAMES]), st.integers(-9, 9).map(constant)
    )

    def extend(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        divisor = st.integers(-4, 4).filter(bool).map(constant)
        divisions = st.sampled_from([t.div, t.mod] if sort is INT else [t.real_div])
        return st.one_of(
            st.builds(lambda f, a, b: f(a, b), st.sampled_from([t.add, t.sub, t.mul]), inner, inner),
            st.builds(lambda f, a, b: f(a, b), divisions, inner, divisor),
            st.builds(t.minus, inner),
            st.builds(
                lambda f, a, b, c: t.ite(f(a, b), b, c), st.sampled_from([t.lt, t.le, t.ge, t.eq]), inner, inner, inner
            ),
            st.builds(lambda a: t.to_int(t.to_real(a)) if sort is INT else t.to_real(t.to_int(a)), inner),
            st.builds(lambda a: t.bv_to_int(t.int_to_bv(a, 5)) if sort is INT else a, inner),
        )

    return st.recursive(leaves, extend, max_leaves=6)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_arithmetic_terms(data: st.DataObject) -> None:
    sort, constant = data.draw(st.sampled_from([(INT, t.integer), (REAL, t.real)]))
    term = data.draw(numbers(sort, constant))
    values = st.integers(-20, 20) if sort is INT else st.fractions(-5, 5, max_denominator=6)
    state = {v: data.draw(values) for v in sorted(free_variables(term), key=str)}
    agree(term, state, SOLVERS[:2])


def test_array_sorts_with_boolean_parts() -> None:
    flags = t.var("flags", array(BOOL, BOOL))
    for solver in backends():
        solver.add(t.select(flags, t.TRUE))
        solver.add(t.neg(t.select(flags, t.FALSE)))
        assert solver.check() is Answer.SAT
        value = solver.model().value(flags)
        assert (value[True], value[False]) == (True, False)
