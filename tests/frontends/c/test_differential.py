"""Random programs: what the compiled program computes is what the ir computes, on 32 and on 64 bit.

The program is compiled with the same compiler and run; then it is read with an assertion that its checksum is the
number that it printed (which must hold) and another one (which must not).
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from cleave import InlineOptions, Options, verify
from cleave.frontends.c.clang.compile import compiler
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.ir.check import check_program
from cleave.verdict import BoundedSafe, Safe, Unsafe
from support.c_runtime import RUNTIME
from support.ir_execution import Execution
from support.random_c import Generator
from support.random_c_flow import flow_program
from support.random_c_objects import member_program, object_program
from support.random_c_text import text_program

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

FOCUSED = (object_program, member_program, text_program, flow_program)


def compiled_checksum(source: str, bits: int, folder: Path) -> int:
    (folder / "program.c").write_text(source, encoding="utf-8")
    (folder / "runtime.c").write_text(RUNTIME, encoding="utf-8")
    target = "x86_64-linux-none" if bits == 64 else "x86-linux-none"
    flags = ["-nostdlib", "-static", "-w", "-O0", "-fno-sanitize=all", "-fno-stack-protector", "-fwrapv"]
    files = [str(folder / name) for name in ("program.c", "runtime.c")]
    subprocess.run([compiler(), "cc", "-target", target, *flags, "-o", str(folder / "program"), *files], check=True)
    done = subprocess.run([str(folder / "program")], capture_output=True, check=True, timeout=20)
    return int(done.stdout)


def outcome(source: str, bits: Literal[32, 64], expected: int) -> str:
    options = COptions(bits=bits, checks=("assertions",), defines=(f"EXPECTED={expected % 2**32}u",))
    program = read_c({"random.c": source.encode()}, options).program
    check_program(program)
    return Execution(program, seed=expected).run("main")


def compare(seed: int, folder: Path, source: str) -> None:
    bits: Literal[32, 64] = 64 if seed % 2 else 32
    checksum = compiled_checksum(source, bits, folder)
    assert outcome(source, bits, checksum) == "finished"
    assert outcome(source, bits, checksum + 1) == "violated"


@pytest.mark.parametrize("seed", range(8))
def test_random_program(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, Generator(seed).program())


@pytest.mark.parametrize("seed", range(10))
def test_random_copies(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, Generator(seed).copying_program())


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("program", FOCUSED)
def test_random_focused_program(program: Callable[[int], str], seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, program(seed))


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_many_random_programs(tmp_path: Path) -> None:
    for seed in range(2, 300):
        compare(seed, tmp_path, Generator(seed).program())
        compare(seed, tmp_path, Generator(seed).copying_program())
        for program in FOCUSED:
            compare(seed, tmp_path, program(seed))


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_the_verifier_agrees(seed: int, tmp_path: Path) -> None:
    """The whole flow, where the solver decides."""
    source = Generator(seed).small_program()
    checksum = compiled_checksum(source, 64, tmp_path)
    for expected, verdict in ((checksum, Safe | BoundedSafe), (checksum ^ 1, Unsafe)):
        file = tmp_path / f"program{expected}.c"
        file.write_text(f"#define EXPECTED {expected}u\n{source}", encoding="utf-8")
        found = verify(
            str(file), Options(engine="inline", engines=(InlineOptions(bounds=(6,)),), workers=1, timelimit=60)
        ).verdict
        assert isinstance(found, verdict), found
