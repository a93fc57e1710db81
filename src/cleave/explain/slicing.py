"""How far each step of a run is from its violation: a shortest-path search backwards through its dependences.

    x := 1        y := 2        z := x        assert z < 1         distances:  assert 0, z := x 1, x := 1 2

A step depends on the last writes of what it reads (of a map, where the index is known, on the last write of that
element), and on the decision or call without which it would not have happened (see `control`). A value that nothing
computes (a havoc, an input, a result of a procedure without a body) also depends on what was assumed about it. Some
dependences are longer than others: an assumption says less about where a value comes from than a computation, and so
does an index, which only says where a map was read (Sridharan, Fink and Bodik, *Thin slicing*, PLDI 2007).

Before ``assert false``, and where reaching the end is the violation, the nearest assume is taken for the reason.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import field
from heapq import heappop, heappush
from itertools import count, islice

from cleave.explain.control import control_parents
from cleave.explain.history import History, Place, sorted_by_name
from cleave.ir.program import Assert, Assign, Assume, Call, Clause, Join, Program, Spawn
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value
from cleave.logic.walk import free_variables
from cleave.records import dataclass
from cleave.validate.semantics.events import Event

_STEP = 1
_ASSUMED = 3
_INDEX = 3
_LIMIT = 5_000  # steps; a reader is shown far fewer


@dataclass(frozen=True, slots=True)
class Slice:
    """What a violation depends on: events by position, with their distance and which of their values are needed, and
    variables whose initial values are, the nearest first. Not ``complete``: there is more, farther away."""

    distances: dict[int, int]
    needed: dict[int, set[Term]]
    inputs: tuple[Term, ...]
    complete: bool


def dependence_slice(program: Program, history: History) -> Slice:
    """The slice of a run whose last event is the violation."""
    return _Search(program, history, control_parents(program, history.events)).run()


@dataclass(slots=True)
class _Search:
    program: Program
    history: History
    parents: Sequence[int]
    distances: dict[int, int] = field(default_factory=dict)
    needed: dict[int, set[Term]] = field(default_factory=dict)
    inputs: dict[Term, None] = field(default_factory=dict)
    queue: list[tuple[int, int, int, Place | None]] = field(default_factory=list)
    seen: set[tuple[int, Place | None]] = field(default_factory=set)
    order: count[int] = field(default_factory=count)
    assumes: dict[Place, list[int]] = field(default_factory=dict)  # the assumes that read a variable
    reads: dict[int, Collection[Place]] = field(default_factory=dict)  # remembered, as is the next
    indices: dict[tuple[Term, int], Value | None] = field(default_factory=dict)

    def run(self) -> Slice:
        for position, event in enumerate(self.history.events):
            if isinstance(event.subject, Assume):
                for variable in sorted_by_name(free_variables(event.subject.condition)):
                    self.assumes.setdefault(self.history.place(event.frame, variable), []).append(position)
        self._push(0, len(self.history.events) - 1)
        while self.queue and len(self.distances) < _LIMIT:
            distance, later, _, place = heappop(self.queue)
            if (-later, place) in self.seen:
                continue
            self.seen.add((-later, place))
            if -later not in self.distances:
                self.distances[-later] = distance
                self._happened(-later, distance + _STEP)
            if place is not None:
                self.needed.setdefault(-later, set()).add(place.variable)
                self._written(-later, place, distance + _STEP)
        return Slice(self.distances, self.needed, tuple(self.inputs), not self.queue)

    def _push(self, distance: int, position: int, place: Place | None = None) -> None:
        """Of two at the same distance, the later is first."""
        if (position, place) not in self.seen:
            heappush(self.queue, (distance, -position, next(self.order), place))

    # --- why a step happened ----------------------------------------------------------------------------------------

    def _happened(self, position: int, distance: int) -> None:
        if self.parents[position] >= 0:
            self._push(distance, self.parents[position])
        event = self.history.events[position]
        match event.subject:
            case Assume(condition=condition):
                self._read(condition, event.frame, position, distance)
            case Assert() | Clause() as failed:
                frame = event.frame if event.other_frame < 0 else event.other_frame
                self._read(failed.condition, frame, position, distance)
            case Join(thread=thread):
                self._read(thread, event.frame, position, distance)
        if event.kind == "violation" and not _reads_anything(event):
            reasons = (at for at in range(position, -1, -1) if _reads_anything(self.history.events[at]))
            for nearest in islice(reasons, 1):
                self._push(distance, nearest)

    # --- where a value comes from -----------------------------------------------------------------------------------

    def _read(self, term: Term, frame: int, before: int, distance: int) -> None:
        for place, is_index in self.history.reads(term, frame, before).items():
            self._need(place, before, distance + (_INDEX if is_index else 0))

    def _need(self, needed: Place, before: int, distance: int) -> None:
        place, when = self.history.before_entry(needed, before)
        written = self.history.last_write(place, when)
        while written is not None:
            source = self._elsewhere(place, written)
            if source is None:
                break
            place, written = source, self.history.last_write(source, written)
        if written is None:
            self.inputs.setdefault(place.variable)
            self._assumed(place, -1, distance)
        else:
            self._push(distance, written, place)

    def _elsewhere(self, place: Place, written: int) -> Place | None:
        """The map that the element comes from when the write at ``written`` only stored at another index."""
        event = self.history.events[written]
        if not place.element or not isinstance(event.subject, Assign):
            return None
        value = event.subject.values[event.subject.targets.index(place.variable)]
        while value.op is Op.STORE:
            index = self._index(value.args[1], event.frame, written)
            if index is None or index == place.element[0]:
                return None
            value = value.args[0]
            if value.op is Op.VAR:
                return self.history.place(event.frame, value, place.element)
        return None

    def _written(self, position: int, place: Place, distance: int) -> None:
        event = self.history.events[position]
        match event.kind, event.subject:
            case "assign", Assign(targets=targets, values=values):
                self._copied(values[targets.index(place.variable)], event.frame, position, place, distance)
            case "call", Call() | Spawn() as call:
                parameters = self.program.procedures[call.procedure].parameters
                argument = call.arguments[parameters.index(place.variable)]
                self._copied(argument, event.frame, position, place, distance)
            case "return", Call() as call:
                self._returned(event, call, position, place, distance)
            case _:
                self._assumed(place, position, distance)

    def _copied(self, value: Term, frame: int, before: int, place: Place, distance: int) -> None:
        """``place`` got the value of a term: an element of it comes from that element of a map that it copies."""
        while place.element and value.op is Op.STORE:
            index = self._index(value.args[1], frame, before)
            if index is None:
                break
            if index == place.element[0]:
                self._read(value.args[1], frame, before, distance + _INDEX)
                value = value.args[2]
                break
            value = value.args[0]
        if value.op is Op.VAR and value.sort is place.variable.sort:
            self._need(self.history.place(frame, value, place.element), before, distance)
        else:
            self._read(value, frame, before, distance)

    def _returned(self, event: Event, call: Call, position: int, place: Place, distance: int) -> None:
        callee = self.program.procedures[call.procedure]
        source = place.variable
        if source in call.results:
            source = callee.returns[call.results.index(source)]
        if callee.has_body:
            self._need(self.history.place(event.frame, source, place.element), position, distance)
            return
        called = self.history.calls[event.frame]
        chosen = {*callee.returns, *callee.modifies}
        for clause in callee.ensures:
            if source in free_variables(clause.condition):
                for read in self.history.reads(clause.condition, event.frame, called + 1):
                    if read.variable not in chosen:
                        self._need(read, called + 1, distance + _ASSUMED)
        self._assumed(place, position, distance)

    def _assumed(self, place: Place, since: int, distance: int) -> None:
        """The assumes about a value that nothing computed, up to the next write."""
        positions = self.assumes.get(place.whole, [])
        until = bisect_left(positions, self.history.next_write(place, since + 1))
        for position in positions[bisect_right(positions, since) : until]:
            if any(place.touches(one) for one in self._read_by_assume(position)):
                self._push(distance + _ASSUMED, position)

    def _read_by_assume(self, position: int) -> Collection[Place]:
        if position not in self.reads:
            event = self.history.events[position]
            assert isinstance(event.subject, Assume)
            self.reads[position] = self.history.reads(event.subject.condition, event.frame, position)
        return self.reads[position]

    def _index(self, term: Term, frame: int, position: int) -> Value | None:
        if (term, position) not in self.indices:
            self.indices[term, position] = self.history.evaluate(term, frame, position)
        return self.indices[term, position]


def _reads_anything(event: Event) -> bool:
    """Whether it is a condition with variables."""
    return isinstance(event.subject, Assume | Assert | Clause) and bool(free_variables(event.subject.condition))
