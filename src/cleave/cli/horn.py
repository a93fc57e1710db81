"""``cleave horn``: a program as constrained Horn clauses, in SMT-LIB."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cleave.cli.c_arguments import INTEGERS, add_c, c_options
from cleave.errors import UsageError
from cleave.frontends.input import read_input
from cleave.frontends.read import is_c
from cleave.ir.horn_text import print_horn
from cleave.ir.integers import Integers
from cleave.ir.program import Property
from cleave.passes.entries import choose_entries


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "horn",
        help="print a program as constrained Horn clauses",
        description="Translates a program to constrained Horn clauses and prints them as SMT-LIB, as Horn solvers read"
        " it: 'sat' means that the program is safe, 'unsat' that an execution violates the property.",
    )
    parser.add_argument("file", help="a program in Boogie (.bpl) or C (.c, .i)")
    parser.add_argument(
        "--entry", metavar="PROC", help="the procedure to start from (default: the one marked {:entrypoint}, else main)"
    )
    parser.add_argument(
        "--property",
        choices=[p.value for p in Property],
        help="what a violation is: a failing assertion, or that the entry procedure can return (default: what the"
        " program asks; see docs/guide/boogie-input.md)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of the standard output")
    add_c(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from cleave.passes.to_horn import program_to_horn  # large: loaded only where it is needed
    from cleave.passes.to_integers import to_integers

    integers = INTEGERS[options.integers] or Integers.BITS
    if integers is not Integers.BITS and not is_c(options.file):
        raise UsageError(f"{options.file}: --integers is for programs in C, whose integers have so many bits")
    asked = Property(options.property) if options.property is not None else None
    program = read_input(options.file, entry=options.entry, property=asked, c=c_options(options)).program
    numbers = to_integers(program, integers)
    text = print_horn(program_to_horn(numbers, choose_entries(program, options.entry)).system)
    if options.output is None:
        print(text, end="" if text.endswith("\n") else "\n")
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"can't write {options.output}: {error.strerror}") from None
    return 0
