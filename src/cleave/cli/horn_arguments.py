"""Arguments of the pdr engine: how Horn clauses are solved."""

from __future__ import annotations

import argparse
from pathlib import Path

from cleave.cli.arguments import whole_number_or_zero
from cleave.engines.pdr.options import ALONE_SECONDS, NAMES, PdrOptions, Share, partition_after
from cleave.errors import UsageError

_MOST_SECONDS = 4000  # millions of units to virtual workers, which Z3 counts with 32 bits

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
        help="strategies in the order in which workers get them, with commas; name@N is one that ends after N seconds"
        f" of processor time. There are: {', '.join(NAMES)}",
    )
    group.add_argument(
        "--invariant",
        metavar="FILE",
        type=Path,
        help="where to write the invariant that proves safe, as SMT-LIB definitions of the predicates",
    )


def pdr_options(options: argparse.Namespace, workers: int) -> PdrOptions:
    usual = PdrOptions()
    alone = options.on != "simulated" and options.partitions is None
    return PdrOptions(
        workers=workers,
        share=Share(options.share) if options.share else usual.share,
        partitions=options.partitions,
        partition_after=partition_after(workers) if options.partitions is None else None,
        strategies=_strategies(options.strategies),
        seed=options.seed,
        alone_seconds=ALONE_SECONDS if alone else 0.0,
        patience=0.0 if alone else usual.patience,  # what is left after that is no small task
    )


def _strategies(text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    for strategy in names:
        name, at, seconds = strategy.partition("@")
        if name not in NAMES:
            raise UsageError(f"there is no strategy {name!r}; there are {', '.join(NAMES)}")
        if at and not (seconds.isascii() and seconds.isdigit() and 0 < int(seconds) <= _MOST_SECONDS):
            raise UsageError(f"{strategy!r}: a number of seconds expected after @, at most {_MOST_SECONDS}")
    return names
