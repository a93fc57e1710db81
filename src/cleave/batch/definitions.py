"""Benchmark definitions of BenchExec (``.xml``) as tasks: run definitions, sets of tasks, options and limits.

    <benchmark tool="cleave.benchexec" timelimit="900 s" memlimit="8 GB">
      <rundefinition name="loops"><tasks><includesfile>Loops.set</includesfile></tasks></rundefinition>
      <propertyfile>unreach-call.prp</propertyfile>
    </benchmark>

Options that name a file to write are left out: tasks of a batch run side by side in one folder.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cleave.batch.collect import of_definition, patterns_of, tasks_of
from cleave.batch.task import Limits, Task
from cleave.errors import InputError
from cleave.export.exports import EXPORTS
from cleave.frontends.read import read_bytes

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SECONDS = {"": 1, "s": 1, "min": 60, "h": 3600, "d": 86400}
_MEGABYTES = {"": 1, "MB": 1, "GB": 1000, "TB": 1_000_000, "kB": 0.001, "B": 0.000001}
_WRITTEN = frozenset(f"--{one.name}" for one in EXPORTS)


def tasks_of_definition(file: Path) -> Iterator[Task]:
    from xml.etree import ElementTree

    try:
        top = ElementTree.fromstring(read_bytes(str(file)))
    except ElementTree.ParseError as error:
        raise InputError(f"this is no XML: {error}", file=str(file), line=error.position[0]) from None
    limits = _limits(top, file)
    runs = top.findall("rundefinition") or [ElementTree.Element("rundefinition")]
    for run in runs:
        for tasks in [*top.findall("tasks"), *run.findall("tasks")]:
            arguments = _options(top, run, tasks)
            wanted = next((_text(one) for part in (tasks, run, top) for one in part.findall("propertyfile")), None)
            for named in _included(tasks, file.parent):
                for task in _one(Path(named), Path(wanted).stem if wanted else None, arguments):
                    name = " ".join(filter(None, (run.get("name", ""), task.name)))
                    yield msgspec.structs.replace(task, name=name, limits=limits)


def _one(named: Path, wanted: str | None, arguments: tuple[str, ...]) -> Iterator[Task]:
    if named.suffix.lower() in (".yml", ".yaml"):
        yield from of_definition(named, wanted, arguments)
    else:
        for task in tasks_of(str(named)):
            yield msgspec.structs.replace(task, arguments=(*arguments, *task.arguments))


def _included(tasks: Element, folder: Path) -> list[str]:
    def matches(kind: str) -> list[str]:
        patterns = [str(folder / _text(one)) for one in tasks.findall(kind)]
        for one in tasks.findall(f"{kind}sfile"):
            for listed in sorted(glob.glob(str(folder / _text(one)))):
                patterns += patterns_of(Path(listed))
        return [match for pattern in patterns for match in sorted(glob.glob(pattern, recursive=True))]

    excluded = set(matches("exclude"))
    return [one for one in dict.fromkeys(matches("include")) if one not in excluded]


def _options(*parts: Element) -> tuple[str, ...]:
    found: list[str] = []
    for part in parts:
        for option in part.findall("option"):
            name, value = option.get("name", ""), (option.text or "").strip()
            if name not in _WRITTEN:
                found += filter(None, (name, value))
    return tuple(found)


def _limits(top: Element, file: Path) -> Limits:
    return Limits(
        seconds=_amount(top.get("walltimelimit"), _SECONDS, file),
        cpu_seconds=_amount(top.get("timelimit"), _SECONDS, file),
        memory_mb=round(_amount(top.get("memlimit"), _MEGABYTES, file)),
    )


def _amount(text: str | None, units: dict[str, float] | dict[str, int], file: Path) -> float:
    if text is None:
        return 0.0
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", text)
    if match is None or match[2] not in units:
        raise InputError(
            f"the limit {text!r} is not a number with one of the units {', '.join(filter(None, units))}", file=str(file)
        )
    return float(match[1]) * units[match[2]]


def _text(element: Element) -> str:
    return (element.text or "").strip()
