"""Which unknown functions a violation depends on: runs of small programs with havocs that carry a name."""

from __future__ import annotations

import pytest

from cleave.ir.path import Enter, Leave, PathStep, Visit
from cleave.ir.reader import read_program
from cleave.validate.violations.confirm import validate_trace

HEAD = """\
var g: Int
var m: (Array Int Int)
proc main(n: Int) -> () {
  local x: Int
  local y: Int
"""
CASES = {
    "computed": ('havoc x "f"\n    y := (+ x 1)\n    assert (= y n)', ("f",)),
    "two": ('havoc x "f"\n    havoc y "h"\n    assert (= x y)', ("f", "h")),
    "assumed": ('havoc x "f"\n    assume (< x n)\n    assert false', ("f",)),
    "asserted before": ('havoc x "f"\n    assert (= x x)\n    assert (= n 1)', ()),
    "not used": ('havoc x "f"\n    assert (= n 1)', ()),
    "set again": ('havoc x "f"\n    x := 1\n    assert (= x n)', ()),
    "input": ("havoc x\n    assert (= x n)", ()),
    "swapped": ('havoc x "f"\n    y := 1\n    x, y := y, x\n    assert (= x n)', ()),
    "other element": ('havoc m "f"\n    m := (store m 1 n)\n    assert (= (select m 1) 5)', ()),
    "element": ('havoc m "f"\n    m := (store m 1 n)\n    assert (= (select m 2) 5)', ("f",)),
    "stored": ('havoc x "f"\n    m := (store m 1 x)\n    assert (= (select m 1) 5)', ("f",)),
    "stored elsewhere": ('havoc x "f"\n    m := (store m 1 x)\n    assert (= (select m 2) 5)', ()),
    "index": ('havoc x "f"\n    m := (store m x 7)\n    assert (= (select m 2) 5)', ("f",)),
    "where it is read": ('havoc x "f"\n    assert (= (select m x) 5)', ("f",)),
    "argument and result": ('havoc x "f"\n    call inc(x) -> (y)\n    assert (= y n)', ("f",)),
    "result of others": ('havoc x "f"\n    call inc(n) -> (y)\n    assert (= y 5)', ()),
    "global": ("call set() -> ()\n    assert (= g 5)", ("f",)),
}
PROCEDURES = """
proc inc(a: Int) -> (b: Int) {
  start:
    b := (+ a 1)
    return
}
proc set() -> () {
  start:
    havoc g "f"
    return
}
"""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_doubts(case: tuple[str, tuple[str, ...]]) -> None:
    body, functions = case
    program = read_program(f"{HEAD}  start:\n    {body}\n    return\n}}{PROCEDURES}")
    path: list[PathStep] = [Enter("main"), Visit("start")]
    for name in ("inc", "set"):
        if f"call {name}" in body:
            path += [Enter(name), Visit("start"), Leave()]
    result = validate_trace(program, "main", tuple(path))
    assert result.trace is not None, result
    assert result.trace.unmodelled == functions
