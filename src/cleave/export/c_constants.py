r"""Values of a trace as constants of C.

    constant("4294967293bv32", "__VERIFIER_nondet_int")        -3
    constant("4294967293bv32", "__VERIFIER_nondet_uint")       4294967293U
    constant("1070596096bv32", "__VERIFIER_nondet_float")      0x1.a000000000000p+0

A trace has bits; what they mean is known from the name of the function that returned them. Of a function with another
name, values are given only where signed and unsigned numbers compare alike.
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
_INT = 32  # bits of what smaller numbers become before they are compared


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
    if kind in ("float", "double", "pointer") or width > 64:
        return "0" if kind == "pointer" and not number else None
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
