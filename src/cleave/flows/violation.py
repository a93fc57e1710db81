"""A violation of a program is believed once it has been replayed, whichever engine found it."""

from __future__ import annotations

from cleave.errors import InternalError
from cleave.ir.path import Enter, Path
from cleave.ir.program import Program
from cleave.validate.violations.confirm import Confirmed, validate_trace
from cleave.verdict import Reason, Unknown, Unsafe
from cleave.watch import EXTRA_SECONDS, Watch

_REPLAY_SECONDS = 60.0


def confirm_violation(program: Program, path: Path, watch: Watch) -> Unsafe | Unknown:
    """``path`` is one of the program as it was read, before any pass."""
    first = path[0]
    if not isinstance(first, Enter):
        raise InternalError("a path starts by entering a procedure")
    judged = validate_trace(program, first.procedure, path, seconds=_seconds(watch))
    if isinstance(judged, Confirmed):
        return Unsafe(judged.trace, "; ".join(("replayed", *judged.notes)))
    watch.check()
    return Unknown(Reason.UNCONFIRMED, f"the violation that was found does not replay: {judged.reason}")


def _seconds(watch: Watch) -> float:
    left = watch.remaining()
    return _REPLAY_SECONDS if left is None else max(left, EXTRA_SECONDS)
