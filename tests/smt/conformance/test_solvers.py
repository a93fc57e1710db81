"""One suite for every backend: the promises of `cleave.smt.solver.Solver`, chosen by its capabilities."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from cleave.errors import InternalError, UnsupportedError
from cleave.logic.sorts import BOOL, INT, array, bitvec, uninterpreted
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Function,
    Op,
    Term,
    apply,
    bv,
    bv_binary,
    bv_compare,
    conj,
    const_array,
    disj,
    distinct,
    eq,
    exists,
    forall,
    implies,
    integer,
    ite,
    neg,
    select,
    store,
    var,
    zero_extend,
)
from cleave.logic.values import MapValue, UninterpretedValue
from cleave.smt.bitwuzla.solver import BitwuzlaSolver
from cleave.smt.sat.solver import NAMES, SatSolver
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3.solver import DEFAULT, Z3Solver

BACKENDS: dict[str, Callable[[], Solver]] = {
    "z3-boogie": Z3Solver,
    "z3-default": lambda: Z3Solver(profile=DEFAULT),
    "bitwuzla": BitwuzlaSolver,
    **{name: partial(SatSolver, name) for name in NAMES},
}
SAT, UNSAT, UNKNOWN = Answer.SAT, Answer.UNSAT, Answer.UNKNOWN
BYTE = bitvec(8)
A, B, C = (var(name, BOOL) for name in "abc")
X, Y, Z = (var(name, BYTE) for name in "xyz")


@pytest.fixture(params=BACKENDS)
def make(request: pytest.FixtureRequest) -> Callable[[], Solver]:
    return BACKENDS[request.param]


@pytest.fixture
def solver(make: Callable[[], Solver]) -> Solver:
    return make()


def needs_quantifiers(solver: Solver) -> None:
    if not solver.capabilities.quantifiers:
        pytest.skip("no quantifiers")


def ult(a: Term, b: Term) -> Term:
    return bv_compare(Op.BV_ULT, a, b)


def plus(a: Term, b: Term) -> Term:
    return bv_binary(Op.BV_ADD, a, b)


def byte(value: int) -> Term:
    return bv(value, 8)


def add_hard(solver: Solver, bits: int = 40) -> None:
    """Factors of a product of two primes: seconds to minutes of search, and it never starts with the answer."""
    x, y = var("p", bitvec(bits)), var("q", bitvec(bits))
    product = bv_binary(Op.BV_MUL, zero_extend(x, bits), zero_extend(y, bits))
    solver.add(eq(product, bv(1_000_000_007 * 1_000_000_009, 2 * bits)))
    solver.add(bv_compare(Op.BV_ULT, bv(1, bits), x))
    solver.add(bv_compare(Op.BV_ULT, x, y))


# --- answers, models, cores -----------------------------------------------------------------------------------------


def test_no_assertions_are_satisfiable(solver: Solver) -> None:
    assert solver.check() is SAT


def test_a_model_satisfies_what_was_added(solver: Solver) -> None:
    formulas = [ult(X, Y), ult(Y, byte(3)), disj(eq(Z, plus(X, Y)), A), neg(A)]
    for formula in formulas:
        solver.add(formula)
    assert solver.check() is SAT
    model = solver.model()
    assert all(model.is_true(formula) for formula in formulas)
    x, y, z = (model.value(v) for v in (X, Y, Z))
    assert 0 <= x < y < 3
    assert z == x + y
    assert model.value(A) is False


def test_contradiction(solver: Solver) -> None:
    solver.add(ult(X, byte(0)))
    assert solver.check() is UNSAT
    assert solver.core() == []


def test_false_as_an_assertion(solver: Solver) -> None:
    solver.add(FALSE)
    assert solver.check() is UNSAT


def test_assumptions_hold_for_one_check(solver: Solver) -> None:
    solver.add(implies(A, ult(X, byte(5))))
    solver.add(implies(B, ult(byte(9), X)))
    assert solver.check([A, B]) is UNSAT
    assert solver.check([A]) is SAT
    assert solver.model().value(X) < 5
    assert solver.check([neg(A), B]) is SAT
    assert solver.model().is_true(neg(A))
    assert solver.check() is SAT


def test_core_holds_only_assumptions_and_suffices(solver: Solver) -> None:
    flags = [var(f"flag{i}", BOOL) for i in range(20)]
    solver.add(implies(flags[3], ult(X, byte(5))))
    solver.add(disj(flags[7], ult(byte(9), X)))
    assumptions = [*(f for f in flags if f is not flags[7]), neg(flags[7])]
    assert solver.check(assumptions) is UNSAT
    core = solver.core()
    assert set(core) == {flags[3], neg(flags[7])}
    assert solver.check(core) is UNSAT


def test_core_of_complementary_assumptions(solver: Solver) -> None:
    assert solver.check([A, B, neg(A)]) is UNSAT
    assert set(solver.core()) == {A, neg(A)}


def test_assumptions_may_repeat_and_be_constant(solver: Solver) -> None:
    assert solver.check([A, A, TRUE]) is SAT
    assert solver.check([A, FALSE]) is UNSAT
    assert solver.core() == [FALSE]


def test_push_and_pop(solver: Solver) -> None:
    solver.add(ult(X, byte(5)))
    solver.push()
    solver.add(ult(byte(9), X))
    assert solver.check() is UNSAT
    solver.push()
    solver.add(A)
    solver.pop()
    assert solver.check() is UNSAT
    solver.pop()
    assert solver.check() is SAT


def test_pop_needs_push(solver: Solver) -> None:
    with pytest.raises(InternalError):
        solver.pop()


def test_model_and_core_need_their_answer(solver: Solver) -> None:
    with pytest.raises(InternalError):
        solver.model()
    solver.check()
    with pytest.raises(InternalError):
        solver.core()
    solver.add(FALSE)
    with pytest.raises(InternalError):
        solver.model()


def test_model_completes_what_it_does_not_know(solver: Solver) -> None:
    solver.add(A)
    solver.check()
    model = solver.model()
    unknown = var("never_seen", BYTE)
    first = model.value(unknown)
    assert model.value(plus(unknown, byte(1))) == (first + 1) % 256
    flag = var("never_seen_flag", BOOL)
    assert model.is_true(flag) is not model.is_true(neg(flag))
    assert model.is_true(flag) is model.value(flag)


# --- values of every sort -------------------------------------------------------------------------------------------


def test_array_values(solver: Solver) -> None:
    memory, before = var("memory", array(BYTE, BYTE)), var("before", array(BYTE, BYTE))
    solver.add(eq(memory, store(store(before, byte(1), byte(2)), byte(3), byte(4))))
    solver.add(eq(select(memory, byte(5)), byte(7)))
    solver.add(distinct(select(before, byte(1)), byte(2)))
    assert solver.check() is SAT or solver.reason_unknown() == "incomplete (theory array)"  # of Boogie's options
    value, old = solver.model().value(memory), solver.model().value(before)
    assert (value[1], value[3], value[5], old[5]) == (2, 4, 7, 7)
    assert old[1] != 2


def test_constant_arrays(solver: Solver) -> None:
    memory = const_array(BYTE, X)
    solver.add(eq(select(store(memory, Y, byte(2)), Z), byte(9)))
    assert solver.check() is SAT
    model = solver.model()
    assert (model.value(X), model.value(memory)) == (9, MapValue(9))
    assert model.value(Y) != model.value(Z)
    assert model.value(store(memory, byte(1), byte(3))) == MapValue(9, {1: 3})


def test_equality_of_a_constant_array_is_never_answered_wrongly(solver: Solver) -> None:
    """Bitwuzla, and Z3 with weak arrays, may not decide it."""
    memory = var("memory", array(BYTE, BYTE))
    solver.add(eq(memory, store(const_array(BYTE, byte(7)), byte(1), byte(2))))
    answer = solver.check()
    assert answer is SAT or (answer is UNKNOWN and solver.reason_unknown())
    solver.add(distinct(select(memory, byte(3)), byte(7)))
    answer = solver.check()
    assert answer is UNSAT or (answer is UNKNOWN and solver.reason_unknown())


def test_array_of_arrays(solver: Solver) -> None:
    row = array(BYTE, BOOL)
    table = var("table", array(BYTE, row))
    try:
        solver.add(select(select(table, byte(1)), byte(2)))
    except UnsupportedError:
        pytest.skip("refused")
    solver.add(neg(select(select(table, byte(1)), byte(3))))
    solver.add(neg(select(select(table, byte(2)), byte(2))))
    assert solver.check() is SAT
    value = solver.model().value(table)
    assert (value[1][2], value[1][3], value[2][2]) == (True, False, False)
    assert hash(value) == hash(value)


def test_open_arrays_agree_with_their_selects(solver: Solver) -> None:
    memory = var("memory", array(BYTE, BYTE))
    solver.add(ult(select(memory, X), select(memory, Y)))
    assert solver.check() is SAT
    model = solver.model()
    value = model.value(memory)
    for index in (X, Y):
        assert value[model.value(index)] == model.value(select(memory, index))


def test_uninterpreted_values(solver: Solver) -> None:
    if "UNINTERPRETED" not in solver.capabilities.sorts:
        pytest.skip("no uninterpreted sorts")
    thing = uninterpreted("Thing")
    p, q, r = (var(f"thing{i}", thing) for i in range(3))
    solver.add(distinct(p, q))
    solver.add(eq(q, r))
    assert solver.check() is SAT
    values = [solver.model().value(v) for v in (p, q, r)]
    assert all(isinstance(v, UninterpretedValue) and v.sort is thing for v in values)
    assert values[0] != values[1] == values[2]


def test_function_values(solver: Solver) -> None:
    f = Function("f", (BYTE, BOOL), BYTE)
    applications = {(1, True): 10, (2, True): 20, (2, False): 30, (3, False): 10}
    for (number, flag), result in applications.items():
        solver.add(eq(apply(f, byte(number), TRUE if flag else FALSE), byte(result)))
    assert solver.check() is SAT
    table = solver.model().function(f)
    assert {key: table(key) for key in applications} == applications


def test_functions_over_uninterpreted_sorts(solver: Solver) -> None:
    if "UNINTERPRETED" not in solver.capabilities.sorts:
        pytest.skip("no uninterpreted sorts")
    thing = uninterpreted("Thing")
    f = Function("successor", (thing,), thing)
    p = var("p", thing)
    solver.add(distinct(p, apply(f, p), apply(f, apply(f, p))))
    assert solver.check() is SAT
    model = solver.model()
    table = model.function(f)
    assert table((model.value(p),)) == model.value(apply(f, p))
    assert table((table((model.value(p),)),)) == model.value(apply(f, apply(f, p)))


def test_function_that_was_never_used(solver: Solver) -> None:
    solver.check()
    table = solver.model().function(Function("unused", (BYTE,), BYTE))
    assert table.entries == {}
    assert isinstance(table.default, int)
    assert 0 <= table.default < 256


def test_function_without_arguments_is_no_variable(solver: Solver) -> None:
    constant = apply(Function("x", (), BYTE))
    solver.add(distinct(constant, X))
    assert solver.check() is SAT
    model = solver.model()
    assert model.function(Function("x", (), BYTE)).default == model.value(constant) != model.value(X)


def test_same_name_different_sort(solver: Solver) -> None:
    solver.add(conj(var("same", BOOL), eq(var("same", BYTE), byte(3)), eq(var("same", bitvec(4)), bv(5, 4))))
    assert solver.check() is SAT
    model = solver.model()
    assert [model.value(var("same", s)) for s in (BOOL, BYTE, bitvec(4))] == [True, 3, 5]


def test_wide_bit_vectors(solver: Solver) -> None:
    wide, value = bitvec(5_000), (1 << 4_999) + 12345
    v = var("wide", wide)
    solver.add(eq(bv_binary(Op.BV_XOR, v, bv(1, 5_000)), bv(value, 5_000)))
    assert solver.check() is SAT
    assert solver.model().value(v) == value ^ 1


# --- quantifiers ----------------------------------------------------------------------------------------------------

F = Function("f", (BYTE,), BYTE)
K = var("k", BYTE)


def test_universal_is_instantiated(solver: Solver) -> None:
    needs_quantifiers(solver)
    solver.add(forall((K,), ult(apply(F, K), byte(9)), ((apply(F, K),),)))
    solver.add(ult(byte(20), apply(F, X)))
    assert solver.check() is UNSAT


def test_existential(solver: Solver) -> None:
    needs_quantifiers(solver)
    solver.add(exists((K,), conj(ult(K, byte(3)), ult(byte(1), K), eq(X, K))))
    assert solver.check() is SAT
    assert solver.model().value(X) == 2


def test_bound_variable_does_not_meet_a_free_one(solver: Solver) -> None:
    needs_quantifiers(solver)
    solver.add(exists((K,), eq(K, byte(1))))
    solver.add(eq(K, byte(2)))
    assert solver.check() is SAT


def test_useless_triggers_are_ignored(solver: Solver) -> None:
    needs_quantifiers(solver)
    every = forall((K,), ult(apply(F, K), byte(9)), ((apply(F, X),), (K,)))
    solver.add(every)
    assert solver.check() in (SAT, UNKNOWN)


# --- templates ------------------------------------------------------------------------------------------------------


def test_template_instances_are_independent(solver: Solver) -> None:
    template = solver.template((X, Y), [ult(X, Y), ult(Y, Z)])
    p, q = var("p", BYTE), var("q", BYTE)
    solver.instantiate(template, (p, q))
    solver.instantiate(template, (q, plus(p, byte(100))))
    solver.add(eq(Z, byte(150)))
    assert solver.check() is SAT
    model = solver.model()
    p_value, q_value = model.value(p), model.value(q)
    assert p_value < q_value < (p_value + 100) % 256 < 150


def test_template_swaps_its_parameters(solver: Solver) -> None:
    template = solver.template((X, Y), [ult(X, Y)])
    solver.instantiate(template, (Y, X))
    solver.add(eq(X, byte(1)))
    solver.add(eq(Y, byte(2)))
    assert solver.check() is UNSAT


def test_template_parameters_stay_usable(solver: Solver) -> None:
    solver.add(eq(X, byte(1)))
    template = solver.template((X,), [ult(byte(7), X)])
    solver.instantiate(template, (Y,))
    assert solver.check() is SAT
    assert solver.model().value(X) == 1
    assert solver.model().value(Y) > 7


def test_template_of_nothing(solver: Solver) -> None:
    solver.instantiate(solver.template((), []), ())
    solver.instantiate(solver.template((X,), [A]), (Y,))
    assert solver.check([neg(A)]) is UNSAT


def test_template_instances_are_popped(solver: Solver) -> None:
    template = solver.template((A,), [A])
    solver.push()
    solver.instantiate(template, (B,))
    assert solver.check([neg(B)]) is UNSAT
    solver.pop()
    assert solver.check([neg(B)]) is SAT


@pytest.mark.parametrize(("low", "value", "expected"), [(10, 9, UNSAT), (10, 11, SAT)])
def test_template_with_a_quantifier(solver: Solver, low: int, value: int, expected: Answer) -> None:
    """The parameters occur below the quantifier and in its trigger's neighbourhood: indices must be shifted."""
    needs_quantifiers(solver)
    bound = forall((K,), implies(eq(K, Y), ult(X, apply(F, K))), ((apply(F, K),),))
    template = solver.template((X, Y), [bound])
    p = var("p", BYTE)
    solver.instantiate(template, (byte(low), p))
    solver.add(eq(apply(F, p), byte(value)))
    answer = solver.check()
    assert answer is expected or (expected is SAT and answer is UNKNOWN and solver.reason_unknown() == "quantifiers")


def test_template_with_nested_quantifiers(solver: Solver) -> None:
    needs_quantifiers(solver)
    j = var("j", BYTE)
    g = Function("g", (BYTE, BYTE), BYTE)
    inner = forall((j,), eq(apply(g, K, j), plus(X, plus(K, j))), ((apply(g, K, j),),))
    template = solver.template((X,), [forall((K,), inner)])
    solver.instantiate(template, (Y,))
    solver.add(eq(Y, byte(100)))
    solver.add(distinct(apply(g, byte(1), byte(2)), byte(103)))
    if solver.check() is not UNSAT:  # a nested quantifier without a trigger of its own may be beyond the solver
        assert solver.reason_unknown() == "quantifiers"
        flat = forall((K, j), eq(apply(g, K, j), plus(X, plus(K, j))), ((apply(g, K, j),),))
        solver.instantiate(solver.template((X,), [flat]), (Y,))
        assert solver.check() is UNSAT


def test_argument_that_looks_like_a_bound_variable(solver: Solver) -> None:
    needs_quantifiers(solver)
    template = solver.template((X,), [forall((K,), implies(eq(K, byte(3)), ult(X, apply(F, K))), ((apply(F, K),),))])
    solver.instantiate(template, (K,))  # the free k
    solver.add(eq(K, byte(50)))
    solver.add(ult(apply(F, byte(3)), byte(50)))
    assert solver.check() is UNSAT


def test_template_refuses_wrong_arguments(make: Callable[[], Solver]) -> None:
    solver, other = make(), make()
    template = solver.template((X,), [ult(X, byte(3))])
    for wrong in ((), (X, Y), (A,)):
        with pytest.raises(InternalError):
            solver.instantiate(template, wrong)
    with pytest.raises(InternalError):
        other.instantiate(template, (X,))
    with pytest.raises(InternalError):
        solver.template((X, X), [A])


# --- limits and interrupts ------------------------------------------------------------------------------------------


def test_time_limit(solver: Solver) -> None:
    add_hard(solver)
    started = time.monotonic()
    assert solver.check(seconds=0.2) is UNKNOWN
    assert time.monotonic() - started < 5
    assert solver.reason_unknown() == "timeout"
    solver.add(FALSE)
    assert solver.check() is UNSAT


def test_cost_limit(solver: Solver) -> None:
    if not solver.capabilities.deterministic_cost:
        pytest.skip("counts no cost")
    add_hard(solver)
    before = solver.cost()
    assert solver.check(cost_limit=50) is UNKNOWN
    assert solver.reason_unknown() == "cost"
    assert solver.cost() - before < 1_000_000
    assert solver.check([FALSE]) is UNSAT  # no limit any more


def test_cost_is_the_same_in_every_run(make: Callable[[], Solver]) -> None:
    costs = []
    for _ in range(2):
        solver = make()
        x, y = var("p", bitvec(12)), var("q", bitvec(12))
        solver.add(eq(bv_binary(Op.BV_MUL, zero_extend(x, 12), zero_extend(y, 12)), bv(2003 * 2011, 24)))
        solver.add(distinct(x, bv(1, 12)))
        assert solver.check() is SAT
        costs.append(solver.cost())
        del solver
        gc.collect()
    assert costs[0] == costs[1]
    assert costs[0] > 0


def test_interrupt_from_another_thread(solver: Solver) -> None:
    add_hard(solver)
    timer = threading.Timer(0.2, solver.interrupt)
    timer.start()
    started = time.monotonic()
    assert solver.check(seconds=30) is UNKNOWN
    assert solver.reason_unknown() == "interrupted"
    assert time.monotonic() - started < 5
    timer.join()
    assert solver.check([FALSE]) is UNSAT  # only that check


def test_interrupt_before_a_check_stops_the_next_one_only(solver: Solver) -> None:
    solver.interrupt()
    assert solver.check() is UNKNOWN
    assert solver.reason_unknown() == "interrupted"
    assert solver.check() is SAT
    assert solver.reason_unknown() == ""


def test_interrupts_at_any_moment_are_never_lost(solver: Solver) -> None:
    add_hard(solver)
    for delay in (0.0, 0.0002, 0.0005, 0.001, 0.002, 0.005):
        timer = threading.Timer(delay, solver.interrupt)
        timer.start()
        answer = solver.check(seconds=20)
        timer.join()
        assert (answer, solver.reason_unknown()) == (UNKNOWN, "interrupted")


# --- odds and ends --------------------------------------------------------------------------------------------------


def test_sorts_outside_the_capabilities_are_refused(solver: Solver) -> None:
    number = var("n", INT)
    if "INT" in solver.capabilities.sorts:
        solver.add(eq(number, integer(3)))
        assert solver.check() is SAT
    else:
        with pytest.raises(UnsupportedError):
            solver.add(eq(number, integer(3)))
        with pytest.raises(UnsupportedError):  # again, now that parts of it were seen
            solver.add(eq(number, integer(3)))
        assert solver.check() is SAT


def test_deep_terms(solver: Solver) -> None:
    """Deeper than any stack that recursion would fit."""
    term = A
    for i in range(20_000):
        term = implies(term, (A, B, C)[i % 3]) if i % 2 else neg(conj(term, (A, B, C)[i % 3]))
    solver.add(term)
    assert solver.check(seconds=30) is SAT
    assert solver.model().is_true(term)


@pytest.mark.parametrize("name", ["a|b", "back\\slash", "%25", "", "ünïcödé", "Mem_T.x#1", "true", "\ud800"])
def test_any_name(solver: Solver, name: str) -> None:
    variable = var(name, BYTE)
    solver.add(eq(variable, byte(77)))
    solver.add(eq(apply(Function(name, (BYTE,), BYTE), variable), byte(78)))
    assert solver.check() is SAT
    assert solver.model().value(variable) == 77


def test_garbage_in_cycles_is_collected_in_any_order(make: Callable[[], Solver]) -> None:
    class Node:
        parts: Any

    for _ in range(20):
        solver = make()
        solver.add(ite(A, B, C))
        solver.check()
        node = Node()
        node.parts = [node, solver, solver.model()]
        del node, solver
    gc.collect()


def test_solvers_in_threads_do_not_meet(make: Callable[[], Solver]) -> None:
    answers: list[tuple[int, Any]] = []

    def work(number: int) -> None:
        solver = make()
        for i in range(30):
            solver.add(disj(ult(X, byte(number + 1)), eq(X, byte(i))))
        solver.add(ult(byte(number - 1), X))
        solver.add(ult(X, byte(number + 1)))
        answers.append((number, solver.check() is SAT and solver.model().value(X)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [(number, number) for number in range(1, 9)]
