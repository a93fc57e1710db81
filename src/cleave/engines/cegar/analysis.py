"""The counterexamples of an iteration, and what their analyses come to.

    one of them can be executed         a violation: the least of them
    some give new predicates            another iteration, with these
    none does                           nothing more can be done

The answers are looked at in the order of the paths once all are there, so that it does not matter who was faster.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import TypeAlias

from cleave.engines.cegar.messages import Answer, Failed, Feasible, GivenUp, Learned, Refined, Violated

Path: TypeAlias = tuple[int, ...]


@dataclass(slots=True)
class Analysis:
    paths: tuple[Path, ...]
    answers: dict[int, Answer] = field(default_factory=dict)  # by the number of the path

    @property
    def is_over(self) -> bool:
        return len(self.answers) == len(self.paths)

    def conclusion(self, known: Container[Learned]) -> tuple[Learned, ...] | Violated | GivenUp:
        new: dict[Learned, None] = {}
        reasons: list[str] = []
        for number, path in enumerate(self.paths):
            match self.answers[number]:
                case Feasible(states=states):
                    return Violated(path, states)
                case Failed(reason=reason):
                    reasons.append(reason)
                case Refined(predicates=predicates):
                    new.update((one, None) for one in predicates if one not in known)
        if new:
            return tuple(new)
        why = reasons[0] if reasons else "it gives no new predicates"
        return GivenUp("refinement", f"a counterexample of {len(self.paths[0])} steps is not excluded: {why}")
