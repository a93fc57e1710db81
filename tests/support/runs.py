"""Stages by themselves, and runs that have been begun and nothing more, as a machine leaves them that stops at once.

run_stage("queue.ir", text, "threads", ThreadsOptions(unwind=3), workers=2).verdict
begun("program.bpl", Options(engine="inline"), folder)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cleave.api import _journal, planned
from cleave.engines.coordination import Event
from cleave.engines.desk import News
from cleave.frontends.input import Input
from cleave.run.outcome import Outcome
from cleave.run.plan import Place, Plan, Stage, given_options
from cleave.run.request import Options
from cleave.run.stage import Limits, carry_out_stage


class Notes:
    """A `Recorder` that remembers what it was told. ``before`` are events of stages that were stopped."""

    def __init__(self, before: dict[int, list[tuple[float, Event]]] | None = None) -> None:
        self.before = before or {}
        self.begun: list[Stage] = []
        self.events: dict[int, list[Event]] = {}
        self.ended: list[tuple[Outcome, bool]] = []
        self.noted: list[News] = []

    def events_of(self, stage: int) -> list[tuple[float, Event]]:
        return self.before.get(stage, [])

    def begin(self, stage: Stage) -> None:
        self.begun.append(stage)

    def append(self, stage: int, events: Sequence[Event]) -> None:
        self.events.setdefault(stage, []).extend(events)

    def end(self, outcome: Outcome, *, final: bool) -> None:
        self.ended.append((outcome, final))

    def news(self, stage: Stage, counters: News) -> None:
        self.noted.append(dict(counters))


def run_stage(
    file: str,
    source: str,
    engine: str,
    options: Any,
    *,
    workers: int = 1,
    limits: Limits | None = None,
    recorder: Notes | None = None,
    tells_loops: bool = False,
    **about: Any,
) -> Outcome:
    """The only stage of a plan."""
    stage = Stage(number=1, engine=engine, purpose="", options=given_options(options), workers=workers, **about)
    plan = Plan(stages=(stage,), workers=workers, place=Place(), tells_loops=tells_loops)
    input = Input.of(file, source.encode())
    return carry_out_stage(stage, plan, input, limits=limits or Limits(), recorder=recorder or Notes())


def begun(file: str, options: Options, folder: Path) -> tuple[Path, Plan]:
    """The journal, and the plan in it."""
    input, plan, _ = planned(file, options)
    with _journal(plan, input, folder) as journal:
        assert journal.path is not None
        return journal.path, plan
