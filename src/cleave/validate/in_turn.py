"""Solvers that take turns at one question, none of them the one that searches.

    cvc5  ──unknown──▶  Bitwuzla (bit vectors only)  ──unknown──▶  Z3's SMT solver  ──▶  once more, with longer turns

The first answer counts, and the ruling names who gave it. cvc5 is first because it has no code in common with SPACER;
Z3's SMT solver is last because it has some.

    solvers = InTurn(seconds=60)
    watch.guard(solvers.interrupt)            # from then on every question is answered with unknown, at once
    solvers.decide(formula)                   # Ruling(answer, by, reason, values)
    solvers.close()
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType

from cleave.errors import CleaveError
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Op, Term
from cleave.logic.walk import free_variables, postorder
from cleave.smt.cvc5 import Cvc5
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3 import DEFAULT, Z3Solver
from cleave.validate.evidence import BY_VALUES

CVC5, BITWUZLA, Z3 = "cvc5", "Bitwuzla", "Z3's SMT solver"

_TURNS = (4.0, 30.0)  # seconds for each solver, in each round
_LEAST_SECONDS = 0.05
_SHOWN_VALUES = 12


@dataclass(frozen=True, slots=True)
class Ruling:
    """``by`` is who answered; ``reason`` is why nobody did; ``values`` are some of a model's, for people."""

    answer: Answer
    by: str
    reason: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


class InTurn:
    """Decides many questions within ``seconds`` altogether (0: no limit). One thread uses it; any may interrupt it.
    ``memory_mb`` is for cvc5's process; the other solvers work in this one."""

    def __init__(self, *, seconds: float = 0.0, memory_mb: int = 4000) -> None:
        self.limit(seconds)
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
                if ruling.answer is not Answer.UNKNOWN:
                    return ruling
                reasons[name] = ruling.reason
                if ruling.reason != "timeout":
                    del waiting[name]  # more time would not help
        return Ruling(Answer.UNKNOWN, "", "; ".join(f"{name}: {reason}" for name, reason in reasons.items()))

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
        from cleave.smt.bitwuzla import BitwuzlaSolver  # large, and seldom needed

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
