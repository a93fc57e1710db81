"""Puts mistakes into the validators, one at a time, and looks whether the tests notice: ``make mutation``.

1. The tests run once, and it is written down which of them call which functions of ``cleave.validate``.
2. Mutants are drawn with a seed. For each, the tests that call its function run, those in tests/validate first, then
   the quick ones, until one fails or ``--budget`` seconds of processor time are used up.
3. A row for each mutant goes to ``--out`` at once; a further run goes on with the mutants that have no row yet. A row
   counts as long as the module's text is the same.

``--survivors`` prints the mutants that no test noticed, instead of running any.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path

import msgspec

from bench.mutation.mutants import Mutant, mutants

_PACKAGE = "cleave.validate"
_FOLDER = Path("src/cleave/validate")
_NEAR = "tests/validate/"
_START_SECONDS = 30  # of processor time, for Python, imports and pytest
_TIMES = 5  # as much processor time as without the mistake, and it is taken to go on for ever
_WALL_SECONDS = 900
_MEMORY_BYTES = 12 * 2**30  # of addresses: threads with deep stacks take many
_KILLED = ("killed", "timeout")
_NEAREST = (
    "validate",
    "explain",
    "run",
    "engines/inline",
    "engines/pdr",
    "engines/threads",
    "engines/cegar",
    "smt/conformance/test_operators.py",
    "test_api.py",
    "test_examples.py",
)

Key = tuple[str, int, str]
"""Module, number of the mutant, digest of the module's text."""
Found = tuple[str, Mutant, str]


class Row(msgspec.Struct, frozen=True, array_like=True):
    """``outcome``: killed, timeout (the tests go on for ever, or crash), survived, or unreached (no test calls it)."""

    module: str
    number: int
    digest: str
    outcome: str
    line: int
    kind: str
    change: str
    by: str
    seconds: float


class Calls(msgspec.Struct, frozen=True):
    """Which tests call which functions, with their processor time."""

    seconds: dict[str, float]
    by_function: dict[str, list[str]]

    def tests_of(self, module: str, mutant: Mutant, budget: float) -> list[str]:
        """Those that would notice, the nearest and quickest first. What is outside of functions is used by all of
        the module's tests."""
        wanted = f"{module}:{mutant.function}" if mutant.function else f"{module}:"
        found = {test for name, tests in self.by_function.items() if _is_of(name, wanted) for test in tests}
        order = sorted(found, key=lambda test: (not test.startswith(_NEAR), self.seconds[test], test))
        chosen: list[str] = []
        total = 0.0
        for test in order:
            total += self.seconds[test]
            if chosen and total > budget:
                break
            chosen.append(test)
        return chosen


def _is_of(name: str, wanted: str) -> bool:
    return name.startswith(wanted) if wanted.endswith(":") else name == wanted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", type=int, default=300, help="how many mutants (default 300; 0: all)")
    parser.add_argument("--seed", type=int, default=0, help="which mutants (default 0)")
    parser.add_argument("--only", default="", help="mutants of modules whose name contains this")
    parser.add_argument("--budget", type=float, default=40.0, help="seconds of tests for a mutant (default 40)")
    parser.add_argument("--jobs", type=int, default=2, help="at a time (default 2)")
    parser.add_argument("--out", type=Path, default=Path("build/mutation.jsonl"))
    parser.add_argument("--calls", type=Path, default=Path("build/mutation_calls.json"), help="made if it is not there")
    parser.add_argument(
        "--tests", nargs="+", default=[f"tests/{name}" for name in _NEAREST], help="what counts as the tests"
    )
    parser.add_argument("--again", action="store_true", help="those that survived, too: there are new tests")
    parser.add_argument("--survivors", action="store_true", help="print what no test noticed, and run nothing")


def main(options: argparse.Namespace) -> int:
    drawn = _drawn(options)
    rows = {key: row for key, row in read_rows(options.out).items() if key in drawn}
    if not options.survivors:
        calls = _calls(options)
        todo = [drawn[key] for key in drawn if key not in rows or (options.again and rows[key].outcome not in _KILLED)]
        options.out.parent.mkdir(parents=True, exist_ok=True)
        with options.out.open("ab") as file, ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(_judged, found, calls, options.budget) for found in todo]
            for done, row in enumerate((job.result() for job in as_completed(jobs)), 1):
                file.write(msgspec.json.encode(row) + b"\n")
                file.flush()
                rows[row.module, row.number, row.digest] = row
                print(f"{done}/{len(todo)} {row.outcome} {row.module}:{row.line} {row.change}", flush=True)
    for line in report(rows.values()):
        print(line)
    return 0


def _drawn(options: argparse.Namespace) -> dict[Key, Found]:
    """The sample, in an order such that a smaller one with the same seed is its beginning."""
    every = [(name, mutant, digest) for name, digest, found in modules(_FOLDER) for mutant in found]
    random.Random(options.seed).shuffle(every)
    chosen = [entry for entry in every if options.only in entry[0]]
    if options.sample:
        chosen = chosen[: options.sample]
    return {(name, mutant.number, digest): (name, mutant, digest) for name, mutant, digest in chosen}


def modules(folder: Path) -> list[tuple[str, str, list[Mutant]]]:
    """Names, digests and mutants of the modules in a folder of the package."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text("utf-8")
        name = ".".join((_PACKAGE, *path.relative_to(folder).with_suffix("").parts))
        found.append((name, sha256(source.encode()).hexdigest()[:12], mutants(source)))
    return found


def read_rows(path: Path) -> dict[Key, Row]:
    """By mutant; a row that was not written to its end is skipped."""
    rows = {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            row = msgspec.json.decode(line, type=Row)
        except msgspec.MsgspecError:
            continue
        rows[row.module, row.number, row.digest] = row
    return rows


def _calls(options: argparse.Namespace) -> Calls:
    if not options.calls.exists():
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CLEAVE_MUTATION_MAP": folder, "CLEAVE_MUTATED": _PACKAGE}
            command = _pytest("-n", str(options.jobs), *options.tests)
            subprocess.run(["nice", "-n", "10", *command], env=environment)  # tests that fail are not written down
            parts = [json.loads(path.read_text("utf-8")) for path in sorted(Path(folder).glob("*.json"))]
        options.calls.parent.mkdir(parents=True, exist_ok=True)
        options.calls.write_bytes(msgspec.json.encode(joined(parts)))
    return msgspec.json.decode(options.calls.read_bytes(), type=Calls)


def joined(parts: Iterable[Mapping[str, Sequence[object]]]) -> Calls:
    """What several processes of pytest wrote: for each test its seconds and the functions that it calls."""
    calls = Calls({}, {})
    for part in parts:
        for test, (seconds, functions) in part.items():
            calls.seconds[test] = msgspec.convert(seconds, float)
            for function in msgspec.convert(functions, list[str]):
                calls.by_function.setdefault(function, []).append(test)
    return calls


def _judged(found: Found, calls: Calls, budget: float) -> Row:
    """Runs the tests of a mutant, in a process with limits."""
    module, mutant, digest = found
    tests = calls.tests_of(module, mutant, budget)
    before = time.monotonic()
    outcome, by = (
        _run(module, mutant, tests, sum(calls.seconds[test] for test in tests)) if tests else ("unreached", "")
    )
    seconds = round(time.monotonic() - before, 1)
    return Row(module, mutant.number, digest, outcome, mutant.line, mutant.kind, mutant.change, by, seconds)


def _run(module: str, mutant: Mutant, tests: Sequence[str], expected_seconds: float) -> tuple[str, str]:
    limit = int(_START_SECONDS + _TIMES * expected_seconds)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = {**os.environ, "CLEAVE_MUTANT": f"{module}:{mutant.number}"}
    command = ["nice", "-n", "10", *_pytest("-n", "0", "-x", "--tb=no", "-rf", *tests)]
    try:
        done = subprocess.run(
            command, env=environment, preexec_fn=limited, capture_output=True, text=True, timeout=_WALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        return "timeout", ""
    if done.returncode == 0:
        return "survived", ""
    failed = next((line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))), "")
    if done.returncode < 0 or not failed:
        return "timeout", failed
    return "killed", failed


def _pytest(*arguments: str) -> list[str]:
    plugin = ("-p", "bench.mutation.plugin", "-p", "no:cacheprovider", "-o", "timeout=0")
    return [sys.executable, "-m", "pytest", *plugin, *arguments]


def report(rows: Iterable[Row]) -> list[str]:
    """Survivors with their places, then a table by package."""
    ordered = sorted(rows, key=lambda row: (row.module, row.line, row.number))
    lines = [
        f"{row.outcome}: {row.module}:{row.line} ({row.kind}) {row.change}"
        for row in ordered
        if row.outcome not in _KILLED
    ]
    counts: dict[str, Counter[str]] = {}
    for row in ordered:
        package = row.module.removeprefix(f"{_PACKAGE}.").partition(".")[0]
        for name in (package, "all"):
            counts.setdefault(name, Counter())[row.outcome] += 1
    lines += [
        "",
        "| package | mutants | noticed | not noticed | in no test | score |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for name in sorted(counts, key=lambda name: (name == "all", name)):
        count = counts[name]
        noticed = sum(count[outcome] for outcome in _KILLED)
        score = f"{100 * noticed / count.total():.1f} %"
        lines.append(f"| {name} | {count.total()} | {noticed} | {count['survived']} | {count['unreached']} | {score} |")
    return lines
