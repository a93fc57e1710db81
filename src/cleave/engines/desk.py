"""The surroundings of a search: its limits, and the place for its counters, notes and results so far.

    desk.watch.check()                    # raises StoppedError once a limit is hit
    desk.note({"cost": 1200})             # progress
    desk.keep(BoundedSafe({"recursion": 3}, "checked"))      # holds whatever happens to the rest of the search

`run` makes a desk for each stage of a plan, and reads it when the stage is over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from cleave.frontends.input import Input
from cleave.ir.integers import UNBOUNDED_ASSUMPTION, Integers
from cleave.ir.program import Program, checks_of
from cleave.records import dataclass
from cleave.verdict import Reason, StoppedError, Verdict
from cleave.watch import Watch

News: TypeAlias = Mapping[str, Any]


@dataclass(slots=True)
class Desk:
    """``most_cost`` ends the search once its counters tell so much solver cost; 0: no limit. ``facts`` are what the
    stage found out for others, encoded, ``predicates`` those of an abstraction, by location, and ``drawings`` what it
    shows of itself, encoded (`review.drawings`)."""

    watch: Watch
    on_news: Callable[[News], None] = lambda news: None
    most_cost: int = 0
    counters: dict[str, Any] = field(default_factory=dict)
    assumptions: list[str] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)  # the properties of the program, with their places
    predicates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    kept: Verdict | None = None
    facts: Facts | None = None
    decided: tuple[str, ...] = ()  # checks that hold, by name, though others are open
    drawings: bytes = b""

    def note(self, news: News) -> None:
        self.counters.update(news)
        self.on_news(self.counters)
        if self.most_cost and self.counters.get("cost", 0) >= self.most_cost:
            self.watch.stop(Reason.BUDGET)

    def keep(self, verdict: Verdict) -> None:
        """A confirmed verdict within bounds: the best so far, should the search end without another one."""
        self.kept = verdict

    def program(self, input: Input, integers: Integers = Integers.BITS) -> Program:
        """The program as it was read; what is taken for granted about it is noted."""
        started = self.watch.seconds()
        program = input.program
        self.note({"read_seconds": round(self.watch.seconds() - started, 3)})
        self.assumptions += program.assumptions
        self.checked = checks_of(program)
        if integers is Integers.UNBOUNDED:
            self.assumptions.append(UNBOUNDED_ASSUMPTION)
        self.watch.check()
        return program

    def stopped(self) -> StoppedError:
        return StoppedError(self.watch.reason or Reason.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Facts:
    """Invariants of a program that were checked, for another engine to use: ``data`` as that engine reads them,
    ``text`` says what they are and who checked them."""

    data: bytes
    text: str
