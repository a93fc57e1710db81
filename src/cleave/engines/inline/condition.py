"""The parts of the condition of a procedure: see `encoding` for how it is made.

A *background* variable is one that the search ignores until a violation depends on it: see `passes.background`. What a
condition says about those is apart.
"""

from __future__ import annotations

from collections.abc import Mapping

from cleave.ir.path import Path
from cleave.ir.program import Location, Procedure
from cleave.logic.terms import Term
from cleave.passes.effects import Effects
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Interface:
    """The program variables through which a procedure and its callers speak."""

    inputs: tuple[Term, ...]  # parameters, then globals that are read or written
    outputs: tuple[Term, ...]  # returns, then globals that are written

    @staticmethod
    def of(procedure: Procedure, effects: Effects) -> Interface:
        touched = sorted(effects.reads | effects.writes, key=lambda v: v.name)
        written = sorted(effects.writes, key=lambda v: v.name)
        return Interface((*procedure.parameters, *touched), (*procedure.returns, *written))


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call in a condition; ``index`` is its place in the condition's ``calls``."""

    index: int
    callee: str
    block: str
    control: Term
    inputs: tuple[Term, ...]  # in the order of the callee's Interface.inputs
    outputs: tuple[Term, ...]
    location: Location | None


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of one procedure; ``variables`` are all its variables, to be made fresh for each instance.

    ``deferred`` is what it says about background variables, ``background`` those among its inputs and outputs.

    ``control`` is true in executions that enter the procedure. ``edges`` gives for each block, in the order of its
    successors, the Boolean that says that the edge is taken. ``calls_of_block`` gives its calls in order: the index of
    a call site, or the path through a straight-line callee. ``conflicts[i]`` are the calls that some execution of the
    procedure makes together with call ``i`` (the complement of the DAG paper's Disj_blk). A procedure that
    ``passes_on`` has one or two call sites, and makes exactly one call on every path.
    """

    procedure: str
    control: Term
    inputs: tuple[Term, ...]
    outputs: tuple[Term, ...]
    variables: tuple[Term, ...]
    formulas: tuple[Term, ...]
    deferred: tuple[Term, ...]
    background: frozenset[Term]
    calls: tuple[CallSite, ...]
    entry: str
    controls: Mapping[str, Term]
    edges: Mapping[str, tuple[tuple[str, Term], ...]]
    calls_of_block: Mapping[str, tuple[int | Path, ...]]
    conflicts: tuple[tuple[int, ...], ...]
    passes_on: bool
