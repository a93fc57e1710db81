"""Programs in machine code: the engine's translation and the validator's agree with the interpreter's operators, and
the validator believes no claim."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cleave import Options, verify
from cleave.engines.executions.native.running import Ended, Failed, run_natively
from cleave.engines.executions.native.translation import translated
from cleave.frontends.c.clang.machine_code import built
from cleave.frontends.c.options import COptions
from cleave.frontends.input import read_input
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.logic.floats.formats import DOUBLE, SINGLE
from cleave.logic.floats.operations import (
    ARITHMETIC,
    COMPARISONS,
    arithmetic,
    compare,
    convert,
    from_integer,
    to_integer,
)
from cleave.logic.operators import OPERATORS
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, Term, make, value_of, var
from cleave.validate.native.execution import long_violation, only_execution
from cleave.verdict import Safe, Unsafe

pytest.importorskip("ziglang")


def nothing() -> None:
    """Nobody wants it to stop."""


def ran(program: Program, seed: int = 0, jumps: int = 100_000_000) -> Ended | Failed | None:
    return run_natively(program, "main", seed=seed, jumps=jumps, longest=jumps, seconds=20, check=nothing)


def confirmed(program: Program) -> bool:
    return only_execution(program, "main", seconds=20, check=nothing).holds


# --- operators --------------------------------------------------------------------------------------------------------

_BINARY = (
    *("bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr"),
    *("bvand", "bvor", "bvxor", "bvult", "bvule", "bvslt", "bvsle"),
)
_COMPARED = ("bvult", "bvule", "bvslt", "bvsle")
_WIDTHS = (1, 7, 8, 32, 33, 64, 65, 128)


def interesting(random: Random, width: int) -> int:
    top = 1 << width
    known = [0, 1, top - 1, top >> 1, (top >> 1) - 1, random.randrange(width + 2)]
    return random.choice([*known, random.randrange(top)]) % top


def expected(name: str, width: int, x: int, y: int) -> int:
    sort = bitvec(width)
    node: Term = make(Op(name), (var("x", sort), var("y", sort)), sort)
    return int(OPERATORS[Op(name)](node, x, y))


def of_operators(random: Random) -> str:
    """One program with an assertion for each operator, width and pair of values."""
    lines, declared = [], []
    for width in _WIDTHS:
        declared += [f"  local x{width}: (_ BitVec {width})", f"  local y{width}: (_ BitVec {width})"]
        for _ in range(4):
            x, y = interesting(random, width), interesting(random, width)
            lines.append(f"    x{width}, y{width} := (_ bv{x} {width}), (_ bv{y} {width})")
            for name in _BINARY:
                value = expected(name, width, x, y)
                applied = f"({name} x{width} y{width})"
                if name in _COMPARED:
                    lines.append(f"    assert (= {applied} {'true' if value else 'false'})")
                else:
                    lines.append(f"    assert (= {applied} (_ bv{value} {width}))")
            lines.append(f"    assert (= (bvnot x{width}) (_ bv{x ^ (1 << width) - 1} {width}))")
            lines.append(f"    assert (= (bvneg x{width}) (_ bv{-x % (1 << width)} {width}))")
            if width < 128:
                wide = x if x < 1 << width - 1 else x + (1 << 128) - (1 << width)
                lines.append(f"    assert (= ((_ sign_extend {128 - width}) x{width}) (_ bv{wide} 128))")
                lines.append(f"    assert (= ((_ zero_extend {128 - width}) x{width}) (_ bv{x} 128))")
            if width > 7:
                lines.append(f"    assert (= ((_ extract 6 2) x{width}) (_ bv{x >> 2 & 31} 5))")
            if width <= 64:
                lines.append(f"    assert (= (concat x{width} y{width}) (_ bv{x << width | y} {2 * width}))")
    body = "\n".join(lines)
    return "proc main() -> () {\n" + "\n".join(declared) + f"\n  a:\n{body}\n    return\n}}\n"


def test_operators_are_those_of_the_interpreter() -> None:
    text = of_operators(Random(11))
    program = read_program(text)
    assert isinstance(ran(program), Ended)
    assert confirmed(program)


def test_an_operator_that_gives_something_else_is_noticed() -> None:
    head, _, rest = of_operators(Random(12)).rpartition("(_ bv")
    value, _, after = rest.partition(" ")
    program = read_program(f"{head}(_ bv{int(value) ^ 1} {after}")
    assert isinstance(ran(program), Failed)
    assert not confirmed(program)
    assert long_violation(program, "main", (), seconds=20, check=nothing).holds


def of_floats(random: Random) -> str:
    """One program with an assertion for each operator on floating-point numbers, format and pair of values."""
    lines, declared = [], []
    for form in (SINGLE, DOUBLE):
        width = form.width
        sort = bitvec(width)
        x, y = var(f"x{width}", sort), var(f"y{width}", sort)
        declared += [f"  local x{width}: (_ BitVec {width})", f"  local y{width}: (_ BitVec {width})"]
        nodes = [
            *(arithmetic(op, form, *(x, y, x)[:count]) for op, count in ARITHMETIC.items()),
            *(compare(op, form, x, y) for op in COMPARISONS),
            convert(x, form, DOUBLE if form is SINGLE else SINGLE),
            *(from_integer(x, form, is_signed=is_signed) for is_signed in (False, True)),
            *(to_integer(x, form, 33, is_signed=is_signed) for is_signed in (False, True)),
        ]
        one = form.bias << (form.significand - 1)
        special = [
            0,
            1,
            one,
            one + 5,
            form.infinity,
            form.infinity + 3,
            form.sign | one,
            one + (33 << form.significand - 1),
        ]
        for _ in range(6):
            given = [random.choice([*special, random.getrandbits(width)]) for _ in "xy"]
            lines.append(f"    {x!r}, {y!r} := (_ bv{given[0]} {width}), (_ bv{given[1]} {width})")
            for node in nodes:
                values = [given[0] if arg is x else given[1] for arg in node.args]
                value = value_of(OPERATORS[node.op](node, *values), node.sort)
                lines.append(f"    assert (= {node!r} {value!r})")
    body = "\n".join(lines)
    return "proc main() -> () {\n" + "\n".join(declared) + f"\n  a:\n{body}\n    return\n}}\n"


def test_floating_point_is_that_of_the_interpreter() -> None:
    """The processor's in the one translation, circuits in the other."""
    program = read_program(of_floats(Random(7)))
    assert isinstance(ran(program), Ended)
    assert confirmed(program)


# --- programs ---------------------------------------------------------------------------------------------------------

COUNTING = """
var a: (Array (_ BitVec 64) (_ BitVec 8))
var total: (_ BitVec 32)
proc main() -> () {
  local i: (_ BitVec 32)
  local seen: (_ BitVec 32)
  start:
    a := ((as const (Array (_ BitVec 64) (_ BitVec 8))) (_ bv0 8))
    i, total := (_ bv0 32), (_ bv0 32)
    goto head
  head:
    goto again, done
  again:
    assume (bvult i (_ bv3000000 32))
    call add(i) -> (seen)
    i := (bvadd i (_ bv1 32))
    goto head
  done:
    assume (not (bvult i (_ bv3000000 32)))
    assert (= (select a (_ bv7 64)) (_ bv%d 8))
    return
}
proc add(n: (_ BitVec 32)) -> (r: (_ BitVec 32)) {
  local at: (_ BitVec 64)
  only:
    at := ((_ zero_extend 32) (bvurem n (_ bv1000 32)))
    a := (store a at (bvadd (select a at) (_ bv1 8)))
    total := (bvadd total n)
    r := total
    return
}
"""
RIGHT = 3000 % 256


def test_a_program_that_reads_nothing_is_run_to_its_end() -> None:
    program = read_program(COUNTING % RIGHT)
    assert isinstance(ran(program), Ended)
    assert confirmed(program)
    assert ran(program, jumps=1000) is None, "that is too short"


def test_a_violation_after_millions_of_steps_has_a_trace() -> None:
    program = read_program(COUNTING % (RIGHT + 1))
    found = ran(program)
    assert isinstance(found, Failed)
    assert not confirmed(program)
    judged = long_violation(program, "main", found.inputs, seconds=20, check=nothing)
    assert judged.holds
    assert judged.trace is not None
    assert judged.trace.steps[0].kind == "skipped"
    assert judged.trace.steps[-1].kind == "violation"
    assert {"main", "add"} == {step.procedure for step in judged.trace.steps[1:]}


NOT_ONE_EXECUTION = {
    "an input": ("havoc x", ""),
    "what is not initialised": ("skip := x", "  local skip: (_ BitVec 8)"),
    "a procedure without a body": ("call ask() -> (x)", ""),
}


@pytest.mark.parametrize("what", NOT_ONE_EXECUTION)
def test_a_program_with_several_executions_is_not_believed(what: str) -> None:
    statement, local = NOT_ONE_EXECUTION[what]
    text = f"""
proc main() -> () {{
  local x: (_ BitVec 8)
{local}
  a:
    {statement}
    assert (not (= x (_ bv77 8)))
    return
}}
proc ask() -> (r: (_ BitVec 8)) {{
}}
"""
    assert not confirmed(read_program(text))


def test_a_choice_is_not_one_execution() -> None:
    text = "proc main() -> () {\n  a:\n    goto b, c\n  b:\n    return\n  c:\n    assert false\n    return\n}\n"
    assert not confirmed(read_program(text))


def test_inputs_by_chance_find_what_depends_on_them_and_are_executed_again() -> None:
    text = """
proc main() -> () {
  local x: (_ BitVec 32)
  local i: (_ BitVec 32)
  a:
    havoc x
    i := (_ bv0 32)
    goto head
  head:
    goto again, done
  again:
    assume (bvult i (_ bv100000 32))
    i := (bvadd i (_ bv1 32))
    goto head
  done:
    assume (not (bvult i (_ bv100000 32)))
    assert (not (= x (_ bv4711 32)))
    return
}
"""
    program = read_program(text)
    assert ran(program) is None, "it asks for an input"
    found = ran(program, seed=5)
    assert isinstance(found, Failed)
    assert 4711 in found.inputs
    assert long_violation(program, "main", found.inputs, seconds=20, check=nothing).holds
    for other in ((), (4712,)):
        assert not long_violation(program, "main", other, seconds=20, check=nothing).holds


def test_recursion_has_frames_of_its_own() -> None:
    text = """
proc main() -> () {
  local s: (_ BitVec 32)
  a:
    call sum((_ bv1000 32)) -> (s)
    assert (= s (_ bv500500 32))
    return
}
proc sum(n: (_ BitVec 32)) -> (r: (_ BitVec 32)) {
  a:
    goto zero, more
  zero:
    assume (= n (_ bv0 32))
    r := n
    return
  more:
    assume (not (= n (_ bv0 32)))
    call sum((bvsub n (_ bv1 32))) -> (r)
    r := (bvadd r n)
    return
}
"""
    assert isinstance(ran(read_program(text)), Ended)
    assert confirmed(read_program(text))
    wrong = read_program(text.replace("500500", "500501"))
    assert isinstance(ran(wrong), Failed)
    assert long_violation(wrong, "main", (), seconds=20, check=nothing).holds


def test_arrays_that_are_copied_stay_apart() -> None:
    array = "(Array (_ BitVec 8) (_ BitVec 8))"
    text = f"""
var a: {array}
var b: {array}
proc main() -> () {{
  s:
    a := ((as const {array}) (_ bv3 8))
    a := (store (store a (_ bv1 8) (_ bv5 8)) (_ bv2 8) (select a (_ bv1 8)))
    b := a
    b := (store b (_ bv1 8) (_ bv9 8))
    assert (= (select a (_ bv1 8)) (_ bv5 8))
    assert (= (select a (_ bv2 8)) (_ bv3 8))
    assert (= (select b (_ bv1 8)) (_ bv9 8))
    assert (= (select (store b (_ bv4 8) (_ bv8 8)) (_ bv4 8)) (_ bv8 8))
    assert (= (select b (_ bv4 8)) (_ bv3 8))
    return
}}
"""
    assert isinstance(ran(read_program(text)), Ended)
    assert confirmed(read_program(text))


_REACTIVE = """
extern int __VERIFIER_nondet_int(void);
static int state, timer, digits;
static void press(int d) {
  switch (state) {
  case 0: digits = 1; state = 1; break;
  case 1: if (++digits == 4) { state = d == 7 ? 2 : 3; timer = 50; } break;
  default: break;
  }
}
static void tick(void) { if (timer > 0 && --timer == 0) state = 0; }
int main(void) {
  while (1) {
    int e = __VERIFIER_nondet_int();
    if (e >= 0 && e <= 9) press(e); else tick();
  }
}
"""


def test_a_program_that_never_ends_is_left_after_so_many_jumps(tmp_path: Path) -> None:
    """Each execution is left by a jump back, after which the number of jumps that are left must be what it was."""
    file = tmp_path / "reactive.c"
    file.write_text(_REACTIVE)
    program = read_input(str(file), c=COptions(checks=("assertions",))).program
    with built(translated(program, "main"), nothing) as run:
        done = run(b"1\n30d40\n3e8\n", seconds=2)
    assert done.output == b"nothing\n"


def test_a_violation_after_an_input_and_millions_of_rounds() -> None:
    """Most executions with inputs are cut off long before it."""
    program = read_program("""
proc main() -> () {
  local n: (_ BitVec 32)
  local k: (_ BitVec 32)
  a:
    havoc k
    goto loop
  loop:
    goto more, done
  more:
    assume (bvult n (_ bv4000000 32))
    n := (bvadd n (_ bv1 32))
    goto loop
  done:
    assume (not (bvult n (_ bv4000000 32)))
    assert (= n k)
    return
}
""")
    found = run_natively(program, "main", seed=1, jumps=40_000_000, longest=1_000_000, seconds=20, check=nothing)
    assert isinstance(found, Failed)


@pytest.mark.parametrize("text", ["", "int more; assert(!(more & 1));"])
def test_a_short_program_without_inputs_is_settled_by_its_execution(text: str, tmp_path: Path) -> None:
    """What is not initialised makes other executions."""
    file = tmp_path / "short.c"
    file.write_text(
        "#include <assert.h>\n#include <math.h>\nint main(void) { double x = 5.5;\n"
        f"assert(fmod(x, 2.0) == 1.5 && lround(x) == 6 && sqrt(4.0) == 2.0); {text} return 0; }}\n"
    )
    found = verify(str(file), Options(engine="executions")).verdict
    assert isinstance(found, Unsafe if text else Safe)


@pytest.mark.parametrize("count", [4, 3])
def test_elements_of_arrays_that_were_never_set_are_inputs(count: int) -> None:
    """Also in versions of an array that are older than the newest one."""
    text = f"""
var a: (Array (_ BitVec 8) (_ BitVec 8))
proc main() -> () {{
  local i: (_ BitVec 8)
  local x: (_ BitVec 8)
  local y: (_ BitVec 8)
  start:
    i := (_ bv0 8)
    goto loop
  loop:
    goto more, done
  more:
    assume (bvult i (_ bv{count} 8))
    a := (store a i i)
    i := (bvadd i (_ bv1 8))
    goto loop
  done:
    assume (not (bvult i (_ bv{count} 8)))
    a, x := (store (store a (_ bv9 8) (_ bv1 8)) (_ bv3 8) (_ bv1 8)), (select a (_ bv3 8))
    y := (select (store a (_ bv7 8) (_ bv2 8)) (_ bv3 8))
    assert (= y (_ bv1 8))
    return
}}
"""
    assert confirmed(read_program(text)) is (count == 4)
