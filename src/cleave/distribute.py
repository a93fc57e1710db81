"""One search on many workers: a coordinator, a crew, and the journal between them.

    with Distributed.begin(task, Place("local"), folder) as run:
        run.solve(halt, note)         # Violated | Covered | GaveUp
    with Distributed.again(path) as run: ...        # goes on where a run stopped, whatever stopped it

A run is rebuilt from its journal: the coordinator is pure, so the events that it saw make it what it was. Then all its
workers are counted as lost, and what they were working on is given to new ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import msgspec

from cleave.engines.coordination import Command, Event, Finish, Joined, Lost
from cleave.engines.engine import Counters, GaveUp, Violated
from cleave.engines.inline import messages
from cleave.engines.inline.coordinator import STOPPED, HydraCoordinator
from cleave.engines.inline.engine import InlineEngine
from cleave.engines.inline.messages import Task
from cleave.engines.inline.record import split_tree
from cleave.errors import InputError
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.places import new_run_id, start_run
from cleave.runtime.crew import Assignment, Crew
from cleave.runtime.drive import Ended, drive
from cleave.runtime.local import LocalCrew
from cleave.runtime.simulated import SimulatedCrew
from cleave.validate.coverage import uncovered
from cleave.verdict import Reason
from cleave.version import __version__

WORKER = "cleave.engines.inline.client:work"
Runtime = Literal["local", "ray", "simulated"]

_REASONS = {"memory": Reason.MEMORY, "unconfirmed": Reason.UNCONFIRMED, "interrupted": Reason.INTERRUPTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the workers are. ``address`` is that of a Ray cluster, None for one of our own; ``memlimit_mb`` is for each
    worker, 0 for no limit."""

    runtime: Runtime = "local"
    address: str | None = None
    memlimit_mb: int = 0


@dataclass(frozen=True, slots=True)
class Covered:
    """No violation: every part of the search was closed, each by a checked proof. That the parts make up the whole is
    still to be checked: `Distributed.gap`."""

    bounds: dict[str, int]
    partitions: int


Solved = Violated | Covered | GaveUp


class Distributed:
    def __init__(self, task: Task, place: Place, journal: Journal) -> None:
        self.task = task
        self.journal = journal
        self._open = ExitStack()
        self._open.push(journal)
        self._coordinator = HydraCoordinator(task)
        self._commands = self._coordinator.start()
        self._elapsed = 0.0
        first = self._replay() + 1
        self._crew = _crew(place, Assignment(WORKER, messages.encode(task)), first)
        self._open.callback(self._crew.close)
        self._crew.hire(1)  # it reads the program while its caller does

    @classmethod
    def begin(cls, task: Task, place: Place, folder: Path | None) -> Distributed:
        """A new run; without a folder nothing of it is kept."""
        info = _info(task, place)
        assignment = messages.encode(task)
        journal = Journal.in_memory(info, assignment) if folder is None else start_run(folder, info, assignment)
        try:
            return cls(task, place, journal)
        except BaseException:  # nothing has happened that one could go on with
            journal.discard()
            raise

    @classmethod
    def again(cls, path: Path) -> Distributed:
        """The run of a journal, from where it stopped."""
        journal = Journal.reopen(path)
        try:
            if journal.info.version != __version__:  # another version may number instances in another way
                raise InputError(f"the run is one of Cleave {journal.info.version}, and this is {__version__}")
            task = messages.decode_task(journal.assignment)
            place = msgspec.convert(journal.info.options["place"], Place)
            return cls(task, place, journal)
        except (msgspec.MsgspecError, KeyError) as error:
            journal.close()
            raise InputError(f"the journal does not hold a run of this version of Cleave: {error}") from None
        except BaseException:
            journal.close()
            raise

    def __enter__(self) -> Distributed:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def solve(self, halt: threading.Event, note: Callable[[Counters], None]) -> Solved:
        """Runs until there is an outcome or ``halt`` is set."""
        outcome = drive(
            self._coordinator,
            self._crew,
            self.journal.append,
            stop=halt,
            on_counters=note,
            commands=self._commands,
            elapsed=self._elapsed,
        )
        self._crew.close()
        if isinstance(outcome, Ended):
            return GaveUp(outcome.reason, self._how_far())
        match messages.decode_finding(outcome).answer:
            case messages.Violated(path=path):
                return Violated(messages.decode_path(path))
            case messages.Closed(bound=bound):
                partitions = int(self._coordinator.counters()["closed"])
                return Covered({} if bound is None else {"recursion": bound}, partitions)
            case messages.GivenUp(reason=reason, detail=detail):
                found = _REASONS.get(reason, Reason.SOLVER)
                return GaveUp(found, detail or (reason if found is Reason.SOLVER else ""))

    @property
    def id(self) -> str | None:
        """What the run is called; None if nothing of it is kept."""
        return self.journal.info.id if self.journal.path is not None else None

    def finish(self, result: dict[str, Any]) -> None:
        """Keeps the result in the journal. Workers are gone before, whatever it is."""
        self._crew.close()
        self.journal.finish(result)

    def gap(self) -> str | None:
        """What the closed parts of the search leave out, told from the journal alone; None if nothing."""
        return uncovered(split_tree(self._events()))

    def _events(self) -> Iterator[Event]:
        return (event for _, event in self.journal.events())

    def _how_far(self) -> str:
        counters = self._coordinator.counters()
        return f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"

    def _replay(self) -> int:
        """Feeds the coordinator what the journal holds; the largest number that a worker had."""
        present: dict[int, None] = {}
        largest = 0
        finish: list[Command] = []
        for seconds, event in self.journal.events():
            finish += (command for command in self._coordinator.on(event) if isinstance(command, Finish))
            self._elapsed = seconds
            if isinstance(event, Joined):
                present[event.worker] = None
                largest = max(largest, event.worker)
            elif isinstance(event, Lost):
                present.pop(event.worker, None)
        if finish:  # it stopped after the last event and before its verdict
            self._commands = finish
        else:
            lost = [Lost(worker, STOPPED) for worker in present]
            self.journal.append(lost)
            after: list[Command] = [command for event in lost for command in self._coordinator.on(event)]
            self._commands = [*self._coordinator.start(), *after]
        return largest


def _crew(place: Place, assignment: Assignment, first: int) -> Crew:
    match place.runtime:
        case "local":
            return LocalCrew(assignment, memlimit_mb=place.memlimit_mb, first=first)
        case "simulated":
            return SimulatedCrew(assignment, first=first)
        case "ray":
            from cleave.runtime.ray import RayCrew  # an extra: imported only where it is asked for

            ray: Crew = RayCrew(assignment, address=place.address, memlimit_mb=place.memlimit_mb, first=first)
            return ray


def _info(task: Task, place: Place) -> RunInfo:
    distribution: dict[str, Any] = msgspec.to_builtins(task.distribution)
    return RunInfo(
        id=new_run_id(task.file),
        files=(task.file,),
        engine=InlineEngine.name,
        workers=task.distribution.workers,
        runtime=place.runtime,
        options={
            "entry": task.entry,
            "property": task.property,
            "search": msgspec.to_builtins(task.options),
            "distribution": distribution,
            "place": asdict(place),
        },
        started=datetime.now(UTC),
        version=__version__,
        source=sha256(task.source).hexdigest(),
    )
