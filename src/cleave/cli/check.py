"""``cleave check``: whether a certificate shows what it claims. The checker is a package of its own, `cleave_check`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from cleave.errors import UsageError

if TYPE_CHECKING:
    from cleave_check.certificate import Certificate


def add_to(commands: Any) -> None:
    from cleave_check.__main__ import add_arguments

    parser = commands.add_parser(
        "check",
        help="check a certificate, without any engine",
        description="Checks a certificate that --certificate wrote, without any engine: its claim, its evidence and,"
        " if files are given, that it is about them. Exit codes: 0 accepted, 11 refused, 12 not a readable"
        " certificate, 13 about another source, 14 undecided.",
    )
    add_arguments(parser)
    parser.add_argument(
        "--reread", action="store_true", help="read the files again with Cleave's front end, and compare the programs"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from cleave_check.__main__ import run as check

    if options.reread and not options.files:
        raise UsageError("--reread needs the files that the certificate is about")
    files = [source for file in options.files for source in _sources(file)]
    again = (lambda certificate: _read_again(certificate, files)) if options.reread else None
    return check(options.certificate, files, options.solver, options.seconds, again)


def _sources(file: str) -> list[str]:
    """The files of a program, which a task definition names."""
    from cleave.run.request import Options
    from cleave.run.tasks import ENDINGS, resolve_task

    if PurePath(file).suffix.lower() not in ENDINGS:
        return [file]
    task = resolve_task(file, Options())
    return [task.file, *task.options.c.others]


def _read_again(certificate: Certificate, files: Sequence[str]) -> str:
    """Raises `OtherSource` if the files are another program now."""
    import msgspec

    from cleave.export.certificate import subject_of
    from cleave.frontends.boogie_options import BoogieOptions
    from cleave.frontends.c.options import COptions
    from cleave.frontends.input import read_input
    from cleave.ir.program import Property
    from cleave_check.refusal import OtherSource, Unreadable

    try:
        about = msgspec.convert(certificate.origin["reading"], dict[str, Any])
        c = replace(msgspec.convert(about["c"], COptions), others=tuple(files[1:]))
        boogie = replace(msgspec.convert(about["boogie"], BoogieOptions), others=tuple(files[1:]))
        asked = None if about["property"] is None else Property(about["property"])
        entry = msgspec.convert(about["entry"], str | None)
    except (msgspec.MsgspecError, KeyError, ValueError, TypeError):
        raise Unreadable("the certificate does not say how its source was read") from None
    input = read_input(files[0], entry=entry, property=asked, c=c, boogie=boogie)
    if subject_of(input) != certificate.subject:
        raise OtherSource("the front end makes another program of the source than the certificate holds")
    return "the source was read again, and is the program that the certificate holds"
