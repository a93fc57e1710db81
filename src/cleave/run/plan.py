"""The plan of a run, as data: stages, one after the other or side by side.

    plan = make_plan(input, options)          # pure; `run.rules` has the rules
    groups(plan.stages)                       # lanes that run side by side, group after group
    larger(stage, verdict)                    # what follows a stage that deepens

    stage 1   executions    30,000 steps                          violations
    stage 2   inline        bounds 1 to 3, cost up to 1M          settle
    stage 3   inline        deepens                       ┐ side by side
    stage 4   pdr                                         │ in two processes:
    stage 5   cegar                                       ┘ 3 beside 4, then 5

A plan is written to the journal before anything of it is done, and `resume` continues it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from cleave.engines.engine import Role, Runtime, load
from cleave.engines.registry import engine
from cleave.ir.integers import Integers
from cleave.verdict import BoundedSafe, Reason, Unknown, Verdict

VERSION = 1
EXECUTIONS = "executions"
_MORE = 4  # times as much, for a stage that ran out of it
NEXT = 50  # a larger number than a plan has stages: those that are added later come after it


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """``options`` are those that differ from the engine's defaults. Stages of one ``group`` run side by side in
    ``lane``s, those of one lane in turn.

    A stage may use ``share`` of the time that is left to its lane, at most ``seconds``, and as much solver cost as
    ``cost`` says; 0: no limit. Where the run has no time limit, ``patience`` is the stage's: in seconds of processor
    time, if it has no workers beside its process, so that a busy machine changes nothing. It is left out if ``when`` is
    "bounded" and nothing is proved within bounds yet. A stage that ``deepens`` is followed by one with larger bounds,
    as long as there is time; before that, ``probes`` steps of other executions are tried. ``uses`` is the stage whose
    facts it is given. ``purpose`` tells people what it is for.
    """

    number: int
    engine: str
    purpose: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    integers: Integers = Integers.BITS
    role: Role = "settle"
    workers: int = 1
    group: int = 0
    lane: int = 0
    share: float = 1.0
    seconds: float = 0.0
    patience: float = 0.0
    cost: int = 0
    when: Literal["open", "bounded"] = "open"
    deepens: bool = False
    probes: int = 0
    uses: int | None = None

    @property
    def chain(self) -> int:
        """The number of the stage that it continues with larger bounds, or its own."""
        return self.number % NEXT


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where workers are. ``address`` is that of a Ray cluster, None for one of our own."""

    runtime: Runtime = "local"
    address: str | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """``timelimit`` is for the whole run, in seconds, ``memlimit_mb`` for all its processes; 0: none."""

    stages: tuple[Stage, ...]
    workers: int = 1  # that may work at the same time
    place: Place = Place()
    timelimit: float = 0.0
    cputimelimit: float = 0.0  # of all processes together
    memlimit_mb: int = 0
    tells_invariant: bool = False
    tells_loops: bool = False
    outputs: dict[str, str] = msgspec.field(default_factory=dict)  # absolute paths, by the names of exports
    command: str = ""
    expected: str | None = None  # the verdict that a task definition says the input has
    engines: dict[str, int] = msgspec.field(default_factory=dict)  # versions
    version: int = VERSION


def groups(stages: Iterable[Stage]) -> Iterator[list[list[Stage]]]:
    """The lanes of each group, in order."""
    ordered = sorted(stages, key=lambda stage: (stage.group, stage.lane, stage.chain, stage.number))
    for _, group in groupby(ordered, lambda stage: stage.group):
        yield [list(lane) for _, lane in groupby(group, lambda stage: stage.lane)]


def unfinished(known: Mapping[int, Stage], done: Mapping[int, Verdict]) -> list[Stage]:
    """What is left of a plan: stages without a verdict, and what follows a stage that deepens and has one."""
    left = [stage for stage in known.values() if stage.number not in done]
    for number, verdict in done.items():
        left += (stage for stage in larger(known[number], verdict) if stage.number not in known)
    return left


def with_more(stage: Stage) -> Stage:
    """The same stage with larger budgets; if it has none of its own, those in its engine's options grow."""
    plug = engine(stage.engine)
    if plug.deepen and not (stage.cost or stage.seconds or stage.patience):
        options = load(plug.deepen)(msgspec.convert(stage.options, plug.options), None)
        return replace(stage, options=given_options(options))
    return replace(stage, cost=stage.cost * _MORE, seconds=stage.seconds * _MORE, patience=stage.patience * _MORE)


def larger(stage: Stage, verdict: Verdict) -> tuple[Stage, ...]:
    """What follows a stage that deepens and has ended; nothing if its verdict leaves nothing to find."""
    unconfirmed = isinstance(verdict, Unknown) and verdict.reason is Reason.UNCONFIRMED
    plug = engine(stage.engine)
    if not stage.deepens or not plug.deepen or not (unconfirmed or isinstance(verdict, BoundedSafe)):
        return ()
    options = msgspec.convert(stage.options, plug.options)
    grown = load(plug.deepen)(options, verdict.bounds if isinstance(verdict, BoundedSafe) else None)
    following = replace(stage, number=stage.number + 2 * NEXT, options=given_options(grown))
    if not stage.probes:
        return (following,)
    others = {"seed": following.number, "steps": stage.probes}
    return (
        Stage(
            number=stage.number + NEXT,
            engine=EXECUTIONS,
            purpose="run the program in other ways",
            options=others,
            role="violations",
            group=stage.group,
            lane=stage.lane,
        ),
        following,
    )


def given_options(options: Any) -> dict[str, Any]:
    """Those that differ from the defaults, as a journal can keep them."""
    usual, own = (msgspec.json.decode(msgspec.json.encode(one)) for one in (type(options)(), options))
    return {name: value for name, value in own.items() if value != usual[name]}


def encode_plan(plan: Plan) -> bytes:
    return msgspec.json.encode(plan)


def decode_plan(data: bytes) -> Plan:
    return msgspec.json.decode(data, type=Plan)


def engine_versions(stages: Sequence[Stage]) -> Mapping[str, int]:
    return {stage.engine: engine(stage.engine).version for stage in stages}
