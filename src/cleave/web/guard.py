"""Access to the server, and the headers of its answers: around the whole application, before any page of it.

Host            the server's own names, or an address: a page of another host can't reach us through its DNS
Origin          our own or none: a page of another origin can't make a browser ask us for anything
token           in a cookie that scripts can't read, or in ``Authorization: Bearer``; none on loopback
body            no longer than the limit, whatever its header says
every answer    a content security policy without inline scripts, and no leave to be framed, sniffed or cached
"""

from __future__ import annotations

import hashlib
import hmac
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cleave.web.settings import Settings, is_address

COOKIE = "cleave"
LOGIN = "/login"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, browsers say that forms come from nowhere
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_WITHOUT_TOKEN = (LOGIN, "/static/style.css", "/static/page.js")


class TooLargeError(Exception):
    """The body is longer than the limit."""


class Guard:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._limited(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return refused(421, "this server is not known by that name; start it with --name")
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return refused(403, "requests of pages of other servers are not answered")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and scope["method"] != "GET":
            return refused(403, "requests of pages of other servers are not answered")
        if self._settings.token is not None and scope["path"] not in _WITHOUT_TOKEN and not self._knows_token(headers):
            if scope["path"].startswith("/api/") or scope["method"] != "GET":
                return refused(401, "this server needs its token: Authorization: Bearer TOKEN")
            return RedirectResponse(LOGIN, 303)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._settings.upload_bytes:
            return refused(413, f"a request may have {self._settings.upload_bytes:,} bytes")
        return None

    def _is_ours(self, host: str) -> bool:
        name, _, port = host.rpartition(":") if ":" in host.rpartition("]")[2] else (host, "", "")
        bare = name.removeprefix("[").removesuffix("]").lower()
        if self._settings.is_loopback and self._settings.token is None and port not in ("", str(self._settings.port)):
            return False
        return is_address(bare) or bare in ("localhost", *(own.lower() for own in self._settings.names))

    def _knows_token(self, headers: Headers) -> bool:
        token = self._settings.token or ""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and same(given.strip(), token):
            return True
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        return COOKIE in cookies and same(cookies[COOKIE].value, cookie_value(token))

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What is read of the body is counted: its header may lie."""
        read = 0
        answered = False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._settings.upload_bytes:
                raise TooLargeError
            return message

        async def noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except TooLargeError:
            if not answered:
                await refused(413, f"a request may have {self._settings.upload_bytes:,} bytes")(scope, receive, send)


def refused(code: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, code)


def same(given: str, wanted: str) -> bool:
    """Takes as long for any text."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def cookie_value(token: str) -> str:
    """Not the token itself: who steals a cookie can't use it as the token of an API."""
    return hmac.new(token.encode(), b"cookie", hashlib.sha256).hexdigest()


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sent
