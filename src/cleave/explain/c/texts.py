"""The text of a line of the source, and what functions of no source return, as traces show them.

x = 1;   /* first */          x = 1;
"""

from __future__ import annotations

import re

from cleave.explain.c.values import scalar
from cleave.ir.source import Kind, Scalar, Source
from cleave.logic.values import Value

NONDET = "__VERIFIER_nondet_"
_LONGEST = 90
_PLAIN = re.compile(r"[\s{};]*|\}?\s*else\s*\{?|do\s*\{?")  # lines that only hold others together
_COMMENT = re.compile(r"\s*(//[^\"']*|/\*((?!\*/).)*\*/)\s*$")
_GOES_ON = re.compile(r"(?<![+-])[-,(&|+*/?=<>!%^]$")  # how a line ends whose statement does not
_BEGINS_INSIDE = re.compile(r"[&|?:.,)=<>%^/]|[-+*] ")
_FLOATING = {"float": Scalar("float", 4, Kind.FLOATING), "double": Scalar("double", 8, Kind.FLOATING)}


class Texts:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[tuple[str, int], str] = {}

    def of(self, file: str, line: int) -> str:
        """Without comments; empty if it is not known."""
        if (file, line) not in self._known:
            text = self._whole(file, line)
            self._known[file, line] = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        return self._known[file, line]

    def goes_on(self, file: str, line: int) -> bool:
        """Whether the line is not the first one of its statement."""
        here, above = self._whole(file, line), self._whole(file, line - 1)
        return bool(_BEGINS_INSIDE.match(here) or _GOES_ON.search(above)) and not above.startswith("#")

    def _whole(self, file: str, line: int) -> str:
        lines = self._source.texts.get(file, ())
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return " ".join((_COMMENT.sub("", text) or text).split())

    def returned(self, name: str, value: Value) -> str:
        """Of a function without a body, whose name says which type it returns."""
        type = name.removeprefix(NONDET)
        if type in _FLOATING and isinstance(value, int):
            return scalar(_FLOATING[type], int(value))
        if isinstance(value, bool):
            return "true" if value else "false"
        if type in ("pointer", "charp") and value == 0:
            return "NULL"
        widths = {"char": 8, "schar": 8, "short": 16, "long": self._source.bits, "longlong": 64, "s64": 64}
        width = widths.get(type, 32)
        is_signed = not type.startswith(("u", "bool", "_Bool", "size", "charp", "pointer"))
        if isinstance(value, int) and is_signed and value >> width - 1 == 1:
            value -= 1 << width
        return str(value)


def is_plain(text: str) -> bool:
    """Whether a line only holds others together."""
    return _PLAIN.fullmatch(text) is not None
