"""Constants as numbers, and the bytes that global variables hold when the program starts.

int *p = &a[1];         the address of a plus 4, little end first
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.errors import UnsupportedError
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout, walk_indices

_MOST_BYTES = 100_000_000


class Constants:
    """Evaluates constants, given the addresses of globals and functions."""

    def __init__(self, layout: Layout, address: Callable[[str], int], aliases: dict[str, l.Value]) -> None:
        self._layout = layout
        self._address = address
        self._aliases = aliases

    def number(self, value: l.Value) -> int | None:
        """The bits of a scalar constant; None if it is undefined."""
        match value:
            case l.ConstInt(_, number):
                return number
            case l.ConstBits(_, bits):
                return bits
            case l.ConstNull() | l.ConstZero():
                return 0
            case l.ConstUndef():
                return None
            case l.GlobalRef(name):
                if name in self._aliases:
                    return self.number(self._aliases[name])
                return self._address(name)
            case l.ConstExpression():
                return self._expression(value)
            case _:
                raise UnsupportedError(f"a constant of the kind {type(value).__name__} is not supported here")

    def _expression(self, value: l.ConstExpression) -> int | None:
        numbers = [self.number(operand) for operand in value.operands]
        if any(number is None for number in numbers):
            return None
        known = [number for number in numbers if number is not None]
        match value.opcode:
            case "getelementptr":
                assert value.source is not None
                constant, variable = walk_indices(self._layout, value.source, value.operands[1:])
                extra = sum((self.number(index) or 0) * size for index, size in variable)
                return known[0] + constant + extra
            case "ptrtoint" | "inttoptr" | "bitcast" | "addrspacecast" | "trunc":
                width = self._layout.stored(value.type) * 8
                return known[0] % (1 << width)
            case "add":
                return known[0] + known[1]
            case "sub":
                return known[0] - known[1]
            case "xor":
                return known[0] ^ known[1]
            case "mul":
                return known[0] * known[1]
            case _:
                raise UnsupportedError(f"the constant expression {value.opcode!r} is not supported")

    def image(self, value: l.Value, size: int) -> bytes:
        """The ``size`` bytes of a whole initialiser; undefined bytes are zero."""
        if size > _MOST_BYTES:
            raise UnsupportedError(f"an initial value of {size:,} bytes is too large")
        content = bytearray(size)
        self._write(value, content, 0)
        return bytes(content)

    def _write(self, value: l.Value, content: bytearray, at: int) -> None:
        match value:
            case l.ConstZero() | l.ConstNull() | l.ConstUndef():
                return
            case l.ConstBytes(_, text):
                content[at : at + len(text)] = text
            case l.ConstAggregate(type, elements):
                for index, element in enumerate(elements):
                    offset, _ = self._layout.element(type, index)
                    self._write(element, content, at + offset)
            case _:
                width = self._layout.stored(value.type)
                number = (self.number(value) or 0) % (1 << 8 * width)
                content[at : at + width] = number.to_bytes(width, "little")
