"""Fewer contexts: a trace should have no more of them than the violation needs.

    0 1 2 1 0 2 1        ──▶        0 1 2 1

A thread runs a little longer, or starts a little later, so that two of its contexts become one; or a context is left
out. A shorter schedule that still violates the property is kept. There may be a shorter one that is not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from cleave.engines.executions.code import Compiler
from cleave.engines.executions.execution import AssertionFailed, Execution, Moved, Over
from cleave.engines.executions.values import Recorded
from cleave.ir.schedule import Schedule

_MOST_STEPS = 200_000

Turns = list[tuple[int, int]]
"""Threads, with the number of their turns one after the other."""


def shortened(compiler: Compiler, entry: str, execution: Execution) -> Schedule:
    """A schedule of an execution that violates the property as this one does, with as many contexts or fewer."""
    best = execution
    left, is_new = _MOST_STEPS, True
    while is_new and left > 0:
        is_new = False
        for turns in _shorter(_grouped(best.turns)):
            tried = Execution(compiler, entry, Recorded(best.schedule().values), best.steps + 1)
            violated = _follow(tried, turns)
            left -= tried.steps
            if violated and len(tried.schedule().contexts) < len(best.schedule().contexts):
                best, is_new = tried, True
                break
            if left <= 0:
                break
    return best.schedule()


def _grouped(turns: Sequence[int]) -> Turns:
    return [(thread, len(list(own))) for thread, own in groupby(turns)]


def _shorter(turns: Turns) -> Iterator[Turns]:
    for number, (thread, count) in enumerate(turns):
        again = next((n for n in range(number + 1, len(turns)) if turns[n][0] == thread), None)
        if again is not None:
            both = [(thread, count + turns[again][1])]
            between = turns[number + 1 : again]
            yield turns[:number] + both + between + turns[again + 1 :]
            yield turns[:number] + between + both + turns[again + 1 :]
        yield turns[:number] + turns[number + 1 :]


def _follow(execution: Execution, turns: Turns) -> bool:
    """Whether the property is violated when threads have their turns so, as far as they can use them."""
    try:
        for thread, count in turns:
            for _ in range(count):
                if thread >= len(execution.threads) or execution.threads[thread].has_ended:
                    break
                if execution.advance(thread) is Moved.BLOCKED:
                    break
    except AssertionFailed:
        return True
    except Over:
        pass
    return False
