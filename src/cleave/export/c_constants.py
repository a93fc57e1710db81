r"""Values of a trace as constants of C.

    constant("4294967293bv32", "__VERIFIER_nondet_int")        -3
    constant("4294967293bv32", "__VERIFIER_nondet_uint")       4294967293U
    constant("1070596096bv32", "__VERIFIER_nondet_float")      0x1.a000000000000p+0
    comparison("64bv64", "__VERIFIER_nondet_pointer")          != 0

A trace has bits; what they mean is known from the name of the function that returned them. Of a function with another
name, values are given only where signed and unsigned numbers compare alike. An address means nothing outside of the
run that chose it, so that of a pointer it is said only whether it is null.
"""

from __future__ import annotations

import math
import re
import struct

_BITS = re.compile(r"(\d+)bv(\d+)")
_NONDET = "__VERIFIER_nondet_"
_UNSIGNED = frozenset(
    {"uchar", "ushort", "uint", "ulong", "ulonglong", "size_t", "unsigned", "unsigned_int", "unsigned_char"}
    | {"unsigned_long", "u8", "u16", "u32", "u64", "bool", "_Bool"}
)
_SIGNED = frozenset({"char", "short", "int", "long", "longlong", "loff_t", "ssize_t", "s8", "s16", "s32", "s64"})
_FLOATS = {("float", 32): ("<I", "<f"), ("double", 64): ("<Q", "<d")}
_POINTERS = frozenset({"pointer", "charp", "const_char_pointer"})
_INT = 32  # bits of what smaller numbers become before they are compared


def comparison(value: str, function: str) -> str | None:
    """How the value compares with a constant, as the end of an expression; None where nothing can be said."""
    if function.removeprefix(_NONDET) in _POINTERS:
        bits = _BITS.fullmatch(value)
        number = bits[1] if bits is not None else value
        return None if not number.isdigit() else "!= 0" if int(number) else "== 0"
    written = constant(value, function)
    return None if written is None else f"== {written}"


def constant(value: str, function: str) -> str | None:
    """None where no constant of C is equal to the value."""
    if value in ("true", "false"):
        return "1" if value == "true" else "0"
    kind = function.removeprefix(_NONDET) if function.startswith(_NONDET) else ""
    if re.fullmatch(r"-?\d+", value):  # a mathematical integer
        return f"{value}U" if kind in _UNSIGNED else value
    bits = _BITS.fullmatch(value)
    if bits is None:
        return None
    number, width = int(bits[1]), int(bits[2])
    if (kind, width) in _FLOATS:
        return _float(number, *_FLOATS[kind, width])
    if kind in ("float", "double", *_POINTERS) or width > 64:
        return "0" if kind in _POINTERS and not number else None
    if kind in _UNSIGNED:
        return f"{number}U" if width >= _INT else str(number)
    if number >> (width - 1) and kind not in _SIGNED and width < _INT:
        return None
    return _signed(number, width)


def _signed(number: int, width: int) -> str:
    value = number - (1 << width) if number >> (width - 1) else number
    # The number without its sign would be too large for a constant.
    return f"({value + 1} - 1)" if value == -(1 << 63) else str(value)


def _float(bits: int, whole: str, floating: str) -> str | None:
    value: float = struct.unpack(floating, struct.pack(whole, bits))[0]
    return value.hex() if math.isfinite(value) else None
