"""One writer per journal, also across processes.

    lock = Lock.take(path)      # UsageError if somebody else has it
    lock.give_back()

The lock is a file beside the journal, locked by the kernel: it goes with its process, however that ends. It can't be
the journal itself, because closing any descriptor of a file drops the locks that SQLite holds on it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

from cleave.errors import UsageError

_TRIES = 5
_PAUSE_SECONDS = 0.01


class Lock:
    """The right to write to one journal."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, journal: Path) -> Lock:
        path = lock_path(journal)
        for _ in range(_TRIES):  # whoever just asks `is_locked` holds it for a moment
            descriptor = _opened(path)
            if _locked_now(descriptor, fcntl.LOCK_EX) and _is_still_at(path, descriptor):
                try:
                    os.truncate(descriptor, 0)
                    os.write(descriptor, str(os.getpid()).encode())
                except OSError as error:
                    cls(path, descriptor).give_back()
                    raise UsageError(f"can't write to {path.parent}: {error.strerror}") from None
                return cls(path, descriptor)
            os.close(descriptor)
            time.sleep(_PAUSE_SECONDS)
        raise UsageError(f"run {journal.stem} is running already{_owner(path)}")

    def give_back(self) -> None:
        """Also removes the file; whoever opened it meanwhile notices and opens the next one. May be called again."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


def is_locked(journal: Path) -> bool:
    """Whether somebody writes to the journal, for those who only want to know."""
    try:
        descriptor = os.open(lock_path(journal), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _locked_now(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def owner(journal: Path) -> int | None:
    """The process that writes to the journal, if somebody does, on this machine."""
    if not is_locked(journal):
        return None
    return _number(lock_path(journal))


def lock_path(journal: Path) -> Path:
    return journal.with_name(journal.name + "-lock")


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UsageError(f"can't write to {path.parent}: {error.strerror}") from None


def _locked_now(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still_at(path: Path, descriptor: int) -> bool:
    """Not so if its last owner removed it between our opening and locking it: then it keeps nobody out."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _owner(path: Path) -> str:
    number = _number(path)
    return f", in process {number}" if number is not None else ""


def _number(path: Path) -> int | None:
    try:
        number = path.read_text()
    except OSError:
        return None
    return int(number) if number.isdigit() else None
