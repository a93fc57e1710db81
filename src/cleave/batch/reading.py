"""The files that a task reads beside those that it names: a row is made again when one of them changes.

    loop.yml ─▶ loop.c ─▶ #include "queue.h" ─▶ #include "list.h"       and files that options name

Headers are found by their names, also those that a condition leaves out: one file too many does no harm. Those of the
system belong to the version of Cleave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from cleave.errors import CleaveError, InputError
from cleave.frontends.read import is_c, read_bytes
from cleave.frontends.task_definition import read_task_definition

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_DEFINITIONS = (".yml", ".yaml")


def files_read(files: Sequence[str], arguments: Sequence[str]) -> list[Path]:
    """Each once, the named ones first."""
    folders = list(_folders(arguments))
    waiting = [*map(Path, files), *_named(arguments)]
    found: dict[Path, None] = {}
    while waiting:
        file = waiting.pop(0)
        if file not in found:
            found[file] = None
            waiting += _next(file, folders, is_program=is_c(str(file)) or file.suffix == ".h")
    return list(found)


def _next(file: Path, folders: list[Path], *, is_program: bool) -> Iterator[Path]:
    if file.suffix.lower() in _DEFINITIONS:
        yield from inputs_of(file)
    if not is_program:
        return
    try:
        content = read_bytes(str(file))
    except InputError:
        return
    for quoted, angled in _INCLUDE.findall(content):
        name = (quoted or angled).decode("utf-8", "replace")
        places = [folder / name for folder in ([file.parent] if quoted else []) + folders]
        yield from (place for place in places if place.is_file())


def inputs_of(file: Path) -> list[Path]:
    """What a task definition names."""
    try:
        return [file.parent / name for name in read_task_definition(str(file), read_bytes(str(file))).input_files]
    except CleaveError:
        return []


def _folders(arguments: Sequence[str]) -> Iterator[Path]:
    for number, argument in enumerate(arguments):
        if argument == "-I" and number + 1 < len(arguments):
            yield Path(arguments[number + 1])
        elif argument.startswith("-I"):
            yield Path(argument[2:])


def _named(arguments: Sequence[str]) -> Iterator[Path]:
    """Options name files by themselves (--spec FILE) or behind a sign (--spec=FILE)."""
    for argument in arguments:
        path = Path(argument.partition("=")[2] if argument.startswith("-") else argument)
        if path.name and path.is_file():
            yield path
