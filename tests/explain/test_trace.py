"""What a user reads: steps with their values, infix terms, and the compact form."""

from __future__ import annotations

import pytest

from cleave.explain.infix import infix
from cleave.explain.trace import compact
from cleave.ir.path import Enter, Leave, PathStep, Visit
from cleave.ir.program import Location
from cleave.ir.reader import read_program
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, array, bitvec
from cleave.logic.terms import Function, Op, Term
from cleave.validate.violations.confirm import validate_trace
from cleave.verdict import Trace

PROGRAM = """\
var g: Int
var unused: Int
proc main(n: Int) -> () {
  local x: Int
  local y: Int
  b0:
    y := 3 @ a.bpl:1:1
    havoc x @ a.bpl:2:1
    assume (= x 7) @ a.bpl:3:1
    assume (= y 3)
    call f(x, y) -> (x) @ a.bpl:4:1
    unused := x
    call any() -> (y)
    goto b1, b0
  b1: @ a.bpl:5:1
    assert (< (+ x g) 10) "sum is small" @ a.bpl:6:1
    return
}
proc f(p: Int, q: Int) -> (r: Int) {
  local z: Int
  fb:
    z := q
    r := (+ p 1)
    g := |old(g)|
    return
}
proc any() -> (v: Int) {
}
"""
PATH: tuple[PathStep, ...] = (Enter("main"), Visit("b0"), Enter("f"), Visit("fb"), Leave(), Visit("b1"))


def trace_of(text: str, path: tuple[PathStep, ...]) -> Trace:
    result = validate_trace(read_program(text), "main", path)
    assert result.trace is not None, result
    return result.trace


def test_all_steps_are_there() -> None:
    trace = trace_of(PROGRAM, PATH)
    assert [(step.kind, step.depth, step.text) for step in trace.steps] == [
        ("call", 0, "call main(n)"),
        ("block", 0, "block b0"),
        ("assign", 0, "y := 3"),
        ("havoc", 0, "havoc x"),
        ("assume", 0, "assume x == 7"),
        ("assume", 0, "assume y == 3"),
        ("call", 0, "call x := f(x, y)"),
        ("block", 1, "block fb"),
        ("assign", 1, "z := q"),
        ("assign", 1, "r := p + 1"),
        ("assign", 1, "g := old(g)"),
        ("return", 1, "return from f"),
        ("assign", 0, "unused := x"),
        ("call", 0, "call y := any()"),
        ("return", 1, "return from any"),
        ("block", 0, "block b1"),
        ("violation", 0, "assert x + g < 10"),
    ]
    assert trace.violated == "sum is small: x + g < 10"
    assert trace.location == Location("a.bpl", 6, 1)


def test_steps_show_the_values_they_set() -> None:
    trace = trace_of(PROGRAM, PATH)
    values = {step.text: dict(step.values) for step in trace.steps}
    assert values["havoc x"] == {"x": "7"}
    assert values["call x := f(x, y)"] == {"p": "7", "q": "3"}
    assert values["r := p + 1"] == {"r": "8"}
    assert values["return from f"] == {"x": "8"}
    assert values["assert x + g < 10"] == {"x": "8", "g": trace.inputs["g"]}
    assert trace.steps[2].location == Location("a.bpl", 1, 1)


def test_inputs_are_those_that_matter() -> None:
    trace = trace_of(PROGRAM, PATH)
    assert set(trace.inputs) == {"g"}
    assert int(trace.inputs["g"]) >= 2


def test_the_compact_form_keeps_what_the_violation_depends_on() -> None:
    trace = compact(trace_of(PROGRAM, PATH))
    assert [step.text for step in trace.steps] == [
        "call main(n)",
        "havoc x",
        "assume x == 7",
        "call x := f(x, y)",
        "r := p + 1",
        "g := old(g)",
        "return from f",
        "assert x + g < 10",
    ]
    assert trace.violated == "sum is small: x + g < 10"


def test_without_a_condition_the_nearest_assume_is_the_reason() -> None:
    body = "    assume (< m 3)\n    assume (< n 3)\n    assert false\n    return\n"
    text = f"proc main(n: Int, m: Int) -> () {{\n  b0:\n{body}}}\n"
    trace = compact(trace_of(text, (Enter("main"), Visit("b0"))))
    assert [step.text for step in trace.steps] == ["call main(n, m)", "assume n < 3", "assert false"]
    assert set(trace.inputs) == {"n"}


def test_a_broken_requires_depends_on_the_arguments() -> None:
    text = (
        "proc main() -> () {\n  local x: Int\n  local y: Int\n"
        "  b0:\n    x := 1\n    y := 2\n    call f(x) -> ()\n    return\n}\n"
        "proc f(p: Int) -> () {\n  requires (< p 1)\n  fb:\n    return\n}\n"
    )
    trace = compact(trace_of(text, (Enter("main"), Visit("b0"))))
    assert [step.text for step in trace.steps] == ["call main()", "x := 1", "call f(x)", "requires of f: p < 1"]


# --- infix ----------------------------------------------------------------------------------------------------------

X, Y = t.var("x", INT), t.var("y", INT)
P, Q = t.var("p", BOOL), t.var("q", BOOL)
A = t.var("a", array(INT, INT))
W = t.var("w", bitvec(8))
(LISTS,) = d.declare((d.Declaration("L", (("nil", ()), ("cons", (("head", INT), ("tail", 0))))),))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (t.sub(X, t.sub(Y, t.integer(1))), "x - (y - 1)"),
        (t.sub(t.sub(X, Y), t.integer(1)), "x - y - 1"),
        (t.mul(t.add(X, Y), t.integer(-2)), "(x + y) * -2"),
        (t.add(t.mul(X, Y), t.div(X, Y)), "x * y + x div y"),
        (t.minus(t.add(X, Y)), "-(x + y)"),
        (t.conj(P, t.disj(Q, t.lt(X, Y))), "p && (q || x < y)"),
        (t.disj(t.conj(P, Q), t.neg(P)), "(p && q) || !p"),
        (t.implies(t.implies(P, Q), P), "(p ==> q) ==> p"),
        (t.neg(t.eq(X, Y)), "x != y"),
        (t.neg(t.lt(X, Y)), "!(x < y)"),
        (t.eq(t.select(t.store(A, X, Y), Y), X), "a[x := y][y] == x"),
        (t.add(t.ite(P, X, Y), X), "(if p then x else y) + x"),
        (t.extract(W, 7, 4), "w[8:4]"),
        (t.bv_binary(Op.BV_ADD, W, t.bv(3, 8)), "bvadd(w, 3bv8)"),
        (t.apply(Function("f", (INT, INT), INT), X, t.add(X, Y)), "f(x, x + y)"),
        (t.forall((X,), t.le(X, Y)), "(forall x: Int :: x <= y)"),
        (d.field(t.var("l", LISTS), 1, 0), "l->head"),
        (t.conj(d.test(t.var("l", LISTS), 1), P), "l is cons && p"),
        (d.construct(LISTS, 1, X, d.construct(LISTS, 0)), "cons(x, nil())"),
    ],
)
def test_infix(term: Term, text: str) -> None:
    assert infix(term) == text


def test_long_terms_are_cut() -> None:
    term = X
    for _ in range(10_000):
        term = t.add(term, term)
    assert len(infix(term)) < 1000
    assert "…" in infix(term)


def test_a_value_that_was_overwritten_does_not_matter() -> None:
    body = "    x := 1\n    x := n\n    assert (< x 0)\n    return\n"
    text = f"proc main(n: Int) -> () {{\n  local x: Int\n  b0:\n{body}}}\n"
    trace = compact(trace_of(text, (Enter("main"), Visit("b0"))))
    assert [step.text for step in trace.steps] == ["call main(n)", "x := n", "assert x < 0"]
