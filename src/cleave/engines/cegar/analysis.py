"""The counterexamples of an iteration, and what their analyses come to.

    one of them can be executed         a violation: the least of them
    some give new predicates            another iteration, with these
    none does                           nothing more can be done

The answers are looked at in the order of the paths once all are there, so that it does not matter who was faster. What
was found out about a path is true in every iteration: workers that have nothing else to do analyse those that are not
this iteration's, but may be the next one's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container

from cleave.engines.cegar.exploration import Counterexamples, Path
from cleave.engines.cegar.messages import Answer, Failed, Feasible, GivenUp, Learned, Refined, Violated


class Analyses:
    def __init__(self) -> None:
        self._paths: tuple[Path, ...] = ()  # of this iteration, while they are analysed
        self._urgent: deque[Path] = deque()  # of these, those that no one works on
        self._further: deque[Path] = deque()  # of others that may be analysed
        self._given: dict[Path, None] = {}
        self._answers: dict[Path, Answer] = {}

    @property
    def under_way(self) -> bool:
        return bool(self._paths)

    @property
    def is_over(self) -> bool:
        return all(path in self._answers for path in self._paths)

    @property
    def ahead(self) -> int:
        """How many workers are at paths that are not this iteration's."""
        return sum(path not in self._paths for path in self._given)

    def begin(self, found: Counterexamples) -> None:
        known = {path: self._answers.get(path) for path in (*found.paths, *found.further)}
        self._answers = {path: answer for path, answer in known.items() if answer is not None}
        self._paths = found.paths
        self._urgent = deque(path for path in found.paths if self._is_new(path))
        self._further = deque(path for path in found.further if self._is_new(path))

    def _is_new(self, path: Path) -> bool:
        return path not in self._answers and path not in self._given

    def take(self, *, ahead: bool) -> Path | None:
        """A path to analyse; with ``ahead``, also one that is not this iteration's."""
        waiting = self._urgent or (self._further if ahead and self._paths else None)
        if not waiting:
            return None
        path = waiting.popleft()
        self._given[path] = None
        return path

    def answered(self, path: Path, answer: Answer) -> None:
        self._given.pop(path, None)
        self._answers[path] = answer

    def lost(self, path: Path) -> bool:
        """The worker at it is gone. Whether another one has to take it up."""
        if path not in self._paths:
            self._given.pop(path, None)
        return path in self._paths

    def refined(self) -> list[tuple[Path, tuple[Learned, ...]]]:
        """The iteration's paths with the predicates that exclude them."""
        answers = [(path, self._answers[path]) for path in self._paths]
        return [(path, answer.predicates) for path, answer in answers if isinstance(answer, Refined)]

    def conclude(self, known: Container[Learned]) -> tuple[Learned, ...] | Violated | GivenUp:
        new: dict[Learned, None] = {}
        reasons: list[str] = []
        paths, self._paths = self._paths, ()
        for path in paths:
            match self._answers[path]:
                case Feasible(states=states):
                    return Violated(path, states)
                case Failed(reason=reason):
                    reasons.append(reason)
                case Refined(predicates=predicates):
                    new.update((one, None) for one in predicates if one not in known)
        if new:
            return tuple(new)
        why = reasons[0] if reasons else "it gives no new predicates"
        return GivenUp("refinement", f"a counterexample of {len(paths[0])} steps is not excluded: {why}")
