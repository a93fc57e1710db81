"""Arguments of the pdr engine: how Horn clauses are solved."""

from __future__ import annotations

import argparse
from pathlib import Path

from cleave.cli.arguments import said, whole_number_or_zero
from cleave.engines.pdr.options import NAMES, PdrOptions, Share, strategies

_PDR = """\
The pdr engine proves or refutes without bounds: it looks for an invariant of Horn clauses, a program's or a file's.
Each worker runs SPACER with another strategy. What takes long is partitioned: each partition asks whether the property
can be violated in one way. What workers learn they tell each other (see docs/pdr.md).
"""


def add_pdr(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("pdr", _PDR)
    group.add_argument(
        "--share",
        choices=[share.value for share in Share],
        help="which lemmas workers tell each other: none, those of single frames (k), invariants (inf), or all of them"
        f" (default {PdrOptions().share.value})",
    )
    group.add_argument(
        "--partitions",
        type=whole_number_or_zero,
        metavar="N",
        help="partition the query at once into about N; 0: never (default: as many as workers, when it takes long)",
    )
    group.add_argument(
        "--strategies",
        metavar="LIST",
        type=said(strategies),
        help="strategies in the order in which workers get them, with commas; name@N is one that ends after N seconds"
        f" of processor time. There are: {', '.join(NAMES)}",
    )
    group.add_argument(
        "--invariant",
        metavar="FILE",
        type=Path,
        help="where to write the invariant that proves safe, as SMT-LIB definitions of the predicates",
    )


def pdr_options(options: argparse.Namespace) -> PdrOptions:
    return PdrOptions(
        share=Share(options.share) if options.share else PdrOptions().share,
        partitions=options.partitions,
        strategies=options.strategies,
        seed=options.seed,
    )
