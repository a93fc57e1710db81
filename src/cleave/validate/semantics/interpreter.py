"""One execution of a program without threads, every condition evaluated for real.

    run(program, "main", chooser)       # Run(Violated | Finished | Blocked | StepLimit, path, events, notes)

Whatever a program leaves open (initial values, havocs, locals before they are assigned, procedures without a body, the
successor of a block) the `Chooser` decides. It is asked in the order of execution: first for the constants, the globals
and the entry's parameters, returns and locals, as declared; at a call for the callee's returns and locals, or, without
a body, for what it modifies and its returns.

Failed assertions end a run; where the property is `END_REACHABLE` they are no violation. The steps are the `machine`'s.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from cleave.ir.path import PathStep
from cleave.ir.program import Block, Procedure, Program
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.validate.semantics.evaluate import World
from cleave.validate.semantics.events import Outcome, Run, StepLimit
from cleave.validate.semantics.judge import Ended
from cleave.validate.semantics.machine import MAIN, Machine, ThreadChooser


class Chooser(ABC):
    """Decides what the program leaves open."""

    @abstractmethod
    def value(self, variable: Term) -> Value:
        """Any value of the variable's sort."""

    @abstractmethod
    def successor(self, procedure: Procedure, block: Block) -> str:
        """The block to go to from ``block``, which has successors."""

    def follow(self, step: PathStep) -> None:  # noqa: B027 (most have nothing to do)
        """Is told each step of the control path before it is taken."""


def run(program: Program, entry: str, chooser: Chooser, *, max_steps: int = 100_000, world: World | None = None) -> Run:
    """Executes ``program`` from ``entry`` until it ends or ``max_steps`` statements, jumps and returns were taken.

    Raises `IllegalPathError` when the chooser picks a block that is no successor, and whatever the chooser raises.
    """
    path: list[PathStep] = []

    def follow(step: PathStep) -> None:
        chooser.follow(step)
        path.append(step)

    choices = ThreadChooser(
        lambda _, variable: chooser.value(variable), lambda _, p, block: chooser.successor(p, block)
    )
    machine = Machine(program, entry, choices, alone=True, world=world, follow=follow)
    outcome: Outcome = StepLimit()
    try:
        for _ in range(max_steps + 1):  # the first only goes to the entry
            machine.advance(MAIN)
    except Ended as end:
        outcome = machine.judge.last_look(end.outcome)
    return Run(outcome, tuple(path), tuple(event for _, event in machine.events), machine.judge.notes)
