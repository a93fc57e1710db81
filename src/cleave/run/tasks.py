"""Task definitions (``.yml``) as input: they name the program, its data model, what to check and the expected verdict.

task = resolve_task("loop.yml", options)
task.file, task.options                  # loop.c, for 32 bit
task.answered(result)                    # the result, with what was expected
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePath
from typing import Literal

from cleave.errors import InputError, UnsupportedError, UsageError
from cleave.frontends.c.properties.built_in import ASSERTIONS
from cleave.frontends.c.properties.registry import chosen, properties
from cleave.frontends.c.property_file import properties_of
from cleave.frontends.read import is_boogie, is_c, read_bytes
from cleave.frontends.task_definition import ExpectedProperty, TaskDefinition, read_task_definition
from cleave.records import dataclass
from cleave.run.request import Options
from cleave.verdict import Result, Safe, Unsafe

ENDINGS = frozenset({".yml", ".yaml"})
_CLAUSES = "check-sat"  # the property of Horn clauses
_BITS: dict[str, Literal[32, 64]] = {"ILP32": 32, "LP64": 64}


@dataclass(frozen=True, slots=True)
class ResolvedTask:
    """A file and how to verify it; ``expected`` is the verdict that somebody else says it has."""

    file: str
    options: Options
    expected: str | None = None

    def answered(self, result: Result) -> Result:
        return result if self.expected is None else replace(result, expected=self.expected)


def resolve_task(file: str, options: Options) -> ResolvedTask:
    """The task in ``file``, which is itself the program unless it is a task definition."""
    if PurePath(file).suffix.lower() not in ENDINGS:
        _check_language(file, options)
        return ResolvedTask(file, options)
    definition = read_task_definition(file, read_bytes(file))
    folder = Path(file).parent
    program, *others = (str(folder / name) for name in definition.input_files)
    if others and not all(map(is_c, (program, *others))):
        raise UnsupportedError(f"a task of {len(others) + 1} files; several are supported only in C", file=file)
    bits = options.c.bits or _BITS.get(definition.data_model or "")
    checks, expected = _properties(definition, options.c.checks, folder)
    if checks is None and expected is None and definition.properties:
        raise _refused(definition, file)
    c = replace(options.c, checks=checks)
    if is_c(program):
        files, model = (*options.c.others, *others), options.c.memory_model or "sc"
        c = replace(c, bits=bits, others=files, memory_model=model, array_bounds=False)
        c = replace(c, malloc_may_fail=bool(c.malloc_may_fail))
    options = replace(options, c=c)
    _check_language(program, options)
    return ResolvedTask(program, options, expected)


def _properties(
    definition: TaskDefinition, wanted: tuple[str, ...] | None, folder: Path
) -> tuple[tuple[str, ...] | None, str | None]:
    """What to check: what is wanted, else all that the task asks for and that can be checked; and the verdict that the
    task expects of these."""
    clauses = definition.expected(_CLAUSES)
    stated = {one: properties_of(one.file, _content(folder / one.file)) for one in definition.properties}
    names = wanted
    if wanted is None:
        names = tuple(dict.fromkeys(name for own in stated.values() for name in own)) or None
    if names is None:
        return None, clauses.verdict if clauses is not None else None
    asked = {one.name for one in chosen(names)}
    return names, _expected([(one, set(own)) for one, own in stated.items() if own], asked)


def _expected(stated: list[tuple[ExpectedProperty, set[str]]], asked: set[str]) -> str | None:
    """One that is violated is enough for `unsafe`; for `safe` each must be expected to hold."""
    about = [(one, own) for one, own in stated if own & asked]
    if any(one.verdict == Unsafe.word and own <= asked for one, own in about):
        return Unsafe.word
    held = set[str]().union(*(own for one, own in about if one.verdict == Safe.word))
    return Safe.word if asked and asked <= held else None


def _content(file: Path) -> bytes | None:
    try:
        return read_bytes(str(file))
    except InputError:  # names are enough for those that everybody knows
        return None


def _refused(definition: TaskDefinition, file: str) -> UnsupportedError:
    names = ", ".join(one.name for one in definition.properties)
    competition = (name for one in properties().values() for name in one.competition)
    known = ", ".join((*competition, _CLAUSES))
    return UnsupportedError(f"of the task's properties ({names}) none is one of {known}", file=file)


def _check_language(file: str, options: Options) -> None:
    if is_c(file):
        return
    others = [one.name for one in chosen(options.c.checks) if one.name != ASSERTIONS]
    if options.c.checks is not None and others and not is_boogie(file):
        raise UsageError(f"{file}: --check {','.join(others)} is for programs in C")
    if options.c.others:
        raise UsageError(f"{file}: several files are one program only in C")
