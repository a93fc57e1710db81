"""What a distributed run has to know of the engine that it runs: everything else about the engine is its own.

search = InlineSearch(task)
search.coordinator()                  # new, or rebuilt by feeding it a journal's events
search.assignment()                   # bytes: all that a worker, or whoever resumes the run, needs to know
search.solved(outcome, counters)      # what a coordinator's outcome means
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from cleave.engines.coordination import Coordinator

Solved = TypeVar("Solved", covariant=True)


class Search(Protocol[Solved]):
    """One task of one engine, for any number of workers."""

    @property
    def engine(self) -> str:
        """The name of the engine."""

    @property
    def worker(self) -> str:
        """What its workers run, as ``module:function``."""

    @property
    def file(self) -> str: ...

    @property
    def source(self) -> bytes:
        """What the file holds."""

    @property
    def workers(self) -> int:
        """How many the run may use."""

    @property
    def begins_alone(self) -> bool:
        """Whether it is first tried without workers, who then need not be hired at once."""

    def assignment(self) -> bytes: ...

    def options(self) -> dict[str, Any]:
        """The options of the run, for people who ask what it was."""

    def coordinator(self) -> Coordinator: ...

    def solved(self, outcome: bytes, counters: Mapping[str, int | float]) -> Solved:
        """The finding in what the coordinator finished with, and had counted by then."""

    def how_far(self, counters: Mapping[str, int | float]) -> str:
        """For a run that ended before there was an outcome."""


class FileTask(Protocol):
    """A message that says what to do with one file."""

    @property
    def file(self) -> str: ...

    @property
    def source(self) -> bytes: ...

    @property
    def workers(self) -> int: ...


Task = TypeVar("Task", bound=FileTask)


@dataclass(frozen=True, slots=True)
class OfTask(Generic[Task]):
    """The part of a `Search` that is the same for all engines: what the task says."""

    task: Task

    @property
    def file(self) -> str:
        return self.task.file

    @property
    def source(self) -> bytes:
        return self.task.source

    @property
    def workers(self) -> int:
        return self.task.workers

    @property
    def begins_alone(self) -> bool:
        return False

    def assignment(self) -> bytes:
        return msgspec.msgpack.encode(self.task)
