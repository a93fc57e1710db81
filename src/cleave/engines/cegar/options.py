"""Options of the cegar engine."""

from __future__ import annotations

from dataclasses import dataclass

from cleave.engines.options import MOST, option

VERSION = 2
"""Of the task and of the messages. A journal of another version is not resumed."""

_TOGETHER = 64
_LEAST_TOGETHER = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class CegarOptions:
    iterations: int = option(
        0, flag="--iterations", metavar="N", low=0, high=MOST, help="give up after N refinements; 0: never"
    )
    counterexamples: int = option(
        16,
        flag="--counterexamples",
        metavar="N",
        low=1,
        high=MOST,
        help="how many counterexamples to analyse in an iteration: the least ones of the shortest that differ; 1 is"
        " the paper's way",
    )
    naive: bool = option(
        False,
        flag="--naive",
        help="take the counterexample that any worker finds first, for comparison: the result varies from run to run",
    )
    chunk: int | None = option(
        None,
        help="how many transitions of a location a worker goes on with together",
        unit="transitions",
        low=1,
        rule=f"{_TOGETHER} divided by the workers, {_LEAST_TOGETHER} at least",
        reason="work must be fine enough for all workers to have some, and a message worth its way",
    )
    batch: int = option(
        512,
        help="in one message, at most",
        unit="transitions",
        low=1,
        reason="other workers wait for what one finds",
    )

    def together(self, workers: int) -> int:
        """How many transitions of a location a worker goes on with."""
        return max(_LEAST_TOGETHER, _TOGETHER // workers) if self.chunk is None else self.chunk
