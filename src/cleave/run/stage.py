"""One stage of a plan, carried out in this process: alone, or with workers.

outcome = carry_out_stage(stage, about, limits, tell)

It returns a verdict that `validate` has confirmed, or `Unknown`. A limit, a wish to stop and an engine that does not
take such a problem are outcomes, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

import msgspec

from cleave.engines.coordination import Event
from cleave.engines.desk import Desk, Facts, News
from cleave.engines.engine import Search, Setting, load
from cleave.engines.registry import engine
from cleave.errors import UnsupportedError
from cleave.frontends.input import Input
from cleave.ir.integers import UNBOUNDED_ASSUMPTION, Integers
from cleave.records import dataclass
from cleave.run.outcome import Outcome, Refusal
from cleave.run.plan import Plan, Stage
from cleave.run.team import Team
from cleave.usage import CpuBudget
from cleave.verdict import BoundedSafe, Reason, Safe, StoppedError, Unknown, Unsafe, Verdict
from cleave.watch import Watch

_CHECKED = "; with it, that no operation overflows"
_EXACT = ", over integers that wrap around as bits do"


class Recorder(Protocol):
    """Who is told what happens in a stage: the journal or, in a process beside others, whoever writes it."""

    def events_of(self, stage: int) -> Sequence[tuple[float, Event]]:
        """What happened in the stage before it was stopped."""

    def begin(self, stage: Stage) -> None: ...

    def append(self, stage: int, events: Sequence[Event]) -> None:
        """Returns when they are kept."""

    def end(self, outcome: Outcome, *, final: bool) -> None:
        """``final``: the stage had its time, and is not done again when somebody goes on with the run."""

    def news(self, stage: Stage, counters: News) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds of wall time and of this process's processor time, and memory; 0: none. ``longest`` are those that the
    run has left, to confirm what was found. ``cpu`` is for all processes of the run. ``stop`` ends the stage."""

    seconds: float = 0.0
    longest: float = 0.0
    cpu_seconds: float = 0.0
    cpu: CpuBudget | None = None
    memlimit_mb: int = 0
    stop: threading.Event | None = None


def make_search(stage: Stage, plan: Plan, input: Input, facts: Facts | None) -> Search:
    plug = engine(stage.engine)
    setting = Setting(
        workers=stage.workers,
        runtime=plan.place.runtime,
        role=stage.role,
        integers=stage.integers,
        facts=facts,
        tells_invariant=plan.tells_invariant,
        tells_loops=plan.tells_loops,
    )
    search: Search = load(plug.search).make(input, msgspec.convert(stage.options, plug.options), setting)
    return search


def is_alone(stage: Stage, plan: Plan) -> bool:
    """Whether the stage needs no workers beside this process."""
    one = stage.workers == 1 and plan.place.runtime == "local"
    return one or stage.role != "settle" or not engine(stage.engine).distributes


def carry_out_stage(
    stage: Stage,
    plan: Plan,
    input: Input,
    *,
    limits: Limits,
    recorder: Recorder,
    facts: Facts | None = None,
    hired: Team | None = None,
) -> Outcome:
    """``hired``: workers that were started ahead."""
    with ExitStack() as stack:
        watch = stack.enter_context(
            Watch(
                timelimit=limits.seconds,
                longest=limits.longest,
                cpulimit=limits.cpu_seconds,
                cpu=limits.cpu,
                memlimit_mb=limits.memlimit_mb,
                stop=limits.stop,
            )
        )
        desk = Desk(watch, lambda counters: recorder.news(stage, counters), stage.cost)

        def find() -> Verdict:
            search = make_search(stage, plan, input, facts)
            if is_alone(stage, plan):
                return search.alone(desk)
            team = hired or make_team(stage, plan, search, recorder, limits.memlimit_mb)
            return search.together(desk, stack.enter_context(team))

        refused, verdict = _found(find)
        if isinstance(verdict, Unknown) and desk.kept is not None:
            verdict = desk.kept
        verdict, assumptions = _about_integers(_without_doubt(verdict, input), desk.assumptions, stage.integers)
        return Outcome.of(
            stage.number,
            verdict,
            seconds=watch.seconds(),
            counters=engine(stage.engine).counters.of(desk.counters).as_object(),
            assumptions=tuple(assumptions),
            checked=desk.checked,
            predicates=desk.predicates,
            facts=desk.facts,
            decided=desk.decided,
            refused=refused,
            drawings=desk.drawings,
        )


def make_team(stage: Stage, plan: Plan, search: Search, recorder: Recorder, memlimit_mb: int) -> Team:
    number = stage.number
    return Team(
        search,
        plan.place,
        lambda events: recorder.append(number, events),
        memlimit_mb=memlimit_mb // stage.workers,
        before=recorder.events_of(number),
    )


def _found(find: Callable[[], Verdict]) -> tuple[Refusal | None, Verdict]:
    """Why the engine refuses the problem, if it does, and the verdict."""
    try:
        return None, find()
    except StoppedError as stopped:
        return None, Unknown(stopped.reason, stopped.detail)
    except MemoryError:
        return None, Unknown(Reason.MEMORY)
    except UnsupportedError as error:
        return Refusal.of(error), Unknown(Reason.SOLVER, error.message)


def _without_doubt(verdict: Verdict, input: Input) -> Verdict:
    """A proof about less than can happen is none, and a violation that needs something which a function may never do is
    none that is known."""
    if isinstance(verdict, Safe | BoundedSafe) and input.kind.is_program and input.program.left_out:
        return Unknown(Reason.UNMODELLED, input.program.left_out[0])
    if not isinstance(verdict, Unsafe) or not verdict.trace.unmodelled:
        return verdict
    names = verdict.trace.unmodelled
    what = " and ".join(f"what {name} does" if name.isidentifier() else name for name in names)
    why = f"the violation that was found depends on {what}"
    functions = [name for name in names if name.isidentifier()]
    if functions:
        options = " ".join(f"--trust {name}" for name in functions)
        why += f"; give a body in a further file, or {options} if it leaves memory alone and may return any value"
    return Unknown(Reason.UNMODELLED, why, verdict.trace.check)


def _about_integers(verdict: Verdict, assumptions: Sequence[str], integers: Integers) -> tuple[Verdict, list[str]]:
    """Who reads a proof should know what it is about; a violation was replayed with the program's own integers."""
    told = list(assumptions)
    if isinstance(verdict, Unsafe):
        return verdict, [one for one in told if one != UNBOUNDED_ASSUMPTION]
    added = {Integers.EXACT: _EXACT, Integers.CHECKED: _CHECKED}.get(integers)
    if added is None or not isinstance(verdict, Safe | BoundedSafe):
        return verdict, told
    if integers is Integers.EXACT and isinstance(verdict, BoundedSafe):
        return verdict, told
    return replace(verdict, validation=verdict.validation + added), told
