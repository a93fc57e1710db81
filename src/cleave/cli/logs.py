"""``--verbose``: what Cleave does, step by step, on the standard error stream.

    $ cleave -v verify ring_buffer.c
    13:04:05.120 frontends.c.clang.compile: compiled ring_buffer.c for 64 bit in 0.1 s
    13:04:05.131 journal.places: the journal is /home/u/.local/state/cleave/runs/20261118-130405-ring-9f31aa.journal
    13:04:05.402 runtime.drive: worker 1 joined: local, process 4711

Modules write to the logger of their own name: each step once with ``-v``, each question to a solver with ``-vv``.
Without ``-v`` nothing is shown. Workers' processes log nothing.
"""

from __future__ import annotations

import logging
import sys

from cleave.cli.printing import say

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)
_PREFIX = "cleave."


class _Lines(logging.Handler):
    """Looks for the stream when there is something to write: it may have been exchanged."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            say(self.format(record), file=sys.stderr)
        except Exception:
            self.handleError(record)


class _Short(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        name = record.name.removeprefix(_PREFIX)
        return f"{self.formatTime(record, '%H:%M:%S')}.{record.msecs:03.0f} {name}: {record.message}"


def show_logs(verbosity: int) -> None:
    """0: none; 1: steps; 2: all. Whatever was shown before is not."""
    logger = logging.getLogger("cleave")
    for handler in list(logger.handlers):
        if isinstance(handler, _Lines):
            logger.removeHandler(handler)
    logger.setLevel(_LEVELS[min(verbosity, len(_LEVELS) - 1)] if verbosity else logging.NOTSET)
    if verbosity:
        shown = _Lines()
        shown.setFormatter(_Short())
        logger.addHandler(shown)


def are_shown() -> bool:
    """Whether lines of the log may come at any time."""
    return any(isinstance(handler, _Lines) for handler in logging.getLogger("cleave").handlers)
