"""SPACER on clauses whose loops can make many rounds in one step, see `passes.horn.accelerate`.

What it learns holds of the clauses without that, too: they have fewer steps and the same facts. So lemmas are shared
as by any other strategy, and its invariants are invariants. Its derivations may have more rounds than it takes, so that
those that are short enough to be read are looked for once more, by unrolling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cleave.engines.pdr.options import NOTHING_COUNTS
from cleave.engines.pdr.spacer.exchange import Shared
from cleave.engines.pdr.spacer.run import Busy, Event, NoAnswer, Paused, SpacerRun, UnsafeAnswer
from cleave.errors import UnsupportedError
from cleave.ir.horn import Derivation, HornSystem
from cleave.passes.horn.accelerate import accelerate

_READABLE_STEPS = 40
_SHORTENING_COST = 200_000


class StartSpacer(Protocol):
    def __call__(self, system: HornSystem) -> SpacerRun: ...


class AcceleratedRun:
    """A run as `job.Run` wants it."""

    def __init__(self, system: HornSystem, start: StartSpacer) -> None:
        self._system = system
        self._faster = accelerate(system)
        self._run = None if self._faster is None else start(self._faster.system)

    def resume(self, imports: Sequence[Shared] = ()) -> Event:
        if self._run is None or self._faster is None:
            return NoAnswer(NOTHING_COUNTS)
        event = self._run.resume(imports)
        if not isinstance(event, UnsafeAnswer) or event.derivation is None:
            return event
        try:
            return UnsafeAnswer(_shortened(self._system, self._faster.derivation(event.derivation)))
        except UnsupportedError as error:
            return NoAnswer(str(error))

    def stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    def cost(self) -> int:
        return 0 if self._run is None else self._run.cost()

    def counts(self) -> Mapping[str, int]:
        return {} if self._run is None else self._run.counts()


def _shortened(system: HornSystem, found: Derivation) -> Derivation:
    if len(found.steps) > _READABLE_STEPS:
        return found
    from cleave.engines.pdr.unrolling import Unrolling

    unrolling = Unrolling(system, cost_limit=_SHORTENING_COST)
    event = unrolling.resume()
    while isinstance(event, Paused | Busy):
        event = unrolling.resume()
    unrolling.stop()
    if isinstance(event, UnsafeAnswer) and event.derivation is not None:
        return min(found, event.derivation, key=lambda derivation: len(derivation.steps))
    return found
