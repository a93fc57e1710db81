"""HTML as text that can't be broken by what is put into it: whatever is not `Html` is escaped.

>>> h("p", "1 < 2 ", h("b", "& so"), class_="note")
'<p class="note">1 &lt; 2 <b>&amp; so</b></p>'
>>> h("input", type="checkbox", checked=True, disabled=None)
'<input type="checkbox" checked>'

Control and bidirectional characters are written out, as they are in a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from cleave.explain.characters import harmless

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Text that is HTML already. Only this module and its callers with constants make some."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


Content: TypeAlias = "Html | str | int | float | Iterable[Content] | None"
Attribute: TypeAlias = str | int | float | bool | None


def h(element: str, *content: Content, **attributes: Attribute) -> Html:
    """An element. In names of attributes ``_`` stands for ``-``; a last one is dropped (``class_``)."""
    told = "".join(_attribute(name, value) for name, value in attributes.items())
    if element in _VOID:
        return Html(f"<{element}{told}>")
    return Html(f"<{element}{told}>{join(content)}</{element}>")


def join(content: Iterable[Content]) -> Html:
    """One after the other."""
    return Html("".join(map(_text, content)))


def text(value: object) -> Html:
    return Html(escape(harmless(str(value)), quote=True))


def _text(content: Content) -> str:
    if content is None:
        return ""
    if isinstance(content, Html):
        return content
    if isinstance(content, str | int | float):
        return text(content)
    return join(content)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {written}"
    shown = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
    return f' {written}="{text(shown)}"'
