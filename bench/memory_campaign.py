"""Random programs about memory against the compiler's own checks: python bench/memory_campaign.py OUT FIRST LAST

Each program (`tests/support/random_c_memory.py`) is verified with --check memory, and run on each of its inputs with
AddressSanitizer in it. A line for each seed goes to OUT: seed, verdict, which inputs failed, seconds, what was said.
Seeds that are there already are left out, so a run that was stopped goes on. At the end it says where the two differ.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from cleave import InlineOptions, Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Safe, Unsafe
from support.c_programs import addresses_checked
from support.random_c_memory import INPUTS, random_memory_program

LIMIT = 30.0


def verified(text: str, folder: Path) -> tuple[str, str]:
    """The verdict, and what it says."""
    file = folder / "random.c"
    file.write_text(text)
    c = COptions(checks=("memory",))
    found = verify(
        str(file), Options(engine="inline", c=c, engines=(InlineOptions(bounds=(14,)),), timelimit=LIMIT)
    ).verdict
    said = f"{found.trace.violated} at {found.trace.location}" if isinstance(found, Unsafe) else ""
    return found.word, said if isinstance(found, Unsafe | Safe | BoundedSafe) else str(found)


def compared(verdict: str, failed: list[int]) -> str:
    """What is beyond the bound is no difference."""
    if verdict == "unknown" or (verdict == "unsafe") == bool(failed):
        return ""
    return "BEYOND" if verdict == "bounded-safe" else "DIFFERS"


def main() -> None:
    out, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    done = {int(line.split("\t")[0]) for line in out.read_text().splitlines()} if out.exists() else set()
    for seed in range(first, last):
        if seed in done:
            continue
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            text = random_memory_program(seed)
            failed = addresses_checked(text, INPUTS, Path(folder))
            verdict, said = verified(text, Path(folder))
        row = (seed, verdict, failed, round(time.monotonic() - started, 1), said.replace("\n", " ")[:300])
        with out.open("a") as file:
            file.write("\t".join(map(str, (*row, compared(verdict, failed)))) + "\n")
    lines = out.read_text().splitlines()
    print(f"{len(lines)} programs, {sum(line.endswith('DIFFERS') for line in lines)} differ")


if __name__ == "__main__":
    main()
