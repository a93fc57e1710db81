"""Small programs with POSIX threads and their verdicts, through the whole flow: every `unsafe` replays."""

from __future__ import annotations

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
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
int n, m, done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
"""

TWICE = """
int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
  pthread_join(a, 0); pthread_join(b, 0); assert(n == 2); }"""

AGAINST = """
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); %s pthread_join(t, 0); %s }"""

SAFE = {
    "mutex": "void *work(void *p) { pthread_mutex_lock(&lock); n++; pthread_mutex_unlock(&lock); return 0; }" + TWICE,
    "atomic increment": "_Atomic int k; void *work(void *p) { k++; n = k; return 0; }"
    + AGAINST % ("k++;", "assert(k == 2);"),
    "own locals": """void *work(void *p) { int x = 0, y = 0; *(p ? &x : &y) = 1; assert(x + y == 1); return 0; }"""
    + AGAINST % ("work(&n);", ""),
    "old builtins": "void *work(void *p) { __sync_fetch_and_add(&n, 1); return 0; }" + TWICE,
    "new builtins": "void *work(void *p) { __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST); return 0; }" + TWICE,
    "compare and exchange": """void *work(void *p) { int old = 0; if (atomic_compare_exchange_strong((_Atomic int *)&n,
        &old, 1)) m++; return 0; }"""
    + AGAINST
    % ("int old = 0; if (atomic_compare_exchange_strong((_Atomic int *)&n, &old, 1)) m++;", "assert(m == 1);"),
    "atomic block": """void *work(void *p) { __VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end(); return 0; }"""
    + TWICE,
    "atomic function": """void __VERIFIER_atomic_add(void) { n = n + 1; }
        void *work(void *p) { __VERIFIER_atomic_add(); return 0; }"""
    + TWICE,
    "own lock": """int held; void __VERIFIER_atomic_take(void) { __VERIFIER_assume(held == 0); held = 1; }
        void *work(void *p) { __VERIFIER_atomic_take(); n++; held = 0; return 0; }"""
    + TWICE,
    "condition": """pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        void *work(void *p) { pthread_mutex_lock(&lock); n = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&lock);
        return 0; }"""
    + AGAINST
    % (
        """pthread_mutex_lock(&lock); while (n == 0) pthread_cond_wait(&c, &lock); assert(n == 1);
        pthread_mutex_unlock(&lock);""",
        "",
    ),
    "detached once": "void *work(void *p) { return 0; }" + AGAINST % ("assert(pthread_detach(t) == 0);", ""),
    "semaphore": """sem_t s; void *work(void *p) { n = 1; sem_post(&s); return 0; }
        int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, work, 0); sem_wait(&s);
        assert(n == 1 && sem_trywait(&s) != 0); }""",
    "barrier": """pthread_barrier_t b; void *work(void *p) { n = 1; pthread_barrier_wait(&b); return 0; }
        int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, work, 0);
        pthread_barrier_wait(&b); assert(n == 1); }""",
    "writer": """pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        void *work(void *p) { pthread_rwlock_wrlock(&l); n++; n++; pthread_rwlock_unlock(&l); return 0; }"""
    + AGAINST % ("pthread_rwlock_rdlock(&l); assert(n % 2 == 0); pthread_rwlock_unlock(&l);", ""),
    "spin lock": """pthread_spinlock_t l; void *work(void *p) { pthread_spin_lock(&l); n++; pthread_spin_unlock(&l);
        return 0; }"""
    + TWICE,
    "once": """pthread_once_t o = PTHREAD_ONCE_INIT; void init(void) { n++; }
        void *work(void *p) { pthread_once(&o, init); assert(n == 1); return 0; }"""
    + AGAINST % ("pthread_once(&o, init); assert(n == 1);", ""),
    "recursive mutex": """pthread_mutex_t r;
        void *work(void *p) { pthread_mutex_lock(&r); pthread_mutex_lock(&r); n++; pthread_mutex_unlock(&r);
        n++; pthread_mutex_unlock(&r); return 0; }
        int main(void) { pthread_t t; pthread_mutexattr_t a; pthread_mutexattr_init(&a);
        pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&r, &a);
        pthread_create(&t, 0, work, 0); pthread_mutex_lock(&r); assert(n != 1); pthread_mutex_unlock(&r); }""",
    "trylock": """void *work(void *p) { if (pthread_mutex_trylock(&lock) == 0) { n++; pthread_mutex_unlock(&lock); }
        return 0; }"""
    + AGAINST % ("pthread_mutex_lock(&lock); int k = n; assert(k == n); pthread_mutex_unlock(&lock);", ""),
    "argument and result": """void *work(void *p) { int *q = malloc(sizeof *q); *q = *(int *)p + 1; return q; }
        int main(void) { pthread_t a, b; int x = 5, y = 7; void *r, *s; pthread_create(&a, 0, work, &x);
        pthread_create(&b, 0, work, &y); pthread_join(a, &r); pthread_join(b, &s);
        assert(*(int *)r == 6 && *(int *)s == 8); }""",
    "exit": """void *work(void *p) { if (p) pthread_exit((void *)3); return (void *)4; }
        int main(void) { pthread_t t; void *r; pthread_create(&t, 0, work, &n); pthread_join(t, &r);
        assert(r == (void *)3); }""",
    "exit below": """void stop(int k) { if (k) pthread_exit((void *)3); }
        void *deeper(void *p) { stop(0); n = 1; stop(1); n = 2; return 0; } void *work(void *p) { return deeper(p); }
        int main(void) { pthread_t t; void *r; pthread_create(&t, 0, work, 0); pthread_join(t, &r); stop(0);
        assert(r == (void *)3 && n == 1); }""",
    "main exits below": "void stop(void) { pthread_exit(0); } void *work(void *p) { return 0; }"
    + AGAINST % ("stop();", "assert(0);"),
    "number as argument": """void *work(void *p) { assert((long)p == 17); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, work, (void *)17); pthread_join(t, 0); }""",
    "started through a pointer": """void *one(void *p) { n = 1; return 0; } void *two(void *p) { n = 2; return 0; }
        void *(*table[])(void *) = {one, two};
        int main(void) { pthread_t t; int i = n; pthread_create(&t, 0, table[i + 1], 0); pthread_join(t, 0);
        assert(n == 2); }""",
    "thread-local": "_Thread_local int own = 3; void *work(void *p) { own++; n = own; return 0; }"
    + AGAINST % ("own += 2; assert(own == 5);", "assert(n == 4 && own == 5);"),
    "specific": """pthread_key_t k; void *work(void *p) { pthread_setspecific(k, &n); return 0; }
        int main(void) { pthread_t t; pthread_key_create(&k, 0); pthread_create(&t, 0, work, 0); pthread_join(t, 0);
        assert(pthread_getspecific(k) == 0); }""",
    "locals are each thread's": """int inc(int *p) { *p = *p + 1; return *p; }
        void *work(void *p) { int mine = 0; inc(&mine); inc(&mine); assert(mine == 2); return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0); work(0); }""",
    "heaps are apart": """void *work(void *p) { int *q = malloc(4); *q = 1; assert(*q == 1); return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, work, 0); int *q = malloc(4); *q = 2; assert(*q == 2); }""",
    "self": """void *work(void *p) { assert(!pthread_equal(pthread_self(), *(pthread_t *)p)); return 0; }
        int main(void) { pthread_t t, me = pthread_self(); pthread_create(&t, 0, work, &me); assert(t != me); }""",
    "a statement in its own thread": """void work(int k) { n = k; }
        int main(void) { int k = 3, *p = &m; __CPROVER_ASYNC_1: { int mine = k; k = 9; work(mine); *p = 1; done = 1; }
        k = 4; __VERIFIER_assume(done); assert(n == 3 && k == 4 && m == 1); }""",
    "fences": """void *work(void *p) { n = 1; __asm__ volatile("mfence" ::: "memory"); m = 1; return 0; }"""
    + AGAINST % ("int b = m, a = n; assert(a >= b);", ""),
    "main exits": "void *work(void *p) { return 0; }" + AGAINST % ("pthread_exit(0);", "assert(0);"),
}

UNSAFE = {
    "lost update": "void *work(void *p) { n++; return 0; }" + TWICE,
    "two locks": """void *work(void *p) { pthread_mutex_t *l = p; pthread_mutex_lock(l); n++; pthread_mutex_unlock(l);
        return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, work, &lock); pthread_create(&b, 0, work, &other);
        pthread_join(a, 0); pthread_join(b, 0); assert(n == 2); }""",
    "no join": "void *work(void *p) { n = 1; return 0; }" + AGAINST % ("assert(n == 1);", ""),
    "two reads of one expression": "void *work(void *p) { n = 1; return 0; }" + AGAINST % ("assert(n == n);", ""),
    "a copy is not atomic": """struct s { int a, b; } x, y = {1, 1};
        void *work(void *p) { x = y; return 0; }"""
    + AGAINST % ("int b = x.b, a = x.a; assert(!(a == 1 && b == 0));", ""),
    "read before the lock": """void *work(void *p) { int k = n; pthread_mutex_lock(&lock); n = k + 1;
        pthread_mutex_unlock(&lock); return 0; }"""
    + TWICE,
    "atomic load and store": """_Atomic int k; void *work(void *p) { k = k + 1; return 0; }"""
    + AGAINST % ("k = k + 1;", "assert(k == 2);"),
    "readers do not exclude": """pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        void *work(void *p) { pthread_rwlock_rdlock(&l); n++; pthread_rwlock_unlock(&l); return 0; }"""
    + TWICE,
    "semaphore of two": """sem_t s; void *work(void *p) { sem_wait(&s); n++; sem_post(&s); return 0; }
        int main(void) { pthread_t a, b; sem_init(&s, 0, 2); pthread_create(&a, 0, work, 0);
        pthread_create(&b, 0, work, 0); pthread_join(a, 0); pthread_join(b, 0); assert(n == 2); }""",
    "signal": """pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        void *work(void *p) { pthread_mutex_lock(&lock); n = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&lock);
        return 0; }"""
    + AGAINST % ("pthread_mutex_lock(&lock); if (n == 0) { pthread_cond_wait(&c, &lock); assert(0); }", ""),
    "wakeup without a signal": """pthread_cond_t c = PTHREAD_COND_INITIALIZER; void *work(void *p) { return 0; }"""
    + AGAINST % ("pthread_mutex_lock(&lock); pthread_cond_wait(&c, &lock); assert(0);", ""),
    "late without a signal": """pthread_cond_t c = PTHREAD_COND_INITIALIZER; void *work(void *p) { return 0; }"""
    + AGAINST % ("pthread_mutex_lock(&lock); if (pthread_cond_timedwait(&c, &lock, 0) == 0) assert(0);", ""),
    "detached after it was joined": "void *work(void *p) { return 0; }"
    + AGAINST % ("", "assert(pthread_detach(t) == 0);"),
    "joined after it was detached": "void *work(void *p) { return 0; }"
    + AGAINST % ("pthread_detach(t); assert(pthread_join(t, 0) == 0);", ""),
    "a weak exchange may fail": "void *work(void *p) { return 0; }"
    + AGAINST % ("int e = 0; assert(__atomic_compare_exchange_n(&n, &e, 1, 1, 5, 5));", ""),
    "destructor": """pthread_key_t k; void end(void *v) { assert((long)v != 42); }
        void *work(void *p) { pthread_setspecific(k, (void *)42); return 0; }
        int main(void) { pthread_t t; pthread_key_create(&k, end); pthread_create(&t, 0, work, 0);
        pthread_join(t, 0); }""",
    "a statement in its own thread shares what has an address": """void work(int *p) { *p = 42; }
        int main(void) { int a = 0; __CPROVER_ASYNC_1: work(&a); assert(a == 0); }""",
    "main exits, others go on": "void *work(void *p) { assert(0); return 0; }" + AGAINST % ("pthread_exit(0);", ""),
}


SIGNALLED = {  # safe only if waiting ends with a signal
    "no wakeup without a signal": """pthread_cond_t c; void *work(void *p) { pthread_mutex_lock(&lock); n = 1;
        pthread_mutex_unlock(&lock); return 0; }"""
    + AGAINST % ("pthread_cond_init(&c, 0); pthread_mutex_lock(&lock); pthread_cond_wait(&c, &lock); assert(0);", ""),
    "a signal is not for who comes later": """pthread_cond_t c; int waits, got;
        void *first(void *p) { pthread_mutex_lock(&lock); waits = 1; pthread_cond_wait(&c, &lock); got = 1;
          pthread_mutex_unlock(&lock); return 0; }
        void *later(void *p) { pthread_mutex_lock(&lock); if (n) { pthread_cond_wait(&c, &lock); assert(0); }
          pthread_mutex_unlock(&lock); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, later, 0);
        pthread_mutex_lock(&lock); if (waits) { pthread_cond_signal(&c); n = 1; } pthread_mutex_unlock(&lock);
        pthread_join(t, 0); }""",
}


def check(tmp_path: Path, source: str, bits: int = 64, *, spurious: bool = True) -> object:
    file = tmp_path / "program.c"
    file.write_text(HEAD + source, encoding="utf-8")
    threads = ThreadsOptions(contexts=(5,), unwind=2)
    c = COptions(bits=32 if bits == 32 else 64, spurious_wakeups=spurious, checks=("assertions",))
    return verify(str(file), Options(engine="threads", timelimit=60, workers=1, engines=(threads,), c=c)).verdict


@pytest.mark.parametrize("name", SAFE)
def test_safe(name: str, tmp_path: Path) -> None:
    verdict = check(tmp_path, SAFE[name])
    assert isinstance(verdict, Safe | BoundedSafe), verdict


ENDLESS = {"main exits", "main exits below"}  # main does not come to its end


@pytest.mark.parametrize("name", sorted(SAFE.keys() - ENDLESS))
def test_safe_programs_reach_their_end(name: str, tmp_path: Path) -> None:
    source = SAFE[name].rstrip().removesuffix("}")
    verdict = check(tmp_path, f"{source} assert(0); }}")
    assert isinstance(verdict, Unsafe), verdict
    assert verdict.trace.violated.startswith("assertion 0")


@pytest.mark.parametrize("name", ["mutex", "condition", "barrier", "recursive mutex", "argument and result"])
def test_32_bit(name: str, tmp_path: Path) -> None:
    assert isinstance(check(tmp_path, SAFE[name], bits=32), Safe | BoundedSafe)


@pytest.mark.parametrize("name", SIGNALLED)
def test_waiting_that_ends_with_a_signal_only(name: str, tmp_path: Path) -> None:
    assert isinstance(check(tmp_path, SIGNALLED[name]), Unsafe)
    assert isinstance(check(tmp_path, SIGNALLED[name], spurious=False), Safe | BoundedSafe)


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe(name: str, tmp_path: Path) -> None:
    verdict = check(tmp_path, UNSAFE[name])
    assert isinstance(verdict, Unsafe), verdict
