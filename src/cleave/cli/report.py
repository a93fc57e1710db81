"""Results as text for people and as JSON for programs. The text is made from the object that JSON prints."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import msgspec

from cleave.cli.printing import say
from cleave.engines.registry import engine
from cleave.errors import CleaveError
from cleave.explain.folding import SKIPPED
from cleave.export.objects import error_object, is_conclusive, only_deterministic, result_object
from cleave.journal.places import default_folder
from cleave.verdict import BoundedSafe, Result, Safe, Trace, TraceStep, Unsafe

_LINE = 140  # characters of a line of a compact trace, after which no further value follows
_PREDICATES = 20  # that are shown of those that did not suffice
_INDENTED = 12  # calls deep; deeper ones are numbered

Found = Mapping[str, Any]
"""A result as `objects.result_object` makes it."""


def print_result(
    file: str, result: Result, *, as_json: bool, trace: str, journal: Path | None = None, deterministic: bool = False
) -> None:
    """``journal`` is the folder where the run's journal is, if it has one; ``deterministic`` leaves out what differs
    from run to run."""
    if as_json:
        found = result_object(file, result, trace=trace)
        print(json.dumps(only_deterministic(found) if deterministic else found), flush=True)
        return
    found = result_object(file, result, trace="full" if trace == "full" else "compact")  # tells what is violated
    found = only_deterministic(found) if deterministic else found
    say("\n".join((*as_text(found), *_about_run(found, journal), *_trace_text(found, trace))))


def print_found(found: Found, *, as_json: bool, trace: str) -> None:
    """What a journal has kept of a result, with a compact trace."""
    if as_json:
        print(json.dumps(_without_trace(found) if trace == "none" else found), flush=True)
        return
    say("\n".join((*as_text(found), *_trace_text(found, trace if trace == "none" else "compact"))))


def print_error(file: str, error: CleaveError, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(error_object(file, error)), flush=True)
    say(f"cleave: {error}", file=sys.stderr)


def as_text(found: Found) -> Iterable[str]:
    """Without the trace."""
    yield f"{found['verdict']}  {found['file']}"
    yield from _checked(found.get("checked"))
    checked = found.get("validation", "confirmed")  # how, may differ from run to run
    match found["verdict"]:
        case Safe.word if found.get("smtlib"):
            yield f"  the clauses have a solution ({found['smtlib']}); {checked}"
        case Safe.word:
            yield f"  no execution violates the property, whatever the bound; {checked}"
        case BoundedSafe.word:
            shown = ", ".join(f"{name} bound {value}" for name, value in found["bounds"].items())
            yield f"  no execution within {shown} violates the property; {checked}"
            yield f"  the bound took part in the proof: {_larger(found['bounds'])} may find more"
        case Unsafe.word if found.get("smtlib"):
            yield f"  the clauses have no solution ({found['smtlib']}): {_violation(found)}{checked}"
        case Unsafe.word:
            yield f"  {_violation(found)}{checked}"
        case _:
            yield f"  {found['reason']}"
            yield from _predicates(found.get("predicates") or {})
    if found.get("expected") not in (None, found["verdict"]) and found["verdict"] != "unknown":
        yield f"  note: the task definition expects {found['expected']}"
    for assumption in found["assumptions"]:
        yield f"  note: {assumption}"
    for sentence in found.get("unwritten", ()):
        yield f"  note: {sentence}"
    done = _effort(found)
    if "seconds" in found:
        yield f"  {found['seconds']:.1f} s{f'; {done}' if done else ''}"
    elif done:
        yield f"  {done}"


def _effort(found: Found) -> str:
    return engine(found["engine"]).counters.of(found["statistics"]).line() if found["engine"] else ""


def _checked(found: Mapping[str, int] | None) -> Iterable[str]:
    """The properties; a program that has no place for any of them has nothing to check."""
    if found and any(found.values()):
        yield f"  checked: {', '.join(found)}"
    elif found:
        yield f"  nothing to check: the program has no place where {' or '.join(found)} could be violated"


def _predicates(found: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """Those that an abstraction has got so far."""
    shown = [f"    {location}: {predicate}" for location, own in found.items() for predicate in own]
    if shown:
        yield "  predicates found:"
        yield from shown[:_PREDICATES]
        if len(shown) > _PREDICATES:
            yield f"    and {len(shown) - _PREDICATES} more; --json has them all"


def _larger(bounds: Mapping[str, int]) -> str:
    options = {"recursion": "--recursion-bound"}
    return " or ".join(f"a larger {options.get(name, f'--{name}')}" for name in bounds)


def _violation(found: Found) -> str:
    if "trace" not in found:
        return ""
    trace = _trace(found)
    return f"{trace.violated}{f' at {trace.location}' if trace.location else ''}; "


def _about_run(found: Found, journal: Path | None) -> Iterable[str]:
    if found.get("run") is None:
        return
    where = f" --journal {shlex.quote(str(journal))}" if journal not in (None, default_folder()) else ""
    if is_conclusive(found):
        yield f"  what happened: cleave show{where} {found['run']}"
    else:
        yield f"  to go on with it: cleave resume{where} {found['run']}"


def _without_trace(found: Found) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != "trace"}


# --- traces ---------------------------------------------------------------------------------------------------------


def _trace(found: Found) -> Trace:
    return msgspec.convert(found["trace"], Trace)


def _trace_text(found: Found, how: str) -> Iterable[str]:
    if "trace" not in found or how == "none":
        return
    trace, file = _trace(found), found["file"]
    yield "trace:"
    yield from (f"  {name} = {value}" for name, value in trace.inputs.items())
    if how == "full":
        yield from _full_text(file, trace)
    else:
        yield from _compact_text(file, trace)
        yield from _left_out(trace, found["trace"]["steps_left_out"], found["trace"]["inputs_left_out"])


def _full_text(file: str, trace: Trace) -> Iterable[str]:
    width = _place_width(file, trace.steps)
    for step in trace.steps:
        yield f"{_step_text(file, step, width)}{_in_brackets('    ', step.values)}"


def _compact_text(file: str, trace: Trace) -> Iterable[str]:
    width = _place_width(file, trace.steps)
    for step, results in _with_results(trace.steps):
        line = _step_text(file, step, width)
        line += _fitting("    [", _not_said(step), len(line))
        yield line + _fitting(" returns [", [f"{name} = {value}" for name, value in results.items()], len(line))


def _left_out(trace: Trace, steps: int, inputs: int) -> Iterable[str]:
    if steps or inputs:
        also = f" and {inputs} of {inputs + len(trace.inputs)} inputs" if inputs else ""
        shown = sum(step.kind != SKIPPED for step in trace.steps)
        yield f"  left out: {steps} of {steps + shown} steps{also}; --trace full shows them"


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
