"""What C leaves undefined and no sanitizer reports, or only some do: it is never `safe`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe, Verdict

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = """#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
CALLED = "static void called(int *p) { assert(*p == 0); } "
POINTER = "int x = 1; int main(void) { void (*t)(int *, int) = (void (*)(int *, int))called; t(&x, 2); return 0; }"
TABLE = """struct ops { int (*open)(int); int (*read)(int, int); };
static int open_it(int a) { return a; } static int read_it(int a, int b) { return a - b; }
struct ops table = { open_it, read_it };
int main(void) { struct ops *o = &table; assert(o->open(2) == 2); assert(o->read(5, 3) == 2); return 0; }"""
HANDLER = "int n; void handler() { n = 1; } int main(void) { signal(SIGINT, handler); raise(SIGINT); assert(n == 1); }"
LITERAL = "int main(void) {{ int *p = 0; {code} return *p; }}"
LIST = """struct node {{ struct node *next; int value; }};
int main(void) {{ struct node *h = 0; {code} return h->value; }}"""
THREADS = """void *work(void *p) {{ {thread} return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); {main} pthread_join(t, 0); return 0; }}"""
STRUCT = "struct s {{ int a, b; }}; struct s f(void) {{ struct s s; {sets} return s; }} "

PROGRAMS: dict[
    str, tuple[str, str, type[Verdict] | tuple[type[Verdict], ...]]
] = {  # what is checked, the program, what is right
    "too many arguments": ("memory", CALLED + POINTER, Unsafe),
    "too many arguments, by assertions": ("assertions", CALLED + POINTER, Unknown),
    "too few arguments": (
        "memory",
        "static int f(int a, int b) { return b; } int main(void) { int (*g)(int) = (int (*)(int))f; return g(1); }",
        Unsafe,
    ),
    "another type": (
        "memory",
        "static int f(long a) { return (int)a; } static int h(int a) { return a; }"
        " int main(int c, char **v) { int (*g)(int) = c > 1 ? h : (int (*)(int))f; return g(1); }",
        Unsafe,
    ),
    "a table of functions": ("memory", TABLE, Safe),
    "a table of functions, by assertions": ("assertions", TABLE, Safe),
    "a function without a prototype": ("assertions", HANDLER, Safe),
    "a literal after its block": ("memory", LITERAL.format(code="{ p = &(int){5}; }"), Unsafe),
    "a literal after its condition": ("memory", LITERAL.format(code="if (1) p = &(int){5};"), Unsafe),
    "an array after its block": ("memory", LITERAL.format(code="{ p = (int[]){5, 6}; p++; }"), Unsafe),
    "a literal after a loop": (
        "memory",
        LIST.format(code="for (int i = 0; i < 2; i++) { h = &(struct node){h, i}; }"),
        Unsafe,
    ),
    "a literal in its block": ("memory", LITERAL.format(code="{ p = &(int){5}; *p += 1; } p = &(int){7};"), Safe),
    "a literal in every round": (
        "memory",
        LITERAL.format(code="int s = 0; for (int i = 0; i < 3; i++) { int *q = &(int){i}; s += *q; } p = &s;"),
        Safe,
    ),
    "a literal as an argument": (
        "memory",
        "struct s { int a; }; int get(struct s *s) { return s->a; }"
        " int main(void) { int n = 0; if (n == 0) { n = get(&(struct s){3}); } return n; }",
        Safe,
    ),
    "memcpy onto itself": (
        "memory",
        'int main(void) { char s[8] = "abcdefg"; memcpy(s + 2, s, 4); return 0; }',
        Unsafe,
    ),
    "memcpy by an input": (
        "memory",
        "char s[64]; int main(int c, char **v) { if (c < 0 || c > 32) return 0; memcpy(s + c, s, 16); return 0; }",
        Unsafe,
    ),
    "memcpy next to it": (
        "memory",
        "char s[64]; int main(int c, char **v) { if (c < 16 || c > 32) return 0; memcpy(s + c, s, 16); return 0; }",
        Safe,
    ),
    "memmove onto itself": (
        "memory",
        'int main(void) { char s[8] = "abcdefg"; memmove(s + 2, s, 4); return 0; }',
        Safe,
    ),
    "structs of a list": (
        "memory",
        "struct n { struct n *next; int v; } a, b; int main(int c, char **v)"
        " { struct n *p = c > 1 ? &a : &b, *q = c > 2 ? &a : &b; *p = *q; return p->v; }",
        Safe,
    ),
    "a text without an end": ("memory", "int main(void) { char b[3] = {'a', 'b', 'c'}; puts(b); return 0; }", Unsafe),
    "printf of a text without an end": (
        "memory",
        "int main(void) { char b[3] = {'a', 'b', 'c'}; printf(\"%d %s\\n\", 1, b); return 0; }",
        Unsafe,
    ),
    "printf of a part": (
        "memory",
        "int main(void) { char b[3] = {'a', 'b', 'c'}; printf(\"%*d %.*s %.2s\\n\", 3, 1, 3, b, b); return 0; }",
        Safe,
    ),
    "printf of a freed text": (
        "memory",
        'int main(void) { char *s = strdup("a"); if (!s) return 1; free(s); printf("%s", s); return 0; }',
        Unsafe,
    ),
    "printf of null": ("memory", 'int main(int c, char **v) { char *s = 0; printf("%s", s); return 0; }', Unsafe),
    "strtok in two threads": (
        "data-race",
        'char a[] = "a b", b[] = "c d"; ' + THREADS.format(thread='strtok(a, " ");', main='strtok(b, " ");'),
        Unsafe,
    ),
    "strtok_r in two threads": (
        "data-race",
        'char a[] = "a b", b[] = "c d"; '
        + THREADS.format(thread='char *r; strtok_r(a, " ", &r);', main='char *r; strtok_r(b, " ", &r);'),
        (Safe, BoundedSafe),
    ),
    "a text that is printed and changed": (
        "data-race",
        'char b[4] = "abc"; ' + THREADS.format(thread="b[0] = 'x';", main="puts(b);"),
        Unsafe,
    ),
    "a struct that is returned half set": (
        "uninitialised",
        STRUCT.format(sets="s.a = 1;") + "int main(void) { struct s s = f(); return s.b; }",
        Unknown,
    ),
    "a struct that is returned whole": (
        "uninitialised",
        STRUCT.format(sets="s.a = 1; s.b = 2;") + "int main(void) { struct s s = f(); return s.b; }",
        Safe,
    ),
}


def verdict(check: str, text: str, folder: Path) -> Verdict:
    file = folder / "program.c"
    file.write_text(HEAD + text)
    c = COptions(checks=(check,), malloc_may_fail=False)
    return verify(str(file), Options(c=c, timelimit=60, workers=1, journal=None)).verdict


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_undefined_is_not_safe(name: str, tmp_path: Path) -> None:
    check, text, expected = PROGRAMS[name]
    found = verdict(check, text, tmp_path)
    assert isinstance(found, expected), found
