"""How threads end before they return: pthread_exit, cancelling, and what cleans up after them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import UnsupportedError
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.verdict import BoundedSafe, Safe, Unsafe

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = """\
#include <assert.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>
int n;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t signal = PTHREAD_COND_INITIALIZER;
void unlock(void *p) { n++; pthread_mutex_unlock(p); }
"""
STARTED = "int main(void) { pthread_t t; void *r; pthread_create(&t, 0, work, &n); %s pthread_join(t, &r); %s }"

SAFE = {
    "through a pointer": """void stop(void) { pthread_exit((void *)1); } void go(void) { }
        void *work(void *p) { void (*f)(void) = p ? stop : go; f(); n = 1; return 0; }"""
    + STARTED % ("", "assert(n == 0 && r == (void *)1);"),
    "through a pointer, where a thread also begins": """
        void *stop(void *p) { if (p) pthread_exit(p); return 0; } void *(*f)(void *) = stop;
        void *work(void *p) { pthread_t u; pthread_create(&u, 0, stop, 0); f(p); n = 1; return 0; }"""
    + STARTED % ("", "assert(n == 0);"),
    "popped": "void *work(void *p) { pthread_mutex_lock(&lock); pthread_cleanup_push(unlock, &lock);"
    " pthread_cleanup_pop(1); return 0; }" + STARTED % ("", "pthread_mutex_lock(&lock); assert(n == 1);"),
    "popped, not called": "void *work(void *p) { pthread_cleanup_push(unlock, &lock); pthread_cleanup_pop(0);"
    " pthread_exit(0); }" + STARTED % ("", "assert(n == 0);"),
    "the last one first, from below": """
        void first(void *p) { assert(n == 1); n = 2; } void second(void *p) { assert(n == 0); n = 1; }
        void stop(int k) { pthread_cleanup_push(second, 0); if (k) pthread_exit((void *)7); pthread_cleanup_pop(0); }
        void *work(void *p) { pthread_cleanup_push(first, 0); stop(1); n = 5; pthread_cleanup_pop(0); return 0; }"""
    + STARTED % ("", "assert(n == 2 && r == (void *)7);"),
    "cancelled while it waits": """void *work(void *p) { pthread_mutex_lock(&lock); pthread_cleanup_push(unlock, &lock);
        pthread_cond_wait(&signal, &lock); assert(0); pthread_cleanup_pop(1); return 0; }"""
    + STARTED % ("pthread_cancel(t);", "pthread_mutex_lock(&lock); assert(n == 1 && r == PTHREAD_CANCELED);"),
    "not to be cancelled": """void *work(void *p) { int old; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        pthread_cancel(pthread_self()); pthread_testcancel(); n = 1; pthread_setcancelstate(old, 0);
        pthread_testcancel(); n = 2; return 0; }"""
    + STARTED % ("", "assert(n == 1);"),
    "threads.h": """mtx_t m; tss_t k; once_flag o = ONCE_FLAG_INIT; int begun; void begin(void) { begun++; }
        int add(void *p) { call_once(&o, begin); tss_set(k, p); struct timespec soon = {0};
          if (mtx_timedlock(&m, &soon) == thrd_success) { n++; mtx_unlock(&m); }
          assert(tss_get(k) == p); return begun; }
        int main(void) { thrd_t t; int r; mtx_init(&m, mtx_timed); tss_create(&k, 0); thrd_create(&t, add, &n); add(0);
          thrd_join(t, &r); assert(r == 1 && (n == 1 || n == 2)); }""",
}

UNSAFE = {
    "cancelled or not": "void *work(void *p) { pthread_testcancel(); return 0; }"
    + STARTED % ("pthread_cancel(t);", "assert(r != PTHREAD_CANCELED);"),
    "too late": "void *work(void *p) { pthread_testcancel(); return 0; }"
    + STARTED % ("pthread_cancel(t);", "assert(r == PTHREAD_CANCELED);"),
    "a lock that takes too long": "void *work(void *p) { struct timespec soon = {0};"
    " n = pthread_mutex_timedlock(&lock, &soon); return 0; }"
    + STARTED
    % ("pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock);", "assert(n == 0);"),
}


def check(tmp_path: Path, source: str) -> object:
    file = tmp_path / "t.c"
    file.write_text(HEAD + source)
    c = COptions(spurious_wakeups=False)
    return verify(
        str(file), Options(engine="threads", workers=1, engines=(ThreadsOptions(contexts=(2, 3, 4)),), c=c)
    ).verdict


@pytest.mark.parametrize("name", SAFE)
def test_safe(name: str, tmp_path: Path) -> None:
    assert isinstance(check(tmp_path, SAFE[name]), Safe | BoundedSafe)


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe(name: str, tmp_path: Path) -> None:
    assert isinstance(check(tmp_path, UNSAFE[name]), Unsafe)


@pytest.mark.parametrize("name", ["cancelled while it waits", "the last one first, from below"])
def test_safe_programs_reach_their_end(name: str, tmp_path: Path) -> None:
    assert isinstance(check(tmp_path, SAFE[name].replace("assert(n", "assert(0 && n")), Unsafe)


def test_cancelling_at_any_time_is_refused() -> None:
    work = "void *work(void *p) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); for (;;); }"
    with pytest.raises(UnsupportedError, match="at any time"):
        read_c({"t.c": (HEAD + work + STARTED % ("pthread_cancel(t);", "")).encode()})
    read_c({"t.c": (HEAD + work + STARTED % ("", "")).encode()})


def test_cancelling_and_deadlocks() -> None:
    source = (HEAD + UNSAFE["cancelled or not"]).encode()
    with pytest.raises(UnsupportedError, match="pthread_cancel"):
        read_c({"t.c": source}, COptions(checks=("deadlock",)))
