"""A checker of its own for "no schedule violates the program within these bounds".

    claim = Claim(program, "main", shape, unwind=2, contexts=5, cuts=True)
    checked(claim, first="MiniSat", seconds=20, guarded=…)          # a Confirmation

The program is unfolded again (`unfold`), from the ir alone; the claim says how far (`shape`), and is not trusted with
that. The executions are encoded again: within a number of contexts (`contexts`), or in any number (`orders`), with no
reduction of schedules and no domains of values. A solver decides that has not searched. With the engine, this shares
the meaning of the ir, terms and solvers, and no code.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from cleave.errors import UnsupportedError
from cleave.ir.loops import LoopBounds
from cleave.ir.program import Program
from cleave.ir.shape import Shape
from cleave.logic.terms import Term, disj
from cleave.records import dataclass
from cleave.smt.solver import Answer
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.schedules.contexts import Share, within_contexts
from cleave.validate.proofs.schedules.orders import in_any_order
from cleave.validate.proofs.schedules.shape import WrongShapeError, check_shape
from cleave.validate.proofs.schedules.unfold import unfold
from cleave.validate.proofs.second_solver import Guarded, second_opinion


@dataclass(frozen=True, slots=True)
class Claim:
    """No execution of the program violates an assertion that is within ``contexts`` (None: any number), or ``rounds``
    of all threads in turn; and with ``unwind``, within so many iterations of each loop: where the ``shape`` is cut
    sooner, no execution gets. With ``all_iterations``, no execution gets to where it is cut at all. With ``shares``,
    all of this is about these executions only, within ``contexts``."""

    program: Program
    entry: str
    shape: Shape
    unwind: LoopBounds | int
    contexts: int | None
    rounds: int = 0
    all_iterations: bool = False
    shares: tuple[Share, ...] = ()


class _TooLongError(Exception):
    """The program is too large to be unfolded again in time."""


def checked(
    claim: Claim, first: str, seconds: float, guarded: Guarded, watch: Callable[[], None] = lambda: None
) -> Confirmation:
    """Who decided is in ``by``. What does not hold is wrong, or the checker is; unless it is undecided.
    ``first`` is the solver that searched. ``seconds`` of processor time are for the unfolding, and as many for the
    solver. ``watch`` is called often, and may raise to end it."""
    end = process_time() + seconds

    def watched() -> None:
        watch()
        if process_time() > end:
            raise _TooLongError

    try:
        asked = question(claim, watched)
    except WrongShapeError as error:
        return rejected(str(error))
    except UnsupportedError as error:
        return rejected(error.message, undecided=True)
    except _TooLongError:
        return rejected("it takes too long to unfold the program again", undecided=True)
    except RecursionError:
        return rejected("calls are nested too deeply", undecided=True)
    if asked[-1].is_false:
        return _proved("constant folding")
    ruling = second_opinion(first, asked, seconds, guarded)
    match ruling.answer:
        case Answer.UNSAT:
            return _proved(ruling.by)
        case Answer.SAT:
            return rejected(f"{ruling.by} finds an execution that was said to be impossible")
        case _:
            return rejected(f"{ruling.by} did not decide it in {seconds:.0f} s", undecided=True)


def _proved(solver: str) -> Confirmation:
    how = "proved again from the program by another unfolding and encoding"
    return Confirmation(True, f"{how}, decided by {solver}", {solver: 1})


def question(claim: Claim, watch: Callable[[], None] = lambda: None) -> list[Term]:
    """What is asked: can all of these be true? The last one says what was said to be impossible."""
    early = check_shape(claim.program, claim.entry, claim.shape, claim.unwind)
    unfolding = unfold(claim.program, claim.entry, claim.shape, watch, early)
    if claim.contexts is None and not claim.rounds:
        formula = in_any_order(unfolding, watch)
    else:
        formula = within_contexts(unfolding, claim.contexts or 1, rounds=claim.rounds, shares=claim.shares, watch=watch)
    asked = disj(formula.violation, formula.cut) if claim.all_iterations else formula.violation
    return [*formula.constraints, asked]
