"""The dice engine, as Cleave sees it."""

from __future__ import annotations

from dataclasses import dataclass

from cleave.engines.counters import Counters
from cleave.engines.engine import Engine
from cleave.engines.options import option, seed_option
from cleave.frontends.input import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceOptions:
    throws: int = option(4, flag="--throws", metavar="N", low=1, help="how often to run the program")
    seed: int = seed_option()


class DiceCounters(Counters, frozen=True, kw_only=True):
    throws: int | None = None
    cost: int | None = None

    def line(self) -> str:
        return f"{self.throws or 0} throws"

    def progress(self, rate: float = 0.0) -> str:
        return f"throw {self.throws or 0}"


ENGINE = Engine(
    name="dice",
    purpose="run the program now and then",
    kinds=frozenset({Kind.PROGRAM}),
    options=DiceOptions,
    counters=DiceCounters,
    search="cleave_dice.search:DiceSearch",
)
