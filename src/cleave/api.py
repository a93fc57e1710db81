"""The whole of Cleave in two calls: read the input, make the plan, carry it out, and write what was asked for.

    result = verify("driver.bpl", Options(engine="inline", workers=4))
    result.verdict                     # Safe | BoundedSafe | Unsafe | Unknown
    resume(journal)                    # continues a run that was stopped, and writes the same files

The command line does nothing else. A verdict leaves here only if `validate` agrees with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from cleave.errors import CleaveError
from cleave.export.exports import export
from cleave.export.inputs import Inputs
from cleave.export.objects import error_object, result_object
from cleave.export.outputs import Outputs, check_outputs
from cleave.frontends.boogie_options import BoogieOptions
from cleave.frontends.input import PART_MARK, Input, read_input
from cleave.frontends.limits import NO_LIMITS, ReadingLimits
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.places import new_run_id, start_run
from cleave.passes.entries import choose_entries
from cleave.run.carry_out import SoFar, carry_out
from cleave.run.each import Rounds, places_of
from cleave.run.fitting import check_fits, check_options
from cleave.run.plan import Plan, Stage, encode_plan
from cleave.run.reached import answers, questions
from cleave.run.recorded import Recorded, plan_of
from cleave.run.request import Options
from cleave.run.rules import make_plan
from cleave.run.tasks import resolve_task
from cleave.usage import Meter
from cleave.verdict import Reason, Result, StoppedError, Unknown, Verdict
from cleave.version import __version__
from cleave.watch import reserve

_LEAST_SECONDS = 0.001  # a limit of 0 is none
_EXPORT_SECONDS = 60.0  # that are kept back at most

OnProgress = Callable[["Progress"], None]


class Progress(msgspec.Struct, frozen=True):
    """What a stage that is running has counted so far; ``run`` is the run's id, if it has a journal. ``so_far`` gives
    the result, should the run end now. ``result``: there is one, and only files about it are still to be written."""

    stage: Stage
    counters: dict[str, Any]
    run: str | None
    so_far: SoFar | None = None
    result: Result | None = None


def verify(
    file: str,
    options: Options | None = None,
    *,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Verifies one file. Setting ``stop`` from another thread ends the run with what it has."""
    chosen = options or Options()
    end = (monotonic() if chosen.since is None else chosen.since) + chosen.timelimit if chosen.timelimit else None
    meter = Meter(stop or threading.Event(), cpulimit=chosen.cputimelimit, since=chosen.since, before=chosen.before)
    with meter:
        try:
            limits = ReadingLimits(end=end, memory_mb=chosen.memlimit_mb, stop=meter.stop)
            input, plan, options = planned(file, chosen, limits)
        except (StoppedError, MemoryError) as stopped:
            return _not_read(stopped, chosen, meter)
        if options.modular or options.infer:
            return _modular(input, options, plan.expected, on_progress, meter)
        if options.each:
            return _each(input, options, plan.expected, on_progress, meter)
        outputs = check_outputs(plan, input, read=(file, *options.read))
        with _journal(plan, input, options.journal, options.run) as journal:
            left = max(_without_exports(end - monotonic(), plan), _LEAST_SECONDS) if end is not None else 0.0
            return _carried_out(plan, input, journal, outputs, on_progress, meter, left, options)


def _without_exports(seconds: float, plan: Plan) -> float:
    """What is left to search, where making a file takes long."""
    share = max((export(name).share for name in plan.outputs), default=0.0)
    return seconds - min(share * seconds, _EXPORT_SECONDS)


def _not_read(stopped: StoppedError | MemoryError, options: Options, meter: Meter) -> Result:
    """A limit was hit before there was anything to carry out."""
    reason, detail = (stopped.reason, stopped.detail) if isinstance(stopped, StoppedError) else (Reason.MEMORY, "")
    reason = Reason.TIMEOUT if meter.is_over and reason is Reason.INTERRUPTED else reason
    verdict = Unknown(reason, detail or "the input was not read")
    return Result(verdict, options.engine or "", {}, 0.0, options.workers, {}).costing(meter.read())


def _each(input: Input, options: Options, expected: str | None, on_progress: OnProgress | None, meter: Meter) -> Result:
    """A verdict for each check. The runs that it takes keep no journals."""

    def run(checks: tuple[str, ...], seconds: float) -> Result:
        part = input.with_c(only=checks) if checks else input
        plan = make_plan(part, replace(options, timelimit=seconds), expected=expected)
        with _journal(plan, part, None) as journal:
            return _carried_out(plan, part, journal, check_outputs(plan, part), told, meter, plan.timelimit)

    def so_far() -> Result:
        return replace(rounds.so_far(), checked=checked)

    def told(progress: Progress) -> None:
        if on_progress is not None:
            on_progress(Progress(progress.stage, progress.counters, progress.run, so_far))

    checked = dict(input.program.checked)
    rounds = Rounds(places_of(input.program), run, options.wall_seconds())
    return replace(rounds.all(), checked=checked)


def _modular(
    input: Input, options: Options, expected: str | None, on_progress: OnProgress | None, meter: Meter
) -> Result:
    """A verdict for each procedure against its contract. The runs that it takes keep no journals."""
    from cleave.frontends.boogie import outline
    from cleave.run.modular import verify_procedures

    def run(name: str, dropped: tuple[str, ...], seconds: float) -> Result:
        told = replace(BoogieOptions(), procedure=name, candidates=bool(options.infer), dropped=dropped)
        part = Input.of(input.file, told.added_to(input.source, {}))
        choose_entries(part.program)  # reading says what is not supported before processes start
        plan = make_plan(part, replace(options, timelimit=seconds, entry=None), expected=expected)
        with _journal(plan, part, None) as journal:
            return _carried_out(plan, part, journal, check_outputs(plan, part), on_progress, meter, plan.timelimit)

    about = outline(input.source, input.file)
    return verify_procedures(about, run, infers=bool(options.infer), timelimit=options.wall_seconds())


def planned(file: str, options: Options, limits: ReadingLimits = NO_LIMITS) -> tuple[Input, Plan, Options]:
    """What would be done, and the options with what a task definition says. Raises `StoppedError` at a limit."""
    task = resolve_task(file, options)
    options = task.options
    input = read_input(
        task.file,
        entry=options.entry,
        property=options.property,
        c=options.c,
        boogie=options.boogie,
        limits=limits,
    )
    if input.source.startswith(PART_MARK):
        from cleave.run.parts import note_of, part_options  # with the engines that divide

        if (note := note_of(input.source)) is not None:
            options = part_options(note, options)
    check_options(options)
    plan = make_plan(input, options, expected=task.expected)
    check_fits(options, plan)
    return input, plan, options


def _part(input: Input) -> dict[str, str] | None:
    """Which part of a problem was verified."""
    if not input.source.startswith(PART_MARK):
        return None
    from cleave.run.parts import note_of, text_digest

    note = note_of(input.source)
    assert note is not None
    return {"of": note.of, "whole": note.whole, "name": note.name, "digest": text_digest(input.source)}


def resume(
    path: Path,
    *,
    timelimit: float = 0.0,
    cputimelimit: float = 0.0,
    memlimit_mb: int = 0,
    on_progress: OnProgress | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Continues a run that was stopped, with its own time limit or another one. Finished stages and closed partitions
    are not done again."""
    with Journal.reopen(path) as journal:
        plan, input, digests = plan_of(journal)
        plan = msgspec.structs.replace(
            plan, cputimelimit=cputimelimit or plan.cputimelimit, memlimit_mb=memlimit_mb or plan.memlimit_mb
        )
        outputs = check_outputs(plan, input, digests)
        with Meter(stop or threading.Event(), cpulimit=plan.cputimelimit) as meter:
            limit = _without_exports(timelimit or plan.timelimit, plan)
            return _carried_out(plan, input, journal, outputs, on_progress, meter, limit)


def _carried_out(
    plan: Plan,
    input: Input,
    journal: Journal,
    outputs: Outputs,
    on_progress: OnProgress | None,
    meter: Meter,
    timelimit: float,
    options: Options | None = None,
) -> Result:
    """``options``: those of a run that asks whether any check was reached."""
    run = journal.info.id if journal.path is not None else None
    last = plan.stages[0] if plan.stages else None

    def on_news(stage: Stage, counters: Any, so_far: SoFar | None) -> None:
        nonlocal last
        last = stage
        if on_progress is not None:
            on_progress(Progress(stage, dict(counters), run, so_far))

    try:
        budget = meter.budget
        cpu = None if budget is None else budget.without(reserve(budget.limit))
        result = carry_out(plan, input, journal, stop=meter.stop, on_news=on_news, timelimit=timelimit, cpu=cpu)
        result = replace(result, run=run, part=_part(input), verdict=_explained(result.verdict, meter, plan))
        if options is not None:
            result = replace(result, reached=_reached(input, result, options, meter))
        if on_progress is not None and last is not None and outputs.files:
            on_progress(Progress(last, {}, run, result=result))
        result = replace(result, unwritten=outputs.of(journal.path).write(result))
        result = result.costing(meter.read())
    except CleaveError as error:
        journal.finish(error_object(input.file, error))
        raise
    journal.finish(result_object(input.file, result))
    return result


def _reached(input: Input, result: Result, options: Options, meter: Meter) -> bool | None:
    """Whether an execution within the bounds of a proof reaches a check; None: nobody knows, or asks."""
    asked = questions(input, result, options)
    if not asked or meter.stop.is_set():
        return None
    part = input.with_c(reach=True)
    for question in asked:
        plan = make_plan(part, question)
        with _journal(plan, part, None) as journal:
            found = carry_out(
                plan, part, journal, stop=meter.stop, on_news=lambda *_: None, timelimit=question.timelimit
            ).verdict
        if (answer := answers(found, result.verdict)) is not None:
            return answer
    return None


def _explained(verdict: Verdict, meter: Meter, plan: Plan) -> Verdict:
    """Somebody who set a limit of processor time did not interrupt the run."""
    budget = meter.budget
    is_spent = meter.is_over or (budget is not None and budget.left() <= reserve(budget.limit))
    if is_spent and isinstance(verdict, Unknown) and verdict.reason in (Reason.INTERRUPTED, Reason.TIMEOUT):
        said = f"the limit of {plan.cputimelimit:g} seconds of processor time"
        return Unknown(Reason.TIMEOUT, "; ".join(filter(None, (said, verdict.detail))))
    return verdict


@contextmanager
def _journal(plan: Plan, input: Input, folder: Path | None, id: str | None = None) -> Iterator[Journal]:
    """Of a new run; without a folder nothing of it is kept."""
    engines = dict.fromkeys(stage.engine for stage in plan.stages if stage.role == "settle")
    files = Inputs.read(input.files)
    about = Recorded(input.file, input.entry, input.asked, input.c, files.digests(), input.boogie)
    info = RunInfo(
        id=id or new_run_id(input.file),
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
        texts = files.contents if input.is_c else None  # the source is what a compiler made of them
        journal = start_run(folder, info, encode_plan(plan), input.source, texts=texts)
    with journal:
        yield journal
