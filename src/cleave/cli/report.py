"""Results as text for people and as JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from cleave.errors import CleaveError, InputError
from cleave.validate.trace import compact
from cleave.verdict import BoundedSafe, Result, Safe, Trace, TraceStep, Unknown, Unsafe


def print_result(file: str, result: Result, *, as_json: bool, trace: str) -> None:
    if as_json:
        print(json.dumps(as_object(file, result, trace=trace)), flush=True)
    else:
        print("\n".join(as_text(file, result, trace=trace)), flush=True)


def print_error(file: str, error: CleaveError, *, as_json: bool) -> None:
    if as_json:
        place = {"line": error.line, "column": error.column} if isinstance(error, InputError) and error.line else {}
        message = error.message if isinstance(error, InputError) else str(error)
        print(json.dumps({"file": file, "error": message, "exit_code": error.exit_code, **place}), flush=True)
    print(f"cleave: {error}", file=sys.stderr, flush=True)


# --- JSON -----------------------------------------------------------------------------------------------------------


def as_object(file: str, result: Result, *, trace: str) -> dict[str, Any]:
    verdict = result.verdict
    found: dict[str, Any] = {
        "file": file,
        "verdict": verdict.word,
        "reason": _reason(verdict) if isinstance(verdict, Unknown) else None,
        "engine": result.engine,
        "bounds": dict(result.bounds),
        "seconds": round(result.seconds, 3),
        "workers": result.workers,
        "statistics": {k: round(v, 3) if isinstance(v, float) else v for k, v in result.statistics.items()},
        "assumptions": list(result.assumptions),
        "validation": None if isinstance(verdict, Unknown) else verdict.validation,
    }
    if isinstance(verdict, Unsafe) and trace != "none":
        found["trace"] = _trace_object(verdict.trace if trace == "full" else compact(verdict.trace))
    return found


def _trace_object(trace: Trace) -> dict[str, Any]:
    return {
        "violated": trace.violated,
        "location": _place(trace.location),
        "inputs": dict(trace.inputs),
        "steps": [
            {
                "kind": step.kind,
                "procedure": step.procedure,
                "depth": step.depth,
                "location": _place(step.location),
                "text": step.text,
                "values": dict(step.values),
            }
            for step in trace.steps
        ],
    }


def _place(location: Any) -> dict[str, Any] | None:
    return None if location is None else {"file": location.file, "line": location.line, "column": location.column}


# --- text -----------------------------------------------------------------------------------------------------------


def as_text(file: str, result: Result, *, trace: str) -> Iterable[str]:
    verdict = result.verdict
    yield f"{verdict.word}  {file}"
    match verdict:
        case Safe():
            yield f"  no execution violates the property, whatever the bound; {verdict.validation}"
        case BoundedSafe(bounds, validation):
            shown = ", ".join(f"{name} bound {value}" for name, value in bounds.items())
            yield f"  no execution within {shown} violates the property; {validation}"
            yield "  the bound took part in the proof: a larger --recursion-bound may find more"
        case Unsafe(found, validation):
            yield f"  {found.violated}{f' at {found.location}' if found.location else ''}; {validation}"
        case Unknown():
            yield f"  {_reason(verdict)}"
    for assumption in result.assumptions:
        yield f"  note: {assumption}"
    yield f"  {_effort(result)}"
    if isinstance(verdict, Unsafe) and trace != "none":
        yield from _trace_text(verdict.trace if trace == "full" else compact(verdict.trace))


def _reason(verdict: Unknown) -> str:
    return f"{verdict.reason.value}: {verdict.detail}" if verdict.detail else verdict.reason.value


def _effort(result: Result) -> str:
    counters = result.statistics
    spent = f"{result.seconds:.1f} s"
    if "instances" not in counters:
        return spent
    return (
        f"{spent}; {counters['instances']} instances, {counters['merges']} merges, {counters['open_calls']} calls open,"
        f" {counters['blocked_calls']} at the bound, {counters['checks']} checks, solver cost {counters['cost']}"
    )


def _trace_text(trace: Trace) -> Iterable[str]:
    yield "trace:"
    for name, value in trace.inputs.items():
        yield f"  {name} = {value}"
    for step in trace.steps:
        yield _step_text(step)


def _step_text(step: TraceStep) -> str:
    place = f"{step.location.line}" if step.location else ""
    values = ", ".join(f"{name} = {value}" for name, value in step.values.items())
    return f"  {place:>6} {'  ' * step.depth}{step.text}{f'    [{values}]' if values else ''}"
