r"""Prolog text to tokens, with the place of each.

    >>> [token.text for token in read_tokens(Source("p(X) :- X =< -1. % why\n", "a.pl"))]
    ['p', '(', 'X', ')', ':-', 'X', '=<', '-', '1', '.', '']

The last one, of the kind ``end``, stands for the end of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple, TypeVar

from cleave.errors import InputError, UnsupportedError

_TOKEN = re.compile(
    r"""
    (?P<layout> \s+ | %[^\n]* | /\*.*?\*/ )
  | (?P<open>   /\* )
  | (?P<number> 0x[0-9a-fA-F]+ | 0o[0-7]+ | 0b[01]+ | [0-9]+ (?: \.[0-9]+ (?: [eE][+-]?[0-9]+ )? )? )
  | (?P<variable> [A-Z_]\w* )
  | (?P<atom>   [a-z]\w* )
  | (?P<quoted> ' (?: [^'\\] | '' | \\. )* ' )
  | (?P<text>   " (?: [^"\\] | "" | \\. )* " )
  | (?P<stop>   \. (?= \s | % | \Z ) )
  | (?P<symbol> [-+*/\\^<>=~:.?@#&$]+ | [!;] )
  | (?P<punctuation> [()\[\]{},|] )
  | (?P<other>  . )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)

E = TypeVar("E", bound=InputError)


class Token(NamedTuple):
    kind: str
    text: str
    offset: int
    after_layout: bool


class Source:
    """The text of a file, and errors that point into it."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def error(self, offset: int, message: str) -> InputError:
        return self._error(InputError, offset, message)

    def unsupported(self, offset: int, message: str) -> UnsupportedError:
        return self._error(UnsupportedError, offset, message)

    def _error(self, kind: type[E], offset: int, message: str) -> E:
        line, column = self.place(offset)
        start = self._line_starts[line - 1]
        shown = self.text[start:].split("\n", 1)[0] if offset < len(self.text) else self.text[start:]
        return kind(message, file=self.file, line=line, column=column, source_line=shown)


def read_tokens(source: Source) -> list[Token]:
    tokens: list[Token] = []
    layout = True
    for found in _TOKEN.finditer(source.text):
        kind, text, offset = found.lastgroup or "other", found.group(), found.start()
        if kind == "layout":
            layout = True
            continue
        if kind == "open":
            raise source.error(offset, "this comment is never closed")
        if kind == "other":
            told = f"the {text} is never closed" if text in "'\"" else f"the character {text!r} is unexpected"
            raise source.error(offset, told)
        tokens.append(Token(kind, text, offset, layout))
        layout = False
    tokens.append(Token("end", "", len(source.text), True))
    return tokens
