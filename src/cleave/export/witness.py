"""Verification witnesses in the YAML format that SV-COMP's validators read, version 2.0, and 2.2 with several threads.

    - entry_type: "violation_sequence"            of `unsafe`: waypoints of the execution
      metadata: …
      content: [{"segment": […]}, …]
    - entry_type: "invariant_set"                 of `safe`: invariants of loops, if the engine has found some
      content: [{"invariant": …}, …]

`bounded-safe` and `unknown` have none: the format has nothing to say about bounds.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from cleave.export.inputs import Inputs
from cleave.export.invariants import invariants_of
from cleave.export.waypoints import violation_of
from cleave.export.yaml import print_yaml
from cleave.frontends.c.options import Check
from cleave.verdict import Result, Safe, Unsafe
from cleave.version import __version__

_FORMAT, _FORMAT_OF_THREADS = "2.0", "2.2"
_ERRORS = ("reach_error", "__VERIFIER_error")  # the functions that properties are about, the usual one first
_MODELS = {32: "ILP32", 64: "LP64"}
_SPECIFICATIONS = {Check.REACH: "G ! call({error}())", Check.DATA_RACE: "G ! data-race"}
CHECKS = frozenset(_SPECIFICATIONS)
"""What the format has a specification for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessTask:
    """What a witness is about. ``command`` is the command line that led to it."""

    inputs: Inputs
    bits: Literal[32, 64]
    check: Check
    command: str


def witness(task: WitnessTask, result: Result, when: datetime | None = None) -> str | None:
    """The text of a witness; None for a verdict that has none."""
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
    return print_yaml([{"entry_type": kind, "metadata": metadata, "content": content}])


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
            "specification": _specification(task, result),
            "data_model": _MODELS[task.bits],
            "language": "C",
        },
    }


def _specification(task: WitnessTask, result: Result) -> str:
    """About the function that was called or, as long as none was, the one that the program names."""
    violated = result.verdict.trace.violated if isinstance(result.verdict, Unsafe) else ""
    called = [name for name in _ERRORS if violated.startswith(f"{name} ")]
    named = [name for name in _ERRORS if any(name.encode() in text for text in task.inputs.contents.values())]
    return _SPECIFICATIONS[task.check].format(error=(*called, *named, *_ERRORS)[0])
