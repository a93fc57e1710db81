"""What a failed check says, with the values that it is about.

    "{0:signed} + {1:signed} does not fit into int", values a and b            "2147483647 + 1 does not fit into int"

After the colon stands how a value is written: as a ``signed`` or ``unsigned`` number, as a ``float`` or ``double``, as
a ``pointer`` that is not valid, else as it is.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from cleave.ir.program import Assert
from cleave.logic.terms import Term, signed
from cleave.logic.values import Value, show

_FLOATING = {"_Float16": "<e", "float": "<f", "double": "<d"}
_VALUE = re.compile(r"\{(?P<number>\d+):(?P<how>[\w ]+)\}")


def said(check: Assert, value_of: Callable[[Term], Value | None]) -> str:
    """The message; what is not known is a question mark."""
    if not check.values:
        return check.message

    def shown(found: re.Match[str]) -> str:
        number = int(found["number"])
        if number >= len(check.values):
            return found[0]
        term = check.values[number]
        value = value_of(term)
        return "?" if value is None else _written(value, term, found["how"])

    return _VALUE.sub(shown, check.message)


def _written(value: Value, term: Term, how: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int) or not term.sort.is_bitvec:
        return show(value, term.sort)
    if how == "signed":
        return str(signed(value, term.sort.width))
    if how == "pointer":
        return "a dangling or wild pointer" if value else "a null pointer"
    if how in _FLOATING and term.sort.width == 8 * struct.calcsize(_FLOATING[how]):
        return repr(struct.unpack(_FLOATING[how], value.to_bytes(term.sort.width // 8, "little"))[0])
    return str(value) if how == "unsigned" else show(value, term.sort)
