"""The whole flow: choose an engine, solve, validate, report.

    result = verify("driver.bpl", Options(recursion_bounds=(1, 2, 3), distribution=Distribution(workers=4)))
    result.verdict                     # Safe | BoundedSafe | Unsafe | Unknown
    resume(journal)                    # goes on with a run that stopped

How each engine goes from a file to a verdict is in `flows`. A verdict leaves them only if `validate` agrees with it;
what can't be confirmed is `Unknown`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cleave.distribute import Distributed, Place, Runtime
from cleave.engines.inline.distributed import InlineSearch
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.messages import Task
from cleave.engines.inline.options import DEFAULT_BEYOND_COST, DEFAULT_BOUND, Distribution, InlineOptions, deepening
from cleave.engines.pdr.distributed import PdrSearch
from cleave.engines.pdr.messages import Task as PdrTask
from cleave.engines.pdr.options import PdrOptions
from cleave.engines.search import Search
from cleave.errors import CleaveError, InternalError, UsageError
from cleave.flows.inline import InlineFlow
from cleave.flows.pdr import PdrFlow
from cleave.flows.race import Runner, race
from cleave.flows.run import Flow, OnProgress, Run
from cleave.frontends.clauses import holds_clauses
from cleave.frontends.read import read_bytes
from cleave.ir.program import Property
from cleave.objects import error_object, result_object
from cleave.verdict import Result
from cleave.watch import Watch

AUTO = "auto"
ENGINES = (InlineSearch.engine, PdrSearch.engine, AUTO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a user can choose about a run. 0 means: no limit.

    The engine `AUTO` lets several run side by side on a program, each with a share of the workers.

    With one worker the search runs in this process and has no journal; with more, on ``runtime``, and its journal is
    kept in the folder ``journal`` if there is one.
    """

    engine: str | None = None  # None: what fits the file
    entry: str | None = None
    property: Property | None = None  # None: what the program asks
    recursion_bounds: tuple[int, ...] | None = None  # tried in turn; None: the default, and beyond while it is cheap
    merging: Merging = Merging.FIRST
    seed: int = 0
    timelimit: float = 0.0
    memlimit_mb: int = 0
    distribution: Distribution = field(default_factory=Distribution)
    pdr: PdrOptions = field(default_factory=PdrOptions)  # but for the number of workers, which is the distribution's
    invariant: Path | None = None  # where to write what proves `safe` without bounds
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
    if options.engine == AUTO and options.distribution.workers > 1 and not holds_clauses(file):
        return race(_runners(file, options), stop, on_progress)
    return _verify_one(file, options, on_progress, stop, apart=options.runtime != "local")


def _verify_one(
    file: str, options: Options, on_progress: OnProgress | None, stop: threading.Event | None, *, apart: bool
) -> Result:
    """With one engine; ``apart``: not in this process, even if there is one worker only."""
    with Watch(timelimit=options.timelimit, memlimit_mb=options.memlimit_mb, stop=stop) as watch:
        flow = _flow(file, options)
        run, workers = Run(flow.search.engine, watch, on_progress), flow.search.workers
        if workers == 1 and not apart:
            return run.result(lambda: flow.here(run), workers)
        with Distributed.begin(flow.search, _place(options), options.journal) as distributed:
            return _recorded(run, flow, distributed)


def resume(
    journal: Path,
    *,
    timelimit: float = 0.0,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Goes on with a run that stopped; what its workers had closed is not searched again."""
    with Watch(timelimit=timelimit, stop=stop) as watch, Distributed.again(journal) as distributed:
        flow = _flow_of(distributed.search)
        return _recorded(Run(flow.search.engine, watch, on_progress), flow, distributed)


def _recorded(run: Run, flow: Flow, distributed: Distributed[Any]) -> Result:
    """The result of a distributed run, in its journal when this returns."""
    search = distributed.search
    run.id = distributed.id
    try:
        result = run.result(lambda: flow.distributed(run, distributed), search.workers)
    except CleaveError as error:
        distributed.finish(error_object(search.file, error))
        raise
    distributed.finish(result_object(search.file, result))
    return result


def _runners(file: str, options: Options) -> list[Runner]:
    """The engines for a program, the one that finds violations sooner first; it gets the odd worker."""
    workers = options.distribution.workers
    shares = {InlineSearch.engine: workers - workers // 2, PdrSearch.engine: workers // 2}

    def runner(engine: str) -> Runner:
        how = replace(options.distribution, workers=shares[engine])
        chosen = replace(options, engine=engine, distribution=how, memlimit_mb=options.memlimit_mb // 2)
        return lambda on_progress, stop: _verify_one(file, chosen, on_progress, stop, apart=True)

    return [runner(engine) for engine in shares]


def engine_for(file: str) -> str:
    """The engine for a file where the user has not chosen one."""
    return PdrSearch.engine if holds_clauses(file) else InlineSearch.engine


def _flow(file: str, options: Options) -> Flow:
    fitting = engine_for(file)
    engine = fitting if options.engine in (None, AUTO) else options.engine
    if engine == InlineSearch.engine != fitting:
        raise UsageError(f"{file}: Horn clauses are for the pdr engine; inline needs a program")
    return PdrFlow(_pdr(file, options), options.invariant) if engine == PdrSearch.engine else _inline(file, options)


def _pdr(file: str, options: Options) -> PdrSearch:
    how = replace(options.pdr, workers=options.distribution.workers)
    property_name = options.property.value if options.property is not None else None
    return PdrSearch(PdrTask(file, read_bytes(file), options.entry, property_name, how))


def _inline(file: str, options: Options) -> InlineFlow:
    search = InlineOptions(
        merging=options.merging,
        bounds=options.recursion_bounds or deepening(DEFAULT_BOUND),
        beyond_cost=DEFAULT_BEYOND_COST if options.recursion_bounds is None else 0,
        seed=options.seed,
    )
    property_name = options.property.value if options.property is not None else None
    task = Task(file, read_bytes(file), options.entry, property_name, search, options.distribution)
    return InlineFlow(InlineSearch(task))


def _flow_of(search: Search[Any]) -> Flow:
    if isinstance(search, InlineSearch):
        return InlineFlow(search)
    if isinstance(search, PdrSearch):
        return PdrFlow(search)
    raise InternalError(f"nothing is known of engine {search.engine}")


def _place(options: Options) -> Place:
    return Place(
        runtime=options.runtime,
        address=options.address,
        memlimit_mb=options.memlimit_mb // options.distribution.workers,
    )
