r"""Text to tokens, line by line: two lists of numbers and strings, no object for a token.

    >>> source = tokenize("x := y + 1; // why\n", "a.bpl")
    >>> source.tokens[:6]
    ['x', ':=', 'y', '+', '1', ';']
    >>> str(source.location(2))
    'a.bpl:1:6'

A token is its text; its first character says its kind. No token goes over the end of a line, and two of three lines
of a compiled program are equal to an earlier one, so each line is taken apart once; equal tokens are the same string,
which knows its hash. Columns are worked out only when something asks for them. After the last token come a few empty
strings, so that the parser can look ahead without counting.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Set
from itertools import accumulate, chain
from typing import TypeVar

from cleave.errors import InputError, UnsupportedError
from cleave.ir.program import Location

_IDENTIFIER = r"\\?[A-Za-z_~#$^.?'`][\w~#$^.?'`]*"
_NUMBER = r"0x[0-9a-fA-F]+\.[0-9a-fA-F]+e-?\d+f\d+e\d+|0(?:NaN|nan|[-+]oo)\d+e\d+|\d+(?:bv\d+|\.\d+(?:e-?\d+)?|e-?\d+)?"
_STRING = r'"(?:\\"|[^"\n])*"'
_OPERATOR = r"<==>|==>|<==|:=|==|!=|<=|>=|<:|&&|\|\||::|\+\+|\*\*|->|\|\{|\}\||[-+*/%<>!()\[\]{},;:=|∀∃λ∧∨¬⇒⇔≤≥≠•]"
_BLANK = r"\s\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # as `str.strip` has it

_TOKEN = re.compile(rf"{_IDENTIFIER}|{_OPERATOR}|{_NUMBER}|{_STRING}", re.ASCII)
_PIECE = re.compile(rf"{_IDENTIFIER}|//.*|{_OPERATOR}|{_NUMBER}|{_STRING}|[^{_BLANK}]", re.ASCII)
_OUTSIDE = re.compile(rf"{_STRING}|//[^\n]*|/\*", re.ASCII)
_INSIDE = re.compile(r"/\*|\*/")
_NOT_LINE_END = re.compile(r"[^\n]")
_LOOKAHEAD = 8
_ASCII_FORMS = {
    "∀": "forall", "∃": "exists", "λ": "lambda", "∧": "&&", "∨": "||", "¬": "!", "⇒": "==>", "⇔": "<==>",
    "≤": "<=", "≥": ">=", "≠": "!=", "•": "::",
    "%": "mod",
}  # fmt: skip


E = TypeVar("E", bound=InputError)


class Source:
    """A file's tokens, and the way from a token back to its place in the file."""

    __slots__ = ("_columns", "_files", "_firsts", "_readable", "_written", "distinct", "tokens")

    def __init__(self, text: str, readable: str, files: list[tuple[int, str]]) -> None:
        """``readable`` is the text with blanks for its block comments; ``files`` are those that it is made of, each
        with the number of its first line."""
        self._files = files
        self._written = text.split("\n")
        self._readable = self._written if readable is text else readable.split("\n")
        lines = _Lines()
        per_line = [lines[line] for line in self._readable]
        self.tokens: list[str] = [*chain.from_iterable(per_line), *[""] * _LOOKAHEAD]
        self.distinct: Set[str] = lines.tokens.keys()
        self._firsts = [0, *accumulate(map(len, per_line))]  # per line, the number of its first token
        self._columns: dict[int, list[int]] = {}  # of lines where more than the first token was asked for

    def location(self, at: int) -> Location:
        """The place of token number ``at``."""
        line, column = self._place(at)
        file, line = self._in_file(line)
        return Location(file, line, column)

    def error(self, at: int, message: str) -> InputError:
        return self._error(InputError, at, message)

    def unsupported(self, at: int, message: str) -> UnsupportedError:
        return self._error(UnsupportedError, at, message)

    def _error(self, kind: type[E], at: int, message: str) -> E:
        number, column = self._place(at)
        file, line = self._in_file(number)
        return kind(message, file=file, line=line, column=column, source_line=self._written[number - 1])

    def _in_file(self, line: int) -> tuple[str, int]:
        if len(self._files) == 1:
            return self._files[0][1], line
        first, file = next(one for one in reversed(self._files) if one[0] <= line)
        return file, line - first + 1

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column; past the last token, the end of the file."""
        line = bisect_right(self._firsts, at)
        if line > len(self._readable):
            return len(self._written), len(self._written[-1]) + 1
        text, number = self._readable[line - 1], at - self._firsts[line - 1]
        if not number:
            return line, len(text) - len(text.lstrip()) + 1
        if line not in self._columns:
            self._columns[line] = [found.start() + 1 for found in _PIECE.finditer(text)]
        return line, self._columns[line][number]


class _Lines(dict[str, list[str]]):
    """The tokens of a line, made when first asked for, without its comment."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}  # all that there are, each in one copy

    def __missing__(self, line: str) -> list[str]:
        pieces = _PIECE.findall(line)
        if pieces and pieces[-1].startswith("//"):
            pieces.pop()
        one_copy = self.tokens.setdefault
        found = self[line] = [one_copy(piece, piece) for piece in pieces]
        return found


def tokenize(text: str, file: str, files: list[tuple[int, str]] | None = None) -> Source:
    """The tokens of ``text``; raises `InputError` for a character that starts none."""
    readable = _blank_block_comments(text, file) if "/*" in text else text
    source = Source(text, readable, files or [(1, file)])
    unknown = {token for token in source.distinct if not _TOKEN.fullmatch(token)}
    if unknown:
        raise _unknown(source, unknown)
    if not _ASCII_FORMS.keys().isdisjoint(source.distinct):
        source.tokens = [_ASCII_FORMS.get(token, token) for token in source.tokens]
        source.distinct = set(source.tokens)
    return source


def _unknown(source: Source, unknown: Set[str]) -> InputError:
    at = next(i for i, token in enumerate(source.tokens) if token in unknown)
    token = source.tokens[at]
    return source.error(
        at, "the string is not closed on its line" if token == '"' else f"unexpected character {token!r}"
    )


def _blank_block_comments(text: str, file: str) -> str:
    """``text`` with every ``/* ... */`` (they nest) replaced by blanks, line ends kept."""
    parts: list[str] = []
    position = 0
    while (mark := _OUTSIDE.search(text, position)) is not None:
        if mark.group() == "/*":
            end = _comment_end(text, file, mark.start())
            parts.append(text[position : mark.start()])
            parts.append(_NOT_LINE_END.sub(" ", text[mark.start() : end]))
            position = end
        else:
            parts.append(text[position : mark.end()])
            position = mark.end()
    parts.append(text[position:])
    return "".join(parts)


def _comment_end(text: str, file: str, start: int) -> int:
    depth = 0
    for mark in _INSIDE.finditer(text, start):
        depth += 1 if mark.group() == "/*" else -1
        if not depth:
            return mark.end()
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    shown = text.split("\n")[line - 1]
    raise InputError("the comment is never closed", file=file, line=line, column=column, source_line=shown)
