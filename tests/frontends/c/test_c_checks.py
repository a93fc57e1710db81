"""Data races and deadlocks in small programs, through the whole flow: every `unsafe` replays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.engines.threads.options import ThreadsOptions
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Safe, Unsafe

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = """\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int n, m;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
"""


def against(thread: str, main: str, after: str = "") -> str:
    """A thread's body, and what main does at the same time and after it has ended."""
    return f"""void *work(void *p) {{ {thread} return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); {main} pthread_join(t, 0); {after} return 0; }}"""


LOCKED = "pthread_mutex_lock(&a); n++; pthread_mutex_unlock(&a);"
CAS = "__atomic_compare_exchange_n(&n, &e, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);"


def block(body: str) -> str:
    return f"__VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();"


RACES = {
    "read and write": against("n = 1;", "m = n;"),
    "two writes": against("n = 1;", "n = 1;"),
    "two writes, never read": "static int k; " + against("k = 1;", "k = 2;"),
    "one side locked": against(LOCKED, "n = 5;"),
    "different locks": against(LOCKED, "pthread_mutex_lock(&b); n++; pthread_mutex_unlock(&b);"),
    "atomic and not": "int k; " + against("__atomic_store_n(&k, 1, __ATOMIC_SEQ_CST);", "m = k;"),
    "atomic read and write": "int k; " + against("k = 1;", "m = __atomic_load_n(&k, __ATOMIC_SEQ_CST);"),
    "atomic block and read": against("__VERIFIER_atomic_begin(); n = 1; __VERIFIER_atomic_end();", "m = n;"),
    "write and atomic block": against("n = 1;", "__VERIFIER_atomic_begin(); m = n; __VERIFIER_atomic_end();"),
    "increment in a block": against(block("n++;"), "m = n;"),
    "read and write of a block": against(block("m = n; n = 1;"), "int r = n;"),
    "nested blocks": against(block(block("n++;") + " m++;"), "int r = n;"),
    "loop in a block": against(block("for (int i = 0; i < 2; i++) n++;"), "int r = n;"),
    "abort in a block": against(block("n++; if (n == 1) abort();"), "int r = n;"),
    "assumption in a block": "void __VERIFIER_assume(int); "
    + against(block("__VERIFIER_assume(n == 0); n = 1;"), "m = n;"),
    "element in a block": "int k[4]; int __VERIFIER_nondet_int(void); "
    + against("int i = __VERIFIER_nondet_int(); " + block("k[i & 3]++;"), "m = k[2];"),
    "members in a block": "struct { int a, b; } s; " + against(block("s.b = s.a + s.b;"), "m = s.b;"),
    "copy in a block": "struct { int a, b; } s, o; " + against(block("memcpy(&s, &o, sizeof s); s.b++;"), "m = s.b;"),
    "byte and word in a block": "union { char c; int i; } u; " + against(block("m = u.c; u.i = 5;"), "char r = u.c;"),
    "atomic function": "void __VERIFIER_atomic_f(void) { n++; } " + against("__VERIFIER_atomic_f();", "m = n;"),
    "function inside and outside": "int get(void) { return n; } " + against(block("n = get() + 1;"), "m = get();"),
    "pointer to a function in a block": "void f(void) { n++; } void g(void) { m++; } void (*h)(void) = f; "
    + against(block("if (m) h = g; h();"), "int r = n;"),
    "compare-exchange that succeeds": against("int e = 0; " + CAS, "m = n;"),
    "compare-exchange and write": against("int e = 7; " + CAS, "n = 0;"),
    "same element": "int k[4]; " + against("k[2] = 1;", "k[2] = 2;"),
    "same heap": """int *h; void *work(void *p) { *(int *)p = 1; return 0; }
        int main(void) { pthread_t t; h = malloc(4); pthread_create(&t, 0, work, h); *h = 2; pthread_join(t, 0); }""",
    "copy": "struct { int x, y; } s, o; " + against("s.y = 1;", "o = s;"),
    "fill": "int k[4]; " + against("k[3] = 1;", "memset(k, 0, sizeof k);"),
    "the thread's id": "pthread_t t; void *work(void *p) { return (void *)t; }"
    "int main(void) { pthread_create(&t, 0, work, 0); return 0; }",
    "what a thread returned": "void *r; void *work(void *p) { return 0; } void *other(void *p) { r = 0; return 0; }"
    "int main(void) { pthread_t t, u; pthread_create(&t, 0, work, 0); pthread_create(&u, 0, other, 0);"
    " pthread_join(t, &r); return 0; }",
}

NO_RACES = {
    "locked": against(LOCKED, LOCKED, "m = n;"),
    "after the join": against("n = 1;", "", "n = 2;"),
    "before the start": "void *work(void *p) { m = n; return 0; }"
    "int main(void) { pthread_t t; n = 1; pthread_create(&t, 0, work, 0); pthread_join(t, 0); }",
    "two reads": "int k = 1; " + against("int x = k;", "int x = k;", "k = 2;"),
    "atomic": "_Atomic int k; " + against("k = 1;", "m = k;"),
    "atomic blocks": against(*["__VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end();"] * 2),
    "read of the other member": "struct { int a, b; } s; " + against(block("s.b = s.a + s.b;"), "m = s.a;"),
    "atomic load and block": against(block("n = 1;"), "m = __atomic_load_n(&n, __ATOMIC_SEQ_CST);"),
    "atomic functions": "void __VERIFIER_atomic_f(void) { n++; } " + against(*["__VERIFIER_atomic_f();"] * 2),
    "compare-exchange that fails": against("int e = 7; " + CAS, "m = n;"),
    "different elements": "int k[4]; " + against("k[1] = 1;", "k[2] = 2;"),
    "different members": "struct { int x, y; } s; " + against("s.x = 1;", "s.y = 2;"),
    "thread-local": "_Thread_local int k; " + against("k = 1;", "k = 2;"),
    "failing assertion": against("", "assert(n == 1);"),
    "semaphore": "sem_t s; void *work(void *p) { n = 1; sem_post(&s); return 0; }"
    "int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, work, 0); sem_wait(&s); n = 2; }",
    "no threads": "int main(void) { n = 1; assert(n == 2); }",
}

OPPOSITE = "pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);"
ORDER = "pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);"

DEADLOCKS = {
    "opposite order": against(OPPOSITE, ORDER),
    "locked twice": "int main(void) { pthread_mutex_lock(&a); pthread_mutex_lock(&a); }",
    "never unlocked": against("pthread_mutex_lock(&a);", "", "pthread_mutex_lock(&a);"),
    "join under a lock": against(LOCKED, "pthread_mutex_lock(&a);", "pthread_mutex_unlock(&a);"),
    "lost signal": against(
        "pthread_mutex_lock(&a); n = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&a);",
        "pthread_mutex_lock(&a); pthread_cond_wait(&c, &a); pthread_mutex_unlock(&a);",
    ),
    "semaphore": "sem_t s; int main(void) { sem_init(&s, 0, 1); sem_wait(&s); sem_wait(&s); }",
    "barrier": "pthread_barrier_t r; int main(void) { pthread_barrier_init(&r, 0, 2); pthread_barrier_wait(&r); }",
    "read-write lock": "pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;"
    "int main(void) { pthread_rwlock_rdlock(&r); pthread_rwlock_wrlock(&r); }",
    "spin lock": "pthread_spinlock_t s; int main(void) { pthread_spin_init(&s, 0); pthread_spin_lock(&s);"
    " pthread_spin_lock(&s); }",
    "main has exited": "void *work(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&a); return 0; }"
    "int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_exit(0); }",
    "main exits last": "void *work(void *p) { pthread_mutex_lock(&a); return 0; }"
    "int main(void) { pthread_t t; pthread_mutex_lock(&a); pthread_create(&t, 0, work, 0); pthread_exit(0); }",
}

NO_DEADLOCKS = {
    "same order": against(ORDER, ORDER),
    "main returns": "void *work(void *p) { pthread_mutex_lock(&a); return 0; }"
    "int main(void) { pthread_t t; pthread_mutex_lock(&a); pthread_create(&t, 0, work, 0); return 0; }",
    "another goes on": "void *work(void *p) { pthread_mutex_lock(&a); return 0; }"
    "int main(void) { pthread_t t; pthread_mutex_lock(&a); pthread_create(&t, 0, work, 0); for (;;) n++; }",
    "condition": against(
        "pthread_mutex_lock(&a); n = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&a);",
        "pthread_mutex_lock(&a); if (!n) pthread_cond_wait(&c, &a); pthread_mutex_unlock(&a);",
    ),
    "try": against(LOCKED, "if (pthread_mutex_trylock(&a) == 0) pthread_mutex_unlock(&a);"),
    "recursive": "int main(void) { pthread_mutexattr_t x; pthread_mutexattr_init(&x);"
    " pthread_mutexattr_settype(&x, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&a, &x); pthread_mutex_lock(&a);"
    " pthread_mutex_lock(&a); }",
    "abort": against("abort();", "pthread_mutex_lock(&a); pthread_mutex_lock(&a);"),
    "semaphore": "sem_t s; void *work(void *p) { sem_post(&s); return 0; }"
    "int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, work, 0); sem_wait(&s); }",
    "barrier": "pthread_barrier_t r; void *work(void *p) { pthread_barrier_wait(&r); return 0; }"
    "int main(void) { pthread_t t; pthread_barrier_init(&r, 0, 2); pthread_create(&t, 0, work, 0);"
    " pthread_barrier_wait(&r); }",
    "failing assertion": "int main(void) { assert(n); }",
}


def verdict(tmp_path: Path, check: str, source: str) -> object:
    file = tmp_path / "program.c"
    file.write_text(HEAD + source, encoding="utf-8")
    threads = ThreadsOptions(contexts=(4,), unwind=2)
    return verify(
        str(file), Options(engine="threads", timelimit=60, workers=1, engines=(threads,), c=COptions(checks=(check,)))
    ).verdict


@pytest.mark.parametrize("name", RACES)
def test_race(name: str, tmp_path: Path) -> None:
    found = verdict(tmp_path, "data-race", RACES[name])
    assert isinstance(found, Unsafe), found
    assert "data race on" in found.trace.violated


@pytest.mark.parametrize("name", NO_RACES)
def test_no_race(name: str, tmp_path: Path) -> None:
    found = verdict(tmp_path, "data-race", NO_RACES[name])
    assert isinstance(found, Safe | BoundedSafe), found


@pytest.mark.parametrize("name", DEADLOCKS)
def test_deadlock(name: str, tmp_path: Path) -> None:
    found = verdict(tmp_path, "deadlock", DEADLOCKS[name])
    assert isinstance(found, Unsafe), found
    assert "deadlock" in found.trace.violated
    assert found.trace.location is None or found.trace.location.file.endswith("program.c")


@pytest.mark.parametrize("name", NO_DEADLOCKS)
def test_no_deadlock(name: str, tmp_path: Path) -> None:
    found = verdict(tmp_path, "deadlock", NO_DEADLOCKS[name])
    assert isinstance(found, Safe | BoundedSafe), found


def test_both_places_are_named(tmp_path: Path) -> None:
    found = verdict(tmp_path, "data-race", against("\nn = 1;", "\n\nm = n;"))
    assert isinstance(found, Unsafe)
    assert found.trace.location is not None
    first = HEAD.count("\n") + 2  # the line of the thread's write
    lines = sorted((found.trace.location.line, *map(int, re.findall(r"line (\d+)", found.trace.violated))))
    assert lines == [first, first + 3]
