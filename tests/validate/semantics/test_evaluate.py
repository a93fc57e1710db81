"""The evaluator means what Z3 means, operator by operator; quantifiers are decided where instances decide them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.logic import terms as t
from cleave.logic.operators import OPERATORS
from cleave.logic.sorts import BOOL, INT, REAL, Sort, array, bitvec, uninterpreted
from cleave.logic.terms import Function, Op, Term
from cleave.logic.values import FunctionTable, MapValue, Value, default_value, from_model, map_value, show
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.semantics.evaluate import UNDETERMINED, World, evaluate

X, Y = t.var("x", INT), t.var("y", INT)
I = t.var("i", INT)  # noqa: E741
F = Function("f", (INT,), INT)


def no_variables(variable: Term) -> Value:
    raise AssertionError(variable.name)


def value(term: Term, state: dict[Term, Value] | None = None, world: World | None = None) -> object:
    return evaluate(term, (state or {}).__getitem__, world or World())


# --- operators ------------------------------------------------------------------------------------------------------

INTS = st.integers(-9, 9).map(t.integer)
NONZERO = INTS.filter(lambda term: term.value != 0)
REALS = st.fractions(-5, 5, max_denominator=4).map(t.real)
BVS = st.integers(0, 15).map(lambda n: t.bv(n, 4))
BOOLS = st.booleans().map(t.boolean)
COMPARISONS = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)
NO_BINARY = (*COMPARISONS, Op.BV_NOT, Op.BV_NEG)
BINARY_BV = [op for op in OPERATORS if op.value.startswith("bv") and op not in NO_BINARY]
MAPS = st.lists(st.tuples(INTS, INTS), max_size=3)


def stored(base: Term, entries: list[tuple[Term, Term]]) -> Term:
    for key, element in entries:
        base = t.make(Op.STORE, (base, key, element), base.sort)
    return base


GROUND_TERMS = st.one_of(
    st.builds(lambda op, a, b: t.make(op, (a, b), BOOL), st.sampled_from((Op.LT, Op.LE, Op.EQ)), INTS, INTS),
    st.builds(lambda op, a, b: t.make(op, (a, b), INT), st.sampled_from((Op.ADD, Op.SUB, Op.MUL)), INTS, INTS),
    st.builds(lambda op, a, b: t.make(op, (a, b), INT), st.sampled_from((Op.DIV, Op.MOD)), INTS, NONZERO),
    st.builds(lambda a, b: t.make(Op.REAL_DIV, (a, b), REAL), REALS, REALS.filter(lambda r: r.value != 0)),
    st.builds(lambda a: t.make(Op.TO_INT, (a,), INT), REALS),
    st.builds(lambda a: t.make(Op.TO_REAL, (a,), REAL), INTS),
    st.builds(lambda a: t.make(Op.NEG, (a,), REAL), REALS),
    st.builds(lambda op, a, b: t.make(op, (a, b), BOOL), st.sampled_from(COMPARISONS), BVS, BVS),
    st.builds(lambda op, a, b: t.make(op, (a, b), a.sort), st.sampled_from(BINARY_BV), BVS, BVS),
    st.builds(lambda op, a: t.make(op, (a,), a.sort), st.sampled_from((Op.BV_NOT, Op.BV_NEG)), BVS),
    st.builds(lambda a, b: t.make(Op.CONCAT, (a, b), bitvec(8)), BVS, BVS),
    st.builds(lambda a: t.make(Op.EXTRACT, (a,), bitvec(2), (2, 1)), BVS),
    st.builds(lambda op, a: t.make(op, (a,), bitvec(7), 3), st.sampled_from((Op.ZERO_EXTEND, Op.SIGN_EXTEND)), BVS),
    st.builds(lambda a: t.make(Op.BV_TO_INT, (a,), INT), BVS),
    st.builds(lambda a: t.make(Op.INT_TO_BV, (a,), bitvec(3)), INTS),
    st.builds(lambda *args: t.make(Op.DISTINCT, args, BOOL), INTS, INTS, INTS),
    st.builds(lambda op, *args: t.make(op, args, BOOL), st.sampled_from((Op.AND, Op.OR)), BOOLS, BOOLS, BOOLS),
    st.builds(lambda a, b: t.make(Op.IMPLIES, (a, b), BOOL), BOOLS, BOOLS),
    st.builds(lambda a: t.make(Op.NOT, (a,), BOOL), BOOLS),
    st.builds(lambda a, b, c: t.make(Op.ITE, (a, b, c), INT), BOOLS, INTS, INTS),
    st.builds(lambda a, m, i: t.make(Op.SELECT, (stored(t.const_array(INT, a), m), i), INT), INTS, MAPS, INTS),
    st.builds(
        lambda a, m, b, n: t.make(Op.EQ, (stored(t.const_array(INT, a), m), stored(t.const_array(INT, b), n)), BOOL),
        INTS,
        MAPS,
        INTS,
        MAPS,
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def solver() -> Z3Solver:
    made = Z3Solver(profile=DEFAULT)
    assert made.check() is Answer.SAT
    return made


@settings(max_examples=400, deadline=None)
@given(term=GROUND_TERMS)
def test_operators_mean_what_z3_means(solver: Z3Solver, term: Term) -> None:
    assert evaluate(term, no_variables, World()) == from_model(solver.model().value(term), term.sort)


def test_division_by_zero_is_the_worlds_choice() -> None:
    world = World(divide_by_zero=lambda op, dividend: 40 + int(dividend) if op is Op.DIV else 50)  # type: ignore[arg-type]
    assert value(t.div(t.integer(2), t.integer(0)), world=world) == 42
    assert value(t.mod(t.integer(2), t.integer(0)), world=world) == 50


def test_functions_are_tables() -> None:
    world = World(functions={F: FunctionTable(7, {(1,): 5})})
    assert value(t.add(t.apply(F, t.integer(1)), t.apply(F, t.integer(2))), world=world) == 12


def test_depth_does_not_matter() -> None:
    term = X
    for _ in range(100_000):
        term = t.add(term, t.integer(1))
    assert value(term, {X: 1}) == 100_001


# --- maps -----------------------------------------------------------------------------------------------------------


def test_equal_maps_over_a_finite_domain_compare_equal() -> None:
    one, two = (t.const_array(BOOL, t.integer(n)) for n in (1, 2))
    filled = t.store(t.store(one, t.TRUE, t.integer(2)), t.FALSE, t.integer(2))
    assert value(t.make(Op.EQ, (filled, two), BOOL)) is True
    assert hash(value(filled)) == hash(value(two))


def test_maps_of_maps() -> None:
    rows = t.const_array(INT, t.const_array(INT, t.integer(0)))
    changed = t.store(rows, X, t.store(t.select(rows, X), Y, t.integer(3)))
    assert value(t.select(t.select(changed, X), Y), {X: 1, Y: 2}) == 3
    assert value(t.select(t.select(changed, Y), Y), {X: 1, Y: 2}) == 0


@pytest.mark.parametrize("sort", [BOOL, INT, REAL, bitvec(3), array(INT, BOOL), uninterpreted("T")])
def test_every_sort_has_a_default(sort: Sort) -> None:
    assert default_value(sort) == default_value(sort)


def test_values_for_people() -> None:
    assert show(True, BOOL) == "true"
    assert show(Fraction(1, 3), REAL) == "1/3"
    assert show(5, bitvec(8)) == "5bv8"
    long = map_value(INT, 0, {n: n for n in range(1, 100)})
    assert isinstance(long, MapValue)
    assert show(long, array(INT, INT)) == "[1 := 1, 2 := 2, 3 := 3, 4 := 4, … 95 more, else 0]"


# --- quantifiers ----------------------------------------------------------------------------------------------------


def test_small_domains_are_enumerated() -> None:
    b = t.var("q", bitvec(4))
    assert value(t.forall((b,), t.bv_compare(Op.BV_ULE, b, t.bv(15, 4)))) is True
    assert value(t.exists((b,), t.bv_compare(Op.BV_ULT, b, t.bv(0, 4)))) is False


def test_values_met_in_the_run_decide_where_they_can() -> None:
    world = World()
    no_root = t.forall((I,), t.neg(t.eq(t.mul(I, I), t.integer(49))))
    assert value(no_root, world=world) is UNDETERMINED
    world.met(7, INT)
    assert value(no_root, world=world) is False
    assert value(t.exists((I,), t.eq(I, t.integer(7))), world=world) is True


def test_keys_of_maps_count_as_met() -> None:
    world = World()
    world.met(map_value(INT, 0, {12: 1}), array(INT, INT))
    assert value(t.exists((I,), t.lt(t.integer(11), I)), world=world) is True


def test_what_does_not_depend_on_the_quantifier_is_determined() -> None:
    open_one = t.forall((I,), t.lt(I, t.add(I, X)))
    state: dict[Term, Value] = {X: 1}
    assert value(open_one, state) is UNDETERMINED
    assert value(t.disj(t.eq(X, t.integer(1)), open_one), state) is True
    assert value(t.conj(t.eq(X, t.integer(2)), open_one), state) is False
    assert value(t.implies(open_one, t.eq(X, t.integer(1))), state) is True
    assert value(t.neg(open_one), state) is UNDETERMINED
    assert value(t.ite(open_one, X, X), state) == 1


def test_a_candidate_world_tries_axioms_only_where_their_functions_were_applied() -> None:
    world = World(functions={F: FunctionTable(0, {(1,): 2})}, only_triggered=True)
    axiom = t.forall((I,), t.eq(t.apply(F, I), t.add(I, t.integer(1))))
    world.met(5, INT)
    value(t.apply(F, t.integer(1)), world=world)
    assert value(axiom, world=world) is UNDETERMINED
    value(t.apply(F, t.integer(5)), world=world)
    assert value(axiom, world=world) is False


def test_a_trigger_may_hold_what_the_run_has_given_a_value() -> None:
    g = Function("g", (INT, INT), INT)
    world = World(functions={g: FunctionTable(0, {(1, 10): 2})}, only_triggered=True)
    axiom = t.forall((I,), t.eq(t.apply(g, I, X), t.integer(0)), ((t.apply(g, I, X),),))
    value(t.apply(g, t.integer(1), t.integer(10)), world=world)
    assert value(axiom, {X: 11}, world) is UNDETERMINED
    assert value(axiom, {X: 10}, world) is False
