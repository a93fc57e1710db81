"""``cleave shard``: one problem as files that can be solved anywhere."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec

from cleave.cli.arguments import whole_number
from cleave.cli.c_arguments import add_c, c_options
from cleave.cli.printing import say
from cleave.errors import UsageError
from cleave.frontends.input import read_input
from cleave.run.parts import ENDINGS, divide, whole_of
from cleave.run.request import Options
from cleave.run.tasks import resolve_task


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "shard",
        help="divide a problem into files that can be solved anywhere",
        description="Writes N files, each a part of the problem, and one file about the whole. `cleave verify`"
        " solves a part on any machine, in a job array for instance; `cleave join` makes one verdict of the results.",
    )
    parser.add_argument("file", help="a program or Horn clauses, as for `cleave verify`")
    parser.add_argument("--parts", type=whole_number, required=True, metavar="N", help="number of parts")
    parser.add_argument("--entry", metavar="PROC", help="the procedure to start from")
    parser.add_argument("--unwind", type=whole_number, metavar="U", help="with threads: iterations of each loop")
    parser.add_argument("--contexts", type=whole_number, metavar="C", help="with threads: number of contexts")
    parser.add_argument("-o", "--output", metavar="DIR", default=".", help="the folder to write to (default this one)")
    add_c(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    task = resolve_task(options.file, Options(entry=options.entry, c=c_options(options)))
    input = read_input(task.file, entry=options.entry, c=task.options.c)
    bounds = {name: value for name in ("unwind", "contexts") if (value := getattr(options, name)) is not None}
    whole = whole_of(input, options.parts, bounds)
    if bounds and whole.kind != "threads":
        raise UsageError("--unwind and --contexts are for programs with threads")
    parts = divide(whole)
    stem = Path(task.file).stem
    folder = Path(options.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{stem}.whole"
        file.write_bytes(msgspec.json.encode(whole))
        for number, part in enumerate(parts):
            place = folder / f"{stem}.{number}{ENDINGS[whole.kind]}"
            place.write_bytes(part.file(whole, str(file.resolve())))
            say(str(place))
    except OSError as error:
        raise UsageError(f"can't write to {folder}: {error.strerror}") from None
    return 0
