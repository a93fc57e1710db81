"""Results as text for people and as JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from cleave.errors import CleaveError, InputError
from cleave.validate.folding import SKIPPED, compact
from cleave.verdict import BoundedSafe, Result, Safe, Trace, TraceStep, Unknown, Unsafe

_LINE = 140  # characters of a line of a compact trace, after which no further value follows
_INDENTED = 12  # calls deep; deeper ones are numbered


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
        found["trace"] = _trace_object(verdict.trace, full=trace == "full")
    return found


def _trace_object(whole: Trace, *, full: bool) -> dict[str, Any]:
    trace = whole if full else compact(whole)
    return {
        "violated": trace.violated,
        "location": _place(trace.location),
        "inputs": dict(trace.inputs),
        "inputs_left_out": len(whole.inputs) - len(trace.inputs),
        "steps_left_out": len(whole.steps) - _steps_of(trace),
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
    full = trace == "full"
    yield f"{verdict.word}  {file}"
    match verdict:
        case Safe():
            yield f"  no execution violates the property, whatever the bound; {verdict.validation}"
        case BoundedSafe(bounds, validation):
            shown = ", ".join(f"{name} bound {value}" for name, value in bounds.items())
            yield f"  no execution within {shown} violates the property; {validation}"
            yield "  the bound took part in the proof: a larger --recursion-bound may find more"
        case Unsafe(whole, validation):
            found = whole if full else compact(whole)
            yield f"  {found.violated}{f' at {found.location}' if found.location else ''}; {validation}"
        case Unknown():
            yield f"  {_reason(verdict)}"
    for assumption in result.assumptions:
        yield f"  note: {assumption}"
    yield f"  {_effort(result)}"
    if isinstance(verdict, Unsafe) and trace != "none":
        yield from _full_text(file, verdict.trace) if full else _compact_text(file, verdict.trace)


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


def _full_text(file: str, trace: Trace) -> Iterable[str]:
    yield "trace:"
    yield from (f"  {name} = {value}" for name, value in trace.inputs.items())
    width = _place_width(file, trace.steps)
    for step in trace.steps:
        yield f"{_step_text(file, step, width)}{_in_brackets('    ', step.values)}"


def _compact_text(file: str, whole: Trace) -> Iterable[str]:
    trace = compact(whole)
    yield "trace:"
    yield from (f"  {name} = {value}" for name, value in trace.inputs.items())
    width = _place_width(file, trace.steps)
    for step, results in _with_results(trace.steps):
        line = _step_text(file, step, width)
        line += _fitting("    [", _not_said(step), len(line))
        yield line + _fitting(" returns [", [f"{name} = {value}" for name, value in results.items()], len(line))
    yield from _left_out(whole, trace)


def _left_out(whole: Trace, trace: Trace) -> Iterable[str]:
    steps, inputs = len(whole.steps) - _steps_of(trace), len(whole.inputs) - len(trace.inputs)
    if steps or inputs:
        also = f" and {inputs} of {len(whole.inputs)} inputs" if inputs else ""
        yield f"  left out: {steps} of {len(whole.steps)} steps{also}; --trace full shows them"


def _steps_of(trace: Trace) -> int:
    return sum(step.kind != SKIPPED for step in trace.steps)


def _with_results(steps: Sequence[TraceStep]) -> Iterable[tuple[TraceStep, Mapping[str, str]]]:
    """Each step; a call of which nothing but the return is shown, together with what it returns."""
    told: TraceStep | None = None
    for step, after in zip(steps, (*steps[1:], None), strict=True):
        if step is not told:
            told = after if after is not None and step.kind == "call" and after.kind == "return" else None
            yield step, told.values if told is not None else {}


def _step_text(file: str, step: TraceStep, width: int) -> str:
    deep = f"({step.depth}) " if step.depth > _INDENTED else ""
    return f"  {_place_text(file, step):>{width}} {'  ' * min(step.depth, _INDENTED)}{deep}{step.text}"


def _place_text(file: str, step: TraceStep) -> str:
    """The line; where the program tells the user's own source, that file too."""
    if step.location is None:
        return ""
    if step.location.file == file:
        return str(step.location.line)
    return f"{PurePath(step.location.file).name}:{step.location.line}"


def _place_width(file: str, steps: Sequence[TraceStep]) -> int:
    return max((6, *(len(_place_text(file, step)) for step in steps)))


def _not_said(step: TraceStep) -> list[str]:
    """The values that a step set, but for those that its text tells."""
    return [f"{name} = {value}" for name, value in step.values.items() if step.text != f"{name} := {value}"]


def _fitting(before: str, values: Sequence[str], used: int) -> str:
    """As many values as the line has room for, but one at least."""
    shown: list[str] = []
    for value in values:
        used += len(value) + 2
        if shown and used > _LINE:
            shown.append("…")
            break
        shown.append(value)
    return f"{before}{', '.join(shown)}]" if shown else ""


def _in_brackets(before: str, values: Mapping[str, str]) -> str:
    return f"{before}[{', '.join(f'{name} = {value}' for name, value in values.items())}]" if values else ""
