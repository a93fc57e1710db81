"""Engines side by side: what each of them says about the same tasks, with one worker.

    python -m bench engines --engines cegar,pdr --folders ts,chc,c --every 3 --timelimit 10 --resume

Tasks are those with a known verdict; of programs, those of one file whose question is whether assertions can fail,
without bounds. A row is in the TSV file as soon as its run ends. The exit code is 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from bench.campaign import Planned, conduct
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.markdown import table
from bench.programs import is_whole
from bench.rows import Row
from bench.runs import Runs
from bench.tasks import Task, name_of, tasks

_PROGRAMS = ("c", "boogie")
_CLAIMS = ("safe", "unsafe")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engines", default="cegar,pdr", metavar="LIST", help="with commas (cegar,pdr)")
    parser.add_argument("--folders", default="ts,chc,c", metavar="LIST", help="of tasks, with commas (ts,chc,c)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th task of each folder")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="not the first N of it")
    add_arguments_of_campaign(parser, out="build/engines.tsv", timelimit=10.0)


def main(options: argparse.Namespace) -> int:
    return conduct(options, _planned(options), tables)


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    for folder in options.folders.split(","):
        for task in known(folder)[options.skip :: options.every]:
            yield from (planned(task, engine, options.timelimit) for engine in options.engines.split(","))


def known(folder: str) -> list[Task]:
    return [task for task in tasks(folder) if task.expected in _CLAIMS and (folder not in _PROGRAMS or is_whole(task))]


def planned(task: Task, engine: str, timelimit: float) -> Planned:
    def run(runs: Runs) -> dict[str, object]:
        told = runs.verified(task, [f"--engine={engine}"], timelimit).told()
        return told | {"answer": "given up"} if told["answer"] == "bounded-safe" else told

    return Planned(kind="verdict", task=name_of(task), how=engine, expected=task.expected, run=run)


def tables(found: list[Row]) -> str:
    engines = list(dict.fromkeys(row.how for row in found))
    lines: list[tuple[str, ...]] = []
    for folder in dict.fromkeys(map(_folder, found)):
        rows = [row for row in found if _folder(row) == folder]
        line = [folder, str(len({row.task for row in rows}))]
        for engine in engines:
            answers = [row.answer for row in rows if row.how == engine]
            numbers = [answers.count(word) for word in (*_CLAIMS, "refused")]
            line += [*map(str, numbers), str(len(answers) - sum(numbers))]
        lines.append(tuple(line))
    heading = ["tasks", "number"]
    for engine in engines:
        heading += [f"{engine}: safe", "unsafe", "refused", "no verdict"]
    wrong = [f"- wrong: {row}" for row in found if row.wrong]
    return "\n".join([table(tuple(heading), lines), "", *wrong, f"Wrong verdicts: {len(wrong)}"]) + "\n"


def _folder(row: Row) -> str:
    return row.task.partition("/")[0]
