"""Reads of what was never set are found, others are not reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import InlineOptions, Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe, Verdict
from support.c_programs import SmallProgram, small_programs

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

PROGRAMS = small_programs(Path(__file__).with_name("programs") / "uninitialised.c")


def verdict(text: str, folder: Path, engine: str = "inline") -> Verdict:
    file = folder / "program.c"
    file.write_text(text)
    own = (InlineOptions(bounds=(6,)),) if engine == "inline" else ()
    c = COptions(checks=("uninitialised",), malloc_may_fail=False)
    return verify(str(file), Options(engine=engine, engines=own, c=c, timelimit=60, workers=1, journal=None)).verdict


def check(program: SmallProgram, found: Verdict) -> None:
    if program.expected == "safe":
        assert isinstance(found, Safe | BoundedSafe), f"{program.name}: {found}"
    elif program.expected == "unknown":
        assert isinstance(found, Unknown), f"{program.name}: {found}"
        assert "passed by value" in found.detail
    else:
        assert isinstance(found, Unsafe), f"{program.name}: {found}"
        assert found.trace.check is not None
        assert found.trace.check.property == "uninitialised"


def test_there_are_enough() -> None:
    assert min(sum(one.expected == word for one in PROGRAMS) for word in ("safe", "unsafe")) >= 20


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_small_programs(program: SmallProgram, tmp_path: Path) -> None:
    check(program, verdict(program.text, tmp_path))


@pytest.mark.parametrize("engine", ["pdr", "cegar", "threads"])
@pytest.mark.parametrize("name", ["set_on_one_way", "set_on_both_ways"])
def test_other_engines(name: str, engine: str, tmp_path: Path) -> None:
    program = next(one for one in PROGRAMS if one.name == name)
    check(program, verdict(program.text, tmp_path, engine))


def test_what_a_function_without_a_body_sets(tmp_path: Path) -> None:
    found = verdict("extern void set(int *); int main(void) { int x; set(&x); return x; }", tmp_path)
    assert isinstance(found, Unknown)
    assert "what set does" in found.detail
