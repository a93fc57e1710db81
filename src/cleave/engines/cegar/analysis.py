"""The counterexamples of an iteration, and what their analyses come to.

    one of them can be executed         a violation: the least of them
    some give new predicates            another iteration, with these
    none does                           nothing more can be done

The answers are looked at in the order of the paths once all are there, so that it does not matter which was faster.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container

from cleave.engines.cegar.exploration import Counterexamples, Path
from cleave.engines.cegar.messages import Answer, Failed, Feasible, Learned, Refined, SentSteps
from cleave.engines.findings import GivenUp, Violation


class Analyses:
    def __init__(self) -> None:
        self._paths: tuple[Path, ...] = ()  # of this iteration, while they are analysed
        self._waiting: deque[Path] = deque()  # of these, those that no one works on
        self._answers: dict[Path, Answer] = {}

    @property
    def under_way(self) -> bool:
        return bool(self._paths)

    @property
    def is_over(self) -> bool:
        return all(path in self._answers for path in self._paths)

    def begin(self, found: Counterexamples) -> None:
        self._paths = found.paths
        self._waiting = deque(found.paths)
        self._answers = {}

    def take(self) -> Path | None:
        """A path to analyse."""
        return self._waiting.popleft() if self._waiting else None

    def answered(self, path: Path, answer: Answer) -> None:
        self._answers[path] = answer

    def answers(self) -> list[tuple[Path, Answer]]:
        """In the order of the paths; once all are there."""
        return [(path, self._answers[path]) for path in self._paths]

    def refined(self) -> list[tuple[Path, tuple[Learned, ...]]]:
        """The iteration's paths with the predicates that exclude them."""
        return [(path, answer.predicates) for path, answer in self.answers() if isinstance(answer, Refined)]

    def conclude(self, known: Container[Learned]) -> tuple[Learned, ...] | Violation[SentSteps] | GivenUp:
        new: dict[Learned, None] = {}
        reasons: list[str] = []
        paths, self._paths = self._paths, ()
        for path in paths:
            match self._answers[path]:
                case Feasible(states=states):
                    return Violation(SentSteps(path, states))
                case Failed(reason=reason):
                    reasons.append(reason)
                case Refined(predicates=predicates):
                    new.update((one, None) for one in predicates if one not in known)
        if new:
            return tuple(new)
        why = reasons[0] if reasons else "it gives no new predicates"
        return GivenUp("refinement", f"a counterexample of {len(paths[0])} steps is not excluded: {why}")
