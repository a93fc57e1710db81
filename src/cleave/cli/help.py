"""``cleave help``: topics, each on one screen. Facts that a table of the project has come from that table.

cleave help
cleave help engines
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cleave.cli.printing import say
from cleave.engines.text import table

_WIDTH = 100
_VERDICTS = """\
verdict        exit code   meaning
safe           0           no execution violates the property; no bound took part in the proof
bounded-safe   0           no execution within the printed bounds violates it (--strict: exit code 4)
unsafe         10          an execution violates it; the trace was replayed on the program as it was read
unknown        5           no answer, with the reason and how far the run got

The second line of a result names the properties that were checked. Nothing else was checked.
Code that did not find a proof checks it. A finding that can't be confirmed is unknown (unconfirmed).
Lines with note: list what this verdict assumes. docs/guide/assumptions.md lists all assumptions.
Errors have exit codes, too: 1 usage, 2 input that can't be read or parsed, 6 a defect of Cleave."""
_FORMATS = """\
.c, .i         C, with POSIX threads; all C files together are one program (needs the extra c)
.bpl           Boogie, as Boogie 2 and Corral use it
.smt2          constrained Horn clauses, as CHC-COMP fixes them
.vmt .btor2 .mcmt .aag .pl   transition systems: VMT, BTOR2, Sally, AIGER, ARMC
.yml           a task of SV-COMP or CHC-COMP, which names its program and its property"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser("help", help="explain verdicts, engines, properties, formats and files")
    parser.add_argument("topic", nargs="?", choices=sorted(_TOPICS), help="what to explain")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.topic is None:
        say("\n".join(_overview()))
    else:
        say(_TOPICS[options.topic]())
    return 0


def _overview() -> Iterable[str]:
    yield "cleave verify FILE gives a verdict: safe, bounded-safe, unsafe or unknown."
    yield ""
    yield "topics (cleave help TOPIC):"
    yield from table([("topic", "explains"), *_SAID.items()], right=(), indent="  ")
    yield ""
    yield "commands: cleave --help; options: cleave verify --help, and all of them: cleave verify --help-all"


def _engines() -> str:
    from cleave.engines.registry import engines

    lines = ["Without --engine, several of these work by a plan: cleave plan FILE prints it.", ""]
    for one in engines():
        lines += [f"{one.name:<12}{one.purpose}", f"{'':<12}takes {_kinds(one.kinds)}"]
    return "\n".join(lines)


def _kinds(kinds: Iterable[Any]) -> str:
    return ", ".join(sorted(kind.value for kind in kinds))


def _properties() -> str:
    from cleave.frontends.c.properties.registry import chosen, properties

    usual = {one.name for one in chosen(None)}
    lines = ["What --check can name for C. A star marks what is checked by default.", ""]
    for one in properties().values():
        mark = "*" if one.name in usual else " "
        first, *rest = textwrap.wrap(one.summary, _WIDTH - 20)
        lines += [f"{mark} {one.name:<18}{first}", *(" " * 20 + line for line in rest)]
    return "\n".join(lines)


def _files() -> str:
    from cleave.export.exports import exports

    rows = [("flag", "what it writes"), *((f"--{one.name} FILE", one.help) for one in exports())]
    return "\n".join(table(rows, right=(), indent=""))


_TOPICS: Mapping[str, Callable[[], str]] = {
    "verdicts": lambda: _VERDICTS,
    "engines": _engines,
    "properties": _properties,
    "formats": lambda: _FORMATS,
    "files": _files,
}
_SAID = {
    "verdicts": "the four verdicts, their exit codes, and what they rest on",
    "engines": "what each engine does and which inputs it takes",
    "properties": "what can be checked in C",
    "formats": "which files Cleave reads",
    "files": "what Cleave writes about a result: witnesses, reports, ...",
}
