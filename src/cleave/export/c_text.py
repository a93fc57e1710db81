"""Where calls end, statements begin and conditions belong, in the text of a C file.

    12  while (i < 3) {
    13    x = next(i)                     end_of_call(13:7, "next") = 13:13
    14        + 1;                        statement(13:7) = 13:3
    15  }                                 header(12:12, "while") = 12:3

Debug information gives the beginning of a call or an operator; witnesses want other places. The text is only looked at
as far as that needs: tokens, brackets, and which tokens make a statement. What a macro hides, or what is no C, is not
found, and then there is no answer rather than a wrong one. Columns count bytes from 1, as Clang's do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<skip>^[ \t]*\#(?:[^\n\\]|\\.)*|/\*.*?\*/|//[^\n]*|\n|[ \t\r\f\v]+|\\\r?\n)"
    r'|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'" + r"|[A-Za-z_$][\w$]*|\.?\d(?:[eEpP][+-]|[\w.])*|.",
    re.DOTALL | re.MULTILINE,
)
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())
_HEADERS = frozenset({"if", "while", "for", "switch"})
_PREFIXES = frozenset({"else", "do", ";"})


class Place(NamedTuple):
    line: int
    column: int


class _Part(NamedTuple):
    """A statement without parts, or (with its keyword) the header of one that has some; from token to token."""

    first: int
    last: int
    keyword: str = ""


class _Scope(NamedTuple):
    """What tokens ``first`` to ``last``, without the last, may declare: it is visible behind them, before ``until``."""

    first: int
    last: int
    until: int


class CText:
    def __init__(self, content: bytes) -> None:
        self._tokens, self._places = _tokens(content.decode("latin-1"))
        self._numbers = {place: number for number, place in enumerate(self._places)}
        self._ends = _ends(self._tokens)
        self._parts: list[_Part] = []
        self._scopes: list[_Scope] = []
        self._find_parts()
        self._firsts = [part.first for part in self._parts]

    def end_of_call(self, place: Place, name: str | None = None) -> Place | None:
        """The closing parenthesis of the call that begins at ``place``: of ``name``, or of any function."""
        number = self._numbers.get(place)
        if number is None or self._tokens[number] != (name or self._tokens[number]) or self._token(number + 1) != "(":
            return None
        end = self._ends.get(number + 1)
        return None if end is None else self._places[end]

    def statement(self, place: Place) -> Place | None:
        """The beginning of the statement at ``place``; None inside of the header of a loop or a branching."""
        part = self._part(place)
        return None if part is None or part.keyword else self._places[part.first]

    def header(self, place: Place, keyword: str) -> Place | None:
        """The ``keyword`` in whose header ``place`` is."""
        part = self._part(place)
        return None if part is None or part.keyword != keyword else self._places[part.first]

    def declarations(self, place: Place | None = None) -> Iterator[list[str]]:
        """The tokens of all that may be a declaration or a parameter, or of what is visible at ``place``."""
        number = None if place is None else self._numbers.get(place)
        for scope in self._scopes:
            if place is None or (number is not None and scope.last < number < scope.until):
                yield self._tokens[scope.first : scope.last]

    def _part(self, place: Place) -> _Part | None:
        number = self._numbers.get(place)
        at = -1 if number is None else bisect_right(self._firsts, number) - 1
        if number is None or at < 0 or self._parts[at].last < number:
            return None
        return self._parts[at]

    def _token(self, number: int) -> str:
        return self._tokens[number] if 0 <= number < len(self._tokens) else ""

    # --- statements -------------------------------------------------------------------------------------------------

    def _find_parts(self) -> None:
        number, first = 0, 0
        opened: list[int] = []  # the braces of functions and compound statements
        while number < len(self._tokens):
            token = self._tokens[number]
            if not opened and token == "{" and self._token(number - 1) == ")":
                self._parameters(first, number)
                opened, number = [number], number + 1
            elif not opened:  # outside of functions
                if token == ";":
                    self._scopes.append(_Scope(first, number, len(self._tokens)))
                number = self._after(number)
                first = number if token in (";", "}") else first
            elif token == "}":
                opened.pop()
                number = first = number + 1
            elif token in _PREFIXES or token == "{":
                opened += [number] if token == "{" else []
                number += 1
            else:
                number = self._label(number) or self._statement(number, self._end(opened[-1]))

    def _parameters(self, first: int, body: int) -> None:
        """Of the function whose body begins there."""
        number = next((n for n in range(first, body) if self._ends.get(n) == body - 1), body) + 1
        first = number
        while number < body:
            if self._tokens[number] == "," or number == body - 1:
                self._scopes.append(_Scope(first, number, self._end(body)))
                first = number + 1
            number = self._after(number)

    def _label(self, number: int) -> int | None:
        """Behind a label, if there is one."""
        if self._tokens[number] == "case":
            while number < len(self._tokens) and self._tokens[number] not in (":", ";", "{"):
                number = self._after(number)
            return number + 1
        is_name = self._tokens[number][0].isalpha() or self._tokens[number][0] in "_$"
        return number + 2 if is_name and self._token(number + 1) == ":" else None

    def _statement(self, number: int, until: int) -> int:
        token = self._tokens[number]
        if token in _HEADERS and self._token(number + 1) == "(":
            behind = self._after(number + 1)
            self._parts.append(_Part(number, behind - 1, token))
            self._scopes.append(_Scope(number + 2, behind - 1, number))  # nowhere outside of the statement
            return behind
        first = number
        while number < len(self._tokens) and self._tokens[number] not in (";", "}"):
            number = self._after(number)
        self._parts.append(_Part(first, number))
        self._scopes.append(_Scope(first, number, until))
        return number

    def _end(self, number: int) -> int:
        return self._ends.get(number, len(self._tokens))

    def _after(self, number: int) -> int:
        """Behind a token, or behind all that it brackets."""
        if self._tokens[number] in _OPENING:
            return self._end(number) + 1
        return number + 1


def _tokens(text: str) -> tuple[list[str], list[Place]]:
    tokens: list[str] = []
    places: list[Place] = []
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for found in _TOKEN.finditer(text):
        if found["skip"] is None:
            line = bisect_right(starts, found.start())
            tokens.append(found[0])
            places.append(Place(line, found.start() - starts[line - 1] + 1))
    return tokens, places


def _ends(tokens: list[str]) -> dict[int, int]:
    """The bracket that closes each one that is closed."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token in _OPENING:
            opened.append(number)
        elif token in _CLOSING and opened and _OPENING[tokens[opened[-1]]] == token:
            ends[opened.pop()] = number
    return ends
