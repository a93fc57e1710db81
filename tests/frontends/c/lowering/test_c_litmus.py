"""Litmus tests in C, for TSO and PSO: what orders, fences and exchanges of C promise, by engine and checker alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.unfolding.instances import unfold
from cleave.errors import UsageError
from cleave.frontends.c.options import COptions
from cleave.frontends.input import read_input
from cleave.ir.program import Program
from cleave.validate.proofs.schedules.check import Claim, checked
from cleave.validate.proofs.second_solver import MINISAT
from cleave.validate.violations.concurrent import replay
from cleave.verdict import BoundedSafe, Safe, Unsafe
from support.concurrent_programs import violating_schedule

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

MODELS = ("tso", "pso")
HEAD = """\
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y; int p, q; int r, s = 9, t = 9, u;
#define W(A, N) atomic_store_explicit(&A, N, memory_order_relaxed)
#define REL(A, N) atomic_store_explicit(&A, N, memory_order_release)
#define R(A) atomic_load_explicit(&A, memory_order_relaxed)
#define X(A, N) atomic_exchange_explicit(&A, N, memory_order_relaxed)
#define FULL atomic_thread_fence(memory_order_seq_cst)
#define STORES atomic_thread_fence(memory_order_release)
#define SIGNAL atomic_signal_fence(memory_order_seq_cst)
#define THREAD(N, CODE) void *N(void *unused) { CODE; return 0; }
"""
START = "pthread_t {0}_id; pthread_create(&{0}_id, 0, {0}, 0);"
# The threads; what is asserted after them; the models in which that fails.
LITMUS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "SB": (("W(x, 1); r = R(y)", "W(y, 1); s = R(x)"), "r || s", "tso pso"),
    "SB, plain": (("p = 1; r = q", "q = 1; s = p"), "r || s", "tso pso"),
    "SB, seq_cst": (("x = 1; r = y", "y = 1; s = x"), "r || s", ""),
    "SB, seq_cst in one": (("x = 1; r = y", "W(y, 1); s = R(x)"), "r || s", "tso pso"),
    "SB, fences": (("W(x, 1); FULL; r = R(y)", "W(y, 1); FULL; s = R(x)"), "r || s", ""),
    "SB, mfence": (('W(x, 1); __asm__ volatile("mfence" ::: "memory"); r = R(y)', "y = 1; s = x"), "r || s", ""),
    "SB, signal fences": (("W(x, 1); SIGNAL; r = R(y)", "W(y, 1); SIGNAL; s = R(x)"), "r || s", "tso pso"),
    "SB, exchanges": (("X(x, 1); r = R(y)", "X(y, 1); s = R(x)"), "r || s", ""),
    "MP": (("W(x, 1); W(y, 1)", "r = R(y); s = R(x)"), "!r || s", "pso"),
    "MP, release": (("W(x, 1); REL(y, 1)", "r = R(y); s = R(x)"), "!r || s", ""),
    "MP, fence": (("p = 1; STORES; W(y, 1)", "r = R(y); s = p"), "!r || s", ""),
    "LB": (("r = R(x); W(y, 1)", "s = R(y); W(x, 1)"), "!r || !s", ""),
    "2+2W": (("W(x, 1); W(y, 2)", "W(y, 1); W(x, 2)"), "x != 1 || y != 1", "pso"),
    "R": (("W(x, 1); W(y, 1)", "W(y, 2); s = R(x)"), "y != 2 || s", "tso pso"),
    "S": (("W(x, 2); W(y, 1)", "r = R(y); W(x, 1)"), "!r || x != 2", "pso"),
    "CoRR": (("W(x, 1)", "r = R(x); s = R(x)"), "!r || s", ""),
    "WRC": (("W(x, 1)", "r = R(x); W(y, 1)", "s = R(y); t = R(x)"), "!r || s != 1 || t", ""),
    "IRIW": (("W(x, 1)", "W(y, 1)", "r = R(x); s = R(y)", "t = R(y); u = R(x)"), "!(r && !s && t == 1 && !u)", ""),
}


def source(threads: tuple[str, ...], asserted: str) -> str:
    names = [f"thread{number}" for number in range(len(threads))]
    code = "".join(f"THREAD({name}, {body})\n" for name, body in zip(names, threads, strict=True))
    starts = " ".join(START.format(name) for name in names)
    joins = " ".join(f"pthread_join({name}_id, 0);" for name in names)
    return f"{HEAD}{code}int main(void) {{ {starts} {joins} assert({asserted}); }}\n"


def lowered(tmp_path: Path, text: str, model: str) -> tuple[Program, str]:
    file = tmp_path / "litmus.c"
    file.write_text(text, encoding="utf-8")
    options = COptions(memory_model="tso" if model == "tso" else "pso", checks=("assertions",))
    found = read_input(str(file), c=options)
    return found.program, next(name for name, one in found.program.procedures.items() if one.is_entry)


@contextmanager
def unguarded(_interrupt: Callable[[], None]) -> Iterator[None]:
    yield


@pytest.mark.parametrize("name", LITMUS)
def test_litmus(name: str, tmp_path: Path) -> None:
    threads, asserted, failing = LITMUS[name]
    text = source(threads, asserted)
    for model in MODELS:
        program, entry = lowered(tmp_path, text, model)
        assert entry == "main"
        contexts, violated = len(threads) + 2, model in failing.split()
        schedule = violating_schedule(program, contexts)
        assert (schedule is not None) == violated
        if schedule is not None:
            assert replay(program, entry, schedule).holds
        shape = [thread.shape for thread in unfold(program, entry, 3).threads]
        outcome = checked(Claim(program, entry, shape, 3, contexts), MINISAT, 60, unguarded)
        assert (outcome.holds, outcome.is_wrong) == (not violated, violated)


# --- the verdict ------------------------------------------------------------------------------------------------------


def options(model: str, *checks: str) -> Options:
    c = COptions(memory_model="tso" if model == "tso" else "pso", checks=checks or ("assertions",))
    return Options(engine="threads", timelimit=60, workers=1, engines=(ThreadsOptions(contexts=(4,), unwind=2),), c=c)


def test_the_result_says_the_model_and_what_came_late(tmp_path: Path) -> None:
    file = tmp_path / "mp.c"
    file.write_text(source(*LITMUS["MP"][:2]), encoding="utf-8")
    allowed, forbidden = verify(str(file), options("pso")), verify(str(file), options("tso"))
    assert isinstance(allowed.verdict, Unsafe)
    assert any("x = 1 of thread 1 reaches memory after" in reason for reason in allowed.verdict.trace.reasons)
    assert any("memory is PSO" in sentence for sentence in allowed.assumptions)
    assert isinstance(forbidden.verdict, Safe | BoundedSafe)
    assert any("memory is TSO" in sentence for sentence in forbidden.assumptions)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    with pytest.raises(UsageError, match="is for programs with threads"):
        verify(str(file), Options(c=COptions(memory_model="tso")))
    file.write_text(source(*LITMUS["MP"][:2]), encoding="utf-8")
    with pytest.raises(UsageError, match="--check data-race looks at sequentially consistent executions"):
        verify(str(file), options("tso", "data-race"))
