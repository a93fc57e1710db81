"""Small C programs with their verdicts, through the whole flow: every `unsafe` replays, every proof is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import COptions, Options, verify
from cleave.verdict import BoundedSafe, Safe, Unsafe

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = """\
#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
"""

SAFE = {
    "wrapping": "int main(void) { unsigned char x = 255; x++; assert(x == 0); }",
    "promotion": "int main(void) { unsigned char a = 200, b = 100; assert(a + b == 300); }",
    "sign": "int main(void) { int x = -7; assert(x / 2 == -3 && x % 2 == -1 && x >> 1 == -4); }",
    "nondet range": "int main(void) { int x = __VERIFIER_nondet_uchar(); assert(x >= 0 && x < 256); }",
    "bool": "int main(void) { _Bool b = __VERIFIER_nondet_bool(); assert(b == 0 || b == 1); }",
    "assume": "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3); assert(x != 3); }",
    "abort": "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 3) abort(); assert(x >= 3); }",
    "exit": "int main(void) { int x = __VERIFIER_nondet_int(); if (x) exit(1); if (x) reach_error(); }",
    "time": """#include <time.h>
        int main(void) { time_t now; struct timespec wrong = {0, 1000000000}; struct tm date;
        assert(time(&now) == now && nanosleep(&wrong, 0) == -1);
        assert(gmtime_r(&now, &date) == 0 || date.tm_mon < 12); }""",
    "struct copy": """struct s { int a; char b[6]; long c; };
        int main(void) { struct s x = {1, "hello", 7}, y; y = x; x.b[1] = 'a'; x.c = 0;
        assert(y.a == 1 && y.b[1] == 'e' && y.b[5] == 0 && y.c == 7); }""",
    "pointer to one": """void set(int *p, int v) { *p = v; }
        int main(void) { int x = 1, y = 2; set(&x, 5); assert(x == 5 && y == 2); }""",
    "pointer to either": """int main(void) { int x = 1, y = 2; int *p = __VERIFIER_nondet_bool() ? &x : &y; *p = 9;
        assert((x == 9 && y == 2) || (x == 1 && y == 9)); }""",
    "recursion keeps locals": """int down(int n) { int mine = n; int *p = &mine; if (n > 0) down(n - 1); return *p; }
        int main(void) { assert(down(2) == 2); }""",
    "locals of a recursion are apart": """int *other;
        int f(int n) { int x = n; if (n == 0) { *other = 7; return x; } other = &x; f(n - 1); return x; }
        int main(void) { assert(f(1) == 7); }""",
    "list": """struct node { struct node *next; int value; };
        int main(void) { struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b); a->next = b; b->next = 0;
        a->value = 1; b->value = 2; a->next->value += 5; assert(a->value == 1 && b->value == 7 && a != b); }""",
    "calloc": """int main(void) { int n = __VERIFIER_nondet_bool() ? 2 : 1; int *p = calloc(n, sizeof *p);
        assert(p[n - 1] == 0); }""",
    "union": "int main(void) { union { unsigned u; unsigned char b[4]; } x; x.u = 0x01020304; assert(x.b[3] == 1); }",
    "bit field": """struct b { unsigned a : 3; int c : 2; } s;
        int main(void) { s.a = 9; s.c = 3; assert(s.a == 1 && s.c == -1); }""",
    "table of functions": """static int one(int x) { return x + 1; } static int two(int x) { return x + 2; }
        int (*table[])(int) = {one, two};
        int main(void) { int i = __VERIFIER_nondet_bool(); assert(table[i](3) == 4 + i); }""",
    "switch": """int main(void) { int x = __VERIFIER_nondet_int(), y = 0;
        switch (x) { case 1: y = 1; case 2: y += 2; break; case -3: y = 9; break; default: y = 2; }
        assert(y == 2 || (x == 1 && y == 3) || (x == -3 && y == 9)); }""",
    "static local": """int next(void) { static int n = 5; return n++; }
        int main(void) { next(); assert(next() == 6); }""",
    "globals": """int g; int h = 3; int a[1000];
        int main(void) { assert(g == 0 && h == 3 && a[__VERIFIER_nondet_uchar()] == 0); }""",
    "strings": """int main(void) { char t[8]; strcpy(t, "ab"); strcat(t, "c");
        assert(strlen(t) == 3 && strcmp(t, "abc") == 0 && strchr(t, 'b') == t + 1); }""",
    "bytes of a pointer": """int main(void) { int x = 1; int *p = &x, *q = 0; char *to = (char *)&q, *from = (char *)&p;
        for (unsigned i = 0; i < sizeof p; i++) to[i] = from[i]; *q = 5; assert(x == 5); }""",
    "struct by value": """struct s { int a[6]; }; static int f(struct s x) { x.a[2] = 7; return x.a[1]; }
        int main(void) { struct s y = {{1, 2, 3}}; assert(f(y) == 2 && y.a[2] == 3); }""",
    "overflow check": "int main(void) { int r; assert(__builtin_add_overflow(2147483647, 1, &r) && r < 0); }",
    "argv": "int main(int argc, char **argv) { assert(argc >= 0 && argv[argc] == 0); }",
    "floating point": "int main(void) { double d = 0.1; float f = 0.1f; assert(d != f && 0.5 + 0.25 == 0.75); }",
    "goto": "int main(void) { int i = 0; again: if (i < 2) { i++; goto again; } assert(i == 2); }",
    "move over itself": """int main(void) { int a[100];
        for (int i = 0; i < 2; i++) a[i] = i; memmove(a + 1, a, 99 * sizeof *a);
        assert(a[1] == 0 && a[2] == 1); }""",
    "realloc keeps what was there": """int main(void) { int *a = malloc(16), *b = calloc(12, 4), i = 3;
        int *q = __VERIFIER_nondet_bool() ? a : b; q[0] = 5; a[i] = 3; int *c = realloc(a, 40); assert(c[i] == 3); }""",
    "long table in a local": """int main(void) { const unsigned t[70] = {1, 1, 1, [69] = 3}; unsigned i = 69;
        assert(t[i] == 3 && t[i - 1] == 0); }""",
    "a range that ends inside of an element": """int main(void) { int a[4] = {-1, -1, -1, -1}; unsigned long n = 6;
        int i = 1; memset(a, 0, n); assert(a[i] == (int)0xffff0000 && a[i + 1] == -1); }""",
    "large elements": """struct s { char text[5000]; int x; } a[2];
        int main(void) { int i = __VERIFIER_nondet_bool(); a[i].x = 5; struct s one = a[i]; assert(one.x == 5); }""",
    "atomic pointer that moves": """int main(void) { int a[2] = {1, 2}; int *p = a;
        __atomic_fetch_add(&p, sizeof *p, __ATOMIC_SEQ_CST); assert(*p == 2); }""",
    "allocation and copy through pointers": """void *(*make)(size_t, size_t) = calloc;
        void *(*copy)(void *, const void *, size_t) = memcpy;
        int main(void) { size_t n = __VERIFIER_nondet_bool() + 1; int *p = make(n, sizeof *p), x = 5;
        assert(p[n - 1] == 0); copy(p, &x, sizeof x); assert(p[0] == 5); }""",
    "recursion with a local that memset gives back": """int f(int n, char *above) {
        char x[2], *p = memset(x, n, 2); if (n) f(n - 1, p); if (above) *above = 9; return x[0]; }
        int main(void) { assert(f(1, 0) == 9); }""",
    "alignment": """char before; _Alignas(64) char a[8]; int f(int n) { _Alignas(128) char x[3]; char *p = x;
        return n ? f(n - 1) : (int)((unsigned long)p % 128); }
        int main(void) { assert((unsigned long)a % 64 == 0);
        assert(f(1) == 0 && (unsigned long)aligned_alloc(256, 256) % 256 == 0); }""",
    "variable length array": """int main(void) {
        int n = __VERIFIER_nondet_bool() + 1; int a[n], b[n]; a[0] = 1; b[0] = 2;
        assert(a[0] == 1 && b[0] == 2); }""",
    "fresh locals do not overlap": """int *keep; void f(void) { int x[40]; x[3] = 1; keep = x; }
        int main(void) { int y[40]; y[3] = 5; f(); f(); assert(y[3] == 5); }""",
    "atomic": """_Atomic int n;
        int main(void) { n++; n += 2; assert(__sync_lock_test_and_set((int *)&n, 4) == 3); }""",
}

UNSAFE = {
    "reach_error with a body": "void reach_error(void) { abort(); } int main(void) { reach_error(); }",
    "nondet": "int main(void) { int x = __VERIFIER_nondet_int(); assert(x != 123456); }",
    "uninitialised": "int main(void) { int x; assert(x != 42); }",
    "uninitialised again": """int f(int set) { int x; int *p = &x; if (set) *p = 1; return *p; }
        int main(void) { f(1); assert(f(0) == 1); }""",
    "heap holds anything": "int main(void) { int *p = malloc(4); assert(*p != 42); }",
    "heap holds anything again": """int main(void) {
        for (int i = 0; i < 2; i++) { int *p = malloc(4); if (i) assert(*p == 1); *p = 1; } }""",
    "realloc adds anything": """int main(void) { int *a = malloc(16), *b = calloc(12, 4), i = 8;
        int *q = __VERIFIER_nondet_bool() ? a : b; q[0] = 0; int *c = realloc(a, 40); assert(c[i] != 42); }""",
    "realloc of one of several blocks": """int main(void) { int *p[2], k = 8;
        for (int i = 0; i < 2; i++) { p[i] = malloc(16); p[i][0] = 7; }
        int *c = realloc(p[0], 80); assert(c[0] == 7); assert(c[k] != 42); }""",
    "division by zero": "int main(void) { int z = __VERIFIER_nondet_bool(); assert(5 / z != 17); }",
    "overflow wraps": "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0) assert(x + 1 > 0); }",
    "alias": """int main(void) { int x = 1; int *p = &x; int **q = &p; **q = 2; assert(x == 1); }""",
    "through a list": """struct n { struct n *next; int v; };
        int main(void) { struct n a, b; a.next = &b; b.next = &a; a.next->next->v = 3; assert(a.v != 3); }""",
    "third iteration": "int main(void) { int s = 0; for (int i = 0; i < 3; i++) s += i; assert(s != 3); }",
    "scanf": 'int scanf(const char *, ...); int main(void) { int x = 0; scanf("%d", &x); assert(x == 0); }',
    "fixed address": "int main(void) { assert(*(volatile int *)0x4000 != 5); }",
    "null": "int main(void) { int *p = 0; *(int *)0 = 1; assert(*p != 1); }",
    "long": "int main(void) { long x = 1L << 40; assert((int)x != 0); }",
}


def check(tmp_path: Path, source: str) -> object:
    file = tmp_path / "program.c"
    file.write_text(HEAD + source, encoding="utf-8")
    return verify(str(file), Options(timelimit=60, workers=1, c=COptions(checks=("assertions",)))).verdict


@pytest.mark.parametrize("name", SAFE)
def test_safe(name: str, tmp_path: Path) -> None:
    verdict = check(tmp_path, SAFE[name])
    assert isinstance(verdict, Safe | BoundedSafe), verdict


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe(name: str, tmp_path: Path) -> None:
    verdict = check(tmp_path, UNSAFE[name])
    assert isinstance(verdict, Unsafe), verdict
