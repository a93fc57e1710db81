"""Sizes, alignments and offsets of types, in bytes, as on Linux for x86 (32 bit) and x86-64.

struct { char c; int i; }       offsets 0 and 4, size 8
"""

from __future__ import annotations

from cleave.errors import InternalError
from cleave.frontends.c.llvm.module import (
    ArrayType,
    ConstInt,
    ConstZero,
    FloatType,
    IntType,
    PointerType,
    StructType,
    Type,
    Value,
    VectorType,
)


class Layout:
    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.pointer = bits // 8
        self._offsets: dict[StructType, tuple[tuple[int, ...], int]] = {}

    def stored(self, type: Type) -> int:
        """The bytes that a load or store of one value touches."""
        match type:
            case IntType(width) | FloatType(_, width):
                return (width + 7) // 8
            case _:
                return self.size(type)

    def size(self, type: Type) -> int:
        """The distance between two elements of an array of ``type``."""
        match type:
            case IntType() | FloatType():
                alignment = self.alignment(type)
                return (self.stored(type) + alignment - 1) // alignment * alignment
            case PointerType():
                return self.pointer
            case ArrayType(count, element):
                return count * self.size(element)
            case VectorType(count, element):
                return count * self.size(element)
            case StructType():
                return self._struct(type)[1]
            case _:
                return 1  # functions and void: as GCC counts them

    def alignment(self, type: Type) -> int:
        match type:
            case IntType() | FloatType():
                size = 1
                while size < self.stored(type):
                    size *= 2
                return min(size, 16 if self.bits == 64 else 16 if isinstance(type, IntType) and type.width > 64 else 4)
            case PointerType():
                return self.pointer
            case ArrayType(_, element):
                return self.alignment(element)
            case VectorType():
                return self.size(type)
            case StructType(fields, packed):
                return 1 if packed else max((self.alignment(field) for field in fields), default=1)
            case _:
                return 1

    def offsets(self, type: StructType) -> tuple[int, ...]:
        return self._struct(type)[0]

    def _struct(self, type: StructType) -> tuple[tuple[int, ...], int]:
        known = self._offsets.get(type)
        if known is None:
            known = self._offsets[type] = self._lay_out(type)
        return known

    def _lay_out(self, type: StructType) -> tuple[tuple[int, ...], int]:
        offsets, position = [], 0
        for part in type.fields:
            alignment = 1 if type.packed else self.alignment(part)
            position = _rounded(position, alignment)
            offsets.append(position)
            position += self.size(part)
        return tuple(offsets), _rounded(position, self.alignment(type))

    def element(self, type: Type, index: int) -> tuple[int, Type]:
        """Offset and type of an element of an aggregate."""
        match type:
            case StructType(fields):
                return self.offsets(type)[index], fields[index]
            case ArrayType(_, element) | VectorType(_, element):
                return index * self.size(element), element
            case _:
                raise InternalError(f"{type} has no elements")

    def leaves(self, type: Type) -> list[tuple[int, Type]]:
        """The scalars inside ``type`` with their offsets."""
        match type:
            case StructType(fields):
                parts = zip(self.offsets(type), fields, strict=True)
            case ArrayType(count, element) | VectorType(count, element):
                parts = zip((i * self.size(element) for i in range(count)), [element] * count, strict=True)
            case _:
                return [(0, type)]
        return [(offset + inner, leaf) for offset, part in parts for inner, leaf in self.leaves(part)]


def _rounded(position: int, alignment: int) -> int:
    return (position + alignment - 1) // alignment * alignment


def walk_indices(layout: Layout, source: Type, indices: tuple[Value, ...]) -> tuple[int, list[tuple[Value, int]]]:
    """What a getelementptr adds: a constant, and values with the bytes each counts."""
    constant, variable = 0, []
    type: Type = source
    for position, index in enumerate(indices):
        known = index.value if isinstance(index, ConstInt) else 0 if isinstance(index, ConstZero) else None
        if position == 0:
            size = layout.size(source)
        elif isinstance(type, StructType):
            assert known is not None
            offset, type = layout.element(type, known)
            constant += offset
            continue
        else:
            _, type = layout.element(type, 0)
            size = layout.size(type)
        if known is not None:
            constant += known * size
        else:
            variable.append((index, size))
    return constant, variable
