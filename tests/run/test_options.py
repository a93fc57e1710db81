"""Options of engines on the command line and in Python: the same readers, the same ranges, the same sentences."""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cleave.engines.engine import Engine
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import InlineOptions
from cleave.engines.options import bounds, option, seed_option
from cleave.engines.pdr.options import PdrOptions, Share
from cleave.engines.registry import engine, names
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import UsageError
from cleave.run.choices import choices_of
from cleave.run.options import check, excluded, flags, given, misfits, options_for
from cleave.run.options_page import page, table


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Named(NamedTuple):
    name: str
    purpose: str
    options: type[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyOptions:
    rounds: int = option(3, flag="--rounds", metavar="N", low=1, high=9, help="how often 100% of it is done")
    colour: Colour = option(Colour.RED, flag="--colour", help="of the toy")
    whole: bool | None = option(None, flag="--whole", help="all of it", rule="with 3 workers")
    loud: bool = option(False, flag="--loud", help="with noise")
    pace: float = option(0.5, flag="--pace", unit="seconds", low=0, help="between rounds")
    bounds: tuple[int, ...] | None = option(None, flag="--bound", read=bounds, low=1, high=9, help="of loops", rule="4")
    seed: int = seed_option()
    slice_cost: int = option(500, unit="solver cost", low=1, help="between messages", reason="a | b")


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherOptions:
    seed: int = seed_option()
    tone: str = option("low", flag="--tone", choices=("low", "high"), help="of its voice")


TOY, OTHER = Named("toy", "play with it", ToyOptions), Named("other", "do without", OtherOptions)
REAL = tuple(map(engine, names()))
INLINE, CEGAR = engine("inline"), engine("cegar")
DOCS = Path(__file__).parents[2] / "docs" / "guide"


def parsed(*arguments: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser(exit_on_error=False)
    flags(parser, (TOY, OTHER))
    return given(parser.parse_args(arguments), (TOY, OTHER))


def test_given_is_what_was_said_and_nothing_else() -> None:
    assert parsed() == {}
    told = parsed("--rounds=3", "--colour=blue", "--no-whole", "--loud", "--pace=0.25", "--bound=2", "--seed=7")
    chosen = {"rounds": 3, "colour": Colour.BLUE, "whole": False, "loud": True, "pace": 0.25, "bounds": (1, 2)}
    assert told == {**chosen, "seed": 7}
    assert options_for(OTHER, told) == {"seed": 7}
    check(ToyOptions(**options_for(TOY, told)))


@pytest.mark.parametrize(
    ("argument", "error"),
    [
        ("--rounds=0", "'0' is not a whole number from 1 to 9"),
        ("--rounds=10", "'10' is not a whole number from 1 to 9"),
        ("--rounds=٣", "'٣' is not a whole number from 1 to 9"),
        ("--rounds=1.5", "'1.5' is not a whole number from 1 to 9"),
        ("--colour=green", "'green' is not one of red, blue"),
        ("--tone=loud", "'loud' is not one of low, high"),
        ("--pace=-1", "'-1' is not a number of 0 or more"),
        ("--pace=nan", "'nan' is not a number of 0 or more"),
        ("--bound=12", "'12' is not a tuple of numbers from 1 to 9"),
        ("--bound=3..2", "'3..2' is not a range of positive bounds"),
        ("--seed=99999999999999999999", "'99999999999999999999' is not a whole number from 0 to 2147483647"),
    ],
)
def test_what_can_not_be_read(argument: str, error: str) -> None:
    with pytest.raises(argparse.ArgumentError) as raised:
        parsed(argument)
    assert raised.value.message == error


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (ToyOptions(rounds=0), "--rounds: 0 is not a whole number from 1 to 9"),
        (ToyOptions(rounds=True), "--rounds: True is not a whole number from 1 to 9"),
        (ToyOptions(rounds="3"), "--rounds: '3' is not a whole number from 1 to 9"),  # type: ignore[arg-type]
        (ToyOptions(colour="red"), "--colour: 'red' is not one of red, blue"),  # type: ignore[arg-type]
        (ToyOptions(bounds=(1, 10)), "--bound: (1, 10) is not a tuple of numbers from 1 to 9"),
        (ToyOptions(bounds=[1]), "--bound: [1] is not a tuple of numbers from 1 to 9"),  # type: ignore[arg-type]
        (ToyOptions(slice_cost=0), "slice_cost: 0 is not a whole number of 1 or more"),
        (ToyOptions(loud=None), "--loud: None is not True or False"),  # type: ignore[arg-type]
        (OtherOptions(tone="loud"), "--tone: 'loud' is not one of low, high"),
        (InlineOptions(bounds=(3, 2)), "--recursion-bound: (3, 2) are not bounds that grow"),
        (InlineOptions(bounds=()), "--recursion-bound: () are not bounds that grow"),
        (ThreadsOptions(unwind=0), "--unwind: 0 is not a whole number from 1 to 999999"),
        (PdrOptions(strategies=("global", "stock@x")), "--strategies: 'stock@x': a number of seconds expected after @"),
    ],
)
def test_python_is_told_the_same(options: Any, error: str) -> None:
    with pytest.raises(UsageError) as raised:
        check(options)
    assert str(raised.value).startswith(error)


@pytest.mark.parametrize(
    "options",
    [
        *(one() for one in (ToyOptions, OtherOptions, *(real.options for real in REAL))),
        ToyOptions(pace=1, whole=True),
        InlineOptions(merging=Merging.TREE, interval=0.0005, bounds=(2, 5)),
        PdrOptions(share_parts=Share.K, strategies=("stock@8",)),
    ],
)
def test_what_is_right_passes(options: Any) -> None:
    check(options)


def test_an_option_that_no_engine_of_the_plan_has() -> None:
    told = {"unwind": 5, "seed": 1, "partitions": 2, "slice_cost": 7}
    assert misfits(told, [INLINE, CEGAR], REAL) == [
        "--unwind is for the engines threads and bmc; this plan runs inline and cegar",
        "--partitions is for the engines pdr and threads; this plan runs inline and cegar",
    ]
    assert misfits(told, [CEGAR, CEGAR], REAL)[1] == (
        "--seed is for the engines inline, pdr, threads, bmc and executions; this plan runs cegar"
    )


def test_an_option_without_effect_beside_another() -> None:
    threads = next(one for one in REAL if one.name == "threads")
    assert excluded({"rounds": 2, "contexts": (2, 3)}, [threads]) == [
        "--rounds is instead of --contexts: give one of them"
    ]
    assert not excluded({"rounds": 2, "seed": 1}, [threads, INLINE])


def test_help_has_each_flag_once() -> None:
    parser = argparse.ArgumentParser(prog="toy")
    flags(parser, (TOY, OTHER))
    text = parser.format_help()
    assert text.count("--seed N") == 2, "in the usage, and where it is explained"
    assert "how often 100% of it is done (default 3)" in text
    assert "{red,blue}" in text
    assert "all of it (default: with 3 workers)" in text
    assert "seed of all random choices (default 0); for toy and other" in " ".join(text.split())


def test_a_table_for_people() -> None:
    lines = table(TOY).splitlines()
    assert "| `--rounds` | `rounds` | how often 100% of it is done | a whole number from 1 to 9 | 3 |" in lines
    assert "| `--pace` | `pace` | between rounds | a number of 0 or more, seconds | 0.5 |" in lines
    assert "| `slice_cost` | between messages | a whole number of 1 or more, solver cost | 500 | a \\| b |" in lines
    assert "## toy\n\nPlay with it.\n\n| flag" in page((TOY, OTHER))


def test_the_docs_have_every_option_as_it_is() -> None:
    """``make docs`` writes the page."""
    assert (DOCS / "options.md").read_text() == page(REAL)


# --- the engines' own -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", REAL, ids=lambda engine: engine.name)
def test_every_option_says_what_it_is(engine: Engine) -> None:
    for choice in choices_of(engine.options):
        assert choice.about.help, choice.name
        assert choice.default is not None or choice.about.rule, choice.name
        if choice.type in (int, float):
            assert choice.about.low is not None, choice.name
        if not choice.about.flag:
            assert choice.about.reason or choice.about.rule, choice.name


def test_one_flag_is_one_option() -> None:
    """Also in Python: a name that is a flag's in one engine is the same flag's in all."""
    by_flag, by_name = defaultdict(set), defaultdict(set)
    for one in REAL:
        for choice in choices_of(one.options):
            about = choice.about
            by_name[choice.name].add(about.flag)
            if about.flag:
                by_flag[about.flag].add((choice.name, choice.type, about.read, about.low, about.high, about.choices))
    assert {flag: read for flag, read in by_flag.items() if len(read) > 1} == {}
    assert {name: own for name, own in by_name.items() if len(own) > 1} == {}
