"""Tries all interleavings of a small program, with all values that it leaves open: the last word on threads.

    explore(program, "main")            # Explored(contexts=3, states=812): three contexts are needed for a violation
    explore(program, "main", most=5)    # Explored(contexts=None, ...): none of at most five contexts violates anything

The search visits states by the number of contexts that reach them (Dijkstra with costs 0 and 1), so the first violation
found needs the fewest. A context is a stretch of steps of one thread; the first is that of the thread which runs the
entry. Values are enumerated: every sort that a program leaves open must be small.

With store buffers, a context begins with commits of one buffer, perhaps none; then one thread, perhaps the one that ran
before, takes steps, and its own stores commit at any time between them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import field
from typing import TypeAlias, TypeVar

from cleave.errors import UnsupportedError
from cleave.ir.program import Block, Procedure, Program
from cleave.logic.terms import Term
from cleave.logic.values import Value, default_value, domain, domain_size
from cleave.records import dataclass
from cleave.validate.semantics.events import Blocked, Violated
from cleave.validate.semantics.judge import Ended
from cleave.validate.semantics.liveness import live_at_entry
from cleave.validate.semantics.machine import MAIN, Machine, Moved, ThreadChooser

R = TypeVar("R")
Choose: TypeAlias = Callable[[int], int]
"""Picks one of so many possibilities."""

_LARGEST = 1 << 8  # values of one variable that are tried


@dataclass(frozen=True, slots=True)
class Explored:
    """``contexts`` is the fewest that violate the property; None if none does within ``most``. ``complete`` says that
    no execution was cut off by ``most``: there is no violation at all if there is none here."""

    contexts: int | None
    states: int
    complete: bool


class TooLargeError(Exception):
    """There are more states than the limit allows."""


def explore(program: Program, entry: str, *, most: int | None = None, states: int = 200_000) -> Explored:
    """Raises `TooLargeError` when there are more than ``states``, `UnsupportedError` for values that can't be tried."""
    return _Search(program, entry, most, states).run()


class _Search:
    def __init__(self, program: Program, entry: str, most: int | None, limit: int) -> None:
        self._program = program
        self._entry = entry
        self._most = most
        self._limit = limit
        # Contexts so far, and the thread that ran last; ``~n`` where the context has begun with commits of thread n.
        self._queue: deque[tuple[int, int, Machine]] = deque()
        self._seen: dict[Hashable, int] = {}
        self._cut = False
        self._open = _Open(program, entry)

    def run(self) -> Explored:
        begin = self._open.chooser
        for machine in _outcomes(lambda choose: Machine(self._program, self._entry, begin(choose))):
            self._visit(machine, MAIN, 1)
        while self._queue:
            contexts, last, machine = self._queue.popleft()
            if self._seen[_key(machine, last)] < contexts:
                continue
            if self._expand(machine, last, contexts):
                return Explored(contexts, len(self._seen), False)
        return Explored(None, len(self._seen), not self._cut)

    def _expand(self, machine: Machine, last: int, contexts: int) -> bool:
        """Whether the thread that ran last can violate the property in its next step."""
        if last < 0:
            self._commit(machine, ~last, last, contexts)
            for number in self._able(machine):
                self._visit(machine, number, contexts)
            return False
        if self._advance(machine, last, contexts):
            return True
        if machine.threads[last].atomic:
            return False
        self._commit(machine, last, last, contexts)
        for number in self._able(machine):
            if number == last:
                continue
            if self._most is None or contexts < self._most:
                self._visit(machine, number, contexts + 1)
                self._commit(machine, number, ~number, contexts + 1)
            else:
                self._cut = self._cut or self._can_move(machine, number)
        return False

    def _able(self, machine: Machine) -> list[int]:
        """The threads that are there still, if only because of their stores."""
        return [number for number, thread in enumerate(machine.threads) if not thread.is_joinable]

    def _commit(self, machine: Machine, number: int, last: int, contexts: int) -> None:
        """One store of a thread gets to memory."""
        for store in machine.can_commit(number):
            after = machine.copy(machine.chooser, number)
            after.commit(number, store)
            self._visit(after, last, contexts)

    def _advance(self, machine: Machine, number: int, contexts: int) -> bool:
        if machine.threads[number].has_ended:
            return False
        for after in self._steps(machine, number):
            if isinstance(after, Violated):
                return True
            if isinstance(after, Machine):
                self._visit(after, number, contexts)
        return False

    def _visit(self, machine: Machine, last: int, contexts: int) -> None:
        key = _key(machine, last)
        known = self._seen.get(key)
        if known is not None and known <= contexts:
            return
        self._seen[key] = contexts
        if len(self._seen) > self._limit:
            raise TooLargeError(f"more than {self._limit} states")
        entry = (contexts, last, machine)
        if self._queue and contexts <= self._queue[0][0]:
            self._queue.appendleft(entry)
        else:
            self._queue.append(entry)

    def _can_move(self, machine: Machine, number: int) -> bool:
        if machine.threads[number].waiting:
            return True
        return any(after is not Moved.BLOCKED for after in self._steps(machine, number))

    def _steps(self, machine: Machine, number: int) -> Iterator[Machine | Violated | Moved | None]:
        """All states after a step of one thread; a violation; BLOCKED; None for other ends."""
        return _outcomes(lambda choose: _step(machine.copy(self._open.chooser(choose), number), number))


def _step(after: Machine, number: int) -> Machine | Violated | Moved | None:
    """Raises `UnsupportedError` where a quantifier can't be decided: no state may be left out or taken for another."""
    try:
        moved = after.step(number)
    except Ended as end:
        if isinstance(end.outcome, Blocked):
            raise UnsupportedError(end.outcome.what) from None
        found: Machine | Violated | Moved | None = end.outcome if isinstance(end.outcome, Violated) else None
    else:
        found = after if moved is Moved.MOVED else Moved.BLOCKED
    if after.judge.undecided:
        raise UnsupportedError("a condition with a quantifier can't be decided")
    return found


def _outcomes(run: Callable[[Choose], R]) -> Iterator[R]:
    """The result of ``run(choose)`` for every sequence of choices."""
    pending: list[list[int]] = [[]]
    while pending:
        prefix = pending.pop()
        chosen: list[int] = []

        def choose(count: int, prefix: list[int] = prefix, chosen: list[int] = chosen) -> int:
            position = len(chosen)
            if position >= len(prefix):
                pending.extend([*chosen, other] for other in range(1, count))
            chosen.append(prefix[position] if position < len(prefix) else 0)
            return chosen[-1]

        yield run(choose)


@dataclass(slots=True)
class _Open:
    """What is left open. A variable that is written before it is read starts with any one value."""

    program: Program
    entry: str
    irrelevant: dict[Term, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        main = self.program.procedures[self.entry]
        for procedure in self.program.procedures.values():
            if procedure.has_body:
                live = live_at_entry(self.program, procedure)
                own = (*procedure.returns, *procedure.locals, *(self.program.globals if procedure is main else ()))
                self.irrelevant.update((variable, None) for variable in own if variable not in live)

    def chooser(self, choose: Choose) -> ThreadChooser:
        def value(thread: int, variable: Term) -> Value:
            return self._value(variable, choose)

        def successor(thread: int, procedure: Procedure, block: Block) -> str:
            return block.successors[choose(len(block.successors))]

        return ThreadChooser(value, successor, self._first_value(choose))

    def _first_value(self, choose: Choose) -> Callable[[int, Term], Value]:
        def first(thread: int, variable: Term) -> Value:
            return default_value(variable.sort) if variable in self.irrelevant else self._value(variable, choose)

        return first

    def _value(self, variable: Term, choose: Choose) -> Value:
        size = domain_size(variable.sort)
        if size is None or size > _LARGEST:
            raise UnsupportedError(f"{variable.name} can have too many values to try them all")
        return list(domain(variable.sort))[choose(size)]


def _key(machine: Machine, last: int) -> Hashable:
    threads = tuple(
        (
            thread.atomic,
            None if thread.begin is None else (thread.begin[0].name, tuple(thread.begin[1].values())),
            tuple((f.procedure.name, f.block.label, f.position, tuple(f.variables.values())) for f in thread.frames),
            tuple(store.written for store in thread.waiting),
        )
        for thread in machine.threads
    )
    return last, tuple(machine.shared.values()), threads
