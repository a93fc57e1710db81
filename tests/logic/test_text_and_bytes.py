"""Terms survive being encoded, printed and simplified: random terms of every sort and operator."""

from __future__ import annotations

import contextlib
import importlib
import re
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.logic import terms as t
from cleave.logic.encoding import decode, encode
from cleave.logic.signatures import fits
from cleave.logic.smtlib import print_script, print_sort, print_term
from cleave.logic.sorts import BOOL, INT, array
from cleave.logic.symbols import symbol, symbol_name
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder, rebuild
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import Z3Solver
from support.cvc5_process import ask_cvc5
from support.random_terms import BYTE, SEEDS, THING, random_terms

z3: Any = importlib.import_module("z3")  # without usable types

# --- bytes ----------------------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_decoding_gives_the_same_terms(seed: int) -> None:
    terms = random_terms(seed)
    decoded = decode(encode(terms))
    assert len(decoded) == len(terms)
    assert all(a is b for a, b in zip(decoded, terms, strict=True))


def test_every_operator_was_tried() -> None:
    """Else the random tests above and below promise more than they check."""
    seen = {node.op for seed in range(20) for node in postorder(random_terms(seed))}
    assert seen == set(Op)


def test_shared_nodes_are_encoded_once() -> None:
    term = t.var("x", INT)
    for _ in range(200):
        term = t.add(term, term)
    assert len(encode([term])) < 3000
    assert decode(encode([term]))[0] is term


def test_encoding_is_deep_and_empty() -> None:
    term = t.var("x", INT)
    for _ in range(100_000):
        term = t.add(term, t.var("y", INT))
    assert decode(encode([term, term])) == [term, term]
    assert decode(encode([])) == []


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_refused_or_decoded(data: bytes) -> None:
    with contextlib.suppress(InputError):
        decode(data)


@settings(max_examples=300, deadline=None)
@given(SEEDS, st.data())
def test_damaged_bytes_are_refused_or_well_sorted(seed: int, data: st.DataObject) -> None:
    """Changes of the structure, so that they get past the reader of MessagePack."""
    whole = msgspec.msgpack.decode(encode(random_terms(seed, 6)))
    nodes: list[list[object]] = whole[3]
    node = data.draw(st.sampled_from(nodes))
    position = data.draw(st.integers(0, len(node) - 1))
    junk = st.one_of(st.integers(-3, 60), st.binary(max_size=3), st.none(), st.booleans(), st.lists(st.integers(0, 9)))
    node[position] = data.draw(junk)
    try:
        decoded = decode(msgspec.msgpack.encode(whole))
    except InputError:
        return
    assert all(fits(n.op, n.args, n.sort, n.value) for n in postorder(decoded))


@pytest.mark.parametrize(
    "change", [[2], [1, [], [], [], [0]], [1, [[4, 0, 0, 0]], [], [], []], [1, [[3, 0]], [], [], []]]
)
def test_wrong_messages(change: object) -> None:
    with pytest.raises(InputError):
        decode(msgspec.msgpack.encode(change))


# --- text -----------------------------------------------------------------------------------------------------------


def ask_z3(script: str) -> str:
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("timeout", 2000)
    solver.from_string(script)
    return str(solver.check())


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_both_solvers_read_what_is_printed(seed: int) -> None:
    assertions = [term for term in random_terms(seed, 60) if term.sort is BOOL][:6]
    script = print_script(assertions)
    direct = Z3Solver()
    for assertion in assertions:
        direct.add(assertion)
    answers = {ask_z3(script), ask_cvc5(script), direct.check(seconds=2).value}
    assert not {"sat", "unsat"} <= answers
    assert answers <= {"sat", "unsat", "unknown"}


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_printed_text_means_the_term(seed: int) -> None:
    """Read back by Z3, a term without quantifiers equals the translated one: their difference has no model."""
    terms = [
        x
        for x in random_terms(seed, 25)
        if x.sort is BOOL and not any(n.op in (Op.FORALL, Op.EXISTS) for n in postorder((x,)))
    ]
    for term in terms[-2:]:
        fresh = t.var("the answer", BOOL)
        script = print_script([t.make(Op.EQ, (fresh, term), BOOL)])
        for value in (t.TRUE, t.FALSE):
            solver = Z3Solver()
            solver.add(t.eq(term, value))
            expected = solver.check(seconds=2).value
            found = ask_z3(script.replace("(check-sat)", f"(assert (= |the answer| {value!r}))"))
            assert {expected, found} in ({"sat"}, {"unsat"}, {"sat", "unknown"}, {"unsat", "unknown"}, {"unknown"})


def test_text_is_linear_in_the_dag() -> None:
    term = t.var("x", INT)
    for _ in range(200):
        term = t.add(term, term)
    assert len(print_term(term)) < 10_000
    assert len(print_script([t.lt(term, t.integer(0)), t.lt(t.integer(0), term)])) < 20_000


def alternating(levels: int) -> Term:
    """Each level is used below two quantifiers of the next, and beside them."""
    term = t.bv(1, 8)
    for i in range(levels):
        below = [t.exists((v,), t.eq(v, term)) for v in (t.var(f"k{i}", BYTE), t.var(f"j{i}", BYTE))]
        term = t.ite(t.conj(*below), term, t.bv_unary(Op.BV_NOT, term))
    return t.eq(term, t.bv(1, 8))


def test_text_is_linear_below_quantifiers() -> None:
    assert len(print_script([alternating(30)])) < 10_000
    assert ask_z3(print_script([alternating(4)])) == "sat"


def test_deep_terms_are_printed() -> None:
    term = t.var("x", INT)
    for _ in range(100_000):
        term = t.add(term, t.var("y", INT))
    text = print_term(term)
    assert text.startswith("(+ (+ (+ ")
    assert text.endswith(" y) y)")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (t.integer(-3), "(- 3)"),
        (t.real(2), "2.0"),
        (t.real(Fraction(-1, 3)), "(- (/ 1.0 3.0))"),
        (t.bv(5, 8), "#b00000101"),
        (t.bv(5, 32), "(_ bv5 32)"),
        (t.const_array(INT, t.integer(0)), "((as const (Array Int Int)) 0)"),
        (t.extract(t.var("x", BYTE), 3, 1), "((_ extract 3 1) x)"),
        (t.int_to_bv(t.var("x", INT), 8), "((_ int_to_bv 8) x)"),
        (t.minus(t.var("x", INT)), "(- x)"),
        (t.apply(Function("f#1", (), INT)), "|f#1|"),
    ],
)
def test_text(term: Term, text: str) -> None:
    assert print_term(term) == text


def test_quantifier_text() -> None:
    k = t.var("k", INT)
    application = t.apply(Function("f", (INT,), INT), k)
    term = t.forall((k,), t.lt(k, application), ((application,), (application, k)))
    assert print_term(term) == "(forall ((k Int)) (! (< k (f k)) :pattern ((f k)) :pattern ((f k) k)))"
    assert print_sort(array(THING, BYTE)) == "(Array |Thing#'s| (_ BitVec 8))"


def test_huge_numbers() -> None:
    assert len(print_term(t.integer(10**20_000))) == 20_001


@given(st.text())
def test_symbols_are_reversible_and_legal(name: str) -> None:
    text = symbol(name)
    assert symbol_name(text) == name
    assert re.fullmatch(r"\|[ -~]*\||[!-~]+", text)
    assert text.count("|") in (0, 2)
    assert "\\" not in text


# --- simplification -------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_constructors_preserve_meaning(seed: int) -> None:
    """Each node, made plainly, against the same node through its simplifying constructor."""
    solver = Z3Solver()
    for plain in random_terms(seed, 30):
        if plain.op in (Op.VAR, Op.VALUE, Op.FORALL, Op.EXISTS):
            continue
        simplified = rebuild_simplifying(plain)
        assert simplified.sort is plain.sort
        if simplified is not plain:
            solver.push()
            solver.add(t.make(Op.NOT, (t.make(Op.EQ, (plain, simplified), BOOL),), BOOL))
            assert solver.check(seconds=5) is Answer.UNSAT, (plain, simplified)
            solver.pop()


def rebuild_simplifying(node: Term) -> Term:
    """`rebuild` gives back a node whose arguments did not change; an equal tuple of another kind is a change to it."""

    class Changed(tuple[Term, ...]):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return False

        __hash__ = tuple.__hash__

    return rebuild(node, Changed(node.args))
