"""``cleave plan``: what ``cleave verify`` would do, stage by stage, without doing it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from cleave.api import planned
from cleave.cli.arguments import Extent
from cleave.cli.brief import add_help
from cleave.cli.printing import say
from cleave.cli.problem import add_problem, chosen_options
from cleave.engines.text import amount, table
from cleave.errors import UsageError
from cleave.export.outputs import check_outputs
from cleave.frontends.input import Input
from cleave.frontends.read import is_c
from cleave.ir.integers import Integers
from cleave.ir.loops import NamedLoop, named_loops
from cleave.run.plan import Plan, Stage

_COLUMNS = ("stage", "lane", "engine", "workers", "time", "options", "what for")


def add_to(commands: Any, extent: Extent = Extent.ALL) -> None:
    parser = commands.add_parser(
        "plan",
        add_help=False,
        help="show what verify would do",
        description="Shows which engines verify would run, in which order, with which workers and which share of the"
        " time. Its options are those of verify.",
    )
    add_help(parser)
    add_problem(parser, extent)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--loops", action="store_true", help="also print the names of the loops, for --unwind")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    chosen = chosen_options(options)
    file, *others = options.files
    if others and not all(map(is_c, options.files)):
        raise UsageError("one program at a time; several files are one program only in C")
    linked = replace(chosen, c=replace(chosen.c, others=tuple(others)))
    input, plan, _ = planned(file, linked)
    check_outputs(plan, input)
    if options.json:
        found = {"file": input.file, "kind": input.kind.value, **msgspec.to_builtins(plan)}
        print(json.dumps(found | ({"loops": list(map(str, _loops(input)))} if options.loops else {})))
    else:
        say(f"{input.file}: {input.kind.value}")
        say("\n".join(plan_text(plan)))
        if options.loops:
            say("\n".join(("  loops:", *(f"    {loop}" for loop in _loops(input)))))
    return 0


def _loops(input: Input) -> list[NamedLoop]:
    if not input.kind.is_program:
        raise UsageError(f"{input.file}: only programs have loops, and this is {input.kind.value}")
    return named_loops(input.program)


def plan_text(plan: Plan) -> Iterable[str]:
    yield from table([_COLUMNS, *(_row(stage, plan) for stage in plan.stages)], right=("stage", "workers"), indent="  ")
    if len({(stage.group, stage.lane) for stage in plan.stages}) > len({stage.group for stage in plan.stages}):
        yield "  Lanes of one group run side by side, the stages of a lane in turn. A verdict ends the rest."
    limits = [f"{plan.timelimit:g} s in all"] if plan.timelimit else []
    if plan.cputimelimit:
        limits.append(f"{plan.cputimelimit:g} s of processor time in all")
    yield f"  {', '.join(limits) or 'no time limit'}; workers: {plan.place.runtime}"


def _row(stage: Stage, plan: Plan) -> tuple[str, ...]:
    lane = f"{stage.group}.{stage.lane}"
    return str(stage.number), lane, stage.engine, str(stage.workers), _time(stage, plan), _options(stage), stage.purpose


def _time(stage: Stage, plan: Plan) -> str:
    said = []
    if stage.cost:
        said.append(f"cost {amount(stage.cost)}")
    if plan.timelimit or plan.cputimelimit:
        said.append("all that is left" if stage.share == 1.0 else f"{stage.share:.0%} of what is left")
        if stage.seconds:
            said.append(f"at most {stage.seconds:g} s")
    elif stage.patience or stage.seconds:
        said.append(f"{stage.patience or stage.seconds:g} s")
    return ", ".join(said) or "until it ends"


def _options(stage: Stage) -> str:
    said = [f"{name} {_value(value)}" for name, value in stage.options.items()]
    if stage.integers is not Integers.BITS:
        said.append(f"integers {stage.integers.value}")
    if stage.deepens:
        said.append("deepens")
    if stage.uses is not None:
        said.append(f"uses what stage {stage.uses} finds")
    if stage.when == "bounded":
        said.append("if only bounds are proved")
    return ", ".join(said)


def _value(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
