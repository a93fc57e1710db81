"""What a run keeps of its iterations, for the pages and reports that show it afterwards.

    diary.note(facts, exploration, post, answers, known)     # at the end of an iteration, before predicates are learned

It is bounded, so that a long run does not notice it: the trees of the first iterations and of the last one, if they
are small, the first counterexamples, and a number of iterations. Nothing that the engine concludes depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable
from dataclasses import field
from typing import NamedTuple

from cleave.engines.cegar.exploration import Exploration, Path, Post
from cleave.engines.cegar.messages import Answer, Failed, Feasible, Learned, Refined
from cleave.engines.cegar.snapshot import TreeNode, snapshot
from cleave.records import dataclass

MOST_NODES = 200  # of a tree that is kept
_MOST_EARLIER = 600  # nodes of the trees before the last one, together
_MOST_COUNTEREXAMPLES = 500
_MOST_ITERATIONS = 1000


class Iteration(NamedTuple):
    """``states`` are those that the tree keeps, ``predicates`` those known, ``cost`` of all work until its end."""

    number: int
    states: int
    predicates: int
    cost: int
    counterexamples: int


class Counterexample(NamedTuple):
    """``gave`` are the predicates that are new with it, ``known`` counts the others that exclude it."""

    iteration: int
    path: Path
    outcome: str
    gave: tuple[Learned, ...] = ()
    known: int = 0


class Crowd(NamedTuple):
    """The states of a large tree, by location, and from where each location was first reached."""

    iteration: int
    states: Counter[int]
    first_from: dict[int, int | None]


@dataclass(slots=True)
class Diary:
    iterations: list[Iteration] = field(default_factory=list)
    counterexamples: list[Counterexample] = field(default_factory=list)
    trees: dict[int, tuple[TreeNode, ...]] = field(default_factory=dict)
    crowd: Crowd | None = None  # instead of the last iteration's tree
    last: int = 0
    further_counterexamples: int = 0
    _left: int = _MOST_EARLIER

    def note(
        self,
        iteration: Iteration,
        exploration: Exploration,
        post: Post,
        answers: Collection[tuple[Path, Answer]] = (),
        known: Container[Learned] = (),
        *,
        is_last: bool = False,
    ) -> None:
        self.last = iteration.number
        if len(self.iterations) < _MOST_ITERATIONS or is_last:
            self.iterations.append(iteration)
        self._note_answers(iteration.number, answers, known)
        most = MOST_NODES if is_last else min(MOST_NODES, self._left)
        tree = snapshot(exploration.reached(), post, most) if exploration.size() <= most else None
        if tree is not None:
            self._left -= len(tree)
            self.trees[iteration.number] = tree
        elif is_last:
            self.crowd = _crowd(iteration.number, exploration)

    def _note_answers(self, number: int, answers: Iterable[tuple[Path, Answer]], known: Container[Learned]) -> None:
        news: set[Learned] = set()
        for path, answer in answers:
            if len(self.counterexamples) >= _MOST_COUNTEREXAMPLES:
                self.further_counterexamples += 1
                continue
            match answer:
                case Feasible():
                    self.counterexamples.append(Counterexample(number, path, "can be executed"))
                case Failed(reason=reason):
                    self.counterexamples.append(Counterexample(number, path, f"not excluded: {reason}"))
                case Refined(predicates=predicates):
                    given = dict.fromkeys(predicates)
                    gave = tuple(one for one in given if one not in known and one not in news)
                    news.update(gave)
                    self.counterexamples.append(Counterexample(number, path, "excluded", gave, len(given) - len(gave)))


def _crowd(number: int, exploration: Exploration) -> Crowd:
    states: Counter[int] = Counter()
    first_from: dict[int, int | None] = {}
    places: list[int] = []
    for state, parent, _ in exploration.reached():
        states[state.location] += 1
        first_from.setdefault(state.location, places[parent] if parent >= 0 else None)
        places.append(state.location)
    return Crowd(number, states, first_from)
