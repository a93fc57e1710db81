"""How the virtual time of a run of the cegar engine is spent: alone, analysing counterexamples, exploring.

phases = Phases(coordinator, crew)
drive(phases, crew, record)
phases.seconds["analysing"]
"""

from __future__ import annotations

from collections import defaultdict

from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.messages import Analyse, to_worker
from cleave.engines.coordination import Command, Event, Joined, Lost, Send
from cleave.runtime.simulation.crew import SimulatedCrew

ALONE, ANALYSING, EXPLORING = "alone", "analysing", "exploring"


class Phases:
    """A coordinator that looks at the clock. ``alone`` is the time before a second worker joins, ``analysing`` that
    between the first order to analyse a counterexample and the end of the iteration."""

    def __init__(self, coordinator: CegarCoordinator, crew: SimulatedCrew) -> None:
        self._coordinator = coordinator
        self._crew = crew
        self._since = 0.0
        self._present: set[int] = set()
        self._iteration = 0
        self._phase = ALONE
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def start(self) -> list[Command]:
        return self._coordinator.start()

    def counters(self) -> dict[str, int | float]:
        return self._coordinator.counters()

    def on(self, event: Event) -> list[Command]:
        now = self._crew.now()
        self.seconds[self._phase] += now - self._since
        self._since = now
        match event:
            case Joined(worker=worker):
                self._present.add(worker)
            case Lost(worker=worker):
                self._present.discard(worker)
        commands = self._coordinator.on(event)
        self._phase = self._next_phase(commands)
        return commands

    def _next_phase(self, commands: list[Command]) -> str:
        if len(self._present) < 2:
            return ALONE
        iteration = int(self._coordinator.counters()["iterations"])
        if iteration != self._iteration:
            self._iteration = iteration
            return EXPLORING
        return ANALYSING if self._phase == ANALYSING or any(map(_is_analysis, commands)) else EXPLORING


def _is_analysis(command: Command) -> bool:
    return isinstance(command, Send) and isinstance(to_worker(command.message), Analyse)
