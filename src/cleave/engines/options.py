"""The options of an engine: a frozen dataclass whose fields carry all that is to be said of an option.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class ToyOptions:
        rounds: int = option(3, flag="--rounds", help="how often to try", low=1)
        slice_cost: int = option(500, help="between two messages", unit="solver cost", low=1, reason="...")

Flags of the command line, checks of the Python call and the tables in docs/guide/options.md are made from the fields:
see `run.options`. A field without a flag tunes a search: it is for Python and for benchmarks. The default None means
that a rule decides; the rule is a method of the options.

A flag that several engines have is the same option to all of them: one field name, one reader, one range.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from itertools import pairwise
from typing import Any, TypeVar

from cleave.records import dataclass

T = TypeVar("T")

Reader = Callable[[str], Any]
"""From the text of a command line to a value. Raises `ValueError` with a sentence about the text: "'x' is not ..."."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What a field's name, type and default don't say.

    ``low`` and ``high`` are inclusive, and hold for each number of a tuple. ``read`` is there where the type does not
    tell how to read. ``valid`` raises `ValueError` for what no range excludes. ``rule`` says what the default None
    means, ``reason`` why the default is what it is. ``instead_of`` names an option that has no effect beside this one.
    """

    flag: str = ""
    help: str = ""
    metavar: str = ""
    unit: str = ""
    low: float | None = None
    high: float | None = None
    read: Reader | None = None
    choices: tuple[Any, ...] | None = None
    valid: Callable[[Any], None] | None = None
    rule: str = ""
    reason: str = ""
    instead_of: str = ""


def option(default: T, **about: Any) -> T:
    """A field of a dataclass; ``about`` is what an `Option` says."""
    return field(default=default, metadata={"option": Option(**about)})


MOST = 999_999
"""The largest of the numbers that people count with: bounds, partitions, iterations."""

MOST_COST = 2**32 - 1
"""The largest cost that Z3 counts to in one call."""


def seed_option() -> int:
    """The same for every engine that has one."""
    return option(0, flag="--seed", help="seed of all random choices", metavar="N", low=0, high=2**31 - 1)


def patience_option() -> float:
    """The same for every engine that hires one worker first."""
    return option(
        1.0,
        help="time after which all workers are started",
        unit="seconds",
        low=0,
        reason="a shorter run needs only one worker",
    )


def losses_option(default: int) -> int:
    """The same for every engine that gives lost work to others."""
    return option(
        default,
        help="a job is given up after this many workers died while they solved it, and sooner if they ran out of"
        " memory",
        unit="workers",
        low=1,
        reason="a job that kills its worker would kill all workers, one after the other",
    )


# --- readers --------------------------------------------------------------------------------------------------------


def deepening(bound: int, start: int = 1) -> tuple[int, ...]:
    """The bounds to try on the way to ``bound``: each of the first few, then half as much again each time.

    >>> deepening(3), deepening(20)
    ((1, 2, 3), (1, 2, 3, 4, 6, 9, 13, 19, 20))

    Short executions are found without unfolding long ones, and what was inlined and learned is kept. The last bound
    alone decides the verdict.
    """
    tried: list[int] = []
    while start < bound:
        tried.append(start)
        start = deeper(start)
    return (*tried, bound)


def deeper(bound: int) -> int:
    """The bound to try after ``bound``."""
    return bound + max(1, bound // 2)


def bounds(text: str) -> tuple[int, ...]:
    """``3`` or ``1..5``.

    >>> bounds("3"), bounds("2..2")
    ((1, 2, 3), (2,))
    """
    match = re.fullmatch(r"([0-9]{1,6})(?:\.\.([0-9]{1,6}))?", text)
    if not match:
        raise ValueError(f"{text!r} is neither a number nor a range such as 1..5")
    low, high = (int(match[1]), int(match[2])) if match[2] else (1, int(match[1]))
    if low < 1 or high < low:
        raise ValueError(f"{text!r} is not a range of positive bounds")
    return deepening(high, low)


def ascending(bounds: tuple[int, ...]) -> None:
    """For `Option.valid`: bounds to try in turn."""
    if not bounds or any(one >= another for one, another in pairwise(bounds)):
        raise ValueError(f"{bounds!r} are not bounds that grow")


def seconds(text: str) -> float:
    """``60``, ``60s``, ``5m`` or ``1h``.

    >>> seconds("90"), seconds("1.5m")
    (90.0, 90.0)
    """
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]+)?)(s|m|min|h)?", text)
    if not match or float(match[1]) <= 0:
        raise ValueError(f"{text!r} is not a time such as 60, 90s, 5m or 1h")
    return float(match[1]) * {"s": 1, "m": 60, "min": 60, "h": 3600}[match[2] or "s"]
