"""Solvers that take turns at one question, none of them the one that searches.

    cvc5  ──unknown──▶  Bitwuzla (bit vectors only)  ──unknown──▶  Z3's SMT solver  ──▶  once more, with longer turns

The first answer counts, and the ruling names the solver that gave it. cvc5 is first because it has no code in common
with SPACER; Z3's SMT solver is last because it has some.

    solvers = InTurn(seconds=60)
    watch.guard(solvers.interrupt)            # from then on every question is answered with unknown, at once
    solvers.decide(formula)                   # Ruling(answer, by, reason, values)
    solvers.decide_each(questions)            # the same for many, some of them ``side_by_side``
    solvers.close()
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from time import monotonic
from types import TracebackType
from typing import TypeVar

from cleave.errors import CleaveError
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Op, Term
from cleave.logic.walk import free_variables, postorder
from cleave.smt.cvc5.solver import Cvc5
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.confirmation import BY_VALUES, Ruling

_log = logging.getLogger(__name__)

CVC5, BITWUZLA, Z3 = "cvc5", "Bitwuzla", "Z3's SMT solver"

_TURNS = (4.0, 30.0)  # seconds for each solver, in each round
_LEAST_SECONDS = 0.05
_SHOWN_VALUES = 12
_FEW = 64  # questions that are not worth the start of another process

About = TypeVar("About")


class InTurn:
    """Decides many questions within ``seconds`` altogether (0: no limit). One thread uses it; any may interrupt it.
    ``memory_mb`` is for a process of cvc5; the other solvers work in this one."""

    def __init__(self, *, seconds: float = 0.0, memory_mb: int = 4000, side_by_side: int = 1) -> None:
        self.limit(seconds)
        self._memory_mb = memory_mb
        self._side_by_side = side_by_side
        self._helpers: list[InTurn] = []
        self._cvc5 = Cvc5(memory_mb=memory_mb)
        self._lock = threading.RLock()
        self._interrupted = False
        self._running: Callable[[], None] | None = None  # interrupts what runs now

    def __enter__(self) -> InTurn:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._cvc5.close()

    def limit(self, seconds: float) -> None:
        """Whatever the limit was, it is so many seconds from now on."""
        self._deadline = monotonic() + seconds if seconds > 0 else None

    def prepare(self) -> None:
        """There will be questions soon: what takes time to start is started. By the thread that will ask them."""
        self._cvc5.start()

    def interrupt(self) -> None:
        with self._lock:
            self._interrupted = True
            if self._running is not None:
                self._running()
            for helper in self._helpers:
                helper.interrupt()

    @contextmanager
    def share(self, part: float) -> Iterator[None]:
        """Within the block, only this part of the time that is left may be used."""
        whole = self._deadline
        if whole is not None:
            self._deadline = monotonic() + part * max(0.0, whole - monotonic())
        try:
            yield
        finally:
            self._deadline = whole

    @property
    def is_over(self) -> bool:
        """Whether there is no point in asking more: the time is up, or somebody interrupted."""
        return self._interrupted or (self._deadline is not None and monotonic() >= self._deadline)

    def decide(self, formula: Term) -> Ruling:
        """Whether ``formula`` has a model."""
        if formula.is_value:
            return Ruling(Answer.SAT if formula.is_true else Answer.UNSAT, BY_VALUES)
        waiting = {CVC5: self._ask_cvc5, BITWUZLA: self._ask_bitwuzla, Z3: self._ask_z3}
        if not _only_bits(formula):
            del waiting[BITWUZLA]
        reasons: dict[str, str] = {}
        for turn in _TURNS:
            for name, ask in list(waiting.items()):
                if self.is_over:
                    return Ruling(Answer.UNKNOWN, "", "interrupted" if self._interrupted else "timeout")
                ruling = ask(formula, self._seconds(turn))
                _log.debug("%s says %s %s", name, ruling.answer.value, ruling.reason)
                if ruling.answer is not Answer.UNKNOWN:
                    return ruling
                reasons[name] = ruling.reason
                if ruling.reason != "timeout":
                    del waiting[name]  # more time would not help
        return Ruling(Answer.UNKNOWN, "", "; ".join(f"{name}: {reason}" for name, reason in reasons.items()))

    def decide_each(self, asked: Iterable[tuple[About, Term]]) -> Iterator[tuple[About, Ruling]]:
        """The rulings in the order of the questions, with what each question is about."""
        questions = iter(asked)
        first = list(islice(questions, _FEW)) if self._side_by_side > 1 else []
        if len(first) < _FEW:
            yield from ((about, self.decide(formula)) for about, formula in chain(first, questions))
            return
        helpers = self._hire()
        try:
            with ThreadPoolExecutor(len(helpers)) as threads:
                yield from _side_by_side(helpers, threads, chain(first, questions))
        finally:
            self._dismiss()

    def _hire(self) -> list[InTurn]:
        """As many as are to work side by side, with the time that is left."""
        seconds = 0.0 if self._deadline is None else max(_LEAST_SECONDS, self._deadline - monotonic())
        helpers = [InTurn(seconds=seconds, memory_mb=self._memory_mb) for _ in range(self._side_by_side)]
        with self._lock:
            self._helpers = helpers
            if self._interrupted:
                self.interrupt()
        return helpers

    def _dismiss(self) -> None:
        with self._lock:
            helpers, self._helpers = self._helpers, []
        for helper in helpers:
            helper.close()

    def _seconds(self, turn: float) -> float:
        if self._deadline is None:
            return turn
        return max(_LEAST_SECONDS, min(turn, self._deadline - monotonic()))

    def _ask_cvc5(self, formula: Term, seconds: float) -> Ruling:
        if not self._begin(self._cvc5.interrupt):
            return Ruling(Answer.UNKNOWN, CVC5, "interrupted")
        decision = self._cvc5.decide(formula, seconds=seconds)
        self._end()
        return Ruling(decision.answer, CVC5, decision.reason, decision.values)

    def _ask_bitwuzla(self, formula: Term, seconds: float) -> Ruling:
        from cleave.smt.bitwuzla.solver import BitwuzlaSolver  # large, and seldom needed

        return self._ask(BitwuzlaSolver(), BITWUZLA, formula, seconds)

    def _ask_z3(self, formula: Term, seconds: float) -> Ruling:
        return self._ask(Z3Solver(profile=DEFAULT), Z3, formula, seconds)

    def _ask(self, solver: Solver, name: str, formula: Term, seconds: float) -> Ruling:
        if not self._begin(solver.interrupt):
            return Ruling(Answer.UNKNOWN, name, "interrupted")
        try:
            solver.add(formula)
            answer = solver.check(seconds=seconds)
            values = _values(solver, formula) if answer is Answer.SAT else {}
            return Ruling(answer, name, solver.reason_unknown(), values)
        except CleaveError as error:
            return Ruling(Answer.UNKNOWN, name, str(error))
        finally:
            self._end()

    def _begin(self, interrupt: Callable[[], None]) -> bool:
        with self._lock:
            if self._interrupted:
                return False
            self._running = interrupt
            return True

    def _end(self) -> None:
        with self._lock:
            self._running = None


def _side_by_side(
    helpers: list[InTurn], threads: ThreadPoolExecutor, asked: Iterable[tuple[About, Term]]
) -> Iterator[tuple[About, Ruling]]:
    """Each helper works in a thread. The formulas are made and dropped in this one only: terms are shared."""
    free = deque(helpers)
    waiting: deque[tuple[About, Term, Future[Ruling]]] = deque()

    def decide(formula: Term) -> Ruling:
        helper = free.popleft()  # there are no more threads than helpers
        try:
            return helper.decide(formula)
        finally:
            free.append(helper)

    try:
        for about, formula in asked:
            waiting.append((about, formula, threads.submit(decide, formula)))
            if len(waiting) > 2 * len(helpers):
                about, formula, ruling = waiting.popleft()
                yield about, ruling.result()
        while waiting:
            about, formula, ruling = waiting.popleft()
            yield about, ruling.result()
    finally:  # nobody wants to know the others
        for helper in helpers if waiting else ():
            helper.interrupt()


def _values(solver: Solver, formula: Term) -> dict[str, str]:
    model = solver.model()
    shown = [one for one in sorted(free_variables(formula), key=str) if not one.sort.is_array][:_SHOWN_VALUES]
    try:
        return {variable.name: str(model.value(variable)) for variable in shown}
    except CleaveError:
        return {}


def _only_bits(formula: Term) -> bool:
    """Whether Bitwuzla takes it: nothing but Booleans, bit vectors and arrays of them."""
    return all(_bits(node.sort) for node in postorder((formula,))) and not any(
        node.op in (Op.FORALL, Op.EXISTS) and not all(_bits(one.sort) for one in node.value.variables)
        for node in postorder((formula,))
    )


def _bits(sort: Sort) -> bool:
    while sort.is_array:
        if not _bits(sort.index):
            return False
        sort = sort.element
    return sort.kind in (SortKind.BOOL, SortKind.BITVEC)
