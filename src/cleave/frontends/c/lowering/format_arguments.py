"""Whether a call of printf or scanf has the arguments that its format asks for.

    printf("%d %s\\n", 5)         violates memory: a string is read through an argument that is not there
    printf("%s\\n", 5)            violates memory: %s needs a pointer

A number of another size, or in place of another kind of number, is no memory; the text is not known then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.format_parts import Part

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.formats import Code

_PRINTED_POINTERS = "sn"  # %p prints whatever it is given


def require_arguments(code: Code, name: str, parts: Sequence[Part], arguments: Sequence[l.Value]) -> None:
    """The first argument that is missing, or no pointer, is a violation."""
    scans = name.endswith("scanf")
    for number, kind in enumerate(_asked(parts, scans=scans)):
        if number >= len(arguments):
            code.never(f"{_shown(name)} is given too few arguments: its format asks for more than {len(arguments)}")
            return
        needs_pointer = scans or kind in _PRINTED_POINTERS
        if needs_pointer and kind != "*" and not isinstance(arguments[number].type, l.PointerType):
            code.never(f"{_shown(name)} is given no pointer for %{kind}")
            return


def _asked(parts: Sequence[Part], *, scans: bool) -> Iterator[str]:
    """The conversion that each argument is for; ``*`` for a width or a precision."""
    for part in parts:
        if part.kind in ("text", "any", "wrong", "m") or part.skip:
            continue
        if not scans:
            yield from ("*" for said in (part.width, part.precision) if said == "*")
        yield part.kind


def _shown(name: str) -> str:
    return name.removeprefix("__isoc99_").removeprefix("__isoc23_").removeprefix("__").removesuffix("_chk")
