"""All executions of a small program, tried one step at a time: every thread, every successor of a block.

A statement that gives a variable any value gives it all values in turn, if its sort has few. Other values that a
program leaves open are `UNKNOWN`. As long as no condition depends on one, the executions that are tried stand for all.
With ``contexts`` only those executions are tried in which the running thread changes less than so often. A program with
one thread and no inputs has one execution, and the branches that it does not take.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from cleave_check.machine import Blocked, Finished, Machine, Violated
from cleave_check.program import Block, Program
from cleave_check.refusal import Refusal, Undecided
from cleave_check.sorts import BOOL, Sort
from cleave_check.terms import Term
from cleave_check.values import UNKNOWN, Map, Value

FEW_BITS = 2


class _Choices:
    """The first choices are given; those that follow take the first successor, and are noted for later."""

    def __init__(self, given: tuple[Any, ...] = ()) -> None:
        self.given = given
        self.taken: list[Any] = []
        self.others: list[tuple[Any, ...]] = []

    def initial(self, thread: int, variable: Term) -> Value:
        return unknown(variable.sort)

    def value(self, thread: int, variable: Term) -> Value:
        if variable.sort == BOOL:
            return self._one_of((False, True))
        if variable.sort[0] == "BitVec" and variable.sort[1] <= FEW_BITS:
            return self._one_of(range(1 << variable.sort[1]))
        return unknown(variable.sort)

    def successor(self, thread: int, block: Block) -> str:
        return str(self._one_of(block.successors))

    def _one_of(self, alternatives: Sequence[Any]) -> Any:
        if len(self.taken) < len(self.given):
            chosen = self.given[len(self.taken)]
        else:
            chosen, *rest = alternatives
            self.others += [(*self.taken, other) for other in rest]
        self.taken.append(chosen)
        return chosen

    def apply(self, term: Term, arguments: list[Value]) -> Value:
        return unknown(term.sort)


def unknown(sort: Sort) -> Value:
    """A map of which nothing is known is still a map."""
    return Map(unknown(sort[2]), {}) if sort[0] == "Array" else UNKNOWN


def explore(program: Program, entry: str, contexts: int | None, most: int) -> str:
    """What was checked, in a sentence; ``most`` states are looked at."""
    try:
        first = Machine(program, entry, _Choices())
    except Blocked:
        return "no execution begins: an axiom, or what the entry requires, is false"
    states = 0
    seen: dict[Hashable, int] = {}
    pending: list[tuple[Machine, int, int]] = [(first, 0, 1)]  # with the thread that ran last, and the contexts
    while pending:
        machine, last, used = pending.pop()
        key = (_key(machine), last if contexts is not None or machine.threads[last].atomic else -1)
        if seen.get(key, used + 1) <= used:
            continue
        seen[key] = used if contexts is not None else 0
        states += 1
        if states > most:
            raise Undecided(f"there are more than {most} states")
        for thread in _runnable(machine, last):
            needed = used + (thread != last)
            if contexts is None or needed <= contexts:
                pending += [(after, thread, needed) for after in _steps(machine, thread)]
    bound = f" within {contexts} contexts" if contexts is not None else ""
    return f"all executions{bound} were tried: {states} states"


def _runnable(machine: Machine, last: int) -> list[int]:
    if machine.threads[last].atomic:
        return [last]
    return [number for number, thread in enumerate(machine.threads) if not thread.has_ended]


def _steps(machine: Machine, thread: int) -> list[Machine]:
    found: list[Machine] = []
    todo: list[tuple[Any, ...]] = [()]
    while todo:
        choices = _Choices(todo.pop())
        after = machine.copy(thread, choices)
        try:
            after.step(thread)
            found.append(after)
        except Violated:
            raise Refusal("an execution within the bounds violates the property") from None
        except (Blocked, Finished):
            pass
        todo += choices.others
        if len(todo) > 100_000:
            raise Undecided("a step has more than 100,000 successors")
    return found


def _key(machine: Machine) -> Hashable:
    return (
        tuple(machine.shared.values()),
        tuple(
            (
                thread.begin is None or tuple(thread.begin[1].values()),
                thread.atomic,
                tuple((id(f.block), f.position, tuple(f.variables.values())) for f in thread.frames),
            )
            for thread in machine.threads
        ),
    )
