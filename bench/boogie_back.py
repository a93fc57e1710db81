"""Programs printed as Boogie and read again: the verdict has to stay.

    python -m bench boogie-back --programs 160 FOLDER...

Random programs, with and without threads, and all C and Boogie files of folders. Where a command ``boogie`` is
installed, it has to accept what was printed, Corral's ``async call`` as a mere call. The exit code is 1 if a verdict
differs or something is not accepted.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from cleave import Options, verify
from cleave.errors import CleaveError
from cleave.export.boogie import print_boogie
from cleave.frontends.input import read_input
from cleave.ir.text import print_program
from cleave.passes.entries import choose_entries


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--programs", type=int, default=160, metavar="N", help="how many random ones (160)")
    parser.add_argument("--most", type=int, default=100, metavar="N", help="how many files (100)")
    parser.add_argument("--timelimit", type=float, default=5.0, metavar="S", help="for each verdict (5)")


def main(options: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for file in _files(Path(folder), options):
            outcome = _compare(file, Path(folder), options.timelimit)
            counts[outcome.partition(":")[0]] += 1
            if outcome.startswith(("wrong", "beyond")):
                print(f"{file}: {outcome}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


def _files(folder: Path, options: argparse.Namespace) -> Iterator[Path]:
    from support.concurrent_programs import ConcurrentMaker, Features
    from support.programs import ProgramMaker

    for number in range(options.programs):
        pick = random.Random(number)
        made = ConcurrentMaker(pick, Features(statements=2)) if number % 4 == 3 else ProgramMaker(pick)
        file = folder / f"random{number}.ir"
        file.write_text(print_program(made.program()))
        yield file
    found = (f for top in options.folders for f in sorted(top.rglob("*")) if f.suffix in (".c", ".bpl"))
    yield from (file for _, file in zip(range(options.most), found, strict=False))


def _compare(file: Path, folder: Path, seconds: float) -> str:
    """ "same", or what differs. A verdict that one of the two has no time for is no difference, and a violation that
    lies beyond the other's bound is counted apart."""
    try:
        program = read_input(str(file)).program
        text = print_boogie(program, choose_entries(program))
    except CleaveError as error:
        return f"refused: {error}"
    printed = folder / "printed.bpl"
    printed.write_text(text)
    before, after = _word(file, seconds), _word(printed, seconds)
    if {before, after} == {"safe", "unsafe"}:
        return f"wrong: {before} becomes {after}"
    if after.startswith("error"):
        return f"wrong: {after}"
    boogie = shutil.which("boogie")
    if boogie is not None:
        # Boogie itself takes async calls in Civl's layered programs only, where they mean something else.
        printed.write_text(text.replace("async call", "call"))
        command = [boogie, "/noVerify", "/useArrayTheory", str(printed)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if "error" in done.stdout.lower().replace("0 errors", ""):
            return f"wrong: Boogie says {done.stdout[:300]}"
    if {before, after} == {"bounded-safe", "unsafe"}:
        return f"beyond a bound: {before} becomes {after}"
    return "same" if before == after else "undecided"


def _word(file: Path, seconds: float) -> str:
    try:
        return verify(str(file), Options(workers=1, journal=None, timelimit=seconds)).verdict.word
    except CleaveError as error:
        return f"error: {error}"
