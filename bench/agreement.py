"""One verdict for all ways to run: the tasks of a folder with several numbers of workers, here, on Ray and simulated.

    python -m bench agreement --folder boogie --resume
    python -m bench agreement --folder sdv --every 8 --timelimit 30 --ways local-1,local-2,ray-2
    python -m bench agreement --folder sdv --every 8 --ways local-1,local-2-killed,local-2-resumed,ray-2-resumed

A way is a runtime, a number of workers, and what happens meanwhile: with *killed*, workers are ended by SIGKILL at
random moments; with *resumed* the run itself is, and `cleave resume` goes on with it. Verdicts of ways that finish
have to be equal, and not against the index. With --address, the runs on Ray use that cluster instead of starting one
each; with --finished, the first way says which tasks the others are for: those that it has a verdict for.

A row is in the TSV file as soon as its run ends. With --resume, what is there is not run again. The exit code is 1 if
two verdicts differ, one is wrong, or a process was left behind.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product

from bench.agreement_run import Way, run_way
from bench.campaign import Planned, carried_out, conduct
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.markdown import table
from bench.rows import CLAIMS, Row
from bench.tasks import Task, tasks

_WAYS = "local-1,local-2,local-4,local-16,simulated-2,simulated-4,simulated-16"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", default="boogie", help="of the benchmarks (boogie)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th task of its index")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="not the first N of it")
    parser.add_argument(
        "--only", default="", metavar="LIST", help="tasks whose path has one of these in it, with commas"
    )
    parser.add_argument("--ways", default=_WAYS, metavar="LIST", help=f"with commas ({_WAYS})")
    parser.add_argument("--address", default="", metavar="ADDR", help="of the Ray cluster to use")
    parser.add_argument(
        "--finished", action="store_true", help="the other ways only for tasks that the first way has a verdict for"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for the moments of the kills")
    parser.add_argument("arguments", nargs="*", help="passed on to cleave verify, after --")
    add_arguments_of_campaign(parser, out="build/agreement.tsv", timelimit=20.0)


def main(options: argparse.Namespace) -> int:
    chosen = _chosen(options)
    ways = [Way.named(name, options.address) for name in options.ways.split(",")]
    if options.finished:
        found = carried_out(options, (_planned(task, ways[0], options) for task in chosen))
        if found is None:
            return 1
        solved = {row.key for row in found if row.solved}
        chosen = [task for task in chosen if _planned(task, ways[0], options).key in solved]
        options.resume = True
    return conduct(
        options, (_planned(task, way, options) for task, way in product(chosen, ways)), tables, is_bad=_is_bad
    )


def _planned(task: Task, way: Way, options: argparse.Namespace) -> Planned:
    arguments = tuple(options.arguments)
    run = partial(run_way, task, way, arguments, timelimit=options.timelimit, seed=options.seed)
    return Planned(
        kind="way",
        task=task.path,
        how=" ".join((str(way), *arguments)),
        workers=way.workers,
        expected=task.expected,
        run=lambda _: run(),
    )


def _is_bad(rows: Iterable[Row]) -> bool:
    rows = list(rows)
    return any(row.number("left_behind") for row in rows) or any(disagreements(rows))


def _chosen(options: argparse.Namespace) -> list[Task]:
    named = [task for task in tasks(options.folder) if any(part in task.path for part in options.only.split(","))]
    return named[options.skip :: options.every]


def disagreements(found: Iterable[Row]) -> Iterator[list[Row]]:
    """The runs of each task, with the same options, of which two finished with different verdicts."""
    finished: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in found:
        if row.solved:
            finished[row.task, row.how.partition(" ")[2]].append(row)
    return (rows for rows in finished.values() if len({row.answer for row in rows}) > 1)


def tables(found: list[Row]) -> str:
    by_way: defaultdict[str, list[Row]] = defaultdict(list)
    for row in found:
        by_way[row.how].append(row)
    heading = ("way", "tasks", "safe", "bounded-safe", "unsafe", "unknown", "refused", "wrong", "killed", "left behind")
    lines = [
        (
            way,
            str(len(rows)),
            *(str(sum(row.answer == word for row in rows)) for word in (*CLAIMS, "given up", "refused")),
            str(sum(row.wrong for row in rows)),
            f"{sum(row.number('faults') for row in rows):.0f} in {sum(row.number('faults') > 0 for row in rows)} runs",
            f"{sum(row.number('left_behind') for row in rows):.0f}",
        )
        for way, rows in by_way.items()
    ]
    differing = [
        f"- {rows[0].task}: " + ", ".join(f"{r.how} {r.answer}" for r in rows) for rows in disagreements(found)
    ]
    summary = f"Tasks whose verdicts differ: {len(differing)}"
    return "\n".join([table(heading, lines), "", summary, *differing]) + "\n"
