"""``cleave boogie``: a program as Boogie."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cleave.cli.c_arguments import add_c, c_options
from cleave.errors import UsageError
from cleave.frontends.input import read_input
from cleave.ir.program import Property
from cleave.passes.entries import choose_entries


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "boogie",
        help="print a program as Boogie",
        description="Prints a program as Boogie 2, as Boogie and Corral read it, so that their results can be compared."
        " Cleave reads it back with the same verdict.",
    )
    parser.add_argument("file", help="a program in Boogie (.bpl) or C (.c, .i)")
    parser.add_argument(
        "--entry", metavar="PROC", help="the procedure to start from (default: the one marked {:entrypoint}, else main)"
    )
    parser.add_argument("--property", choices=[p.value for p in Property], help="what a violation is")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of the standard output")
    add_c(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from cleave.export.boogie import print_boogie  # loaded only where it is needed

    asked = Property(options.property) if options.property is not None else None
    program = read_input(options.file, entry=options.entry, property=asked, c=c_options(options)).program
    text = print_boogie(program, choose_entries(program, options.entry))
    if options.output is None:
        print(text, end="")
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"can't write {options.output}: {error.strerror}") from None
    return 0
