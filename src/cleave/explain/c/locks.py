"""Effects of threads on each other, in words.

pthread_mutex_lock(&A);         locks A
pthread_mutex_lock(&B);         waits for B, held by thread 1 since line 14
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.explain.c.paths import parts
from cleave.explain.c.rows import Row, Rows
from cleave.explain.c.state import State
from cleave.explain.history import History
from cleave.ir.program import Call, Join, Spawn
from cleave.ir.source import Array, Pointer
from cleave.records import dataclass
from cleave.validate.semantics.events import Event

_LOCKS = frozenset(
    (
        *("pthread_mutex_lock", "pthread_spin_lock", "pthread_rwlock_wrlock", "mtx_lock"),
        *("pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_mutex_clocklock", "mtx_trylock"),
        *("mtx_timedlock", "pthread_spin_trylock", "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock"),
    )
)
_SHARED = frozenset(("pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock"))
_UNLOCKS = frozenset(("pthread_mutex_unlock", "pthread_spin_unlock", "pthread_rwlock_unlock", "mtx_unlock"))
_WAITS = frozenset(
    ("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait")
)
_OTHERS = {
    "pthread_cond_signal": "signals {0}",
    "cnd_signal": "signals {0}",
    "pthread_cond_broadcast": "wakes all that wait for {0}",
    "cnd_broadcast": "wakes all that wait for {0}",
    "sem_post": "adds one to {0}",
    "sem_wait": "takes one from {0}",
    "pthread_barrier_wait": "passes {0}",
}
_JOINS = frozenset(("pthread_join", "thrd_join", "__cleave_await"))


@dataclass(slots=True)
class _Wait:
    """A call that may not come back."""

    what: str
    address: int
    row: Row


class Locks:
    """``notes`` are those of rows, in order; ``held`` is who has a lock, by its address, and since when."""

    def __init__(self, state: State, history: History, rows: Rows, threads: Sequence[int]) -> None:
        self.notes: dict[Row, list[str]] = {}
        self.started: dict[int, str] = {0: "main"}
        self._state = state
        self._rows = rows
        self._held: dict[int, tuple[int, int]] = {}
        self._waiting: dict[int, _Wait] = {}  # by thread
        self._history = history
        for position, event in enumerate(history.events):
            row = rows.of_event.get(position)
            if row is not None:
                self._step(position, event, row, threads[position] if threads else 0)

    def _step(self, position: int, event: Event, row: Row, thread: int) -> None:
        match event.kind, event.subject:
            case "call", Spawn(procedure=procedure):
                number = len(self.started)
                self.started[number] = procedure.split(".")[0]
                self._note(row, f"starts thread {number}")
            case _, Join(thread=term):
                joined = self._history.evaluate(term, event.frame, position)
                self._note(row, f"joins thread {joined}")
            case "call", Call(procedure=procedure) if event.frame == row.frame:
                self._called(position, event, procedure.split(".")[0], row, thread)
            case "return", Call(procedure=procedure) if event.other_frame == row.frame:
                self._returned(event, procedure.split(".")[0], row, thread)
            case _:
                pass

    def _called(self, position: int, event: Event, name: str, row: Row, thread: int) -> None:
        addresses = [int(value) for _, value in event.values if isinstance(value, int)]
        if not addresses:
            return
        what = self._name(addresses[0], row, position)
        if name in _LOCKS | _SHARED | _JOINS:
            self._waiting[thread] = _Wait(f"thread {addresses[0]}" if name in _JOINS else what, addresses[0], row)
        elif name in _WAITS and len(addresses) > 1:
            self._waiting[thread] = _Wait(what, addresses[0], row)
            self._held.pop(addresses[1], None)
            self._note(row, f"waits for {what} and gives {self._name(addresses[1], row, position)} back")
        elif name in _UNLOCKS:
            self._held.pop(addresses[0], None)
            self._note(row, f"unlocks {what}")
        elif name in _OTHERS:
            self._note(row, _OTHERS[name].format(what))

    def _returned(self, event: Event, name: str, row: Row, thread: int) -> None:
        wait = self._waiting.pop(thread, None)
        if wait is None:
            return
        failed = any(value for _, value in event.values if isinstance(value, int))
        if name in _LOCKS | _SHARED:
            if failed:
                self._note(row, f"does not get {wait.what}")
            else:
                self._held[wait.address] = (thread, wait.row.location.line)
                self._note(row, f"locks {wait.what}" + (" to read" if name in _SHARED else ""))
        elif name in _WAITS:
            self._note(row, "wakes up")

    def waits(self) -> dict[int, str]:
        """What the threads that did not come back wait for when the execution ends."""
        found = {}
        last = {row.thread: row for row in self._rows.rows}
        for thread, wait in sorted(self._waiting.items()):
            holder = self._held.get(wait.address)
            by = ""
            if holder is not None:
                who = "itself" if holder[0] == thread else f"thread {holder[0]}"
                by = f", held by {who} since line {holder[1]}"
            found[thread] = f"waits for {wait.what}{by}"
            self._note(last[thread], found[thread])
        return found

    def line(self, thread: int) -> int:
        return self._waiting[thread].row.location.line

    def _name(self, address: int, row: Row, position: int) -> str:
        block = self._state.objects.around(address, position)
        if block is not None and block.variable.name and block.variable.type is not None:
            offset = address - block.base
            for part in parts(block.variable.type, offset):
                if part.start == offset and not isinstance(part.type, Array):
                    return f"{block.variable.name}{part.path}"
        text = self._state.pointer(address, Pointer(self._state.source.bits // 8), row.frame, position)
        return text.removeprefix("&")

    def _note(self, row: Row, text: str) -> None:
        self.notes.setdefault(row, []).append(text)
