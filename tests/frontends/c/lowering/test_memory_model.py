"""A verdict says for which memory model it holds, and is none where that could change it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.engines.threads.options import ThreadsOptions
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Unsafe

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

STORE_BUFFERING = """\
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y; int r, s;
void *one(void *a) {{ atomic_store_explicit(&x, 1, {0}); r = atomic_load_explicit(&y, {1}); return 0; }}
void *two(void *a) {{ atomic_store_explicit(&y, 1, {0}); s = atomic_load_explicit(&x, {1}); return 0; }}
int main(void) {{ pthread_t t, u; pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0);
  pthread_join(t, 0); pthread_join(u, 0); assert({2}); }}
"""
OPERATIONS = {
    "load": "__atomic_load_n(&n, {})",
    "store": "__atomic_store_n(&n, 1, {})",
    "add": "__atomic_fetch_add(&n, 1, {})",
    "exchange": "__atomic_compare_exchange_n(&n, &e, 1, 0, {}, __ATOMIC_RELAXED)",
}


def buffering(store: str, load: str, asserted: str) -> str:
    return STORE_BUFFERING.format(f"memory_order_{store}", f"memory_order_{load}", asserted)


def checked(tmp_path: Path, source: str, c: COptions, *, task: bool = False) -> Result:
    file = tmp_path / "program.c"
    file.write_text(source, encoding="utf-8")
    options = Options(
        engine="threads", timelimit=60, workers=1, engines=(ThreadsOptions(contexts=(4,), unwind=2),), c=c
    )
    if not task:
        return verify(str(file), options)
    definition = tmp_path / "program.yml"
    definition.write_text(
        "format_version: '2.0'\ninput_files: program.c\nproperties:\n  - property_file: unreach-call.prp\n"
        "    expected_verdict: true\n"
    )
    return verify(str(definition), replace(options, c=replace(c, checks=None)))


@pytest.mark.parametrize("orders", [("relaxed", "relaxed"), ("release", "acquire"), ("seq_cst", "acquire")])
def test_a_proof_about_weaker_atomics_needs_a_memory_model(orders: tuple[str, str], tmp_path: Path) -> None:
    source = buffering(*orders, "r == 1 || s == 1")
    found = checked(tmp_path, source, COptions())
    assert isinstance(found.verdict, Unknown)
    assert found.verdict.reason is Reason.UNMODELLED
    assert "--memory-model sc" in found.verdict.detail
    assert f"{tmp_path}/program.c:5" in found.verdict.detail
    chosen = checked(tmp_path, source, COptions(memory_model="sc"))
    assert isinstance(chosen.verdict, Safe | BoundedSafe)
    assert any("sequentially consistent (--memory-model sc)" in sentence for sentence in chosen.assumptions)


def test_a_violation_needs_none(tmp_path: Path) -> None:
    source = buffering("relaxed", "relaxed", "r == 1 && s == 1")
    assert isinstance(checked(tmp_path, source, COptions()).verdict, Unsafe)


def test_a_task_chooses_sequential_consistency(tmp_path: Path) -> None:
    source = buffering("relaxed", "relaxed", "r == 1 || s == 1")
    assert isinstance(checked(tmp_path, source, COptions(), task=True).verdict, Safe | BoundedSafe)


def test_sequentially_consistent_atomics_need_no_data_race(tmp_path: Path) -> None:
    source = buffering("seq_cst", "seq_cst", "r == 1 || s == 1")
    found = checked(tmp_path, source, COptions())
    assert isinstance(found.verdict, Safe | BoundedSafe)
    assert any("if there are no data races" in sentence for sentence in found.assumptions)
    races = checked(tmp_path, source, COptions(checks=("data-race",)))
    assert isinstance(races.verdict, Safe | BoundedSafe)
    assert not any("consistent" in sentence for sentence in races.assumptions)


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_counts(name: str, tmp_path: Path) -> None:
    called = OPERATIONS[name].format("__ATOMIC_RELAXED" if name != "exchange" else "__ATOMIC_SEQ_CST")
    source = f"""#include <pthread.h>
int n; void *work(void *p) {{ int e = 0; {called}; return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); return 0; }}"""
    assert isinstance(checked(tmp_path, source, COptions()).verdict, Unknown)
