"""Random small concurrent programs in Boogie, and what they do: executed step by step, in every order.

The executions here know nothing of the ir: they are those of the statements that the text was made from.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

Value = tuple[str, int] | int  # a variable and what is added to it, or a number
Instruction = tuple[object, ...]
GLOBALS = ("x", "y")
KINDS = {"corral": (False, False), "cooperative": (False, True), "ultimate": (True, False)}  # what to ask a maker for


@dataclass
class Made:
    text: str
    procedures: dict[str, list[Instruction]]
    cooperative: bool


@dataclass
class BoogieMaker:
    """``main`` starts ``p`` and ``q``, in Corral's way or in Ultimate's, and asserts something."""

    pick: random.Random
    ultimate: bool = False
    cooperative: bool = False
    lines: list[str] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)  # procedures that a procedure of its own forks

    def made(self) -> Made:
        procedures = {name: self._worker(name) for name in ("p", "q")}
        procedures["main"] = self._main()
        head = ["var x, y: int;"]
        head += [f"procedure start_{name}(i: int, v: int) {{ fork i {name}(v); }}" for name in sorted(self.helpers)]
        if not self.ultimate:
            head += ["procedure corral_atomic_begin();", "procedure corral_atomic_end();"]
        return Made("\n".join([*head, *self.lines]), procedures, self.cooperative)

    # --- statements: a text, and instructions --------------------------------------------------------------------

    def _write(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def _value(self, readable: tuple[str, ...]) -> Value:
        if self.pick.random() < 0.3:
            return self.pick.randrange(3)
        return (self.pick.choice(readable), self.pick.randrange(1, 3))

    def _simple(self, code: list[Instruction], own: tuple[str, ...]) -> None:
        readable = (*GLOBALS, *own)
        kind = self.pick.choice(("set", "set", "set", "assume", "assert", "if", "yield"))
        variable, number = self.pick.choice(readable), self.pick.randrange(4)
        if kind == "set":
            target, value = self.pick.choice((*GLOBALS, *own[1:])), self._value(readable)
            self._write(f"{target} := {_text(value)};")
            code.append(("set", target, value))
        elif kind == "assume" and self.pick.random() < 0.5:
            self._write(f"assume {variable} <= {number};")
            code.append(("assume", variable, number))
        elif kind == "assert" and self.pick.random() < 0.4:
            self._write(f"assert {variable} <= {number};")
            code.append(("assert", variable, number))
        elif kind == "if":
            value = self._value(readable)
            self._write(f"if ({variable} <= {number}) {{ y := {_text(value)}; }}")
            code.append(("unless", variable, number, 1))
            code.append(("set", "y", value))
        else:
            self._write("yield;")
            code.append(("yield",))

    def _statements(self, count: int, own: tuple[str, ...]) -> list[Instruction]:
        code: list[Instruction] = []
        while count > 0:
            if self.pick.random() < 0.25:
                self._write("atomic {" if self.ultimate else "call corral_atomic_begin();")
                code.append(("begin",))
                for _ in range(2):
                    self._simple(code, own)
                self._write("}" if self.ultimate else "call corral_atomic_end();")
                code.append(("end",))
                count -= 2
            else:
                self._simple(code, own)
                count -= 1
        return code

    def _worker(self, name: str) -> list[Instruction]:
        self.lines += [f"procedure {name}(a: int) returns (r: int)", "{"]
        self._write("r := 0;")
        code = [("set", "r", 0), *self._statements(3, ("a", "r"))]
        limit = self.pick.randrange(1, 5)
        self._write(f"assert x <= {limit};")
        code.append(("assert", "x", limit))
        self.lines.append("}")
        return [*code, ("return",)]

    def _main(self) -> list[Instruction]:
        self.lines += ["procedure main()", "{", "  var l: int;", "  x, y := 0, 0; l := 0;"]
        code: list[Instruction] = [("set", "l", 0)]
        start = self._forks if self.ultimate else self._calls
        start(code)
        limit = self.pick.randrange(1, 6)
        for variable in self.pick.sample(("x", "y", "l"), 2):
            self._write(f"assert {variable} <= {limit};")
            code.append(("assert", variable, limit))
        self.lines.append("}")
        return [*code, ("return",)]

    def _calls(self, code: list[Instruction]) -> None:
        if self.pick.random() < 0.3:
            self._write("par call l := p(1) | y := q(2);")
            code.append(("par", (("p", 1, "l"), ("q", 2, "y"))))
            return
        for name in self.pick.choices(("p", "q"), k=2):
            value = self._value(("x", "l"))
            self._write(f"async call {name}({_text(value)});")
            code.append(("start", name, value, None))
            if self.pick.random() < 0.3:
                self._write("yield;")
                code.append(("yield",))

    def _forks(self, code: list[Instruction]) -> None:
        names = self.pick.choices(("p", "q"), k=2)
        ids = [self.pick.randrange(1, 3) for _ in names]
        for name, number in zip(names, ids, strict=True):
            value = self._value(("x", "l"))
            if self.pick.random() < 0.4:  # of such a fork, what has its name is known only when it happens
                self.helpers.add(name)
                self._write(f"call start_{name}({number}, {_text(value)});")
            else:
                self._write(f"fork {number} {name}({_text(value)});")
            code.append(("start", name, value, number))
        for number in self.pick.sample(ids, self.pick.randrange(3)):
            takes = self.pick.random() < 0.6
            self._write(f"join {number} assign l;" if takes else f"join {number};")
            code.append(("join", number, takes))


def _text(value: Value) -> str:
    return str(value) if isinstance(value, int) else f"{value[0]} + {value[1]}"


# --- all executions ---------------------------------------------------------------------------------------------------

Thread = tuple[str, int, tuple[tuple[str, int], ...], int | None, bool]  # procedure, next, locals, id, whether joined
State = tuple[tuple[tuple[str, int], ...], tuple[Thread, ...], int]  # globals, threads, whose turn (-1: anybody's)


class Violated(Exception):  # noqa: N818 (no error)
    pass


def can_fail(made: Made) -> bool:
    """Whether some execution violates an assertion."""
    start: State = ((("x", 0), ("y", 0)), (("main", 0, (), None, False),), 0 if made.cooperative else -1)
    seen = {start}
    pending = [start]
    try:
        while pending:
            for state in _steps(made, pending.pop()):
                if state not in seen:
                    seen.add(state)
                    pending.append(state)
    except Violated:
        return True
    return False


# --- races ------------------------------------------------------------------------------------------------------------

Access = tuple[str, bool, bool]  # a global, whether it is written, whether in an atomic block


def can_race(made: Made) -> bool:
    """Whether two threads can be about to access the same global, not both atomically, one of them to write. Who would
    violate an assertion just does not run."""
    start: State = ((("x", 0), ("y", 0)), (("main", 0, (), None, False),), -1)
    seen = {start}
    pending = [start]
    while pending:
        state = pending.pop()
        about = [_about(made, state, number) for number in range(len(state[1]))]
        for number, accesses in enumerate(about):
            others = {other for rest in about[number + 1 :] for other in rest}
            if any(a[0] == b[0] and (a[1] or b[1]) and not (a[2] and b[2]) for a in accesses for b in others):
                return True
        for number in range(len(state[1])):
            try:
                after = list(_moves(made, state, number))
            except Violated:
                continue
            pending += [one for one in after if one not in seen]
            seen.update(after)
    return False


def _about(made: Made, state: State, number: int) -> set[Access]:
    """What the next step of a thread accesses."""
    name, place, _, _, _ = state[1][number]
    code = made.procedures[name]
    if place >= len(code):
        return set()
    if code[place] != ("begin",):
        return _accesses(made, state, number, code[place], inside=False)
    found: set[Access] = set()
    inside = [_advanced(state, number, 1)]
    while inside:
        now = inside.pop()
        instruction = code[now[1][number][1]]
        if instruction == ("end",):
            continue
        found |= _accesses(made, now, number, instruction, inside=True)
        with suppress(Violated):
            inside += _executed(made, now, number, inside=True)
    return found


def _accesses(made: Made, state: State, number: int, instruction: Instruction, *, inside: bool) -> set[Access]:
    reads: list[Value] = []
    writes: list[str] = []
    match instruction:
        case ("set", str(target), value):
            reads, writes = [value], [target]  # type: ignore[list-item]
        case ("assume" | "unless", str(variable), *_):
            reads = [(variable, 0)]
        case ("start", _, value, _):
            reads = [value]  # type: ignore[list-item]
        case ("par", calls):
            mine = [thread for thread in state[1] if thread[3] == -1 - number]
            if mine and all(_has_ended(made, thread) for thread in mine):
                writes = [target for _, _, target in calls]  # type: ignore[attr-defined]
    named = [value[0] for value in reads if isinstance(value, tuple)]
    both = [(name, False) for name in named] + [(name, True) for name in writes]
    return {(name, is_written, inside) for name, is_written in both if name in GLOBALS}


def _steps(made: Made, state: State) -> Iterator[State]:
    _, threads, turn = state
    for number in range(len(threads)) if turn < 0 else (turn,):
        yield from _moves(made, state, number)


def _moves(made: Made, state: State, number: int) -> Iterator[State]:
    """The states after a step of a thread; an atomic block is one step."""
    name, place, _, _, _ = state[1][number]
    code = made.procedures[name]
    if place >= len(code):
        return
    if code[place] != ("begin",):
        yield from _executed(made, state, number)
        return
    inside = [_advanced(state, number, 1)]
    while inside:
        now = inside.pop()
        if code[now[1][number][1]] == ("end",):
            yield _advanced(now, number, 1)
        else:
            inside += _executed(made, now, number, inside=True)


def _executed(made: Made, state: State, number: int, *, inside: bool = False) -> Iterator[State]:
    held, threads, turn = state
    name, place, own, _, _ = threads[number]
    variables = {**dict(held), **dict(own)}

    def value(written: Value) -> int:
        return written if isinstance(written, int) else variables[written[0]] + written[1]

    match made.procedures[name][place]:
        case ("set", str(target), written):
            yield _advanced(_set(state, number, target, value(written)), number, 1)  # type: ignore[arg-type]
        case ("assume", str(variable), int(limit)):
            if variables[variable] <= limit:
                yield _advanced(state, number, 1)
        case ("assert", str(variable), int(limit)):
            if variables[variable] > limit:
                raise Violated
            yield _advanced(state, number, 1)
        case ("unless", str(variable), int(limit), int(skipped)):
            yield _advanced(state, number, 1 if variables[variable] <= limit else 1 + skipped)
        case ("yield",):
            after = _advanced(state, number, 1)
            yield from _turns(after, inside)
        case ("return",):
            after = _advanced(state, number, 1)
            yield from _turns(after, inside)
        case ("start", str(started), written, id_):
            new: Thread = (started, 0, (("a", value(written)), ("r", 0)), id_, False)  # type: ignore[arg-type, assignment]
            yield _advanced((held, (*threads, new), turn), number, 1)
        case ("join", int(id_), bool(takes)):
            for other, thread in enumerate(threads):
                if thread[3] == id_ and not thread[4] and _has_ended(made, thread):
                    joined = (*threads[:other], (*thread[:4], True), *threads[other + 1 :])
                    after = (held, joined, turn)
                    yield _advanced(_set(after, number, "l", dict(thread[2])["r"]) if takes else after, number, 1)
        case ("par", calls):
            yield from _par(made, state, number, calls)  # type: ignore[arg-type]


def _par(made: Made, state: State, number: int, calls: tuple[tuple[str, int, str], ...]) -> Iterator[State]:
    held, threads, turn = state
    mine = [n for n, thread in enumerate(threads) if thread[3] == -1 - number]
    if not mine:
        new: list[Thread] = [(p, 0, (("a", a), ("r", 0)), -1 - number, False) for p, a, _ in calls]
        yield from _turns((held, (*threads, *new), turn), False)
    elif all(_has_ended(made, threads[n]) for n in mine):
        for n, (_, _, target) in zip(mine, calls, strict=True):
            state = _set(state, number, target, dict(threads[n][2])["r"])
        yield _advanced(state, number, 1)
    elif turn >= 0:
        yield from _turns(state, False)


def _turns(state: State, inside: bool) -> Iterator[State]:
    """Anybody may be next, where threads give way."""
    held, threads, turn = state
    if turn < 0 or inside:
        yield state
    else:
        yield from ((held, threads, n) for n in range(len(threads)))


def _has_ended(made: Made, thread: Thread) -> bool:
    return thread[1] >= len(made.procedures[thread[0]])


def _set(state: State, number: int, target: str, value: int) -> State:
    held, threads, turn = state
    if target in GLOBALS:
        return tuple({**dict(held), target: value}.items()), threads, turn
    name, place, own, id_, joined = threads[number]
    changed: Thread = (name, place, tuple({**dict(own), target: value}.items()), id_, joined)
    return held, (*threads[:number], changed, *threads[number + 1 :]), turn


def _advanced(state: State, number: int, by: int) -> State:
    held, threads, turn = state
    name, place, own, id_, joined = threads[number]
    changed: Thread = (name, place + by, own, id_, joined)
    return held, (*threads[:number], changed, *threads[number + 1 :]), turn
