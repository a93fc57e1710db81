"""The words of the text form, and a cursor over them.

call f((+ x 1)) -> (y) @ a.bpl:3        call  f  (  (  +  x  1  )  )  ->  (  y  )  @ a.bpl:3  newline
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from cleave.errors import InputError
from cleave.ir.program import Location
from cleave.logic.sexpr import Node, Script
from cleave.logic.symbols import word_name

_STRING = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r]+|;[^\n]*)
    |(?P<newline>\n\s*)
    |(?P<location>@[ ](?:{_STRING}|[\w./+-]+):\d+(?::\d+)?)
    |(?P<string>{_STRING})
    |(?P<quoted>\|[^|]*\|)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<bits>\#b[01]+|\#x[0-9A-Fa-f]+)
    |(?P<assign>:=)
    |(?P<keyword>:[A-Za-z][\w-]*)
    |(?P<symbol>[A-Za-z_~!@$%^&*+=<>.?/-][\w~!@$%^&*+=<>.?/-]*)
    |(?P<mark>[(){{}}\[\],:])
    |(?P<unexpected>.)
    """,
    re.VERBOSE,
)


class Token(NamedTuple):
    """``kind`` is the name of a group above, or ``end``; ``at`` is its number in the text."""

    kind: str
    text: str
    at: int


class Cursor:
    """Where the reading of a text is. There is one ``end`` after its tokens; runs of newlines count as one."""

    def __init__(self, text: str, file: str = "") -> None:
        self._tokens: list[Token] = []
        self._position = 0
        offsets: list[int] = []
        for match in _TOKEN.finditer(text + "\n"):
            kind = str(match.lastgroup)
            if kind != "space" and (kind != "newline" or (offsets and self._tokens[-1].kind != kind)):
                self._tokens.append(Token(kind, match.group(), len(offsets)))
                offsets.append(match.start())
        self._tokens.append(Token("end", "", len(offsets)))
        self.script = Script(text, file, [token.text for token in self._tokens], [*offsets, len(text)])
        for token in self._tokens:
            if token.kind == "unexpected":
                raise self.error(f"unexpected {token.text!r}", token)

    def error(self, message: str, token: Token | None = None) -> InputError:
        """About ``token``, or the one that is next."""
        return self.script.error((token or self.token).at, message)

    @property
    def token(self) -> Token:
        return self._tokens[self._position]

    @property
    def following(self) -> Token:
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        self._position = min(self._position + 1, len(self._tokens) - 1)
        return token

    def at(self, text: str) -> bool:
        return self.token.text == text and self.token.kind not in ("quoted", "string")

    def take_if(self, text: str) -> bool:
        if self.at(text):
            self.take()
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take_if(text):
            raise self.error(f"{text!r} expected, not {self.token.text!r}")

    def name(self) -> str:
        if self.token.kind not in ("symbol", "quoted"):
            raise self.error(f"a name expected, not {self.token.text!r}")
        return word_name(self.take().text)

    def number(self) -> int:
        if self.token.kind != "number" or "." in self.token.text:
            raise self.error(f"a number expected, not {self.token.text!r}")
        return int(self.take().text)

    def string_or(self, default: str) -> str:
        return str(json.loads(self.take().text)) if self.token.kind == "string" else default

    def expression(self) -> Node:
        """The next s-expression, as a node of the `script`."""
        outer: list[list[Node]] = []
        while True:
            token = self.take()
            done: Node = token.at
            if token.kind in ("newline", "end"):
                raise self.error("a term is cut off", token)
            if token.kind == "mark":
                if token.text == "(":
                    outer.append([token.at])
                    continue
                if token.text != ")" or not outer:
                    raise self.error(f"a term expected, not {token.text!r}", token)
                done = outer.pop()
            if not outer:
                return done
            outer[-1].append(done)

    def location(self) -> Location | None:
        """The location that ends a line, where there is one."""
        if self.token.kind != "location":
            return None
        match = re.fullmatch(r"@ (.*?):(\d+)(?::(\d+))?", self.take().text, re.DOTALL)
        assert match is not None
        file = json.loads(match[1]) if match[1].startswith('"') else match[1]
        return Location(file, int(match[2]), int(match[3] or 0))

    def end_of_line(self) -> None:
        if self.token.kind != "newline":
            raise self.error(f"the end of the line expected, not {self.token.text!r}")
        self.take()
