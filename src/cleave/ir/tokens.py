"""The words of the text form, and a cursor over them.

call f((+ x 1)) -> (y) @ a.bpl:3        call  f  (  (  +  x  1  )  )  ->  (  y  )  @ a.bpl:3  newline
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from cleave.errors import InputError
from cleave.ir.program import Location
from cleave.logic.symbols import symbol_name

_STRING = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r]+|;[^\n]*)
    |(?P<newline>\n)
    |(?P<location>@[ ](?:{_STRING}|[\w./+-]+):\d+(?::\d+)?)
    |(?P<string>{_STRING})
    |(?P<quoted>\|[^|]*\|)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<bits>\#b[01]+|\#x[0-9A-Fa-f]+)
    |(?P<assign>:=)
    |(?P<keyword>:[A-Za-z][\w-]*)
    |(?P<symbol>[A-Za-z_~!@$%^&*+=<>.?/-][\w~!@$%^&*+=<>.?/-]*)
    |(?P<mark>[(){{}}\[\],:])
    """,
    re.VERBOSE,
)


class Token(NamedTuple):
    """``kind`` is the name of a group above, or ``end``."""

    kind: str
    text: str
    line: int
    column: int

    @property
    def name(self) -> str:
        """The name that the symbol stands for."""
        return symbol_name(self.text)

    def error(self, message: str) -> InputError:
        return InputError(message, line=self.line, column=self.column)


def tokens_of(text: str) -> list[Token]:
    """All tokens, with one ``end`` after them; runs of newlines count as one."""
    found: list[Token] = []
    position, line, line_start = 0, 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        here = Token("", text[position : position + 10], line, position - line_start + 1)
        if match is None:
            raise here.error(f"unexpected {here.text[0]!r}")
        kind, word = str(match.lastgroup), match.group()
        if kind == "newline":
            if found and found[-1].kind != "newline":
                found.append(here._replace(kind=kind, text=word))
        elif kind != "space":
            found.append(here._replace(kind=kind, text=word))
        if "\n" in word:
            line += word.count("\n")
            line_start = position + word.rindex("\n") + 1
        position = match.end()
    if found and found[-1].kind != "newline":
        found.append(Token("newline", "\n", line, 0))
    found.append(Token("end", "", line, 0))
    return found


@dataclass(slots=True)
class Cursor:
    """Where the reading is."""

    tokens: list[Token]
    position: int = field(default=0)

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    @property
    def following(self) -> Token:
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        self.position = min(self.position + 1, len(self.tokens) - 1)
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
            raise self.token.error(f"{text!r} expected, not {self.token.text!r}")

    def name(self) -> str:
        if self.token.kind not in ("symbol", "quoted"):
            raise self.token.error(f"a name expected, not {self.token.text!r}")
        return self.take().name

    def number(self) -> int:
        if self.token.kind != "number" or "." in self.token.text:
            raise self.token.error(f"a number expected, not {self.token.text!r}")
        return int(self.take().text)

    def string_or(self, default: str) -> str:
        return str(json.loads(self.take().text)) if self.token.kind == "string" else default

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
            raise self.token.error(f"the end of the line expected, not {self.token.text!r}")
        self.take()
