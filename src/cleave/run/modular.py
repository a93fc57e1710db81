"""Each procedure of a Boogie program against its contract, and Houdini, which looks for the contracts.

    p    safe
    q    unsafe: a candidate b is violated         b is dropped, and all are verified again

What is left when nothing is dropped any more is the largest set of candidates that hold together (Flanagan and
Leino, FME 2001).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from time import monotonic

from cleave.errors import UnsupportedError
from cleave.frontends.boogie import Outline
from cleave.frontends.boogie.houdini import candidate_in
from cleave.ir.program import Check
from cleave.records import dataclass
from cleave.verdict import BoundedSafe, CheckResult, Reason, Result, Safe, Unknown, Unsafe, Verdict

Run = Callable[[str, tuple[str, ...], float], Result]
"""Verifies a procedure, some candidates being dropped, within so many seconds; 0: no limit."""

PROCEDURE = "procedure"
_SEARCHED = 0.97  # of the time limit: a procedure that ends late takes nobody's row away
_WORST = (Unsafe, Unknown, BoundedSafe, Safe)


def verify_procedures(outline: Outline, run: Run, *, infers: bool, timelimit: float) -> Result:
    """The result of the last run, with the verdicts of all procedures, and the worst of these as its verdict."""
    if not outline.procedures:
        nothing = Safe("no procedure has a body that is verified by itself")
        return Result(nothing, "", {}, 0.0, 1, {}, checked={PROCEDURE: 0})
    rounds = _Rounds(outline, run, infers, timelimit)
    rounds.all()
    each = tuple(
        CheckResult(Check(PROCEDURE, number), place, name, rounds.found[name])
        for number, (name, place) in enumerate(outline.procedures.items(), 1)
    )
    worst = min((one.verdict for one in each), key=lambda one: _WORST.index(type(one)))
    inferred = {name: name not in rounds.dropped for name in outline.inferred} if infers else {}
    last = rounds.last or Result(worst, "", {}, 0.0, 1, {})
    bounds = worst.bounds if isinstance(worst, BoundedSafe) else {}
    made = replace(last, verdict=worst, seconds=monotonic() - rounds.started, bounds=bounds)
    return replace(made, each=each, inferred=inferred, checked={PROCEDURE: len(each)})


@dataclass(slots=True)
class _Rounds:
    outline: Outline
    run: Run
    infers: bool
    timelimit: float
    found: dict[str, Verdict] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    last: Result | None = None
    started: float = field(default_factory=monotonic)

    def all(self) -> None:
        while True:
            before = len(self.dropped)
            for number, name in enumerate(self.outline.procedures):
                self._settle(name, len(self.outline.procedures) - number)
            if len(self.dropped) == before:
                return

    def _settle(self, name: str, left: int) -> None:
        """Verifies a procedure until no candidate of it is violated."""
        while True:
            self.found[name] = verdict = self._verdict(name, left)
            candidate = candidate_in(verdict.trace.violated) if isinstance(verdict, Unsafe) and self.infers else None
            if candidate not in self.outline.inferred or candidate in self.dropped or candidate is None:
                return
            self.dropped.append(candidate)

    def _verdict(self, name: str, left: int) -> Verdict:
        share = 0.0
        if self.timelimit:
            rest = _SEARCHED * self.timelimit - (monotonic() - self.started)
            if rest <= 0:
                return Unknown(Reason.TIMEOUT)
            share = rest / left
        try:
            self.last = self.run(name, tuple(self.dropped), share)
        except UnsupportedError as error:
            return Unknown(Reason.UNMODELLED, str(error).split("\n")[0])
        return self.last.verdict
