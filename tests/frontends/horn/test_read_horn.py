"""Horn files in all the forms that are accepted, and the words for those that are not."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.frontends.horn import read_horn
from cleave.ir.horn import Atom, HornSystem
from cleave.ir.horn_check import check_horn

DECLARED = "(declare-fun P (Int) Bool)(declare-fun Q (Int Bool) Bool)(declare-fun N () Bool)\n"


def read(text: str) -> HornSystem:
    system = read_horn("f.smt2", text.encode())
    check_horn(system)
    return system


def shown(system: HornSystem) -> list[str]:
    def atom(one: Atom) -> str:
        return f"{one.predicate}({', '.join(map(repr, one.arguments))})"

    lines = []
    for clause in system.clauses:
        head = "false" if clause.head is None else atom(clause.head)
        lines.append(f"{head} :- {', '.join([*map(atom, clause.body), repr(clause.constraint)])}")
    return lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(assert (P 0))", ["P(0) :- true"]),
        ("(assert (forall ((x Int)) (=> (and (P x) (< x 5)) (P (+ x 1)))))", ["P((+ x 1)) :- P(x), (< x 5)"]),
        ("(assert (forall ((x Int)) (=> (P x) false)))", ["false :- P(x), true"]),
        ("(assert (not (exists ((x Int)) (and (P x) (> x 5)))))", ["false :- P(x), (< 5 x)"]),
        ("(assert (forall ((x Int)) (or (not (P x)) (Q x true) (< x 0))))", ["Q(x, true) :- P(x), (not (< x 0))"]),
        ("(assert (forall ((x Int)) (=> (P x) (=> (> x 0) (forall ((x Int)) (Q x false))))))",
         ["Q(x!1, false) :- P(x), (< 0 x)"]),
        ("(assert (forall ((x Int)) (=> (exists ((x Int)) (P x)) (P x))))", ["P(x) :- P(x!1), true"]),
        ("(assert (forall ((x Int)) (=> (or (P x) (Q x true) (> x 0) (< x 9)) (and N (Q x false)))))",
         [
             "N() :- P(x), true", "Q(x, false) :- P(x), true",
             "N() :- Q(x, true), true", "Q(x, false) :- Q(x, true), true",
             "N() :- (or (< 0 x) (< x 9))", "Q(x, false) :- (or (< 0 x) (< x 9))",
         ]),
        ("(assert (forall ((x Int)) (=> (ite (> x 0) (P x) (Q x true)) N)))",
         ["N() :- P(x), (< 0 x)", "N() :- Q(x, true), (not (< 0 x))"]),
        ("(assert (forall ((x Int)) (=> (= (P x) true) (= N true))))", ["N() :- P(x), true"]),
        ("(assert (forall ((x Int)) (= (P x) (> x 0))))", ["false :- P(x), (not (< 0 x))", "P(x) :- (< 0 x)"]),
        ("(assert (forall ((x Int)) (let ((a (P x)) (b (> x 0))) (=> (and a b) N))))", ["N() :- P(x), (< 0 x)"]),
        ("(assert (forall ((x Int)) (! (=> (! (P x) :named a) N) :weight 0)))", ["N() :- P(x), true"]),
        ("(define-fun ok ((y Int)) Bool (and (P y) (> y 0)))(assert (forall ((x Int)) (=> (ok (+ x 1)) N)))",
         ["N() :- P((+ x 1)), (< 0 (+ x 1))"]),
        ("(assert (forall ((x Int)) (=> (forall ((y Int)) (< y x)) (P x))))",
         ["P(x) :- (forall ((y Int)) (< y x))"]),
        ("(assert (forall ((x Int)) (=> (and (P x) (forall ((x Int)) (< x 0))) N)))",
         ["N() :- P(x), (forall ((x!1 Int)) (< x!1 0))"]),
        ("(assert (forall ((y Int)) (=> (and (forall ((x Int)) (< x y)) (exists ((x Int)) (P x))) N)))",
         ["N() :- P(x!1), (forall ((x Int)) (< x y))"]),
        ("(assert (and N (=> N (P 1)) true))", ["N() :- true", "P(1) :- N(), true"]),
        ("(assert (forall ((x Real)) (=> (< x 0) N)))", ["N() :- (< x 0.0)"]),
        ("(assert true)(assert (> 2 1))", []),
        ("(assert (> 1 2))", ["false :- true"]),
        ("(declare-const c Int)(assert (P c))", ["P(c) :- true"]),
        ("(define-sort I () Int)(define-sort M (X) (Array I X))"
         "(assert (forall ((m (M Bool))) (=> (select m 1) N)))", ["N() :- (select m 1)"]),
        ("(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-fun D (L) Bool)"
         "(assert (D nil))(assert (forall ((l L) (i Int)) (=> (and (D l) (not (is-nil l))) (D (cons i (tail l))))))",
         ["D(nil) :- true", "D((cons i (tail l))) :- D(l), (not ((_ is nil) l))"]),
        ("(declare-datatype C ((red) (green)))(assert (forall ((c C)) (=> ((_ is red) c) N)))",
         ["N() :- ((_ is red) c)"]),
        ("(declare-datatypes () ((T (leaf) (node (left T)))))(assert (forall ((c T)) (=> (= c leaf) N)))",
         ["N() :- (= c leaf)"]),
    ],
)  # fmt: skip
def test_assertions(text: str, expected: list[str]) -> None:
    assert shown(read(DECLARED + text)) == expected


def test_status_says_what_is_expected() -> None:
    assert read("(set-info :status sat)(check-sat)").expected == "safe"
    assert read("(set-info :status unsat)(check-sat)").expected == "unsafe"
    assert read("(set-info :status unknown)(check-sat)").expected is None


@pytest.mark.parametrize("text", ["", "; nothing\n", "(set-logic HORN)(declare-fun P (Int) Bool)(exit)"])
def test_a_file_without_clauses_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="nothing to check"):
        read(text)


def test_free_constants_are_functions() -> None:
    system = read("(declare-fun P (Int) Bool)(declare-const c Int)(declare-fun f (Int) Int)(assert (P (f c)))")
    assert [f.name for f in system.functions] == ["c", "f"]
    assert not system.clauses[0].variables()


def test_fixedpoint_commands() -> None:
    system = read("""
        (set-option :fixedpoint.engine spacer) (set-info :status sat)
        (declare-rel inv (Int Int)) (declare-rel bad ()) (declare-var x Int) (declare-var y Int)
        (rule (inv 0 y))
        (rule (=> (and (inv x y) (< x 10)) (inv (+ x 1) y)) step)
        (rule (=> (and (inv x y) (exists ((y Int)) (= x (* 2 y)))) bad))
        (query bad :print-certificate true) (query inv) (query (and (inv x y) (> x y)))
    """)
    assert shown(system) == [
        "inv(0, y) :- true",
        "inv((+ x 1), y) :- inv(x, y), (< x 10)",
        "bad() :- inv(x, y), (exists ((y!1 Int)) (= x (* 2 y!1)))",
        "false :- bad(), true",
        "false :- inv(x0, x1), true",
        "false :- inv(x, y), (< y x)",
    ]
    assert system.expected == "unsafe"


def test_locations() -> None:
    system = read("(declare-fun P (Int) Bool)\n\n  (assert (P 0))")
    assert str(system.clauses[0].location) == "f.smt2:3:3"


def test_names_that_look_alike_stay_apart() -> None:
    """The escapes of Cleave's own printing, written by somebody else."""
    system = read("(declare-fun |a b| () Bool)(declare-fun a%20b () Bool)(declare-fun |a b%n{2}| () Bool)(check-sat)")
    assert len(system.predicates) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(assert (forall ((x Int)) (or (P x) (Q x true))))",
         "2:38: not a Horn clause: P and Q are alternatives in a head, or a predicate is denied in a body\n"),
        ("(assert (forall ((x Int)) (=> (forall ((y Int)) (P y)) N)))",
         "2:50: not a Horn clause: the predicate P stands below a forall in a body\n"),
        ("(assert (exists ((x Int)) (P x)))",
         "2:28: not a Horn clause: the predicate P stands below an exists in a head\n"),
        ("(assert (forall ((x Int)) (=> (= x (ite (P x) 1 2)) N)))",
         "2:42: not a Horn clause: the predicate P stands in an argument of ite\n"),
        ("(assert (Q 1 (P 2)))", "2:15: not a Horn clause: the predicate P stands in an argument of Q\n"),
        ("(assert (P true))", "2:9: P takes (Int,), not [Bool]\n"),
        ("(assert (P x))", "2:12: x is not declared\n"),
        ("(assert 1)", "2:9: a term of sort Bool expected, not of Int\n"),
        ("(assert)", "2:1: (assert formula) expected\n"),
        ("(declare-fun P (Int) Int)", "2:14: P is declared twice\n"),
        ("(declare-fun and (Int) Int)", "2:14: and belongs to a theory and can't be declared\n"),
        ("(declare-fun let (Int) Int)", "2:14: let is no name\n"),
        ("(push 1)", "2:1: the command push is not supported\n"),
        ("x", "2:1: a command expected, not x\n"),
        ("(define-fun-rec f ((x Int)) Int (f x))",
         "2:1: recursive definitions are not supported: declare a predicate instead\n"),
        ("(declare-datatypes ((L 1)) ((par (X) ((nil)))))",
         "2:21: a name with 0 parameters expected, as in (List 0)\n"),
        ("(declare-datatype L ())", "2:21: the data type L has no constructor\n"),
        ("(declare-sort S 1)", "2:1: sorts with parameters are not supported\n"),
        ("(declare-fun R (S) Bool)", "2:17: the sort S is not declared\n"),
        ("(check-sat)(assert N)", "2:12: an assertion after check-sat: one problem a file is supported\n"),
        ("(assert (let ((x 1)) (P x", "2:22: this parenthesis is never closed\n"),
    ],
)  # fmt: skip
def test_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read(DECLARED + text)
    message = str(caught.value)
    assert message.startswith(f"f.smt2:{expected}"), message
    assert message.splitlines()[-1].strip() == "^"


_WORDS = st.sampled_from(
    [
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "assert",
        "forall",
        "=>",
        "and",
        "or",
        "not",
        "P",
        "Q",
        "N",
        "x",
        "0",
        "true",
        "(x",
        "Int)",
        "declare-fun",
        "Bool",
        "Int",
        "let",
        "query",
        "rule",
    ]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(_WORDS, max_size=16))
def test_junk_is_refused_or_well_formed(words: list[str]) -> None:
    with contextlib.suppress(InputError):
        read(DECLARED + "(assert " + " ".join(words) + ")")


def test_deep_files() -> None:
    depth = 3_000
    text = "".join(f"(let ((a{i} (+ {'x' if i == 0 else f'a{i - 1}'} 1))) " for i in range(depth))
    system = read(f"{DECLARED}(assert (forall ((x Int)) {text}(=> (P x) (P a{depth - 1})){')' * depth}))")
    assert len(system.clauses) == 1
    nested = "".join(f"(and (P {i}) (not (not (=> true " for i in range(depth)) + "true" + "))))" * depth
    assert len(read(f"{DECLARED}(assert (=> {nested} N))").clauses[0].body) == depth
