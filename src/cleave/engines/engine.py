"""The plug: all that the rest of Cleave knows of an engine is one `Engine` object.

    ENGINE = Engine(name="inline", purpose="...", kinds=frozenset({Kind.PROGRAM}), options=InlineOptions,
                    counters=InlineCounters, search="cleave.engines.inline.search:InlineSearch", ...)

It lies in ``engines/<name>/plugin.py``, and `registry` finds it. Command line, checks of the Python call, tables in the
docs and reviews of runs are made from it. Large parts are named by ``module:name`` and loaded when they are needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Literal, Protocol, TypeAlias

from cleave.engines.coordination import Coordinator, Event
from cleave.engines.counters import Counters
from cleave.engines.desk import Desk, Facts
from cleave.engines.findings import GaveUp
from cleave.frontends.input import Kind
from cleave.ir.integers import Integers
from cleave.records import dataclass
from cleave.verdict import Reason, Verdict

Runtime: TypeAlias = Literal["local", "ray", "simulated"]
Role: TypeAlias = Literal["settle", "violations", "invariants"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """``purpose`` is one sentence for people. ``version`` is that of its task and messages: a run of another version
    is not resumed. ``deepen`` names a function from options and the bounds that they proved, to larger options.
    ``tells``: what a proof of it tells to others, such as "invariants". ``integers``: whether it computes with integers
    in place of bits where `Setting.integers` says so."""

    name: str
    purpose: str
    kinds: frozenset[Kind]
    options: type[Any]
    counters: type[Counters]
    search: str
    review: str = ""
    deepen: str = ""
    distributes: bool = True
    tells: frozenset[str] = frozenset()
    integers: bool = False
    version: int = 1

    def misfit(self, kind: Kind) -> str | None:
        """Why the engine is not for such an input; None if it is."""
        if kind in self.kinds:
            return None
        fitting = " or ".join(sorted(one.value for one in self.kinds))
        return f"the engine {self.name} takes {fitting}, not {kind.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a stage of a plan asks of a search, beside the engine's own options. ``tells_invariant``: somebody wants the
    invariant that proves `safe` as text; ``tells_loops``: those of loops."""

    workers: int = 1
    runtime: Runtime = "local"
    role: Role = "settle"
    integers: Integers = Integers.BITS
    facts: Facts | None = None
    tells_invariant: bool = False
    tells_loops: bool = False


class Team(Protocol):
    """The workers of a stage and their coordinator."""

    @property
    def coordinator(self) -> Any: ...

    def prepare(self) -> None:
        """Hires the first worker."""

    def solve(self, halt: threading.Event, note: Callable[[Mapping[str, Any]], None]) -> bytes | Reason:
        """The coordinator's outcome, or why there is none: ``halt`` was set."""

    def events(self) -> Iterable[Event]:
        """What the coordinator saw."""


class Search(Protocol):
    """One problem for one engine. What it returns has been confirmed by `validate`, or is `Unknown`."""

    @property
    def worker(self) -> str:
        """What its workers run, as ``module:function``."""

    @property
    def begins_alone(self) -> bool:
        """Whether it is first tried without workers, who then need not be hired at once."""

    def assignment(self) -> bytes:
        """All that a worker needs to know."""

    def coordinator(self) -> Coordinator: ...

    def alone(self, desk: Desk) -> Verdict:
        """With one worker, in this process."""

    def together(self, desk: Desk, team: Team) -> Verdict:
        """With any number of workers."""


def load(name: str) -> Any:
    """What ``module:name`` names."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def solved(
    team: Team,
    desk: Desk,
    found: Callable[[bytes, Mapping[str, Any]], Any],
    how_far: Callable[[Mapping[str, Any]], str],
) -> Any:
    """What workers find together, read by ``found``; if a limit ends them, ``how_far`` tells how far they got."""
    halt = threading.Event()
    with desk.watch.guarding(halt.set):
        outcome = team.solve(halt, desk.note)
    counters = team.coordinator.counters()
    return GaveUp(outcome, how_far(counters)) if isinstance(outcome, Reason) else found(outcome, counters)
