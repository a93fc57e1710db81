"""A thread unfolded: straight, with everything that it does to the outside listed once, whatever its schedule.

    proc t() { a: x := g   g := x + 1   assert g < 5 }          position 1: read g as r1
                                                                position 2: write g := r1 + 1
                                                                position 3: read g as r2; assert r2 < 5

A thread can be interrupted before each *position*; what lies between two positions belongs to the first. Position 0 is
its start. Values are terms over the variables that stand for what was read (``leaf``), for what was left open, and for
choices. A ``guard`` says that the way taken leads here, given all that was read; it says nothing about how far the
schedule lets the thread run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields
from itertools import chain

from cleave.ir.shape import Body
from cleave.logic.terms import TRUE, Term
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A shared location: a global, or one element of an array that is used at constant indices only."""

    variable: Term
    index: Term | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """``leaf`` is what ``cell`` holds; of an array, where there is an ``index``, that element."""

    position: int
    cell: Cell
    leaf: Term
    index: Term | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """If ``guard``. Of an array, where there is an ``index``, only that element. The ``first`` write of a variable only
    makes known what it held before there were other threads. With store buffers, a ``store`` is what one statement
    writes; they are counted from 1. 0: the write is seen by all at once."""

    position: int
    guard: Term
    cell: Cell
    held: Term  # the value, as the cell holds it
    index: Term | None
    value: Term
    first: bool = False
    store: int = 0


@dataclass(frozen=True, slots=True)
class Joined:
    """``leaf`` tells whether the thread with that number has ended."""

    position: int
    thread: Term
    leaf: Term


@dataclass(frozen=True, slots=True)
class Fenced:
    """If ``guard``: all stores of the thread up to number ``store`` have committed; with ``stores_only``, they do
    before any later one."""

    position: int
    guard: Term
    store: int
    stores_only: bool = False


Access = Read | Write | Joined | Fenced


@dataclass(frozen=True, slots=True)
class Started:
    """``number`` is the new thread's; ``child`` where it is among all."""

    position: int
    guard: Term
    number: Term
    child: int


@dataclass(frozen=True, slots=True)
class Check:
    """A violation if ``guard`` and not ``condition``."""

    position: int
    guard: Term
    condition: Term


@dataclass(frozen=True, slots=True)
class Demand:
    """In an atomic block: executions in which ``guard`` but not ``condition`` holds do not exist."""

    position: int
    guard: Term
    condition: Term


@dataclass(frozen=True, slots=True)
class Cut:
    """Where ``guard`` holds, the thread would have to go on beyond the bound of a loop or of recursion, which ``bound``
    names."""

    position: int
    guard: Term
    bound: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A value that the program leaves open: ``leaf`` stands for it."""

    position: int
    guard: Term
    variable: Term
    leaf: Term


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a block has several successors: the first whose condition holds is taken."""

    position: int
    guard: Term
    ways: tuple[tuple[Term, str], ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """``steps`` of the concrete machine."""

    position: int
    guard: Term
    steps: int


_PROGRAMS = "variable"  # a field that names a variable of the program


@dataclass(slots=True)
class ThreadCode:
    """One thread. ``ends`` says where it returns: after a position, if a guard holds."""

    instance: int
    procedure: str
    number: Term  # that the program knows it by
    positions: int = 1
    accesses: list[Access] = field(default_factory=list)
    started: list[Started] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    choices: list[Opened | Branch] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)
    arrivals: dict[int, Term] = field(default_factory=dict)  # the guard under which a position is passed
    ends: tuple[int, Term] = (0, TRUE)
    stores: int = 0  # into the thread's buffer
    shape: Body = field(default_factory=lambda: Body(""))  # for whoever checks what is proved about it

    def terms(self) -> Iterator[Term]:
        """All that a formula may be about."""
        yield from (self.number, self.ends[1], *self.arrivals.values())
        for item in chain(self.accesses, self.started, self.checks, self.demands, self.cuts, self.choices):
            values = [getattr(item, one.name) for one in fields(item) if one.name != _PROGRAMS]
            yield from (value for value in values if isinstance(value, Term))
            if isinstance(item, Branch):
                yield from (condition for condition, _ in item.ways)
