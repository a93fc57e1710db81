"""Random types of C: structs, unions and bit fields, in each other and in arrays."""

from __future__ import annotations

import random
from dataclasses import dataclass

SIZES = {
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned": 4,
    "long long": 8,
}
_ANY = (*SIZES, "_Bool", "long", "unsigned long long", "enum e")


@dataclass(frozen=True)
class Scalar:
    name: str
    is_field: bool = False  # a bit field has no address


@dataclass(frozen=True)
class Array:
    element: Type
    count: int


@dataclass(frozen=True)
class Struct:
    name: str
    members: tuple[tuple[str, Type], ...]
    text: str  # its definition


Type = Scalar | Array | Struct


def declared(kind: Type, name: str) -> str:
    while isinstance(kind, Array):
        name = f"{name}[{kind.count}]"
        kind = kind.element
    return f"{kind.name} {name}"


class Types:
    """Makes types; ``exact``: without padding, and the same on 32 and on 64 bit."""

    def __init__(self, dice: random.Random, exact: bool) -> None:
        self._dice = dice
        self._exact = exact
        self._count = 0
        self.made: list[Struct] = []

    def name(self, hint: str) -> str:
        self._count += 1
        return f"{hint}{self._count}"

    def scalar(self) -> Scalar:
        return Scalar(self._dice.choice(tuple(SIZES) if self._exact else _ANY))

    def any(self) -> Type:
        match self._dice.randrange(8):
            case 0 | 1 if self.made:
                return self._dice.choice(self.made)
            case 2 if self.made:
                return Array(self._dice.choice(self.made), self._dice.choice((2, 3)))
            case 3:
                return Array(Array(self.scalar(), self._dice.choice((2, 4))), 3)
            case 4 | 5:
                return Array(self.scalar(), self._dice.choice((2, 4, 5, 8)))
            case _:
                return self.scalar()

    def struct(self) -> None:
        if self._exact and self._dice.random() < 0.3:
            self.made.append(self._exact_union())
        elif self._exact:
            self.made.append(self._exact_struct())
        else:
            self.made.append(self._loose_struct())

    def _exact_struct(self) -> Struct:
        members: list[tuple[str, Type]] = []
        end, fill = 0, Scalar("unsigned char")
        for _ in range(self._dice.randint(2, 5)):
            kind = self.any()
            size, alignment = self._measure(kind)
            if gap := -end % alignment:
                members.append((self.name("gap"), Array(fill, gap)))
            members.append((self.name("m"), kind))
            end += gap + size
        if gap := -end % 8:
            members.append((self.name("gap"), Array(fill, gap)))
        return self._finished("struct", members)

    def _exact_union(self) -> Struct:
        words = ("unsigned char", 8), ("short", 4), ("unsigned", 2), ("long long", 1), ("signed char", 8), ("int", 2)
        chosen = self._dice.sample(words, 3)
        repeats = self._dice.choice((1, 1, 2))
        return self._finished("union", [(self.name("m"), Array(Scalar(n), c * repeats)) for n, c in chosen])

    def _loose_struct(self) -> Struct:
        members: list[tuple[str, Type]] = []
        lines = []
        for _ in range(self._dice.randint(2, 6)):
            name = self.name("m")
            if self._dice.random() < 0.4:
                base, most = self._dice.choice(
                    (("int", 32), ("unsigned", 32), ("unsigned char", 8), ("long long", 40), ("short", 16))
                )
                lines.append(f"{base} {name} : {self._dice.choice((1, 3, 7, 8, most, self._dice.randint(1, most)))};")
                members.append((name, Scalar(base, is_field=True)))
                if self._dice.random() < 0.15:
                    lines.append("int : 0;")
            else:
                members.append((name, self.any()))
                lines.append(f"{declared(members[-1][1], name)};")
        packed = self._dice.choice(("", "", "", "__attribute__((packed)) "))
        made = f"struct {self.name('S')}"
        return Struct(made, tuple(members), f"{made.replace(' ', ' ' + packed)} {{ {' '.join(lines)} }};")

    def _finished(self, word: str, members: list[tuple[str, Type]]) -> Struct:
        made = f"{word} {self.name('S')}"
        text = " ".join(f"{declared(kind, name)};" for name, kind in members)
        return Struct(made, tuple(members), f"{made} {{ {text} }};")

    def _measure(self, kind: Type) -> tuple[int, int]:
        match kind:
            case Scalar(name):
                return SIZES[name], SIZES[name]
            case Array(element, count):
                size, alignment = self._measure(element)
                return size * count, alignment
            case Struct(_, members, text):
                sizes = [self._measure(member)[0] for _, member in members]
                return (max(sizes) if text.startswith("union") else sum(sizes)), 8
