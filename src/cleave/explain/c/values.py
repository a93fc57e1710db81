"""Values as C writes them, from the bytes that a type gives a meaning.

    ff ff ff ff   int   -1        78   char   'x'        00 00 c0 3f   float   1.5f        61 62 63 00   char[4]   "abc"

A byte that is not known is None. What a pointer points to comes from the caller, which knows the objects.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from cleave.ir.source import Array, Enumeration, Kind, Opaque, Pointer, Record, Scalar, Type

Bytes = Sequence[int | None]
PointerText = Callable[[int, Pointer], str]

_ELEMENTS = 8  # of an array that are shown
_CHARACTERS = 40
_DEEP = 4  # aggregates in each other
_ESCAPES = {0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
_UNKNOWN = "?"


def written(type: Type, content: Bytes, pointer: PointerText, depth: int = 0) -> str | None:
    """None where nothing of it is known."""
    match type:
        case Scalar():
            number = whole(content[: type.size])
            return None if number is None else scalar(type, number)
        case Pointer():
            number = whole(content[: type.size])
            return None if number is None else pointer(number, type)
        case Enumeration():
            number = whole(content[: type.size])
            return None if number is None else _enumerator(type, number)
        case Opaque():
            return None
        case Array() if is_text(type):
            return _text(content)
        case Array():
            return _array(type, content, pointer, depth)
        case Record():
            return _record(type, content, pointer, depth)


def is_text(type: Type) -> bool:
    return isinstance(type, Array) and isinstance(type.element, Scalar) and type.element.name == "char"


def whole(content: Bytes) -> int | None:
    """The number that bytes make, little end first."""
    known = [one for one in content if one is not None]
    return int.from_bytes(bytes(known), "little") if len(known) == len(content) and known else None


def scalar(type: Scalar, number: int) -> str:
    signed = number - (1 << 8 * type.size) if number >> 8 * type.size - 1 else number
    match type.kind:
        case Kind.BOOLEAN:
            return {0: "false", 1: "true"}.get(number, str(number))
        case Kind.FLOATING:
            return _floating(number, type.size)
        case Kind.CHARACTER if type.name == "char":
            return f"'{_escaped(number)}'" if number in _ESCAPES or 32 <= number < 127 else str(signed)
        case Kind.SIGNED | Kind.CHARACTER:
            return str(signed)
        case _:
            return str(number)


def quoted(content: Sequence[int]) -> str:
    """A string literal; long ones are cut."""
    text = "".join("'" if one == 39 else _escaped(one) for one in content[:_CHARACTERS])
    return f'"{text}"' + ("…" if len(content) > _CHARACTERS else "")


def _escaped(character: int) -> str:
    if character in _ESCAPES:
        return '"' if character == 34 else _ESCAPES[character]
    return chr(character) if 32 <= character < 127 else f"\\x{character:02x}"


def _enumerator(type: Enumeration, number: int) -> str:
    if type.is_signed and number >> 8 * type.size - 1:
        number -= 1 << 8 * type.size
    return type.names.get(number, str(number))


def _floating(number: int, size: int) -> str:
    if size == 4:
        (value,) = struct.unpack("<f", number.to_bytes(4, "little"))
        text = next((t for t in (f"{value:.{digits}g}" for digits in range(1, 10)) if _same(t, value)), repr(value))
    elif size == 8:
        (value,) = struct.unpack("<d", number.to_bytes(8, "little"))
        text = repr(value)
    else:
        value = _extended(number)
        text = repr(value)
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    text = text if any(mark in text for mark in ".en") else f"{text}.0"
    return text + {4: "f", 8: ""}.get(size, "L")


def _same(text: str, value: float) -> bool:
    try:
        return bool(struct.unpack("<f", struct.pack("<f", float(text)))[0] == value)
    except OverflowError:
        return False


def _extended(number: int) -> float:
    """The x87's format of 80 bits."""
    sign, exponent, mantissa = number >> 79 & 1, number >> 64 & 0x7FFF, number & (1 << 64) - 1
    if exponent == 0x7FFF:
        value = float("nan") if mantissa << 1 & (1 << 64) - 1 else float("inf")
    else:
        try:
            value = mantissa * 2.0 ** (max(exponent, 1) - 16383 - 63)
        except OverflowError:
            value = float("inf")
    return -value if sign else value


def _text(content: Bytes) -> str | None:
    """Up to where it ends; as numbers if it does not, or holds what is no text."""
    known: list[int] = []
    for one in content:
        if one == 0:
            break
        if one is None:
            return f"{quoted(known)}…" if known else None
        known.append(one)
    return quoted(known)


def _array(type: Array, content: Bytes, pointer: PointerText, depth: int) -> str | None:
    size = type.element.size
    if not size or depth > _DEEP:
        return None
    count = min(type.count or len(content) // size, _ELEMENTS)
    parts = [written(type.element, content[at * size : (at + 1) * size], pointer, depth + 1) for at in range(count)]
    if all(part is None for part in parts):
        return None
    more = ["…"] if (type.count or count) > count else []
    return "{" + ", ".join([*(part or _UNKNOWN for part in parts), *more]) + "}"


def _record(type: Record, content: Bytes, pointer: PointerText, depth: int) -> str | None:
    if depth > _DEEP:
        return None
    parts = []
    for member in type.members[:1] if type.is_union else type.members:
        text = member_text(member.type, member.offset, member.width, content, pointer, depth + 1)
        if text is not None:
            parts.append(f".{member.name} = {text}" if member.name else text)
    return "{" + ", ".join(parts) + "}" if parts else None


def member_text(
    type: Type, offset: int, width: int, content: Bytes, pointer: PointerText, depth: int = 0
) -> str | None:
    """``offset`` and ``width`` in bits; the width is 0 but for bit-fields."""
    start = offset // 8
    if not width:
        return written(type, content[start : start + type.size], pointer, depth)
    number = whole(content[start : (offset + width + 7) // 8])
    if number is None:
        return None
    field = number >> offset % 8 & (1 << width) - 1
    if isinstance(type, Scalar) and type.kind is Kind.SIGNED and field >> width - 1:
        field += (1 << 8 * type.size) - (1 << width)
    return written(type, list(field.to_bytes(type.size, "little")), pointer, depth)
