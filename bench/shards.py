"""Parts that are solved by themselves and joined, against the whole: one verdict.

    python -m bench shards --number 120 --parts 2 --timelimit 20 --resume

Tasks are those of bench/small and, where they are, of SHARED/bench; limits are of processor time. A verdict that both
have must be the same; `bounded-safe` goes with `safe`. A missing, a doubled and a foreign result must be noticed.
Tasks that are not divided, or not decided in time, are counted beside. The exit code is 1 if something is wrong.
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
from functools import partial
from pathlib import Path
from typing import Any

from bench.campaign import Planned, conduct
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.markdown import notes, table, versions
from bench.rows import Row
from bench.small_tasks import small_tasks
from bench.tasks import SHARED, tasks

_FOLDERS = ("boogie", "chc", "pthread", "c", "ts")
_SEED = 1
_SIDES = {"safe": "holds", "bounded-safe": "holds", "unsafe": "violated"}
_FOREIGN = "procedure main() { var x: int; havoc x; if (x > 0) { x := 1; } else { x := 2; } assert x != 3; }"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--number", type=int, default=120, metavar="N", help="of tasks (120)")
    parser.add_argument("--parts", type=int, default=2, metavar="N", help="(2)")
    parser.add_argument("--seconds", type=float, default=0.0, metavar="S", help="begin no more after that time")
    add_arguments_of_campaign(parser, out="build/shards.tsv", timelimit=20.0)


def main(options: argparse.Namespace) -> int:
    return conduct(options, _planned(options), _tables)


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    for file, flags in chosen(options.number):
        run = partial(_compared, file, flags, options)
        yield Planned(kind="shards", task=file, how=" ".join(flags), workers=options.parts, run=run)


def _tables(rows: list[Row]) -> str:
    counts = Counter(row.answer for row in rows)
    told = table(("parts against the whole", "tasks"), [(answer, str(n)) for answer, n in counts.most_common()])
    return "\n\n".join([told, notes(rows, "Differences", lambda row: False), versions(rows)]) + "\n"


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


def _compared(file: str, flags: list[str], options: argparse.Namespace, _: object) -> dict[str, Any]:
    limit = f"--cputimelimit={options.timelimit:g}"
    usual = ["--json", "--quiet", "--journal=none", "--workers=1", limit]
    with tempfile.TemporaryDirectory() as folder:
        made = _cleave("shard", file, *flags, f"--parts={options.parts}", "-o", folder)
        if made.returncode:
            return {"answer": "not divided", "note": made.stderr.strip()[-100:]}
        results = list(_solved(made.stdout.splitlines(), usual))
        whole = json.loads(_cleave("verify", file, *flags, *usual).stdout).get("verdict", "error")
        foreign = _foreign(Path(folder))
        together = _joined(results)
        unnoticed = [
            what
            for what, given in (
                ("a missing result", results[:-1]),
                ("a doubled result", [*results, results[0]]),
                ("a foreign result", [*results[:-1], foreign]),
                ("a foreign result beside", [*results, foreign]),
            )
            # A part that is unsafe needs no other one, but each result that is given must be one of the whole.
            if (said := _joined(given)) != "unknown" and not (what == "a missing result" and said == "unsafe")
        ]
    note = f"{whole}, {together}"
    if unnoticed:
        return {"answer": "not noticed", "wrong": unnoticed, "note": note}
    if "unknown" in (whole, together):
        return {"answer": "one is unknown", "note": note}
    is_same = _SIDES.get(whole) == _SIDES.get(together)
    return {"answer": "same", "note": note} if is_same else {"answer": "differs", "wrong": [note], "note": note}


def _foreign(folder: Path) -> str:
    """The result of a part of something else."""
    (folder / "other.bpl").write_text(_FOREIGN)
    made = _cleave("shard", str(folder / "other.bpl"), "--parts=2", "-o", str(folder / "other"))
    return next(_solved(made.stdout.splitlines()[:1], ["--json", "--quiet", "--journal=none", "--workers=1"]))


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
