"""Invariants of arrays by guessing: of one cell of each array, which may be any (`passes.horn.cells`).

    guesses about cells  (`cell_guesses`)  ──▶  those that all rules preserve, together  (`houdini`)

If they exclude the queries, that is a proof, of all cells. However many rounds loops have, it takes the same time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cleave.engines.pdr.cell_guesses import CellGuesses
from cleave.engines.pdr.houdini import Houdini
from cleave.engines.pdr.spacer.run import Answered, Event, Lemma, NoAnswer, Paused, SafeAnswer
from cleave.ir.horn import HornSystem, Relation
from cleave.logic.terms import conj_all
from cleave.passes.horn.cells import Cells, cells
from cleave.passes.horn.relevant import parameters
from cleave.passes.horn.simplify import unwrapped_horn


class CellGuessing:
    """A run as `job.Run` wants it."""

    def __init__(self, system: HornSystem, *, cost_limit: int = 0) -> None:
        self._cost_limit = cost_limit
        self._spent = 0
        self._answer: Answered | None = None
        self._houdini: Houdini | None = None
        self._plain = unwrapped_horn(system)
        self._way: Cells | None = cells(self._plain.system)
        if self._way is None:
            self._answer = NoAnswer("no arrays")
        else:
            self._houdini = Houdini(self._way.system)
            self._houdini.add(CellGuesses(self._way.system, self._way.layouts).candidates())

    def resume(self, imports: Sequence[Lemma] = ()) -> Event:
        """Looks at one rule."""
        if self._answer is None and self._cost_limit and self.cost() >= self._cost_limit:
            self._answer = NoAnswer("nothing was proved by what was guessed within the cost")
        if self._houdini is not None and self._answer is None:
            if self._houdini.is_busy:
                self._houdini.step()
            else:
                self._answer = self._judged(self._houdini)
        if self._answer is None:
            return Paused((), 0, self.cost())
        self.stop()
        return self._answer

    def _judged(self, houdini: Houdini) -> Answered:
        assert self._way is not None
        if not houdini.excludes_queries():
            return NoAnswer("what was guessed of cells does not exclude the queries")
        found = houdini.invariants()
        relations = {
            name: Relation(parameters(self._way.system, name), conj_all(formulas)) for name, formulas in found.items()
        }
        return SafeAnswer(self._plain.interpretation(self._way.interpretation(relations)))

    def stop(self) -> None:
        self._answer = self._answer or NoAnswer("stopped")
        if self._houdini is not None:
            self._spent = self._houdini.cost()
            self._houdini.close()
            self._houdini = None

    def cost(self) -> int:
        return self._spent if self._houdini is None else self._houdini.cost()

    def counts(self) -> Mapping[str, int]:
        return {}
