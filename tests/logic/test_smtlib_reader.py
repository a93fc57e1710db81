"""Terms are read back from text as the very objects that were printed, and Z3 agrees on what texts mean."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.logic import terms as t
from cleave.logic.smtlib import print_script, print_term
from cleave.logic.smtlib_reader import read_term
from cleave.logic.sorts import BOOL, INT, REAL, array, bitvec
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import fold, free_variables, functions, postorder, rebuild
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import Z3Solver
from support.random_terms import ROW, SEEDS, SHAPE, THING, random_terms

z3: Any = importlib.import_module("z3")

BYTE = bitvec(8)
X, Y, R, B = t.var("x", INT), t.var("y", INT), t.var("r", REAL), t.var("b", BOOL)
V, W = t.var("v", BYTE), t.var("w", BYTE)
A = t.var("a", array(INT, INT))
SCOPE = {v.name: v for v in (X, Y, R, B, V, W, A)}


def simplified(term: Term) -> Term:
    """Through the constructors, with names that tell everything apart."""

    class Changed(tuple[Term, ...]):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return False

        __hash__ = tuple.__hash__

    def combine(node: Term, args: list[Term]) -> Term:
        if node.op is Op.VAR:
            return t.var(f"{node.name}:{node.sort!r}", node.sort)
        if node.op is Op.APPLY:
            function: Function = node.value
            return t.apply(Function(f"{function.name}{function.arguments}", *function[1:]), *args)
        if node.op in (Op.FORALL, Op.EXISTS):
            bound = tuple(t.var(f"{v.name}:{v.sort!r}", v.sort) for v in node.value.variables)
            return t._quantifier(node.op, bound, args[0], (tuple(args[1:]),) if args[1:] else ())
        return rebuild(node, Changed(args)) if args else node

    return fold(term, combine)


def read_back(term: Term) -> Term:
    declared = {f.name: f for f in functions(term)}
    return read_term(print_term(term), {v.name: v for v in free_variables(term)}, declared, sorts=(THING, SHAPE, ROW))


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_what_is_printed_is_read_back(seed: int) -> None:
    for term in random_terms(seed, 60)[-20:]:
        wanted = simplified(term)
        assert read_back(wanted) is wanted


def test_deep_terms() -> None:
    term: Term = X
    for _ in range(50_000):
        term = t.add(term, Y)
    assert read_back(term) is term
    count = 10_000
    nested = "".join(f"(let ((x (+ x x)) (y (- y {i}))) " for i in range(count)) + "(< x y)" + ")" * count
    assert len(list(postorder((read_term(nested, SCOPE),)))) < 5 * count
    assert read_term("(not " * 100_001 + "b" + ")" * 100_001, SCOPE) is t.neg(B)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(+ x 1 y)", "(+ (+ x 1) y)"),
        ("(- x 1 y)", "(- (- x 1) y)"),
        ("(- 5)", "(- 5)"),
        ("(<= 0 x 10)", "(and (<= 0 x) (<= x 10))"),
        ("(>= x y 2)", "(and (<= y x) (<= 2 y))"),
        ("(= x y 3)", "(and (= x y) (= y 3))"),
        ("(=> b b (> x 0))", "(=> b (=> b (< 0 x)))"),
        ("(xor b (> x 0) b)", "(not (= (not (= b (< 0 x))) b))"),
        ("(abs x)", "(ite (<= 0 x) x (- x))"),
        ("((_ divisible 3) x)", "(= (mod x 3) 0)"),
        ("(<= 0 r)", "(<= 0.0 r)"),
        ("(= r (/ 1 2))", "(= r (/ 1.0 2.0))"),
        ("(= r (* 2 (- 3)))", "(= r (- 6.0))"),
        ("(< r (ite b 0 1))", "(< r (ite b 0.0 1.0))"),
        ("(+ x r)", "(+ (to_real x) r)"),
        ("(* 2 (to_real x))", "(* 2.0 (to_real x))"),
        ("(- 0.5)", "(- (/ 1.0 2.0))"),
        ("((as const (Array Int Int)) 7)", "((as const (Array Int Int)) 7)"),
        ("(select (store a x 1) y)", "(select (store a x 1) y)"),
        ("(bvcomp v w)", "(ite (= v w) #b1 #b0)"),
        ("(bvxnor v w)", "(bvnot (bvxor v w))"),
        ("(bvnand v w)", "(bvnot (bvand v w))"),
        ("(bvuge v w)", "(bvule w v)"),
        ("(bvsgt v w)", "(bvslt w v)"),
        ("(bvadd v w #x01)", "(bvadd (bvadd v w) #b00000001)"),
        ("(bvudiv_i v (_ bv3 8))", "(bvudiv v #b00000011)"),
        ("((_ rotate_left 3) v)", "(concat ((_ extract 4 0) v) ((_ extract 7 5) v))"),
        ("((_ rotate_right 11) v)", "(concat ((_ extract 2 0) v) ((_ extract 7 3) v))"),
        ("((_ repeat 2) v)", "(concat v v)"),
        ("(bv2nat v)", "(ubv_to_int v)"),
        ("((_ int2bv 8) x)", "((_ int_to_bv 8) x)"),
        ("#b0101", "#b0101"),
        ("(let ((x y) (y x)) (- x y))", "(- y x)"),
        ("(! (> x 0) :named n)", "(< 0 x)"),
        ("(and (! b :named n) n)", "b"),
        ("(forall ((x Int)) (! (> x y) :pattern ((+ x y)) :weight 3))",
         "(forall ((x!1 Int)) (! (< y x!1) :pattern ((+ x!1 y))))"),
        ("(let ((z x)) (exists ((x Int) (b Bool)) (and b (= x z))))",
         "(exists ((x!1 Int) (b!2 Bool)) (and b!2 (= x!1 x)))"),
        ("|x|", "x"),
        ("(forall ((|z%n{2}| Int) (z Int)) (< z |z%n{2}|))", "(forall ((z Int) (z!1 Int)) (< z!1 z))"),
        ("(distinct x y)", "(not (= x y))"),
        ("(and)", "true"),
        ("-7", "(- 7)"),
    ],
)  # fmt: skip
def test_texts(text: str, expected: str) -> None:
    assert print_term(read_term(text, SCOPE)) == expected


_BITS: tuple[str, ...] = (
    "bvadd",
    "bvsub",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
)
_BITS += ("bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor")
_TESTS = ("bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge")
_EQUATIONS = [
    *(f"(= ({word} v w) u)" for word in _BITS),
    *(f"({word} v w)" for word in _TESTS),
    *(f"(= ((_ {word} {n}) v) u)" for word in ("rotate_left", "rotate_right") for n in (0, 3, 8, 13)),
    *("(= (bvcomp v w) #b1)", "(= (sbv_to_int v) x)", "(= ((_ repeat 3) v) (concat w v u))"),
    *("(= (rem x y) 2)", "(= (abs x) y)", "(is_int r)", "(xor b (> x 0) b)", "(distinct x y 3)"),
]


@pytest.mark.parametrize("text", _EQUATIONS)
def test_z3_reads_the_same(text: str) -> None:
    """The formula as Z3 reads it differs nowhere from the one read here, printed."""
    scope = {**SCOPE, "u": t.var("u", BYTE)}
    ours = read_term(text, scope)
    script = print_script([t.make(Op.NOT, (t.make(Op.EQ, (ours, t.var("theirs", BOOL)), BOOL),), BOOL)])
    declared = "".join(f"(declare-const {n} {v.sort!r})" for n, v in scope.items() if f"declare-fun {n} " not in script)
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 20_000)
    solver.from_string(declared + script.replace("(check-sat)", f"(assert (= theirs {text}))"))
    assert str(solver.check()) == "unsat"


def test_datatypes() -> None:
    shape = t.var("s", SHAPE)
    scope = {"s": shape, "i": X}
    text = "(match s ((dot 0) ((|a box| n in rows) (+ n 1))))"
    assert print_term(read_term(text, scope)) == "(ite ((_ is dot) s) 0 (+ (side s) 1))"
    assert read_term("((_ is dot) s)", scope) is read_term("(is-dot s)", scope)
    made = read_term("(|a box| i (as dot Shape) |no shape|)", scope)
    assert read_term("(side z)", {**scope, "z": made}) is X
    solver = Z3Solver()
    solver.add(t.eq(shape, made))
    solver.add(t.eq(X, t.integer(5)))
    assert solver.check() is Answer.SAT
    value = solver.model().value(shape)
    assert (value.constructor, value.fields[0], value.fields[1].constructor) == (1, 5, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(+ x z)", "f:1:6: z is not declared\n    (+ x z)\n         ^"),
        ("(foo x)", "f:1:1: foo is not declared\n    (foo x)\n    ^"),
        ("(and b\n (+ x b))", "f:2:2: + takes numbers of one sort, not Int and Bool\n     (+ x b))\n     ^"),
        ("(not b b)", "f:1:1: not does not take 2 arguments\n    (not b b)\n    ^"),
        # Eldarica's regression test bv2intnat was called unsafe, which it is for Z3, and safe, as Eldarica means it.
        ("(bv2int v)", "f:1:1: bv2int is unsigned to Z3 and signed to Eldarica: write ubv_to_int or sbv_to_int\n"
         "    (bv2int v)\n    ^"),
        ("(select x 1)", "f:1:1: select does not take Int, Int\n    (select x 1)\n    ^"),
        ("(_ as-array f)", "f:1:1: functions as arrays (as-array) are not supported\n    (_ as-array f)\n    ^"),
        ("(lambda ((x Int)) x)",
         "f:1:1: functions as values (lambda) are not supported\n    (lambda ((x Int)) x)\n    ^"),
        ("(let ((x)) x)", "f:1:7: a name with its value expected, as in (x 1)\n    (let ((x)) x)\n          ^"),
        ("(forall ((x Foo)) b)", "f:1:13: the sort Foo is not declared\n    (forall ((x Foo)) b)\n                ^"),
        ("(forall ((x Int) (x Int)) b)",
         "f:1:18: x is bound twice\n    (forall ((x Int) (x Int)) b)\n                     ^"),
        ("(forall ((x Int)) x)",
         "f:1:1: a quantifier binds variables over a Bool\n    (forall ((x Int)) x)\n    ^"),
        ("()", "f:1:1: a term expected, not ()\n    ()\n    ^"),
        ("((_ extract 9 0) v)", "f:1:1: extract does not take (_ BitVec 8)\n    ((_ extract 9 0) v)\n    ^"),
        ("((_ extract a 0) v)", "f:1:13: a number expected\n    ((_ extract a 0) v)\n                ^"),
        ("(_ bv5 0)", "f:1:1: a bit vector needs at least one bit\n    (_ bv5 0)\n    ^"),
        ("(_ foo 1)", "f:1:1: no constant that is known: (_ foo 1)\n    (_ foo 1)\n    ^"),
        ("x y", "f: one expression expected, not 2"),
        ('"text"', "f:1:1: \"text\" is not declared\n    \"text\"\n    ^"),
        ("((as const Int) 1)", "f:1:2: const is not declared\n    ((as const Int) 1)\n     ^"),
    ],
)  # fmt: skip
def test_what_is_no_term_is_refused_with_its_place(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_term(text, SCOPE, file="f")
    assert str(caught.value) == expected


_WORDS = st.sampled_from(
    [
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "x",
        "y",
        "r",
        "b",
        "v",
        "1",
        "0.5",
        "#b1",
        "+",
        "-",
        "=",
        "let",
        "forall",
        "!",
        "_",
        "as",
        "const",
        "Array",
        "Int",
        "ite",
        "and",
        "extract",
        "is",
        "match",
        ":named",
        ":pattern",
    ]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(_WORDS, max_size=14))
def test_junk_is_refused_or_well_sorted(words: list[str]) -> None:
    with contextlib.suppress(InputError):
        assert read_term(" ".join(words), SCOPE).sort is not None
