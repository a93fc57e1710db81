"""AIGER: golden cases in both forms, verdicts, refusals, damaged files."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.frontends.transitions.aiger import read_aiger
from cleave.ir.horn import HornSystem
from cleave.ir.horn_check import check_horn
from support.horn_reading import shown, verdict

# Two bits count up while the input is there: low' = low xor go, high' = high xor (low and go). Bad: both are set.
COUNTER = """aag 10 1 2 0 7 1 CONSTRAINTS
2
4 14
6 20
12
12 4 6
8 2 4
10 3 5
14 9 11
16 6 8
18 7 9
20 17 19
i0 go
l0 low
l1 high
b0 both
c
anything at all
"""
EXCLUSIVE = COUNTER.replace("12 4 6", "22 4 6").replace("\n12\n", "\n22\n").replace("aag 10", "aag 11")


def read(text: str) -> HornSystem:
    return read_aiger("f", text.encode())


def counter(constraint: str = "") -> str:
    text = EXCLUSIVE.replace("CONSTRAINTS", "1" if constraint else "0")
    return text.replace("\n22\n", f"\n22\n{constraint}\n", 1) if constraint else text


def test_the_clauses() -> None:
    go = "(and go low)"
    low = f"(and (not {go}) (not (and (not go) (not low))))"
    high = f"(and (not (and high go low)) (not (and (not high) (not {go}))))"
    assert shown(read(counter())) == [
        "(state low high) :- (and (not low) (not high))",
        f"(state {low} {high}) :- (state low high), true",
        "false :- (state low high), (and low high)",
    ]


@pytest.mark.parametrize(
    ("constraint", "expected"), [("", "unsafe"), ("3", "safe"), ("2", "unsafe"), ("0", "safe"), ("7", "safe")]
)
def test_verdicts(constraint: str, expected: str) -> None:
    """The constraint is that the input is never there, or always, or that nothing happens, or that high stays low."""
    assert verdict(read(counter(constraint))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aag 1 0 1 1 0\n2 2\n2\n", "safe"),
        ("aag 1 0 1 1 0\n2 2 0\n2\n", "safe"),
        ("aag 1 0 1 1 0\n2 2 1\n2\n", "unsafe"),
        ("aag 1 0 1 1 0\n2 2 2\n2\n", "unsafe"),
        ("aag 1 0 1 1 0\n2 3\n2\n", "unsafe"),
        ("aag 1 0 1 2 0\n2 2\n2\n0\n", "safe"),
        ("aag 1 0 1 2 0\n2 2\n2\n1\n", "unsafe"),
        ("aag 1 0 1 1 0 1\n2 2\n1\n2\n", "safe"),  # where a bad state is named, outputs are only outputs
        ("aag 1 1 0 1 0\n2\n2\n", "unsafe"),
        ("aag 0 0 0 1 0\n0\n", "safe"),
        ("aag 0 0 0 1 0\n1\n", "unsafe"),
    ],
)
def test_starts_and_outputs(text: str, expected: str) -> None:
    assert verdict(read(text)) == expected


def delta(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def test_the_binary_form() -> None:
    """Here the gates are in order: 8 = go and low, and so on; 20 is what is bad."""
    gates = [(8, 4, 2), (10, 5, 3), (12, 11, 9), (14, 8, 6), (16, 9, 7), (18, 17, 15), (20, 6, 4)]
    packed = b"".join(delta(a - b) + delta(b - c) for a, b, c in gates)
    content = b"aig 10 1 2 0 7 1\n12\n18\n20\n" + packed + b"i0 go\nl0 low\nl1 high\nc\n\xff"
    lines = shown(read_aiger("f", content))
    assert lines[0] == "(state low high) :- (and (not low) (not high))"
    assert lines[2] == "false :- (state low high), (and high low)"
    assert verdict(read_aiger("f", content)) == "unsafe"
    text = "aag 10 1 2 0 7 1\n2\n4 12\n6 18\n20\n" + "".join(f"{a} {b} {c}\n" for a, b, c in gates)
    assert shown(read(text + "i0 go\nl0 low\nl1 high\n")) == lines


def test_a_long_chain_of_gates() -> None:
    count = 20_000
    gates = "".join(f"{2 * i} {2 * i - 2} {2 * (i % 100) + 2}\n" for i in range(count, 101, -1))  # last ones first
    names = "".join(f"{2 * i}\n" for i in range(1, 102))
    system = read(f"aag {count} 101 0 1 {count - 101}\n{names}{2 * count}\n{gates}")
    assert len(system.clauses) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "f:1:1: the file ends too early"),
        ("aig", "f:1:1: a header expected, as in aag 3 1 1 1 1"),
        ("aag 1 x 0 0 0", "f:1:1: a header expected, as in aag 3 1 1 1 1"),
        ("aag 1 0 0 0", "f:1:1: five to nine numbers expected after the first word"),
        ("aag 1 1 1 1 0", "f:1:1: more inputs, latches and gates than variables"),
        ("aag 1 0 1 0 0 0 0 1\n", "f:1:1: justice and fairness are about infinite runs, which are not supported"),
        ("aag 1 1 0 0 0\n2\n", "f: the circuit has no bad state and no output, so there is nothing to check"),
        ("aag 1 1 0 1 0\n2\n", "f:2:1: the file ends too early"),
        ("aag 1 1 0 1 0\n3\n2\n", "f:2:1: 3 can't be defined: an even number from 2 on expected"),
        ("aag 2 2 0 1 0\n2\n2\n2\n", "f:3:1: 2 is defined twice"),
        ("aag 1 1 0 1 0\n2\n4\n", "f:3:1: 4 is larger than the header allows"),
        ("aag 1 1 0 1 0\n2\nx\n", "f:3:1: a number of a variable expected"),
        ("aag 1 0 1 1 0\n2 0 4\n2\n", "f:2:1: a latch starts with 0, with 1 or, at any value, with itself"),
        ("aag 2 1 0 1 0\n2\n4\n", "f: 4 is used, but defined nowhere"),
        ("aag 2 0 0 1 2\n2\n2 4 4\n4 2 2\n", "f: gate 2 depends on itself"),
        ("aag 1 0 0 1 1\n2\n2 2 2\n", "f: gate 2 depends on itself"),
        ("aag 1 1 0 1 0\n2\n2\nwhat\n", "f:4:1: the name of an input, a latch or an output expected, as in i0 x"),
        ("aig 1 0 0 1 1\n2\n", "f: the file ends within the gates"),
        ("aig 1 0 0 1 1\n2\n\0\0", "f: gate 2 depends on what does not come before it"),
        ("aig 1 0 0 1 1\n2\n\x05\0", "f: gate 2 depends on what does not come before it"),
        ("aig 999999999 999999999 0 1 0\n2\n", "f:1:1: more than 1,000,000 inputs"),
    ],
)  # fmt: skip
def test_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).split("\n")[0] == expected


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_damaged_files_are_refused_or_well_formed(pick: random.Random) -> None:
    content = bytearray(pick.choice([counter("3").encode(), b"aig 3 1 1 1 1\n6\n6\n\x02\x02c\n"]))
    for _ in range(pick.randint(1, 3)):
        place = pick.randrange(len(content))
        content[place : place + pick.randint(0, 3)] = pick.choice(
            [b"", b"9", b" ", b"\n", b"\xff", b"0", b"aig", b"99999"]
        )
    with contextlib.suppress(InputError):
        check_horn(read_aiger("f", bytes(content[: pick.randint(0, len(content))])))
