"""SPACER, Z3's engine for Horn clauses, run step by step beside others that it exchanges lemmas with.

    run = SpacerRun(system, STRATEGIES[0], seed=1, share=frozenset({Share.INFINITE}))
    event = run.resume()
    while isinstance(event, Paused):
        event = run.resume(lemmas_of_others)
    run.stop()
    event      # SafeAnswer(interpretation) | UnsafeAnswer(derivation) | NoAnswer(reason)

Each run has a Z3 context of its own, and a thread, with a deep stack, that all calls into that context are made from.
SPACER calls back on that thread when it has learned a lemma, expanded an obligation, or starts a new level. There the
thread hands over: `resume` returns, and SPACER waits for the next `resume`. So one of the two threads runs at
a time, and what happens depends on nothing but the arguments: lemmas come and go at points that are counted in Z3's own
measure of work. With ``poll_seconds`` `resume` also returns, with `Busy`, while SPACER is still running.

Invariants of others are added when SPACER expands its next obligation: a level can last long. Lemmas of frames wait
until a level begins, and until this run has proved them (see `frames`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from queue import Empty, SimpleQueue
from types import TracebackType

from cleave.engines.pdr.spacer.answer import read_derivation, read_interpretation
from cleave.engines.pdr.spacer.events import Answered, Busy, Event, NoAnswer, Paused, SafeAnswer, UnsafeAnswer
from cleave.engines.pdr.spacer.exchange import Exchange, Share
from cleave.engines.pdr.spacer.lemmas import INFINITY, Lemma
from cleave.engines.pdr.spacer.native import SORTED_DISJUNCTIONS, Fixedpoint, native
from cleave.engines.pdr.spacer.problem import Problem
from cleave.engines.pdr.spacer.strategies import STRATEGIES, Strategy, native_options
from cleave.errors import CleaveError, InternalError, UnsupportedError
from cleave.ir.horn import HornSystem
from cleave.records import dataclass
from cleave.smt.deep_thread import deep_thread
from cleave.smt.z3.native import Context

__all__ = [
    "INFINITY",
    "STRATEGIES",
    "Answered",
    "Busy",
    "Event",
    "Lemma",
    "NoAnswer",
    "Paused",
    "SafeAnswer",
    "Share",
    "SpacerRun",
    "Strategy",
    "UnsafeAnswer",
]

_INTERRUPT_SECONDS = 0.01


class _Outcome(Enum):
    DERIVED = 1
    UNKNOWN = 0
    REFUTED = -1


@dataclass(frozen=True, slots=True)
class _Ended:
    """The query is over; ``answer`` is a counted native term."""

    outcome: _Outcome
    answer: int = 0
    reason: str = ""


class SpacerRun:
    """One query. `stop` must be called in the end, or the run be used in a ``with`` statement.

    new ──resume──▶ paused ──resume──▶ ... ──resume──▶ answered
     └──────stop──────┴─────────stop────────────────────┴──▶ stopped
    """

    def __init__(
        self,
        system: HornSystem,
        strategy: Strategy,
        *,
        seed: int = 0,
        share: frozenset[Share] = frozenset(),
        slice_cost: int = 0,
        poll_seconds: float | None = None,
        cost_limit: int = 0,
    ) -> None:
        self._system = system
        self._options = native_options(
            strategy,
            seed,
            cost_limit,
            announces_invariants=Share.INFINITE in share,
            announces_lemmas=Share.LEARNED in share,
        )
        self._transforms = strategy.transforms
        self._share = frozenset[Share]() if strategy.transforms else share
        self._slice_cost = slice_cost
        self._poll_seconds = poll_seconds

        self._go: SimpleQueue[None] = SimpleQueue()  # lets a thread that stands still continue
        self._news: SimpleQueue[Paused | _Ended] = SimpleQueue()
        self._inbox: SimpleQueue[Lemma] = SimpleQueue()
        self._outbox: SimpleQueue[Lemma] = SimpleQueue()
        self._answer: Answered | None = None
        self._thread: threading.Thread | None = None
        self._is_standing = False
        self._is_stopping = False
        self._is_acting = False  # in a callback; of the query's thread
        self._in_callback = threading.Lock()  # held in callbacks, which are not to be interrupted
        self._failure: BaseException | None = None
        self._is_limited = cost_limit > 0
        self._is_over = False  # the limit was hit in a callback
        self._cost = 0
        self._level = 0
        self._next_pause = slice_cost
        self._exchange_counts: Mapping[str, int] = {}

        # of the query's thread, until it has ended
        self._context: Context | None = None
        self._problem: Problem | None = None
        self._fixedpoint: Fixedpoint | None = None
        self._exchange: Exchange | None = None

    def __enter__(self) -> SpacerRun:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    # --- outside ----------------------------------------------------------------------------------------------------

    def resume(self, imports: Sequence[Lemma] = ()) -> Event:
        """Lets SPACER work until it pauses or answers (or, with ``poll_seconds``, for that long). Imports wait for
        SPACER's next step, or level. After the answer it is repeated."""
        if self._answer is not None:
            return self._answer
        for imported in imports:
            self._inbox.put(imported)
        if self._thread is None:
            SORTED_DISJUNCTIONS.begin()
            self._thread = deep_thread(self._work, "cleave-spacer")
        elif self._is_standing:
            self._is_standing = False
            self._go.put(None)
        try:
            news = self._news.get(timeout=self._poll_seconds)
        except Empty:
            return Busy(self._exports(), self._level, self._cost)
        if isinstance(news, Paused):
            self._is_standing = True
            return Paused(self._exports(), news.level, news.cost)
        self._answer = self._read(news)
        return self._answer

    def stop(self) -> None:
        """Ends the query, wherever it is, and frees all memory; waits for both."""
        if self._answer is None:
            self._answer = NoAnswer("stopped")
        self._is_stopping = True
        self._go.put(None)
        thread = self._thread
        while thread is not None and thread.is_alive():
            # Z3 forgets an interrupt that comes too early, so it is repeated until the thread has ended.
            with self._in_callback:
                if self._context is not None:
                    native.Z3_interrupt(self._context.pointer)
            thread.join(_INTERRUPT_SECONDS)
        self._free()

    def cost(self) -> int:
        """The work done, as last seen; of the whole query after the answer."""
        return self._cost

    def counts(self) -> Mapping[str, int]:
        """How many lemmas were sent, taken in, refused (not proved), and unreadable; and the work that proving took."""
        return dict(self._exchange_counts)

    def _exports(self) -> tuple[Lemma, ...]:
        found = []
        while True:
            try:
                found.append(self._outbox.get_nowait())
            except Empty:
                return tuple(found)

    def _read(self, ended: _Ended) -> Answered:
        """The answer in Cleave's terms. They are made here, on the caller's thread: the table of terms has no lock."""
        assert self._thread is not None
        self._thread.join()
        try:
            if self._failure is not None:
                raise InternalError(f"in a callback of SPACER: {self._failure!r}") from self._failure
            problem = self._problem
            if ended.outcome is _Outcome.UNKNOWN or problem is None:
                return NoAnswer(ended.reason)
            if ended.outcome is _Outcome.REFUTED:
                return SafeAnswer(read_interpretation(problem, ended.answer))
            if self._transforms:
                return UnsafeAnswer(None, "the clauses were transformed")
            return self._read_unsafe(problem, ended.answer)
        except UnsupportedError as error:
            return NoAnswer(f"the answer can't be read: {error}")
        finally:
            self._free()

    @staticmethod
    def _read_unsafe(problem: Problem, answer: int) -> UnsafeAnswer:
        try:
            return UnsafeAnswer(read_derivation(problem, answer))
        except UnsupportedError as error:
            return UnsafeAnswer(None, str(error))

    def _free(self) -> None:
        """After the thread has ended. Parts before the context that they are in."""
        if self._thread is not None:
            SORTED_DISJUNCTIONS.end()
            self._thread = None
        if self._exchange is not None:
            self._exchange_counts = self._exchange.counts
            self._exchange.close()
        if self._fixedpoint is not None:
            context = self._fixedpoint.context
            self._fixedpoint.close()
            context.close()
        self._exchange = self._fixedpoint = self._problem = self._context = None

    # --- the query's thread -----------------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            ended = self._query()
        except Exception as error:  # to the caller's thread
            self._failure = self._failure or error
            ended = _Ended(_Outcome.UNKNOWN)
        self._news.put(ended)

    def _query(self) -> _Ended:
        context = Context()
        fixedpoint = self._fixedpoint = Fixedpoint(context, self._options)
        problem = self._problem = Problem(self._system, context)
        self._exchange = Exchange(problem, fixedpoint, self._share)
        self._context = context  # from here on it can be interrupted
        problem.load(fixedpoint)
        fixedpoint.on_events(self._on_lemma, self._on_predecessor, self._on_unfold)
        if self._is_stopping:
            return _Ended(_Outcome.UNKNOWN, reason="stopped")
        outcome = _Outcome(fixedpoint.query(problem.goal))
        complaint = context.error_message()
        self._cost = fixedpoint.cost()
        if self._is_over:
            return _Ended(_Outcome.UNKNOWN, reason="cost")
        if complaint or outcome is _Outcome.UNKNOWN:
            return _Ended(_Outcome.UNKNOWN, reason=_reason(complaint or fixedpoint.reason()))
        answer = native.Z3_fixedpoint_get_answer(context.pointer, fixedpoint.pointer)
        return _Ended(outcome, context.own(answer))

    def _on_lemma(self, lemma: int, level: int) -> None:
        self._guarded(partial(self._note_lemma, lemma, level))

    def _on_predecessor(self) -> None:
        self._guarded(self._take_invariants)

    def _on_unfold(self) -> None:
        self._level += 1
        self._guarded(self._exchange_lemmas)

    def _guarded(self, act: Callable[[Fixedpoint, Exchange], None]) -> None:
        """What happens in a callback. Nothing may be raised through Z3: an error ends the query, to be raised later."""
        fixedpoint, exchange = self._fixedpoint, self._exchange
        if self._is_acting:
            return  # Z3 calls back because of what is being done in a callback
        with self._in_callback:
            if self._is_stopping or fixedpoint is None or exchange is None:
                return
            try:
                self._is_acting = True
                act(fixedpoint, exchange)
            except BaseException as error:
                if self._is_limited and _is_limit(error):  # what Z3 had left was not enough for what is done here
                    self._is_over = True
                else:
                    self._failure = self._failure or error
                self._is_stopping = True
                native.Z3_interrupt(fixedpoint.context.pointer)
            finally:
                self._is_acting = False
                fixedpoint.forget_error()

    def _note_lemma(self, lemma: int, level: int, fixedpoint: Fixedpoint, exchange: Exchange) -> None:
        for shared in exchange.announced(lemma, level):
            self._outbox.put(shared)
        self._pause(fixedpoint, exchange)

    def _exchange_lemmas(self, fixedpoint: Fixedpoint, exchange: Exchange) -> None:
        """The one moment at which frames may be read, and strengthened one by one."""
        if fixedpoint.cost() >= self._next_pause:
            for shared in exchange.exports():
                self._outbox.put(shared)
        self._pause(fixedpoint, exchange)
        if not self._is_stopping:
            exchange.receive(self._arrived())
            exchange.take()

    def _take_invariants(self, fixedpoint: Fixedpoint, exchange: Exchange) -> None:
        self._pause(fixedpoint, exchange)
        if not self._is_stopping and not self._inbox.empty():
            exchange.receive(self._arrived())
            exchange.take_invariants()

    def _arrived(self) -> list[Lemma]:
        arrived = []
        while not self._inbox.empty():
            arrived.append(self._inbox.get())
        return arrived

    def _pause(self, fixedpoint: Fixedpoint, _exchange: Exchange) -> None:
        """Hands over to the other thread, if enough work was done since the last time."""
        self._cost = fixedpoint.cost()
        if self._cost < self._next_pause:
            return
        self._news.put(Paused((), self._level, self._cost))
        self._go.get()
        self._next_pause = self._cost + self._slice_cost


def _is_limit(error: BaseException) -> bool:
    return isinstance(error, CleaveError) and _reason(str(error)) in ("cost", "stopped")


def _reason(complaint: str) -> str:
    if "resource limit" in complaint or "canceled" in complaint:
        return "cost" if "resource" in complaint else "stopped"
    return complaint
