"""A bound on loops and recursion suffices, or an execution shows that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, UsageError, verify
from cleave.errors import UnsupportedError
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Safe, Unsafe, Verdict

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = "int nondet_int(void); int n;\n"
LOOPS = {  # each with the least bound that suffices
    "for": ("int main(void) { for (int i = 0; i < 3; i++) n++; }", 3),
    "do": ("int main(void) { int i = 0; do i++; while (i < 3); }", 2),
    "input": ("int main(void) { unsigned k = nondet_int(); while (k-- % 4) n++; }", 3),
    "nested": ("int main(void) { for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) n++; }", 3),
    "inner": ("int main(void) { for (int i = 0; i < 1; i++) for (int j = 0; j < 4; j++) n++; }", 4),
    "continue": ("int main(void) { for (int i = 0; i < 3; i++) { if (nondet_int()) continue; n++; } }", 3),
    "goto": ("int main(void) { again: if (n++ < 2) goto again; }", 2),
    "recursion": ("void f(int k) { if (k) f(k - 1); } int main(void) { f(2); }", 2),
    "mutual": ("void g(int); void f(int k) { if (k) g(k - 1); } void g(int k) { f(k); } int main(void) { f(2); }", 2),
    "twice": ("void f(int k) { if (k) { f(k - 1); f(k - 1); } } int main(void) { f(2); f(1); }", 2),
}


def verdict(text: str, bound: int | None, folder: Path, engine: str = "inline") -> Verdict:
    file = folder / "x.c"
    file.write_text(HEAD + text)
    c = COptions(checks=("unwinding",), loop_bound=bound)
    return verify(str(file), Options(engine=engine, c=c, timelimit=60, workers=1, journal=None)).verdict


@pytest.mark.parametrize("name", LOOPS)
def test_the_least_bound(name: str, tmp_path: Path) -> None:
    text, least = LOOPS[name]
    assert isinstance(verdict(text, least, tmp_path), Safe | BoundedSafe)
    found = verdict(text, least - 1, tmp_path)
    assert isinstance(found, Unsafe)
    assert f"more than {least - 1}" in found.trace.violated


@pytest.mark.parametrize("engine", ["pdr", "cegar", "threads"])
def test_other_engines(engine: str, tmp_path: Path) -> None:
    text, least = LOOPS["input"]
    assert isinstance(verdict(text, least, tmp_path, engine), Safe | BoundedSafe)
    assert isinstance(verdict(text, least - 1, tmp_path, engine), Unsafe)


def test_a_bound_is_needed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--loop-bound"):
        verdict(LOOPS["for"][0], None, tmp_path)


def test_recursion_in_threads_is_refused(tmp_path: Path) -> None:
    text = (
        "#include <pthread.h>\nvoid *f(void *p) { return p ? f(0) : p; }"
        " int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); }"
    )
    with pytest.raises(UnsupportedError, match="without threads"):
        verdict(text, 3, tmp_path, "threads")
