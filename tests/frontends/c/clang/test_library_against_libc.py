"""Random calls of library functions: what their models compute is what the C library of this machine computes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from bench.library_calls import Calls, expecting, program

from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.verdict import BoundedSafe, Safe, Unsafe
from support.ir_execution import Execution

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
COMPILER = shutil.which("gcc") or shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no compiler with a C library")


def observed(text: str, folder: Path) -> list[int]:
    (folder / "t.c").write_text(text)
    flags = ["-w", "-O0", "-fno-builtin", "-ffp-contract=off"]
    subprocess.run([str(COMPILER), *flags, "-o", str(folder / "t"), str(folder / "t.c"), "-lm"], check=True)
    done = subprocess.run([str(folder / "t")], capture_output=True, check=True, timeout=20, text=True)
    return [int(line) for line in done.stdout.split()]


def outcome(text: str) -> str:
    return Execution(read_c({"t.c": text.encode()}, COptions(checks=("assertions",))).program).run("main")


@pytest.mark.parametrize("seed", range(2))
def test_calls(seed: int, tmp_path: Path) -> None:
    """One call of each kind."""
    text = program([kind() for kind in Calls(seed).kinds])
    numbers = observed(text, tmp_path)
    assert outcome(expecting(text, numbers)) == "finished"
    position = seed * 7 % len(numbers)
    numbers[position] ^= 1
    assert outcome(expecting(text, numbers)) == "violated"


@pytest.mark.parametrize("name", ["character", "compare", "classes"])
def test_verdicts(name: str, tmp_path: Path) -> None:
    text = program([getattr(Calls(1), name)()])
    numbers = observed(text, tmp_path)
    options = Options(engine="inline", timelimit=60, workers=1, c=COptions(checks=("assertions",)))
    file = tmp_path / "t.c"
    file.write_text(expecting(text, numbers))
    assert isinstance(verify(str(file), options).verdict, Safe | BoundedSafe)
    file.write_text(expecting(text, [numbers[0] ^ 1, *numbers[1:]]))
    assert isinstance(verify(str(file), options).verdict, Unsafe)
