"""Concurrent Boogie: random programs against all their interleavings, and examples of each statement."""

from __future__ import annotations

import random
from itertools import product
from textwrap import dedent

import pytest

from cleave.errors import UnsupportedError
from cleave.frontends.boogie import read_boogie
from cleave.frontends.boogie_options import BoogieOptions
from cleave.ir.check import check_program
from cleave.ir.program import Program
from cleave.validate.violations.concurrent import replay
from support.boogie_threads import KINDS, BoogieMaker, can_fail, can_race
from support.concurrent_programs import violating_schedule

ENOUGH = 14  # contexts: the programs have no loops


def lowered(text: str, *, cooperative: bool = False, entry: str | None = None) -> Program:
    source = BoogieOptions(cooperative=cooperative).added_to(dedent(text).encode(), {})
    program = read_boogie(source.decode(), "case.bpl", entry)
    check_program(program)
    return program


def fails(program: Program, contexts: int = ENOUGH) -> bool:
    schedule = violating_schedule(program, contexts)
    assert schedule is None or replay(program, "main", schedule).holds
    return schedule is not None


@pytest.mark.parametrize(("kind", "seed"), list(product(KINDS, range(10))))
def test_random_programs_do_what_their_interleavings_do(kind: str, seed: int) -> None:
    ultimate, cooperative = KINDS[kind]
    made = BoogieMaker(random.Random(seed), ultimate, cooperative).made()
    assert fails(lowered(made.text, cooperative=cooperative)) == can_fail(made), made.text


def races(text: str) -> Program:
    source = BoogieOptions(checks=("data-race",)).added_to(dedent(text).encode(), {})
    program = read_boogie(source.decode(), "case.bpl")
    check_program(program)
    return program


@pytest.mark.parametrize(("kind", "seed"), list(product(("corral", "ultimate"), range(10))))
def test_random_programs_race_as_their_interleavings_do(kind: str, seed: int) -> None:
    ultimate, _ = KINDS[kind]
    made = BoogieMaker(random.Random(seed), ultimate).made()
    assert fails(races(made.text)) == can_race(made), made.text


RACES = {
    "atomic blocks do not race": ("atomic { x := x + 1; }", "atomic { x := 2 * x; }", False),
    "one of the two is not atomic": ("atomic { x := x + 1; }", "l := x;", True),
    "reads do not race": ("l := x;", "assume x > 0;", False),
    "a branch reads": ("if (x > 0) { l := 1; }", "x := 1;", True),
    "an assertion is no access": ("assert x > 0;", "x := 1;", False),
    "elements of a map": ("m[1] := 1;", "l := m[2];", False),
    "the same element": ("m[1] := 1;", "l := m[1];", True),
    "an index is read": ("m[x] := 1;", "x := 1;", True),
    "a whole map": ("m := m[1 := 2][3 := 4];", "l := m[3];", True),
    "elements in two steps": ("m := m[1 := 2][3 := 4];", "l := m[2];", False),
    "rows": ("n[1][l] := 1;", "n[2] := m;", False),
    "a row and an element": ("n[1][l] := 1;", "n[1] := m;", True),
    "results": ("call x := one();", "x := 1;", True),
    "what has no body": ("call other();", "x := 1;", True),
    "any value": ("havoc x;", "l := x;", True),
    "what a fork passes": ("x := 1;", "fork 1 q(x);", True),
    "what parallel calls pass": ("x := 1;", "par call q(x) | q(2);", True),
    "what is announced stays so": ("l := x;", "atomic { l := x; x := 1; }", True),
    "locks": ("call lock(); x := 1; call unlock();", "call lock(); l := x; call unlock();", False),
    "locks that are left too early": (
        "call lock(); call unlock(); x := 1;",
        "call lock(); l := x; call unlock();",
        True,
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_races(name: str) -> None:
    first, second, expected = RACES[name]
    program = races(
        f"""
        var x: int; var m: [int]int; var n: [int][int]int; var open: bool;
        procedure one() returns (r: int) {{ r := 1; }} procedure other(); modifies x;
        procedure q(a: int) {{ }}
        procedure lock() {{ atomic {{ assume open; open := false; }} }}
        procedure unlock() {{ atomic {{ open := true; }} }}
        procedure p() {{ var l: int; {second} }}
        procedure main() {{ var l: int; open := true; async call p(); {first} }}
        """
    )
    assert set(program.checked) == {"data-race"}
    assert fails(program) == expected


def test_who_is_called_inside_of_atomic_blocks_and_outside_is_not_supported() -> None:
    text = """
        var x: int; procedure get() returns (l: int) { l := x; }
        procedure p() { var l: int; atomic { call l := get(); x := l; } }
        procedure main() { var l: int; async call p(); call l := get(); }
    """
    with pytest.raises(UnsupportedError, match="'get' is called inside of atomic blocks and outside of them"):
        races(text)


LOCK = """
    var l: int; var x: int;
    procedure corral_atomic_begin(); procedure corral_atomic_end();
    procedure corral_getThreadID() returns (t: int);
    procedure lock() {
      var t: int;
      call t := corral_getThreadID();
      call corral_atomic_begin(); assume l == 0; l := t; call corral_atomic_end();
    }
    procedure w() { var y: int; call lock(); y := x; x := y + 1; l := 0; }
"""

EXAMPLES = {
    "two increments without a lock": (
        "var x: int; procedure w() { var y: int; y := x; x := y + 1; }"
        "procedure main() { x := 0; par call w() | w(); assert x == 2; }",
        True,
    ),
    "one statement is one step": (
        "var x: int; procedure w() { x := x + 1; } procedure main() { x := 0; par call w() | w(); assert x == 2; }",
        False,
    ),
    "a lock made of an atomic block": (
        LOCK + "procedure main() { l, x := 0, 0; par call w() | w(); assert x == 2; }",
        False,
    ),
    "other threads go on when main has returned": (
        "var x: int; procedure w() { assume x == 1; assert false; }"
        "procedure main() { x := 0; async call w(); x := 1; }",
        True,
    ),
    "threads of one name are joined in any order": (
        "procedure w(i: int) returns (r: int) { r := i; }"
        "procedure main() { var a, b: int; fork 7 w(1); fork 7 w(2); join 7 assign a; join 7 assign b;"
        " assert a == 1; }",
        True,
    ),
    "each of them once": (
        "procedure w(i: int) returns (r: int) { r := i; }"
        "procedure main() { var a, b: int; fork 7 w(1); fork 7 w(2); join 7 assign a; join 7 assign b;"
        " assert a + b == 3; }",
        False,
    ),
    "forks in a loop": (
        "procedure w(i: int) returns (r: int) { r := i; }"
        "procedure main() { var a, b, i: int; i := 0; while (i < 2) { fork i w(i); i := i + 1; }"
        " join 1 assign a; join 0 assign b; assert a == 1 && b == 0; }",
        False,
    ),
    "forks in a loop are joined": (
        "procedure w(i: int) returns (r: int) { r := i; }"
        "procedure main() { var a, i: int; i := 0; while (i < 2) { fork i w(i); i := i + 1; }"
        " join 1 assign a; assert a != 1; }",
        True,
    ),
    "forks of two calls are joined": (
        "var x: int; procedure w() { x := x + 1; } procedure s(i: int) { fork i, true w(); }"
        "procedure main() { x := 0; call s(3); call s(4); join 4, true; join 3, true; assert x != 2; }",
        True,
    ),
    "a join of what nobody forked waits for ever": (
        "procedure w() { } procedure main() { fork 1 w(); join 2; assert false; }",
        False,
    ),
    "a postcondition is checked where the body ends, and holds no longer": (
        "var x: int; procedure p() returns (r: int); ensures x == 1; modifies x; "
        "implementation p() returns (r: int) { x := 1; }"
        "procedure w() { x := 2; }"
        "procedure main() { var r: int; x := 0; async call w(); call r := p(); assert x == 1; }",
        True,
    ),
    "what a procedure without a body does is one step": (
        "var x: int; procedure p(); modifies x; ensures x > 0;"
        "procedure w() { assert x > 0; } procedure main() { x := 1; async call w(); call p(); }",
        False,
    ),
    "old is the value at the beginning": (
        "var x: int; procedure w() { x := x + 1; } procedure p() { call w(); assert x == old(x) + 1; }"
        "procedure main() { x := 0; async call w(); call p(); }",
        True,
    ),
    "a variable of each thread": (
        "var {:thread_local} x: int; procedure w() { x := 2; }"
        "procedure main() { x := 1; async call w(); assert x == 1; }",
        False,
    ),
    "a thread begins with any value in it": (
        "var {:thread_local} x: int; procedure w() { assert x == 1; } procedure main() { x := 1; async call w(); }",
        True,
    ),
    "an atomic procedure": (
        "var x: int; procedure {:atomic} w() { var y: int; y := x; x := y + 1; }"
        "procedure main() { x := 0; par call w() | w(); assert x == 2; }",
        False,
    ),
    "functions and axioms": (
        "function f(i: int): int; axiom (forall i: int :: {f(i)} f(i) > i); const c: int; axiom c == 3; var x: int;"
        "procedure w() { x := f(x); } procedure main() { x := c; par call w() | w(); assert x >= 5; }",
        False,
    ),
    "a precondition is checked when the thread begins": (
        "var x: int; procedure w(); requires x == 0; implementation w() { }"
        "procedure main() { x := 0; async call w(); x := 1; }",
        True,
    ),
    "main may call itself": (
        "var x: int; procedure main() { x := x + 1; if (x < 3) { call main(); x := 0; } else { async call w(); } }"
        "procedure w() { assert x == 3; }",
        True,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    text, expected = EXAMPLES[name]
    assert fails(lowered(text), contexts=8) == expected


def test_without_main_the_procedure_that_nobody_calls_is_the_entry() -> None:
    program = lowered("procedure w() { } procedure start() { async call w(); }")
    assert [p.name for p in program.procedures.values() if p.is_entry] == ["start"]


@pytest.mark.parametrize(("claim", "expected"), [("within ==> x == 1", False), ("x == 1", True)])
def test_code_that_is_reached_inside_and_outside_of_an_atomic_block(claim: str, expected: bool) -> None:
    text = f"""
    var x: int; procedure corral_atomic_begin(); procedure corral_atomic_end(); procedure w() {{ x := 2; }}
    procedure main() {{
      var within: bool;
      async call w();
      within := false;
      if (*) {{ call corral_atomic_begin(); within := true; }}
      x := 1;
      assert {claim};
      call corral_atomic_end();
    }}
    """
    assert fails(lowered(text)) is expected


def test_a_sequential_program_may_have_yields_and_atomic_blocks() -> None:
    program = lowered("procedure main() { yield; atomic { assert true; } }")
    assert len(list(program.procedures["main"].statements())) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("procedure p() { call corral_atomic_begin(); }", "is still open where p returns to its caller"),
        ("procedure p() { if (*) { call corral_atomic_begin(); } return; }", "is still open where p returns"),
        ("procedure p() { L: atomic { goto L; } }", "begins again and again before it ends"),
        (
            "procedure q() { call corral_atomic_begin(); call corral_atomic_end(); }"
            "procedure p() { call corral_atomic_begin(); call q(); call corral_atomic_end(); }",
            "an atomic block inside of another one",
        ),
        (
            "function f(i: int): int; axiom (forall i: int :: {f(i)} f(f(i)) > i); var x: int;"
            "procedure p() { x := f(x); }",
            "match again and again",
        ),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    atomic = "procedure corral_atomic_begin(); procedure corral_atomic_end();"
    with pytest.raises(UnsupportedError) as caught:
        lowered(f"{atomic} {text} procedure w() {{ }} procedure main() {{ async call w(); call p(); }}")
    assert message in caught.value.message
