"""Options of executions."""

from __future__ import annotations

from cleave.engines.options import option, seed_option
from cleave.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionsOptions:
    """How many executions are tried, and how long they are."""

    steps: int = option(
        300_000,
        flag="--steps",
        metavar="N",
        low=1,
        unit="steps",
        help="number of steps of executions to try",
        reason="a second or two",
    )
    seed: int = seed_option()
    longest: int = option(
        5_000,
        help="length of the first execution",
        unit="steps",
        low=1,
        reason="most violations are in short executions",
    )
    growth: float = option(
        1.05,
        help="each execution may be longer than the one before by this factor",
        unit="times",
        low=1,
        reason="some violations need long executions",
    )
    longest_of_all: int = option(
        100_000,
        help="largest length of an execution",
        unit="steps",
        low=1,
        reason="an endless loop must not use up all steps",
    )
    native: bool = option(
        True,
        flag="--native",
        help="run long executions of sequential programs in machine code, too (needs the extra c)",
        reason="a hundred times as fast",
    )
    jumps: int = option(
        10_000,
        help="jumps of one execution in machine code without inputs, for each of the steps",
        unit="times",
        low=1,
        reason="this takes about as long as the steps",
    )
    random_jumps: int = option(
        300,
        help="jumps of all executions in machine code with random inputs, for each of the steps; at least 150 million",
        unit="times",
        low=1,
        reason="more of them seldom find more",
    )


USUAL = ExecutionsOptions()
