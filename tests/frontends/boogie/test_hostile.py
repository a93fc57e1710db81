"""Input made to break things: deep, long, cut off, garbled. A program or an `InputError`, and nothing else."""

from __future__ import annotations

import contextlib
import random
import threading
import time

import pytest

from cleave.errors import InputError
from cleave.frontends.boogie import read_boogie

DEPTH = 30_000
BODY = "procedure main() {{ var a: bool; var x: int; var m: [int]int; {} }}"
DEEP = {
    "parentheses": "assume " + "(" * DEPTH + "a" + ")" * DEPTH + ";",
    "not": "assume " + "!" * DEPTH + "a;",
    "minus": "x := " + "- " * DEPTH + "x;",
    "and": "assume " + " && ".join(f"x == {i}" for i in range(DEPTH)) + ";",
    "nested and": "assume " + "(" * 3000 + "a" + "".join(f" && x == {i})" for i in range(3000)) + ";",
    "plus": "x := " + "x + " * DEPTH + "x;",
    "implies": "assume " + "a ==> " * DEPTH + "a;",
    "else": "x := " + "if a then x else " * DEPTH + "x;",
    "then": "x := " + "if a then " * DEPTH + "x" + " else x" * DEPTH + ";",
    "index": "x := " + "m[" * DEPTH + "x" + "]" * DEPTH + ";",
    "update": "m := m" + "[x := 1]" * DEPTH + ";",
    "old": "assume " + "old(" * DEPTH + "a" + ")" * DEPTH + ";",
    "let": "assume " + "(var a := a; " * DEPTH + "a" + ")" * DEPTH + ";",
    "if": "if (a) {" * 3000 + "}" * 3000,
    "else if": "if (a) {}" + " else if (a) {}" * 3000,
    "while": "while (a) {" * 3000 + "}" * 3000,
}


@pytest.mark.parametrize("name", DEEP)
def test_depth_is_no_problem(name: str) -> None:
    read_boogie(BODY.format(DEEP[name]), "deep.bpl")


@pytest.mark.parametrize(
    "text",
    [
        BODY.format("assume " + "(" * DEPTH),
        BODY.format("assume " + "(forall y: int :: " * DEPTH),
        BODY.format("x := " + "9" * DEPTH + ";"),
        BODY.format("x := 1bv" + "9" * DEPTH + ";"),
        BODY.format("assume 1e" + "9" * 3000 + " > 1.0;"),
        BODY.format("x := x[" + "9" * DEPTH + ":0];"),
        BODY.format("m" + "[0]" * DEPTH + " := 1;"),
        "var x: " + "[int]" * DEPTH + "int;",
        "var x: " + "(" * DEPTH + "int" + ")" * DEPTH + ";",
        "type F a; type D a = [a]a; var x: F (" + "D (" * 60 + "int" + ")" * 60 + ");",
        "".join(f"type T{i} = T{i + 1};" for i in range(1000)) + "type T1000; var x: T0;",
        "/*" * DEPTH,
        '"' * DEPTH,
        "{" * DEPTH,
        "\0",
        "\udc80",
    ],
)
def test_too_much_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_boogie(text, "hostile.bpl")


def test_a_small_stack_is_enough() -> None:
    outcome: list[str] = []

    def read() -> None:
        read_boogie(BODY.format(DEEP["parentheses"] + DEEP["index"]), "deep.bpl")
        outcome.append("read")

    old = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    assert outcome == ["read"]


def test_a_long_chain_of_functions() -> None:
    chain = "".join(f"function f{i}(x: int): int {{ f{i + 1}(x) + 1 }}" for i in range(520))
    program = read_boogie(chain + "function f520(x: int): int; axiom f0(1) == 2;", "chain.bpl")
    assert "f520" in [f.name for f in program.functions]
    assert len(program.axioms) < 10


SAMPLE = """
type ref = int; type Field a; const unique f, g: Field int; var heap: [ref, Field int]int where heap[0, f] == 0;
function {:inline} at(h: [ref, Field int]int, r: ref): int { h[r, f] }
axiom (forall r: ref :: {at(heap0, r)} at(heap0, r) >= 0 || r == -1); const heap0: [ref, Field int]int;
procedure set(r: ref) returns (v: int); requires r > 0; modifies heap; free ensures v == old(heap)[r, g];
implementation {:entrypoint} set(q: ref) returns (v: int) {
  var i: int where i <= 3; var b: bv8;
  start: i := 0; b := 7bv8[4:0] ++ 1bv4;
  while (i < q) invariant i >= 0; { if (*) { break; } else { heap[q, f], i := i + 1, i div 2; } }
  call {:si_unique_call 1} v := set(*);
  assert {:msg "positive"} (if b == 1bv8 then v else i) > 0; /* done */ goto start, out;
  out: return; // end
}
"""


@pytest.mark.parametrize("seed", range(8))
def test_garbled_input(seed: int) -> None:
    rng = random.Random(seed)
    pieces = [
        "(",
        ")",
        "{",
        "}",
        "[",
        ";",
        ":",
        ":=",
        "::",
        "==",
        "&&",
        "||",
        "forall",
        "old",
        "if",
        "else",
        "1bv8",
        '"',
    ]
    for _ in range(150):
        text = SAMPLE
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(len(text))
            text = (
                text[:start]
                + rng.choice(["", chr(rng.randrange(0x250)), f" {rng.choice(pieces)} "])
                + (text[start + rng.randint(0, 3) :] if rng.random() < 0.9 else "")
            )
        with contextlib.suppress(InputError):  # anything else fails the test
            read_boogie(text, "garbled.bpl")


@pytest.mark.slow
def test_four_megabytes_take_about_two_seconds() -> None:
    lines = "".join(
        f"L{i}: assume {{:partition}} x != {i} && m[x + {i % 50}] >= 0; x := f(x) - {i}; goto L{i + 1}, L{i + 2};\n"
        for i in range(45_000)
    )
    text = "function f(x: int): int { x + 212 }" + BODY.format(f"{lines} L45000: L45001: return;")
    assert len(text) > 4_000_000
    start = time.process_time()
    read_boogie(text, "large.bpl")
    assert time.process_time() - start < 6  # about 2 on an idle machine
