"""Programs: procedures of labelled blocks over terms. Every front end produces this; every pass maps it to itself.

    var g: Int
    proc main() -> () {
      start:
        call inc(1) -> ()
        assert (= g 1)
        return
    }

The shape is Boogie's. All expressions are `logic` terms; a program variable is the term ``var(name, sort)``. Names are
unique in their scope: a procedure's parameters, returns and locals differ from each other and from all globals and
constants. ``old(g)``, the value of global ``g`` when the procedure was entered, is the variable that `old` gives.

A program that starts threads (`Spawn`) has one thread at the beginning, number 0, which runs the entry. All globals are
shared; parameters, returns and locals belong to one activation. Each statement is one atomic step, also when it reads
several globals: a front end writes one access a statement where the source has no atomicity. Between two statements any
other thread may run (sequential consistency, unless there are `store_buffers`). When the entry returns, the program
ends.

Mutexes, condition variables, semaphores, barriers and the like are no statements: a front end writes them as atomic
blocks over ordinary variables, ``atomic begin; assume (= m 0); m := self; atomic end``. For what can be reached that is
complete: a thread that would have to wait is one that is not chosen to run before the block, and a run in which it
starts the block too early simply does not exist.

Nothing is hidden: front ends write ``where`` clauses and desugared control flow as statements, so that a reader of
this module knows everything a program can do.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from cleave.ir.store_buffers import StoreBuffers
from cleave.logic.terms import Function, Term, var
from cleave.records import dataclass

if TYPE_CHECKING:
    from cleave.ir.source import Source


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source file, counted from 1; ``column`` 0 means unknown."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


# --- statements -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assume:
    """Executions in which ``condition`` is false do not exist."""

    condition: Term
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One place where a property is asked for: ``number`` counts the places of that property in a program, from 1."""

    property: str
    number: int

    @builtins.property
    def name(self) -> str:
        return f"{self.property}.{self.number}"


@dataclass(frozen=True, slots=True)
class Assert:
    """An execution in which ``condition`` is false violates the property; it ends here.

    ``{0:int}`` in the message stands for the first of ``values``, in C a number of that type; they say what the
    condition was about, and decide nothing. ``check`` is None where a language has one property only.
    """

    condition: Term
    message: str = "assertion"
    location: Location | None = None
    check: Check | None = None
    values: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Assign:
    """All ``values`` are computed first, then assigned to the (distinct) ``targets``."""

    targets: tuple[Term, ...]
    values: tuple[Term, ...]
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Havoc:
    """The ``targets`` take any values. With ``function`` only that function, which is not modelled, says which: a
    violation that depends on the values is not known to be one."""

    targets: tuple[Term, ...]
    location: Location | None = None
    function: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """Calls a procedure; afterwards its returns are assigned to the (distinct) ``results``.

    The callee's checked requires are asserted and its free ones assumed before; after the call all its ensures are
    assumed, also when the body is used (that they hold at the end of the body is asserted there, unless free).
    """

    procedure: str
    arguments: tuple[Term, ...]
    results: tuple[Term, ...]
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Spawn:
    """Starts a thread that runs ``procedure``; its returns are dropped. The procedure has a body and no contract.

    Threads are numbered in the order in which they start: 1, 2, 3, ... ``result``, where there is one, gets the new
    thread's number in its own sort: an Int, or a bit vector, modulo its size.
    """

    procedure: str
    arguments: tuple[Term, ...]
    result: Term | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Join:
    """Waits until the thread of that number has returned; for ever where no other thread has it."""

    thread: Term
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Self:
    """``target`` gets the number of the thread that executes this: 0 in the one that runs the entry."""

    target: Term
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class AtomicBegin:
    """From here on to the matching `AtomicEnd` no other thread runs. Blocks nest; a procedure closes what it opens.

    An execution in which something assumed inside is false does not exist, from the begin on.
    """

    location: Location | None = None


@dataclass(frozen=True, slots=True)
class AtomicEnd:
    """Closes the innermost `AtomicBegin`."""

    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Fence:
    """Every store that the thread has made is in memory from here on. With ``stores_only``, a later store does not get
    there before an earlier one; that makes a difference only for PSO. See `ir.store_buffers`."""

    stores_only: bool = False
    location: Location | None = None


ThreadStatement = Spawn | Join | Self | AtomicBegin | AtomicEnd | Fence
Statement = Assume | Assert | Assign | Havoc | Call | ThreadStatement


# --- structure ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block:
    """Straight-line statements, then a free choice among ``successors``; none of them means return."""

    label: str
    statements: tuple[Statement, ...]
    successors: tuple[str, ...]
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """One ``requires`` or ``ensures``. A free clause is assumed and never checked."""

    condition: Term
    free: bool = False
    message: str = ""
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """A procedure; ``blocks`` is in source order, the first block is the entry, and empty means: no body.

    A procedure without a body gives any values to its returns and to the globals in ``modifies`` that satisfy its
    ensures. For a procedure with a body, the body decides what is modified and ``modifies`` says nothing.
    """

    name: str
    parameters: tuple[Term, ...] = ()
    returns: tuple[Term, ...] = ()
    locals: tuple[Term, ...] = ()
    requires: tuple[Clause, ...] = ()
    ensures: tuple[Clause, ...] = ()
    modifies: tuple[Term, ...] = ()
    blocks: Mapping[str, Block] = field(default_factory=dict)
    is_entry: bool = False  # marked in the source as the place to start
    is_loop: bool = False  # made from a loop: not a procedure that the user wrote
    extra_recursion: int = 0  # added to the recursion bound for this procedure
    location: Location | None = None

    @property
    def has_body(self) -> bool:
        return bool(self.blocks)

    @property
    def entry(self) -> Block:
        return next(iter(self.blocks.values()))

    def statements(self) -> Iterator[Statement]:
        for block in self.blocks.values():
            yield from block.statements


class Property(Enum):
    """What a violation is."""

    ASSERTIONS = "assertions"  # an assertion (or checked contract) fails
    END_REACHABLE = "end-reachable"  # the entry procedure reaches its return


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """``constants`` have one unknown value throughout; ``axioms`` constrain them and the functions. ``assumptions`` say
    what a front end took for granted, a sentence each, for whoever gets a verdict; ``left_out`` what can happen and is
    not in the program: then a proof about the program is none. ``checked`` names the properties that its assertions
    are about, with the number of places where each was asked for; some were decided before. With ``store_buffers``,
    memory is weaker than sequentially consistent. ``source`` makes what explanations need of the source, where a front
    end knows it."""

    globals: tuple[Term, ...] = ()
    constants: tuple[Term, ...] = ()
    functions: tuple[Function, ...] = ()
    axioms: tuple[Term, ...] = ()
    procedures: Mapping[str, Procedure] = field(default_factory=dict)
    property: Property = Property.ASSERTIONS
    assumptions: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    checked: Mapping[str, int] = field(default_factory=dict)
    store_buffers: StoreBuffers | None = None
    source: Callable[[], Source] | None = field(default=None, repr=False, compare=False)


def checks_of(program: Program) -> dict[str, int]:
    """The properties that are checked, and in how many places; for a language with one property, what that is."""
    if program.property is not Property.ASSERTIONS:
        return {program.property.value: 1}
    if program.checked:
        return dict(program.checked)
    asserted = (s for p in program.procedures.values() for s in p.statements() if isinstance(s, Assert))
    clauses = (c for p in program.procedures.values() for c in (*p.requires, *p.ensures) if not c.free)
    return {Property.ASSERTIONS.value: sum(1 for _ in (*asserted, *clauses))}


def first_thread_statement(program: Program) -> tuple[str, ThreadStatement] | None:
    """Where a program is not sequential: a procedure and the statement in it. None for a sequential program."""
    for procedure in program.procedures.values():
        for statement in procedure.statements():
            if isinstance(statement, ThreadStatement):
                return procedure.name, statement
    return None


def old(variable: Term) -> Term:
    """The variable that holds the value a global had when the current procedure was entered.

    In ensures it is the value before the call. The parentheses keep it apart from every variable of a program.
    """
    return var(f"old({variable.name})", variable.sort)


def is_old(variable: Term) -> bool:
    return variable.name.startswith("old(")
