"""Verdicts: what a run concludes, each with its evidence. There are four and no others.

    Safe(proof) | BoundedSafe(bounds, proof) | Unsafe(trace) | Unknown(reason)

`safe` means that no bound took part in the proof; a bounded pass is never called so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any, ClassVar

from cleave.ir.program import Check, Location
from cleave.logic.terms import Term
from cleave.records import dataclass
from cleave.usage import Usage


class Reason(Enum):
    """Why a run ended without an answer."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    WORKERS = "workers were lost"  # while they started, or their machine starts no more processes
    SOLVER = "solver gave up"
    ITERATIONS = "limit of iterations"
    UNCONFIRMED = "unconfirmed"
    BUDGET = "budget"  # of one stage of a plan
    UNMODELLED = "not modelled"  # a violation, or a proof, that depends on what is not known


class StoppedError(Exception):
    """A limit was hit; never leaves `verify`."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a violating execution, in the user's terms.

    ``kind`` is ``call``, ``return``, ``assign``, ``havoc``, ``assume``, ``block`` or ``violation``; in a compact
    trace also ``skipped``, a note on what was left out there; with several threads also ``start``, of a thread, and
    ``context``, which says whose steps follow. A ``line`` is one of the source, whatever was done for it. ``thread`` is
    0 for the one that runs the entry. ``note`` says in words what else happened.
    """

    kind: str
    procedure: str
    depth: int
    location: Location | None
    text: str
    values: Mapping[str, str] = field(default_factory=dict)
    relevant: bool = True  # a compact trace shows these: what the violation depends on, the nearest first
    thread: int = 0
    note: str = ""
    premises: tuple[int, ...] | None = None  # of a fact derived from Horn clauses: the steps that it comes from


@dataclass(frozen=True, slots=True)
class Trace:
    """A violating execution that was replayed. ``violated`` says what failed, ``inputs`` what it started from.
    ``unmodelled``: it depends on what these functions do, which may be something else. ``check``: which one failed,
    in a language with several properties. ``reasons`` say more about why.

    ``lines`` are the steps as lines of the source, and ``brief`` those that a compact trace shows, where the front end
    knows them. Otherwise ``steps`` are what a reader is shown. ``threads``: the functions that they run."""

    steps: tuple[TraceStep, ...]
    violated: str
    location: Location | None
    inputs: Mapping[str, str] = field(default_factory=dict)
    unmodelled: tuple[str, ...] = ()
    check: Check | None = None
    reasons: tuple[str, ...] = ()
    lines: tuple[TraceStep, ...] = ()
    brief: tuple[TraceStep, ...] = ()
    threads: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Invariant:
    """All ``conditions`` hold whenever execution reaches block ``label`` of a procedure of the program as it was read.
    A variable that is a bit vector there and an integer in a condition stands for the number that its bits mean, as
    ``signed`` tells by its name. Readers of the source could mistake the names ``unclear`` for others."""

    procedure: str
    label: str
    location: Location | None
    conditions: tuple[Term, ...]
    signed: Mapping[str, bool] = field(default_factory=dict)
    unclear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Safe:
    """``invariants`` are those of loops that took part in the proof, as far as a program's variables can say them.
    ``solution`` is the invariant of the Horn clauses, in SMT-LIB. Both only where somebody asked for them."""

    word: ClassVar[str] = "safe"
    exit_code: ClassVar[int] = 0
    validation: str
    invariants: tuple[Invariant, ...] = ()
    solution: str = ""


@dataclass(frozen=True, slots=True)
class BoundedSafe:
    word: ClassVar[str] = "bounded-safe"
    exit_code: ClassVar[int] = 0
    bounds: Mapping[str, int]
    validation: str


@dataclass(frozen=True, slots=True)
class Unsafe:
    word: ClassVar[str] = "unsafe"
    exit_code: ClassVar[int] = 10
    trace: Trace
    validation: str
    evidence: str = ""  # all that decides the execution, or the derivation, for a certificate: JSON


@dataclass(frozen=True, slots=True)
class Unknown:
    word: ClassVar[str] = "unknown"
    exit_code: ClassVar[int] = 5
    reason: Reason
    detail: str = ""
    check: Check | None = None  # that a violation was found of, which is in doubt


Verdict = Safe | BoundedSafe | Unsafe | Unknown


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict of one check: ``text`` says what its violation would be."""

    check: Check
    location: Location | None
    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class StageSummary:
    """What became of one stage of the plan; ``detail`` tells bounds or reasons."""

    number: int
    engine: str
    workers: int
    verdict: str
    seconds: float
    cost: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict and what the run did to get it."""

    verdict: Verdict
    engine: str
    bounds: Mapping[str, int]
    seconds: float
    workers: int
    statistics: Mapping[str, Any]
    assumptions: tuple[str, ...] = ()  # what the verdict takes for granted, in words
    run: str | None = None  # its id, if it has a journal
    smtlib: str | None = None  # of Horn clauses: what SMT-LIB calls the verdict, sat (safe), unsat (unsafe) or unknown
    expected: str | None = None  # the verdict that a task definition says it has
    checked: Mapping[str, int] = field(default_factory=dict)  # properties, each with the number of its places
    predicates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by location, that an abstraction used
    stages: tuple[StageSummary, ...] = ()  # of the plan, those that were carried out
    unwritten: tuple[str, ...] = ()  # sentences about files that were asked for and are not there
    reached: bool | None = None  # whether an execution that the proof is about reaches a check; None: not known
    each: tuple[CheckResult, ...] = ()  # of all checks that reading the program does not decide, where that was asked
    part: Mapping[str, Any] | None = None  # where the input is a part of a problem: which
    inferred: Mapping[str, bool] = field(default_factory=dict)  # constants that Houdini has found values of
    cpu_seconds: float | None = None  # of all processes of the run; None: not measured
    peak_memory_mb: float | None = None

    def costing(self, usage: Usage) -> Result:
        """With what the run has cost."""
        return replace(self, seconds=usage.seconds, cpu_seconds=usage.cpu_seconds, peak_memory_mb=usage.peak_memory_mb)
