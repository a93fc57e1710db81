"""The queue of submitted jobs: each is a process of its own, ``cleave verify`` or ``cleave resume``, with its own
journal. So many run at once as the limits on jobs and memory allow; the others wait in turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cleave.engines.registry import engine
from cleave.errors import UsageError
from cleave.frontends.c.clang.compile import compiler
from cleave.frontends.c.clang.library import HEADERS
from cleave.frontends.clauses import holds_clauses
from cleave.frontends.read import is_c
from cleave.journal.lock import is_locked, owner
from cleave.run.request import AUTO
from cleave.web.fields import arguments
from cleave.web.includes import outside
from cleave.web.jobs import Job, JobFolder, journal_of
from cleave.web.settings import Settings

_log = logging.getLogger(__name__)
_GRACE_SECONDS = 20.0  # after which a job that was told to stop is killed
_LATE_SECONDS = 60.0  # that a job may take beyond its time limit
_COMPILE_SECONDS = 60.0
_COMMAND = (sys.executable, "-P", "-m", "cleave.cli.main")
_TARGETS = ("x86_64-linux-gnu", "x86-linux-gnu")


class QueueFullError(UsageError):
    """No more jobs may wait."""


class Queue:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folder = JobFolder(settings.jobs_folder)
        self.jobs: dict[str, Job] = self.folder.load()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}

    # --- what others ask for ----------------------------------------------------------------------------------------

    def submit(
        self, programs: Sequence[tuple[str, ...]], files: Mapping[str, bytes], options: Mapping[str, str]
    ) -> list[Job]:
        """One job for each program."""
        if self.waiting() + len(programs) > self._settings.waiting:
            raise QueueFullError(f"the queue is full: {self._settings.waiting} jobs may wait")
        made: list[Job] = []
        for names in programs:
            own = {name: content for name, content in files.items() if name in names or not is_other(name, programs)}
            made.append(self.folder.make(names, own, options, made[0].batch if made else None))
            self.jobs[made[-1].id] = made[-1]
        self.folder.prune(self.jobs)
        self.start_what_can_be()
        return made

    def resume(self, id: str) -> None:
        """Goes on with a run, be it a job's or not."""
        path = journal_of(self._settings.folder, id)
        job = self.jobs.get(id)
        if (job is not None and not job.is_over) or is_locked(path):
            raise UsageError("the run is running already")
        if self.waiting() >= self._settings.waiting:
            raise QueueFullError(f"the queue is full: {self._settings.waiting} jobs may wait")
        if job is None:
            limit = str(self._settings.job_memory_mb)
            job = Job(id=id, batch=id, files=(), options={"memlimit": limit}, submitted=datetime.now(UTC))
            self.jobs[id] = job
        job.state, job.resumes, job.error = "waiting", path.exists(), ""
        self.folder.save(job)
        self.start_what_can_be()

    def stop(self, id: str) -> None:
        """Tells a run to end with what it has, as Ctrl-C does: a job, or a run on this machine."""
        job = self.jobs.get(id)
        if job is not None and job.state == "waiting":
            job.state, job.ended = "stopped", datetime.now(UTC)
            self.folder.save(job)
        elif (process := self._processes.get(id)) is not None:
            self.jobs[id].state = "stopped"
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
        else:
            self._stop_other(journal_of(self._settings.folder, id))

    def waiting(self) -> int:
        return sum(job.state == "waiting" for job in self.jobs.values())

    async def close(self) -> None:
        """All jobs are told to stop; they can be resumed."""
        for job in self.jobs.values():
            if job.state == "waiting":
                job.state = "stopped"
                self.folder.save(job)
        for id in list(self._processes):
            self.stop(id)
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=_GRACE_SECONDS)

    # --- processes --------------------------------------------------------------------------------------------------

    def start_what_can_be(self) -> None:
        """In the order of submission; one that needs more memory than is left holds up those after it."""
        for job in list(self.jobs.values()):
            if job.state != "waiting" or job.id in self._tasks:  # its process from before it was stopped is ending
                continue
            running = [self.jobs[id] for id in self._tasks]
            if len(running) >= self._settings.jobs:
                return
            if running and sum(one.memory_mb for one in running) + job.memory_mb > self._settings.memory_mb:
                return
            job.state, job.started, job.ended = "running", datetime.now(UTC), None
            self.folder.save(job)
            self._tasks[job.id] = asyncio.get_running_loop().create_task(self._run(job))

    async def _run(self, job: Job) -> None:
        try:
            job.error = "" if job.resumes else await self._forbidden(job)
            if not job.error and job.state == "running":
                await self._carry_out(job)
        except OSError as error:
            job.error = f"the job can't be started: {error.strerror}"
        finally:
            job.ended = datetime.now(UTC)
            if job.state == "running":  # or it was stopped and, while its process ended, wanted again
                job.state = "ended"
            self.folder.save(job)
            del self._tasks[job.id]
            self.start_what_can_be()

    async def _carry_out(self, job: Job) -> None:
        here = self.folder.of(job.id)
        program = here / "program"
        at = program if program.is_dir() else self._settings.folder
        here.mkdir(mode=0o700, exist_ok=True)
        with open(here / "result.json", "wb") as printed, open(here / "log", "wb") as log:
            process = await asyncio.create_subprocess_exec(
                *_COMMAND,
                *self._words(job),
                cwd=at,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=printed,
                stderr=log,
                env=_environment(),
                start_new_session=True,
            )
        self._processes[job.id] = process
        try:
            limit = float(job.options.get("timelimit", "0") or 0) or self._settings.timelimit
            await self._until_over(job, process, limit + _LATE_SECONDS)
        finally:
            del self._processes[job.id]
        job.exit_code = process.returncode

    async def _until_over(self, job: Job, process: asyncio.subprocess.Process, seconds: float) -> None:
        waiting = asyncio.ensure_future(process.wait())
        left = seconds
        told: float | None = None
        while not waiting.done():
            await asyncio.wait([waiting], timeout=0.5)
            left -= 0.5
            if job.state == "stopped" and told is None:
                told = _GRACE_SECONDS
            told = None if told is None else told - 0.5
            if (left < 0 or (told is not None and told < 0)) and not waiting.done():
                _log.info("killed job %s", job.id)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def _words(self, job: Job) -> list[str]:
        common = ["--json", "--quiet", f"--journal={self._settings.folder.absolute()}"]
        if job.resumes:
            limit = job.options.get("timelimit")
            return ["resume", *common, *([f"--timelimit={limit}"] if limit else []), job.id]
        told = arguments(job.options)
        name = job.options.get("engine", AUTO)
        if holds_clauses(job.files[0]) and (name == AUTO or "invariants" in engine(name).tells):
            told.append("--invariant=../invariant.smt2")  # beside the program; no path of the server is told
        return ["verify", *common, f"--run-id={job.id}", *told, *job.files]

    def _stop_other(self, path: Path) -> None:
        process = owner(path)
        if process is None:
            raise UsageError("the run is not running")
        try:
            os.kill(process, signal.SIGINT)
        except ProcessLookupError:
            raise UsageError("the run is on another machine: stop it there") from None
        except PermissionError:
            raise UsageError("another user started the run: ask them to stop it") from None

    # --- C ----------------------------------------------------------------------------------------------------------

    async def _forbidden(self, job: Job) -> str:
        """Asks the compiler which files a C program reads. A file outside of the job and the headers ends the job."""
        program = self.folder.of(job.id) / "program"
        try:
            zig = Path(compiler())
        except UsageError:
            return ""  # the job itself says so better
        allowed = (program, HEADERS, zig.parent)
        for file in filter(is_c, job.files if job.files and is_c(job.files[0]) else sorted(os.listdir(program))):
            for target in _TARGETS:
                listed = await self._dependencies(zig, target, program, file)
                found = outside(listed, allowed, program)
                if found is not None:
                    return f"{file}: submitted programs may include library headers and submitted files only"
        return ""

    async def _dependencies(self, zig: Path, target: str, program: Path, file: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *(str(zig), "cc", "-target", target, "-x", "c", "-M", "-w", "-iquote", str(program)),
            *("-idirafter", str(HEADERS), str(program / file)),
            cwd=program,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=_environment(),
        )
        try:
            printed, _ = await asyncio.wait_for(process.communicate(), _COMPILE_SECONDS)
        except TimeoutError:
            process.kill()
            return ""
        return printed.decode("utf-8", "replace")


def is_other(name: str, programs: Iterable[tuple[str, ...]]) -> bool:
    """Whether a file is a program of its own, and no part of others."""
    return any(name in names for names in programs)


def _environment() -> dict[str, str]:
    """Without what is a secret of this process's owner, and without Python's way to import from the working folder."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR")
    found = {name: os.environ[name] for name in kept if name in os.environ} | {"PYTHONSAFEPATH": "1"}
    if "PYTHONPATH" in found:
        found["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, found["PYTHONPATH"].split(os.pathsep)))
    return found
