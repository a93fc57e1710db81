"""Sally's transition systems: golden cases, verdicts, refusals, damaged files."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.frontends.transitions.mcmt import read_mcmt
from cleave.ir.horn import HornSystem
from cleave.ir.horn_check import check_horn
from support.horn_reading import shown, verdict


def read(text: str) -> HornSystem:
    return read_mcmt("f", text.encode())


COUNTER = """; a counter
(define-constant ten 10)
(define-state-type counter ((x Int) (on Bool)) ((by Int)))
(define-states start counter (and (= x 0) on))
(define-transition grow counter (and (< state.x ten) (= next.x (+ state.x input.by)) (= next.on state.on)))
(define-transition step counter (and grow on on' (> input.by 0)))
(define-transition-system T counter start step)
"""


def test_the_clauses() -> None:
    assert shown(read(COUNTER + "(assume T (< x 5))\n(query T (>= x 0))")) == [
        "(state x on) :- (and (= x 0) on (< x 5))",
        "(state |x'| |on'|) :- (state x on), (and (< x 10) (= |x'| (+ x input.by)) (= |on'| on) on |on'|"
        " (< 0 input.by) (< |x'| 5))",
        "false :- (state x on), (not (<= 0 x))",
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("(query T (>= x 0))", "safe"),
        ("(query T (< x 10))", "unsafe"),
        ("(assume T (< x 5)) (query T (< x 10))", "safe"),
        ("(assume T (/= x 0)) (query T false)", "safe"),
        ("(query T (>= x 0)) (query T on)", "safe"),
        ("(query T (>= x 0)) (query T (not on))", "unsafe"),
        ("(query T (or start (> x 0)))", "safe"),
        ("(query T (= 1 (cond ((< x 0) 0) ((= x 3) 2) (else 1))))", "unsafe"),
        ("(query T (< 0 (cond ((< x 0) 0) ((= x 3) 2) (else 1))))", "safe"),
        ("(query T (let ((a x) (b (+ a 1))) (>= b 1)))", "safe"),
        ("(query T (forall ((x Int)) (or on (> x 0))))", "safe"),
    ],
)
def test_verdicts(asked: str, expected: str) -> None:
    assert verdict(read(COUNTER + asked)) == expected


def test_integers_are_reals_where_these_are_expected() -> None:
    text = """(define-state-type s ((x Real))) (define-states i s (= x (/ 1 2)))
        (define-transition t s (= x' (* 2 state.x)))
        (define-transition-system T s i t) (query T (/= x LIMIT))"""
    assert verdict(read(text.replace("LIMIT", "2"))) == "unsafe"
    assert verdict(read(text.replace("LIMIT", "0"))) == "safe"


def test_several_systems() -> None:
    second = "(define-transition-system U counter (= x 7) step)"
    system = read(f"{COUNTER}{second}(query T (>= x 0))(query U (> x 6))")
    assert list(system.predicates) == ["T", "U"]
    assert verdict(system) == "safe"
    assert verdict(read(f"{COUNTER}{second}(query T (>= x 0))(query U (> x 7))")) == "unsafe"
    assert list(read(f"{COUNTER}{second}(query U (> x 7))").predicates) == ["state"]


def test_where_a_query_stands() -> None:
    assert str(read(COUNTER + "(query T on)\n(query T on)").clauses[-1].location) == "f:9:1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "f: the file has no query, so there is nothing to check"),
        (COUNTER, "f: the file has no query, so there is nothing to check"),
        ("(query T true)", "f:1:8: the transition system T is not defined"),
        ("(check-sat)", "f:1:1: the command check-sat is not supported in an MCMT file"),
        ("x", "f:1:1: a command expected, not x"),
        ("(define-state-type s x)", "f:1:22: a list of variables with their sorts expected"),
        ("(define-state-type s ((x)))", "f:1:23: a variable with its sort expected, as in (x Int)"),
        ("(define-state-type s ((x Foo)))", "f:1:26: the sort Foo is not declared"),
        ("(define-state-type s ((x Int) (x Bool)))", "f:1:31: x would have two meanings"),
        ("(define-state-type s ((x Int) (x' Int)))", "f:1:31: x' would have two meanings"),
        ("(define-state-type s)", "f:1:1: (define-state-type name (variables) (inputs)) expected"),
        ("(define-states i s true)", "f:1:18: the state type s is not defined"),
        (COUNTER + "(define-states start counter true)", "f:8:16: start is defined twice"),
        (COUNTER + "(define-states later counter on')", "f:8:30: on' is not declared"),
        (COUNTER + "(query T x)", "f:8:10: a term of sort Bool expected, not of Int"),
        (COUNTER + "(query T grow)", "f:8:10: grow is not declared"),
        (COUNTER + "(query T input.by)", "f:8:10: input.by is not declared"),
        (COUNTER + "(query T on)(assume T on)",
         "f:8:13: an assumption after a query of the same system is not supported"),
        (COUNTER + "(query T (cond (on on)))", "f:8:10: an else expected at the end of cond"),
        (COUNTER + "(query T (cond on))", "f:8:16: a condition with its value expected, as in (else 0)"),
        (COUNTER + "(query T (/= x))", "f:8:10: two terms expected after /="),
        (COUNTER + "(query T", "f:8:1: this parenthesis is never closed"),
    ],
)  # fmt: skip
def test_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).split("\n")[0] == expected


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_files_are_refused_or_well_formed(data: st.DataObject) -> None:
    words = (COUNTER + "(assume T (< x 5)) (query T (let ((a x)) (cond (on on) (else (/= a 1)))))").split(" ")
    place = data.draw(st.integers(0, len(words) - 1))
    words[place] = data.draw(
        st.sampled_from(["", "0", "x'", "(", ")", "()", "((x", "T", "let", "cond", "/=", "|", "'"])
    )
    with contextlib.suppress(InputError):
        check_horn(read(" ".join(words)))
