"""A thread unfolded by the checker: events, which nobody can interrupt, and what happens in each.

    t() { x := g;  g := x + 1;  atomic { assume m = 0;  m := 1 } }

    event 0                                     the thread begins
    event 1     Read(g, r1)
    event 2     Write(g, r1 + 1)
    event 3     Read(m, r2)  Demand(r2 = 0)  Write(m, 1)

Each entry has a guard: the way taken leads there, given what was read. Entries of one event are in the order in which
they happen. Steps between two events belong to the first one.
"""

from __future__ import annotations

from dataclasses import field

from cleave.ir.store_buffers import Model
from cleave.logic.terms import TRUE, Term
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A global that threads share; or one element of an array that is used at constant indices only."""

    variable: Term
    element: Term | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """``leaf`` is what the cell holds; of an array, where there is an ``index``, that element."""

    guard: Term
    cell: Cell
    leaf: Term
    index: Term | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """The ``first`` one only makes known what the cell held before there were other threads. With store buffers, what
    one statement writes is a ``store``, numbered from 1 in each thread; 0 is what memory holds at once."""

    guard: Term
    cell: Cell
    value: Term
    index: Term | None = None
    first: bool = False
    store: int = 0


@dataclass(frozen=True, slots=True)
class Joined:
    """``leaf`` tells whether the thread of that number has ended."""

    guard: Term
    thread: Term
    leaf: Term


@dataclass(frozen=True, slots=True)
class Condition:
    """A check: a violation if ``guard`` and not ``condition``. A demand: then the event does not happen."""

    guard: Term
    condition: Term


@dataclass(frozen=True, slots=True)
class Started:
    guard: Term
    child: int


@dataclass(frozen=True, slots=True)
class Fence:
    """The event comes after the commits of all stores up to the number ``after``; with ``stores_only``, these commit
    before all later ones."""

    guard: Term
    after: int
    stores_only: bool = False


@dataclass(slots=True)
class Event:
    accesses: list[Read | Write | Joined] = field(default_factory=list)
    checks: list[Condition] = field(default_factory=list)
    demands: list[Condition] = field(default_factory=list)
    started: list[Started] = field(default_factory=list)
    cuts: list[Term] = field(default_factory=list)  # guards: here the bound on loops stops the thread
    fences: list[Fence] = field(default_factory=list)
    gaps: list[Term] = field(default_factory=list)  # guards: whoever made the shape took this for impossible


@dataclass(slots=True)
class Thread:
    """``ends``: the last event before it returns, and the guard under which it does."""

    procedure: str
    number: Term  # by which the program knows it
    events: list[Event] = field(default_factory=list)
    ends: tuple[int, Term] = (0, TRUE)
    parent: tuple[int, int, Term] | None = None  # thread, event and guard of its start
    stores: int = 0


@dataclass(frozen=True, slots=True)
class Unfolding:
    threads: tuple[Thread, ...]
    initial: dict[Cell, Term]  # what the cells hold when main's first event is over, unless it writes them
    model: Model | None = None  # of memory; None: sequentially consistent
