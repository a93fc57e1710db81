"""Calls of scanf with constant formats: any values where the pointers point to, as many as it says that it read.

scanf("%d%s", &n, word)             count = __cleave_scan_count(2)
                                    __cleave_scan(&n, 4, 0, count)              stores if 0 < count
                                    __cleave_scan_word(word, most, 1, count)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.format_parts import Part, UnknownFormatError, scanned_parts_of

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.formats import Code

# Where the format is.
INPUT = {
    prefix + name: place
    for prefix in ("", "__isoc99_", "__isoc23_")
    for name, place in {"scanf": 0, "fscanf": 1, "sscanf": 1}.items()
}
_INT = l.IntType(32)


def scan_code(code: Code, text: str, pointers: Sequence[l.Value], *, of_text: bool) -> None:
    """``of_text``: what is read is a text of the program, and so no input."""
    stored = [part for part in scanned_parts_of(text) if part.kind != "text" and not part.skip]
    if len(stored) > len(pointers) or any(not isinstance(p.type, l.PointerType) for p in pointers):
        raise UnknownFormatError
    counted = sum(part.kind != "n" for part in stored)
    count = code.call("scan_count_of_text" if of_text else "scan_count", _INT, code.number(counted))
    index = 0
    for part, pointer in zip(stored, pointers, strict=False):
        _store(code, part, pointer, code.number(-1 if part.kind == "n" else index), count, of_text)
        index += part.kind != "n"
    code.result(count)


def _store(code: Code, part: Part, pointer: l.Value, index: l.Value, count: l.Value, of_text: bool) -> None:
    pointer_size = code.word.width // 8
    if part.kind in ("s", "[") and not part.length:
        most = code.number(int(part.width or (1 << code.word.width - 1)), code.word)
        name = "scan_some" if of_text or part.kind == "[" else "scan_word"
        code.call(name, l.VOID, pointer, most, index, count)
        return
    if part.kind in "diouxXn":
        size = part.size(pointer_size)
    elif part.kind in "aefgAEFG":
        size = {"l": 8, "L": 16 if pointer_size == 8 else 12}.get(part.length, 4)
    elif part.kind == "c" and not part.length:
        size = int(part.width or 1)
    else:
        raise UnknownFormatError
    name = "scan_of_text" if of_text else "scan"
    code.call(name, l.VOID, pointer, code.number(size, code.word), index, count)
