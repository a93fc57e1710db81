"""Two engines on one program, side by side: the first verdict that settles the question ends the other.

    inline  ──── unsafe ──▶ that is it; pdr is told to stop
    pdr     ──── safe ────▶ that is it; inline is told to stop
    inline  ──── bounded-safe ──▶ pdr may still find more: it is given as long again

Each has its own workers and its own journal. The result is the winner's, as if it had run alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic

from cleave.engines.engine import Counters
from cleave.flows.run import OnProgress
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Unsafe, Verdict

_LEAST_SECONDS = 10.0  # for the other engine, once one has a verdict that holds within bounds only
_POLL_SECONDS = 0.1
_STACK_BYTES = 512 * 1024 * 1024  # solvers recurse on deep terms

Runner = Callable[[OnProgress, threading.Event], Result]
"""Verifies with one engine, until it is told to stop."""


def race(runners: Sequence[Runner], stop: threading.Event | None, on_progress: OnProgress | None) -> Result:
    """The best result: the first that settles the question, else one within bounds, else why there is none."""
    racers: list[_Racer] = []
    before = threading.stack_size(_STACK_BYTES)
    for runner in runners:
        racers.append(_Racer(runner, list(racers), on_progress))
    threading.stack_size(before)
    try:
        return _await(racers, stop or threading.Event())
    finally:
        for racer in racers:
            racer.stop.set()
            racer.join()


class _Racer(threading.Thread):
    """One engine at work; afterwards ``outcome`` is set. Its progress is shown while those ``before`` it have ended:
    two at a time tell nobody anything."""

    def __init__(self, runner: Runner, before: Sequence[_Racer], on_progress: OnProgress | None) -> None:
        super().__init__(name="cleave-race", daemon=True)
        self.stop = threading.Event()
        self.outcome: Result | BaseException | None = None
        self._runner = runner
        self._before = before
        self._on_progress = on_progress
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self._runner(self._show, self.stop)
        except BaseException as error:  # carried over to whoever waits
            self.outcome = error

    def _show(self, counters: Counters) -> None:
        if self._on_progress is not None and all(other.outcome is not None for other in self._before):
            self._on_progress(counters)


def _await(racers: Sequence[_Racer], stop: threading.Event) -> Result:
    started, deadline = monotonic(), None
    while True:
        ended = [racer.outcome for racer in racers if racer.outcome is not None]
        found = [outcome for outcome in ended if isinstance(outcome, Result)]
        for result in found:
            if _settles(result.verdict):
                return result
        if len(ended) == len(racers):
            return _best(found, ended)
        within = any(isinstance(result.verdict, BoundedSafe) for result in found)
        if within and deadline is None:
            deadline = monotonic() + max(_LEAST_SECONDS, monotonic() - started)
        if stop.wait(_POLL_SECONDS) or (deadline is not None and monotonic() > deadline):
            for racer in racers:
                racer.stop.set()


def _settles(verdict: Verdict) -> bool:
    """No engine proves that there is no violation where another one has found one that needs what is not modelled."""
    return isinstance(verdict, Safe | Unsafe) or (isinstance(verdict, Unknown) and verdict.reason is Reason.UNMODELLED)


def _best(found: Sequence[Result], ended: Sequence[Result | BaseException]) -> Result:
    for result in found:
        if isinstance(result.verdict, BoundedSafe):
            return result
    if not found:
        (error, *_) = (outcome for outcome in ended if isinstance(outcome, BaseException))
        raise error
    unknown = [(result, result.verdict) for result in found if isinstance(result.verdict, Unknown)]
    told = "; ".join(f"{result.engine}: {_why(verdict)}" for result, verdict in unknown)
    return replace(unknown[0][0], verdict=Unknown(_reason([verdict.reason for _, verdict in unknown]), told))


def _why(verdict: Unknown) -> str:
    return f"{verdict.reason.value}: {verdict.detail}" if verdict.detail else verdict.reason.value


def _reason(reasons: Sequence[Reason]) -> Reason:
    """The one that a user can do most about."""
    order = (Reason.INTERRUPTED, Reason.TIMEOUT, Reason.MEMORY, Reason.SOLVER, Reason.UNCONFIRMED, Reason.UNMODELLED)
    return next(reason for reason in order if reason in reasons)
