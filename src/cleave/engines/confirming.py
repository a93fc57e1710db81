"""How findings are confirmed, whichever engine found them: executions are replayed, evidence about clauses is checked.

confirm_violation(program, path, watch)          # Unsafe with its trace, or Unknown
confirm_schedule(program, "main", schedule)
confirm_derivation(given, derivation, watch)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cleave.errors import InternalError
from cleave.ir.path import Enter, Path
from cleave.ir.program import Program, first_thread_statement
from cleave.verdict import Reason, Unknown, Unsafe, Verdict
from cleave.watch import EXTRA_SECONDS, Watch, usable_cores

if TYPE_CHECKING:  # large, and each is for some engines only
    from cleave.ir.horn import Derivation, HornSystem
    from cleave.ir.schedule import Schedule
    from cleave.passes.to_horn import HornProgram
    from cleave.validate.clauses.in_turn import InTurn

_REPLAY_SECONDS = 60.0
_CHECK_SECONDS = 120.0


def confirm_violation(program: Program, path: Path, watch: Watch) -> Unsafe | Unknown:
    """``path`` is one of the program as it was read, before any pass."""
    from cleave.validate.violations.confirm import validate_trace

    first = path[0]
    if not isinstance(first, Enter):
        raise InternalError("a path starts by entering a procedure")
    left = watch.remaining()
    seconds = _REPLAY_SECONDS if left is None else max(left, EXTRA_SECONDS)
    judged = validate_trace(program, first.procedure, path, seconds=seconds)
    if judged.trace is not None:
        return Unsafe(judged.trace, "; ".join(("replayed", *judged.notes)), judged.evidence)
    watch.check()
    return Unknown(Reason.UNCONFIRMED, f"the violation that was found does not replay: {judged.text}")


def confirm_schedule(program: Program, entry: str, schedule: Schedule) -> Unsafe | Unknown:
    from cleave.validate.violations.concurrent import replay

    judged = replay(program, entry, schedule)
    if judged.trace is not None:
        has_threads = first_thread_statement(program) is not None
        said = "replayed under its schedule" if has_threads else "replayed"
        return Unsafe(judged.trace, said, judged.evidence)
    return Unknown(Reason.UNCONFIRMED, f"the violation that was found does not replay: {judged.text}")


@contextmanager
def checking(watch: Watch, workers: int = 1) -> Iterator[InTurn]:
    """The solvers that check clauses, as many side by side as there were workers, if there are so many cores; if a
    limit was hit after something was found, with a little time for it."""
    from cleave.validate.clauses.in_turn import InTurn

    late = watch.reason is not None
    side_by_side = min(workers, usable_cores())
    with InTurn(seconds=EXTRA_SECONDS if late else _CHECK_SECONDS, side_by_side=side_by_side) as solvers:
        watch.guard(solvers.interrupt, unless=late)
        try:
            yield solvers
        finally:
            watch.unguard(solvers.interrupt)


def confirm_derivation(
    given: HornSystem, found: Derivation, watch: Watch, program: Program | None, horn: HornProgram | None
) -> Verdict:
    """A derivation from the given clauses; if they are a program's, also an execution of the program."""
    from cleave.validate.clauses.derivation import check_derivation

    with checking(watch) as solvers:
        judged = check_derivation(given, found, solvers=solvers)
    if not judged.holds:
        watch.check()
        return Unknown(Reason.UNCONFIRMED, f"the derivation that was found is not confirmed: {judged.text}")
    if program is not None and horn is not None:
        return confirm_violation(program, horn.path(found), watch)
    if judged.chosen:
        return Unknown(Reason.UNCONFIRMED, f"there is a derivation, but only for one meaning of {judged.chosen}")
    from cleave.explain.derivation_trace import derivation_trace
    from cleave.validate.violations.evidence import derivation_evidence

    return Unsafe(derivation_trace(given, found), judged.text, derivation_evidence(found))
