"""Options of executions."""

from __future__ import annotations

from cleave.engines.options import option, seed_option
from cleave.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionsOptions:
    steps: int = option(
        300_000,
        flag="--steps",
        metavar="N",
        low=1,
        unit="steps",
        help="how many steps of executions to try",
        reason="a second or two",
    )
    seed: int = seed_option()
    longest: int = option(
        5_000, help="of the first execution", unit="steps", low=1, reason="most violations are in short executions"
    )
    growth: float = option(
        1.05,
        help="each execution may be so much longer than the one before",
        unit="times",
        low=1,
        reason="some are long",
    )
    longest_of_all: int = option(
        100_000, help="of any execution", unit="steps", low=1, reason="a loop without an end must not take all steps"
    )
    native: bool = option(
        True,
        flag="--native",
        help="run long executions of sequential programs in machine code, too (needs the extra c)",
        reason="a hundred times as fast",
    )
    jumps: int = option(
        10_000,
        help="of one execution in machine code without inputs, for each step",
        unit="times",
        low=1,
        reason="as much time as the steps take, about",
    )
    random_jumps: int = option(
        300,
        help="of executions in machine code with inputs by chance, for each step",
        unit="times",
        low=1,
        reason="more of them seldom find more",
    )


USUAL = ExecutionsOptions()
