"""``cleave report``: one file of HTML about a run."""

from __future__ import annotations

import argparse
from typing import Any

from cleave.cli.printing import say
from cleave.cli.problem import add_journal, folder
from cleave.errors import UsageError
from cleave.journal.places import find_run


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="write a report of a run as one file of HTML",
        description="Writes a report of a run, finished or not, as one file of HTML: verdict, counterexample, plan, and"
        " what workers did. The file needs no server and no network.",
    )
    parser.add_argument("name", metavar="RUN", help="the id of a run or its beginning, latest, or a journal's path")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")
    add_journal(parser, "where the journals are")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from cleave.view.report import report_of  # with all that pages need

    text = report_of(find_run(folder(options), options.name))
    try:
        with open(options.output, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise UsageError(f"can't write to {options.output}: {error.strerror}") from None
    say(f"wrote {options.output}, {len(text) // 1000} kB")
    return 0
