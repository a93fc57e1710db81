"""Verification witnesses in the YAML format that SV-COMP's validators read, version 2.0, and 2.2 with several threads.

    - entry_type: violation_sequence              of `unsafe`: waypoints of the execution
      metadata: …
      content: [{"segment": […]}, …]
    - entry_type: invariant_set                   of `safe`: invariants of loops, if the engine has found some
      content: [{"invariant": …}, …]

`bounded-safe` and `unknown` have none: the format has nothing to say about bounds.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal

from cleave.export.exports import About
from cleave.export.inputs import Inputs
from cleave.export.invariants import invariants_of
from cleave.export.waypoints import violation_of
from cleave.frontends.c.properties.built_in import ASSERTIONS, DEADLOCK, ERROR_LABEL
from cleave.frontends.c.properties.registry import chosen, properties
from cleave.frontends.input import Input
from cleave.ir.store_buffers import MODELS
from cleave.records import dataclass
from cleave.verdict import Result, Safe, Unsafe
from cleave.version import __version__

_FORMAT, _FORMAT_OF_THREADS = "2.0", "2.2"
_ERRORS = ("reach_error", "__VERIFIER_error")  # the functions that properties are about, the usual one first
_MODELS = {32: "ILP32", 64: "LP64"}
_NOT_SAID = frozenset((DEADLOCK, ERROR_LABEL))  # by the format, though property files have formulas for them


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessTask:
    """What a witness is about. ``command`` is the command line that led to it."""

    inputs: Inputs
    bits: Literal[32, 64]
    command: str


def can_be_said(properties: Iterable[str]) -> bool:
    """Whether the format has words for one of the properties."""
    return any(_formulas(name) for name in properties)


def witness_text(about: About, result: Result) -> str | None:
    return witness(task_of(about), result)


def task_of(about: About) -> WitnessTask:
    from cleave.frontends.c.clang.compile import declares_32_bit  # the compiler is large

    small = any(map(declares_32_bit, about.files.contents.values()))
    bits: Literal[32, 64] = about.input.c.bits or (32 if small else 64)
    return WitnessTask(inputs=about.files, bits=bits, command=about.command)


def refusal(input: Input) -> str | None:
    """Why no witness can be about this input."""
    if not input.is_c:
        return "--witness is for programs in C, the only language of witnesses; --sarif is for all"
    if input.c.memory_model in MODELS:
        return "--witness is about sequentially consistent memory: validators know no store buffers"
    names = [one.name for one in chosen(input.c.checks)]
    if not can_be_said(names):
        return f"the format of witnesses has no words for {', '.join(names)}; --sarif has"
    return None


def witness(task: WitnessTask, result: Result, when: datetime | None = None) -> str | None:
    """The text of a witness; None for a verdict that has none, or about a property that has no name in the format."""
    if not can_be_said(_about(result)):
        return None
    version, content = _FORMAT, list[Any]()
    match result.verdict:
        case Unsafe(trace):
            violation = violation_of(trace, task.inputs)
            version = _FORMAT_OF_THREADS if violation.threads else _FORMAT
            kind, content = "violation_sequence", [{"segment": segment} for segment in violation.segments]
        case Safe(invariants=found):
            kind, content = "invariant_set", invariants_of(found, task.inputs, task.bits)
        case _:
            return None
    metadata = _metadata(task, result, version, when or datetime.now(UTC))
    return _yaml([{"entry_type": kind, "metadata": metadata, "content": content}])


def _yaml(value: Any) -> str:
    """Without references from one place to another: not every reader of witnesses knows them."""
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    return str(yaml.dump(value, Dumper=Dumper, sort_keys=False, width=1 << 20))


def _metadata(task: WitnessTask, result: Result, version: str, when: datetime) -> dict[str, Any]:
    return {
        "format_version": version,
        "uuid": str(uuid.uuid4()),
        "creation_time": when.isoformat(timespec="seconds"),
        "producer": {
            "name": "Cleave",
            "version": __version__,
            "configuration": result.engine,
            "command_line": task.command,
        },
        "task": {
            "input_files": list(task.inputs.contents),
            "input_file_hashes": task.inputs.digests(),
            "specification": specification(task, result),
            "data_model": _MODELS[task.bits],
            "language": "C",
        },
    }


def specification(task: WitnessTask, result: Result) -> str:
    """Of what is violated, else of the first property that the format can say. An error function is the one that was
    called or, as long as none was, the one that the program names."""
    about = next(name for name in _about(result) if _formulas(name))
    if about != ASSERTIONS:
        return _formula(about, result)
    violated = result.verdict.trace.violated if isinstance(result.verdict, Unsafe) else ""
    called = [name for name in _ERRORS if violated.startswith(f"{name} ")]
    named = [name for name in _ERRORS if any(name.encode() in text for text in task.inputs.contents.values())]
    return f"G ! call({(*called, *named, *_ERRORS)[0]}())"


def _formula(property: str, result: Result) -> str:
    """The one that is violated, where a property has several."""
    formulas = _formulas(property)
    if not isinstance(result.verdict, Unsafe):
        return formulas[0]
    name = properties()[property].competition_name(result.verdict.trace.violated)
    return next((formula for formula in formulas if formula == f"G {name}"), formulas[0])


def _about(result: Result) -> tuple[str, ...]:
    check = result.verdict.trace.check if isinstance(result.verdict, Unsafe) else None
    return (check.property,) if check is not None else tuple(result.checked) or (ASSERTIONS,)


def _formulas(property: str) -> tuple[str, ...]:
    found = properties().get(property)
    return found.formulas if found is not None and property not in _NOT_SAID else ()
