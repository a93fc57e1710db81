"""The whole flow: read, prepare, solve, validate, report.

    result = verify("driver.bpl", Options(recursion_bounds=(1, 2, 3), workers=4))
    result.verdict                     # Safe | BoundedSafe | Unsafe | Unknown
    resume(journal)                    # goes on with a run that stopped

A verdict leaves this module only if `validate` agrees with it; what can't be confirmed is `Unknown`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cleave.distribute import Covered, Distributed, Place, Runtime
from cleave.engines.engine import Counters, Finding, GaveUp, Proved, Violated
from cleave.engines.inline.engine import InlineEngine
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.messages import Task
from cleave.engines.inline.options import DEFAULT_BEYOND_COST, DEFAULT_BOUND, Distribution, InlineOptions, deepening
from cleave.engines.inline.task import prepare_task, read_task
from cleave.errors import CleaveError, InternalError
from cleave.frontends.read import read_bytes
from cleave.ir.path import Enter
from cleave.ir.program import Program, Property
from cleave.objects import error_object, result_object
from cleave.passes.prepare import Prepared
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
    """What a user can choose about a run. 0 means: no limit.

    With one worker the search runs in this process and has no journal; with more, on ``runtime``, and its journal is
    kept in the folder ``journal`` if there is one.
    """

    entry: str | None = None
    property: Property | None = None  # None: what the program asks
    recursion_bounds: tuple[int, ...] | None = None  # tried in turn; None: the default, and beyond while it is cheap
    merging: Merging = Merging.FIRST
    seed: int = 0
    timelimit: float = 0.0
    memlimit_mb: int = 0
    distribution: Distribution = field(default_factory=Distribution)
    runtime: Runtime = "local"
    address: str | None = None  # of a Ray cluster; None: one of our own
    journal: Path | None = None


def verify(
    file: str,
    options: Options | None = None,
    *,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Verifies one file. Setting ``stop`` from another thread ends the run with what it has."""
    options = options or Options()
    with Watch(timelimit=options.timelimit, memlimit_mb=options.memlimit_mb, stop=stop) as watch:
        run, task, workers = _Run(watch, on_progress), _task(file, options), options.distribution.workers
        if workers == 1 and options.runtime == "local":
            return run.result(lambda: _verify_here(run, task), workers)
        with Distributed.begin(task, _place(options), options.journal) as distributed:
            return _recorded(run, distributed)


def resume(
    journal: Path,
    *,
    timelimit: float = 0.0,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Goes on with a run that stopped; what its workers had closed is not searched again."""
    with Watch(timelimit=timelimit, stop=stop) as watch, Distributed.again(journal) as distributed:
        return _recorded(_Run(watch, on_progress), distributed)


class _Run:
    """What a run has noted so far; its result if it stops here."""

    def __init__(self, watch: Watch, on_progress: OnProgress | None) -> None:
        self.watch = watch
        self.counters: dict[str, Any] = {}
        self.assumptions: list[str] = []
        self.id: str | None = None  # if it has a journal
        self._on_progress = on_progress

    def note(self, news: Counters) -> None:
        self.counters.update(news)
        if self._on_progress is not None:
            self._on_progress({**self.counters, "run": self.id})

    def result(self, find: Callable[[], Verdict], workers: int) -> Result:
        try:
            verdict = find()
        except StoppedError as stopped:
            verdict = Unknown(stopped.reason)
        except MemoryError:
            verdict = Unknown(Reason.MEMORY)
        bounds, assumptions = _bounds(verdict, self.counters), tuple(self.assumptions)
        seconds = self.watch.seconds()
        return Result(verdict, InlineEngine.name, bounds, seconds, workers, self.counters, assumptions, self.id)


def _bounds(verdict: Verdict, counters: Counters) -> dict[str, int]:
    """The bounds that took part, or that the run was working on."""
    match verdict:
        case Safe():
            return {}
        case BoundedSafe(bounds):
            return dict(bounds)
        case _:
            return {"recursion": counters["bound"]} if counters.get("bound") else {}


def _task(file: str, options: Options) -> Task:
    search = InlineOptions(
        merging=options.merging,
        bounds=options.recursion_bounds or deepening(DEFAULT_BOUND),
        beyond_cost=DEFAULT_BEYOND_COST if options.recursion_bounds is None else 0,
        seed=options.seed,
    )
    property_name = options.property.value if options.property is not None else None
    return Task(file, read_bytes(file), options.entry, property_name, search, options.distribution)


def _verify_here(run: _Run, task: Task) -> Verdict:
    program, prepared = _prepare(run, task)
    return _confirm(run, program, prepared, _solve(prepared, task.options, run))


def _place(options: Options) -> Place:
    return Place(
        runtime=options.runtime,
        address=options.address,
        memlimit_mb=options.memlimit_mb // options.distribution.workers,
    )


def _recorded(run: _Run, distributed: Distributed) -> Result:
    """The result of a distributed run, in its journal when this returns."""
    task = distributed.task
    run.id = distributed.id
    try:
        result = run.result(lambda: _verify_distributed(run, distributed), task.distribution.workers)
    except CleaveError as error:
        distributed.finish(error_object(task.file, error))
        raise
    distributed.finish(result_object(task.file, result))
    return result


def _verify_distributed(run: _Run, distributed: Distributed) -> Verdict:
    program, prepared = _prepare(run, distributed.task)
    halt = threading.Event()
    run.watch.guard(halt.set)
    found = distributed.solve(halt, run.note)
    run.watch.unguard(halt.set)
    if not isinstance(found, Covered):
        return _confirm(run, program, prepared, found)
    gap = distributed.gap()
    if gap is not None:
        return Unknown(Reason.UNCONFIRMED, f"the closed parts of the search do not cover it: {gap}")
    validation = "proof checked by another encoding"
    if found.partitions != 1:
        validation = f"{found.partitions} proofs checked by another encoding, and that they cover the whole search"
    return BoundedSafe(found.bounds, validation) if found.bounds else Safe(validation)


def _prepare(run: _Run, task: Task) -> tuple[Program, Prepared]:
    program = read_task(task)
    if task.property is None and program.property is Property.END_REACHABLE:
        run.assumptions.append(
            "a violation is that the entry returns: the program asks so (docs/boogie.md, --property)"
        )
    run.note({"read_seconds": round(run.watch.seconds(), 3)})
    run.watch.check()
    prepared = prepare_task(task, program)
    run.watch.check()
    return program, prepared


def _confirm(run: _Run, program: Program, prepared: Prepared, finding: Finding) -> Verdict:
    started = run.watch.seconds()
    match finding:
        case Violated(path):
            verdict = _confirm_violation(program, prepared.lift(path), run.watch)
        case Proved():
            verdict = _confirm_proof(prepared, finding, run.watch)
        case GaveUp(reason, detail):
            verdict = Unknown(run.watch.reason or reason, detail)
    run.note({"validate_seconds": round(run.watch.seconds() - started, 3)})
    return verdict


def _solve(prepared: Prepared, options: InlineOptions, run: _Run) -> Finding:
    solver = Z3Solver(seed=options.seed)
    steps = InlineEngine(prepared, options, solver).run()
    run.watch.guard(solver.interrupt)
    try:
        while True:
            run.note(next(steps))  # a limit interrupts the solver, and the engine ends with what it has
    except StopIteration as end:
        finding: Finding = end.value
        return finding
    finally:
        run.watch.unguard(solver.interrupt)


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
