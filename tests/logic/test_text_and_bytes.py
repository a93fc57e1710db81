"""Terms survive being encoded, printed and simplified: random terms of every sort and operator."""

from __future__ import annotations

import contextlib
import importlib
import random
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
from cleave.logic.sorts import BOOL, INT, REAL, Sort, array, bitvec, uninterpreted
from cleave.logic.symbols import symbol, symbol_name
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder, rebuild
from cleave.smt.solver import Answer
from cleave.smt.z3 import Z3Solver

cvc5: Any = importlib.import_module("cvc5")  # both without usable types
z3: Any = importlib.import_module("z3")

BYTE = bitvec(8)
THING = uninterpreted("Thing#'s")
MEMORY = array(INT, array(BYTE, BOOL))
SORTS = (BOOL, INT, REAL, BYTE, THING, MEMORY, array(BYTE, BOOL))
NAMES = ("x", "a b", "m|n", "Mem_T.x#1", "select", "x'^$", "bvadd", "\\", "set.union", "_1")


class Builder:
    """Random well-sorted terms, made without the constructors' simplifications, sharing parts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made: dict[Sort, list[Term]] = {sort: [self.leaf(sort)] for sort in SORTS}
        self.bound = 0

    def leaf(self, sort: Sort) -> Term:
        pick = self.random
        if pick.random() < 0.6 or sort in (THING, MEMORY) or sort.is_array:
            return t.var(pick.choice(NAMES), sort)
        number = pick.choice([0, 1, -1, 7, 2**70, -(2**64), pick.randrange(-300, 300)])
        return t.value_of(
            Fraction(number, pick.choice([1, 3])) if sort is REAL else number % 2 if sort is BOOL else number, sort
        )

    def any(self, sort: Sort) -> Term:
        return self.random.choice(self.made[sort]) if self.random.random() < 0.8 else self.leaf(sort)

    def grow(self) -> Term:
        term = self.node(self.random.choice(list(Op)))
        self.made.setdefault(term.sort, []).append(term)
        return term

    def node(self, op: Op) -> Term:
        pick, any_ = self.random, self.any
        sort = pick.choice(SORTS)
        number = pick.choice((INT, REAL))
        match op:
            case Op.VAR | Op.VALUE:
                return self.leaf(sort)
            case Op.APPLY:
                arguments = tuple(pick.choice(SORTS) for _ in range(pick.randrange(3)))
                return t.apply(Function(pick.choice(NAMES), arguments, sort), *map(any_, arguments))
            case Op.FORALL | Op.EXISTS:
                return self.quantifier(op)
            case Op.NOT:
                return t.make(op, (any_(BOOL),), BOOL)
            case Op.AND | Op.OR:
                return t.make(op, tuple(any_(BOOL) for _ in range(pick.randrange(2, 5))), BOOL)
            case Op.IMPLIES:
                return t.make(op, (any_(BOOL), any_(BOOL)), BOOL)
            case Op.ITE:
                return t.make(op, (any_(BOOL), any_(sort), any_(sort)), sort)
            case Op.EQ:
                return t.make(op, (any_(sort), any_(sort)), BOOL)
            case Op.DISTINCT:
                return t.make(op, tuple(any_(sort) for _ in range(pick.randrange(2, 4))), BOOL)
            case Op.ADD | Op.SUB:
                return t.make(op, (any_(number), any_(number)), number)
            case Op.MUL:
                return t.make(op, (t.value_of(pick.randrange(-3, 4), number), any_(number)), number)
            case Op.NEG:
                return t.make(op, (any_(number),), number)
            case Op.DIV | Op.MOD:
                return t.make(op, (any_(INT), t.integer(pick.choice([-3, 2, 5]))), INT)
            case Op.REAL_DIV:
                return t.make(op, (any_(REAL), t.real(pick.choice([-3, 2, 5]))), REAL)
            case Op.LE | Op.LT:
                return t.make(op, (any_(number), any_(number)), BOOL)
            case Op.TO_REAL:
                return t.make(op, (any_(INT),), REAL)
            case Op.TO_INT:
                return t.make(op, (any_(REAL),), INT)
            case Op.SELECT:
                source = pick.choice([s for s in SORTS if s.is_array])
                return t.make(op, (any_(source), any_(source.index)), source.element)
            case Op.STORE:
                target = pick.choice([s for s in SORTS if s.is_array])
                return t.make(op, (any_(target), any_(target.index), any_(target.element)), target)
            case Op.CONST_ARRAY:
                return t.make(op, (pick.choice((t.TRUE, t.FALSE)),), array(BYTE, BOOL))  # cvc5 takes values only
            case Op.CONCAT:
                return t.extract(t.make(op, (any_(BYTE), any_(BYTE)), bitvec(16)), 11, 4)
            case Op.EXTRACT:
                return t.zero_extend(t.make(op, (any_(BYTE),), bitvec(3), (5, 3)), 5)
            case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
                return t.extract(t.make(op, (any_(BYTE),), bitvec(11), 3), 9, 2)
            case Op.BV_NOT | Op.BV_NEG:
                return t.make(op, (any_(BYTE),), BYTE)
            case Op.BV_ULT | Op.BV_ULE | Op.BV_SLT | Op.BV_SLE:
                return t.make(op, (any_(BYTE), any_(BYTE)), BOOL)
            case Op.BV_TO_INT:
                return t.make(op, (any_(BYTE),), INT)
            case Op.INT_TO_BV:
                return t.make(op, (any_(INT),), BYTE)
            case _:
                return t.make(op, (any_(BYTE), any_(BYTE)), BYTE)

    def quantifier(self, op: Op) -> Term:
        """Its variable has a name of its own, and occurs in a shared part of the body."""
        self.bound += 1
        variable = t.var(f"bound {self.bound}", self.random.choice((INT, BYTE)))
        function = Function("f", (variable.sort,), BYTE)
        part = t.bv_binary(Op.BV_ADD, t.apply(function, variable), self.any(BYTE))
        body = t.implies(self.any(BOOL), t.bv_compare(Op.BV_ULT, part, t.bv_binary(Op.BV_MUL, part, part)))
        triggers = ((t.apply(function, variable),),) if self.random.random() < 0.5 else ()
        return t._quantifier(op, (variable,), body, triggers)


def random_terms(seed: int, size: int = 40) -> list[Term]:
    builder = Builder(seed)
    return [builder.grow() for _ in range(size)]


SEEDS = st.integers(0, 2**32)


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


def ask_cvc5(script: str) -> str:
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in (("arrays-exp", "true"), ("tlimit-per", "500"), ("full-saturate-quant", "false")):
        solver.setOption(option, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    output = ""
    while not (command := parser.nextCommand()).isNull():
        output = command.invoke(solver, parser.getSymbolManager()).strip()
        assert "error" not in output, (output, script)
    return str(output.split()[0])  # "unknown" comes with its reason


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
