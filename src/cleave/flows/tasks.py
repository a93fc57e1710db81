"""Task definitions (``.yml``) as input: they name the program, its data model and the verdict that is expected.

task = resolve_task("loop.yml", options)
task.file, task.options                  # loop.c, for 32 bit
task.answered(result)                    # the result, with what was expected
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Literal

from cleave.errors import UnsupportedError
from cleave.flows.options import Options
from cleave.frontends.read import read_bytes
from cleave.frontends.task_definition import ExpectedProperty, TaskDefinition, read_task_definition
from cleave.verdict import Result

ENDINGS = frozenset({".yml", ".yaml"})
_SUPPORTED = ("unreach-call", "check-sat")
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
        return ResolvedTask(file, options)
    definition = read_task_definition(file, read_bytes(file))
    if len(definition.input_files) != 1:
        raise UnsupportedError(f"a task of {len(definition.input_files)} files; one is supported", file=file)
    program = str(Path(file).parent / definition.input_files[0])
    bits = _BITS.get(definition.data_model or "")
    if bits is not None and options.c.bits is None:
        options = replace(options, c=replace(options.c, bits=bits))
    found = _supported(definition)
    if found is None and definition.properties:
        names = ", ".join(one.name for one in definition.properties)
        raise UnsupportedError(f"of the task's properties ({names}) none is unreach-call or check-sat", file=file)
    return ResolvedTask(program, options, found.verdict if found is not None else None)


def _supported(definition: TaskDefinition) -> ExpectedProperty | None:
    return next((found for name in _SUPPORTED if (found := definition.expected(name)) is not None), None)
