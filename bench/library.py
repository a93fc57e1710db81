"""Random calls of modelled functions of the C library, against the C library of this machine.

    python -m bench library --programs 200 --verdicts 20

A program has 25 calls of one kind. Compiled, it prints what can be observed: results, memory, errno. Then the program
is read and executed, with assertions that the numbers are the same. Of every tenth program, one call is also verified:
that its numbers are right must be `safe` or `bounded-safe`, that the first of them is another, `unsafe`. The exit code
is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bench.library_calls import Calls, expecting, program
from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe

_CALLS = 25
_SECONDS = 30.0
_CHECKS = COptions(checks=("assertions",))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=int, default=200, metavar="N", help="how many (200)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first program's number (0)")
    parser.add_argument("--verdicts", type=int, default=10, metavar="N", help="one call of every Nth is verified (10)")


def main(options: argparse.Namespace) -> int:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # for the execution of programs
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        print("there is no compiler with a C library")
        return 1
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.programs):
            calls = Calls(seed)
            kind = calls.kinds[seed % len(calls.kinds)]
            snippets = [kind() for _ in range(_CALLS)]
            numbers = _observed(program(snippets), compiler, Path(folder))
            counts["programs"] += 1
            counts["numbers"] += len(numbers)
            if not _agrees(program(snippets), numbers):
                for snippet in snippets:
                    one = program([snippet])
                    if not _agrees(one, _observed(one, compiler, Path(folder))):
                        counts["different"] += 1
                        print(f"{seed} {kind.__name__} differs: {snippet}", flush=True)
            if seed % options.verdicts == 0:
                one = program([random.Random(seed).choice(snippets)])
                counts.update(_verdicts(one, _observed(one, compiler, Path(folder)), Path(folder), seed))
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["different"] or counts["wrong verdicts"] else 0


def _observed(text: str, compiler: str, folder: Path) -> list[int]:
    (folder / "t.c").write_text(text)
    flags = ["-w", "-O0", "-fno-builtin", "-ffp-contract=off"]
    subprocess.run([compiler, *flags, "-o", str(folder / "t"), str(folder / "t.c"), "-lm"], check=True)
    done = subprocess.run([str(folder / "t")], capture_output=True, check=True, timeout=20, text=True)
    return [int(line) for line in done.stdout.split()]


def _agrees(text: str, numbers: list[int]) -> bool:
    from support.ir_execution import Execution

    made = read_c({"t.c": expecting(text, numbers).encode()}, _CHECKS).program
    return Execution(made).run("main") == "finished"


def _verdicts(text: str, numbers: list[int], folder: Path, seed: int) -> Counter[str]:
    options = Options(engine="inline", timelimit=_SECONDS, c=_CHECKS)
    file, found = folder / "t.c", Counter[str]()
    for expected, wanted in ((numbers, Safe | BoundedSafe), ([numbers[0] ^ 1, *numbers[1:]], Unsafe)):
        file.write_text(expecting(text, expected))
        verdict = verify(str(file), options).verdict
        found[verdict.word] += 1
        if not isinstance(verdict, wanted | Unknown):
            found["wrong verdicts"] += 1
            print(f"{seed}: {verdict.word} for\n{text.splitlines()[-2]}", flush=True)
    return found
