"""The lines of the source that an execution passed, from its events: a row for each, in order.

    assume c; y := x; t := y + 1; x := t                12  if (c) { y = x; x = y + 1; }

What happens inside of a library, and what the compiler adds without a place, belongs to the line that led there. A call
of one of the user's functions is followed by the rows of the callee, one level deeper; the line that called it
continues in a row of its own, if anything is left to be done there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import field

from cleave.explain.c.state import Frame
from cleave.ir.program import Block, Call, Location, Procedure, Program, Spawn
from cleave.ir.source import Source
from cleave.records import dataclass
from cleave.validate.semantics.events import Event

# How Clang names the blocks that a condition leads to, with a number behind it where there are several.
BRANCHES = {
    "if.then": ("if", True),
    "if.else": ("if", False),
    "if.end": ("if", False),
    "while.body": ("while", True),
    "while.end": ("while", False),
    "for.body": ("for", True),
    "for.end": ("for", False),
    "for.cond.cleanup": ("for", False),
}


@dataclass(slots=True, eq=False)
class Row:
    """``events``: what was done for this line, as positions. ``iteration``: of the innermost loop that it is in."""

    thread: int
    frame: int
    procedure: str
    depth: int
    location: Location
    events: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)  # positions of the calls of the user's functions
    decision: str = ""
    begins: set[str] = field(default_factory=set)  # loops, by the blocks in which their iterations begin
    iteration: int = 0
    is_last: bool = False

    @property
    def line(self) -> tuple[int, str, int]:
        return self.frame, self.location.file, self.location.line


class Rows:
    """Walks through the events of a run once."""

    def __init__(self, program: Program, source: Source, threads: Sequence[int]) -> None:
        self._program = program
        self._source = source
        self._threads = threads
        self.frames: dict[int, Frame] = {}
        self.rows: list[Row] = []
        self.of_event: dict[int, Row] = {}
        self._current: dict[int, Row] = {}  # of each of the user's activations
        self._pending: dict[int, deque[Location]] = {}
        self._labels: dict[int, tuple[str, str]] = {}  # the last two blocks of an activation
        self._headers: dict[str, frozenset[str]] = {}  # of each procedure
        self._loops: dict[int, list[tuple[str, int]]] = {}  # of each activation, outer ones first, with iterations
        self._begun: dict[int, set[str]] = {}  # loops that the next row of an activation begins
        self._depths: dict[int, int] = {}
        self._skipped = source.prologue

    def walk(self, events: Sequence[Event]) -> list[Row]:
        for position, event in enumerate(events):
            self._step(position, event)
        if events and self.rows:
            last = self.of_event.get(len(events) - 1)
            if last is not None:
                last.is_last = True
        return self.rows

    def user_frame(self, number: int) -> int:
        """The innermost activation of one of the user's functions that led to an activation; -1 if there is none."""
        while number >= 0 and not self._is_users(self.frames[number].procedure):
            number = self.frames[number].caller
        return number

    def _is_users(self, procedure: str) -> bool:
        function = self._source.functions.get(procedure)
        return function is not None and not function.is_library

    def _step(self, position: int, event: Event) -> None:
        if event.kind == "call":
            self._enter(event)
        frame = event.other_frame if event.kind == "return" and event.other_frame >= 0 else event.frame
        user = self.user_frame(frame)
        if user < 0:
            return
        if event.kind == "block":
            if frame == user and isinstance(event.subject, Block):
                self._block(user, event.subject, position)
            return
        if frame == 0 and self._skipped and event.kind in ("assign", "havoc"):
            self._skipped -= 1
            return
        if event.kind == "return" and event.frame in self._pending:
            self._pass(event.frame, position, None)
        if event.kind == "return" and event.subject is None:
            return
        if event.kind == "call" and event.subject is None and not event.values:
            return  # the entry
        row = self._row(user, event.location if frame == user else None, position)
        if row is None:
            return
        row.events.append(position)
        self.of_event[position] = row
        if event.kind == "call" and isinstance(event.subject, Call) and self._is_users(event.subject.procedure):
            row.calls.append(position)

    def _enter(self, event: Event) -> None:
        match event.subject:
            case None:
                self.frames[event.frame] = Frame(event.frame, event.procedure)
            case Spawn(procedure=procedure):
                self.frames[event.other_frame] = Frame(event.other_frame, procedure)
            case Call(procedure=procedure):
                self.frames[event.other_frame] = Frame(event.other_frame, procedure, event.frame)
            case _:
                pass

    # --- lines ------------------------------------------------------------------------------------------------------

    def _row(self, user: int, location: Location | None, position: int) -> Row | None:
        current = self._current.get(user)
        if location is None or location.file.startswith("<"):
            if current is None or self.rows[-1].thread == current.thread:
                return current
            location = current.location  # another thread has run in between
        self._pass(user, position, location)
        return self._at(user, location, position)

    def _at(self, user: int, location: Location, position: int) -> Row:
        thread = self._threads[position] if self._threads else 0
        row = self._current.get(user)
        begun = self._begun.pop(user, set())
        goes_on = row is not None and self.rows[-1] is row and begun.isdisjoint(row.begins)
        if row is None or not goes_on or row.line != (user, location.file, location.line):
            row = Row(thread, user, self.frames[user].procedure, self._depth(user), location)
            self.rows.append(row)
            self._current[user] = row
        row.begins |= begun
        loops = self._loops.get(user)
        row.iteration = loops[-1][1] if loops else 0
        return row

    def _pass(self, user: int, position: int, until: Location | None) -> None:
        """Lines before ``until`` that do nothing that the program notices."""
        pending = self._pending.get(user)
        if not pending:
            return
        if until is not None and all((one.file, one.line) != (until.file, until.line) for one in pending):
            return
        while pending:
            place = pending.popleft()
            if until is not None and (place.file, place.line) == (until.file, until.line):
                return
            self._at(user, place, position)

    def _depth(self, user: int) -> int:
        if user not in self._depths:
            caller = self.frames[user].caller
            above = self.user_frame(caller) if caller >= 0 else -1
            self._depths[user] = self._depth(above) + 1 if above >= 0 else 0
        return self._depths[user]

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _block(self, user: int, block: Block, position: int) -> None:
        label, procedure = block.label, self.frames[user].procedure
        places = self._source.lines.get((procedure, label), ())
        if places:
            self._pass(user, position, None)
        first, second = self._labels.get(user, ("", ""))
        self._labels[user] = (second, label)
        current = self._current.get(user)
        branch = BRANCHES.get(label.rstrip("0123456789"))
        if branch is not None and second in (f"{first}.then", f"{first}.else") and current is not None:
            keyword, taken = branch
            if keyword == "if" or not taken:
                current.decision = "true" if taken else "false"
        if label in self._headers_of(procedure):
            self._iterate(user, label)
        if places:
            self._pending[user] = deque(places)

    def _iterate(self, user: int, label: str) -> None:
        """Another iteration of a loop begins; those inside of it have ended."""
        loops = self._loops.setdefault(user, [])
        known = [one for one, _ in loops]
        if label in known:
            count = loops[known.index(label)][1]
            del loops[known.index(label) :]
            loops.append((label, count + 1))
        else:
            loops.append((label, 1))
        self._begun.setdefault(user, set()).add(label)

    def _headers_of(self, procedure: str) -> frozenset[str]:
        if procedure not in self._headers:
            self._headers[procedure] = loop_headers(self._program.procedures[procedure])
        return self._headers[procedure]


def loop_headers(procedure: Procedure) -> frozenset[str]:
    """The blocks to which an edge leads back, in a walk from the entry."""
    found: set[str] = set()
    entry = procedure.entry.label
    seen, open_ = {entry}, {entry}
    stack = [(entry, iter(procedure.entry.successors))]
    while stack:
        label, rest = stack[-1]
        following = next(rest, None)
        if following is None:
            stack.pop()
            open_.discard(label)
        elif following in open_:
            found.add(following)
        elif following not in seen:
            seen.add(following)
            open_.add(following)
            stack.append((following, iter(procedure.blocks[following].successors)))
    return frozenset(found)
