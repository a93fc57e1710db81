"""Arguments of the cegar engine: predicate abstraction."""

from __future__ import annotations

import argparse

from cleave.cli.arguments import whole_number
from cleave.engines.cegar.options import CegarOptions

_CEGAR = """\
The cegar engine proves or refutes without bounds: it explores an abstraction by predicates, and takes the predicates
from paths that only the abstraction allows. What it finds does not depend on the workers (see docs/cegar.md).
"""


def add_cegar(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cegar", _CEGAR)
    group.add_argument("--iterations", type=whole_number, metavar="N", default=0, help="give up after N refinements")
    group.add_argument(
        "--counterexamples",
        type=whole_number,
        metavar="N",
        default=CegarOptions().counterexamples,
        help="how many counterexamples to analyse in an iteration: the least ones of the shortest"
        f" (default {CegarOptions().counterexamples})",
    )
    group.add_argument(
        "--naive",
        action="store_true",
        help="take the counterexample that any worker finds first, for comparison: the result varies from run to run",
    )


def cegar_options(options: argparse.Namespace) -> CegarOptions:
    return CegarOptions(
        iterations=options.iterations,
        counterexamples=options.counterexamples,
        naive=options.naive,
    )
