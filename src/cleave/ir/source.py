"""How the source of a program writes what the ir has: types, variables and where they lie, and the text of its lines.

    int a[10];          Variable("a", Array(Scalar("int", 4, SIGNED), 10), size 40, at address 4096)
    a[i] := 7           the cell at address 4096 + 4 * i is element i of a

Only explanations read it. A front end that has it gives `Program.source`, which makes it when somebody asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum

from cleave.ir.program import Location
from cleave.logic.terms import Term
from cleave.records import dataclass


class Kind(Enum):
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    CHARACTER = "character"
    UNSIGNED_CHARACTER = "unsigned character"
    BOOLEAN = "boolean"
    FLOATING = "floating"


ARGUMENTS = "..."  # the name of the object that holds the variable arguments of a call


@dataclass(frozen=True, slots=True)
class Scalar:
    name: str
    size: int  # bytes, as of all types
    kind: Kind


@dataclass(slots=True, eq=False)
class Pointer:
    """``to`` is None for void, and for a function; it is set when the type is whole, which may be a circle."""

    size: int
    to: Type | None = None
    to_function: bool = False


@dataclass(slots=True, eq=False)
class Array:
    """``count`` 0: not known."""

    element: Type
    count: int

    @property
    def size(self) -> int:
        return self.element.size * self.count


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """``offset`` in bits; ``width`` in bits if it is a bit-field, else 0."""

    name: str
    offset: int
    width: int
    type: Type


@dataclass(slots=True, eq=False)
class Record:
    name: str
    size: int
    is_union: bool = False
    members: list[Member] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    name: str
    size: int
    is_signed: bool
    names: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type that nothing is known of but its size."""

    size: int


Type = Scalar | Pointer | Array | Record | Enumeration | Opaque


@dataclass(slots=True, eq=False)
class Cell:
    """One piece of a `Memory`: at ``start`` of each object, or at every stride from there."""

    start: int
    size: int
    variable: Term | None  # None: nobody ever reads it
    owner: str  # the procedure whose local variable it is; empty: it is global


@dataclass(slots=True, eq=False)
class Memory:
    """Cells of objects that pointers may confuse; see `frontends.c.analysis.cells`."""

    stride: int
    cells: dict[int, Cell]

    def piece(self, offset: int) -> Cell | None:
        """The cell that starts ``offset`` bytes from the start of an object."""
        return self.cells.get(offset % self.stride if self.stride else offset)


@dataclass(slots=True, eq=False)
class Variable:
    """An object of the source. ``kind`` is global, local, heap, literal or function; ``name`` of what is on the heap is
    the function that allocates it. ``address`` None: it gets one when it is made."""

    kind: str
    name: str
    type: Type | None
    size: int | None
    address: int | None
    procedure: str
    location: Location | None
    memory: Memory
    content: bytes | None = None  # of a literal


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the user's, or of a library that the front end brings. ``variables`` are its locals, the
    parameters among them; ``parameters`` are these alone, by name and type. ``is_variadic``: a pointer to more
    arguments comes behind these."""

    name: str
    is_library: bool
    result: Type | None
    location: Location | None
    variables: Sequence[Variable] = ()
    parameters: Sequence[tuple[str, Type | None]] = ()
    is_variadic: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """``cells``: by the procedure that owns it, else "", and the name of its ir variable. ``sites``: which objects are
    made at a place of a procedure. ``extents``: by the name of the ir variable that has the sizes of objects which come
    and go, plus one, the address of the object, or None if it is a map from addresses. ``lines``: which places the
    blocks of a procedure pass. ``prologue``: so many statements, before those of the entry, set initial values."""

    bits: int
    variables: Sequence[Variable]
    functions: Mapping[str, Function]
    cells: Mapping[tuple[str, str], tuple[Cell, Memory, Variable | None]]
    sites: Mapping[tuple[str, Location], Sequence[Variable]]
    extents: Mapping[str, int | None]
    lines: Mapping[tuple[str, str], Sequence[Location]]
    texts: Mapping[str, Sequence[str]]
    prologue: int = 0
