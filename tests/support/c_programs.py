"""Small C programs with the verdicts that are expected, many in one file; and the same programs compiled and run.

    // index_past_the_end: unsafe
    int main(void) { … }

A program takes its inputs from ``nondet_int``. `sanitized` runs one on the inputs of a trace, with the compiler's own
checks of addresses and undefined behaviour in it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cleave.verdict import Trace

_HEAD = re.compile(r"^// (?P<name>\w+): (?P<expected>safe|unsafe|unknown)(?P<remark>[^\n]*)\n", re.MULTILINE)
_PROLOGUE = """\
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stddef.h>
int nondet_int(void);
"""
_INPUT = re.compile(r"(?P<number>\d+)bv32|(?P<plain>-?\d+)")
_ON = ("-O0", "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@dataclass(frozen=True, slots=True)
class SmallProgram:
    """``remark`` is what stands behind the verdict: ``unseen`` where the compiler's checks find nothing."""

    name: str
    expected: str
    remark: str
    text: str


def small_programs(file: Path) -> list[SmallProgram]:
    parts = _HEAD.split(file.read_text("utf-8"))[1:]
    columns = (parts[start::4] for start in range(4))
    return [
        SmallProgram(n, e, r.strip(" ()"), _PROLOGUE + t.strip() + "\n") for n, e, r, t in zip(*columns, strict=True)
    ]


def inputs_of(trace: Trace) -> list[int]:
    """What ``nondet_int`` gives, in turn."""
    taken = [
        value
        for step in trace.steps
        if step.kind == "havoc"
        for name, value in step.values.items()
        if name.split(".")[0].startswith("nondet_int")
    ]
    found = [_INPUT.match(value) for value in taken]
    return [int(one["number"] or one["plain"]) for one in found if one is not None]


def compiler() -> str | None:
    """One that has the checks of addresses, with what they need at run time."""
    return shutil.which("gcc")


def sanitized(
    program: str, inputs: list[int], folder: Path, *, leaks: bool = False
) -> subprocess.CompletedProcess[str]:
    """Runs it; inputs beyond the given ones are 0. ``leaks``: what is left at the end counts, too."""
    values = ", ".join(str(value - (1 << 32) if value >> 31 else value) for value in inputs) or "0"
    given = f"static int given[] = {{{values}}}; static unsigned at;\n"
    given += f"int nondet_int(void) {{ return at < {len(inputs)} ? given[at++] : 0; }}\n"
    source, made = folder / "program.c", folder / "program"
    source.write_text(program + given)
    found = compiler()
    assert found is not None
    subprocess.run([found, *_ON, str(source), "-o", str(made)], check=True, capture_output=True)
    switches = f"detect_leaks={leaks:d}:detect_stack_use_after_return=1:allocator_may_return_null=1"
    return subprocess.run([str(made)], capture_output=True, text=True, timeout=60, env={"ASAN_OPTIONS": switches})


def addresses_checked(program: str, inputs: int, folder: Path) -> list[int]:
    """The inputs below ``inputs`` for which AddressSanitizer, or the processor, stops a program that reads one."""
    source, made = folder / "program.c", folder / "program"
    given = "int main_input; int __VERIFIER_nondet_int(void) { return main_input; }\n"
    given += "__attribute__((constructor)) static void take(int c, char **v) { main_input = atoi(v[1]); }\n"
    source.write_text(program + given)
    found = compiler()
    assert found is not None
    flags = ("-O0", "-g", "-w", "-fsanitize=address", "-fsanitize-address-use-after-scope")
    subprocess.run([found, *flags, str(source), "-o", str(made)], check=True, capture_output=True)
    environment = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1:redzone=256"}
    runs = (subprocess.run([str(made), str(i)], capture_output=True, env=environment) for i in range(inputs))
    return [number for number, run in enumerate(runs) if run.returncode not in (0, 1) or b"Sanitizer" in run.stderr]
