"""The whole flow: choose an engine, solve, validate, report.

    result = verify("driver.bpl", Options(recursion_bounds=(1, 2, 3), workers=4))
    result.verdict                     # Safe | BoundedSafe | Unsafe | Unknown
    resume(journal)                    # goes on with a run that stopped

How each engine goes from a file to a verdict is in `flows`. A verdict leaves them only if `validate` agrees with it;
what can't be confirmed is `Unknown`.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from cleave.distribute import Distributed, Place
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import CleaveError
from cleave.flows.choose import AUTO, THREADS, choose_flow, engines_for, flow_of, may_try_integers
from cleave.flows.deepen import deepen
from cleave.flows.integers import in_turn, unbounded
from cleave.flows.options import Options
from cleave.flows.race import Runner, race
from cleave.flows.run import Flow, OnProgress, Run
from cleave.flows.tasks import resolve_task
from cleave.frontends.read import read_source
from cleave.ir.integers import Integers
from cleave.objects import error_object, result_object
from cleave.verdict import Result
from cleave.watch import Watch

__all__ = ["Options", "resume", "verify"]


def verify(
    file: str,
    options: Options | None = None,
    *,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Verifies one file. Setting ``stop`` from another thread ends the run with what it has."""
    read_source.cache_clear()
    task = resolve_task(file, options or Options())
    apart = task.options.runtime != "local"
    if task.options.engine == AUTO and task.options.workers > 1:
        runners = _runners(task.file, task.options)
        if len(runners) > 1:
            return task.answered(race(runners, stop, on_progress))
    return task.answered(_verify_deeper(task.file, task.options, on_progress, stop, apart=apart))


def resume(
    journal: Path,
    *,
    timelimit: float = 0.0,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Goes on with a run that stopped; what its workers had closed is not searched again."""
    with Watch(timelimit=timelimit, stop=stop) as watch, Distributed.again(journal) as distributed:
        flow = flow_of(distributed.search)
        return _recorded(Run(flow.search.engine, watch, on_progress), flow, distributed)


def _verify_deeper(
    file: str, options: Options, on_progress: OnProgress | None, stop: threading.Event | None, *, apart: bool
) -> Result:
    """With larger and larger bounds if the user has chosen none, and there are threads."""

    def within(threads: ThreadsOptions, seconds: float) -> Result:
        chosen = replace(options, threads=threads, timelimit=seconds)
        return _verify_one(file, chosen, on_progress, stop, apart=apart)

    if options.threads.deepens and THREADS in engines_for(file, options):
        return deepen(within, options.threads, options.timelimit)
    return _verify_numbers(file, options, on_progress, stop, apart=apart)


def _verify_numbers(
    file: str, options: Options, on_progress: OnProgress | None, stop: threading.Event | None, *, apart: bool
) -> Result:
    """With the integers that are wanted; for bits, pdr may also try others that give the same verdict."""

    def within(integers: Integers, seconds: float) -> Result:
        chosen = replace(options, integers=integers, timelimit=seconds)
        return _verify_one(file, chosen, on_progress, stop, apart=apart)

    if options.integers is Integers.UNBOUNDED:
        return unbounded(within, options.timelimit)
    if may_try_integers(file, options):
        return in_turn(within, options.timelimit)
    return _verify_one(file, options, on_progress, stop, apart=apart)


def _verify_one(
    file: str, options: Options, on_progress: OnProgress | None, stop: threading.Event | None, *, apart: bool
) -> Result:
    """With one engine; ``apart``: not in this process, even if there is one worker only."""
    with Watch(timelimit=options.timelimit, memlimit_mb=options.memlimit_mb, stop=stop) as watch:
        flow = choose_flow(file, options)
        run, workers = Run(flow.search.engine, watch, on_progress), flow.search.workers
        if options.invariants_from is not None:
            flow = flow.with_invariants(run)
        if workers == 1 and not apart:
            return run.result(lambda: flow.here(run), workers)
        with Distributed.begin(flow.search, _place(options), options.journal) as distributed:
            return _recorded(run, flow, distributed)


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
    """The engines that run side by side, the first one with the odd worker."""
    engines, workers = engines_for(file, options), options.workers

    def runner(number: int, engine: str) -> Runner:
        share = workers // len(engines) + (number < workers % len(engines))
        memory = options.memlimit_mb // len(engines)
        chosen = replace(options, engine=engine, workers=share, memlimit_mb=memory)
        return lambda on_progress, stop: _verify_numbers(file, chosen, on_progress, stop, apart=True)

    return [runner(number, engine) for number, engine in enumerate(engines)]


def _place(options: Options) -> Place:
    return Place(
        runtime=options.runtime,
        address=options.address,
        memlimit_mb=options.memlimit_mb // options.workers,
    )
