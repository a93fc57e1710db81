"""The values of a C program's variables during an execution, by the names that the source has for them.

    heap[p + 8] := 5        q->max.x = 5, if q points to where the block begins

Objects without a name are called by a pointer to them that can be seen, else by where they were made: ``malloc@12``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from cleave.explain.c.objects import Block, Objects
from cleave.explain.c.paths import Part, common, leaf, leaves, parts
from cleave.explain.c.values import is_text, member_text, quoted, whole, written
from cleave.explain.history import History
from cleave.ir.source import Array, Opaque, Pointer, Record, Scalar, Source, Type, Variable
from cleave.logic.values import MapValue

_FEW = 3  # parts of one object that are shown one by one
_WIDEST = 16  # bytes of a cell
_MOST = 1 << 12  # bytes of an object that are read


class Frame(NamedTuple):
    """An activation: its number, its procedure, and who called it."""

    number: int
    procedure: str
    caller: int = -1


class Called(NamedTuple):
    """How the source calls an object, what it has there, and how far from the start of the object that begins."""

    name: str
    type: Type | None
    start: int = 0
    by_pointer: bool = False


class Touched(NamedTuple):
    block: Block
    offset: int
    size: int


class State:
    def __init__(self, source: Source, history: History, frames: Mapping[int, Frame]) -> None:
        self.source = source
        self.objects = Objects(source, history)
        self._history = history
        self._frames = frames
        self._globals = [one for one in source.variables if one.kind == "global" and one.name and one.type is not None]

    # --- memory -----------------------------------------------------------------------------------------------------

    def content(self, block: Block, offset: int, size: int, frame: int, before: int) -> list[int | None]:
        """Bytes of an object, just before an event."""
        found: list[int | None] = []
        literal = block.variable.content
        if literal is not None:
            return [literal[at] if at < len(literal) else None for at in range(offset, offset + size)]
        while len(found) < min(size, _MOST):
            found += self._piece(block, offset + len(found), frame, before)
        return found[:size]

    def _piece(self, block: Block, offset: int, frame: int, before: int) -> list[int | None]:
        """From ``offset`` to the end of the cell that it is in."""
        for back in range(_WIDEST):
            cell = block.variable.memory.piece(offset - back)
            if cell is None:
                continue
            if cell.size <= back:
                break
            number = self._cell(block, offset - back, frame, before)
            if number is None:
                return [None] * (cell.size - back)
            return list((number >> 8 * back).to_bytes(cell.size - back, "little"))
        return [None]

    def _cell(self, block: Block, offset: int, frame: int, before: int) -> int | None:
        cell = block.variable.memory.piece(offset)
        if cell is None or cell.variable is None:
            return None
        if cell.variable.is_value:
            value = cell.variable.value
        else:
            owner = self._owner(cell.owner, frame)
            value = self._history.value(self._history.place(owner, cell.variable), before)
            if isinstance(value, MapValue):
                value = value[block.base + offset]
        return int(value) if isinstance(value, int) else None

    def _owner(self, procedure: str, frame: int) -> int:
        number = frame
        while procedure and number >= 0 and self._frames[number].procedure != procedure:
            number = self._frames[number].caller
        return number if number >= 0 else frame

    # --- names ------------------------------------------------------------------------------------------------------

    def name(self, block: Block, frame: int, before: int, words: Collection[str] = ()) -> Called:
        """What an object is called; if it has no name, by a pointer to it, if possible one among the ``words``."""
        variable = block.variable
        has_name = variable.kind != "heap" and bool(variable.name)
        if has_name and (variable.name in words or not words):
            return Called(variable.name, variable.type)
        pointers = sorted(self._pointers(block, frame, before), key=lambda one: one[0].name not in words)
        for pointer, offset in pointers[:1]:
            if not has_name or pointer.name in words:
                assert isinstance(pointer.type, Pointer)
                return Called(pointer.name, pointer.type.to, offset, by_pointer=True)
        return Called(variable.name, variable.type) if has_name else Called(self.anonymous(block), None)

    def anonymous(self, block: Block) -> str:
        """``malloc@12``: what was made in line 12."""
        line = f"@{block.variable.location.line}" if block.variable.location is not None else ""
        return f"{block.variable.name or 'memory'}{line}" + (f"#{block.number}" if block.number > 1 else "")

    def _pointers(self, block: Block, frame: int, before: int) -> Iterator[tuple[Variable, int]]:
        """Variables that point into an object, those that point to its start first."""
        end = block.base + (block.size or 1)
        inside: list[tuple[Variable, int]] = []
        for variable in self.visible(frame):
            type = variable.type
            if not isinstance(type, Pointer) or type.to is None or not type.to.size or variable.address is None:
                continue
            holder = self.objects.starting_at(variable.address, before)
            number = None if holder is None else whole(self.content(holder, 0, type.size, frame, before))
            if number == block.base:
                yield variable, 0
            elif number is not None and block.base < number < end:
                inside.append((variable, number - block.base))
        yield from inside

    def visible(self, frame: int) -> Iterator[Variable]:
        function = self.source.functions.get(self._frames[frame].procedure) if frame in self._frames else None
        if function is not None:
            yield from (one for one in function.variables if one.name)
        yield from self._globals

    # --- what is said -----------------------------------------------------------------------------------------------

    def told(self, touched: Iterable[Touched], frame: int, before: int, words: Collection[str] = ()) -> dict[str, str]:
        """Names and values of what was touched, as they are just before an event."""
        offsets: dict[Block, list[tuple[int, int]]] = {}
        for block, offset, size in touched:
            offsets.setdefault(block, []).append((offset, offset + size))
        found: dict[str, str] = {}
        for block, ranges in offsets.items():
            found.update(self._told(block, ranges, self.name(block, frame, before, words), frame, before))
        return found

    def _told(
        self, block: Block, ranges: list[tuple[int, int]], called: Called, frame: int, before: int
    ) -> Iterator[tuple[str, str]]:
        name, type, start, by_pointer = called
        if type is None or is_internal(type) or block.variable.kind in ("literal", "function"):
            return
        if by_pointer:
            type = Array(type, 0)
        touched = {
            part.offset: part
            for first, last in sorted(set(ranges))[:_MOST]
            for part in leaves(type, first - start, last - start)
        }
        shown = list(touched.values())
        if len(shown) > _FEW or (len(shown) > 1 and _in_text(type, shown)):
            whole_part = common(type, [part.start for part in shown])
            if isinstance(whole_part.type, Array) and not whole_part.type.count:  # of a pointer: the elements
                last = max(part.start for part in shown)
                size = (block.size or last + 1) - start
                shape = Array(whole_part.type.element, max(1, size // whole_part.type.element.size))
                whole_part = Part("", shape, 0)
            shown = [whole_part]
        for part in shown:
            text = self.part_text(block, part, start, frame, before)
            if text is not None:
                yield named(name, part, by_pointer), text

    def part_text(self, block: Block, part: Part, start: int, frame: int, before: int) -> str | None:
        content = self.content(block, start + part.start, part.size, frame, before)
        return member_text(
            part.type, part.offset % 8, part.width, content, lambda number, to: self.pointer(number, to, frame, before)
        )

    def value(self, type: Type, number: int, frame: int, before: int) -> str | None:
        """Of a scalar, which is in no memory."""
        if not type.size:
            return None
        content = list((number & (1 << 8 * type.size) - 1).to_bytes(type.size, "little"))
        return written(type, content, lambda other, to: self.pointer(other, to, frame, before))

    # --- pointers ---------------------------------------------------------------------------------------------------

    def pointer(self, number: int, type: Pointer, frame: int, before: int) -> str:
        if not number:
            return "NULL"
        block = self.objects.around(number, before)
        if block is None:
            return f"{number:#x}"
        variable, offset = block.variable, number - block.base
        if variable.kind == "function":
            return variable.name
        if variable.kind == "literal" and variable.content is not None:
            text = quoted(variable.content.rstrip(b"\0"))
            return text if not offset else f"&{text}[{offset}]"
        if variable.kind == "heap" or not variable.name:
            return self._into_heap(block, offset, type)
        if variable.type is None:
            return f"&{variable.name}" + (f" + {offset}" if offset else "")
        return reference(variable.name, variable.type, offset, type.to)

    def _into_heap(self, block: Block, offset: int, type: Pointer) -> str:
        name = self.anonymous(block)
        if not offset:
            return name
        size = type.to.size if type.to is not None and type.to.size else 1
        return f"&{name}[{offset // size}]" if offset % size == 0 else f"{name} + {offset} bytes"


def reference(name: str, whole: Type, offset: int, to: Type | None) -> str:
    """``&buf[3]``: the part at an offset that is as large as what is pointed to."""
    size = to.size if to is not None and to.size else 0
    if isinstance(whole, Array) and not offset and (not size or size == whole.element.size):
        return name
    if isinstance(whole, Array) and offset == whole.size and whole.element.size:
        return f"&{name}[{whole.count}]"
    fitting = [part for part in parts(whole, offset) if part.start == offset and (not size or part.type.size >= size)]
    if not fitting:
        at = leaf(whole, offset)
        more = f" + {offset - at.start} bytes" if offset != at.start else ""
        return f"&{name}{at.path}{more}"
    found = fitting[-1] if size else fitting[0]
    if isinstance(found.type, Array) and found.type.element.size == size:
        return f"{name}{found.path}"
    return f"&{name}{found.path}"


def named(name: str, part: Part, by_pointer: bool) -> str:
    """``*p``, ``p->next`` and ``p[3]`` for parts of what a pointer points to; ``r.max.x`` for those of a variable."""
    if not by_pointer or not part.path.startswith("["):
        return f"{name}{part.path}"
    first, _, rest = part.path.partition("]")
    if first != "[0":
        return f"{name}{part.path}"
    if rest.startswith("."):
        return f"{name}->{rest[1:]}"
    return f"*{name}" if not rest else f"(*{name}){rest}"


def is_internal(type: Type) -> bool:
    """Whether it is a type of the C library, whose parts a user does not know: their names begin with ``__``."""
    match type:
        case Array(element=element):
            return is_internal(element)
        case Record(name=name, members=members):
            return "__va_list" in name or (bool(members) and all(one.name.startswith("__") for one in members))
        case Opaque():
            return True
        case _:
            return False


def _in_text(type: Type, shown: list[Part]) -> bool:
    whole_part = common(type, [part.start for part in shown])
    is_characters = isinstance(shown[0].type, Scalar) and shown[0].type.name == "char"
    return is_text(whole_part.type) or (is_characters and isinstance(whole_part.type, Array))
