"""SPACER on clauses about cells of arrays, see `passes.horn.cells`: what it proves, it proves of all cells.

    cells                one cell of each array
    cells-accelerated    the same, case by case, with loops that make many rounds in one step; first with few premises
    cell-pairs           two cells of each array

Only invariants count, which have quantifiers then. A violation is one of the cells: it says nothing of the arrays. So
does a lemma, so none are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from cleave.engines.pdr import options
from cleave.engines.pdr.spacer.exchange import Shared
from cleave.engines.pdr.spacer.run import Busy, Event, NoAnswer, Paused, SafeAnswer, SpacerRun
from cleave.ir.horn import HornSystem
from cleave.passes.horn.accelerate import accelerate
from cleave.passes.horn.cells import cells
from cleave.passes.horn.simplify import SimplifiedHorn, simplify_horn


class CellRun:
    """A run as `job.Run` wants it, on one abstraction after the other, until one has no violation."""

    def __init__(self, system: HornSystem, strategy: str, start: Callable[[HornSystem], SpacerRun]) -> None:
        self._start = start
        self._ways = _ways(system, strategy)
        self._cost = 0  # of earlier runs
        self._why = "no arrays"
        self._run: SpacerRun | None = None
        self._begin()

    def _begin(self) -> None:
        self.stop()
        self._cost = self.cost()
        self._way = next(self._ways, None)
        self._run = None if self._way is None else self._start(self._way.system)

    def resume(self, imports: Sequence[Shared] = ()) -> Event:
        while self._run is not None and self._way is not None:
            match self._run.resume():
                case SafeAnswer(interpretation):
                    return SafeAnswer(self._way.interpretation(interpretation))
                case Paused() | Busy() as event:
                    return replace(event, lemmas=())
                case NoAnswer() as event:
                    return event
            self._why = "the arrays have violations cell by cell, which may be none"
            self._begin()
        return NoAnswer(self._why)

    def stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    def cost(self) -> int:
        return self._cost + (0 if self._run is None else self._run.cost())

    def counts(self) -> Mapping[str, int]:
        return {} if self._run is None else self._run.counts()


def _ways(system: HornSystem, strategy: str) -> Iterator[SimplifiedHorn]:
    """Abstractions, each with the way back for interpretations."""
    match strategy:
        case options.CELLS_ACCELERATED:
            found = [cells(system, cases=True, own=own) for own in (True, False)]
        case options.CELL_PAIRS:
            found = [cells(system, 2)]
        case _:
            found = [cells(system)]
    for done in found:
        if done is not None:
            simplified = simplify_horn(done.system, quantifiers=False)
            faster = accelerate(simplified.system) if strategy == options.CELLS_ACCELERATED else None
            simplified = simplified if faster is None else simplified.then(faster)
            yield SimplifiedHorn(simplified.system, (done, *simplified.passes))
