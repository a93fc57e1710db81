"""cvc5 as a decision procedure: it agrees with the other backends, keeps to its limits, and can't take us with it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cleave.logic import terms as t
from cleave.logic.datatypes import ArrayOf, Declaration, construct, declare, field
from cleave.logic.datatypes import test as made_by
from cleave.logic.sorts import BOOL, INT, REAL, array, bitvec, uninterpreted
from cleave.logic.terms import Function, Op, Term
from cleave.smt.cvc5.solver import Cvc5
from cleave.smt.solver import Answer
from cleave.validate.semantics.evaluate import World, evaluate

SAT, UNSAT, UNKNOWN = Answer.SAT, Answer.UNSAT, Answer.UNKNOWN
X, Y, Z = (t.var(name, INT) for name in "xyz")
A, B = t.var("a", BOOL), t.var("b", BOOL)
BYTE = bitvec(8)
U, V = t.var("u", BYTE), t.var("v", BYTE)


@pytest.fixture(scope="module")
def solver() -> Iterator[Cvc5]:
    with Cvc5() as found:
        yield found


def test_a_process_that_was_started_before_is_asked() -> None:
    with Cvc5() as solver:
        solver.start()
        before = solver._process
        assert before is not None
        assert solver.decide(t.lt(X, X)).answer is UNSAT
        assert solver.decide(t.lt(X, Y)).answer is SAT
        assert solver._process is before


def hard(bits: int = 60) -> Term:
    """Factors of a product of two primes, with many bits."""
    x, y = t.var("p", bitvec(bits)), t.var("q", bitvec(bits))
    product = t.bv_binary(Op.BV_MUL, t.zero_extend(x, bits), t.zero_extend(y, bits))
    return t.conj(
        t.eq(product, t.bv((10**18 + 3) * (10**18 + 9), 2 * bits)),
        t.bv_compare(Op.BV_ULT, t.bv(1, bits), x),
        t.bv_compare(Op.BV_ULT, x, y),
    )


def test_answers_and_values(solver: Cvc5) -> None:
    assert solver.decide(t.conj(t.lt(X, Y), t.lt(Y, X))).answer is UNSAT
    found = solver.decide(t.conj(t.lt(X, Y), t.eq(Y, t.integer(3)), A))
    assert found.answer is SAT
    assert found.values["y"] == "3"
    assert found.values["a"] == "true"
    assert solver.decide(t.TRUE).answer is SAT
    assert solver.decide(t.FALSE).answer is UNSAT


def test_every_sort(solver: Cvc5) -> None:
    r, some = t.var("r", REAL), uninterpreted("S")
    m, n = t.var("m", array(INT, BYTE)), t.var("n", array(INT, BYTE))
    c, d = t.var("c", some), t.var("d", some)
    f = Function("f", (some,), INT)
    k = Function("k", (), INT)
    unsat = [
        t.conj(t.lt(r, t.real(1)), t.lt(t.real(1), t.mul(r, t.real(1)))),
        t.conj(t.eq(m, t.store(n, X, U)), t.distinct(t.select(m, X), U)),
        t.eq(t.select(t.store(t.const_array(INT, t.bv(3, 8)), X, t.bv(3, 8)), Y), t.bv(4, 8)),
        t.conj(t.eq(c, d), t.distinct(t.apply(f, c), t.apply(f, d))),
        t.conj(t.lt(t.apply(k), X), t.lt(X, t.apply(k))),
        t.distinct(t.bv_to_int(t.int_to_bv(X, 8)), t.mod(X, t.integer(256))),
        t.distinct(t.to_int(t.to_real(X)), X),
        t.conj(t.eq(t.concat(U, V), t.bv(0x1234, 16)), t.distinct(t.extract(U, 3, 0), t.bv(2, 4))),
    ]
    for formula in unsat:
        assert solver.decide(formula, seconds=20).answer is UNSAT, formula
    for formula in (t.lt(r, t.real(1)), t.distinct(c, d), t.lt(t.apply(k), X), t.distinct(m, n)):
        assert solver.decide(formula, seconds=20).answer is SAT, formula


def test_quantifiers_bind_what_they_should(solver: Cvc5) -> None:
    everywhere = t.forall((X,), t.lt(X, Y))
    assert solver.decide(everywhere).answer is UNSAT
    somewhere = t.exists((X,), t.lt(X, Y))
    assert solver.decide(t.conj(somewhere, t.lt(Y, X))).answer is SAT  # the free x is another one
    assert solver.decide(t.neg(somewhere)).answer is UNSAT
    f = Function("f", (INT,), INT)
    grows = t.forall((X,), t.lt(X, t.apply(f, X)), ((t.apply(f, X),),))
    assert solver.decide(t.conj(grows, t.eq(t.apply(f, t.integer(4)), t.integer(3)))).answer is UNSAT


def test_data_types(solver: Cvc5) -> None:
    (lists,) = declare((Declaration("List", (("nil", ()), ("cons", (("head", INT), ("tail", 0))))),))
    one, other = t.var("one", lists), t.var("other", lists)
    nil = construct(lists, 0)
    cyclic = t.eq(one, construct(lists, 1, X, one))
    assert solver.decide(cyclic).answer is UNSAT
    assert solver.decide(t.conj(made_by(one, 0), t.distinct(one, nil))).answer is UNSAT
    longer = t.eq(one, construct(lists, 1, X, other))
    assert solver.decide(t.conj(longer, t.distinct(field(one, 1, 0), X))).answer is UNSAT
    assert solver.decide(t.conj(made_by(one, 1), t.eq(field(one, 1, 0), t.integer(2)))).answer is SAT


def test_data_types_that_need_each_other(solver: Cvc5) -> None:
    trees, forests = declare(
        (
            Declaration("Tree", (("leaf", (("label", BYTE),)), ("node", (("children", 1),)))),
            Declaration("Forest", (("none", ()), ("some", (("first", 0), ("rest", 1))))),
        )
    )
    tree, forest = t.var("tree", trees), t.var("forest", forests)
    inside = t.eq(forest, construct(forests, 1, tree, construct(forests, 0)))
    assert solver.decide(t.conj(inside, t.eq(tree, construct(trees, 1, forest)))).answer is UNSAT
    assert solver.decide(t.conj(inside, made_by(tree, 1))).answer is SAT


def test_data_types_with_arrays_of_themselves_are_not_answered_wrongly(solver: Cvc5) -> None:
    """cvc5 refuses them."""
    (nodes,) = declare((Declaration("Node", (("end", ()), ("node", (("next", ArrayOf(INT, 0)),)))),))
    one = t.var("one", nodes)
    inside = t.select(field(one, 1, 0), X)
    assert solver.decide(t.conj(made_by(inside, 0), made_by(inside, 1))).answer is not SAT


def test_a_time_limit_is_kept_and_the_next_question_answered(solver: Cvc5) -> None:
    started = time.monotonic()
    found = solver.decide(hard(), seconds=1)
    assert (found.answer, found.reason) == (UNKNOWN, "timeout")
    assert time.monotonic() - started < 10
    assert solver.decide(t.lt(X, X)).answer is UNSAT


def test_interrupted_from_another_thread() -> None:
    with Cvc5() as solver:
        solver.decide(t.lt(X, Y))
        started = time.monotonic()
        timer = threading.Timer(0.5, solver.interrupt)
        timer.start()
        found = solver.decide(hard())
        assert (found.answer, found.reason) == (UNKNOWN, "interrupted")
        assert time.monotonic() - started < 20
        solver.interrupt()
        assert solver.decide(t.lt(X, Y)).reason == "interrupted"
        assert solver.decide(t.lt(X, Y)).answer is SAT


def test_a_process_that_dies_is_replaced() -> None:
    with Cvc5() as solver:
        assert solver.decide(t.lt(X, Y)).answer is SAT
        process = solver._process
        assert process is not None
        os.kill(process.pid, 9)
        process.wait()
        found = solver.decide(t.lt(X, Y))
        assert found.answer is UNKNOWN
        assert "ended" in found.reason
        assert solver.decide(t.lt(X, Y)).answer is SAT


def test_too_little_memory_is_unknown() -> None:
    with Cvc5(memory_mb=300) as solver:
        many = [t.distinct(*(t.var(f"v{i}", INT) for i in range(600)))]
        assert solver.decide(t.conj_all(many), seconds=20).answer is not UNSAT
        assert solver.decide(t.lt(X, X)).answer is UNSAT


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str], solver: Cvc5) -> None:
    solver.decide(hard(), seconds=0.2)
    solver.decide(t.eq(t.const_array(INT, X), t.var("m", array(INT, INT))))
    assert capfd.readouterr() == ("", "")


def test_deep_terms_do_no_harm(solver: Cvc5) -> None:
    deep = t.lt(X, Y)
    for number in range(20_000):
        deep = t.make(Op.AND, (A, deep), BOOL) if number % 2 else t.make(Op.NOT, (deep,), BOOL)
    assert solver.decide(deep, seconds=30).answer in (SAT, UNKNOWN)
    assert solver.decide(t.lt(X, X)).answer is UNSAT


def test_a_constant_array_of_no_value_is_unknown(solver: Cvc5) -> None:
    found = solver.decide(t.distinct(t.select(t.store(t.const_array(INT, Z), X, Z), Y), Z))
    assert found.answer is not SAT


UNARY = (Op.BV_NOT, Op.BV_NEG)
COMPARISONS = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)
BINARY = tuple(op for op in Op if op.name.startswith("BV_") and op not in (*UNARY, *COMPARISONS, Op.BV_TO_INT))


def test_bit_vector_operators_mean_what_the_evaluator_says(solver: Cvc5) -> None:
    """All operators on all pairs of edge values, in one question."""
    width, facts = 4, []
    x, y = t.var("x", bitvec(width)), t.var("y", bitvec(width))
    for op in (*BINARY, *COMPARISONS):
        term = (t.bv_compare if op in COMPARISONS else t.bv_binary)(op, x, y)
        for a in (0, 1, 5, 7, 8, 15):
            for b in (0, 1, 5, 7, 8, 15):
                value = evaluate(term, {x: a, y: b}.__getitem__, World())
                here = t.conj(t.eq(x, t.bv(a, width)), t.eq(y, t.bv(b, width)))
                facts.append(t.implies(here, t.eq(term, t.value_of(value, term.sort))))
    assert solver.decide(t.neg(t.conj_all(facts)), seconds=60).answer is UNSAT


def integers() -> st.SearchStrategy[Term]:
    leaves = st.one_of(st.sampled_from([X, Y, Z]), st.integers(-9, 9).map(t.integer))

    def extend(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        divisor = st.integers(-4, 4).filter(bool).map(t.integer)
        return st.one_of(
            st.builds(lambda f, a, b: f(a, b), st.sampled_from([t.add, t.sub, t.mul]), inner, inner),
            st.builds(lambda f, a, b: f(a, b), st.sampled_from([t.div, t.mod]), inner, divisor),
            st.builds(lambda f, a, b, c, d: t.ite(f(a, b), c, d), st.sampled_from([t.le, t.lt]), *[inner] * 4),
            st.builds(lambda a: t.to_int(t.real_div(t.to_real(a), t.real(2))), inner),
        )

    return st.recursive(leaves, extend, max_leaves=6)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(integers(), st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_random_integer_terms_mean_what_the_evaluator_says(term: Term, values: list[int]) -> None:
    state = dict(zip((X, Y, Z), values, strict=True))
    expected = evaluate(term, state.__getitem__, World())
    here = t.conj_all(t.eq(variable, t.integer(value)) for variable, value in state.items())
    different = t.neg(t.eq(term, t.value_of(expected, INT)))
    assert SHARED.decide(t.conj(here, different), seconds=20).answer is UNSAT
    assert SHARED.decide(t.conj(here, t.neg(different)), seconds=20).answer is SAT


SHARED = Cvc5()
