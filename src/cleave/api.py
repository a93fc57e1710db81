"""The whole of Cleave in two calls: read the input, make the plan, carry it out, and write what was asked for.

    result = verify("driver.bpl", Options(engine="inline", workers=4))
    result.verdict                     # Safe | BoundedSafe | Unsafe | Unknown
    resume(journal)                    # goes on with a run that stopped, and writes the same files

The command line does nothing else. A verdict leaves here only if `validate` agrees with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from cleave.engines.registry import engine
from cleave.errors import CleaveError, InputError
from cleave.export.inputs import Inputs
from cleave.export.objects import error_object, result_object
from cleave.export.outputs import Outputs, check_outputs
from cleave.frontends.c.options import COptions
from cleave.frontends.input import Input, read_input
from cleave.ir.program import Property
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.places import new_run_id, start_run
from cleave.run.carry_out import SoFar, carry_out
from cleave.run.fitting import check_fits, check_options
from cleave.run.plan import VERSION, Plan, Stage, decode_plan, encode_plan
from cleave.run.request import Options
from cleave.run.rules import make_plan
from cleave.run.tasks import resolve_task
from cleave.verdict import Result
from cleave.version import __version__

OnProgress = Callable[["Progress"], None]


class Progress(msgspec.Struct, frozen=True):
    """What a stage that is running has counted so far; ``run`` is the run's id, if it has a journal. ``so_far`` gives
    the result, should the run end now."""

    stage: Stage
    counters: dict[str, Any]
    run: str | None
    so_far: SoFar | None = None


def verify(
    file: str,
    options: Options | None = None,
    *,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Verifies one file. Setting ``stop`` from another thread ends the run with what it has."""
    input, plan, options = planned(file, options or Options())
    outputs = check_outputs(plan, input, read=(file, *options.read))
    with _journal(plan, input, options.journal) as journal:
        return _carried_out(plan, input, journal, outputs, on_progress, stop, options.timelimit)


def planned(file: str, options: Options) -> tuple[Input, Plan, Options]:
    """What would be done, and the options with what a task definition says."""
    task = resolve_task(file, options)
    options = task.options
    input = read_input(task.file, entry=options.entry, property=options.property, c=options.c)
    check_options(options)
    plan = make_plan(input, options, expected=task.expected)
    check_fits(options, plan)
    return input, plan, options


def resume(
    path: Path,
    *,
    timelimit: float = 0.0,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Goes on with a run that stopped, with the time limit that it had, or another one. What was finished is not done
    again, what workers had closed is not searched again."""
    with Journal.reopen(path) as journal:
        plan, input, digests = plan_of(journal)
        outputs = check_outputs(plan, input, digests)
        return _carried_out(plan, input, journal, outputs, on_progress, stop, timelimit or plan.timelimit)


def plan_of(journal: Journal) -> tuple[Plan, Input, dict[str, str]]:
    """What a journal's run is about, and the digests of its files when they were read."""
    try:
        plan = decode_plan(journal.plan)
        about = msgspec.convert(journal.info.options["input"], _About)
    except (msgspec.MsgspecError, KeyError) as error:
        raise InputError(f"the journal does not hold a run of this version of Cleave: {error}") from None
    if plan.version != VERSION:
        raise InputError(f"the run's plan has version {plan.version}, and this Cleave carries out version {VERSION}")
    for name, version in plan.engines.items():
        if engine(name).version != version:
            raise InputError(f"the run is one of another version of the engine {name}")
    c = replace(about.c, entry=about.entry)
    input = replace(Input.of(about.file, journal.source, about.entry, about.property), c=c)
    return plan, input, about.digests


def _carried_out(
    plan: Plan,
    input: Input,
    journal: Journal,
    outputs: Outputs,
    on_progress: OnProgress | None,
    stop: threading.Event | None,
    timelimit: float,
) -> Result:
    run = journal.info.id if journal.path is not None else None

    def on_news(stage: Stage, counters: Any, so_far: SoFar | None) -> None:
        if on_progress is not None:
            on_progress(Progress(stage, dict(counters), run, so_far))

    try:
        stop = stop or threading.Event()
        result = carry_out(plan, input, journal, stop=stop, on_news=on_news, timelimit=timelimit)
        result = replace(result, run=run)
        result = replace(result, unwritten=outputs.write(result))
    except CleaveError as error:
        journal.finish(error_object(input.file, error))
        raise
    journal.finish(result_object(input.file, result))
    return result


class _About(msgspec.Struct, frozen=True):
    """What an input was made of, beside its source."""

    file: str
    entry: str | None
    property: Property | None
    c: COptions
    digests: dict[str, str]


@contextmanager
def _journal(plan: Plan, input: Input, folder: Path | None) -> Iterator[Journal]:
    """Of a new run; without a folder nothing of it is kept."""
    engines = dict.fromkeys(stage.engine for stage in plan.stages if stage.role == "settle")
    about = _About(input.file, input.entry, input.asked, input.c, Inputs.read(input.files).digests())
    info = RunInfo(
        id=new_run_id(input.file),
        files=input.files,
        engine=" ".join(engines),
        workers=plan.workers,
        runtime=plan.place.runtime,
        options={"input": msgspec.to_builtins(about), "command": plan.command, "timelimit": plan.timelimit},
        started=datetime.now(UTC),
        version=__version__,
        source=input.digest,
    )
    if folder is None:
        journal = Journal.in_memory(info)
    else:
        journal = start_run(folder, info, encode_plan(plan), input.source)
    with journal:
        yield journal
