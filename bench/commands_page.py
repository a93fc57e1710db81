"""docs/guide/commands.md: every command with its options, made from the parsers of the command line.

python -m bench.commands_page > docs/guide/commands.md
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator
from unittest.mock import patch

from cleave.cli.arguments import Extent
from cleave.cli.main import parser

_PAGE = """\
# Commands and their options

*Made by `make docs` from the command line itself; a test compares.*

`cleave COMMAND --help` prints the same in a terminal. `-v` logs steps with their times, `-vv` also queries to solvers.
Options that belong to one engine are in [Options of the engines](options.md).
"""
_OF_ENGINES = ("options of",)  # groups of options that have a page of their own
_TITLES = {"positional arguments": "arguments"}
_LEFT_OUT = {"-h", "--help", "--help-all", "-v", "--verbose"}


def page() -> str:
    with patch.dict(os.environ):
        os.environ.pop("XDG_STATE_HOME", None)  # a default that is printed
        actions = parser(extent=Extent.ENGINES)._actions
    (commands,) = (one for one in actions if isinstance(one, argparse._SubParsersAction))
    said = {one.dest: one.help or "" for one in commands._choices_actions}
    known = {""}
    sections = [_section(name, command, known) for name, command in commands.choices.items()]
    overview = ["", "| command | what it does |", "| --- | --- |"]
    overview += [f"| [`{name}`](#cleave-{name}) | {said[name]} |" for name in commands.choices]
    return _PAGE + "\n".join(overview) + "\n" + "".join(sections)


def _section(name: str, command: argparse.ArgumentParser, known: set[str]) -> str:
    text = _plain(command.description or command.prog)
    lines = [f"\n## cleave {name}\n\n{text}\n"]
    again = []
    for group in command._action_groups:
        title = _TITLES.get(group.title or "", group.title or "")
        rows = "" if title.startswith(_OF_ENGINES) else "".join(_rows(command, group._group_actions))
        if rows in known:
            again += [f"*{title}*"] if rows else []
        else:
            lines.append(f"\n| {_cell(title)} | |\n| --- | --- |\n{rows}")
        known.add(rows)
    if again:
        lines.append(f"\nAlso, as above: {', '.join(again)}.\n")
    return "".join(lines)


def _rows(command: argparse.ArgumentParser, actions: Iterable[argparse.Action]) -> Iterator[str]:
    for action in actions:
        if action.help == argparse.SUPPRESS or _LEFT_OUT & set(action.option_strings):
            continue
        text = command._get_formatter()._expand_help(action) if action.help else ""
        yield f"| `{_cell(_named(action))}` | {_cell(_machines(text))} |\n"


def _named(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar or action.dest)
    flags = ", ".join(action.option_strings)
    if action.nargs == 0:
        return flags
    values = ",".join(map(str, action.choices)) if action.choices else str(action.metavar or action.dest.upper())
    return f"{flags} {values}"


def _machines(text: str) -> str:
    """Without what this machine only says."""
    return re.sub(r", here \d+\)", ")", text)


def _plain(text: str) -> str:
    return "\n".join(" ".join(part.split()) + "\n" for part in text.split("\n\n")).strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
