"""A verdict for each check of a program, from as few runs as possible.

    {1, 2, 3, 4}    unsafe: 2 is violated       2 becomes an assumption
    {1, 3, 4}       safe: all three hold

A run asks for a set of checks at once. One that is violated gets its verdict and leaves the set: a failed check ends an
execution, so what comes later relies on it. A set that a run can't settle is halved. So a program without violations
takes one run, and one with three takes four.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic

from cleave.ir.program import Assert, Program
from cleave.verdict import BoundedSafe, CheckResult, Reason, Result, Safe, Unknown, Unsafe, Verdict

Run = Callable[[tuple[str, ...], float], Result]
"""Verifies these checks alone, within so many seconds; 0: no limit."""

_WORST = (Unsafe, Unknown, BoundedSafe, Safe)
_LEAST_SECONDS = 2.0  # for a run
_BLANK = "\N{HORIZONTAL ELLIPSIS}"


def places_of(program: Program) -> dict[str, CheckResult]:
    """The checks of a program that are not decided by reading it, in order."""
    found: dict[str, CheckResult] = {}
    for procedure in program.procedures.values():
        for statement in procedure.statements():
            if isinstance(statement, Assert) and statement.check is not None:
                check, text = statement.check, _plain(statement.message)
                found[check.name] = CheckResult(check, statement.location, text, Unknown(Reason.TIMEOUT))
    order = list(program.checked)
    return dict(sorted(found.items(), key=lambda one: (order.index(one[1].check.property), one[1].check.number)))


class Rounds:
    """``so_far`` may be called by another thread while ``all`` goes on."""

    def __init__(self, places: Mapping[str, CheckResult], run: Run, timelimit: float) -> None:
        self.found = dict(places)
        self.last: Result | None = None
        self.started = monotonic()
        self._run = run
        self._timelimit = timelimit
        self._pending: list[tuple[str, ...]] = []

    def all(self) -> Result:
        self._pending = [tuple(self.found)]
        while self._pending and (self.last is None or self._has_time()):
            self._settle(self._pending.pop(0))
        return self.so_far()

    def so_far(self) -> Result:
        """The result of the last run, with the verdicts of all checks, and the worst of these as its verdict."""
        last = self.last or Result(Unknown(Reason.TIMEOUT), "", {}, 0.0, 1, {})
        each = tuple(self.found.values())
        worst = min((one.verdict for one in each), key=lambda one: _WORST.index(type(one)), default=last.verdict)
        bounds = worst.bounds if isinstance(worst, BoundedSafe) else last.bounds
        return replace(last, verdict=worst, each=each, bounds=bounds, seconds=monotonic() - self.started)

    def _settle(self, checks: tuple[str, ...]) -> None:
        """Runs until no more of these checks are violated."""
        while True:
            share = 1 + len(self._pending) + (len(checks) > 1)
            self.last = self._run(checks, self._left() / share if self._timelimit else 0.0)
            violated = _violated(self.last)
            if violated is None or violated not in checks:
                self._conclude(checks, self.last.verdict)
                return
            self._set((violated,), self.last.verdict)
            checks = tuple(one for one in checks if one != violated)
            if not checks or not self._has_time():
                return

    def _conclude(self, checks: tuple[str, ...], verdict: Verdict) -> None:
        self._set(checks, verdict)
        may_improve = isinstance(verdict, Unknown) or (isinstance(verdict, BoundedSafe) and self._timelimit)
        interrupted = isinstance(verdict, Unknown) and verdict.reason is Reason.INTERRUPTED
        if interrupted:
            self._pending.clear()
        elif may_improve and len(checks) > 1:
            middle = len(checks) // 2
            self._pending += (checks[:middle], checks[middle:])

    def _set(self, checks: Sequence[str], verdict: Verdict) -> None:
        for name in checks:
            before = self.found[name].verdict
            if not (isinstance(verdict, Unknown) and isinstance(before, BoundedSafe)):
                self.found[name] = replace(self.found[name], verdict=verdict)

    def _has_time(self) -> bool:
        """For another run: reading the program alone takes a part of it."""
        return not self._timelimit or self._left() > min(_LEAST_SECONDS, self._timelimit / 10)

    def _left(self) -> float:
        return self._timelimit - (monotonic() - self.started) if self._timelimit else float("inf")


def _violated(result: Result) -> str | None:
    """The check that a violation is of, also of one that is in doubt."""
    match result.verdict:
        case Unsafe(trace):
            check = trace.check
        case Unknown(check=doubted):
            check = doubted
        case _:
            check = None
    return None if check is None else check.name


def _plain(message: str) -> str:
    """Without the values that only an execution has."""
    parts = message.replace("{{", "\0").split("{")
    text = parts[0] + "".join(_BLANK + part.partition("}")[2] for part in parts[1:])
    return text.replace("\0", "{").replace("}}", "}")
