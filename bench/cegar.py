"""The evaluation of predictable distributed predicate abstraction, in small, mostly in virtual time.

    python -m bench cegar --sequential --resume                # every candidate with one worker
    python -m bench cegar --simulated --resume                 # ... and on 10, 20 and 40, if that took long enough
    python -m bench cegar --delayed --resume                   # late messages by seeds, predictable against naive
    python -m bench cegar --real --resume                      # wall time: two local workers against one
    python -m bench cegar --simulated --files a.smt2,b.pl --out /tmp/my.tsv
    python -m bench cegar --tables                             # the tables of the rows that are there

Candidates are the families of `bench.cegar_families`, which are written to --made, and every N-th of the tasks of
--folders that are read as linear clauses. Measured on many workers are those that one worker solves in at least --least
virtual seconds: what is over sooner needs no others. Nothing else decides what is measured.

Simulated runs are processes of their own (`bench.cegar_run`) with limits of virtual and of real time and of memory. A
row is in the TSV file as soon as its run ends. With --resume, what is there is not run again, unless it hit limits that
are lower than today's. The tables of all that is there are printed in the end, and written beside the file.

The exit code is 1 if a verdict is wrong, or if predictable runs of a task concluded different things.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench import campaign, rows, runs
from bench.campaign import Campaign, Runs, may_write, publish
from bench.cegar_families import FAMILIES, UNSAFE
from bench.cegar_rows import NAIVE, PREDICTABLE, Key, Row, store
from bench.cegar_run import PAPERS_LATENCY
from bench.cegar_tables import is_promise_kept, tables
from bench.tasks import Task, tasks
from cleave.frontends.clauses import holds_clauses

SEQUENTIAL = 1
_ANSWERS = {"safe": "safe", "unsafe": "unsafe", "unknown": "given up"}
_JITTER = 0.001  # virtual seconds by which messages are late, at most
_STATISTICS = ("cost", "refinement_cost", "iterations", "predicates", "states", "posts", "queries", "transitions")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sequential", action="store_true", help="all candidates with one virtual worker")
    what.add_argument("--simulated", action="store_true", help="on --virtual-workers, if one needs long enough")
    what.add_argument("--delayed", action="store_true", help="with late messages, predictable against naive")
    what.add_argument("--real", action="store_true", help="wall time of cleave verify, one local worker and two")
    what.add_argument("--tables", action="store_true", help="run nothing")
    parser.add_argument("--files", default="", metavar="LIST", help="tasks: ends of their paths, or files; with commas")
    parser.add_argument(
        "--families",
        default="gasburner3,crossing3,lategate3,fischer4",
        metavar="LIST",
        help="with their sizes (%(default)s)",
    )
    parser.add_argument("--made", type=Path, default=Path("build/cegar"), metavar="FOLDER", help="for families")
    parser.add_argument("--folders", default="ts,chc", metavar="LIST", help="of shared tasks (%(default)s)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th task of each folder")
    parser.add_argument("--least", type=float, default=10.0, metavar="S", help="virtual seconds of one worker (10)")
    parser.add_argument("--virtual-workers", default="10,20,40", metavar="LIST", help="(%(default)s, as in the paper)")
    parser.add_argument(
        "--latency", type=float, default=PAPERS_LATENCY, metavar="S", help="of a message (%(default)s, as in the paper)"
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="of --delayed (5; the paper has 3 runs)")
    usual = "600; --real: 300"
    campaign.add_arguments(parser, out="docs/lab/cegar.tsv", timelimit=0.0, virtual_limit=0.0, usual=usual)


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume or options.tables):
        return 1
    kept = store(options.out)
    if not options.tables and not _carry_out(options, kept):
        return 1
    found = list(kept.latest().values())
    publish(tables(found, options.least), options.out)
    return int(any(row.wrong for row in found) or not is_promise_kept(found))


def _carry_out(options: argparse.Namespace, kept: rows.Store[Row]) -> bool:
    options.timelimit = options.timelimit or (300.0 if options.real else 600.0)
    virtual_limit = 0.0 if options.real else options.virtual_limit
    version = campaign.version()

    def run(planned: Planned, under_way: Runs) -> Row:
        told = _real(planned, options) if options.real else _simulated(planned, options, under_way)
        given = {"expected": planned.task.expected, "version": version, "virtual_limit": virtual_limit}
        given |= {"real_limit": options.timelimit, **planned.key._asdict()}
        return msgspec.convert(told | given, Row)  # which ignores what it has no field for

    chosen = list(_candidates(options))
    if not options.sequential and not options.files:
        chosen = long_enough(chosen, kept.latest().values(), options.least)
    planned = Campaign(kept, _wanted(chosen, options), jobs=1 if options.real else options.jobs)
    return planned.carry_out(run, lambda row: rows.decides(row, virtual_limit, options.timelimit))


# --- what to run ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planned:
    task: Task
    kind: str
    workers: int
    how: str = PREDICTABLE
    seed: int = 0

    @property
    def key(self) -> Key:
        return Key(self.kind, name_of(self.task), self.how, self.workers, self.seed)


def _wanted(chosen: Iterable[Task], options: argparse.Namespace) -> Iterator[Planned]:
    counts = [int(one) for one in options.virtual_workers.split(",")]
    for task in chosen:
        if options.real:
            yield from (Planned(task, "real", workers) for workers in (SEQUENTIAL, 2))
        elif options.delayed:
            for how in (PREDICTABLE, NAIVE):
                yield from (Planned(task, "delayed", max(counts), how, seed) for seed in range(options.seeds))
        else:
            yield Planned(task, "simulated", SEQUENTIAL)
            yield from (Planned(task, "simulated", workers) for workers in counts if not options.sequential)


def long_enough(candidates: Iterable[Task], known: Iterable[Row], least: float) -> list[Task]:
    """Those that one virtual worker solves, but not at once."""
    alone = {row.task: row for row in known if row.kind == "simulated" and row.workers == SEQUENTIAL}
    long = {name for name, row in alone.items() if row.solved and row.seconds >= least}
    return [task for task in candidates if name_of(task) in long]


def _candidates(options: argparse.Namespace) -> Iterator[Task]:
    shared = [task for folder in filter(None, options.folders.split(",")) for task in tasks(folder)]
    if options.files:
        yield from (_named(shared, name) for name in options.files.split(","))
        return
    yield from (_made(name, options.made) for name in filter(None, options.families.split(",")))
    for folder in filter(None, options.folders.split(",")):
        readable = [task for task in shared if task.folder == folder and holds_clauses(task.path)]
        yield from readable[:: options.every]


def _made(name: str, folder: Path) -> Task:
    """Writes a system of a family, ``gasburner3`` for instance, whose verdict is known by its construction."""
    family = name.rstrip("0123456789")
    if family not in FAMILIES or family == name:
        raise SystemExit(f"{name} is no family with its size; families: {', '.join(FAMILIES)}")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.smt2"
    file.write_text(FAMILIES[family](int(name.removeprefix(family))).text())
    return Task("", str(file.resolve()), "unsafe" if family in UNSAFE else "safe", "", "")


def _named(index: Iterable[Task], name: str) -> Task:
    """A task of the index, or a file that is in no index: nothing is expected of that."""
    found = [task for task in index if task.path.endswith(name)]
    if len(found) == 1:
        return found[0]
    if found or not Path(name).is_file():
        raise SystemExit(f"{name} is {'not one task' if found else 'neither a task of the index nor a file'}")
    return Task("", str(Path(name).resolve()), "unknown", "", "")


def name_of(task: Task) -> str:
    """As in the index; the name of a file that is in none."""
    return f"{task.folder}/{task.path}" if task.folder else Path(task.path).stem


# --- runs -----------------------------------------------------------------------------------------------------------


def _simulated(planned: Planned, options: argparse.Namespace, under_way: Runs) -> dict[str, object]:
    command = [sys.executable, "-m", "bench.cegar_run", str(planned.task.file), f"--workers={planned.workers}"]
    command += [f"--virtual-limit={options.virtual_limit}", f"--timelimit={options.timelimit}"]
    command += [f"--memory={options.memory}", f"--seed={planned.seed}"]
    command += [f"--latency={options.latency}"]
    command += [f"--jitter={_JITTER}"] if planned.kind == "delayed" else []
    command += ["--naive"] if planned.how == NAIVE else []
    return under_way.reported(command, options.timelimit)


def _real(planned: Planned, options: argparse.Namespace) -> dict[str, object]:
    arguments = [f"--workers={planned.workers}", "--journal=none", "--engine=cegar"]
    measured = runs.run(planned.task, arguments, options.timelimit)
    stopped = measured.verdict == "unknown" and "timeout" in measured.reason
    told = {name: int(measured.statistics[name]) for name in _STATISTICS if name in measured.statistics}
    return {
        "answer": "real limit" if stopped else _ANSWERS.get(measured.verdict, "error"),
        "real_seconds": round(measured.seconds, 2),
        "evidence": measured.validation,
        "note": measured.reason[:300],
        **told,
    }
