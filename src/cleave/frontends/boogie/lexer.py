r"""Text to tokens: one regular expression, two parallel lists, no object for a token.

    >>> source = tokenize("x := y + 1; // why\n", "a.bpl")
    >>> source.tokens[:6]
    ['x', ':=', 'y', '+', '1', ';']
    >>> str(source.location(2))
    'a.bpl:1:6'

A token is its text; its first character tells its kind. Lines and columns are worked out only when something asks for
them. After the last token come a few empty strings, so that the parser can look ahead without counting.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, compress
from typing import TypeVar

from cleave.errors import InputError, UnsupportedError
from cleave.ir.program import Location

_IDENTIFIER = r"\\?[A-Za-z_~#$^.?'`][\w~#$^.?'`]*"
_NUMBER = r"0x[0-9a-fA-F]+\.[0-9a-fA-F]+e-?\d+f\d+e\d+|0(?:NaN|[-+]oo)\d+e\d+|\d+(?:bv\d+|\.\d+(?:e-?\d+)?|e-?\d+)?"
_STRING = r'"(?:\\"|[^"\n])*"'
_OPERATOR = r"<==>|==>|<==|:=|==|!=|<=|>=|<:|&&|\|\||::|\+\+|\*\*|->|\|\{|\}\||[-+*/%<>!()\[\]{},;:=|∀∃λ∧∨¬⇒⇔≤≥≠•]"

_TOKEN = re.compile(rf"{_IDENTIFIER}|{_OPERATOR}|{_NUMBER}|{_STRING}", re.ASCII)
_PIECE = re.compile(rf"(?:{_IDENTIFIER}|//[^\n]*|{_OPERATOR}|{_NUMBER}|{_STRING}|\S)\s*|\s+", re.ASCII)
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

    __slots__ = ("_line_starts", "distinct", "file", "offsets", "text", "tokens")

    def __init__(self, text: str, file: str, tokens: list[str], offsets: list[int]) -> None:
        self.text = text
        self.file = file
        self.tokens = tokens
        self.offsets = offsets
        self.distinct = set(tokens)
        self._line_starts = line_starts(text)

    def location(self, at: int) -> Location:
        """The place of token number ``at``."""
        offset = self.offsets[at]
        line = bisect_right(self._line_starts, offset)
        return Location(self.file, line, offset - self._line_starts[line - 1] + 1)

    def error(self, at: int, message: str) -> InputError:
        return error_at(InputError, self.text, self.file, self.offsets[at], message)

    def unsupported(self, at: int, message: str) -> UnsupportedError:
        return error_at(UnsupportedError, self.text, self.file, self.offsets[at], message)


def line_starts(text: str) -> list[int]:
    return [0, *(m.end() for m in re.finditer("\n", text))]


def error_at(kind: type[E], text: str, file: str, offset: int, message: str) -> E:
    """The error at a place in ``text``, with the line it is on."""
    starts = line_starts(text)
    line = bisect_right(starts, offset)
    start = starts[line - 1]
    end = text.find("\n", start)
    shown = text[start : end if end >= 0 else len(text)]
    return kind(message, file=file, line=line, column=offset - start + 1, source_line=shown)


def tokenize(text: str, file: str) -> Source:
    """The tokens of ``text``; raises `InputError` for a character that starts none."""
    readable = _blank_block_comments(text, file) if "/*" in text else text
    pieces = _PIECE.findall(readable)
    offsets = [0, *accumulate(map(len, pieces))]
    tokens = list(map(str.rstrip, pieces))
    distinct = set(tokens)
    comments = {token for token in distinct if not token or token.startswith("//")}
    if comments:
        kept = [token not in comments for token in tokens]
        offsets = [*compress(offsets, kept), offsets[-1]]
        tokens = list(compress(tokens, kept))
    unknown = {token for token in distinct - comments if not _TOKEN.fullmatch(token)}
    if unknown:
        _report_unknown(text, file, tokens, offsets, unknown)
    if not distinct.isdisjoint(_ASCII_FORMS):
        tokens = [_ASCII_FORMS.get(token, token) for token in tokens]
    tokens.extend([""] * _LOOKAHEAD)
    offsets.extend([offsets[-1]] * _LOOKAHEAD)
    return Source(text, file, tokens, offsets)


def _report_unknown(text: str, file: str, tokens: list[str], offsets: list[int], unknown: set[str]) -> None:
    index = next(i for i, token in enumerate(tokens) if token in unknown)
    token = tokens[index]
    message = "the string is not closed on its line" if token == '"' else f"unexpected character {token!r}"
    raise error_at(InputError, text, file, offsets[index], message)


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
    raise error_at(InputError, text, file, start, "the comment is never closed")
