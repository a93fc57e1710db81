"""The compact form of a trace: the steps that were chosen, and a note where a reader would miss something.

    x := 0                      x := 0
    x := x + 1                  … 8 further iterations
    ... 10 times                x := x + 1
    assert x < 9                x := x + 1
                                assert x < 9

Notes are steps of kind ``skipped``. Whatever is long is cut, and says how long it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from cleave.verdict import Trace, TraceStep

SKIPPED = "skipped"
LINE = "line"
_VALUE_LENGTH = 60
_TEXT_LENGTH = 140
_INPUTS = 10
_WORD = re.compile(r"[^\s()\[\],:]+")  # names of Boogie have neither blanks nor brackets


def compact(trace: Trace) -> Trace:
    """The relevant steps, and the nearest of the inputs that these mention; of a program whose source is known, lines
    of it."""
    if trace.lines:
        brief = tuple(_shortened(step) for step in trace.brief)
        return replace(
            trace, steps=brief, lines=(), brief=(), inputs={}, violated=shortened(trace.violated, _TEXT_LENGTH)
        )
    steps = tuple(_shortened(step) for step in _Folder(trace.steps).steps())
    words = {word for step in trace.steps if step.relevant for word in _WORD.findall(step.text)}
    mentioned = ((name, value) for name, value in trace.inputs.items() if words.issuperset(_WORD.findall(name)))
    inputs = {name: shortened(value, _VALUE_LENGTH) for name, value in islice(mentioned, _INPUTS)}
    return replace(trace, steps=steps, inputs=inputs, violated=shortened(trace.violated, _TEXT_LENGTH))


def full(trace: Trace) -> Trace:
    """All that a reader may want to see."""
    return replace(trace, steps=trace.lines, lines=(), brief=(), inputs={}) if trace.lines else trace


def shortened(text: str, length: int) -> str:
    """At most about ``length`` characters of a text; one that was cut ends in its length."""
    if len(text) <= length:
        return text
    digits = text.lstrip("-")
    note = f"… ({len(digits)} digits)" if digits.isdigit() else f"… ({len(text)} characters)"
    return text[: max(1, length - len(note))] + note


def _shortened(step: TraceStep) -> TraceStep:
    values = {shortened(name, _VALUE_LENGTH): shortened(value, _VALUE_LENGTH) for name, value in step.values.items()}
    return replace(step, text=shortened(step.text, _TEXT_LENGTH), values=values)


class _Folder:
    """Activations are known by the position of their call, a visit of a block by that of its ``block`` step."""

    def __init__(self, steps: Sequence[TraceStep]) -> None:
        self.full = steps
        self.activations = list(_activations(steps))
        visits = _visits(steps, self.activations)
        self.showing = {visit for visit, step in zip(visits, steps, strict=True) if step.relevant and visit >= 0}
        self.partly_shown = {(self.activations[visit], steps[visit].text) for visit in self.showing}
        self.hidden: Counter[tuple[int, str]] = Counter()  # visits of such blocks that show nothing, not noted yet
        self.noted = {0}  # activations whose call is shown or noted

    def steps(self) -> Iterator[TraceStep]:
        for position, step in enumerate(self.full):
            visit = (self.activations[position], step.text)
            if step.kind == "block" and position not in self.showing and visit in self.partly_shown:
                self.hidden[visit] += 1
            if step.relevant:
                yield from self._iterations(step)
                yield from self._calls(step, self.activations[position])
                yield step
            if step.kind == "call" and step.relevant:
                self.noted.add(position)

    def _iterations(self, following: TraceStep) -> Iterator[TraceStep]:
        times: dict[int, int] = {}
        for (activation, _), visits in self.hidden.items():
            times[activation] = max(visits, times.get(activation, 0))
        self.hidden.clear()
        for activation in sorted(times):
            depth = self.full[activation].depth + 1 if activation else 0
            yield _note(f"… {_counted(times[activation], 'further iteration')}", depth, following)

    def _calls(self, following: TraceStep, activation: int) -> Iterator[TraceStep]:
        missing = []
        while activation not in self.noted:
            missing.append(activation)
            activation = self.activations[activation]
        self.noted.update(missing)
        if missing:
            yield _note(f"… {_counted(len(missing), 'call')} deeper", self.full[missing[-1]].depth, following)


def _activations(steps: Sequence[TraceStep]) -> Iterator[int]:
    """The activation that each step is in; 0 is the entry's, and whatever else a thread begins with."""
    threads: dict[int, list[int]] = {}
    for position, step in enumerate(steps):
        active = threads.setdefault(step.thread, [0])
        del active[step.depth + 1 :]
        yield active[-1]
        if step.kind == "call" and position:
            active.append(position)


def _visits(steps: Sequence[TraceStep], activations: Sequence[int]) -> Iterator[int]:
    """The visit that each step is part of; -1 before the first block of an activation."""
    current: dict[int, int] = {}
    for position, step in enumerate(steps):
        if step.kind == "block":
            current[activations[position]] = position
        yield current.get(activations[position], -1)


def _note(text: str, depth: int, following: TraceStep) -> TraceStep:
    return TraceStep(SKIPPED, following.procedure, depth, None, text)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number != 1 else ''}"
