"""Sorts: the types of terms, interned so that equal sorts are the same object.

    >>> array(INT, bitvec(8))
    (Array Int (_ BitVec 8))
    >>> array(INT, BOOL) is array(INT, BOOL)
    True

A map with several indices is an array of arrays; the front ends curry it.

Algebraic data types are declared in `datatypes`.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from cleave.errors import UnsupportedError


class SortKind(Enum):
    BOOL = "Bool"
    INT = "Int"
    REAL = "Real"
    BITVEC = "BitVec"
    ARRAY = "Array"
    UNINTERPRETED = "Uninterpreted"
    DATATYPE = "Datatype"


class Constructor(NamedTuple):
    """One way to make a value of a data type: of ``fields``, which ``selectors`` take out again."""

    name: str
    selectors: tuple[str, ...]
    fields: tuple[Sort, ...]


class Sort:
    """An interned sort; compare with ``is``. Made by the functions below, never directly."""

    __slots__ = ("constructors", "element", "group", "index", "kind", "name", "width")

    kind: SortKind
    width: int  # of a bit vector, else 0
    index: Sort  # of an array, else the sort itself
    element: Sort  # of an array, else the sort itself
    name: str  # of an uninterpreted sort or a data type, else ""
    constructors: tuple[Constructor, ...]  # of a data type, else none
    group: tuple[Sort, ...]  # the data types that were declared together with this one, itself included; else none

    def __init__(self, kind: SortKind, width: int = 0, parts: tuple[Sort, Sort] | None = None, name: str = "") -> None:
        self.kind = kind
        self.width = width
        self.index, self.element = parts if parts is not None else (self, self)
        self.name = name
        self.constructors = ()
        self.group = ()

    def __repr__(self) -> str:
        match self.kind:
            case SortKind.BITVEC:
                return f"(_ BitVec {self.width})"
            case SortKind.ARRAY:
                return f"(Array {self.index!r} {self.element!r})"
            case SortKind.UNINTERPRETED | SortKind.DATATYPE:
                return self.name
            case _:
                return str(self.kind.value)

    @property
    def is_bool(self) -> bool:
        return self.kind is SortKind.BOOL

    @property
    def is_array(self) -> bool:
        return self.kind is SortKind.ARRAY

    @property
    def is_bitvec(self) -> bool:
        return self.kind is SortKind.BITVEC

    @property
    def is_datatype(self) -> bool:
        return self.kind is SortKind.DATATYPE


BOOL = Sort(SortKind.BOOL)
INT = Sort(SortKind.INT)
REAL = Sort(SortKind.REAL)

_bitvecs: dict[int, Sort] = {}
_arrays: dict[tuple[Sort, Sort], Sort] = {}
_uninterpreted: dict[str, Sort] = {}


MAX_WIDTH = 1 << 16
"""Of bit vectors that an input declares. Those that arise from them may have more bits, up to what solvers bear."""

_MOST_BITS = 1 << 24


def bitvec(width: int) -> Sort:
    """The sort of bit vectors of ``width`` bits; ``width`` is at least 1."""
    found = _bitvecs.get(width)
    if found is not None:
        return found
    if width < 1:
        raise ValueError(f"a bit vector needs at least one bit, not {width}")
    if width > _MOST_BITS:
        raise UnsupportedError(f"a bit vector of {width:,} bits has too many: {_MOST_BITS:,} are supported")
    return _bitvecs.setdefault(width, Sort(SortKind.BITVEC, width=width))


def array(index: Sort, element: Sort) -> Sort:
    """The sort of total maps from ``index`` to ``element``."""
    return _arrays.setdefault((index, element), Sort(SortKind.ARRAY, parts=(index, element)))


def uninterpreted(name: str) -> Sort:
    """A sort about which only equality is known."""
    return _uninterpreted.setdefault(name, Sort(SortKind.UNINTERPRETED, name=name))
