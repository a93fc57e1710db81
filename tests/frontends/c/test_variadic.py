"""Functions with a variable number of arguments: executed on 32 and on 64 bit, with memory checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.ir.check import check_program
from cleave.verdict import Unsafe
from support.ir_execution import Execution

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = """#define _GNU_SOURCE
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct big { int a[5]; }; struct pair { double x, y; };
struct mixed { long a; double b; }; struct small { char c; short s; };
static int last(int n, ...) {
  va_list v; va_start(v, n); int r = 0; while (n-- > 0) r = va_arg(v, int); va_end(v); return r;
}
static char text[12];
static int print(const char *format, ...) {
  va_list v; va_start(v, format); int r = vsnprintf(text, sizeof text, format, v); va_end(v); return r;
}
"""
EVERY_TYPE = """static int all(int n, ...) {
  va_list v, again;
  va_start(v, n);
  assert(va_arg(v, int) == -2 && va_arg(v, double) == 0.5 && va_arg(v, char *)[1] == 'y');
  va_copy(again, v);
  for (int i = 0; i < 2; i++) {
    va_list *from = i ? &again : &v;
    struct pair p = va_arg(*from, struct pair);
    struct mixed m = va_arg(*from, struct mixed);
    struct small s = va_arg(*from, struct small);
    assert(p.x == 1 && p.y == 2 && m.a == 3 && m.b == 4 && s.c == 'c' && s.s == 300);
  }
  assert(va_arg(v, long long) == 1ll << 33 && va_arg(v, unsigned) == ~0u && va_arg(v, void *) == 0);
  va_end(again);
  va_end(v);
  return n;
}
int main(void) {
  struct pair p = {1, 2}; struct mixed m = {3, 4}; struct small s = {'c', 300};
  float half = 0.5f; short minus = -2;
  return all(0, minus, half, "xy", p, m, s, 1ll << 33, ~0u, (void *)0);
}"""
RIGHT = {
    "every type": EVERY_TYPE,
    "a list that is passed on": """static int first(va_list v) { return va_arg(v, int); }
        static int f(int n, ...) { va_list v; va_start(v, n); int r = first(v); va_end(v); return r; }
        int main(void) { assert(f(0, 7) == 7 && f(1, 8, 9) == 8); }""",
    "through pointers": """static int none(int n, ...) { return -n; }
        int main(void) { int (*f[])(int, ...) = {last, none}; assert(f[0](2, 3, 4) == 4 && f[1](2, 3, 4) == -2); }""",
    "structs": """static int f(int n, ...) { va_list v; va_start(v, n); int r = 0;
          while (n--) r += va_arg(v, struct big).a[4]; r -= va_arg(v, int); va_end(v); return r; }
        int main(void) { struct big b = {{1, 2, 3, 4, 5}}; assert(f(2, b, b, 6) == 4); }""",
    "recursive": """static int f(int n, ...) { va_list v; va_start(v, n); int r = va_arg(v, int); va_end(v);
          return n ? f(n - 1, r + 1) : r; }
        int main(void) { assert(f(3, 5) == 8); }""",
    "none": "int main(void) { assert(last(0) == 0); }",
    "vsnprintf": """int main(void) {
        assert(print("%d-%s%c", 12, "abcdefghi", 'x') == 13 && !strcmp(text, "12-abcdefgh"));
        assert(print("%5x|%-3u|", 255, 7u) == 10 && !strcmp(text, "   ff|7  |"));
        assert(print("%.*s%hhd%lld%%", 2, "xyz", 257, -1ll) == 6 && !strcmp(text, "xy1-1%")); }""",
    "vasprintf": """static char *make(const char *f, ...) {
          char *p; va_list v; va_start(v, f); int r = vasprintf(&p, f, v); va_end(v); return r < 0 ? 0 : p; }
        int main(void) {
          char *p = make("%s=%u", "key", 7u); if (!p) return 0; assert(!strcmp(p, "key=7")); free(p); }""",
}
WRONG = {
    "too few": "int main(void) { return last(3, 1, 2); }",
    "none of those asked for": "int main(void) { return last(1); }",
    "too few for a format": 'int main(void) { return print("%d %d", 1); }',
    "no room": """static void f(char *to, const char *format, ...) {
          va_list v; va_start(v, format); vsprintf(to, format, v); va_end(v); }
        int main(void) { char b[4]; f(b, "%d", 1234); return b[0]; }""",
}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str, bits: int) -> None:
    options = COptions(bits=32 if bits == 32 else 64)
    program = read_c({"t.c": (HEAD + RIGHT[name]).encode()}, options).program
    check_program(program)
    assert {Execution(program, seed=seed).run("main") for seed in range(3)} == {"finished"}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str, bits: int, tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text(HEAD + WRONG[name])
    found = verify(str(tmp_path / "t.c"), Options(timelimit=60, c=COptions(bits=32 if bits == 32 else 64)))
    assert isinstance(found.verdict, Unsafe), found.verdict
    if name != "no room":
        assert "asks for an argument that the call at line" in found.verdict.trace.lines[-1].note
