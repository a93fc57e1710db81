r"""A violating execution of a C program as the waypoints of a witness.

    x = __VERIFIER_nondet_int();          function_return   \result == 7       at the closing parenthesis
    if (x == 7)                           branching         true               at the keyword
      reach_error();                      target                               at the statement

Each waypoint is a segment of its own, in the order of the execution; the last one is the target. With several threads
each says which thread passes it: 0 is the one that runs main, and the k-th creation of a thread, a ``function_enter``,
makes thread k. The beginnings of statements are then waypoints, too (an ``assumption`` of 1): their order is the
schedule. A call that waits for a lock is a waypoint where it gets the lock, not where it begins to wait: others run
between the two. A data race has two targets in its last segment, which are not ordered.

A place that the text does not confirm, as under a macro or in an included file, is left out: a witness with fewer
waypoints still describes the execution.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from cleave.explain.c.rows import BRANCHES
from cleave.export.c_constants import comparison
from cleave.export.c_text import CText, Place
from cleave.export.inputs import Inputs
from cleave.ir.program import Location
from cleave.verdict import Trace, TraceStep

Waypoint = dict[str, Any]
Segment = list[Waypoint]

_BLOCK = "block "
_ANNOUNCED = re.compile(r"(?P<what>.+)\.(?:writing|reading)(?:\.\d+)?(?:\[.*\])?")  # by who is about to access it
_LOOKED_FOR = re.compile(r"([^\s()\[\],:]+)\.(?:writing|reading)")  # by who finds it
_WAITS = frozenset(
    {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_spin_lock", "sem_wait"}
)
_SUFFIX = re.compile(r"\.\d+")  # of a name that the front end gave twice


class Segments(NamedTuple):
    """``threads``: whether there are several."""

    segments: list[Segment]
    threads: bool


def violation_of(trace: Trace, inputs: Inputs) -> Segments:
    found = _Waypoints(trace, inputs)
    return Segments([[waypoint] for waypoint in found.on_the_way()] + [found.targets()], found.threads)


class _Decision(NamedTuple):
    """A block that a condition leads to, and where the condition is."""

    label: str
    location: Location | None
    decides: bool


class _Waypoints:
    def __init__(self, trace: Trace, inputs: Inputs) -> None:
        self._steps = trace.steps
        self._violated = trace.violated
        self._inputs = inputs
        self._texts: dict[str, CText] = {}
        self.threads = any(step.thread or step.kind == "start" for step in trace.steps)
        # The last ones of each thread and depth:
        self._blocks: dict[tuple[int, int], _Decision] = {}
        self._begun: dict[tuple[int, int], Location] = {}  # statements
        self._calls: dict[tuple[int, int], TraceStep] = {}

    def on_the_way(self) -> Iterator[Waypoint]:
        waiting = self._waiting() if self.threads else {}
        ends = {end: number for number, end in waiting.items() if end is not None}
        for number, step in enumerate(self._steps):
            if self.threads and step.kind in ("assign", "call", "havoc", "start") and number not in waiting:
                yield from self._statement(step)
            if number in ends:
                yield from self._statement(self._steps[ends[number]])
            match step.kind:
                case "havoc" if not self._is_a_part(number):
                    yield from self._returned(step)
                case "block":
                    yield from self._branched(step)
                case "start":
                    yield self._started(step)
                case "call":
                    self._called(step)

    def _waiting(self) -> dict[int, int | None]:
        """By the number of a call that waits for a lock: that of the step that finds it free, which is the last of its
        conditions; None: the execution ends before."""
        found: dict[int, int | None] = {}
        calls: dict[int, tuple[int, int | None]] = {}  # by thread: the call that waits, and its last condition
        last: dict[int, int] = {}  # by thread: the last step
        for number, step in enumerate(self._steps):
            before = last.get(step.thread)
            entered = before is not None and self._steps[before].kind == "call"
            if entered and before is not None and _SUFFIX.sub("", step.procedure) in _WAITS:
                found[before] = None
                calls[step.thread] = (before, None)
            if step.thread in calls:
                call, condition = calls[step.thread]
                if step.kind == "assume":
                    calls[step.thread] = (call, number)
                elif step.kind == "return" and step.depth == self._steps[call].depth + 1:
                    found[call] = condition if condition is not None else number
                    del calls[step.thread]
            if step.kind != "context":
                last[step.thread] = number
        return found

    def targets(self) -> Segment:
        """Where the execution ends, and if that is in a data race, the other access, too."""
        last = self._steps[-1]
        rival = self._rival(last)
        return [self._target(step) for step in (last, rival) if step is not None]

    # --- kinds of waypoints -----------------------------------------------------------------------------------------

    def _returned(self, step: TraceStep) -> Iterator[Waypoint]:
        """A value that a function without a body has returned."""
        if len(step.values) != 1:
            return
        ((name, value),) = step.values.items()
        function = _SUFFIX.sub("", name)
        place = self._find(step.location, lambda text, at: text.end_of_call(at, function))
        compared = comparison(value, function)
        if place is not None and compared is not None:
            language = "ext_c_expression" if self.threads else "acsl_expression"  # the same, as versions call it
            yield self._made(step, "function_return", place, {"value": f"\\result {compared}", "format": language})

    def _is_a_part(self, number: int) -> bool:
        """Whether the value is one of several that the function returned together, as a structure."""
        own = self._steps[number]
        near = self._steps[max(number - 1, 0) : number + 2]
        return any(
            step.kind == "havoc" and step.location == own.location and step.values.keys() != own.values.keys()
            for step in near
        )

    def _branched(self, step: TraceStep) -> Iterator[Waypoint]:
        label, key = step.text.removeprefix(_BLOCK), (step.thread, step.depth)
        before = self._blocks.get(key)
        decides = before is not None and label in (f"{before.label}.then", f"{before.label}.else")
        self._blocks[key] = _Decision(label, step.location, decides)
        branch = BRANCHES.get(label.rstrip("0123456789"))
        if before is None or not before.decides or branch is None:
            return
        keyword, taken = branch
        place = self._find(before.location, lambda text, at: text.header(at, keyword))
        if place is not None:
            self._begun.pop(key, None)  # what follows begins anew, also if it is the same statement as before
            yield self._made(step, "branching", place, {"value": "true" if taken else "false"})

    def _statement(self, step: TraceStep) -> Iterator[Waypoint]:
        place = self._find(step.location, CText.statement)
        key = (step.thread, step.depth)
        if place is not None and self._begun.get(key) != place:
            self._begun[key] = place
            yield self._made(step, "assumption", place, {"value": "1", "format": "c_expression"})

    def _started(self, step: TraceStep) -> Waypoint:
        """There is one for every thread, since they are counted."""
        visible, location = self._visible(step)
        # Without a column it is the first place in the line that fits.
        place = self._find(location, CText.end_of_call) or replace(location, column=0)
        return self._made(visible, "function_enter", place)

    def _target(self, step: TraceStep) -> Waypoint:
        visible, location = self._visible(step)
        return self._made(visible, "target", self._find(location, CText.statement) or location)

    def _called(self, step: TraceStep) -> None:
        below = (step.thread, step.depth + 1)
        self._calls[below] = step
        self._blocks.pop(below, None)  # those of an earlier call
        self._begun.pop(below, None)

    # --- a data race ------------------------------------------------------------------------------------------------

    def _rival(self, last: TraceStep) -> TraceStep | None:
        """The other access of a race: its thread's last step, which announces it."""
        if not self._violated.startswith("data race on "):
            return None
        own = [step.text for step in self._steps if step.thread == last.thread and step.kind == "assign"]
        what = _LOOKED_FOR.findall(own[-1]) if own else []
        final = {step.thread: step for step in self._steps if step.kind != "context" and step.thread != last.thread}
        for step in final.values():
            announced = [_ANNOUNCED.fullmatch(name) for name, value in step.values.items() if value == "1bv1"]
            if any(one is not None and one["what"] in what for one in announced):
                return step
        return None

    # --- places -----------------------------------------------------------------------------------------------------

    def _find(self, location: Location | None, look: Callable[[CText, Place], Place | None]) -> Location | None:
        """In the text of the input at a location; None where that is in no input, or at no column."""
        if location is None or not location.column or location.file not in self._inputs.contents:
            return None
        if location.file not in self._texts:
            self._texts[location.file] = CText(self._inputs.contents[location.file])
        found = look(self._texts[location.file], Place(location.line, location.column))
        return None if found is None else Location(location.file, found.line, found.column)

    def _visible(self, step: TraceStep) -> tuple[TraceStep, Location]:
        """The step, if it is in an input, otherwise the call which led there; and where that is."""
        seen: TraceStep | None = step
        while seen is not None:
            if seen.location is not None and seen.location.file in self._inputs.contents:
                return seen, seen.location
            seen = self._calls.get((seen.thread, seen.depth)) if seen.depth else None
        return step, Location(self._inputs.main, 1)

    def _made(self, step: TraceStep, kind: str, place: Location, constraint: Waypoint | None = None) -> Waypoint:
        waypoint: Waypoint = {"type": kind, "action": "follow"}
        waypoint |= {"thread_id": step.thread} if self.threads else {}
        waypoint |= {"constraint": constraint} if constraint is not None else {}
        where: Waypoint = {"file_name": place.file, "line": place.line}
        where |= {"column": place.column} if place.column else {}
        where |= {"function": step.procedure.split(".")[0]}
        return {"waypoint": {**waypoint, "location": where}}
