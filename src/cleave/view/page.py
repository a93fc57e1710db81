"""The frame of all pages. A page of the server refers to the style and the script; a report carries them.

page("Runs", body)                              # refers to /static/style.css
whole_file("Report", body)                      # one file that needs nothing else
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from cleave.version import __version__
from cleave.view.markup import Html, h, join

STATIC = {"style.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"}
"""What pages refer to, with its type."""

_NAVIGATION = (("/", "Runs"), ("/submit", "Submit"), ("/jobs", "Jobs"))


@cache
def static(name: str) -> str:
    return (files("cleave.view") / "static" / name).read_text("utf-8")


def page(title: str, body: Html, *, at: str = "", live: str | None = None) -> Html:
    """``at`` is the entry of the navigation that it belongs to, ``live`` where its news come from."""
    links = [h("a", name, href=to, aria_current="page" if to == at else None) for to, name in _NAVIGATION]
    header = h("header", _brand(h("a", "Cleave", href="/")), h("nav", *links, aria_label="pages"), _theme())
    head = (h("link", rel="stylesheet", href="/static/style.css"), h("script", src="/static/page.js", defer=True))
    footer = h(
        "footer", f"Cleave {__version__} · ", h("a", "API", href="/api/v1/openapi.json"), h("span", data_link=True)
    )
    return _document(title, head, header, body, footer, live)


def whole_file(title: str, body: Html) -> Html:
    style, script = static("style.css"), static("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    head = (
        h("meta", http_equiv="Content-Security-Policy", content=policy),
        Html(f"<style>{style}</style>"),
    )
    header = h("header", _brand(h("span", "Cleave")), h("span", "report", class_="quiet"), _theme())
    footer = h("footer", f"Cleave {__version__}")
    return _document(title, head, header, join((body, Html(f"<script>{script}</script>"))), footer, None)


def section(id: str, title: str, *content: Html | None) -> Html:
    return h("section", h("h2", title), h("div", *content, id=id), aria_label=title)


def _document(title: str, head: tuple[Html, ...], header: Html, body: Html, footer: Html, live: str | None) -> Html:
    metas = (
        h("meta", charset="utf-8"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("link", rel="icon", href="data:,"),
        h("title", f"{title} · Cleave"),
    )
    skip = h("a", "to the content", href="#content", class_="skip")
    whole = h("body", skip, header, h("main", body, id="content"), footer, data_live=live)
    return Html(f"<!doctype html>{h('html', h('head', *metas, *head), whole, lang='en')}")


def _brand(name: Html) -> Html:
    mark = h(
        "svg",
        h("path", d="M2 2h20v6H2z", class_="k-search"),
        h("path", d="M2 10h12v6H2z", class_="k-checking"),
        h("path", d="M16 10h6v6h-6z", class_="k-setup"),
        h("path", d="M2 18h5v4H2z", class_="k-checking"),
        viewBox="0 0 24 24",
        width=22,
        height=22,
        aria_hidden="true",
    )
    return h("div", mark, name, class_="brand")


def _theme() -> Html:
    return h("button", "light / dark", type="button", data_theme_switch=True, class_="theme")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
