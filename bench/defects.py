"""Random programs with defects of every kind against the compiler's own checks: python bench/defects.py OUT FIRST LAST

Each program (`defects_programs`) is verified for memory, leaks, overflow, division and shifts together, and run on each
of its inputs with AddressSanitizer and UndefinedBehaviorSanitizer in it; blocks that are left at the end are counted. A
line for each seed goes to OUT: seed, verdict, which inputs failed, what was said. Seeds that are there already are
left out, so a run that was stopped goes on. At the end it says where the two differ.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.defects_programs import HEAD, INPUTS, random_defects
from cleave import InlineOptions, Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import Unsafe

CHECKS = ("memory", "leaks", "signed-overflow", "division", "shift")
TOGETHER = 25  # programs in one executable
LIMIT = 30.0
_COUNTED = """\
static int blocks;
static void *counted_malloc(size_t n) { void *p = malloc(n); blocks += !!p; return p; }
static void *counted_calloc(size_t n, size_t m) { void *p = calloc(n, m); blocks += !!p; return p; }
static void counted_free(void *p) { blocks -= !!p; free(p); }
#define malloc counted_malloc
#define calloc counted_calloc
#define free counted_free
"""
_ENTRY = "int __VERIFIER_nondet_int(void);\n%sint main(void) { int n = __VERIFIER_nondet_int();\n"


def verified(seed: int, folder: Path, bound: int = 5) -> tuple[str, str]:
    """The verdict, and what it says. Memory is always granted, as it is when the programs run."""
    file = folder / "random.c"
    guard = f"if (n < 0 || n >= {INPUTS}) return 0; return program(n); }}\n"
    file.write_text(HEAD + _ENTRY % random_defects(seed) + guard)
    options = Options(
        engine="inline",
        c=COptions(checks=CHECKS, malloc_may_fail=False),
        engines=(InlineOptions(bounds=(bound,)),),
        timelimit=LIMIT,
        workers=1,
        journal=None,
    )
    found = verify(str(file), options).verdict
    said = f"{found.trace.violated} at {found.trace.location}" if isinstance(found, Unsafe) else str(found)
    return found.word, said.replace("\n", " ")[:200]


def failing(seeds: list[int], folder: Path) -> dict[int, list[int]]:
    """For each program the inputs that the compiler's checks stop, or that leave blocks behind."""
    programs = "".join(random_defects(seed, f"program_{number}") for number, seed in enumerate(seeds))
    table = ", ".join(f"program_{number}" for number in range(len(seeds)))
    start = (
        f"static int (*all[])(int) = {{{table}}};\n"
        "int main(int c, char **v) { all[atoi(v[1])](atoi(v[2])); return blocks ? 77 : 0; }\n"
    )
    source, made = folder / "all.c", folder / "all"
    source.write_text(HEAD + _COUNTED + programs + start)
    flags = ("-O0", "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    subprocess.run(["gcc", *flags, str(source), "-o", str(made)], check=True, capture_output=True)
    environment = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1"}
    return {
        seed: [
            n
            for n in range(INPUTS)
            if subprocess.run([str(made), str(number), str(n)], capture_output=True, env=environment).returncode
        ]
        for number, seed in enumerate(seeds)
    }


def compared(verdict: str, failed: list[int]) -> str:
    if verdict == "unknown":
        return "UNKNOWN"
    return "" if (verdict == "unsafe") == bool(failed) else "DIFFERS"


def main() -> None:
    out, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    done = {int(line.split("\t")[0]) for line in out.read_text().splitlines()} if out.exists() else set()
    waiting = [seed for seed in range(first, last) if seed not in done]
    for start in range(0, len(waiting), TOGETHER):
        seeds = waiting[start : start + TOGETHER]
        with tempfile.TemporaryDirectory() as folder:
            failed = failing(seeds, Path(folder))
            for seed in seeds:
                verdict, said = verified(seed, Path(folder))
                if verdict == "bounded-safe" and failed[seed]:  # a copy in a loop may be longer
                    verdict, said = verified(seed, Path(folder), 24)
                row = (seed, verdict, failed[seed], said, compared(verdict, failed[seed]))
                with out.open("a") as file:
                    file.write("\t".join(map(str, row)) + "\n")
    ends = [line.rpartition("\t")[2] for line in out.read_text().splitlines()]
    print(f"{len(ends)} programs, {ends.count('DIFFERS')} differ, {ends.count('UNKNOWN')} unknown")


if __name__ == "__main__":
    main()
