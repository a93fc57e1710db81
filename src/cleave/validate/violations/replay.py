"""Replays a path with the values that a model chose: a `Chooser` that knows the path and a table of values."""

from __future__ import annotations

from collections.abc import Sequence

from cleave.ir.path import IllegalPathError, Leave, Path, PathStep, Visit
from cleave.ir.program import Block, Procedure
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.records import dataclass
from cleave.validate.semantics.interpreter import Chooser


class PathEndedError(Exception):
    """The run goes on where the path has ended: nothing was violated there."""


@dataclass(slots=True)
class Follower(Chooser):
    """Gives the ``choices``, each meant for one variable, in their order, and takes exactly the steps of ``path``.

    With ``may_return`` the path may leave out the returns at its end.
    """

    path: Path
    choices: Sequence[tuple[Term, Value]]
    may_return: bool
    taken: int = 0
    given: int = 0

    @property
    def at_end(self) -> bool:
        return self.taken == len(self.path)

    def value(self, variable: Term) -> Value:
        if self.given == len(self.choices):
            raise IllegalPathError(f"no value is left for {variable.name}")
        wanted, value = self.choices[self.given]
        if wanted is not variable:
            raise IllegalPathError(f"the next value is for {wanted.name}, not for {variable.name}")
        self.given += 1
        return value

    def successor(self, procedure: Procedure, block: Block) -> str:
        if self.at_end:
            raise PathEndedError
        step = self.path[self.taken]
        if not isinstance(step, Visit):
            raise IllegalPathError(f"block {block.label} of {procedure.name} goes on where the path does {step}")
        return step.block

    def follow(self, step: PathStep) -> None:
        if self.at_end:
            if self.may_return and isinstance(step, Leave):
                return
            raise PathEndedError
        if self.path[self.taken] != step:
            raise IllegalPathError(f"the run does {step} where the path does {self.path[self.taken]}")
        self.taken += 1
