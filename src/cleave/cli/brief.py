"""The short help of ``verify`` and ``plan``: what most users need, on one screen. ``--help-all`` has everything.

    usage: cleave verify FILE [FILE ...] [options]
    ...
      --check A,B       what to check: assertions, memory, ...

The lists of engines, properties and files come from their tables, so that those of other packages are in it.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

_FLAGS: Mapping[str, str] = {
    "--engine": "one engine instead of a plan of several: {engines}",
    "--check": "C: what to check, one or several: {properties}",
    "--property-file": "C: what to check, as SV-COMP writes it",
    "--each": "C: a verdict for each check, in one table",
    "--32": "C: int, long and pointers have 32 bits",
    "-D": "C: define a macro",
    "-I": "C: look for headers there",
    "--timelimit": "wall time for each file: 60, 90s, 5m",
    "--memlimit": "memory of all processes together: 4000 (MB), 4GB",
    "--workers": "number of processes that search (default: one for each core)",
    "--on": "where workers run: on this machine, or on a Ray cluster",
    "--unwind": "number of iterations of each loop that are searched",
    "--contexts": "programs with threads: number of contexts",
    "--recursion-bound": "inline: depth of recursion and iterations of loops",
    "--json": "print one JSON object for each file",
    "--trace": "how much of a counterexample to print: compact, full or none",
    "--quiet": "print no progress",
}
"""The flags of the short help, in its order. What a command does not have is left out."""

_WIDTH, _LEAST_WIDTH = 100, 40
_COLUMN = 20


class BriefHelp(argparse.Action):
    """``--help``: prints the short help and ends."""

    def __init__(self, option_strings: list[str], dest: str, **about: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help="show a short help and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(brief_help(parser), end="")
        parser.exit()


def add_help(parser: argparse.ArgumentParser) -> None:
    """To a parser that was made without help."""
    parser.add_argument("-h", "--help", action=BriefHelp)
    parser.add_argument("--help-all", action="help", help="show all options and exit")


def brief_help(parser: argparse.ArgumentParser) -> str:
    import shutil  # with all formats of archives

    width = max(_LEAST_WIDTH, min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns))
    actions = {flag: action for action in parser._actions for flag in action.option_strings}
    lines = [f"usage: {parser.prog} FILE [FILE ...] [options]", ""]
    lines += [*textwrap.wrap(parser.description or "", width), "", "options:"]
    names = _names()
    for flag, text in _FLAGS.items():
        if (action := actions.get(flag)) is not None:
            lines += _entry(_said(flag, action), text.format(**names), width)
    lines += _entry("--NAME FILE", f"write a file about the result: {names['files']}", width)
    lines += ["", f"all options: {parser.prog} --help-all; topics: cleave help"]
    return "\n".join(lines) + "\n"


def _names() -> dict[str, str]:
    """What the tables list, those of other packages too."""
    from cleave.engines.registry import engines
    from cleave.export.exports import exports
    from cleave.frontends.c.properties.registry import properties

    return {
        "engines": ", ".join(one.name for one in engines()),
        "properties": ", ".join(properties()),
        "files": ", ".join(f"--{one.name}" for one in exports()),
    }


def _said(flag: str, action: argparse.Action) -> str:
    if action.nargs == 0:
        return flag
    values = f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.metavar
    return f"{flag} {values}" if isinstance(values, str) and len(values) < _COLUMN - len(flag) else flag


def _entry(flag: str, text: str, width: int) -> Iterable[str]:
    first, *rest = textwrap.wrap(text, width - _COLUMN - 2, break_on_hyphens=False)
    yield f"  {flag:<{_COLUMN}}{first}" if len(flag) < _COLUMN else f"  {flag}  {first}"
    yield from (" " * (_COLUMN + 2) + line for line in rest)
