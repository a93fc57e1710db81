"""Tasks from what a user names: folders, patterns, programs, task definitions, sets, lists, BenchExec's definitions.

collect(["tasks/", "extra/*.c", "loops.set", "svcomp.xml", "list.csv"])

a program         itself; each C file is a program of its own
.yml              one for each property of the task definition that Cleave checks
a folder          its list (tasks.tsv, tasks.csv or index.tsv); without one, all task definitions, and the programs
                  that none of them names
a pattern         all that it matches
.set              a pattern on each line, relative to the file
.csv, .tsv        a row each: file (several with ;), and if wanted expected, name, check, options
.xml              a benchmark definition of BenchExec
"""

from __future__ import annotations

import csv
import glob
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from cleave.batch.reading import inputs_of
from cleave.batch.task import Task
from cleave.errors import InputError
from cleave.frontends.c.property_file import properties_of
from cleave.frontends.clauses import READERS as CLAUSES
from cleave.frontends.read import READERS as PROGRAMS
from cleave.frontends.read import read_bytes
from cleave.frontends.task_definition import TaskDefinition, read_task_definition

_LISTS = ("tasks.tsv", "tasks.csv", "index.tsv")
_SET = ".set"
_DEFINITIONS = (".yml", ".yaml")
_ENDINGS = frozenset((*PROGRAMS, *CLAUSES))
_FILE_COLUMNS = ("file", "path", "task")
_CLAUSES = "check-sat"
_EXPECTED = {"safe": "safe", "true": "safe", "sat": "safe", "unsafe": "unsafe", "false": "unsafe", "unsat": "unsafe"}


def collect(named: Iterable[str]) -> list[Task]:
    """In the order of the arguments, in folders by name, each task once, each with a name of its own."""
    found: dict[tuple[object, ...], Task] = {}
    for one in named:
        tasks = list(tasks_of(one))
        if not tasks:
            raise InputError(
                "no task is here: no program, and no task definition with a property that is checked", file=one
            )
        for task in tasks:
            found.setdefault((task.files, task.arguments), task)
    return list(found.values())


def tasks_of(named: str) -> Iterator[Task]:
    if os.path.isdir(named):
        yield from _folder(Path(named))
    elif os.path.exists(named):
        yield from _file(Path(named))
    else:
        matches = sorted(glob.glob(named, recursive=True))
        if not matches:
            raise InputError("there is no such file, and as a pattern it matches none", file=named)
        for match in matches:
            yield from tasks_of(match)


def _file(file: Path) -> Iterator[Task]:
    readers: dict[str, Callable[[Path], Iterator[Task]]] = {
        _SET: _set,
        ".csv": _listed,
        ".tsv": _listed,
        ".xml": _benchexec,
        **dict.fromkeys(_DEFINITIONS, of_definition),
    }
    yield from readers.get(file.suffix.lower(), _program)(file)


def _program(file: Path) -> Iterator[Task]:
    yield Task(name=str(file), files=(str(file),))


def _folder(folder: Path) -> Iterator[Task]:
    for name in _LISTS:
        if (folder / name).is_file():
            yield from _listed(folder / name)
            return
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path, folder))
    definitions = [path for path in files if path.suffix.lower() in _DEFINITIONS and _is_definition(path)]
    named = {os.path.realpath(file) for path in definitions for file in inputs_of(path)}
    for path in files:
        if path in definitions:
            yield from of_definition(path)
        elif path.suffix.lower() in _ENDINGS and os.path.realpath(path) not in named:
            yield from _program(path)


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _is_definition(file: Path) -> bool:
    """Other tools keep their settings in YAML, too."""
    try:
        return b"input_files" in read_bytes(str(file))
    except InputError:
        return False


# --- task definitions -----------------------------------------------------------------------------------------------


def of_definition(file: Path, wanted: str | None = None, arguments: tuple[str, ...] = ()) -> Iterator[Task]:
    """A task for each property that can be checked; ``wanted``: only for that of this property file, by name."""
    definition = read_task_definition(str(file), read_bytes(str(file)))
    for one in definition.properties:
        if wanted is not None and one.name != wanted:
            continue
        checks = _checks(definition, one.file, file.parent)
        if checks is not None:
            name = str(file) if len(definition.properties) == 1 else f"{file} {one.name}"
            told = (*arguments, *checks)
            yield Task(name=name, files=(str(file),), arguments=told, expected=one.verdict, asked=one.name)


def _checks(definition: TaskDefinition, property_file: str, folder: Path) -> tuple[str, ...] | None:
    """The arguments that ask for a property; None: it can't be checked."""
    if Path(property_file).stem == _CLAUSES:
        return ()
    try:
        content = read_bytes(str(folder / property_file))
    except InputError:
        content = None  # names are enough for those that everybody knows
    names = properties_of(property_file, content)
    is_c = (definition.language or "C").upper() == "C"
    return None if not names else ("--check", ",".join(names)) if is_c else ()


# --- lists ----------------------------------------------------------------------------------------------------------


def patterns_of(file: Path) -> Iterator[str]:
    """Of a ``.set`` file, relative to its place."""
    text = read_bytes(str(file)).decode("utf-8", "replace")
    for line in text.splitlines():
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            yield str(file.parent / pattern)


def _set(file: Path) -> Iterator[Task]:
    """A set may name others. One that comes back to itself adds nothing that is not there already."""
    pending, seen = [str(file)], set()
    while pending:
        named = pending.pop()
        if Path(named).suffix.lower() != _SET:
            yield from tasks_of(named)
        elif (real := os.path.realpath(named)) not in seen:
            seen.add(real)
            found = (sorted(glob.glob(pattern, recursive=True)) for pattern in patterns_of(Path(named)))
            pending += reversed([match for matches in found for match in matches])


def _listed(file: Path) -> Iterator[Task]:
    text = read_bytes(str(file)).decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.splitlines()
    if lines:
        lines[0] = lines[0].lstrip("# ")
    separator = "\t" if file.suffix.lower() == ".tsv" else ","
    for number, row in enumerate(csv.DictReader(lines, delimiter=separator), start=2):
        told = {str(key).strip().lower(): (value or "").strip() for key, value in row.items() if isinstance(value, str)}
        path = next((told[column] for column in _FILE_COLUMNS if told.get(column)), None)
        if path is None:
            raise InputError(
                "a row without a file: a column called file, path or task is needed", file=str(file), line=number
            )
        yield _row(file, number, path, told)


def _row(file: Path, number: int, path: str, told: dict[str, str]) -> Task:
    try:
        arguments = [*shlex.split(told.get("options", "")), *(["--check", told["check"]] if told.get("check") else [])]
    except ValueError as error:
        raise InputError(f"the options can't be split: {error}", file=str(file), line=number) from None
    files = tuple(str(file.parent / one) for one in path.split(";"))
    return Task(
        name=told.get("name") or " ".join((files[0], *arguments)),
        files=files,
        arguments=tuple(arguments),
        expected=_EXPECTED.get(told.get("expected", "").lower()),
        asked=told.get("check", ""),
    )


def _benchexec(file: Path) -> Iterator[Task]:
    from cleave.batch.definitions import tasks_of_definition

    return tasks_of_definition(file)
