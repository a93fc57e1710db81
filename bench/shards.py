"""Parts that are solved by themselves and joined, against the whole: one verdict.

    python -m bench shards --number 60 --parts 2 --timelimit 10

Tasks are those of bench/small and, where they are, of SHARED/bench. A verdict that both have must be the same;
`bounded-safe` goes with `safe`. Tasks that are not divided, or not decided in time, are counted beside.
The exit code is 1 if one differs, or if a missing or doubled result is not noticed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.small_tasks import small_tasks
from bench.tasks import SHARED, tasks

_FOLDERS = ("boogie", "chc", "pthread", "c", "ts")
_SEED = 1
_SIDES = {"safe": "holds", "bounded-safe": "holds", "unsafe": "violated"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--number", type=int, default=60, metavar="N", help="of tasks that both decide (60)")
    parser.add_argument("--parts", type=int, default=2, metavar="N", help="(2)")
    parser.add_argument("--timelimit", type=float, default=10.0, metavar="S", help="for a run (10)")


def main(options: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    for file, flags in chosen(2 * options.number):
        if counts["same"] + counts["differs"] >= options.number:
            break
        said = compared(file, flags, options.parts, options.timelimit)
        counts[said.split(":")[0]] += 1
        print(f"{said:50} {file} {' '.join(flags)}", flush=True)
    print(", ".join(f"{number} {said}" for said, number in sorted(counts.items())))
    return int(bool(counts["differs"] or counts["not noticed"]))


def chosen(number: int) -> list[tuple[str, list[str]]]:
    """Tasks of our own and others, evenly from all folders, in any order."""
    own = [(task.files[0], list(task.arguments)) for task in small_tasks() if "--engine" not in task.arguments]
    found = [(file, [flag for flag in flags if not flag.startswith("--no-malloc")]) for file, flags in own]
    found = found[:: max(1, 2 * len(found) // number)]
    for folder in _FOLDERS:
        if (SHARED / folder / "index.tsv").exists():
            whole = [task for task in tasks(folder) if task.expected in _SIDES and task.file.stat().st_size < 20_000]
            share = max(1, (number - len(found)) // len(_FOLDERS) + 1)
            found += [(str(task.file), []) for task in whole[:: max(1, len(whole) // share)][:share]]
    random.Random(_SEED).shuffle(found)
    return found[:number]


def compared(file: str, flags: list[str], parts: int, timelimit: float) -> str:
    usual = ["--json", "--quiet", "--journal=none", "--workers=1", f"--timelimit={timelimit:g}"]
    with tempfile.TemporaryDirectory() as folder:
        made = _cleave("shard", file, *flags, f"--parts={parts}", "-o", folder)
        if made.returncode:
            return f"not divided: {made.stderr.strip()[-60:]}"
        results = list(_solved(made.stdout.splitlines(), usual))
        whole = json.loads(_cleave("verify", file, *flags, *usual).stdout).get("verdict", "error")
        if any(_joined(wrong) != "unknown" for wrong in ([*results, results[0]], results[:-1])):
            violated = _joined(results[:-1]) == "unsafe" and whole in ("unsafe", "unknown")
            if not violated or _joined([*results, results[0]]) != "unknown":
                return "not noticed: a missing or doubled result"
        together = _joined(results)
    if "unknown" in (whole, together):
        return f"one is unknown: {whole}, {together}"
    return (
        f"same: {whole}, {together}" if _SIDES.get(whole) == _SIDES.get(together) else f"differs: {whole}, {together}"
    )


def _solved(parts: list[str], usual: list[str]) -> Iterator[str]:
    for part in parts:
        result = Path(f"{part}.json")
        result.write_text(_cleave("verify", part, *usual).stdout)
        yield str(result)


def _joined(results: list[str]) -> str:
    return str(json.loads(_cleave("join", *results, "--json").stdout or '{"verdict": "unknown"}')["verdict"])


def _cleave(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cleave.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True)
