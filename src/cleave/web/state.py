"""The state of a server: its settings, the queue, the readers of journals, and the viewers of each page."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from cleave.records import dataclass
from cleave.web.catalogue import Catalogue
from cleave.web.job_pages import Row
from cleave.web.jobs import Job
from cleave.web.live import Channels
from cleave.web.queue import Queue
from cleave.web.reading import Reader
from cleave.web.settings import Settings


@dataclass(slots=True)
class State:
    settings: Settings
    queue: Queue
    catalogue: Catalogue
    reader: Reader
    channels: Channels = field(default_factory=Channels)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)  # of jobs that are over

    @staticmethod
    def of(settings: Settings) -> State:
        settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return State(settings, Queue(settings), Catalogue(settings.folder), Reader(settings.folder))

    def job(self, id: str) -> Job | None:
        return self.queue.jobs.get(id)

    def rows(self, batch: str | None = None) -> list[Row]:
        """Jobs with their results, oldest first."""
        wanted = [job for job in list(self.queue.jobs.values()) if batch is None or job.batch == batch]
        return [Row(job, self.result(job)) for job in wanted if job.files]

    def result(self, job: Job) -> dict[str, Any] | None:
        if not job.is_over:
            self.results.pop(job.id, None)
            return None
        if job.id not in self.results:
            found = self.queue.folder.result(job)
            if found is None:
                return None
            found.pop("trace", None)  # the list needs none, and it may be long
            found.setdefault("expected", self.queue.folder.expected(job))  # also of what ended with an error
            self.results[job.id] = found
        return self.results[job.id]

    def is_known(self, id: str) -> bool:
        return self.reader.path(id) is not None or id in self.queue.jobs
