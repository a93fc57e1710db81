"""One search on many workers: a coordinator, a crew, and the journal between them.

    with Distributed.begin(InlineSearch(task), Place("local"), folder) as run:
        run.solve(halt, note)         # what the engine found, or GaveUp
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
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar

import msgspec

from cleave.engines.coordination import STOPPED, Command, Event, Finish, Joined, Lost
from cleave.engines.engine import Counters, GaveUp
from cleave.engines.search import Search
from cleave.errors import InputError
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.places import new_run_id, start_run
from cleave.runtime.crew import Assignment, Crew
from cleave.runtime.drive import Ended, drive
from cleave.runtime.local import LocalCrew
from cleave.version import __version__

Runtime = Literal["local", "ray", "simulated"]

_SEARCHES = {  # loaded only where they are needed
    "inline": "cleave.engines.inline.search:InlineSearch",
    "cegar": "cleave.engines.cegar.search:CegarSearch",
    "pdr": "cleave.engines.pdr.search:PdrSearch",
    "threads": "cleave.engines.threads.search:ThreadsSearch",
}

Solved = TypeVar("Solved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the workers are. ``address`` is that of a Ray cluster, None for one of our own; ``memlimit_mb`` is for each
    worker, 0 for no limit."""

    runtime: Runtime = "local"
    address: str | None = None
    memlimit_mb: int = 0


class Distributed(Generic[Solved]):
    def __init__(self, search: Search[Solved], place: Place, journal: Journal) -> None:
        self.search = search
        self.journal = journal
        self._open = ExitStack()
        self._open.push(journal)
        self.coordinator = search.coordinator()
        self._commands = self.coordinator.start()
        self._elapsed = 0.0
        first = self._replay() + 1
        self._crew = _crew(place, Assignment(search.worker, search.assignment()), first)
        self._open.callback(self._crew.close)
        if not search.begins_alone:
            self.prepare()

    def prepare(self) -> None:
        """Hires the first worker, which reads the program while its caller does."""
        self._crew.hire(1)

    @classmethod
    def begin(cls, search: Search[Solved], place: Place, folder: Path | None) -> Distributed[Solved]:
        """A new run; without a folder nothing of it is kept."""
        info = _info(search, place)
        assignment = search.assignment()
        journal = Journal.in_memory(info, assignment) if folder is None else start_run(folder, info, assignment)
        try:
            return cls(search, place, journal)
        except BaseException:  # nothing has happened that one could go on with
            journal.discard()
            raise

    @classmethod
    def again(cls, path: Path) -> Distributed[Any]:
        """The run of a journal, from where it stopped."""
        journal = Journal.reopen(path)
        try:
            if journal.info.version != __version__:  # another version may number instances in another way
                raise InputError(f"the run is one of Cleave {journal.info.version}, and this is {__version__}")
            search = search_of(journal)
            place = msgspec.convert(journal.info.options["place"], Place)
            return cls(search, place, journal)
        except (msgspec.MsgspecError, KeyError) as error:
            journal.close()
            raise InputError(f"the journal does not hold a run of this version of Cleave: {error}") from None
        except BaseException:
            journal.close()
            raise

    def __enter__(self) -> Distributed[Solved]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def solve(self, halt: threading.Event, note: Callable[[Counters], None]) -> Solved | GaveUp:
        """Runs until there is an outcome or ``halt`` is set."""
        outcome = drive(
            self.coordinator,
            self._crew,
            self.journal.append,
            stop=halt,
            on_counters=note,
            commands=self._commands,
            elapsed=self._elapsed,
        )
        self._crew.close()
        counters = self.coordinator.counters()
        if isinstance(outcome, Ended):
            return GaveUp(outcome.reason, self.search.how_far(counters))
        return self.search.solved(outcome, counters)

    @property
    def id(self) -> str | None:
        """What the run is called; None if nothing of it is kept."""
        return self.journal.info.id if self.journal.path is not None else None

    def finish(self, result: dict[str, Any]) -> None:
        """Keeps the result in the journal. Workers are gone before, whatever it is."""
        self._crew.close()
        self.journal.finish(result)

    def events(self) -> Iterator[Event]:
        """What the coordinator saw, from the journal."""
        return (event for _, event in self.journal.events())

    def _replay(self) -> int:
        """Feeds the coordinator what the journal holds; the largest number that a worker had."""
        present: dict[int, None] = {}
        largest = 0
        finish: list[Command] = []
        for seconds, event in self.journal.events():
            finish += (command for command in self.coordinator.on(event) if isinstance(command, Finish))
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
            after: list[Command] = [command for event in lost for command in self.coordinator.on(event)]
            self._commands = [*self.coordinator.start(), *after]
        return largest


def _crew(place: Place, assignment: Assignment, first: int) -> Crew:
    match place.runtime:
        case "local":
            return LocalCrew(assignment, memlimit_mb=place.memlimit_mb, first=first)
        case "simulated":
            from cleave.runtime.simulation.crew import SimulatedCrew

            return SimulatedCrew(assignment, first=first)
        case "ray":
            from cleave.runtime.ray import RayCrew  # an extra: imported only where it is asked for

            ray: Crew = RayCrew(assignment, address=place.address, memlimit_mb=place.memlimit_mb, first=first)
            return ray


def search_of(journal: Journal) -> Search[Any]:
    """What a run searches."""
    module, _, name = _SEARCHES[journal.info.engine].partition(":")
    search: Search[Any] = getattr(import_module(module), name).decode(journal.assignment)
    return search


def _info(search: Search[Any], place: Place) -> RunInfo:
    return RunInfo(
        id=new_run_id(search.file),
        files=(search.file,),
        engine=search.engine,
        workers=search.workers,
        runtime=place.runtime,
        options={**search.options(), "place": asdict(place)},
        started=datetime.now(UTC),
        version=__version__,
        source=sha256(search.source).hexdigest(),
    )
