"""``cleave show``: what happened in a run, from its journal."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any

from cleave.cli.printing import say
from cleave.cli.problem import add_journal, folder
from cleave.cli.results import as_text
from cleave.engines.text import amount, count, table
from cleave.journal.places import find_run
from cleave.review.stages import PlanReview, StageReview, plan_object, review_plan

_DEPTH = 4
_STATE = 60  # characters of what became of a stage
_NUMBERS = ("stage", "workers", "began", "seconds", "cost")
_STAGES = ("stage", "engine", "workers", "began", "seconds", "result", "cost", "what for")


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "show",
        help="show what happened in a run",
        description="Shows what happened in a run: its verdict, the outcome of each stage of its plan, and how each"
        " search was split. It also shows what each worker did, where the cost went, and which workers were lost. The"
        " run may still be running, or may have been stopped.",
    )
    parser.add_argument("name", metavar="RUN", help="the id of a run or its beginning, latest, or a journal's path")
    add_journal(parser, "where the journals are")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with whole split trees")
    parser.add_argument(
        "--depth", type=int, default=_DEPTH, metavar="N", help=f"depth of a split tree in text (default {_DEPTH})"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    review = review_plan(find_run(folder(options), options.name))
    if options.json:
        print(json.dumps(plan_object(review)))
    else:
        say("\n".join(_text(review, options.depth)))
    return 0


def _text(review: PlanReview, depth: int) -> Iterable[str]:
    yield from _verdict(review)
    yield from _about(review)
    yield "stages:"
    yield from table(
        [_STAGES, *map(_stage_row, review.stages)], right=("stage", "workers", "began", "seconds", "cost"), indent="  "
    )
    several = sum(stage.search is not None for stage in review.stages) > 1
    for stage in review.stages:
        if stage.search is None:
            continue
        if several:
            yield f"stage {stage.number}, {stage.engine}:"
        yield from stage.search.text(depth)


def _stage_row(stage: StageReview) -> tuple[str, ...]:
    seconds = f"{stage.seconds:.1f}" if stage.seconds is not None else ""
    cost = amount(stage.cost) if stage.cost else ""
    began = f"{stage.began:.1f}" if stage.began is not None else ""
    return str(stage.number), stage.engine, str(stage.workers), began, seconds, _short(stage.state), cost, stage.purpose


def _short(state: str) -> str:
    return state if len(state) <= _STATE else f"{state[: _STATE - 1]}…"


def _verdict(review: PlanReview) -> Iterable[str]:
    if review.result is None:
        yield f"{review.state}  {review.info.files[0]}"
    elif "error" in review.result:
        yield f"error  {review.info.files[0]}"
        yield f"  {review.result['error']}"
    else:
        yield from as_text(review.result)


def _about(review: PlanReview) -> Iterable[str]:
    info = review.info
    started = info.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    resumed = f", resumed {count(review.breaks, 'time')}" if review.breaks else ""
    yield f"run {info.id}, {review.state}"
    yield f"  started {started}, {review.seconds:.1f} s in all{resumed}; {info.workers} workers wanted, {info.runtime}"
    if info.options.get("command"):
        yield f"  {info.options['command']}"
