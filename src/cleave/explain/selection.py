"""Which steps of a run a reader is shown: the nearest to the violation, as many as fit on a screen or two.

Steps are taken by their distance (see `slicing`), each with the calls that lead to it, until `BUDGET` is used up.
Steps that would need too many calls to be understood are passed over for others. Of a statement that was executed
often only the nearest executions are chosen. The violation is always there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cleave.ir.program import Assign
from cleave.logic.terms import Op
from cleave.validate.semantics.events import Event

BUDGET = 60  # steps
REPEATS = 3  # of one statement
_COPY = 5  # how much farther ``x := y`` counts: it only passes on what another step says
_OUTER, _INNER = 8, 16  # calls that lead to a step: the rest between them is left out


def selected(events: Sequence[Event], distances: Mapping[int, int], calls: Mapping[int, int]) -> set[int]:
    """Positions of the steps to show; ``calls`` says where each activation was called."""

    def rank(position: int) -> tuple[int, int]:
        return distances[position] + (_COPY if _is_copy(events[position]) else 0), -position

    found: set[int] = set()
    executions: Counter[tuple[str, int]] = Counter()
    for position in sorted(distances, key=rank):
        event = events[position]
        statement = (event.kind, id(event.subject))
        if event.kind == "block" or executions[statement] == REPEATS:
            continue
        missing = {position, *_context(events, position, calls)} - found
        if len(found) + len(missing) > BUDGET and event.kind != "violation":
            continue
        executions[statement] += 1
        found |= missing
    return found


def _is_copy(event: Event) -> bool:
    return isinstance(event.subject, Assign) and all(value.op is Op.VAR for value in event.subject.values)


def _context(events: Sequence[Event], position: int, calls: Mapping[int, int]) -> list[int]:
    """The calls that lead to a step, from the nearest."""
    chain: list[int] = []
    frame = events[position].frame
    while (call := calls[frame]) != position and (not chain or chain[-1] != call):
        chain.append(call)
        frame = events[call].frame
    return chain if len(chain) <= _INNER + _OUTER else chain[:_INNER] + chain[-_OUTER:]
