"""Arguments about workers: how many, where, and how they share a search."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from cleave.cli.arguments import positive_number, seconds, whole_number
from cleave.engines.inline.options import DIFFERENT_FROM, UNSPLIT_FROM, Decisions, InlineOptions, Queues, Rate, Splits
from cleave.errors import UsageError
from cleave.journal.places import default_folder
from cleave.watch import usable_cores

NONE = "none"
_WORKERS = """\
A worker is a process that searches by itself, with a solver of its own. One worker starts with the whole search. If
that takes more than a second, the others join, and the search is split: one half has the executions that pass a chosen
call, the other those that avoid it. Whoever has nothing to do gets a half. The verdict is the same with any number of
workers, and workers may crash: what one was doing is given to another (see docs/distributed.md).
"""
_COMPARISON = """\
Each turns a part of the algorithm into what it is measured against. The defaults are what is best for a user.
"""


def add_workers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("workers", _WORKERS)
    group.add_argument(
        "--workers",
        type=whole_number,
        metavar="N",
        help="how many (default: as many as this machine has cores for us, here"
        f" {usable_cores()}); with 1 nothing is split, no process is started and there is no journal",
    )
    group.add_argument(
        "--on",
        choices=("local", "ray", "simulated"),
        default="local",
        help="where: processes on this machine, a Ray cluster (needs the extra ray), or virtual ones in this process,"
        " in virtual time (default local)",
    )
    group.add_argument(
        "--address",
        metavar="ADDR",
        help="of the Ray cluster to use, such as 10.0.0.1:6379 or auto; with --on ray and no address, a Ray is started"
        " for the run",
    )
    purpose = "where to keep the journal of the run, which tells what happened and can be resumed; none: keep nothing"
    add_journal(group, purpose)


def add_journal(group: argparse._ActionsContainer, purpose: str) -> None:
    group.add_argument("--journal", metavar="DIR", help=f"{purpose} (default {_home_as_tilde(default_folder())})")


def add_comparison(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how workers share a search, for comparison", _COMPARISON)
    group.add_argument(
        "--splits",
        choices=[s.value for s in Splits],
        default=Splits.PROOF.value,
        help="which call to split on: chosen from the proof so that both halves are left with something to do, as the"
        " paper says, or at random (default proof)",
    )
    group.add_argument(
        "--queues",
        choices=[q.value for q in Queues],
        default=Queues.DEQUES.value,
        help="who gets which half: a double-ended queue for each worker, which it goes back to itself, or one queue for"
        " all (default deques)",
    )
    group.add_argument(
        "--split-rate",
        choices=[r.value for r in Rate],
        default=Rate.ADAPTIVE.value,
        help="how often to split: the more the fewer parts wait for the more workers, or always after the same"
        " interval (default adaptive)",
    )
    group.add_argument(
        "--decisions",
        choices=[d.value for d in Decisions],
        default=Decisions.ASSUMED.value,
        help="how a search is confined to its part: by assumptions, which keep what the solver has learned, or on the"
        " solver's stack (default assumed)",
    )
    group.add_argument(
        "--under-always",
        action="store_true",
        help="look for a violation in what is inlined in every step, as the paper does, instead of when that has grown"
        " by half",
    )
    group.add_argument(
        "--split-interval", type=seconds, metavar="T", help=f"between splits (default {InlineOptions().interval:g}s)"
    )
    group.add_argument(
        "--slowdown",
        type=positive_number,
        metavar="K",
        help=f"split so many times less often while no worker waits (default {InlineOptions().slowdown:g})",
    )
    group.add_argument(
        "--unsplit-worker",
        action=argparse.BooleanOptionalAction,
        help=f"one of the workers searches the whole by itself, unsplit (default: with {UNSPLIT_FROM} workers or more);"
        f" of {DIFFERENT_FROM} or more, a second one does so in another way. Two workers begin like that, each in one"
        " way, and split what takes long, unless this is given",
    )


def number_of_workers(options: argparse.Namespace) -> int:
    if options.address is not None and options.on != "ray":
        raise UsageError("--address is that of a Ray cluster: it needs --on ray")
    if options.address is not None and options.workers is None:
        raise UsageError("how many workers may the cluster be asked for? Say --workers N")
    return options.workers or usable_cores()


def inline_options(options: argparse.Namespace) -> InlineOptions:
    """How workers share a search; what they search is not among these."""
    usual = InlineOptions()
    return InlineOptions(
        splits=Splits(options.splits),
        queues=Queues(options.queues),
        rate=Rate(options.split_rate),
        decisions=Decisions(options.decisions),
        interval=options.split_interval or usual.interval,
        slowdown=options.slowdown or usual.slowdown,
        unsplit=options.unsplit_worker,
    )


def folder(options: argparse.Namespace) -> Path:
    """Where to look for runs."""
    return Path(options.journal) if options.journal else default_folder()


def folder_to_write(options: argparse.Namespace) -> Path | None:
    """Where to keep runs, None for nowhere. Nobody asked for the default: where it can't be, there is only a note."""
    if options.journal == NONE:
        return None
    chosen = folder(options)
    try:
        chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(chosen, os.W_OK | os.X_OK):
            raise PermissionError(13, "no permission to write there")
    except OSError as error:
        if options.journal:
            raise UsageError(f"can't keep journals in {chosen}: {error.strerror}") from None
        print(f"cleave: no journal is kept: {chosen}: {error.strerror}", file=sys.stderr)
        return None
    return chosen


def _home_as_tilde(path: Path) -> str:
    return str(Path("~") / path.relative_to(Path.home())) if path.is_relative_to(Path.home()) else str(path)
