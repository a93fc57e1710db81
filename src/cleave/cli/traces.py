"""Traces as text: a line for each step, under its line number and as deep as its call.

     4  int y = x + 1;    [x = 2147483647]

If a program with threads is shown in lines of its source, each thread has a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import msgspec

from cleave.explain.folding import LINE, SKIPPED
from cleave.verdict import Trace, TraceStep

_LINE = 140  # characters of a line of a compact trace, after which no further value follows
_INDENTED = 12  # calls deep; deeper ones are numbered
_COLUMNS = 100  # characters that columns of threads share
_WIDEST = 36  # and one of them at most
_TEXTS = 52  # characters of texts, behind which values are aligned

Found = Mapping[str, Any]


def trace_in(found: Found) -> Trace:
    return msgspec.convert(found["trace"], Trace, strict=False)


def trace_text(found: Found, how: str) -> Iterable[str]:
    for one in found.get("each", ()):
        yield from trace_text({**one, "file": found["file"]}, how)
    if "trace" not in found or found.get("each") or how == "none":
        return
    trace, file = trace_in(found), found["file"]
    yield f"trace of {found['check']}:" if "check" in found else "trace:"
    yield from (f"  {name} = {value}" for name, value in trace.inputs.items())
    if any(step.kind == LINE or step.note for step in trace.steps):
        yield from _source_text(file, trace)
        yield from _left_out(trace, found["trace"]["steps_left_out"], 0, "lines")
    elif how == "full":
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


def _source_text(file: str, trace: Trace) -> Iterable[str]:
    """Lines of the source; values and notes in a column of their own."""
    width = _place_width(file, trace.steps)
    threads = sorted({step.thread for step in trace.steps})
    column = min(_WIDEST, _COLUMNS // len(threads)) if len(threads) > 1 else 0
    if column:
        heads = [_cut(f"thread {one}: {trace.threads.get(one, '')}".rstrip(": "), column - 2) for one in threads]
        yield f"  {'':>{width}} {''.join(f'{head:<{column}}' for head in heads)}".rstrip()
    lines = [
        _step_text(file, replace(step, text=f"{' ' * column * threads.index(step.thread)}{step.text}"), width)
        for step in trace.steps
    ]
    aligned = min(_TEXTS + width, max(map(len, lines), default=0)) if not column else 0
    for line, step in zip(lines, trace.steps, strict=True):
        said = _fitting("[", [f"{name} = {value}" for name, value in step.values.items()], max(len(line), aligned))
        said = "  ".join(filter(None, (said, step.note)))
        yield f"{line:<{aligned}}    {said}" if said else line


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _left_out(trace: Trace, steps: int, inputs: int, what: str = "steps") -> Iterable[str]:
    if steps or inputs:
        also = f" and {inputs} of {inputs + len(trace.inputs)} inputs" if inputs else ""
        shown = sum(step.kind != SKIPPED for step in trace.steps)
        yield f"  left out: {steps} of {steps + shown} {what}{also}; --trace full shows them"


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
