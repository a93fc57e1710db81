"""Answers to requests for pages."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from cleave.errors import CleaveError, UsageError
from cleave.view.markup import h, join
from cleave.view.page import STATIC, page, static
from cleave.view.run import fragments
from cleave.web.catalogue import Wanted
from cleave.web.fields import chosen, fields
from cleave.web.guard import COOKIE, LOGIN, cookie_value, same
from cleave.web.job_pages import Row, jobs_page, jobs_table, results, results_page, submit_page
from cleave.web.jobs import Job
from cleave.web.live import Look
from cleave.web.pages import (
    compare_page,
    compared,
    is_live_now,
    job_page,
    job_state,
    run_link,
    run_page,
    run_parts,
    runs_page,
    runs_table,
)
from cleave.web.queue import QueueFullError
from cleave.web.state import State
from cleave.web.uploads import programs, received

MOST_VIEWERS = 1000
_MOST_FIELDS = 500
_MOST_PAGES = 100_000


class Site:
    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> list[Route]:
        return [
            Route("/", self.runs),
            Route("/live", self.runs_live),
            Route("/compare", self.compare),
            Route("/runs/{id}", self.run),
            Route("/runs/{id}/live", self.run_live),
            Route("/runs/{id}/stop", self.stop, methods=["POST"]),
            Route("/runs/{id}/resume", self.resume, methods=["POST"]),
            Route("/submit", self.submit_form),
            Route("/submit", self.submit, methods=["POST"]),
            Route("/jobs", self.jobs),
            Route("/jobs/live", self.jobs_live),
            Route("/results", self.results),
            Route("/results/live", self.results_live),
            Route(LOGIN, self.login, methods=["GET", "POST"]),
            Route("/static/{name}", self.static),
        ]

    # --- runs -------------------------------------------------------------------------------------------------------

    async def runs(self, request: Request) -> Response:
        wanted, number = _wanted(request)
        listing = await to_thread(self._state.catalogue.runs, wanted)
        return HTMLResponse(runs_page(listing, wanted, number))

    async def runs_live(self, request: Request) -> Response:
        wanted, number = _wanted(request)

        def look() -> Look:
            return Look({"runs": runs_table(self._state.catalogue.runs(wanted), wanted, number)}, over=False)

        return self._stream(f"runs {wanted} {number}", look)

    async def run(self, request: Request) -> Response:
        id = request.path_params["id"]
        return HTMLResponse(await to_thread(self._run, id))

    def _run(self, id: str) -> str:
        path, job = self._state.reader.path(id), self._state.job(id)
        log = self._state.queue.folder.log(job) if job is not None else ""
        if path is None:
            job = known(job)
            return job_page(job, self._state.result(job), log)
        sources = self._state.reader.sources(path)
        made = self._state.reader.read(path, lambda review: run_parts(review, sources, job))
        return run_page(id, made, sources, job, log)

    async def run_live(self, request: Request) -> Response:
        id = request.path_params["id"]
        if not self._state.is_known(id):
            raise HTTPException(404)
        began_with = self._state.reader.path(id)

        def look() -> Look:
            path, job = self._state.reader.path(id), self._state.job(id)
            busy = job is not None and not job.is_over
            if path is None and job is not None:
                return Look({"verdict": job_state(job, self._state.result(job))}, over=not busy)
            if path is None or began_with is None:  # the page has other parts now: it is loaded again
                return Look({}, over=True)
            found, state = self._state.reader.read(
                path, lambda review: (fragments(review, is_job=job is not None), review.state)
            )
            return Look(dict(found), over=not is_live_now(state, job))

        return self._stream(f"run {id} {began_with is None}", look)

    async def stop(self, request: Request) -> Response:
        return self._told(request, self._state.queue.stop)

    async def resume(self, request: Request) -> Response:
        return self._told(request, self._state.queue.resume)

    def _told(self, request: Request, tell: Callable[[str], None]) -> Response:
        id = request.path_params["id"]
        if not self._state.is_known(id):
            raise HTTPException(404)
        tell(id)
        return RedirectResponse(run_link(id), 303)

    async def compare(self, request: Request) -> Response:
        ids = request.query_params.getlist("run")
        paths = [self._state.reader.path(id) for id in ids]
        if len(ids) != 2:
            raise UsageError("choose two runs to compare")
        found = [await to_thread(self._state.reader.read, path, compared) for path in paths if path is not None]
        if len(found) != 2:
            raise HTTPException(404)
        return HTMLResponse(compare_page(*found))

    # --- jobs -------------------------------------------------------------------------------------------------------

    async def submit_form(self, request: Request) -> Response:
        return HTMLResponse(submit_page(self._state.settings))

    async def submit(self, request: Request) -> Response:
        settings = self._state.settings
        async with request.form(
            max_files=settings.upload_files + 1, max_fields=_MOST_FIELDS, max_part_size=settings.upload_bytes
        ) as form:
            given = _given(form)
            try:
                files = received(await _parts(form), settings)
                together = form.get("together") == "yes"
                told = chosen({name: text for name, text in given.items() if name in fields()}, settings)
                jobs = self._state.queue.submit(programs(files, together=together), files, told)
            except CleaveError as error:
                code = 429 if isinstance(error, QueueFullError) else 400
                return HTMLResponse(submit_page(settings, problem=str(error), given=given), code)
        one = jobs[0]
        return RedirectResponse(run_link(one.id) if len(jobs) == 1 else f"/results?batch={one.batch}", 303)

    async def jobs(self, request: Request) -> Response:
        return HTMLResponse(jobs_page(self._state.rows(), self._state.settings))

    async def jobs_live(self, request: Request) -> Response:
        def look() -> Look:
            return Look({"jobs": jobs_table(self._state.rows(), self._state.settings)}, over=False)

        return self._stream("jobs", look)

    async def results(self, request: Request) -> Response:
        ids, batches = self._batches(request)
        return HTMLResponse(results_page(batches, ids))

    async def results_live(self, request: Request) -> Response:
        ids, _ = self._batches(request)

        def look() -> Look:
            found = [self._state.rows(id) for id in ids]
            return Look({"results": results(found)}, over=all(row.job.is_over for rows in found for row in rows))

        return self._stream(f"results {ids}", look)

    def _batches(self, request: Request) -> tuple[list[str], list[list[Row]]]:
        ids = request.query_params.getlist("batch")
        if len(ids) not in (1, 2):
            raise UsageError("choose one submission, or two to see them against each other")
        found = [self._state.rows(id) for id in ids]
        if not all(found):
            raise HTTPException(404)
        return ids, found

    # --- the rest ---------------------------------------------------------------------------------------------------

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        return Response(static(name), headers={"content-type": STATIC[name], "cache-control": "no-cache"})

    async def login(self, request: Request) -> Response:
        """Takes the token, once, and gives a cookie that scripts can't read."""
        token = self._state.settings.token
        given = request.query_params.get("token") or ""
        if request.method == "POST":
            async with request.form(max_files=0, max_fields=5, max_part_size=1000) as form:
                given = str(form.get("token") or "")
        if token is None or same(given, token):
            answer = RedirectResponse("/", 303)
            if token is not None:
                secure = request.url.scheme == "https"
                answer.set_cookie(COOKIE, cookie_value(token), httponly=True, samesite="strict", secure=secure)
            return answer
        field = h("input", type="password", name="token", required=True, autocomplete="current-password")
        form_shown = h(
            "form",
            h("label", h("b", "token"), field, h("small", "cleave serve printed it when it started"), class_="field"),
            h("div", h("button", "log in", type="submit", class_="main"), class_="toolbar"),
            method="post",
            action=LOGIN,
        )
        wrong = h("p", "That is not the token.", class_="problem", role="alert") if given else None
        return HTMLResponse(page("Token", join((h("h1", "Token"), wrong, form_shown))), 401 if given else 200)

    def _stream(self, name: str, look: Callable[[], Look]) -> Response:
        if self._state.channels.viewers() >= MOST_VIEWERS:
            raise HTTPException(503, "too many pages are open")
        return stream(self._state.channels.of(name, look).news())


def stream(news: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(news, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


def known(job: Job | None) -> Job:
    if job is None:
        raise HTTPException(404)
    return job


def _wanted(request: Request) -> tuple[Wanted, int]:
    query = request.query_params
    number = query.get("page", "0")
    wanted = Wanted(*(query.get(name, "")[:200] for name in ("verdict", "engine", "text")))
    return wanted, min(int(number), _MOST_PAGES) if number.isascii() and number.isdigit() and len(number) < 9 else 0


def _given(form: FormData) -> dict[str, str]:
    """What was written into the form; what has several values is listed."""
    names = dict.fromkeys(form.keys())
    found = {name: ",".join(one for one in form.getlist(name) if isinstance(one, str)) for name in names}
    return {name: text.replace("\r\n", "\n") for name, text in found.items() if text}


async def _parts(form: FormData) -> list[tuple[str, bytes]]:
    parts = [
        (one.filename, await one.read())
        for one in form.getlist("files")
        if isinstance(one, UploadFile) and one.filename
    ]
    text = form.get("text")
    if isinstance(text, str) and text.strip() and not parts:
        parts.append((str(form.get("language") or "program.c"), text.replace("\r\n", "\n").encode("utf-8", "replace")))
    return parts


def problem_page(code: int, told: str) -> HTMLResponse:
    body = join((h("h1", "That did not work"), h("p", told, class_="problem", role="alert")))
    return HTMLResponse(page("Problem", body), code)
