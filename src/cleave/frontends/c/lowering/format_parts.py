"""The parts of the formats of printf and scanf.

parts_of("%-5ld;")          [Part("d", width="5", length="l", flags=1), Part("text", text=";")]
"""

from __future__ import annotations

import re

from cleave.records import dataclass

_PRINTED = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?(?P<length>hh|h|ll|l|j|z|t|L|q)?"
    r"(?P<kind>[a-zA-Z%])|(?P<text>[^%]+)|(?P<wrong>%)"
)
_SCANNED = re.compile(
    r"%(?P<skip>\*)?(?P<width>\d+)?(?P<length>hh|h|ll|l|j|z|t|L|q)?(?P<kind>[a-zA-Z%]|\[\^?\]?[^]]*\])"
    r"|(?P<text>[^%]+)|(?P<wrong>%)"
)
_FLAGS = {"-": 1, "+": 2, " ": 4, "0": 8, "#": 16}
_CAPITAL = 32
_SIZES = {"hh": 1, "h": 2, "ll": 8, "j": 8, "q": 8}


class UnknownFormatError(Exception):
    """The format does not say what a call does, or it says something that is not modelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """``kind`` is the letter of a conversion, ``text``, or ``wrong``, which no format has."""

    kind: str
    text: str = ""
    width: str | None = None
    precision: str | None = None
    length: str = ""
    flags: int = 0
    skip: bool = False

    def size(self, pointer: int) -> int:
        """The bytes of an integer with this length, where a pointer has so many."""
        return pointer if self.length in ("l", "z", "t") else _SIZES.get(self.length, 4)


def parts_of(text: str) -> list[Part]:
    found = []
    for each in _PRINTED.finditer(text):
        if each["kind"] is None or each["kind"] == "%":
            found.append(_plain(each))
            continue
        flags = sum({_FLAGS[flag] for flag in each["flags"]}) + (_CAPITAL if each["kind"] == "X" else 0)
        kind, length = each["kind"], each["length"] or ""
        found.append(Part(kind=kind, flags=flags, width=each["width"], precision=each["precision"], length=length))
    return found


def scanned_parts_of(text: str) -> list[Part]:
    found = []
    for each in _SCANNED.finditer(text):
        if each["kind"] is None or each["kind"] == "%":
            found.append(_plain(each))
        else:
            kind, length = each["kind"][0], each["length"] or ""
            found.append(Part(kind=kind, skip=bool(each["skip"]), width=each["width"], length=length))
    return found


def _plain(each: re.Match[str]) -> Part:
    if each["kind"] == "%":
        return Part(kind="text", text="%")
    return Part(kind="wrong") if each["wrong"] else Part(kind="text", text=each["text"])
