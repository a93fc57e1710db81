"""Where objects lie is left to compilers and systems: a verdict that needs more than alignment, and that living objects
do not overlap, is `unknown` and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, Result, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown
from support.c_programs import SmallProgram, small_programs

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

PROGRAMS = small_programs(Path(__file__).with_name("programs") / "addresses.c")
BY_NAME = {one.name: one for one in PROGRAMS}


def result(program: SmallProgram, folder: Path, engine: str, c: COptions | None = None) -> Result:
    file = folder / "program.c"
    file.write_text(program.text)
    return verify(str(file), Options(engine=engine, c=c or COptions(), timelimit=60, workers=1))


def check(program: SmallProgram, found: Result) -> None:
    if program.expected == "safe":
        assert isinstance(found.verdict, Safe | BoundedSafe), found.verdict
    else:
        assert isinstance(found.verdict, Unknown), found.verdict
        assert found.verdict.reason is Reason.UNMODELLED
        assert "where the compiler and the system place objects in memory" in found.verdict.detail


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_small_programs(program: SmallProgram, tmp_path: Path) -> None:
    check(program, result(program, tmp_path, "inline"))


@pytest.mark.parametrize("name", ["parity_global", "order_globals", "tag"])
@pytest.mark.parametrize("engine", ["inline", "pdr", "cegar"])
def test_engines_agree(name: str, engine: str, tmp_path: Path) -> None:
    check(BY_NAME[name], result(BY_NAME[name], tmp_path, engine))


@pytest.mark.parametrize("name", ["order_globals", "order_loop", "direction", "tag_heap"])
def test_where_memory_is_not_checked(name: str, tmp_path: Path) -> None:
    bits = 32 if name in ("order_globals", "direction") else 64
    c = COptions(checks=("assertions",), bits=32 if bits == 32 else 64)
    check(BY_NAME[name], result(BY_NAME[name], tmp_path, "inline", c))


def test_threads(tmp_path: Path) -> None:
    text = (
        "#include <assert.h>\n#include <stdint.h>\n#include <pthread.h>\nint a, b; int *p = &a;"
        " void *f(void *_) { p = &b; return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert((uintptr_t)p % 4 == 0);"
        " assert(p {} &a); return 0; }}\n"
    )
    for order, expected in (("==", "unsafe"), ("<=", "unknown")):
        file = tmp_path / "program.c"
        file.write_text(text.replace("{}", order).replace("}}", "}"))
        assert verify(str(file), Options(timelimit=60, workers=1)).verdict.word == expected
