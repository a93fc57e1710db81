"""Results as objects that JSON can hold: what ``--json`` prints and what a journal keeps.

>>> from cleave.verdict import Safe
>>> result_object("a.bpl", Result(Safe("checked"), "inline", {}, 0.25, 1, {}))["verdict"]
'safe'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from cleave.engines.registry import engine
from cleave.errors import CleaveError, InputError
from cleave.explain.folding import SKIPPED, compact
from cleave.ir.program import Location
from cleave.verdict import Reason, Result, Trace, Unknown, Unsafe

_VARYING = ("seconds", "workers", "run", "validation", "stages")


def result_object(file: str, result: Result, *, trace: str = "compact") -> dict[str, Any]:
    """``trace`` says how much of it: ``compact``, ``full`` or ``none``."""
    verdict = result.verdict
    found: dict[str, Any] = {
        "file": file,
        "verdict": verdict.word,
        "smtlib": result.smtlib,
        "expected": result.expected,
        "reason": _reason(verdict) if isinstance(verdict, Unknown) else None,
        "engine": result.engine,
        "bounds": dict(result.bounds),
        "seconds": round(result.seconds, 3),
        "workers": result.workers,
        "run": result.run,
        "statistics": {k: round(v, 3) if isinstance(v, float) else v for k, v in result.statistics.items()},
        "checked": dict(result.checked),
        "assumptions": list(result.assumptions),
        "validation": None if isinstance(verdict, Unknown) else verdict.validation,
    }
    if result.stages:
        found["stages"] = [asdict(stage) for stage in result.stages]
    if result.unwritten:
        found["unwritten"] = list(result.unwritten)
    if result.predicates:
        found["predicates"] = {location: list(own) for location, own in result.predicates.items()}
    if isinstance(verdict, Unsafe) and trace != "none":
        found["trace"] = _trace_object(verdict.trace, full=trace == "full")
    return found


def only_deterministic(found: Mapping[str, Any]) -> dict[str, Any]:
    """Without what depends on the machine, the workers and chance: times, costs, and who confirmed the verdict. What
    is left of a result of the cegar engine is the same in every run."""
    kept = {key: value for key, value in found.items() if key not in _VARYING}
    steady = engine(found["engine"]).counters.steady if found["engine"] else ()
    return {**kept, "statistics": {key: value for key, value in found["statistics"].items() if key in steady}}


def error_object(file: str, error: CleaveError) -> dict[str, Any]:
    """For a file that gets no verdict."""
    place = {"line": error.line, "column": error.column} if isinstance(error, InputError) and error.line else {}
    message = error.message if isinstance(error, InputError) else str(error)
    return {"file": file, "error": message, "exit_code": error.exit_code, **place}


def is_conclusive(found: Mapping[str, Any] | None) -> bool:
    """Whether a journal's result is one that going on with the run can't improve."""
    if found is None:
        return False
    doubt = f"{Reason.UNMODELLED.value}:"
    return found.get("verdict") in ("safe", "bounded-safe", "unsafe") or (found.get("reason") or "").startswith(doubt)


def _reason(verdict: Unknown) -> str:
    return f"{verdict.reason.value}: {verdict.detail}" if verdict.detail else verdict.reason.value


def _trace_object(whole: Trace, *, full: bool) -> dict[str, Any]:
    trace = whole if full else compact(whole)
    return {
        "violated": trace.violated,
        "check": {"property": trace.check.property, "number": trace.check.number} if trace.check is not None else None,
        "location": _place(trace.location),
        "inputs": dict(trace.inputs),
        "inputs_left_out": len(whole.inputs) - len(trace.inputs),
        "steps_left_out": len(whole.steps) - sum(step.kind != SKIPPED for step in trace.steps),
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


def _place(location: Location | None) -> dict[str, Any] | None:
    return None if location is None else {"file": location.file, "line": location.line, "column": location.column}
