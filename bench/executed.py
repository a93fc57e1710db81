"""Whether GCC's machine code reaches the error with nothing but the values that a violation witness tells.

    python -m bench executed --number 40

Tasks are sequential programs of SHARED/bench/c that are unsafe and call reach_error or __VERIFIER_error, in an order
that --seed decides. The functions that give values return those of the witness, one after the other.

reached        the error is called
not reached    the program ends otherwise or hangs: what it does depends on memory that nobody has set, or on input
not compiled   GCC refuses the program, or this machine has no library for it
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from bench.tasks import tasks

_CALLED = re.compile(rb"reach_error|__VERIFIER_error")
_GIVEN = re.compile(r"\b__VERIFIER_nondet_(\w+)\s*\(")
_DEFINED = r"\b(?:void\s+)({})\s*\([^)]*\)\s*\{{"
_TYPES = {
    **{name: name for name in ("char", "int", "long", "short", "float", "double", "unsigned")},
    "bool": "_Bool",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "size_t": "unsigned long",
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned",
    "loff_t": "long long",
    "pchar": "char *",
    "pointer": "void *",
    "S8": "signed char",
    "schar": "signed char",
}
_REACHED = 42
_UNLESS = "__attribute__((weak))"  # the program defines the function itself


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--number", type=int, default=40, metavar="N", help="of witnesses (40)")
    parser.add_argument("--cputimelimit", type=float, default=6.0, metavar="S", help="for a run of Cleave (6)")
    parser.add_argument("--seed", type=int, default=11, metavar="N", help="(11)")


def main(options: argparse.Namespace) -> int:
    chosen = [task for task in tasks("c") if task.expected == "unsafe" and _CALLED.search(task.file.read_bytes())]
    random.Random(options.seed).shuffle(chosen)
    said: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for task in chosen:
            if sum(said.values()) >= options.number:
                break
            witness = _witness(task.file, folder, options.cputimelimit)
            if witness is not None:
                answer = executed(task.file, witness, folder)
                said[answer] += 1
                print(f"{answer:14} {task.path}", flush=True)
    print(", ".join(f"{number} {answer}" for answer, number in said.most_common()))
    return 0


def _witness(program: Path, folder: Path, seconds: float) -> Any:
    file, rules = folder / "witness.yml", folder / "unreach-call.prp"
    file.unlink(missing_ok=True)
    rules.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    told = [f"--cputimelimit={seconds:g}", "--workers=1", "--quiet", "--journal=none", f"--witness={file}"]
    command = [sys.executable, "-m", "cleave.cli.main", "verify", str(program), f"--spec={rules}", *told]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    return yaml.safe_load(file.read_text()) if said.startswith("unsafe") and file.exists() else None


def executed(program: Path, witness: Any, folder: Path) -> str:
    source = program.read_text(errors="replace")
    files = [folder / "program.c", folder / "values.c"]
    (folder / "exit.h").write_text("void _Exit(int);\n")
    files[0].write_text(re.sub(_DEFINED.format("reach_error|__VERIFIER_error"), rf"\g<0> _Exit({_REACHED}); ", source))
    files[1].write_text("".join(f"{line}\n" for line in _values(values_of(witness), source)))
    width = "-m32" if witness[0]["metadata"]["task"]["data_model"] == "ILP32" else "-m64"
    command = ["gcc", "-w", "-O0", "-fno-builtin", width, "-include", str(folder / "exit.h"), "-o", str(folder / "run")]
    if subprocess.run([*command, *map(str, files), "-lm"], capture_output=True).returncode:
        return "not compiled"
    try:
        ended = subprocess.run([str(folder / "run")], capture_output=True, stdin=subprocess.DEVNULL, timeout=10)
    except subprocess.TimeoutExpired:
        return "not reached"
    return "reached" if ended.returncode == _REACHED else "not reached"


def values_of(witness: Any) -> list[str]:
    """What functions returned, in their order."""
    points = [part["waypoint"] for segment in witness[0]["content"] for part in segment["segment"]]
    told = [point["constraint"]["value"] for point in points if point["type"] == "function_return"]
    return [value.partition("==")[2].strip() or "1" for value in told]  # a pointer that is not null has no other value


def _values(values: Sequence[str], source: str) -> Iterator[str]:
    yield "static int next;"
    yield f"static const long long whole[] = {{{''.join(f'(long long)({one}), ' for one in values)}0}};"
    yield f"static const double real[] = {{{''.join(f'(double)({one}), ' for one in values)}0}};"
    for name in sorted(set(_GIVEN.findall(source))):
        kind = _TYPES.get(name, name)
        array = "real" if kind in ("float", "double") else "whole"
        told = f"{array}[next < {len(values)} ? next++ : next]"
        yield f"{_UNLESS} {kind} __VERIFIER_nondet_{name}(void) {{ return ({kind}){told}; }}"
    yield f"{_UNLESS} void __VERIFIER_assume(int holds) {{ if (!holds) _Exit(3); }}"
    for name in ("reach_error", "__VERIFIER_error"):
        yield f"{_UNLESS} void {name}(void) {{ _Exit({_REACHED}); }}"
