"""The application: pages, the API, and the guard around both.

app = make_app(Settings(folder=..., jobs_folder=...))
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from cleave.errors import CleaveError
from cleave.web.guard import Guard, TooLargeError
from cleave.web.interface import Interface
from cleave.web.queue import QueueFullError
from cleave.web.settings import Settings
from cleave.web.site import Site, problem_page
from cleave.web.state import State

_log = logging.getLogger(__name__)
_SENTENCES = {
    400: "the request can't be read",
    404: "there is no such page, run or file",
    405: "that can't be done there",
    500: "an internal error of Cleave; please report it",
}


def make_app(settings: Settings) -> ASGIApp:
    state = State.of(settings)

    @contextlib.asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        await state.queue.close()

    app = Starlette(
        routes=[*Interface(state).routes(), *Site(state).routes()],
        lifespan=life,
        exception_handlers={HTTPException: _on_refusal, CleaveError: _on_problem, Exception: _on_bug},
    )
    app.state.cleave = state
    return Guard(app, settings)


async def _on_problem(request: Request, error: Exception) -> Response:
    folder = str(request.app.state.cleave.settings.folder)  # where journals are is nobody else's business
    told = str(error).replace(f"{folder}/", "")
    return _answer(request, 429 if isinstance(error, QueueFullError) else 400, told)


async def _on_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = _SENTENCES.get(error.status_code, error.detail)
    return _answer(request, error.status_code, told if error.status_code != 400 else f"{told}: {error.detail}")


async def _on_bug(request: Request, error: Exception) -> Response:
    if isinstance(error, TooLargeError):
        raise error
    _log.error("%s %s", request.url.path, error, exc_info=error)
    return _answer(request, 500, _SENTENCES[500])


def _answer(request: Request, code: int, told: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": told}, code)
    return problem_page(code, told)
