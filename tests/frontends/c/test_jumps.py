"""Computed goto, executed."""

from __future__ import annotations

import pytest

from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.ir.check import check_program
from support.ir_execution import Execution

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

MACHINE = """static int run(const unsigned char *code) {
  static const void *const operations[] = {&&more, &&twice, &&stop};
  int number = 0;
  goto *operations[*code++];
more: number++; goto *operations[*code++];
twice: number *= 2; goto *operations[*code++];
stop: return number;
}
"""
TWO = """static int f(int x) { void *p = x ? &&a : &&b; goto *p; a: return 1; b: return 2; }
static int g(int x) { void *p = x ? &&a : &&b; goto *p; a: return 3; b: return 4; }
"""
PROGRAMS = {
    "a machine": (MACHINE + "int main(void) { assert(run((unsigned char[]){0, 0, 1, 0, 2}) == 5); }", "finished"),
    "two functions": (TWO + "int main(void) { assert(f(0) == 2 && f(1) == 1 && g(0) == 4 && g(1) == 3); }", "finished"),
    "values": (
        "int main(void) { int i = 0; void *p = &&a; a: i++; p = i < 3 ? &&a : &&b; goto *p; b: assert(i == 3); }",
        "finished",
    ),
    "no label": ("int main(void) { void *p = 0; if (p == &&a) return 1; goto *p; a: return 0; }", "violated"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_computed_goto(name: str) -> None:
    text, expected = PROGRAMS[name]
    program = read_c({"t.c": f"#include <assert.h>\n{text}".encode()}, COptions()).program
    check_program(program)
    assert Execution(program, seed=1).run("main") == expected
