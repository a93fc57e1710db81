"""Another solver's word on a formula that one has refuted: one that shares as little code with the first as possible.

    searched with      confirmed by
    Bitwuzla           MiniSat, on clauses made by Cleave's own bit-blasting; Z3 where that is not installed
    CaDiCaL            Bitwuzla and Glucose in turn, each time for twice as long
    a SAT solver       Bitwuzla
    Z3                 cvc5

MiniSat comes first because it is quick: see docs/design/threads.md. For long proofs Glucose is quicker. A formula that
a solver does not handle goes to the next one. Bitwuzla has CaDiCaL inside, with other clauses; what takes one of the
two long is often easy for the other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread
from time import process_time
from typing import TypeAlias

from cleave.errors import UnsupportedError
from cleave.logic.terms import Op, Term, conj_all, disj_all, neg
from cleave.smt.bitwuzla.solver import BitwuzlaSolver
from cleave.smt.cvc5.solver import Cvc5
from cleave.smt.sat import solver as sat
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.confirmation import Ruling

_log = logging.getLogger(__name__)

Guarded: TypeAlias = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Calls what it is given when a limit is hit, as long as the context lasts."""

_POLL_SECONDS = 0.05
_FIRST_TURN, _FIRST_PART = 2.0, 5  # seconds, or this part of all, if that is more
_GROUPS = 64  # of the cases of a disjunction, which come in the order of the program
_GROUP_COST = 1_000  # conflicts
BITWUZLA, Z3, CVC5, CADICAL = "Bitwuzla", "Z3", "cvc5", "CaDiCaL"
MINISAT, GLUCOSE = "MiniSat", "Glucose"


def second_opinion(first: str, formulas: Sequence[Term], seconds: float, guarded: Guarded) -> Ruling:
    """Whether the formulas can all be true. ``first`` has been asked. ``seconds`` are of processor time; of cvc5, which
    is a process of its own, real ones."""
    if first == CADICAL and sat.is_installed():
        return _in_turn((BITWUZLA, GLUCOSE), formulas, seconds, guarded)
    others = _others(first)
    for name in others:
        answer = _ask(name, formulas, seconds, guarded)
        _log.info("after %s, %s says %s", first, name, "nothing" if answer is None else answer.value)
        if answer is not None:
            return Ruling(answer, name)
    return Ruling(Answer.UNKNOWN, others[-1])


def _in_turn(names: Sequence[str], formulas: Sequence[Term], seconds: float, guarded: Guarded) -> Ruling:
    stopped, turn = Event(), max(_FIRST_TURN, seconds / _FIRST_PART)
    with guarded(stopped.set):
        while seconds > 0 and not stopped.is_set():
            for name in names:
                answer = _ask(name, formulas, min(turn, seconds), guarded)
                _log.info("in %.1f s, %s says %s", turn, name, "nothing" if answer is None else answer.value)
                if answer in (Answer.SAT, Answer.UNSAT):
                    return Ruling(answer, name)
                seconds -= turn
            turn *= 2
    return Ruling(Answer.UNKNOWN, " or ".join(names))


def combined(rulings: Sequence[Ruling]) -> Ruling:
    """Of the parts of a formula, any of which may be true: where one can be, it is that one's, and where one is not
    known, nothing is."""
    order = (Answer.SAT, Answer.UNKNOWN, Answer.UNSAT)
    return min(rulings, key=lambda ruling: order.index(ruling.answer))


def _others(first: str) -> tuple[str, ...]:
    if first == Z3:
        return (CVC5,)
    if first != BITWUZLA:
        return (BITWUZLA,)
    return (MINISAT, Z3) if sat.is_installed() else (Z3,)


def _ask(name: str, formulas: Sequence[Term], seconds: float, guarded: Guarded) -> Answer | None:
    """None: the solver does not handle them."""
    if name == CVC5:
        with Cvc5() as process, guarded(process.interrupt):
            return process.decide(conj_all(formulas), seconds=seconds).answer
    solver: Solver = _MAKERS[name]()
    stopped = Event()

    def interrupt() -> None:
        stopped.set()
        solver.interrupt()

    with guarded(interrupt), processor_limit(seconds, interrupt):
        try:
            for formula in formulas[:-1]:
                if stopped.is_set():
                    return Answer.UNKNOWN
                solver.add(formula)
            if (
                isinstance(solver, sat.SatSolver)
                and formulas[-1].op is Op.OR
                and _in_order(solver, formulas[-1].args, stopped)
            ):
                return Answer.SAT
            solver.add(formulas[-1])
            return solver.check()
        except UnsupportedError:
            return None


def _in_order(solver: Solver, cases: Sequence[Term], stopped: Event) -> bool:
    """Whether one of the cases can be true, as far as a little work tells. Of those that can't, the solver knows it."""
    size = -(-len(cases) // _GROUPS)
    for first in range(0, len(cases), size):
        if stopped.is_set():
            return False
        group = disj_all(cases[first : first + size])
        answer = solver.check((group,), cost_limit=_GROUP_COST)
        if answer is Answer.SAT:
            return True
        if answer is Answer.UNSAT:
            solver.add(neg(group))
    return False


@contextmanager
def processor_limit(seconds: float, interrupt: Callable[[], None]) -> Iterator[None]:
    """Calls ``interrupt``, again and again, when the process has used so many seconds of processor time: a machine that
    is busy with something else changes no verdict."""
    end, done = process_time() + seconds, Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if process_time() > end:
                interrupt()

    watching = Thread(target=watch, name="cleave-processor-limit", daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()


_MAKERS: dict[str, Callable[[], Solver]] = {
    MINISAT: lambda: sat.SatSolver("minisat"),
    GLUCOSE: lambda: sat.SatSolver("glucose"),
    BITWUZLA: BitwuzlaSolver,
    Z3: lambda: Z3Solver(profile=DEFAULT),
}
