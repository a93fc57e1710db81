"""The progress of a batch, on the standard error stream: on a terminal one live table, elsewhere a line for each task.

12/300  safe      0.41 s  loops/sum.c
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from cleave.batch.rows import Row
from cleave.batch.task import Task
from cleave.cli.printing import say
from cleave.explain.characters import harmless

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_SHOWN = 8  # of the last rows
_REFRESH_SECONDS = 0.2


class BatchProgress:
    def __init__(self, total: int, kept: int, *, quiet: bool) -> None:
        self._total, self._done, self._kept = total, kept, kept
        self._plain = not quiet
        self._live: Live | None = None
        self._last: list[Row] = []
        self._began: dict[str, float] = {}
        self._counts: Counter[str] = Counter()
        self._shown = 0.0
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._plain = False
            # Without a thread of its own: a process with threads must not prepare those that it starts.
            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)

    def __enter__(self) -> BatchProgress:
        if self._kept and self._plain:
            say(f"{self._kept} of {self._total} tasks have a row already", file=sys.stderr)
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def ended(self, row: Row) -> None:
        self._done += 1
        self._counts[row.status] += 1
        self._last = [*self._last, row][-_SHOWN:]
        self._began.pop(row.name, None)
        if self._plain:
            width = len(str(self._total))
            wrong = f"  {row.status.upper()}" if row.status in ("wrong", "error") else ""
            told = f"{self._done:>{width}}/{self._total}  {row.verdict:12} {row.seconds:7.2f} s  {row.name}{wrong}"
            say(told, file=sys.stderr)

    def running(self, tasks: Sequence[Task]) -> None:
        now = monotonic()
        for task in tasks:
            self._began.setdefault(task.name, now)
        if self._live is not None and now - self._shown >= _REFRESH_SECONDS:
            self._shown = now
            self._live.update(self._table(tasks, now), refresh=True)

    def _table(self, tasks: Sequence[Task], now: float) -> Table:
        from rich.markup import escape
        from rich.table import Table

        counts = ", ".join(f"{number} {status}" for status, number in sorted(self._counts.items()))
        table = Table(title=f"{self._done} of {self._total}: {counts or 'nothing yet'}", expand=True)
        table.add_column("task", ratio=1, no_wrap=True)
        table.add_column("verdict")
        table.add_column("s", justify="right")
        for row in self._last:
            table.add_row(escape(harmless(row.name)), f"{row.verdict} ({row.status})", f"{row.seconds:.1f}")
        for task in tasks:
            table.add_row(escape(harmless(task.name)), "…", f"{now - self._began.get(task.name, now):.1f}")
        return table
