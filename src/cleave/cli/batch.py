"""``cleave batch``: many tasks, N at a time, with a table of what became of them."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cleave.batch.collect import collect
from cleave.batch.page import ResultSet, page
from cleave.batch.project import NAME, project_tasks
from cleave.batch.rows import Row, Store, read_rows, row_object
from cleave.batch.schedule import on_ray, on_this_machine
from cleave.batch.summary import as_csv, as_junit, as_text, is_failure
from cleave.batch.task import Limits, Task
from cleave.cli.arguments import megabytes, seconds, whole_number
from cleave.cli.batch_progress import BatchProgress
from cleave.cli.exit_codes import add_exit_code, worst
from cleave.cli.printing import say
from cleave.errors import UsageError
from cleave.export.exports import EXPORTS
from cleave.journal.lock import Lock
from cleave.watch import usable_cores

_ROWS = "rows.jsonl"
_ENDINGS = {"witness": "yml", "sarif": "sarif", "invariant": "smt2", "certificate": "cleave", "report": "html"}
_DESCRIPTION = f"""\
Verifies many tasks, each in its own process, which is killed if it exceeds its limits. Without TASKS, the tasks are
those of {NAME} in this folder. Options of `cleave verify` for all tasks come last, after --.

Each result is written to the folder --out as soon as its task ends. After a crash, the same command continues. It
repeats only tasks whose files, options or limits have changed.
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "batch",
        help="verify many tasks",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="cleave batch [TASKS ...] [options] [-- options of verify]",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="TASKS",
        help="programs, folders, patterns, task definitions (.yml), sets of them (.set), lists (.csv, .tsv), benchmark"
        " definitions of BenchExec (.xml), or a cleave.toml",
    )
    running = parser.add_argument_group("where and how many")
    running.add_argument(
        "--jobs",
        type=whole_number,
        metavar="N",
        help="number of tasks at a time (default: the number of cores divided by --workers)",
    )
    running.add_argument(
        "--workers", type=whole_number, default=1, metavar="N", help="number of workers of each task (default 1)"
    )
    running.add_argument(
        "--on",
        choices=("local", "ray"),
        default="local",
        help="where tasks run: on this machine, or on a Ray cluster whose nodes see the same files (default local)",
    )
    running.add_argument("--address", metavar="ADDR", help="address of the Ray cluster")
    limits = parser.add_argument_group("limits, for each task")
    limits.add_argument("--timelimit", type=seconds, default=0.0, metavar="T", help="wall time: 60, 90s, 5m, 1h")
    limits.add_argument(
        "--cputimelimit", type=seconds, default=0.0, metavar="T", help="processor time of all its processes"
    )
    limits.add_argument(
        "--memlimit", type=megabytes, default=0, metavar="M", help="memory of all its processes: 4000 (MB), 4GB"
    )
    results = parser.add_argument_group("results")
    results.add_argument(
        "--out",
        default="cleave-batch",
        metavar="DIR",
        help=f"the folder for {_ROWS}, rows.csv, junit.xml and table.html (default cleave-batch)",
    )
    results.add_argument("--table", metavar="FILE", help="write the page of HTML to this file, too")
    results.add_argument("--junit", metavar="FILE", help="write the JUnit XML to this file, too")
    results.add_argument(
        "--write",
        metavar="LIST",
        type=_exports,
        default=(),
        help=f"files to write about each task, in DIR/files: any of {', '.join(_ENDINGS)}",
    )
    results.add_argument(
        "--compare",
        metavar="DIR",
        nargs="+",
        default=[],
        help="result folders to compare with; without TASKS, only these",
    )
    results.add_argument("--again", action="store_true", help="run all tasks, also those that have a row")
    results.add_argument("--json", action="store_true", help="print one JSON object per task, each on a line")
    results.add_argument("--quiet", action="store_true", help="print no progress")
    add_exit_code(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    named, arguments = _split(options)
    others = [ResultSet(Path(one).name or one, list(read_rows(_rows_file(one)))) for one in options.compare]
    if not named and others and not Path(NAME).exists():
        _write(Path(options.table or "table.html"), page(others))
        say("\n".join(line for one in others for line in (f"{one.name}:", *as_text(one.rows))))
        return 0
    tasks = _tasks(named, arguments, options)
    out = Path(options.out)
    _made(out)
    lock = Lock.take(out / "batch")
    try:
        rows = _carried_out(tasks, out, options)
    finally:
        lock.give_back()
    _write_all(out, rows, others, options)
    if options.json:
        for row in rows:
            print(json.dumps(row_object(row)))
    else:
        say("\n".join((*as_text(rows), f"rows, tables: {out}")))
    return _exit_code(rows, options)


def _split(options: argparse.Namespace) -> tuple[list[str], tuple[str, ...]]:
    """Tasks, and what comes after --."""
    given: list[str] = options.arguments
    if "--" not in given:
        return list(options.files), ()
    further = given[given.index("--") + 1 :]
    _check(further)
    return list(options.files), tuple(further)


def _check(arguments: Sequence[str]) -> None:
    """A flag that nobody knows is told once, not for each task."""
    from cleave.cli.main import parser

    found, unknown = parser("verify").parse_known_args(["verify", *arguments, "program"])
    if unknown or found.files != ["program"]:
        raise UsageError(
            f"{' '.join(unknown or found.files[:-1])} can't be given to all tasks; see 'cleave verify --help'"
        )


def _tasks(named: Sequence[str], arguments: tuple[str, ...], options: argparse.Namespace) -> list[Task]:
    """With the options and limits of the command line, which come before those of lists."""
    if not named and not Path(NAME).exists():
        raise UsageError(f"nothing to verify: name tasks, or list the programs of this folder in {NAME}")
    projects = [one for one in named or [NAME] if Path(one).name == NAME]
    found = [task for one in projects for task in project_tasks(Path(one))]
    found += collect(one for one in named if Path(one).name != NAME)
    limits = Limits(seconds=options.timelimit, cpu_seconds=options.cputimelimit, memory_mb=options.memlimit)
    workers = f"--workers={options.workers}"
    return [
        msgspec.structs.replace(task, limits=limits.over(task.limits), arguments=(workers, *task.arguments, *arguments))
        for task in found
    ]


def _carried_out(tasks: Sequence[Task], out: Path, options: argparse.Namespace) -> list[Row]:
    """The rows of all tasks in their order, old ones too."""
    store = Store(out / _ROWS)
    keys = [task.key() for task in tasks]
    missing = [(key, task) for key, task in zip(keys, tasks, strict=True) if options.again or key not in store.rows]
    progress = BatchProgress(len(tasks), len(tasks) - len(missing), quiet=options.quiet or options.json)
    with progress:
        for row in _rows(missing, out, options, progress):
            store.add(row)
            progress.ended(row)
    return [store.rows[key] for key in keys]


def _rows(
    missing: list[tuple[str, Task]], out: Path, options: argparse.Namespace, progress: BatchProgress
) -> Iterator[Row]:
    jobs = options.jobs or max(1, usable_cores() // options.workers)
    if options.on == "ray":
        if options.write:
            raise UsageError("--write is for batches on this machine")
        return on_ray(missing, jobs=jobs, cores=options.workers, address=options.address, on_tick=progress.running)
    if options.address:
        raise UsageError("--address is that of a Ray cluster: it needs --on ray")
    if options.write:
        _made(out / "files")
    keys = {task: key for key, task in missing}

    def files(task: Task) -> list[str]:
        return [f"--{name}={out / 'files' / f'{keys[task]}.{_ENDINGS[name]}'}" for name in options.write]

    return on_this_machine(missing, jobs=jobs, on_tick=progress.running, more=files)


def _exports(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    known = {one.name for one in EXPORTS} & _ENDINGS.keys()
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(sorted(known))}")
    return names


def _exit_code(rows: Iterable[Row], options: argparse.Namespace) -> int:
    """As `cleave verify` of all tasks, but that what is expected does not fail."""
    failing: frozenset[str] = options.fail_on if options.fail_on is not None else frozenset(("unsafe", "unknown"))
    codes = {0}
    for row in rows:
        if row.status == "wrong" or (is_failure(row) and "unsafe" in failing):
            codes.add(10)
        elif row.status == "error":
            codes.add(row.exit_code if row.exit_code in (1, 2) else 6)
        elif row.status == "unknown" and "unknown" in failing:
            codes.add(5)
        elif row.status == "bounded" and (options.strict or "bounded-safe" in failing):
            codes.add(4)
    return worst(codes)


# --- files ----------------------------------------------------------------------------------------------------------


def _rows_file(named: str) -> Path:
    path = Path(named)
    return path / _ROWS if path.is_dir() else path


def _write_all(out: Path, rows: Sequence[Row], others: list[ResultSet], options: argparse.Namespace) -> None:
    html = page([ResultSet(out.name, rows), *others])
    junit = as_junit(rows)
    for file, text in ((out / "rows.csv", as_csv(rows)), (out / "junit.xml", junit), (out / "table.html", html)):
        _write(file, text)
    if options.table:
        _write(Path(options.table), html)
    if options.junit:
        _write(Path(options.junit), junit)


def _write(file: Path, text: str) -> None:
    """Whole or not at all."""
    beside = file.with_name(f".{file.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, file)
    except OSError as error:
        raise UsageError(f"can't write {file}: {error.strerror}") from None


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"can't make the folder {folder}: {error.strerror}") from None
