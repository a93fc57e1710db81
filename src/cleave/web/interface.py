"""The API: JSON under ``/api/v1``, the same objects as ``--json`` prints."""

from __future__ import annotations

import json
import os
import tempfile
from asyncio import to_thread
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from cleave.errors import UsageError
from cleave.export.again import export_again
from cleave.export.exports import exports
from cleave.journal.journal import Journal
from cleave.review.listed import run_object
from cleave.review.stages import PlanReview, plan_object
from cleave.view.report import report_of
from cleave.web.catalogue import Wanted
from cleave.web.fields import chosen, described
from cleave.web.jobs import job_object
from cleave.web.live import Look
from cleave.web.openapi import document
from cleave.web.site import MOST_VIEWERS, known, stream
from cleave.web.state import State
from cleave.web.uploads import programs, received

PREFIX = "/api/v1"
_TYPES = {
    "sarif": "application/sarif+json",
    "report": "text/html; charset=utf-8",
    "result": "application/json",
    "witness": "application/yaml",
}
_ENDINGS = {"sarif": "sarif.json", "report": "html", "result": "json", "witness": "yml", "invariant": "smt2"}
_MOST_RUNS = 1000


class Submission(msgspec.Struct, forbid_unknown_fields=True):
    """``files`` by name; ``together``: all C files are one program."""

    files: dict[str, str]
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    together: bool = False


class Interface:
    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> list[Route]:
        return [
            Route(f"{PREFIX}/openapi.json", self.openapi),
            Route(f"{PREFIX}/options", self.options),
            Route(f"{PREFIX}/runs", self.runs),
            Route(f"{PREFIX}/runs", self.submit, methods=["POST"]),
            Route(f"{PREFIX}/runs/{{id}}", self.run),
            Route(f"{PREFIX}/runs/{{id}}/events", self.events),
            Route(f"{PREFIX}/runs/{{id}}/stop", self.stop, methods=["POST"]),
            Route(f"{PREFIX}/runs/{{id}}/resume", self.resume, methods=["POST"]),
            Route(f"{PREFIX}/runs/{{id}}/files/{{name}}", self.file),
            Route(f"{PREFIX}/jobs", self.jobs),
            Route(f"{PREFIX}/jobs/{{id}}", self.job),
        ]

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(document([one.name for one in exports()]))

    async def options(self, request: Request) -> Response:
        return JSONResponse({"options": described()})

    # --- runs -------------------------------------------------------------------------------------------------------

    async def runs(self, request: Request) -> Response:
        query = request.query_params
        wanted = Wanted(*(query.get(name, "")[:200] for name in ("verdict", "engine", "text")))
        limit = _number(query.get("limit", "100"), "limit", 1, _MOST_RUNS)
        skip = _number(query.get("skip", "0"), "skip", 0, 10**9)
        runs, notes = await to_thread(self._state.catalogue.runs, wanted)
        shown = [_without_place(run_object(run)) for run in runs[skip : skip + limit]]
        return JSONResponse({"runs": shown, "all": len(runs), "unreadable": len(notes)})

    async def run(self, request: Request) -> Response:
        id = request.path_params["id"]
        path = self._state.reader.path(id)
        if path is None:
            job = known(self._state.job(id))
            return JSONResponse(job_object(job, self._state.result(job)))
        found = await to_thread(self._state.reader.read, path, plan_object)
        job_now = self._state.job(id)
        return JSONResponse(_without_place(found) | ({"job": job_now.state} if job_now is not None else {}))

    async def submit(self, request: Request) -> Response:
        try:
            asked = msgspec.json.decode(await request.body(), type=Submission)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UsageError(f"the body is no submission: {error}") from None
        settings = self._state.settings
        parts = [(name, text.encode("utf-8", "replace")) for name, text in asked.files.items()]
        files = await to_thread(received, parts, settings)
        told = chosen(asked.options, settings)
        jobs = self._state.queue.submit(programs(files, together=asked.together), files, told)
        made = {"runs": [job.id for job in jobs], "batch": jobs[0].batch}
        return JSONResponse(made, 202, headers={"location": f"{PREFIX}/runs/{jobs[0].id}"})

    async def stop(self, request: Request) -> Response:
        return self._told(request, self._state.queue.stop)

    async def resume(self, request: Request) -> Response:
        return self._told(request, self._state.queue.resume)

    def _told(self, request: Request, tell: Callable[[str], None]) -> Response:
        id = request.path_params["id"]
        if not self._state.is_known(id):
            raise HTTPException(404)
        tell(id)
        job = self._state.job(id)
        return JSONResponse({"run": id, "job": job.state if job is not None else None}, 202)

    async def events(self, request: Request) -> Response:
        """How far the run is, each time that this changes."""
        id = request.path_params["id"]
        if not self._state.is_known(id):
            raise HTTPException(404)
        if self._state.channels.viewers() >= MOST_VIEWERS:
            raise HTTPException(503, "too many pages are open")

        def look() -> Look:
            path, job = self._state.reader.path(id), self._state.job(id)
            busy = job is not None and not job.is_over
            if path is None:
                told: Mapping[str, Any] = {"run": id, "state": job.state if job is not None else "unknown"}
                return Look({"run": json.dumps(told)}, over=not busy)
            found = self._state.reader.read(path, brief)
            return Look({"run": json.dumps(found)}, over=not busy and found["state"] != "running")

        channel = self._state.channels.of(f"api {id}", look, lambda new: f"event: run\ndata: {new['run']}\n\n")
        return stream(channel.news())

    # --- files ------------------------------------------------------------------------------------------------------

    async def file(self, request: Request) -> Response:
        id, name = request.path_params["id"], request.path_params["name"]
        path = self._state.reader.path(id)
        if path is None or name not in ("journal", "result", *(one.name for one in exports())):
            raise HTTPException(404)
        if name == "journal":
            return await to_thread(_journal, path)
        text = await to_thread(_text, path, name)
        ending = _ENDINGS.get(name, name)
        kind = _TYPES.get(name, "text/plain; charset=utf-8")
        given = {"content-disposition": f'attachment; filename="{id}.{ending}"', "content-type": kind}
        return Response(text, headers=given)

    # --- jobs -------------------------------------------------------------------------------------------------------

    async def jobs(self, request: Request) -> Response:
        rows = self._state.rows(request.query_params.get("batch"))
        return JSONResponse({"jobs": [job_object(row.job, row.result) for row in rows]})

    async def job(self, request: Request) -> Response:
        job = known(self._state.job(request.path_params["id"]))
        return JSONResponse(job_object(job, self._state.result(job)))


def brief(review: PlanReview) -> dict[str, Any]:
    """How far a run is."""
    return {
        "run": review.info.id,
        "state": review.state,
        "verdict": (review.result or {}).get("verdict"),
        "seconds": round(review.seconds, 1),
        "events": review.events,
        "stages": [
            {"stage": stage.number, "engine": stage.engine, "state": stage.state, "cost": stage.cost}
            for stage in review.stages
        ],
    }


def _without_place(found: dict[str, Any]) -> dict[str, Any]:
    """Where journals are is nobody else's business."""
    return {key: value for key, value in found.items() if key != "journal"}


def _number(text: str, name: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 11 and low <= int(text) <= high):
        raise UsageError(f"{name}: {text[:50]!r} is not a number from {low} to {high}")
    return int(text)


def _text(path: Path, name: str) -> str:
    if name == "report":
        return report_of(path)
    if name == "result":
        with Journal.open(path) as journal:
            if journal.result is None:
                raise UsageError("the run has no result yet")
            return json.dumps(journal.result, indent=2)
    return export_again(path, name)


def _journal(path: Path) -> Response:
    number, name = tempfile.mkstemp(prefix="cleave-", suffix=".journal")
    os.close(number)
    with Journal.open(path) as journal:
        journal.copy_to(Path(name))
    return FileResponse(
        name, media_type="application/vnd.sqlite3", filename=path.name, background=BackgroundTask(os.unlink, name)
    )
