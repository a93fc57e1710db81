"""The journal of one run: its plan, every event that a coordinator sees, on disk before its commands are carried out,
and what each stage led to.

    with Journal.create(path, info, plan, source) as journal:
        journal.begin(1, spec)
        journal.append([Joined(1), Passed(1.0)], stage=1)       # on disk when it returns
        journal.end(1, outcome, seconds=0.5)
        journal.finish({"verdict": "safe"})
    with Journal.open(path) as journal:                         # also while another process writes
        for seconds, event in journal.events(1): ...
    with Journal.reopen(path) as journal:                       # to continue the run
        journal.append([Lost(1)], stage=1)

Plan, stages and outcomes are bytes here: `run` knows what they mean.

`places` says where journals are kept; `database` what is in the file.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from cleave.engines.coordination import Event, decode_event, encode_event
from cleave.errors import UsageError
from cleave.journal.database import (
    careful,
    create_database,
    leave_one_file,
    open_database,
    read_run,
    read_texts,
    reading,
    remove_database,
    transaction,
    writing,
)
from cleave.journal.lock import Lock

_BREAK_SECONDS = 10.0  # between two events, and the run did not go on in between
_EVENTS_AT_ONCE = 1000  # read at once, so that who reads slowly holds up no checkpoint of the writer's


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was started with."""

    id: str
    files: tuple[str, ...]
    engine: str
    workers: int
    runtime: Literal["local", "ray", "simulated"]
    options: dict[str, Any]  # anything that JSON can hold
    started: Annotated[datetime, msgspec.Meta(tz=True)]
    version: str  # of the Cleave that began it, for people: what can be resumed, plan and engines say
    source: str  # digest of what was read from the files


class StageRow(NamedTuple):
    """A stage of a plan: when it began and, once it has an outcome, when it ended and how long it took."""

    number: int
    began: float
    spec: bytes
    ended: float | None
    seconds: float | None
    outcome: bytes | None


_T = TypeVar("_T")


def _typed(rows: Any, wanted: type[_T]) -> _T:
    """A column of SQLite holds values of any type."""
    return msgspec.convert(rows, wanted, builtin_types=(bytes,))


class Journal:
    """Made by `create`, `in_memory`, `open` or `reopen`. For one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None, lock: Lock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._is_careful = False
        with reading(path):
            self.info = msgspec.json.decode(read_run(connection, "info"), type=RunInfo)
            self._finished = bool(read_run(connection, "result IS NOT NULL"))

    @classmethod
    def create(
        cls,
        path: Path,
        info: RunInfo,
        plan: bytes = b"",
        source: bytes = b"",
        texts: Mapping[str, bytes] | None = None,
    ) -> Journal:
        """A new journal in a new file. ``source`` is what was read: kept, so that the run can be resumed without the
        files that it was read from. ``texts`` are these files, by name, where the source is not what people wrote."""
        lock = Lock.take(path)
        try:
            return cls._begin(_new_file(path), lock, info, plan, source, texts)
        except BaseException:
            lock.give_back()
            raise

    @classmethod
    def in_memory(cls, info: RunInfo) -> Journal:
        """For a run that nobody will resume."""
        return cls._begin(None, None, info, b"", b"")

    @classmethod
    def open(cls, path: Path) -> Journal:
        """For reading, also while another process writes."""
        return cls._existing(path, None)

    @classmethod
    def reopen(cls, path: Path) -> Journal:
        """For going on with its run: UsageError if somebody does already."""
        cls.open(path).close()  # complains about what is no journal before a lock is put beside it
        lock = Lock.take(path)
        try:
            return cls._existing(path, lock)
        except BaseException:
            lock.give_back()
            raise

    def begin(self, stage: int, spec: bytes) -> None:
        """A stage begins, or goes on."""
        row = (stage, self._now(), spec)
        with writing(self.path), transaction(self._connection):
            self._unfinish()
            self._connection.execute("INSERT OR REPLACE INTO stage (number, began, spec) VALUES (?, ?, ?)", row)

    def append(self, events: Sequence[Event], stage: int = 0) -> None:
        """All of them are on disk when this returns; after a crash before that, all or none."""
        if not events:
            return
        if not self._is_careful:
            careful(self._connection)
            self._is_careful = True
        seconds = self._now()
        rows = [(stage, seconds, encode_event(event)) for event in events]
        with writing(self.path), transaction(self._connection):
            self._unfinish()
            self._connection.executemany("INSERT INTO event (stage, seconds, event) VALUES (?, ?, ?)", rows)

    def end(self, stage: int, outcome: bytes, seconds: float) -> None:
        """A stage is over, and will not be done again."""
        row = (stage, self._now(), seconds, outcome)
        with writing(self.path), transaction(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO outcome VALUES (?, ?, ?, ?)", row)

    def finish(self, result: Mapping[str, Any]) -> None:
        """The run is over, with a result that JSON can hold. A stage that begins later voids it."""
        with writing(self.path), transaction(self._connection):
            self._connection.execute("UPDATE run SET result = ?", (msgspec.json.encode(result).decode(),))
        self._finished = True

    @property
    def result(self) -> dict[str, Any] | None:
        """None as long as the run is not finished."""
        with reading(self.path):
            encoded = read_run(self._connection, "result")
            return None if encoded is None else msgspec.json.decode(encoded, type=dict[str, Any])

    @property
    def plan(self) -> bytes:
        with reading(self.path):
            return bytes(read_run(self._connection, "plan"))

    @property
    def source(self) -> bytes:
        """Not part of ``info``, because it may be large, and few ask for it."""
        with reading(self.path):
            return zlib.decompress(read_run(self._connection, "source"))

    def contents(self) -> dict[str, bytes]:
        """The files that the run is about, by name."""
        with reading(self.path):
            found = read_texts(self._connection)
        if not found and self.info.files:
            found = {self.info.files[0]: self.source}
        return found

    def texts(self) -> dict[str, str]:
        """The same, for people to read."""
        return {file: text.decode("utf-8", "replace") for file, text in self.contents().items()}

    def stages(self) -> list[StageRow]:
        """Those that have begun, in the order of their numbers."""
        query = (
            "SELECT number, began, spec, ended, outcome.seconds, data FROM stage LEFT JOIN outcome"
            " ON stage.number = outcome.stage ORDER BY number"
        )
        with reading(self.path):
            return _typed(self._connection.execute(query).fetchall(), list[StageRow])

    def seconds(self) -> float:
        """How long the run has gone on. Breaks don't count: they show, because a run notes the time every second."""
        query = (
            "SELECT sum(gap) FROM (SELECT seconds - lag(seconds) OVER (ORDER BY number) AS gap FROM event)"
            " WHERE gap < ?"
        )
        with reading(self.path):
            (first,) = self._connection.execute("SELECT seconds FROM event ORDER BY number LIMIT 1").fetchone() or (0,)
            (later,) = self._connection.execute(query, (_BREAK_SECONDS,)).fetchone()
            (alone,) = self._connection.execute("SELECT sum(seconds) FROM outcome").fetchone()
            first, later, alone = _typed((first, later or 0, alone or 0), tuple[float, float, float])
        return max(first + later, alone)

    def events(self, stage: int | None = None) -> Iterator[tuple[float, Event]]:
        """Those of one stage or of all, in their order, each with the seconds from the start of the run until it was
        appended, by the wall clock."""
        last = 0
        while rows := self._events_after(last, stage):
            for _, _, seconds, data in rows:
                yield seconds, self._decoded(data)
            last = rows[-1][0]

    def events_after(self, number: int) -> Iterator[tuple[int, int, float, Event]]:
        """Those of all stages that are younger than event ``number``: their numbers, stages, seconds, and they."""
        while rows := self._events_after(number, None):
            for number, stage, seconds, data in rows:
                yield number, stage, seconds, self._decoded(data)

    def copy_to(self, path: Path) -> None:
        """A whole journal in one file, also while another process writes."""
        with reading(self.path), contextlib.closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")

    def close(self) -> None:
        """May be called again."""
        if self._lock is not None:
            leave_one_file(self._connection)
        self._connection.close()
        if self._lock is not None:
            self._lock.give_back()
            self._lock = None

    def discard(self) -> None:
        """Closes the journal of a run that could not begin, and leaves nothing of it."""
        self._connection.close()
        if self.path is not None:
            remove_database(self.path)
        if self._lock is not None:
            self._lock.give_back()
            self._lock = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @classmethod
    def _begin(
        cls,
        path: Path | None,
        lock: Lock | None,
        info: RunInfo,
        plan: bytes,
        source: bytes,
        texts: Mapping[str, bytes] | None = None,
    ) -> Journal:
        return cls(create_database(path, msgspec.json.encode(info), plan, source, texts), path, lock)

    @classmethod
    def _existing(cls, path: Path, lock: Lock | None) -> Journal:
        connection = open_database(path, for_writing=lock is not None)
        try:
            return cls(connection, path, lock)
        except BaseException:
            connection.close()
            raise

    def _events_after(self, number: int, stage: int | None) -> list[tuple[int, int, float, bytes]]:
        query = "SELECT number, stage, seconds, event FROM event WHERE number > ? AND stage = ifnull(?, stage)"
        with reading(self.path):
            rows = self._connection.execute(f"{query} ORDER BY number LIMIT ?", (number, stage, _EVENTS_AT_ONCE))
            return _typed(rows.fetchall(), list[tuple[int, int, float, bytes]])

    def _now(self) -> float:
        return time.time() - self.info.started.timestamp()

    def _unfinish(self) -> None:
        """A run that ended without an answer goes on."""
        if self._finished:
            self._connection.execute("UPDATE run SET result = NULL")
            self._finished = False

    def _decoded(self, event: bytes) -> Event:
        with reading(self.path):
            return decode_event(event)


def _new_file(path: Path) -> Path:
    try:
        path.touch(0o600, exist_ok=False)  # it holds the program, which is nobody else's business
    except FileExistsError:
        raise UsageError(f"there is a journal at {path} already") from None
    except OSError as error:
        raise UsageError(f"can't write the journal {path}: {error.strerror}") from None
    return path
