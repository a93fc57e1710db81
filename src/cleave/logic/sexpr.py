r"""Text to s-expressions, with the place of each.

    >>> script = read_script("(assert (= |x| 1)) ; why\n", "a.smt2")
    >>> node = script.expressions[0]
    >>> script.word(node[1]), script.show(node[2]), script.place(node[2])
    ('assert', '(= x 1)', (1, 9))

There is no object for an atom: it is the number of its token, and a list is a Python list that starts with the number
of its opening parenthesis. So ``[0, 1, [2, 3, 4, 5]]`` is the expression above, and `Script.word` gives an atom's text.
Lines and columns are worked out only when something asks for them. Nothing recurses.

Quotes that change nothing are dropped: ``|x|`` and ``x`` are one symbol; ``|a b|`` and ``|0|`` keep theirs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, compress
from typing import Any, TypeAlias, TypeVar

from cleave.errors import InputError, UnsupportedError

Node: TypeAlias = int | list[Any]
"""An atom, or a list of nodes after the number of its opening parenthesis."""

_PIECE = re.compile(r"""(?:[()]|[^\s()";|]+|\|[^|]*\||"(?:[^"]|"")*"|;[^\n]*|.)\s*|\s+""")
_SIMPLE = re.compile(r"\|[A-Za-z~!@$%^&*_+=<>.?/\-][0-9A-Za-z~!@$%^&*_+=<>.?/\-]*\|")
_SHOWN = 60
_LONG = 1_000_000
"""Letters: one step of a longer text would last beyond a time limit, which another thread keeps."""

E = TypeVar("E", bound=InputError)


class Script:
    """The expressions of a text, and the way from each back to its place."""

    __slots__ = ("_line_starts", "_offsets", "expressions", "file", "text", "tokens")

    def __init__(self, text: str, file: str, tokens: list[str], offsets: list[int]) -> None:
        self.text = text
        self.file = file
        self.tokens = tokens
        self.expressions: list[Node] = []
        self._offsets = offsets
        self._line_starts: list[int] | None = None

    def word(self, node: Node) -> str:
        """The text of an atom; of a list, nothing."""
        return self.tokens[node] if isinstance(node, int) else ""

    def words(self, node: Node) -> list[str]:
        """The words of a list's parts."""
        return [] if isinstance(node, int) else [self.word(part) for part in node[1:]]

    def place(self, node: Node) -> tuple[int, int]:
        """Line and column, counted from 1."""
        offset = self._offsets[node if isinstance(node, int) else node[0]]
        if self._line_starts is None:
            self._line_starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def show(self, node: Node) -> str:
        """An expression as text, for messages: cut off when it is long."""
        if isinstance(node, int):
            return self.tokens[node][:_SHOWN]
        depth = 0
        parts: list[str] = []
        for token in self.tokens[node[0] : node[0] + _SHOWN]:
            depth += (token == "(") - (token == ")")
            parts.append(token if token == ")" or not parts or parts[-1][-1:] == "(" else f" {token}")
            if not depth:
                break
        text = "".join(parts)
        return text if len(text) <= _SHOWN and not depth else f"{text[:_SHOWN]} ..."

    def error(self, node: Node, message: str) -> InputError:
        return self._error(InputError, node, message)

    def unsupported(self, node: Node, message: str) -> UnsupportedError:
        return self._error(UnsupportedError, node, message)

    def _error(self, kind: type[E], node: Node, message: str) -> E:
        line, column = self.place(node)
        return kind(message, file=self.file, line=line, column=column, source_line=self._line(line))

    def _line(self, line: int) -> str:
        assert self._line_starts is not None
        start = self._line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]


def read_script(text: str, file: str = "") -> Script:
    """All expressions of ``text``. Raises `InputError` at a parenthesis or a quote without its other one."""
    pieces = _PIECE.findall(text) if len(text) < _LONG else [found[0] for found in _PIECE.finditer(text)]
    offsets = [0, *accumulate(map(len, pieces))]
    tokens = list(map(str.rstrip, pieces))
    distinct = set(tokens)
    left_out = {token for token in distinct if not token or token[0] == ";"}
    if left_out:
        kept = [token not in left_out for token in tokens]
        offsets = [*compress(offsets, kept), offsets[-1]]
        tokens = list(compress(tokens, kept))
    plain = {token: token[1:-1] for token in distinct if token[:1] == "|" and _SIMPLE.fullmatch(token)}
    if plain:
        tokens = [plain.get(token, token) for token in tokens]
    script = Script(text, file, tokens, offsets)
    if "|" in distinct or '"' in distinct:
        quote = next(at for at, token in enumerate(tokens) if token in ("|", '"'))
        raise script.error(quote, f"the {tokens[quote]} is never closed")
    script.expressions = _nest(script)
    return script


def read_expression(text: str, file: str = "") -> tuple[Script, Node]:
    """The one expression of ``text``."""
    script = read_script(text, file)
    if len(script.expressions) != 1:
        raise InputError(f"one expression expected, not {len(script.expressions)}", file=file)
    return script, script.expressions[0]


def decode_text(content: bytes, file: str) -> str:
    """The text of a file. Raises `InputError` with the place when it is not UTF-8."""
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise InputError("the file is not UTF-8 text", file=file, line=line, column=column) from None


def _nest(script: Script) -> list[Node]:
    top: list[Node] = []
    current: list[Any] = top
    outer: list[list[Any]] = []
    for at, token in enumerate(script.tokens):
        if token == "(":
            inner = [at]
            current.append(inner)
            outer.append(current)
            current = inner
        elif token == ")":
            if not outer:
                raise script.error(at, "this parenthesis closes nothing")
            current = outer.pop()
        else:
            current.append(at)
    if outer:
        raise script.error(current, "this parenthesis is never closed")
    return top
