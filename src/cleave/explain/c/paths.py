"""Which part of an object lies at an offset, as C writes it.

struct { struct point min, max; int n[4]; } r;      offset 8: .max.x        offset 20: .n[1]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cleave.ir.source import Array, Member, Record, Type


class Part(NamedTuple):
    """``path`` is what follows the name of the object; ``offset`` is where the part starts, in bits."""

    path: str
    type: Type
    offset: int
    width: int = 0  # of a bit-field, in bits

    @property
    def start(self) -> int:
        """In bytes."""
        return self.offset // 8

    @property
    def size(self) -> int:
        return (self.offset % 8 + self.width + 7) // 8 if self.width else self.type.size


def parts(type: Type, offset: int) -> Iterator[Part]:
    """The parts that hold the byte at ``offset``, from the whole to the smallest."""
    part: Part | None = Part("", type, 0)
    while part is not None:
        yield part
        part = _inner(part, offset)


def _inner(part: Part, offset: int) -> Part | None:
    match part.type:
        case Array(element=element, count=count):
            if not element.size:
                return None
            index = (offset - part.start) // element.size
            if count and not 0 <= index < count:
                return None
            return Part(f"{part.path}[{index}]", element, part.offset + 8 * index * element.size)
        case Record(members=members):
            for member in members:
                inside = _member(part, member)
                if inside.start <= offset < inside.start + inside.size:
                    return inside
    return None


def _member(part: Part, member: Member) -> Part:
    path = f"{part.path}.{member.name}" if member.name else part.path
    return Part(path, member.type, part.offset + member.offset, member.width)


def leaf(type: Type, offset: int) -> Part:
    """The smallest part at ``offset``."""
    *_, found = parts(type, offset)
    return found


def leaves(type: Type, start: int, end: int) -> Iterator[Part]:
    """The smallest parts that bytes from ``start`` to ``end`` touch."""
    while start < end:
        found = leaf(type, start)
        yield found
        start = max(found.start + found.size, start + 1)


def common(type: Type, offsets: list[int]) -> Part:
    """The smallest part that holds all of the offsets."""
    first, *others = ([part.path for part in parts(type, offset)] for offset in offsets)
    shared = {*first}.intersection(*others) if others else {*first}
    *_, found = (part for part in parts(type, offsets[0]) if part.path in shared)
    return found
