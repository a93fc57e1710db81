"""What small threads can do, from first principles: every interleaving at single accesses, on memory of its own.

    thread 0: spawn 1; read x        thread 1: begin; read x; write x; end
    explored([...]).race             # True: thread 1 is about to write x, inside its block, and thread 0 to read it

No marks, no ir, no lowering: an operation is a tuple, a state is who stands where and what memory holds. Two threads
race if the next operations of both access the same cell, one of them writes, and not both are atomic (an access inside
an atomic block is). All threads deadlock if none can move, and each waits for a lock, a signal, a barrier or a thread.
A second definition, `ordered_race`, runs one execution and looks for conflicting accesses that happens-before does not
order (vector clocks): where it finds one, some interleaving has both side by side.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Value(NamedTuple):
    """The sum of registers and a constant."""

    registers: tuple[int, ...] = ()
    constant: int = 0


class Condition(NamedTuple):
    value: Value
    equal: bool  # or different
    constant: int


class Operation(NamedTuple):
    """``what``: a cell, a lock, a condition variable, a barrier or a thread. With ``element``, that register chooses
    between the cells ``what0`` and ``what1``."""

    kind: str
    what: str = ""
    element: int | None = None
    register: int = 0  # that gets a result
    value: Value = Value()  # that is written; of an exchange, the new one
    condition: Condition = Condition(Value(), True, 0)
    target: int = 0  # of a jump
    expected: int = 0  # by an exchange
    mutex: str = ""  # of a wait


Code = Sequence[Operation]
"""Of one thread."""

ACCESSES = frozenset(("read", "write", "load", "store", "add", "exchange"))
_ATOMIC = frozenset(("load", "store", "add", "exchange"))
_LOCAL = frozenset(("set", "jump", "unless", "assert", "assume"))
_TRIES = 400_000


@dataclass(slots=True)
class Found:
    violation: bool = False
    race: bool = False
    deadlock: bool = False
    states: int = 0


class TooManyError(Exception):
    """There are more states than are tried."""


@dataclass(slots=True)
class Thread:
    at: int = -1  # the next operation; -1: not started
    registers: tuple[int, ...] = ()
    waits: str = ""  # for a condition variable: "" | "asleep" | "woken"; for a barrier its round

    def key(self) -> tuple[object, ...]:
        return self.at, self.registers, self.waits


@dataclass(slots=True)
class State:
    threads: list[Thread]
    memory: dict[str, int]
    held: dict[str, int] = field(default_factory=dict)  # locks: the owner; read locks: minus the number of readers
    inside: int = -1  # the thread in an atomic block
    rounds: dict[str, tuple[int, int]] = field(default_factory=dict)  # barriers: round, arrived

    def key(self) -> tuple[object, ...]:
        threads = tuple(thread.key() for thread in self.threads)
        held = tuple(sorted(self.held.items()))
        return threads, tuple(self.memory.values()), held, self.inside, tuple(sorted(self.rounds.items()))

    def copy(self) -> State:
        threads = [Thread(t.at, t.registers, t.waits) for t in self.threads]
        return State(threads, dict(self.memory), dict(self.held), self.inside, dict(self.rounds))


class Machine:
    def __init__(
        self, code: Sequence[Code], memory: Mapping[str, int], needed: Mapping[str, int], *, spurious: bool = True
    ) -> None:
        self.code = code
        self.memory = memory
        self.needed = needed  # by barrier: how many meet there
        self.spurious = spurious

    def start(self) -> State:
        state = State([Thread() for _ in self.code], dict(self.memory))
        state.threads[0].at = 0
        self._settle(state, 0)
        return state

    def operation(self, state: State, number: int) -> Operation | None:
        """The next one; None for a thread that has not started or has ended."""
        at = state.threads[number].at
        return self.code[number][at] if 0 <= at < len(self.code[number]) else None

    def has_ended(self, state: State, number: int) -> bool:
        return state.threads[number].at >= len(self.code[number])

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, state: State, number: int, value: Value) -> int:
        own = state.threads[number].registers
        return sum(own[r] if r < len(own) else 0 for r in value.registers) + value.constant

    def cell(self, state: State, number: int, operation: Operation) -> str:
        if operation.element is None:
            return operation.what
        return f"{operation.what}{self.value(state, number, Value((operation.element,))) & 1}"

    def holds(self, state: State, number: int, condition: Condition) -> bool:
        return (self.value(state, number, condition.value) == condition.constant) is condition.equal

    # --- steps --------------------------------------------------------------------------------------------------------

    def moves(self, state: State) -> Iterator[tuple[int, State, bool]]:
        """Each step that a thread can take: who, the state after it, and whether it is a spurious wake-up."""
        for number in range(len(self.code)):
            if state.inside in (-1, number) and self.operation(state, number) is not None:
                for after, is_spurious in self._steps(state, number):
                    yield number, after, is_spurious

    def _steps(self, state: State, number: int) -> Iterator[tuple[State, bool]]:
        operation = self.operation(state, number)
        assert operation is not None
        if operation.kind in ("assume", "assert"):  # it was false when the thread came here, and depends on nobody else
            return
        if operation.kind == "wait":
            yield from self._waits(state, number, operation.mutex)
        elif operation.kind in ("signal", "broadcast"):
            for woken in self._woken(state, operation.what, everyone=operation.kind == "broadcast"):
                after = state.copy()
                for other in woken:
                    after.threads[other].waits = "woken"
                yield self._next(after, number), False
        else:
            after = state.copy()
            if self._does(after, number, operation):
                yield self._next(after, number), False

    def _next(self, state: State, number: int) -> State:
        state.threads[number].at += 1
        self._settle(state, number)
        return state

    def _waits(self, state: State, number: int, mutex: str) -> Iterator[tuple[State, bool]]:
        thread = state.threads[number]
        after = state.copy()
        mine = after.threads[number]
        if not thread.waits:
            mine.waits = "asleep"
            after.held.pop(mutex, None)
            yield after, False
        elif thread.waits == "asleep":
            if self.spurious:
                mine.waits = "woken"
                yield after, True
        elif mutex not in state.held:
            mine.waits = ""
            after.held[mutex] = number
            yield self._next(after, number), False

    def _woken(self, state: State, condition: str, *, everyone: bool) -> list[tuple[int, ...]]:
        asleep = tuple(
            number
            for number, thread in enumerate(state.threads)
            if thread.waits == "asleep" and self.code[number][thread.at].what == condition
        )
        if everyone or not asleep:
            return [asleep]
        return [(number,) for number in asleep]

    def _does(self, state: State, number: int, operation: Operation) -> bool:
        """Changes the state; whether the operation can happen now."""
        kind, what = operation.kind, operation.what
        if kind in ACCESSES:
            self._access(state, number, operation)
            return True
        if kind in ("begin", "end"):
            state.inside = number if kind == "begin" else -1
            return True
        if kind == "spawn":
            state.threads[int(what)].at = 0
            self._settle(state, int(what))
            return True
        if kind == "join":
            return self.has_ended(state, int(what))
        if kind == "meet":
            return self._meets(state, number, what)
        return self._locks(state, number, operation)

    def _locks(self, state: State, number: int, operation: Operation) -> bool:
        kind, what, held = operation.kind, operation.what, state.held
        count = held.pop(what, None)
        match kind:
            case "lock":
                held[what] = number if count is None else count
                return count is None
            case "try":
                held[what] = number if count is None else count
                self._set(state, number, operation.register, 0 if count is None else 16)
            case "share":
                can = count is None or count < 0
                held[what] = (count or 0) - 1 if can else count or 0
                return can
            case "unshare" if count is not None and count < -1:
                held[what] = count + 1
            case "post":
                held[what] = (count or 0) + 1
            case "take":
                held[what] = max(0, (count or 0) - 1)
                return bool(count)
        return True

    def _meets(self, state: State, number: int, barrier: str) -> bool:
        """Arriving is one step, leaving another one."""
        round_, arrived = state.rounds.get(barrier, (0, 0))
        thread = state.threads[number]
        if thread.waits:
            if str(round_) == thread.waits:
                return False
            thread.waits = ""
            return True
        if arrived + 1 == self.needed[barrier]:
            state.rounds[barrier] = (round_ + 1, 0)
            return True
        state.rounds[barrier] = (round_, arrived + 1)
        thread.waits = str(round_)
        thread.at -= 1
        return True

    def _access(self, state: State, number: int, operation: Operation) -> None:
        cell, memory = self.cell(state, number, operation), state.memory
        before = memory[cell]
        if operation.kind in ("write", "store"):
            memory[cell] = self.value(state, number, operation.value)
        elif operation.kind == "exchange":
            memory[cell] = operation.value.constant if before == operation.expected else before
            self._set(state, number, operation.register, int(before == operation.expected))
        else:
            memory[cell] = before + (operation.kind == "add")
            self._set(state, number, operation.register, before)

    def _set(self, state: State, number: int, register: int, value: int) -> None:
        thread = state.threads[number]
        own = [*thread.registers, *[0] * (register + 1 - len(thread.registers))]
        own[register] = value
        thread.registers = tuple(own)

    def _settle(self, state: State, number: int) -> None:
        """What a thread does by itself happens at once; a condition that fails holds it up for ever."""
        thread = state.threads[number]
        code = self.code[number]
        while 0 <= thread.at < len(code) and (operation := code[thread.at]).kind in _LOCAL:
            if operation.kind == "set":
                self._set(state, number, operation.register, self.value(state, number, operation.value))
            elif operation.kind == "jump" or not self.holds(state, number, operation.condition):
                if operation.kind in ("assert", "assume"):
                    return
                thread.at = operation.target
                continue
            thread.at += 1


# --- all interleavings ------------------------------------------------------------------------------------------------


def explored(machine: Machine, most: int = _TRIES) -> Found:
    """Raises `TooManyError` for a program with more states."""
    found = Found()
    pending = [machine.start()]
    seen = {pending[0].key()}
    while pending:
        state = pending.pop()
        following = [machine.operation(state, number) for number in range(len(machine.code))]
        found.violation = found.violation or any(one is not None and one.kind == "assert" for one in following)
        if machine.has_ended(state, 0):
            continue
        found.race = found.race or is_race(machine, state)
        stuck = True
        for _, after, is_spurious in machine.moves(state):
            stuck = stuck and is_spurious
            if (key := after.key()) not in seen:
                seen.add(key)
                pending.append(after)
                if len(seen) > most:
                    raise TooManyError
        found.deadlock = found.deadlock or (stuck and _all_wait(machine, state))
    found.states = len(seen)
    return found


def is_race(machine: Machine, state: State) -> bool:
    following = [
        (number, operation)
        for number in range(len(machine.code))
        if (operation := machine.operation(state, number)) is not None and operation.kind in ACCESSES
    ]
    for place, (one, first) in enumerate(following):
        for other, second in following[place + 1 :]:
            if machine.cell(state, one, first) != machine.cell(state, other, second):
                continue
            both_atomic = _is_atomic(state, one, first) and _is_atomic(state, other, second)
            if not both_atomic and (_writes(machine, state, one, first) or _writes(machine, state, other, second)):
                return True
    return False


def _is_atomic(state: State, number: int, operation: Operation) -> bool:
    return operation.kind in _ATOMIC or state.inside == number


def _writes(machine: Machine, state: State, number: int, operation: Operation) -> bool:
    if operation.kind == "exchange":
        return state.memory[machine.cell(state, number, operation)] == operation.expected
    return operation.kind in ("write", "store", "add")


def _all_wait(machine: Machine, state: State) -> bool:
    """None of those that have not ended is held up by a condition, or is in the middle of an atomic block."""
    if state.inside != -1:
        return False
    left = [operation for n in range(len(machine.code)) if (operation := machine.operation(state, n)) is not None]
    return bool(left) and not any(operation.kind in ("assume", "assert") for operation in left)


# --- happens-before ---------------------------------------------------------------------------------------------------

Clock = tuple[int, ...]
_BLOCKS = "(atomic blocks)"


def ordered_race(machine: Machine, pick: random.Random, steps: int = 200) -> bool:
    """Whether one random execution has two conflicting accesses, not both atomic, that nothing orders."""
    count = len(machine.code)
    clocks: list[list[int]] = [[0] * count for _ in range(count)]
    objects: dict[object, list[int]] = {}
    accesses: dict[str, list[tuple[int, Clock, bool, bool]]] = {}
    state = machine.start()
    for _ in range(steps):
        moves = list(machine.moves(state))
        if not moves or machine.has_ended(state, 0):
            return False
        number, after, _ = pick.choice(moves)
        operation = machine.operation(state, number)
        assert operation is not None
        clocks[number][number] += 1
        for thing in _synchronises(machine, state, number, operation):
            known = objects.setdefault(thing, [0] * count)
            merged = [max(a, b) for a, b in zip(known, clocks[number], strict=True)]
            objects[thing], clocks[number] = list(merged), merged
        if operation.kind == "spawn":
            child = int(operation.what)
            clocks[child] = [max(a, b) for a, b in zip(clocks[child], clocks[number], strict=True)]
        if operation.kind == "join":
            ended = clocks[int(operation.what)]
            clocks[number] = [max(a, b) for a, b in zip(ended, clocks[number], strict=True)]
        if operation.kind in ACCESSES:
            cell = machine.cell(state, number, operation)
            atomic, writes = _is_atomic(state, number, operation), _writes(machine, state, number, operation)
            for other, clock, was_atomic, wrote in accesses.get(cell, ()):
                ordered = clock[other] <= clocks[number][other]
                if other != number and not ordered and not (atomic and was_atomic) and (writes or wrote):
                    return True
            accesses.setdefault(cell, []).append((number, tuple(clocks[number]), atomic, writes))
        state = after
    return False


def _synchronises(machine: Machine, state: State, number: int, operation: Operation) -> Iterator[object]:
    """The objects that an operation acquires and releases."""
    kind = operation.kind
    if kind in ACCESSES:
        if _is_atomic(state, number, operation):
            yield "cell", machine.cell(state, number, operation)
    elif kind in ("begin", "end"):
        yield _BLOCKS
    elif kind not in ("spawn", "join"):
        yield operation.what
        if kind == "wait":
            yield operation.mutex
