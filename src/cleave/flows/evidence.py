"""The checks of evidence about Horn clauses, whichever engine found it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cleave.errors import UsageError
from cleave.ir.horn import Derivation, HornSystem, Interpretation
from cleave.ir.horn_text import print_interpretation
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.evidence import Rejected
from cleave.validate.clauses.in_turn import InTurn
from cleave.verdict import Reason, Unknown, Unsafe, Verdict
from cleave.watch import EXTRA_SECONDS, Watch, usable_cores

if TYPE_CHECKING:
    from cleave.ir.program import Program
    from cleave.passes.to_horn import HornProgram

_CHECK_SECONDS = 120.0


@contextmanager
def checking(watch: Watch, workers: int = 1) -> Iterator[InTurn]:
    """The solvers that check, as many side by side as there were workers, if there are so many cores; if a limit was
    hit after something was found, with a little time for it."""
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
    with checking(watch) as solvers:
        judged = check_derivation(given, found, solvers=solvers)
    if isinstance(judged, Rejected):
        watch.check()
        return Unknown(Reason.UNCONFIRMED, f"the derivation that was found is not confirmed: {judged.reason}")
    if program is None or horn is None:
        if judged.chosen:
            return Unknown(Reason.UNCONFIRMED, f"there is a derivation, but only for one meaning of {judged.chosen}")
        from cleave.explain.derivation_trace import derivation_trace

        return Unsafe(derivation_trace(given, found), judged.text)
    from cleave.flows.violation import confirm_violation  # what is needed for programs only is large

    return confirm_violation(program, horn.path(found), watch)


def write_invariant(file: Path, given: HornSystem, interpretation: Interpretation) -> None:
    try:
        file.write_text(print_interpretation(given, interpretation))
    except OSError as error:
        raise UsageError(f"can't write the invariant to {file}: {error.strerror}") from None
