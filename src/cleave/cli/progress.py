"""One line that tells what a run is doing: rewritten in place on a terminal, now and then on its own line elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import monotonic
from typing import Any

from rich.console import Console
from rich.status import Status

_PLAIN_SECONDS = 10.0


class ProgressLine:
    def __init__(self, file: str, *, quiet: bool) -> None:
        self._file = file
        self._started = self._last = monotonic()
        self._status: Status | None = None
        self._plain = not quiet
        if not quiet and sys.stderr.isatty():
            self._plain = False
            self._status = Console(stderr=True).status("reading", spinner="dots")

    def __enter__(self) -> ProgressLine:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self, counters: Mapping[str, Any]) -> None:
        if self._status is not None:
            self._status.update(describe(counters, monotonic() - self._started))
        elif self._plain and monotonic() - self._last >= _PLAIN_SECONDS:
            self._last = monotonic()
            print(f"{self._file}: {describe(counters, self._last - self._started)}", file=sys.stderr, flush=True)


def describe(counters: Mapping[str, Any], seconds: float) -> str:
    if "instances" not in counters:
        return f"{seconds:.0f} s: reading"
    return (
        f"{seconds:.0f} s: bound {counters['bound']}, {counters['instances']} instances, {counters['merges']} merges,"
        f" {counters['open_calls']} open calls, {counters['blocked_calls']} blocked, {counters['checks']} checks,"
        f" {counters['solver_seconds']:.1f} s in the solver"
    )
