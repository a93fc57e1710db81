"""HYDRA's evaluation in small: speed-up over the sequential search in virtual time, and its ideas against simpler ones.

    python -m bench hydra --resume                             # 1 to 32 workers against the sequential search
    python -m bench hydra --resume --compare                   # at 16 workers: splits, queues, rate, decisions, tree
    python -m bench hydra --resume --real                      # wall time of cleave verify, two workers against one
    python -m bench hydra --files mouser_removelockforward2_1,my.bpl --workers 4,16 --out /tmp/my.tsv

Each run is a process of its own (`bench.hydra_run`) with a limit of virtual and one of real time, and its row is in the
TSV file as soon as it ends. With --resume, what is there is not run again, unless it hit limits that are lower than
today's. The tables of all that is there are printed in the end, and written beside the file. Without --files, the tasks
are the SDV drivers that took the authors of the paper long (--least) with a single client and that they solved at all.

The exit code is 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path

import msgspec

from bench import campaign, runs
from bench.campaign import Campaign, Runs, may_write, publish
from bench.hydra_rows import SEQUENTIAL, Key, Row, Store
from bench.hydra_tables import tables
from bench.inlining import sample
from bench.tasks import SHARED, Task, tasks

WORKERS = "1,2,4,8,16,32"
VARIANTS = ("splits=paper", "splits=random", "queues=shared", "rate=fixed", "decisions=pushed", "merge=tree")
_REAL_ANSWERS = {"safe": "closed", "bounded-safe": "closed", "unsafe": "violated", "unknown": "given up"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--compare", action="store_true", help="the comparison of algorithms instead of worker counts")
    parser.add_argument("--real", action="store_true", help="wall times of cleave verify instead, one run at a time")
    parser.add_argument("--files", default="", metavar="LIST", help="tasks of the index by name, or paths; with commas")
    parser.add_argument("--least", type=float, default=200.0, metavar="S", help="authors' seconds (default 200)")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="only N tasks, at even distances")
    parser.add_argument(
        "--workers", default=WORKERS, metavar="LIST", help=f"default {WORKERS}; --compare: 16; --real: 2"
    )
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds of random splits (the paper: 5)")
    campaign.add_arguments(parser, out="docs/lab/hydra.tsv", timelimit=1800.0, virtual_limit=600.0)


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume):
        return 1
    store = Store(options.out)
    version = campaign.version()

    def run(planned: Planned, under_way: Runs) -> Row:
        return _real(planned, options, version) if options.real else _simulated(planned, options, version, under_way)

    virtual_limit = 0.0 if options.real else options.virtual_limit
    planned = Campaign(store, _wanted(_chosen(options), options), jobs=1 if options.real else options.jobs)
    if not planned.carry_out(run, lambda row: row.decides(virtual_limit, options.timelimit)):
        return 1
    publish(tables(store.latest().values(), options.virtual_limit), options.out)
    return int(any(row.wrong for row in store.latest().values()))


# --- what to run ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planned:
    """A run to make. ``options`` are those of `bench.hydra_run` that are not the defaults, as ``name=value``."""

    task: Task
    kind: str
    workers: int
    options: str = ""

    @property
    def bound(self) -> int:
        given = [a for a in self.task.arguments if a.startswith("--recursion-bound=")]
        return int(given[0].partition("=")[2]) if given else 3

    @property
    def key(self) -> Key:
        return Key(self.kind, short_name(self.task), self.workers, self.options, self.bound)


def short_name(task: Task) -> str:
    return task.name.rpartition("/")[2]


def author_times() -> dict[str, tuple[float, float]]:
    """For each SDV task the seconds of the fastest run with a single client, and of the fastest of all."""
    found: dict[str, tuple[float, float]] = {}
    for line in (SHARED / "sdv" / "author_times.tsv").read_text().splitlines():
        if not line.startswith("#"):
            name, single, fastest = line.split("\t")
            found[name] = (_seconds(single), _seconds(fastest))
    return found


def _seconds(cell: str) -> float:
    return inf if cell == "-" else float(cell)


def _chosen(options: argparse.Namespace) -> list[Task]:
    """Those that took the authors least come first."""
    index = {short_name(task): task for task in tasks("sdv")}
    if options.files:
        return [index.get(name) or _own_task(name) for name in options.files.split(",")]
    times = sorted((single, fastest, name) for name, (single, fastest) in author_times().items())
    hard = [index[name] for single, fastest, name in times if single >= options.least and fastest < inf]
    return sample(hard, options.limit)


def _own_task(file: str) -> Task:
    """A file that is in no index: nothing is expected of it. A path that is absolute replaces the index's folder."""
    if not Path(file).is_file():
        raise SystemExit(f"{file} is neither a task of the SDV index nor a file")
    return Task("", str(Path(file).resolve()), "unknown", "", "")


def _wanted(chosen: Iterable[Task], options: argparse.Namespace) -> Iterator[Planned]:
    given = [int(n) for n in options.workers.split(",")] if options.workers != WORKERS else None
    for task in chosen:
        if options.real:
            for workers in (1, *(given or [2])):
                yield Planned(task, "real", workers)
        elif options.compare:
            for workers in given or [16]:
                for variant in ("", *VARIANTS):
                    seeds = range(options.seeds if variant == "splits=random" else 1)
                    for seed in seeds:
                        yield Planned(task, "simulated", workers, f"{variant} seed={seed}" if seed else variant)
        else:
            for workers in (SEQUENTIAL, *(given or map(int, WORKERS.split(",")))):
                yield Planned(task, "simulated", workers)


# --- runs -----------------------------------------------------------------------------------------------------------


def _simulated(planned: Planned, options: argparse.Namespace, version: str, under_way: Runs) -> Row:
    command = [sys.executable, "-m", "bench.hydra_run", str(planned.task.file), f"--bound={planned.bound}"]
    command += [f"--{option}" for option in planned.options.split()]
    command += ["--sequential"] if planned.workers == SEQUENTIAL else [f"--workers={planned.workers}"]
    command += [a for a in planned.task.arguments if a.startswith("--entry=")]
    command += [f"--virtual-limit={options.virtual_limit}", f"--timelimit={options.timelimit}"]
    command += [f"--memory={options.memory}"]
    given = _identity(planned, options, version) | {"virtual_limit": options.virtual_limit}
    told = under_way.reported(command, options.timelimit)
    return msgspec.convert(told | given, Row)  # which ignores what it has no field for


def _real(planned: Planned, options: argparse.Namespace, version: str) -> Row:
    measured = runs.run(planned.task, ["--engine=inline", f"--workers={planned.workers}"], options.timelimit)
    stopped = measured.verdict == "unknown" and "timeout" in measured.reason
    told: dict[str, object] = {
        "answer": "real limit" if stopped else _REAL_ANSWERS.get(measured.verdict, "error"),
        "real_seconds": round(measured.seconds, 2),
        "note": measured.reason,
        **{name: measured.statistics[name] for name in ("cost", "splits") if name in measured.statistics},
    }
    return msgspec.convert(told | _identity(planned, options, version), Row)


def _identity(planned: Planned, options: argparse.Namespace, version: str) -> dict[str, object]:
    given: dict[str, object] = {"expected": planned.task.expected, "real_limit": options.timelimit, "version": version}
    return planned.key._asdict() | given
