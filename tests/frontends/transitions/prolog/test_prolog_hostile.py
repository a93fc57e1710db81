"""Input made to break things: deep, long, cut off, garbled. Clauses or an `InputError`, and nothing else, soon."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.frontends.transitions.prolog import read_prolog
from cleave.ir.horn_check import check_horn

DEPTH = 5_000
DEEP = {
    "parentheses": "false :- X = " + "(" * DEPTH + "1" + ")" * DEPTH + ".",
    "minus": "false :- X = " + "- " * DEPTH + "Y.",
    "sum": "false :- X = " + "Y + " * DEPTH + "1.",
    "right sum": "false :- X = " + "(Y + " * DEPTH + "1" + ")" * DEPTH + ".",
    "body": "false :- " + "X < 1, " * DEPTH + "true.",
    "left body": "false :- " + "(" * DEPTH + "true" + ", true)" * DEPTH + ".",
    "alternatives": "false :- (" + "".join(f"X = {i} ; " for i in range(2000)) + "X < 1).",
    "location": f"start(pc({'f(' * DEPTH}a{')' * DEPTH})). error(pc(b)).",
    "chained location": f"start(pc(a{'-1' * DEPTH})). error(pc(X)). error(pc({'f(' * DEPTH}X{')' * DEPTH})).",
    "updates": f"start(p(pc(a), data), [{','.join(['1 < 2'] * DEPTH)}]). error(pc(a)).",
    "name": f"false :- '{'a' * DEPTH}'.",
}
BROKEN = {
    "parentheses": "false :- " + "(" * DEPTH,
    "brackets": "false :- " + "[" * DEPTH,
    "arguments": "false :- " + "f(" * DEPTH,
    "quotes": "'" * (DEPTH + 1),
    "comments": "/*" * DEPTH,
    "negation": "false :- " + r"\+ " * DEPTH + "X < 1.",
    "digits": "false :- X = " + "9" * DEPTH + ".",
    "exponent": "false :- X = 1.0e999999999.",
    "functions": "false :- p(" + "f(" * DEPTH + "1" + ")" * DEPTH + ").",
    "list": "false :- p([" + "1," * DEPTH + "1]).",
    "bytes": "false :- \0.",
}
SAMPLES = [
    "p(X) :- X = 0. p(X+1) :- p(X), (X =< 9 ; X = -1).\nfalse :- p(X), {X =\\= 10, rat(1,2) < X}.",
    "start(p(pc([1,1]), data(_, L)), [L = 0]). error(p(pc([_,3]), data(_, _)), [], 2). % 1 transitions\n"
    "r(p(pc([1,A]), data(X, L)), p(pc([3,A]), data(X, M)), [L = 0], [M = 1], (1,1)). stmtsrc(1, 'x').",
]


@pytest.mark.parametrize("name", DEEP)
def test_depth_is_no_problem(name: str) -> None:
    read_prolog("deep.pl", DEEP[name].encode())


@pytest.mark.parametrize("name", BROKEN)
def test_broken_input_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        read_prolog("broken.pl", BROKEN[name].encode())


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(InputError, match="the file is not UTF-8 text"):
        read_prolog("f", b"false :- \xff.")


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_cut_off_anywhere(number: int) -> None:
    text = SAMPLES[number]
    for end in range(len(text)):
        with contextlib.suppress(InputError):
            check_horn(read_prolog("f", text[:end].encode()))


@settings(max_examples=400, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(SAMPLES))
def test_garbled(pick: random.Random, text: str) -> None:
    pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "|",
        ",",
        ".",
        ". ",
        ":-",
        "X",
        "_",
        "-",
        "=",
        "'",
        '"',
        "/*",
        "%",
        "0",
        "1.5",
    ]
    pieces += ["p", "pc(", "data", "r(", "rat(", "/", "false", "\n", "\0", "é", "\\+", ";", "{}", "[]"]
    for _ in range(pick.randint(1, 4)):
        place = pick.randrange(len(text))
        text = text[:place] + pick.choice(pieces) + text[place + pick.randint(0, 6) :]
    with contextlib.suppress(InputError):
        check_horn(read_prolog("f", text.encode()))
