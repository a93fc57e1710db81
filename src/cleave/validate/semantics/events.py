"""The steps of a concrete run, and how it ended: the interpreter's output."""

from __future__ import annotations

from cleave.ir.path import Path
from cleave.ir.program import Assert, Assign, Assume, Block, Call, Clause, Havoc, Join, Location, Self, Spawn
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.records import dataclass

Subject = Assume | Assert | Assign | Havoc | Call | Block | Clause | Spawn | Join | Self | None


@dataclass(frozen=True, slots=True)
class Event:
    """One step. ``values`` are those of the variables that it set; ``frame`` numbers the procedure's activation.

    ``kind`` is that of `verdict.TraceStep`. At a ``call``, ``values`` are the callee's parameters, ``frame`` is the
    caller's and ``other_frame`` the callee's; at a ``return``, ``values`` are the results in the caller (and the
    globals that a procedure without a body chose), ``frame`` is the callee's and ``other_frame`` the caller's.
    At a ``violation`` of a requires, ``other_frame`` is the callee's, whose parameters it is about. -1 is no frame.
    """

    kind: str
    procedure: str
    depth: int
    frame: int
    location: Location | None
    subject: Subject
    values: tuple[tuple[Term, Value], ...] = ()
    other_frame: int = -1


@dataclass(frozen=True, slots=True)
class Violated:
    """The property fails here: ``condition`` is false, or (None) the end was reached."""

    what: str
    location: Location | None
    condition: Term | None


@dataclass(frozen=True, slots=True)
class Finished:
    """The entry procedure returned, and that is no violation."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """The run can't go on: something assumed is false. ``instance`` is the axiom's instance that shows it."""

    what: str
    location: Location | None
    instance: Term | None = None


@dataclass(frozen=True, slots=True)
class StepLimit:
    """The run was cut off after its number of steps."""


Outcome = Violated | Finished | Blocked | StepLimit


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended, the control path up to there, all its steps, and what it took for granted."""

    outcome: Outcome
    path: Path
    events: tuple[Event, ...]
    notes: tuple[str, ...]
