"""A submitted job: a folder of its own, with the files, what was chosen, and what became of it.

    JOB/job.json            files, options, state
    JOB/program/            the submitted files; the job's working folder
    JOB/properties/         its property files, where tasks look for them
    JOB/result.json         what `cleave verify --json` printed
    JOB/log                 what it wrote to its standard error stream

A job has the id of its run: the journal ID.journal is in the folder of all journals.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from cleave.errors import InputError, UsageError
from cleave.frontends.task_definition import read_task_definition
from cleave.journal.places import SUFFIX, new_run_id

JobState = Literal["waiting", "running", "ended", "stopped"]
_KEEP = 500


class Job(msgspec.Struct, kw_only=True):
    """``batch`` is that of all jobs that were submitted together, ``command`` what a person would have typed.
    ``resumes``: it goes on with a run that has a journal already. ``error`` is why it could not be started."""

    id: str
    batch: str
    files: tuple[str, ...]
    options: dict[str, str]
    submitted: datetime
    state: JobState = "waiting"
    resumes: bool = False
    started: datetime | None = None
    ended: datetime | None = None
    exit_code: int | None = None
    error: str = ""

    @property
    def memory_mb(self) -> int:
        return int(self.options.get("memlimit", "0") or 0)

    @property
    def is_over(self) -> bool:
        return self.state in ("ended", "stopped")

    @property
    def label(self) -> str:
        """What was chosen, in a few words."""
        usual = ("timelimit", "workers", "memlimit")
        words = [f"{name} {text}" for name, text in self.options.items() if name not in usual and name != "engine"]
        return ", ".join((self.options.get("engine", "auto"), *words))


class JobFolder:
    """All jobs of a server on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"can't make the folder {folder} for jobs: {error.strerror}") from None

    def of(self, id: str) -> Path:
        return self._folder / id

    def make(
        self, names: tuple[str, ...], files: Mapping[str, bytes], options: Mapping[str, str], batch: str | None
    ) -> Job:
        """A new job with its files on disk."""
        now = datetime.now(UTC)
        id = new_run_id(names[0], now)
        job = Job(id=id, batch=batch or id, files=names, options=dict(options), submitted=now)
        program, properties = self.of(id) / "program", self.of(id) / "properties"
        for folder in (self.of(id), program, properties):
            folder.mkdir(mode=0o700)
        for name, content in files.items():
            (program / name).write_bytes(content)
            if name.lower().endswith(".prp"):
                (properties / name).write_bytes(content)
        self.save(job)
        return job

    def save(self, job: Job) -> None:
        file = self.of(job.id) / "job.json"
        if file.parent.is_dir():
            new = file.with_suffix(".new")
            new.write_bytes(msgspec.json.encode(job))
            new.replace(file)

    def load(self) -> dict[str, Job]:
        """Oldest first. What was running when the last server ended is stopped."""
        found: dict[str, Job] = {}
        for folder in sorted(self._folder.iterdir()):
            try:
                job = msgspec.json.decode((folder / "job.json").read_bytes(), type=Job)
            except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
                continue
            if job.id == folder.name:
                job.state = job.state if job.is_over else "stopped"
                found[job.id] = job
        return found

    def prune(self, jobs: dict[str, Job]) -> None:
        """Forgets the oldest that are over; their journals are not touched."""
        over = [job for job in jobs.values() if job.is_over]
        for job in over[: max(0, len(jobs) - _KEEP)]:
            del jobs[job.id]
            shutil.rmtree(self.of(job.id), ignore_errors=True)

    def result(self, job: Job) -> dict[str, Any] | None:
        """What the job printed, if it got so far."""
        try:
            printed = (self.of(job.id) / "result.json").read_bytes()
            return msgspec.json.decode(printed, type=dict[str, Any])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def expected(self, job: Job) -> str | None:
        """What its task definition says, if that is about one property only."""
        name = job.files[0] if job.files else ""
        if not name.lower().endswith(".yml"):
            return None
        try:
            task = read_task_definition(name, (self.of(job.id) / "program" / name).read_bytes())
        except (OSError, InputError):
            return None
        return task.properties[0].verdict if len(task.properties) == 1 else None

    def log(self, job: Job) -> str:
        try:
            return (self.of(job.id) / "log").read_bytes()[-20_000:].decode("utf-8", "replace")
        except OSError:
            return ""


def job_object(job: Job, result: Mapping[str, Any] | None) -> dict[str, Any]:
    """As an object that JSON can hold."""
    found: dict[str, Any] = msgspec.to_builtins(job)
    return {"run": found.pop("id"), **found, "result": None if result is None else dict(result)}


def journal_of(folder: Path, id: str) -> Path:
    return folder / (id + SUFFIX)
