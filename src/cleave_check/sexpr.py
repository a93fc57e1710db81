r"""Words and s-expressions of SMT-LIB, read without recursion.

    >>> expressions(words("(f |a b| 1) ; why"))
    [['f', Name(text='a b'), '1']]

A quoted word, or one with an escape of Cleave's (``%73elect``), is a `Name` and never an operator or a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from cleave_check.refusal import Unreadable

_WORD = re.compile(r'\s+|;[^\n]*|([()])|\|([^|]*)\||"((?:[^"]|"")*)"|([^\s()|";,]+)|(.)', re.DOTALL)
_ESCAPE = re.compile(r"%u\{([0-9a-f]{1,6})\}|%([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class Name:
    """A word that can only be a name."""

    text: str


Word: TypeAlias = "str | Name"
Node: TypeAlias = Any
"""A word, or a list of nodes."""


def unescaped(text: str) -> str:
    """The name that Cleave wrote so."""

    def read(match: re.Match[str]) -> str:
        code = int(match[1] or match[2], 16)
        if code > 0x10FFFF:
            raise Unreadable("a name has an escape that no character has")
        return chr(code)

    return _ESCAPE.sub(read, text) if "%" in text else text


def words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        mark, quoted, string, plain, other = match.groups()
        if mark or plain:
            yield mark or (Name(unescaped(plain)) if "%" in plain else plain)
        elif quoted is not None:
            yield Name(unescaped(quoted))
        elif string is not None:
            yield Name(string)
        elif other is not None:
            raise Unreadable(f"unexpected character {other!r} in a term")


def expressions(source: Iterator[Word]) -> list[Node]:
    """All expressions; parentheses must fit."""
    done: list[Node] = []
    outer: list[list[Node]] = []
    for word in source:
        if word == "(":
            outer.append(done)
            done = []
        elif word == ")":
            if not outer:
                raise Unreadable("a parenthesis is closed that nothing opened")
            outer[-1].append(done)
            done = outer.pop()
        else:
            done.append(word)
    if outer:
        raise Unreadable("a parenthesis is not closed")
    return done


def one(text: str) -> Node:
    found = expressions(words(text))
    if len(found) != 1:
        raise Unreadable("one term expected")
    return found[0]


def name_of(node: Node) -> str:
    if isinstance(node, Name):
        return node.text
    if isinstance(node, str):
        return node
    raise Unreadable("a name expected")
