"""A region's memory cut into cells: pieces that every access covers as wholes.

    struct { int n; struct s *next; } *p;       two cells at 0 and 8: two arrays, one for all n, one for all next
    union { long l; int i[2]; } u;              accesses [0, 8), [0, 4), [4, 8): two cells; l is both, joined
    int a[10] with a[i]                         stride 4: one cell, an array

A cell of a region with stride 0 is at one offset of each object; with stride s it repeats every s bytes. No two cells
overlap, so each can be a variable of its own. A cell that is never read needs none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from math import gcd, lcm

from cleave.frontends.c.analysis.accesses import Access, Clobber, Range
from cleave.frontends.c.analysis.offsets import Offset
from cleave.frontends.c.analysis.points_to import PointsTo, Region
from cleave.logic.terms import Term
from cleave.records import dataclass

_MOST = 4096  # bytes of a copy between cells that repeat and cells that do not
UNROLLED = 64  # elements of a range that are written one by one; longer ones become loops


@dataclass(slots=True, eq=False)
class Cell:
    start: int
    size: int
    memory: Memory = field(repr=False)
    read: bool = False
    written: bool = False
    variable: Term | None = None  # an array indexed by addresses, or a bit vector; None: never read
    owner: str = ""  # the function whose local variable it is
    mark: Term | None = None  # whether it is set; None: it always is, or nobody asks

    @property
    def is_array(self) -> bool:
        return self.variable is not None and self.variable.sort.is_array


@dataclass(slots=True, eq=False)
class Memory:
    """The cells of one region, and what was found out about it."""

    region: Region
    stride: int = 0
    cuts: set[int] = field(default_factory=set)
    cells: dict[int, Cell] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)  # that access it
    single: bool = False  # it is one object that exists once at a time: a cell with stride 0 is a plain variable

    def at(self, offset: int) -> int:
        return offset % self.stride if self.stride else offset

    def pieces(self, start: int, size: int) -> list[tuple[Cell, int]]:
        """The cells that make up ``size`` bytes from offset ``start``, each with its distance from there."""
        found: list[tuple[Cell, int]] = []
        distance = 0
        while distance < size:
            cell = self.cells.get(self.at(start + distance))
            if cell is None:
                break
            found.append((cell, distance))
            distance += cell.size
        return found

    def cut(self, start: int, size: int) -> list[int]:
        """The distances from offset ``start``, below ``size``, at which there is a cut."""
        if not self.stride:
            return [cut - start for cut in self.cuts if start <= cut < start + size]
        return [distance for cut in self.cuts for distance in range(self.at(cut - start), size, self.stride)]

    def make_cells(self) -> None:
        cuts = sorted(self.cuts)
        if self.stride:
            ends = [*cuts[1:], cuts[0] + self.stride] if cuts else []
        else:
            ends, cuts = cuts[1:], cuts[:-1]
        self.cells = {start: Cell(start, end - start, self) for start, end in zip(cuts, ends, strict=True)}


class MemoryMap:
    """All regions' cells. Variables are given to them later."""

    def __init__(self, points_to: PointsTo, accesses: Iterable[Access | Range | Clobber]) -> None:
        self._points_to = points_to
        self._memories: dict[Region, Memory] = {}
        found = list(accesses)
        self._plain = [access for access in found if isinstance(access, Access)]
        self._ranges = [access for access in found if isinstance(access, Range)]
        self._clobbers = [access for access in found if isinstance(access, Clobber)]
        self._set_strides()
        self._set_cuts()
        for memory in self._memories.values():
            memory.make_cells()
        self._mark_read()

    def of(self, region: Region) -> Memory:
        region = self._points_to.find(region)
        memory = self._memories.get(region)
        if memory is None:
            memory = self._memories[region] = Memory(region)
        return memory

    def all(self) -> Iterable[Memory]:
        return self._memories.values()

    @property
    def accesses(self) -> list[Access]:
        return self._plain

    @property
    def copies(self) -> list[Range]:
        return [each for each in self._ranges if each.source is not None]

    # --- strides ----------------------------------------------------------------------------------------------------

    def _set_strides(self) -> None:
        widths: dict[Memory, int] = {}
        for access in self._plain:
            memory = self.of(access.region)
            memory.functions.add(access.function)
            widths[memory] = gcd(widths.get(memory, 0), access.size)
            self._add_stride(memory, access.offset)
        for each in self._ranges:
            memory = self.of(each.region)
            memory.functions.add(each.function)
            self._add_stride(memory, each.offset)
            if each.source is not None:
                self.of(each.source).functions.add(each.function)
                self._add_stride(self.of(each.source), each.source_offset)
        for clobber in self._clobbers:
            self.of(clobber.region).functions.add(clobber.function)
        self._set_common_strides(widths)

    def _add_stride(self, memory: Memory, offset: Offset) -> None:
        memory.stride = gcd(memory.stride, offset[1])

    def _set_common_strides(self, widths: dict[Memory, int]) -> None:
        """What becomes a loop, element by element, needs cells that repeat with each element, on both sides."""
        changed = True
        while changed:
            changed = False
            for each in self._ranges:
                touched = [self.of(each.region)]
                if each.source is not None:
                    touched.append(self.of(each.source))
                if each.size is None:
                    step = each.element or gcd(*(widths.get(memory, 0) for memory in touched)) or 1
                elif _is_too_long(each.size, touched):
                    step = 0
                else:
                    continue
                for memory in touched:
                    step = gcd(step, memory.stride)
                for memory in touched:
                    if memory.stride != step:
                        memory.stride = step
                        changed = True

    # --- cuts -------------------------------------------------------------------------------------------------------

    def _set_cuts(self) -> None:
        for access in self._plain:
            memory = self.of(access.region)
            memory.cuts |= {memory.at(access.offset[0]), memory.at(access.offset[0] + access.size)}
        for each in self._ranges:
            memory = self.of(each.region)
            for region, offset in ((each.region, each.offset), (each.source, each.source_offset)):
                if region is not None:
                    memory = self.of(region)
                    memory.cuts |= {memory.at(offset[0]), memory.at(offset[0] + (each.size or 0))}
        while sum(map(self._spread_cuts, self.copies)):  # all of them, each time
            pass

    def _spread_cuts(self, copy: Range) -> bool:
        """A cut on one side of a copy is a cut on the other side."""
        assert copy.source is not None
        to, source = self.of(copy.region), self.of(copy.source)
        before, size = len(to.cuts) + len(source.cuts), _period(copy.size, to, source)
        source.cuts |= {source.at(copy.source_offset[0] + distance) for distance in to.cut(copy.offset[0], size)}
        to.cuts |= {to.at(copy.offset[0] + distance) for distance in source.cut(copy.source_offset[0], size)}
        return len(to.cuts) + len(source.cuts) != before

    # --- which cells matter -----------------------------------------------------------------------------------------

    def _mark_read(self) -> None:
        for access in self._plain:
            for cell, _ in self.of(access.region).pieces(access.offset[0], access.size):
                cell.read |= access.reads
                cell.written |= access.writes
        for each in self._ranges:
            memory = self.of(each.region)
            whole = not memory.stride and each.size is not None
            touched = [cell for cell, _ in memory.pieces(each.offset[0], each.size or 0)] if whole else None
            for cell in memory.cells.values() if touched is None else touched:
                cell.written = True
        for clobber in self._clobbers:
            for cell in self.of(clobber.region).cells.values():
                cell.written = True
        while sum(map(self._spread_read, self.copies)):
            pass

    def _spread_read(self, copy: Range) -> bool:
        assert copy.source is not None
        changed = False
        for to, source in self.pairs(copy):
            if to.read and not source.read:
                source.read = changed = True
        return changed

    def pairs(self, copy: Range) -> list[tuple[Cell, Cell]]:
        """The cells that a copy connects (each pair once for each period)."""
        assert copy.source is not None
        to, source = self.of(copy.region), self.of(copy.source)
        size = _period(copy.size, to, source)
        left = to.pieces(copy.offset[0], size)
        right = {distance: cell for cell, distance in source.pieces(copy.source_offset[0], size)}
        return [(cell, right[distance]) for cell, distance in left if distance in right]


def _period(size: int | None, to: Memory, source: Memory) -> int:
    """The bytes of a copy after which the same cells meet again; all of it where they do not repeat on both sides."""
    period = lcm(to.stride, source.stride)
    return period if size is None else min(size, period or size)


def _is_too_long(size: int, touched: list[Memory]) -> bool:
    """Whether a copy between cells that repeat and cells that do not is too long to be written piece by piece."""
    strides = [memory.stride for memory in touched]
    return 0 in strides and any(strides) and size > min(_MOST, UNROLLED * max(strides))
