"""The whole flow: read, prepare, solve, validate, report.

    result = verify("driver.bpl", Options(recursion_bounds=(1, 2, 3)))
    result.verdict                     # Safe | BoundedSafe | Unsafe | Unknown

A verdict leaves this module only if `validate` agrees with it; what can't be confirmed is `Unknown`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cleave.engines.engine import Counters, Finding, GaveUp, Proved, Violated
from cleave.engines.inline.engine import InlineEngine
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import DEFAULT_BEYOND_COST, DEFAULT_BOUND, InlineOptions, deepening
from cleave.errors import InternalError
from cleave.frontends.read import read_program
from cleave.ir.path import Enter
from cleave.ir.program import Program, Property
from cleave.passes.entries import choose_entries
from cleave.passes.prepare import Prepared, prepare
from cleave.smt.z3 import BOOGIE, PLAIN, Z3Solver
from cleave.validate.confirm import Confirmed, validate_trace
from cleave.validate.unfolded import Rejected, check_unfolded
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Unsafe, Verdict
from cleave.watch import StoppedError, Watch

_REPLAY_SECONDS = 60.0
_PROOF_TURNS = ((PLAIN, 5.0), (BOOGIE, 0.0))  # options, and seconds (0: no limit) before the next ones are tried
_EXTRA_SECONDS = 3.0  # to confirm what was found when a limit is hit

OnProgress = Callable[[Counters], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a user can choose about a run. 0 means: no limit."""

    entry: str | None = None
    property: Property | None = None  # None: what the program asks
    recursion_bounds: tuple[int, ...] | None = None  # tried in turn; None: the default, and beyond while it is cheap
    merging: Merging = Merging.FIRST
    seed: int = 0
    timelimit: float = 0.0
    memlimit_mb: int = 0


def verify(
    file: str,
    options: Options | None = None,
    *,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Verifies one file. Setting ``stop`` from another thread ends the run with what it has."""
    options = options or Options()
    counters: dict[str, Any] = {}
    assumptions: list[str] = []

    def note(news: Counters) -> None:
        counters.update(news)
        if on_progress is not None:
            on_progress(counters)

    with Watch(timelimit=options.timelimit, memlimit_mb=options.memlimit_mb, stop=stop) as watch:
        try:
            verdict = _verdict(file, options, watch, note, assumptions)
        except StoppedError as stopped:
            verdict = Unknown(stopped.reason)
        except MemoryError:
            verdict = Unknown(Reason.MEMORY)
        seconds = watch.seconds()
    return Result(verdict, InlineEngine.name, _bounds(verdict, counters), seconds, 1, counters, tuple(assumptions))


def _bounds(verdict: Verdict, counters: Counters) -> dict[str, int]:
    """The bounds that took part, or that the run was working on."""
    match verdict:
        case Safe():
            return {}
        case BoundedSafe(bounds):
            return dict(bounds)
        case _:
            return {"recursion": counters["bound"]} if "bound" in counters else {}


def _verdict(file: str, options: Options, watch: Watch, note: OnProgress, assumptions: list[str]) -> Verdict:
    program = read_program(file)
    if options.property is not None:
        program = replace(program, property=options.property)
    elif program.property is Property.END_REACHABLE:
        assumptions.append("a violation is that the entry returns: the program asks so (docs/boogie.md, --property)")
    note({"read_seconds": round(watch.seconds(), 3)})
    watch.check()
    prepared = prepare(program, choose_entries(program, options.entry))
    watch.check()
    finding = _solve(prepared, options, watch, note)
    started = watch.seconds()
    match finding:
        case Violated(path):
            verdict = _confirm_violation(program, prepared.lift(path), watch)
        case Proved():
            verdict = _confirm_proof(prepared, finding, watch)
        case GaveUp(reason, detail):
            verdict = Unknown(watch.reason or reason, detail)
    note({"validate_seconds": round(watch.seconds() - started, 3)})
    return verdict


def _solve(prepared: Prepared, options: Options, watch: Watch, note: OnProgress) -> Finding:
    solver = Z3Solver(seed=options.seed)
    inline = InlineOptions(
        merging=options.merging,
        bounds=options.recursion_bounds or deepening(DEFAULT_BOUND),
        beyond_cost=DEFAULT_BEYOND_COST if options.recursion_bounds is None else 0,
        seed=options.seed,
    )
    run = InlineEngine(prepared, inline, solver).run()
    watch.guard(solver.interrupt)
    try:
        while True:
            note(next(run))  # a limit interrupts the solver, and the engine ends with what it has
    except StopIteration as end:
        finding: Finding = end.value
        return finding
    finally:
        watch.unguard(solver.interrupt)


def _replay_seconds(watch: Watch) -> float:
    left = watch.remaining()
    return _REPLAY_SECONDS if left is None else max(left, _EXTRA_SECONDS)


def _confirm_violation(program: Program, path: tuple[Any, ...], watch: Watch) -> Verdict:
    first = path[0]
    if not isinstance(first, Enter):
        raise InternalError("a path starts by entering a procedure")
    judged = validate_trace(program, first.procedure, path, seconds=_replay_seconds(watch))
    if isinstance(judged, Confirmed):
        return Unsafe(judged.trace, "; ".join(("replayed", *judged.notes)))
    watch.check()
    return Unknown(Reason.UNCONFIRMED, f"the violation that was found does not replay: {judged.reason}")


def _confirm_proof(prepared: Prepared, proved: Proved, watch: Watch) -> Verdict:
    rejected: Rejected | None = None
    for profile, seconds in _PROOF_TURNS:
        solver = Z3Solver(profile=profile)
        late = watch.reason is not None  # a limit was hit after the proof was found
        watch.guard(solver.interrupt, unless=late)
        limit = _EXTRA_SECONDS if late else seconds
        rejected = check_unfolded(prepared.program, prepared.entry, proved.proof, solver, seconds=limit)
        watch.unguard(solver.interrupt)
        if rejected is None:
            validation = "proof checked by another encoding"
            return BoundedSafe(proved.bounds, validation) if proved.bounds else Safe(validation)
        if not rejected.undecided:
            break
    watch.check()
    assert rejected is not None
    return Unknown(Reason.UNCONFIRMED, f"the proof that was found is not confirmed: {rejected.reason}")
