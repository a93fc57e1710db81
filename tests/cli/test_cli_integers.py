"""``--integers math``: what is assumed, what is proved, and that a violation is one of the program with its bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cleave.cli.main import main
from cleave.ir.integers import UNBOUNDED_ASSUMPTION

NONDET = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
LARGER = NONDET + "int main(void) { int x = __VERIFIER_nondet_int(); if (x + 1 <= x) reach_error(); return 0; }\n"
COUNTED = NONDET + (
    "int main(void) { int n = __VERIFIER_nondet_int(), i = 0; if (n < 0) return 0;\n"
    "  while (i < n) i++;\n  if (i != n) reach_error(); return 0; }\n"
)
EVEN = NONDET + (
    "int main(void) { unsigned x = 10; while (__VERIFIER_nondet_int()) x += 2;\n"
    "  if (x % 2) reach_error(); return 0; }\n"
)
WRONG = NONDET + "int main(void) { int x = __VERIFIER_nondet_int(); if (x / 2 == 21) reach_error(); return 0; }\n"
THREADS = "#include <pthread.h>\nvoid *f(void *p) { return p; }\n" + (
    "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n"
)


def verify(
    folder: Path, source: str, capsys: pytest.CaptureFixture[str], *options: str, name: str = "small.c"
) -> dict[str, Any]:
    file = folder / name
    file.write_text(source)
    main(["verify", str(file), "--json", "--quiet", "--workers", "1", "--timelimit", "60", *options])
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[0])
    return found


@pytest.mark.parametrize("engine", ["pdr", "cegar", "inline"])
def test_what_could_overflow_is_safe_under_an_assumption(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = verify(tmp_path, LARGER, capsys, "--engine", engine, "--check", "assertions", "--integers", "math")
    assert (found["verdict"], found["assumptions"]) == ("safe", [UNBOUNDED_ASSUMPTION])


def test_with_its_bits_it_is_unsafe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = verify(tmp_path, LARGER, capsys, "--engine", "pdr")
    assert (found["verdict"], found["assumptions"]) == ("unsafe", [])


@pytest.mark.parametrize("engine", ["pdr", "cegar"])
def test_nothing_is_assumed_where_it_is_proved_that_nothing_overflows(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "found.smt2"
    options = ("--engine", engine, "--integers", "math", "--invariant", str(written))
    found = verify(tmp_path, COUNTED, capsys, *options)
    assert (found["verdict"], found["assumptions"]) == ("safe", [])
    assert "that no operation overflows" in found["validation"]
    assert "Int" in written.read_text()
    assert "BitVec" not in written.read_text()


@pytest.mark.parametrize(("engine", "source"), [("pdr", EVEN), ("cegar", COUNTED)])
def test_integers_that_wrap_around_assume_nothing(
    engine: str, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--engine", engine, "--integers", "exact")
    found = verify(tmp_path, source, capsys, *options)
    assert (found["verdict"], found["assumptions"]) == ("safe", [])
    assert verify(tmp_path, LARGER, capsys, *options)["verdict"] == "unsafe"


@pytest.mark.parametrize("engine", ["pdr", "inline"])
def test_a_violation_is_replayed_with_bits(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = verify(tmp_path, WRONG, capsys, "--engine", engine, "--integers", "math")
    assert (found["verdict"], found["validation"], found["assumptions"]) == ("unsafe", "replayed", [])


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    [
        ("a.bpl", "procedure main() { assert true; }", "--integers is for programs in C"),
        ("a.smt2", "(set-logic HORN)\n(check-sat)\n", "--integers is for programs in C"),
        ("a.c", THREADS, "--integers is for sequential programs"),
    ],
)
def test_elsewhere_it_is_refused(
    name: str, source: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in verify(tmp_path, source, capsys, "--integers", "math", name=name)["error"]


@pytest.mark.parametrize("integers", ["math", "exact"])
def test_the_threads_engine_claims_nothing_about_integers(
    integers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of a program without threads: it computes with bits, and checks no overflow."""
    found = verify(tmp_path, LARGER, capsys, "--engine", "threads", "--integers", integers)
    assert "the engine threads computes with bits" in found["error"]


def test_clauses_over_integers_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "count.c"
    file.write_text(COUNTED)
    assert main(["horn", str(file), "--integers", "math"]) == 0
    printed = capsys.readouterr().out
    assert "BitVec" not in printed
    assert "(<= (- 2147483648)" in printed
    (tmp_path / "a.bpl").write_text("procedure main() { assert true; }")
    assert main(["horn", str(tmp_path / "a.bpl"), "--integers", "math"]) == 1
