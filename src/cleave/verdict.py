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
    """One step of a violating execution, as the user's program has it.

    | kind | the step |
    | --- | --- |
    | ``call``, ``return``, ``assign``, ``havoc``, ``assume``, ``block`` | a statement |
    | ``line`` | a line of C, with everything that was done for it |
    | ``fact`` | a step of a derivation from Horn clauses |
    | ``violation`` | the last step |
    | ``skipped`` | a note on what a compact trace leaves out |
    | ``start``, ``context`` | with threads: a thread starts; another thread runs from here |
    """

    kind: str  # see above
    procedure: str  # the procedure or function; of a fact, the predicate
    depth: int  # the number of calls around the step
    location: Location | None  # its place in the source
    text: str  # what it does
    values: Mapping[str, str] = field(default_factory=dict)  # the variables that it sets, with their values
    relevant: bool = True  # whether a compact trace shows it
    thread: int = 0  # the number of the thread; 0 runs the entry
    note: str = ""  # what else happened, in words
    premises: tuple[int, ...] | None = None  # of a fact: the steps that it follows from


@dataclass(frozen=True, slots=True)
class Trace:
    """A violating execution that was replayed. ``lines`` and ``brief`` are empty where the front end knows no lines of
    the source."""

    steps: tuple[TraceStep, ...]  # the statements that were executed
    violated: str  # what failed
    location: Location | None  # where it failed
    inputs: Mapping[str, str] = field(default_factory=dict)  # the initial values that matter
    unmodelled: tuple[str, ...] = ()  # functions without a body that the violation depends on
    check: Check | None = None  # of C: the property that failed, and the number of the check
    reasons: tuple[str, ...] = ()  # sentences about why
    lines: tuple[TraceStep, ...] = ()  # the steps as lines of the source
    brief: tuple[TraceStep, ...] = ()  # those of the lines that a compact trace shows
    threads: Mapping[int, str] = field(default_factory=dict)  # by number, the functions that threads run


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
    """No execution violates the property, and no bound took part in the proof. ``invariants`` and ``solution`` are
    empty unless an output needs them."""

    word: ClassVar[str] = "safe"
    exit_code: ClassVar[int] = 0
    validation: str  # how the proof was checked
    invariants: tuple[Invariant, ...] = ()  # loop invariants of the proof, over variables of the program
    solution: str = ""  # the invariant of Horn clauses, in SMT-LIB


@dataclass(frozen=True, slots=True)
class BoundedSafe:
    """No execution within the bounds violates the property."""

    word: ClassVar[str] = "bounded-safe"
    exit_code: ClassVar[int] = 0
    bounds: Mapping[str, int]  # by name, such as recursion, unwind or contexts
    validation: str  # how the proof was checked


@dataclass(frozen=True, slots=True)
class Unsafe:
    """An execution violates the property."""

    word: ClassVar[str] = "unsafe"
    exit_code: ClassVar[int] = 10
    trace: Trace  # the execution
    validation: str  # how it was replayed
    evidence: str = ""  # the execution or derivation for a certificate, as JSON


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer."""

    word: ClassVar[str] = "unknown"
    exit_code: ClassVar[int] = 5
    reason: Reason  # why there is none
    detail: str = ""  # the reason in a sentence
    check: Check | None = None  # the check whose violation could not be confirmed


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
    """The outcome of one stage of the plan; ``detail`` has bounds or reasons."""

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

    verdict: Verdict  # one of the four
    engine: str  # the engine that found it
    bounds: Mapping[str, int]  # bounds of the search, by name
    seconds: float  # wall time
    workers: int  # how many there were
    statistics: Mapping[str, Any]  # the engine's counters
    assumptions: tuple[str, ...] = ()  # what the verdict assumes, in sentences
    run: str | None = None  # the id of the run, if it has a journal
    smtlib: str | None = None  # of Horn clauses: sat (safe), unsat (unsafe) or unknown
    expected: str | None = None  # the verdict that the task definition names
    checked: Mapping[str, int] = field(default_factory=dict)  # the properties, each with its number of checks
    predicates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of cegar: the predicates by location
    stages: tuple[StageSummary, ...] = ()  # the stages of the plan that were carried out
    unwritten: tuple[str, ...] = ()  # sentences about requested files that were not written
    reached: bool | None = None  # whether an execution reaches a check; None: not known
    each: tuple[CheckResult, ...] = ()  # a verdict for each check, with Options.each
    part: Mapping[str, Any] | None = None  # which part of a problem the input is
    inferred: Mapping[str, bool] = field(default_factory=dict)  # values of constants that Houdini has inferred
    cpu_seconds: float | None = None  # processor time of all processes of the run
    peak_memory_mb: float | None = None  # largest memory of all processes together

    def costing(self, usage: Usage) -> Result:
        """With what the run has cost."""
        return replace(self, seconds=usage.seconds, cpu_seconds=usage.cpu_seconds, peak_memory_mb=usage.peak_memory_mb)
