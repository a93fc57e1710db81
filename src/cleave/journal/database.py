"""The SQLite file that holds a journal: how it is made, recognised and kept safe, and its errors in Cleave's words.

    connection = create_database(path, info, plan, source)
    careful(connection)                                         # commits wait for the disk
    connection = open_database(path, for_writing=False)         # InputError unless it is a journal of this format

The file says what it is in SQLite's ``application_id``, and the version of its format in ``user_version``.

In WAL mode readers and the writer don't wait for each other. A run without workers does not wait for the disk either:
it survives a ``kill -9``, and after a power cut it begins again. Once there are workers, ``synchronous=FULL`` makes
each commit wait for the disk: with ``NORMAL`` a power cut could take the last events with it although their commands
were carried out, and who resumes the run would give out worker numbers again that workers on other machines may still
have. The price is one wait per batch of events: 4,000 to 7,000 batches of one per second where it was measured, 200
where a wait takes 5 ms; while one waits, the next batch grows.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from cleave.errors import InputError, UsageError

FORMAT = 2
_APPLICATION = int.from_bytes(b"Clev", "big")
_BUSY_SECONDS = 30.0  # for the moments in which SQLite needs a file for itself, for example after a crash
_FAST = 1  # of zlib's levels; a program's text shrinks to a third even so
_TABLES = (
    "CREATE TABLE run (info TEXT NOT NULL, plan BLOB NOT NULL, source BLOB NOT NULL, result TEXT)",
    "CREATE TABLE stage (number INTEGER PRIMARY KEY, began REAL NOT NULL, spec BLOB NOT NULL)",
    "CREATE TABLE event"
    " (number INTEGER PRIMARY KEY, stage INTEGER NOT NULL, seconds REAL NOT NULL, event BLOB NOT NULL)",
    "CREATE TABLE outcome (stage INTEGER PRIMARY KEY, ended REAL NOT NULL, seconds REAL NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE text (file TEXT PRIMARY KEY, content BLOB NOT NULL)",
)


def create_database(
    path: Path | None, info: bytes, plan: bytes, source: bytes, texts: Mapping[str, bytes] | None = None
) -> sqlite3.Connection:
    """Without events, in an empty file or, without a path, in memory. Nothing waits for the disk yet: see `careful`."""
    with writing(path):
        connection = _connect(path)
        connection.execute("PRAGMA synchronous = OFF")
        with transaction(connection):  # before WAL mode: the file is empty or whole, whenever the process is killed
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            for table in _TABLES:
                connection.execute(table)
            row = (info.decode(), plan, zlib.compress(source, _FAST))
            connection.execute("INSERT INTO run (info, plan, source) VALUES (?, ?, ?)", row)
            rows = [
                (file.encode("utf-8", "replace").decode(), zlib.compress(text, _FAST))
                for file, text in (texts or {}).items()
            ]
            connection.executemany("INSERT OR REPLACE INTO text VALUES (?, ?)", rows)
        connection.execute("PRAGMA journal_mode = WAL")
    return connection


def open_database(path: Path, *, for_writing: bool) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError("there is no such journal", file=str(path))
    with reading(path):
        connection = _connect(path)
        try:
            _check_format(connection, path)
            if for_writing:
                connection.execute("PRAGMA journal_mode = WAL")
                careful(connection)
            else:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
    return connection


def careful(connection: sqlite3.Connection) -> None:
    """From now on each commit waits for the disk."""
    connection.execute("PRAGMA synchronous = FULL")


def remove_database(path: Path) -> None:
    """With the files that SQLite has beside it while it is in use, or left there when its process was killed."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def read_run(connection: sqlite3.Connection, column: str) -> Any:
    """The value of a column of the one row that tells about the run."""
    row = connection.execute(f"SELECT {column} FROM run").fetchone()
    if row is None:
        raise sqlite3.DatabaseError("it does not say what run it is of")
    return row[0]


def read_texts(connection: sqlite3.Connection) -> dict[str, bytes]:
    """Nothing from a journal that was made before there was such a table."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'text'").fetchone() is None:
        return {}
    return {file: zlib.decompress(content) for file, content in connection.execute("SELECT file, content FROM text")}


def leave_one_file(connection: sqlite3.Connection) -> None:
    """Out of WAL mode, whose further files even readers leave behind, unless somebody reads right now."""
    connection.execute("PRAGMA busy_timeout = 0")
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = DELETE")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def reading(path: Path | None) -> Iterator[None]:
    """What the libraries say about a file that is no journal, or no longer a whole one, as an InputError."""
    try:
        yield
    except (sqlite3.Error, msgspec.MsgspecError, UnicodeDecodeError, zlib.error, TypeError) as error:
        # TypeError: text instead of bytes. UnicodeDecodeError: msgspec's, of text that is none.
        raise InputError(_complaint(error), file=str(path or "")) from error


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(f"can't write to the journal {path or 'in memory'}: {error}") from error


def _connect(path: Path | None) -> sqlite3.Connection:
    """Readers too may write, if the file lets them: the first one after a crash has to tidy up."""
    where = f"file:{quote(str(path.absolute()))}?mode=rw" if path else ":memory:"
    return sqlite3.connect(
        where, uri=path is not None, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application == 0 and path.stat().st_size == 0:
        raise InputError("the journal is empty: its run was killed before it began", file=str(path))
    if application != _APPLICATION:
        raise InputError("this is no journal of Cleave's", file=str(path))
    if version != FORMAT:
        raise InputError(f"the journal has format {version}; this Cleave reads format {FORMAT}", file=str(path))


def _complaint(error: Exception) -> str:
    match getattr(error, "sqlite_errorname", ""):
        case "SQLITE_NOTADB":
            return "this is no journal of Cleave's"
        case "" | "SQLITE_CORRUPT" | "SQLITE_ERROR":  # values that no Cleave wrote, broken pages, missing tables
            return f"the journal is damaged ({error})"
        case _:
            return f"the journal can't be read ({error})"
