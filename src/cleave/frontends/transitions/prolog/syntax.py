"""Prolog terms, and walks over them that do not recurse.

pc(main-0)     Compound("pc", (Compound("-", (Compound("main"), Number(0))),))
[X|Y]          Compound("[|]", (Variable("X"), Variable("Y")))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from cleave.frontends.transitions.prolog.operators import INFIX
from cleave.records import dataclass

NIL, CONS = "[]", "[|]"
_PLAIN = re.compile(r"[a-z]\w*|\[\]|[-+*/\\^<>=~:.?@#&$]+|[!;]|\{\}", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """``_`` gets a name that no other variable has."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A `Fraction` if it is written with a decimal point, whatever its value."""

    value: int | Fraction
    offset: int


@dataclass(frozen=True, slots=True, eq=False)
class Compound:
    """A name with arguments; an atom if there are none."""

    name: str
    arguments: tuple[Prolog, ...]
    offset: int

    def has(self, name: str, count: int) -> bool:
        return self.name == name and len(self.arguments) == count


Prolog: TypeAlias = Variable | Number | Compound


def postorder(root: Prolog) -> Iterator[Prolog]:
    """All subterms, each after its arguments."""
    stack: list[tuple[Prolog, bool]] = [(root, False)]
    while stack:
        term, done = stack.pop()
        if done or not isinstance(term, Compound) or not term.arguments:
            yield term
        else:
            stack.append((term, True))
            stack.extend((argument, False) for argument in reversed(term.arguments))


def elements(term: Prolog) -> list[Prolog] | None:
    """The elements of a list; None if it is none, or only the start of one."""
    found: list[Prolog] = []
    while isinstance(term, Compound) and term.has(CONS, 2):
        found.append(term.arguments[0])
        term = term.arguments[1]
    return found if isinstance(term, Compound) and term.has(NIL, 0) else None


def substitute(root: Prolog, values: Mapping[str, Prolog]) -> Prolog:
    """``root`` with the values of its variables; those without one stay."""
    done: list[Prolog] = []
    for term in postorder(root):
        if isinstance(term, Variable):
            done.append(values.get(term.name, term))
        elif isinstance(term, Compound) and term.arguments:
            arguments = tuple(done[-len(term.arguments) :])
            del done[-len(term.arguments) :]
            done.append(Compound(term.name, arguments, term.offset))
        else:
            done.append(term)
    return done[0]


def match(pattern: Prolog, ground: Prolog) -> dict[str, Prolog] | None:
    """The values of the variables in ``pattern`` that make it ``ground``, in which there are none."""
    values: dict[str, Prolog] = {}
    stack = [(pattern, ground)]
    while stack:
        left, right = stack.pop()
        if isinstance(left, Variable):
            known = values.setdefault(left.name, right)
            if known is not right and show(known) != show(right):
                return None
        elif isinstance(left, Number):
            if not isinstance(right, Number) or left.value != right.value:
                return None
        elif not isinstance(right, Compound) or not right.has(left.name, len(left.arguments)):
            return None
        else:
            stack.extend(zip(left.arguments, right.arguments, strict=True))
    return values


def is_ground(term: Prolog) -> bool:
    return not any(isinstance(part, Variable) for part in postorder(term))


def show(root: Prolog) -> str:
    """A term as text. Different terms without variables have different texts."""
    pieces: list[str] = []
    stack: list[Prolog | str] = [root]
    while stack:
        term = stack.pop()
        if isinstance(term, str):
            pieces.append(term)
        elif isinstance(term, Variable):
            pieces.append(term.name)
        elif isinstance(term, Number):
            pieces.append(str(term.value) if term.value >= 0 else f"({term.value})")
        else:
            stack.extend(reversed(_parts(term)))
    return "".join(pieces)


def _parts(term: Compound) -> list[Prolog | str]:
    """The pieces of a term's text, in order."""
    if term.has(CONS, 2):
        return ["[", *_list_parts(term), "]"]
    if term.name in INFIX and len(term.arguments) == 2:
        left, right = term.arguments
        # Only chains of one operator that groups to the left go without parentheses.
        word = f" {term.name} " if term.name.isalpha() else term.name
        chained = isinstance(left, Compound) and left.has(term.name, 2) and INFIX[term.name].left_same
        return [*_guarded(left, chained), word, *_guarded(right, False)]
    parts: list[Prolog | str] = [_name(term.name)]
    for number, argument in enumerate(term.arguments):
        parts += ["(" if number == 0 else ",", *_argument(argument)]
    return [*parts, ")"] if term.arguments else parts


def _list_parts(term: Prolog) -> list[Prolog | str]:
    parts: list[Prolog | str] = []
    while isinstance(term, Compound) and term.has(CONS, 2):
        parts += [",", *_argument(term.arguments[0])]
        term = term.arguments[1]
    closed = isinstance(term, Compound) and term.has(NIL, 0)
    return parts[1:] if closed else [*parts[1:], "|", *_argument(term)]


def _guarded(term: Prolog, bare: bool) -> list[Prolog | str]:
    infix = isinstance(term, Compound) and term.name in INFIX and len(term.arguments) == 2
    return ["(", term, ")"] if infix and not bare else [term]


def _argument(term: Prolog) -> list[Prolog | str]:
    return _guarded(term, not (isinstance(term, Compound) and term.has(",", 2)))


def _name(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
