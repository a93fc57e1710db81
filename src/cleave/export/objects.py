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
from cleave.explain.folding import full as all_of
from cleave.frontends.c.properties.registry import properties
from cleave.ir.program import Check, Location
from cleave.verdict import BoundedSafe, CheckResult, Reason, Result, Trace, TraceStep, Unknown, Unsafe

_VARYING = ("seconds", "cpu_seconds", "peak_memory_mb", "workers", "run", "validation", "stages")


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
        "cpu_seconds": _rounded(result.cpu_seconds),
        "peak_memory_mb": _rounded(result.peak_memory_mb),
        "workers": result.workers,
        "run": result.run,
        "statistics": {k: round(v, 3) if isinstance(v, float) else v for k, v in result.statistics.items()},
        "checked": dict(result.checked),
        "assumptions": list(result.assumptions),
        "validation": None if isinstance(verdict, Unknown) else verdict.validation,
    }
    if result.part is not None:
        found["part"] = dict(result.part)
    if result.stages:
        found["stages"] = [asdict(stage) for stage in result.stages]
    if result.inferred:
        found["inferred"] = dict(result.inferred)
    if result.reached is not None:
        found["reached"] = result.reached
    if result.each:
        found["each"] = [_one_object(one, trace) for one in result.each]
    if result.unwritten:
        found["unwritten"] = list(result.unwritten)
    if result.predicates:
        found["predicates"] = {location: list(own) for location, own in result.predicates.items()}
    if isinstance(verdict, Unsafe) and trace != "none":
        found["trace"] = _trace_object(verdict.trace, full=trace == "full")
    return found


def _one_object(one: CheckResult, trace: str) -> dict[str, Any]:
    verdict = one.verdict
    found: dict[str, Any] = {
        "check": one.check.name,
        "property": one.check.property,
        "location": _place(one.location),
        "text": _text(one),
        "verdict": verdict.word,
    }
    if isinstance(verdict, Unknown):
        found["reason"] = _reason(verdict)
    if isinstance(verdict, BoundedSafe):
        found["bounds"] = dict(verdict.bounds)
    if isinstance(verdict, Unsafe) and trace != "none":
        found["trace"] = _trace_object(verdict.trace, full=trace == "full")
    return found


def _text(one: CheckResult) -> str:
    """What is violated, or would be; of a procedure its name, too."""
    if not isinstance(one.verdict, Unsafe):
        return one.text
    violated = one.verdict.trace.violated
    return f"{one.text}: {violated}" if one.check.property == "procedure" else violated


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


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _reason(verdict: Unknown) -> str:
    return f"{verdict.reason.value}: {verdict.detail}" if verdict.detail else verdict.reason.value


def _trace_object(whole: Trace, *, full: bool) -> dict[str, Any]:
    trace = all_of(whole) if full else compact(whole)
    number = len(whole.lines or whole.steps)
    with_threads = any(step.thread for step in trace.steps)
    found: dict[str, Any] = {
        "violated": trace.violated,
        "check": _check_object(trace.check, trace.violated) if trace.check is not None else None,
        "location": _place(trace.location),
        "inputs": dict(trace.inputs),
        "inputs_left_out": 0 if whole.lines else len(whole.inputs) - len(trace.inputs),
        "steps_left_out": max(0, number - sum(step.kind != SKIPPED for step in trace.steps)),
        "steps": [_step(step, with_threads=with_threads) for step in trace.steps],
    }
    if trace.reasons:
        found["reasons"] = list(trace.reasons)
    return {**found, "threads": {str(key): name for key, name in trace.threads.items()}} if trace.threads else found


def _step(step: TraceStep, *, with_threads: bool) -> dict[str, Any]:
    found = {
        "kind": step.kind,
        "procedure": step.procedure,
        "depth": step.depth,
        "location": _place(step.location),
        "text": step.text,
        "values": dict(step.values),
    }
    if step.note:
        found["note"] = step.note
    return {**found, "thread": step.thread} if with_threads else found


def _check_object(check: Check, violated: str) -> dict[str, Any]:
    found = properties().get(check.property)
    name = found.competition_name(violated) if found is not None else None
    return {"property": check.property, "number": check.number, "competition": name}


def _place(location: Location | None) -> dict[str, Any] | None:
    return None if location is None else {"file": location.file, "line": location.line, "column": location.column}
