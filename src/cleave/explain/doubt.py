"""What a violation takes for granted: the functions without a body that it would not happen without.

    x := f()    y := 1    if (x > 0) …    assert(y == 2)            f: with another x the run takes another way

A tagged `Havoc` stands for something that is not known: what a function without a body stores or returns. A run is in
doubt if a condition on its way, or the one that fails, was computed from such a value. Otherwise the same way leads to
the same violation whatever these functions do. Asserts that hold do not count: where one of them fails, that is a
violation, too.

Forwards through the run, element by element for maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from cleave.explain.history import History, Place
from cleave.ir.program import Assign, Assume, Call, Havoc, Program, Spawn
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value
from cleave.records import dataclass
from cleave.validate.semantics.events import Event

Names = frozenset[str]
_NONE: Names = frozenset()
_DECIDED = frozenset((Op.AND, Op.OR))  # by one operand
_DEEPEST = 12  # of a term, that is looked into


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Of a variable; of a map, ``rest`` is about all elements that are not in ``elements``."""

    rest: Names = _NONE
    elements: dict[Value, Names] = field(default_factory=dict)

    def of(self, element: tuple[Value, ...]) -> Names:
        if element:
            return self.elements.get(element[0], self.rest)
        return self.rest.union(*self.elements.values())


_CERTAIN = _Doubt()


def doubts(program: Program, history: History) -> tuple[str, ...]:
    """The tags of the havocs that the violation at the end of the run depends on."""
    if not any(isinstance(event.subject, Havoc) and event.subject.function for event in history.events):
        return ()
    if program.store_buffers is not None:  # a thread may read what was written long ago: all are in doubt
        tagged = (event.subject for event in history.events if isinstance(event.subject, Havoc))
        return tuple(sorted({havoc.function for havoc in tagged if havoc.function}))
    return tuple(sorted(_Walk(program, history).run()))


@dataclass(slots=True)
class _Walk:
    program: Program
    history: History
    places: dict[Place, _Doubt] = field(default_factory=dict)  # a place that is missing is certain

    def run(self) -> Names:
        found = _NONE
        for position, event in enumerate(self.history.events):
            found |= self._step(position, event)
        return found

    def _step(self, position: int, event: Event) -> Names:
        """What the step itself depends on."""
        subject, frame = event.subject, event.frame
        match event.kind, subject:
            case "violation", _:
                condition = getattr(subject, "condition", None)
                where = frame if event.other_frame < 0 else event.other_frame
                return self._names(condition, where, position) if condition is not None else _NONE
            case _, Assume(condition=condition):
                return self._names(condition, frame, position)
            case _, Havoc(targets=targets, function=function):
                doubt = _Doubt(frozenset((function,))) if function else _CERTAIN
                self._set(frame, targets, [doubt] * len(targets))
            case _, Assign(targets=targets, values=values):
                self._set(frame, targets, [self._doubt(value, frame, position) for value in values])
            case "call", Call() | Spawn():
                parameters = self.program.procedures[subject.procedure].parameters
                given = [self._doubt(value, frame, position) for value in subject.arguments]
                self._set(event.other_frame, parameters, given)
            case "return", Call(results=results):
                returns = self.program.procedures[subject.procedure].returns
                given = [self.places.get(self.history.place(frame, one), _CERTAIN) for one in returns]
                self._set(event.other_frame, results, given)
            case _:
                self._set(frame, [variable for variable, _ in event.values], [_CERTAIN] * len(event.values))
        return _NONE

    def _set(self, frame: int, targets: Sequence[Term], doubts: Sequence[_Doubt]) -> None:
        for target, doubt in zip(targets, doubts, strict=True):
            place = self.history.place(frame, target)
            if doubt.rest or doubt.elements:
                self.places[place] = doubt
            else:
                self.places.pop(place, None)

    def _doubt(self, value: Term, frame: int, position: int) -> _Doubt:
        if not self.places:
            return _CERTAIN
        if not value.sort.is_array:
            return _Doubt(self._names(value, frame, position))
        written: dict[Value, Names] = {}
        while value.op is Op.STORE:
            array, index, element = value.args
            at = self.history.evaluate(index, frame, position)
            if at is None or self._names(index, frame, position):
                break
            written.setdefault(at, self._names(element, frame, position))
            value = array
        if value.op is not Op.VAR:
            return _Doubt(self._names(value, frame, position), written)
        before = self.places.get(self.history.place(frame, value), _CERTAIN)
        elements = {at: names for at, names in {**before.elements, **written}.items() if names != before.rest}
        return _Doubt(before.rest, elements)

    def _names(self, term: Term, frame: int, position: int, depth: int = 0) -> Names:
        """What the value of a term depends on. The branch of a choice that is not taken does not count, nor do other
        operands where one decides alone."""
        found = self._read(term, frame, position)
        if not found or depth > _DEEPEST:
            return found
        if term.op is Op.ITE:
            condition, *branches = term.args
            value = self._certain(condition, frame, position, depth)
            if value is not None:
                return self._names(branches[0 if value else 1], frame, position, depth + 1)
        elif term.op in _DECIDED:
            decisive = term.op is Op.OR
            if any(self._certain(one, frame, position, depth) is decisive for one in term.args):
                return _NONE
        return self._below(term, frame, position, depth)

    def _below(self, term: Term, frame: int, position: int, depth: int) -> Names:
        if term.op in (Op.VAR, Op.SELECT, Op.FORALL, Op.EXISTS) or not term.args:
            return self._read(term, frame, position)
        return _NONE.union(*(self._names(one, frame, position, depth + 1) for one in term.args))

    def _certain(self, term: Term, frame: int, position: int, depth: int) -> Value | None:
        """The value of a term that depends on nothing in doubt."""
        if self._names(term, frame, position, depth + 1):
            return None
        return self.history.evaluate(term, frame, position)

    def _read(self, term: Term, frame: int, position: int) -> Names:
        if not self.places:
            return _NONE
        found = _NONE
        for place in self.history.reads(term, frame, position):
            where, _ = self.history.before_entry(place, position)
            found |= self.places.get(where.whole, _CERTAIN).of(where.element)
        return found
