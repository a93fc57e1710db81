"""On 32 bit, addresses run out after some objects. What comes then is never `safe` because of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.verdict import Unknown, Unsafe, Verdict

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
"""
THREAD = """void *work(void *p) {{ {work} return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); {main} }}"""
SIZE = "int n = __VERIFIER_nondet_int(); if (n < 1 || n > 20) return 0; "
PROGRAMS: dict[str, tuple[str, type[Verdict]]] = {
    "of unknown size, with threads": (
        THREAD.format(work="", main=f"{SIZE} char *p = malloc(n); assert(p != 0 && n < 20);"),
        Unsafe,
    ),
    "too short, with threads": (THREAD.format(work="", main=f"{SIZE} int *p = malloc(n); p[1] = 3;"), Unsafe),
    "several in a thread": (
        THREAD.format(work=f"{SIZE} for (int i = 0; i < 6; i++) malloc(n); assert(0);", main="pthread_join(t, 0);"),
        Unsafe,
    ),
    "too large, in some threads": (
        "void *work(void *p) { int *q = malloc(9000000); if (!q) return 0; q[3] = 1; assert(q[3] == 2); return 0; }"
        " int main(void) { pthread_t t; for (int i = 0; i < 2; i++) pthread_create(&t, 0, work, 0); }",
        Unknown,
    ),
    "large, again and again": (
        "int main(void) { for (int i = 0; i < 20; i++) { char *p = malloc(9000000); if (!p) return 0; free(p); }"
        " assert(0); }",
        Unknown,
    ),
    "in a deep recursion": (
        "int f(int *p, int n) { int x = *p + 1; return n > 0 ? f(&x, n - 1) : x; }"
        " int main(void) { int x = 0; assert(f(&x, 300) != 301); }",
        Unsafe,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_comes_after_many_objects(name: str, tmp_path: Path) -> None:
    text, expected = PROGRAMS[name]
    (tmp_path / "t.c").write_text(HEAD + text)
    found = verify(str(tmp_path / "t.c"), Options(timelimit=60, c=COptions(bits=32))).verdict
    assert isinstance(found, expected), found
    if isinstance(found, Unknown):
        assert "addresses that are left" in found.detail or "that no address is left" in found.detail


def test_a_proof_that_there_are_not_more_says_so() -> None:
    text = "#include <stdlib.h>\nint main(void) { for (;;) { int *p = malloc(40); for (int i = 9; i; i--) p[i] = i; } }"
    assert any("makes more than 16" in one for one in read_c({"t.c": text.encode()}, COptions(bits=32)).assumptions)
    assert not any("makes more" in one for one in read_c({"t.c": text.encode()}, COptions(bits=64)).assumptions)
