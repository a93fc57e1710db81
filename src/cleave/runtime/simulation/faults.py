"""The faults of a simulated crew, and the seeded dice that decide when they happen.

    SimulatedCrew(assignment, faults=Faults(drop=0.3, crash_every=2.0), seed=7)

All dice are thrown from one generator in the order in which the simulation asks, so a seed repeats a run exactly.
"""

from __future__ import annotations

import math
import random

from cleave.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Faults:
    """Probabilities are per frame, times in virtual seconds. Every worker has its own lifetime, drawn when it joins:
    it is as likely to end in one second as in another (``*_every`` is the mean; infinity: never)."""

    drop: float = 0.0  # a frame never arrives
    repeat: float = 0.0  # it arrives twice
    delay: float = 0.0  # it comes late, and so after frames that were sent later ...
    delay_seconds: float = 0.01  # ... by at most so much
    crash_every: float = math.inf  # a worker ends, in the middle of a turn or while it waits
    zombie_every: float = math.inf  # a worker is taken for lost, but lives on and sends
    zombie_seconds: float = 1.0  # for so long
    start_seconds: float = 0.0  # a worker that was hired takes up to so long to join

    def __post_init__(self) -> None:
        if not 0 <= self.drop < 1:
            raise ValueError(f"drop={self.drop}: must be at least 0 and less than 1, or nothing ever arrives")
        for name in ("repeat", "delay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}={getattr(self, name)}: must be a probability")
        for name in ("delay_seconds", "zombie_seconds", "start_seconds"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)}: must be a finite time")
        for name in ("crash_every", "zombie_every"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)}: must be more than no time")

    @property
    def on_frames(self) -> bool:
        """Whether the wire is at fault, so that delivery has to be made reliable."""
        return self.drop > 0 or self.repeat > 0 or self.delay > 0


NO_FAULTS = Faults()


class Dice:
    """Decides, by a seed, what happens to each frame and each worker."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self._faults = faults
        self._random = random.Random(seed)

    def arrivals(self) -> list[float]:
        """How late each copy of a frame arrives: ``[]`` is a frame that was dropped, ``[0.0]`` one on time."""
        faults, throw = self._faults, self._random.random
        copies = 1 + (throw() < faults.repeat)
        kept = [copy for copy in range(copies) if throw() >= faults.drop]
        return [throw() * faults.delay_seconds if throw() < faults.delay else 0.0 for _ in kept]

    def start_up(self) -> float:
        """How long a worker that was hired takes to join."""
        return self._random.random() * self._faults.start_seconds

    def crash(self) -> float:
        """How long a worker lives."""
        return self._lifetime(self._faults.crash_every)

    def zombie(self) -> float:
        """How long until a worker is taken for lost."""
        return self._lifetime(self._faults.zombie_every)

    def _lifetime(self, mean: float) -> float:
        return math.inf if mean == math.inf else self._random.expovariate(1 / mean)
