"""Why a check of memory failed, in words.

a[i] = 0;       index 10 is outside of a[10], declared at line 3
*p = 1;         p points to 4 bytes that were allocated at line 4 and freed at line 7
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.explain.c.objects import Block
from cleave.explain.c.paths import parts
from cleave.explain.c.rows import Row, Rows
from cleave.explain.c.state import State, Touched, named
from cleave.explain.history import History
from cleave.ir.program import Assert, Check
from cleave.ir.source import ARGUMENTS, Array, Pointer
from cleave.logic.terms import signed
from cleave.validate.semantics.events import Event

MEMORY, LEAKS, LOST = "memory", "leaks", "lost-memory"
_FEW = 3
_LITERAL = "a string literal"


class Reasons:
    def __init__(self, state: State, history: History, rows: Rows) -> None:
        self._state = state
        self._history = history
        self._rows = rows

    def of(self, check: Check, event: Event, row: Row, read: Sequence[Touched]) -> str | None:
        """A sentence that says more than the check's own message; None where there is none."""
        subject, position = event.subject, len(self._history.events) - 1
        if check.property in (LEAKS, LOST):
            return self._leaked(position)
        if check.property != MEMORY or not isinstance(subject, Assert):
            return None
        numbers = [self._history.evaluate(term, event.frame, position) for term in subject.values]
        found = [int(one) for one in numbers if isinstance(one, int)]
        if len(found) != len(numbers) or not found:
            return None
        bits = self._state.source.bits
        does = "is written" if " written" in subject.message else "is read"
        if len(found) in (3, 4):
            size, offset, *_, base = found
            block = self._state.objects.starting_at(base, position)
            if block is None or not block.is_alive(position):
                return self._no_object(base, does, row, position, read)
            return self._outside(base, signed(offset, bits), size, row, position)
        if subject.message.startswith("free "):
            return self._not_freed(found[0], row, position, read)
        if " through " not in subject.message:
            return None
        return self._no_object(found[0], does, row, position, read)

    # --- outside of an object ---------------------------------------------------------------------------------------

    def _outside(self, base: int, offset: int, size: int, row: Row, position: int) -> str | None:
        block = self._state.objects.starting_at(base, position)
        if block is None:
            return None
        if block.variable.name == ARGUMENTS:
            place = f" at line {block.variable.location.line}" if block.variable.location is not None else ""
            return f"va_arg asks for an argument that the call{place} does not give"
        element, what = self._shape(block, offset, size, row, position)
        if element is not None and 0 <= offset < (block.size or 0) and size > element and offset % element == 0:
            return f"{_bytes(size)} from index {offset // element} on do not fit into {what}, {self._made(block)}"
        if element is None or offset % element:
            where = "before the start" if offset < 0 else f"at offset {offset}"
            return f"{_bytes(size)} {where} {'are' if size != 1 else 'is'} outside of {what}, {self._made(block)}"
        return f"index {offset // element} is outside of {what}, {self._made(block)}"

    def _shape(self, block: Block, offset: int, size: int, row: Row, position: int) -> tuple[int | None, str]:
        """The size of its elements, if it has some, and how the source would declare it."""
        name, type, start, by_pointer = self._state.name(block, row.frame, position)
        name = _LITERAL if name.startswith(".str") else name
        whole = block.size or 0
        if by_pointer and type is not None and type.size and not start:
            count = whole // type.size
            shown = f"{name}[{count}]" if whole % type.size == 0 else f"the {_bytes(whole)} that {name} points to"
            return type.size, shown
        if type is None or by_pointer:
            known = size if size and whole % size == 0 and offset % size == 0 and size > 1 else None
            count = whole // size if known else 0
            return known, f"{count} elements ({_bytes(whole)})" if known else f"{_bytes(whole)}"
        if isinstance(type, Array):
            count = type.count or whole // max(type.element.size, 1)  # of a variable length: what it came to
            inner, dimensions = type.element, f"[{count}]"
            while isinstance(inner, Array):
                dimensions, inner = f"{dimensions}[{inner.count}]", inner.element
            shown = f"{name}{dimensions}" if name != _LITERAL else f"{_LITERAL} of {_bytes(whole)}"
            return type.element.size, shown
        return None, f"{name}, which has {_bytes(whole)}"

    # --- no object --------------------------------------------------------------------------------------------------

    def _no_object(self, base: int, does: str, row: Row, position: int, read: Sequence[Touched]) -> str | None:
        block = self._state.objects.starting_at(base, position)
        pointer, number = self._pointer(base, row, position, read)
        if block is not None and block.ended is not None and not block.is_alive(position):
            return f"{pointer} points to {self._described(block)}{self._gone(block)}"
        return f"memory {does} through {pointer}, which is NULL" if number == 0 else None

    def _not_freed(self, address: int, row: Row, position: int, read: Sequence[Touched]) -> str | None:
        pointer, _ = self._pointer(address, row, position, read)
        block = self._state.objects.around(address, position)
        if block is None:
            return None
        if block.variable.kind != "heap":
            return f"free is given {pointer}, which points to {self._described(block)}"
        if address != block.base:
            distance = _bytes(address - block.base)
            return f"free is given {pointer}, which points {distance} behind the start of {self._described(block)}"
        return f"free is given {pointer}, which points to {self._described(block)}" if block.ended is not None else None

    def _pointer(self, base: int, row: Row, position: int, read: Sequence[Touched]) -> tuple[str, int | None]:
        """The name of a pointer, among what the line reads, that points into the object."""
        slot = self._slot()
        for touched in read:
            for name, number in self._pointers(touched, row, position):
                if number == base or number >> slot == base >> slot:
                    return name, number
        return "a pointer", None

    def _pointers(self, touched: Touched, row: Row, position: int) -> list[tuple[str, int]]:
        name, type, start, by_pointer = self._state.name(touched.block, row.frame, position)
        if type is None:
            return []
        found = []
        for part in parts(Array(type, 0) if by_pointer else type, touched.offset - start):
            if isinstance(part.type, Pointer):
                content = self._state.content(touched.block, start + part.start, part.size, row.frame, position)
                known = [one for one in content if one is not None]
                if len(known) == len(content):
                    found.append((named(name, part, by_pointer), int.from_bytes(bytes(known), "little")))
        return found

    def _slot(self) -> int:
        return 40 if self._state.source.bits == 64 else 12

    # --- where it comes from ----------------------------------------------------------------------------------------

    def _described(self, block: Block) -> str:
        variable = block.variable
        if variable.kind == "heap":
            made, ended = self._place(block.made), self._place(block.ended)
            gone = f" and freed{ended}" if block.ended is not None else ""
            return f"{_bytes(block.size or 0)} that were allocated{made}{gone}"
        if variable.kind == "local":
            function = self._state.source.functions.get(variable.procedure)
            name = function.name if function else variable.procedure
            return f"{variable.name}, a local variable of {name}" if variable.name else f"a local object of {name}"
        return _LITERAL if variable.name.startswith(".str") else f"{variable.name}, which malloc did not give"

    def _made(self, block: Block) -> str:
        line = self.line(block.made) if block.made >= 0 else None
        if line is None and block.variable.location is not None and not block.variable.location.file.startswith("<"):
            line = block.variable.location.line
        word = "allocated" if block.variable.kind == "heap" else "declared"
        ended = f", {self._ended(block)}" if block.ended is not None else ""
        return (f"{word} at line {line}" if line is not None else word) + ended

    def _ended(self, block: Block) -> str:
        line = self.line(block.ended) if block.ended is not None else None
        if block.variable.kind == "heap":
            return f"freed at line {line}" if line is not None else "freed"
        return f"which ended at line {line}" if line is not None else "which ended"

    def _place(self, position: int | None) -> str:
        line = self.line(position) if position is not None else None
        return f" at line {line}" if line is not None else ""

    def _gone(self, block: Block) -> str:
        return "" if block.variable.kind == "heap" else f", {self._ended(block)}"

    def line(self, position: int) -> int | None:
        row = self._rows.of_event.get(position)
        return row.location.line if row is not None else None

    def _leaked(self, position: int) -> str | None:
        lost = [b for b in self._state.objects.all() if b.variable.kind == "heap" and b.is_alive(position)]
        lost = [block for block in lost if block.made >= 0 or block.variable.location is not None]
        if not lost:
            return None
        shown = [f"{_bytes(block.size or 0)} {self._made(block)}" for block in lost[:_FEW]]
        more = f", and {len(lost) - _FEW} more blocks" if len(lost) > _FEW else ""
        return f"never freed: {'; '.join(shown)}{more}"


def _bytes(number: int) -> str:
    return "1 byte" if abs(number) == 1 else f"{abs(number)} bytes"
