"""Types as the source writes them, from LLVM's debug metadata.

!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)                          Scalar("int", 4, SIGNED)
!19 = !DICompositeType(tag: DW_TAG_array_type, baseType: !10, size: 320, elements: !21)     Array(int, 10)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from cleave.ir.source import Array, Enumeration, Kind, Member, Opaque, Pointer, Record, Scalar, Type

Fields = Mapping[str, str]
_REFERENCE = re.compile(r"!(\d+)")
_ENCODINGS = {
    "DW_ATE_signed": Kind.SIGNED,
    "DW_ATE_unsigned": Kind.UNSIGNED,
    "DW_ATE_signed_char": Kind.CHARACTER,
    "DW_ATE_unsigned_char": Kind.UNSIGNED_CHARACTER,
    "DW_ATE_boolean": Kind.BOOLEAN,
    "DW_ATE_float": Kind.FLOATING,
}
_RECORDS = ("DW_TAG_structure_type", "DW_TAG_union_type")
_TRANSPARENT = ("typedef", "const_type", "volatile_type", "restrict_type", "atomic_type", "member")


class Types:
    """``fields`` gives those of a numbered node, ``text`` its text."""

    def __init__(self, fields: Callable[[int], Fields], text: Callable[[int], str], bits: int) -> None:
        self._fields = fields
        self._text = text
        self._pointer = bits // 8
        self._made: dict[int, Type | None] = {}
        self._open: list[tuple[int, Record]] = []
        self._pointers: list[tuple[int, Pointer]] = []

    def of(self, number: int | None) -> Type | None:
        """None for void."""
        made = self._of(number)
        while self._open or self._pointers:  # types contain each other through pointers only
            if self._open:
                self._fill(*self._open.pop())
            else:
                target, pointer = self._pointers.pop()
                pointer.to = self._of(target)
        return made

    def _of(self, number: int | None) -> Type | None:
        if number is None:
            return None
        names: set[int] = set()
        while number not in self._made:
            fields = self._fields(number)
            inner = _reference(fields.get("baseType"))
            is_name = fields.get("tag", "").removeprefix("DW_TAG_") in _TRANSPARENT
            if not is_name or number in names:
                self._made[number] = self._make(number, fields)
                break
            if inner is None:
                return None
            names.add(number)
            number = inner
        return self._made[number]

    def _make(self, number: int, fields: Fields) -> Type | None:
        size = int(fields.get("size", "0")) // 8
        tag = fields.get("tag", "")
        if "encoding" in fields:
            kind = _ENCODINGS.get(fields["encoding"])
            return Scalar(fields.get("name", "").strip('"'), size, kind) if kind is not None else Opaque(size)
        if tag == "DW_TAG_pointer_type":
            return self._pointer_to(fields)
        if tag in _RECORDS:
            record = Record(fields.get("name", "").strip('"'), size, is_union=tag == "DW_TAG_union_type")
            self._open.append((number, record))
            return record
        if tag == "DW_TAG_enumeration_type":
            return self._enumeration(fields, size)
        if tag == "DW_TAG_array_type":
            return self._array(fields)
        return Opaque(size)

    def _pointer_to(self, fields: Fields) -> Type:
        pointer, target = Pointer(self._pointer), _reference(fields.get("baseType"))
        if target is not None:
            pointer.to_function = self._text(target).startswith("!DISubroutineType")
            if not pointer.to_function:
                self._pointers.append((target, pointer))
        return pointer

    def _enumeration(self, fields: Fields, size: int) -> Type:
        base = self._of(_reference(fields.get("baseType")))
        signed = isinstance(base, Scalar) and base.kind is Kind.SIGNED
        rows = [self._fields(element) for element in self._elements(fields)]
        names = {int(row["value"]): row["name"].strip('"') for row in rows if "value" in row and "name" in row}
        return Enumeration(fields.get("name", "").strip('"'), size, signed, names)

    def _array(self, fields: Fields) -> Type:
        element = self._of(_reference(fields.get("baseType"))) or Opaque(1)
        for dimension in reversed(self._elements(fields)):
            count = self._fields(dimension).get("count", "0")
            element = Array(element, int(count) if count.isdigit() else 0)
        return element

    def _fill(self, number: int, record: Record) -> None:
        for element in self._elements(self._fields(number)):
            fields = self._fields(element)
            type = self._of(_reference(fields.get("baseType")))
            if fields.get("tag") == "DW_TAG_member" and type is not None:
                width = int(fields.get("size", "0")) if "DIFlagBitField" in fields.get("flags", "") else 0
                name, offset = fields.get("name", "").strip('"'), int(fields.get("offset", "0"))
                record.members.append(Member(name, offset, width, type))

    def _elements(self, fields: Fields) -> list[int]:
        listed = _reference(fields.get("elements"))
        return [] if listed is None else [int(found) for found in _REFERENCE.findall(self._text(listed))]


def _reference(text: str | None) -> int | None:
    return int(text[1:]) if text and text.startswith("!") else None
