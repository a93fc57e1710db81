"""The arguments that say what to verify and how: the same for ``verify`` and ``plan``, made from the tables of engines
and exports."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from cleave.cli.arguments import Extent, Once, add_limits, whole_number
from cleave.cli.c_arguments import INTEGERS, add_c, c_options
from cleave.cli.printing import say
from cleave.engines.registry import engine, engines, names
from cleave.errors import UsageError
from cleave.export.exports import EXPORTS, exports
from cleave.frontends.boogie_options import BoogieOptions
from cleave.ir.program import Property
from cleave.journal.places import default_folder
from cleave.run.request import AUTO, Options
from cleave.watch import usable_cores

NONE = "none"
_WORKERS = """\
A worker is a process with its own solver. The verdict does not depend on the number of workers. If a worker
crashes, another one gets its job (see docs/design/distributed.md).
"""


def add_problem(parser: argparse.ArgumentParser, extent: Extent) -> None:
    known = list(engines()) if extent is Extent.ALL else [engine(name) for name in names()]
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a program in Boogie (.bpl) or C (.c, .i), Horn clauses (.smt2), a transition system (.vmt, .btor2, .mcmt,"
        " .aag, ARMC's .pl), or a task definition that names one (.yml); all C files together are one program",
    )
    parser.add_argument(
        "--engine",
        action=Once,
        metavar="NAME",
        help="one engine instead of a plan of several (`cleave plan` shows it): "
        + "; ".join(f"{one.name}: {one.purpose}" for one in known)
        + f"; {AUTO}: the default",
    )
    parser.add_argument(
        "--entry", metavar="PROC", help="the procedure to start from (default: the one marked {:entrypoint}, else main)"
    )
    parser.add_argument(
        "--invariants-from",
        choices=("pdr",),
        help="for inline: pdr looks for invariants of procedures and loops for a short time. They are checked, and then"
        " used in the search",
    )
    parser.add_argument(
        "--property",
        choices=[p.value for p in Property],
        help="what a violation is: a failing assertion, or that the entry procedure can return (default: what the"
        " program asks; see docs/guide/boogie-input.md)",
    )
    boogie = parser.add_argument_group("programs in Boogie (see docs/guide/boogie-input.md)")
    boogie.add_argument(
        "--with", dest="others", action="append", default=[], metavar="FILE", help="another file of the program"
    )
    boogie.add_argument(
        "--modular",
        action="store_true",
        help="verify each procedure against its contract, with loops cut at their invariants, in one table; the time"
        " limit holds for all of them together",
    )
    boogie.add_argument(
        "--infer",
        choices=("houdini",),
        help="the same, after inferring values of the constants that are marked {:existential}",
    )
    boogie.add_argument("--cooperative", action="store_true", help="threads are interrupted only at yield statements")
    add_c(parser, everything=extent is Extent.ALL)
    _add_workers(parser)
    add_limits(parser.add_argument_group("limits, for each file"))
    files = parser.add_argument_group("files to write about one program (see docs/guide/evidence.md)")
    written = list(exports()) if extent is Extent.ALL else EXPORTS
    for export in written:
        files.add_argument(f"--{export.name}", metavar="FILE", help=export.help)
    parser.set_defaults(known_exports=[export.name for export in written])
    if extent is not Extent.USUAL:
        from cleave.run.options import flags  # looks through all types: most commands have no such flag

        flags(parser, known)
    parser.set_defaults(known_engines=known if extent is not Extent.USUAL else [])


def _add_workers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("workers", _WORKERS)
    group.add_argument(
        "--workers",
        type=whole_number,
        metavar="N",
        help=f"number of workers (default: one for each core that Cleave may use, here {usable_cores()})",
    )
    group.add_argument(
        "--on",
        choices=("local", "ray", "simulated"),
        default="local",
        help="where workers run: processes on this machine, a Ray cluster (needs the extra ray), or simulated in this"
        " process, in virtual time (default local)",
    )
    group.add_argument(
        "--address",
        metavar="ADDR",
        help="address of the Ray cluster, such as 10.0.0.1:6379 or auto. With --on ray and no address, a Ray is started"
        " for the run",
    )
    purpose = "folder for the journal of the run, which records what happened and can be resumed; none: no journal"
    add_journal(group, purpose)


def add_journal(group: argparse._ActionsContainer, purpose: str) -> None:
    group.add_argument("--journal", metavar="DIR", help=f"{purpose} (default {_home_as_tilde(default_folder())})")


def chosen_options(options: argparse.Namespace) -> Options:
    """What the arguments say. What was not given has the defaults of `Options`."""
    if options.address is not None and options.on != "ray":
        raise UsageError("--address is that of a Ray cluster: it needs --on ray")
    if options.address is not None and options.workers is None:
        raise UsageError("how many workers may the cluster be asked for? Say --workers N")
    told = _told(options)
    return Options(
        engine=options.engine,
        engines=_engine_options(options, told),
        given=tuple(told),
        each=options.each,
        entry=options.entry,
        property=Property(options.property) if options.property else None,
        c=c_options(options),
        modular=options.modular,
        infer=options.infer,
        boogie=BoogieOptions(cooperative=options.cooperative, others=tuple(options.others)),
        integers=INTEGERS[options.integers],
        invariants_from=options.invariants_from,
        timelimit=options.timelimit,
        cputimelimit=options.cputimelimit,
        memlimit_mb=options.memlimit,
        workers=options.workers or usable_cores(),
        runtime=options.on,
        address=options.address,
        journal=folder_to_write(options),
        read=tuple(options.property_file or ()),
        outputs={name: file for name in options.known_exports if (file := getattr(options, name)) is not None},
        command=shlex.join(["cleave", *options.arguments]),
    )


def _told(options: argparse.Namespace) -> dict[str, Any]:
    """The options of engines that were given."""
    if not options.known_engines:
        return {}
    from cleave.run.options import given

    return given(options, options.known_engines)


def _engine_options(options: argparse.Namespace, told: dict[str, Any]) -> tuple[Any, ...]:
    """Of each engine that has one of the options that were given."""
    if not told:
        return ()
    from cleave.run.options import options_for

    return tuple(one.options(**own) for one in options.known_engines if (own := options_for(one, told)))


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
        say(f"cleave: no journal is kept: {chosen}: {error.strerror}", file=sys.stderr)
        return None
    return chosen


def _home_as_tilde(path: Path) -> str:
    return str(Path("~") / path.relative_to(Path.home())) if path.is_relative_to(Path.home()) else str(path)
