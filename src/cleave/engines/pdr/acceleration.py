"""SPACER on clauses whose loops are taken many rounds at a time, see `passes.horn.accelerate`.

What it learns holds of the clauses without that, too: they have fewer steps and the same facts. So lemmas are shared
as by any other strategy, and its invariants are invariants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cleave.errors import UnsupportedError
from cleave.ir.horn import HornSystem
from cleave.passes.horn.accelerate import accelerate
from cleave.smt.spacer import Event, NoAnswer, SpacerRun, UnsafeAnswer
from cleave.smt.spacer_exchange import Shared


class StartSpacer(Protocol):
    def __call__(self, system: HornSystem) -> SpacerRun: ...


class AcceleratedRun:
    """A run as `job.Run` wants it."""

    def __init__(self, system: HornSystem, start: StartSpacer) -> None:
        self._faster = accelerate(system)
        self._run = None if self._faster is None else start(self._faster.system)

    def resume(self, imports: Sequence[Shared] = ()) -> Event:
        if self._run is None or self._faster is None:
            return NoAnswer("no loop counts")
        event = self._run.resume(imports)
        if not isinstance(event, UnsafeAnswer) or event.derivation is None:
            return event
        try:
            return UnsafeAnswer(self._faster.derivation(event.derivation))
        except UnsupportedError as error:
            return NoAnswer(str(error))

    def stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    def cost(self) -> int:
        return 0 if self._run is None else self._run.cost()

    def counts(self) -> Mapping[str, int]:
        return {} if self._run is None else self._run.counts()
