"""Keeps what Z3 writes to the standard error stream away from the user.

    with hidden_complaints():
        run SPACER                          # "ASSERTION VIOLATION ... Line: 214" goes nowhere
        print("level 3", file=sys.stderr)   # Python's own words are seen as ever

Some of SPACER's strategies run into assertions of Z3's own. That ends the query with an error, which is that strategy's
end and nothing else; but Z3 also writes it to the stream itself, where it looks like a failure of the whole. The stream
belongs to the process, so that this is for the user's own; a worker's goes to its log.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_STREAM = 2
_lock = threading.Lock()
_users = 0
_replaced: tuple[TextIO | None, TextIO] | None = None  # sys.stderr as it was, and one for the kept stream


@contextmanager
def hidden_complaints() -> Iterator[None]:
    """May be nested, and used by several threads at a time."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            _hide()
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _show()


def _hide() -> None:
    global _replaced
    try:
        kept = os.fdopen(os.dup(_STREAM), "w", buffering=1, errors="backslashreplace")
    except OSError:  # there is no such stream
        return
    shown = sys.stderr if _is_stream(sys.stderr) else None
    if shown is not None:
        shown.flush()
        sys.stderr = kept
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STREAM)
    os.close(nowhere)
    _replaced = (shown, kept)


def _show() -> None:
    global _replaced
    if _replaced is None:
        return
    shown, kept = _replaced
    kept.flush()
    os.dup2(kept.fileno(), _STREAM)
    if shown is not None:
        sys.stderr = shown
    kept.close()
    _replaced = None


def _is_stream(stream: TextIO | None) -> bool:
    """Whether it writes there: not in a notebook, for example."""
    try:
        return stream is not None and stream.fileno() == _STREAM
    except (OSError, ValueError):
        return False
