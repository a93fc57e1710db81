"""Drawings of a run's diary: its iterations, its counterexamples with their predicates, and its trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby

from cleave.engines.cegar.diary import MOST_NODES, Counterexample, Crowd, Diary
from cleave.engines.cegar.exploration import State
from cleave.engines.cegar.messages import Learned
from cleave.engines.cegar.snapshot import TreeNode
from cleave.engines.review.drawings import Drawing, Line, Lines, Node, Rows, Series, Tree
from cleave.engines.text import amount, count
from cleave.explain.infix import infix
from cleave.ir.transition_system import ERROR, TransitionSystem
from cleave.logic import encoding
from cleave.logic.terms import Term
from cleave.records import dataclass

ITERATIONS, COUNTEREXAMPLES, TREE = "Iterations", "What each counterexample led to", "Abstract reachability tree"
_MOST_LABEL, _MOST_PATH, _MOST_PREDICATE = 90, 400, 200  # characters
_MOST_LOCATIONS = 400
_ITERATION_COLUMNS = ("iteration", "states", "predicates known", "counterexamples", "cost", "cost so far")
_COUNTEREXAMPLE_COLUMNS = ("iteration", "steps", "path", "answer", "new predicates")


def pictures(diary: Diary, system: TransitionSystem, predicates: Mapping[int, Sequence[Term]]) -> Iterator[Drawing]:
    """``predicates`` are those of each location, in the order of their numbers."""
    words = _Words(system, predicates)
    if len(diary.iterations) > 1:
        yield _growth(diary)
    if diary.iterations:
        yield _iterations(diary)
    if diary.counterexamples:
        yield _counterexamples(diary, words)
    if diary.trees or diary.crowd is not None:
        yield _trees(diary, words)


@dataclass(slots=True)
class _Words:
    """What locations, transitions and predicates are called. Predicates are printed once."""

    system: TransitionSystem
    predicates: Mapping[int, Sequence[Term]]
    printed: dict[tuple[int, int], str] = field(default_factory=dict)

    def place(self, location: int) -> str:
        return self.system.locations[location].name

    def holding(self, state: State) -> list[str]:
        own = self.predicates.get(state.location, ())
        return [self._predicate(state.location, at) for at in range(len(own)) if state.bits >> at & 1]

    def _predicate(self, location: int, number: int) -> str:
        key = location, number
        if key not in self.printed:
            self.printed[key] = infix(self.predicates[location][number])
        return self.printed[key]

    def transition(self, number: int) -> str:
        one = self.system.transitions[number]
        line = f", line {one.location.line}" if one.location is not None else ""
        return f"transition {number}: {self.place(one.source)} → {self.place(one.target)}{line}"

    def label(self, state: State) -> str:
        if state.is_error or not self.system.locations[state.location].variables:
            return self.place(state.location)
        return _cut(f"{self.place(state.location)}: {' && '.join(self.holding(state)) or 'true'}", _MOST_LABEL)

    def path(self, path: Iterable[int]) -> str:
        """Locations in a row that are the same are one, with their number."""
        transitions = [self.system.transitions[number] for number in path]
        places = [transitions[0].source, *(one.target for one in transitions)] if transitions else []
        told = [(self.place(location), sum(1 for _ in same)) for location, same in groupby(places)]
        return _cut(" → ".join(name if times == 1 else f"{name} ×{times}" for name, times in told), _MOST_PATH)

    def learned(self, one: Learned) -> str:
        told = (_cut(infix(part), _MOST_PREDICATE) for part in encoding.decode(one.formula))
        return f"{self.place(one.location)}: {' && '.join(told)}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _growth(diary: Diary) -> Lines:
    states = tuple((float(one.number), float(one.states)) for one in diary.iterations)
    known = tuple((float(one.number), float(one.predicates)) for one in diary.iterations)
    lines = (Line("states of the tree", states), Line("predicates known", known))
    return Lines(title=ITERATIONS, x="iteration", y="number", lines=lines)


def _iterations(diary: Diary) -> Rows:
    ends = {one.number: one.cost for one in diary.iterations} | {0: 0}
    rows = tuple(
        (
            *map(str, (one.number, one.states, one.predicates, one.counterexamples)),
            amount(one.cost - ends[one.number - 1]) if one.number - 1 in ends else "",
            amount(one.cost),
        )
        for one in diary.iterations
    )
    left = diary.last - len(rows)
    return Rows(
        title="Iterations in numbers", columns=_ITERATION_COLUMNS, rows=rows, numbers=_ITERATION_COLUMNS, further=left
    )


def _counterexamples(diary: Diary, words: _Words) -> Rows:
    return Rows(
        title=COUNTEREXAMPLES,
        columns=_COUNTEREXAMPLE_COLUMNS,
        rows=tuple(_row(one, words) for one in diary.counterexamples),
        numbers=("iteration", "steps"),
        further=diary.further_counterexamples,
        note="Each path of locations to the error, and the predicates that the run learned from it.",
    )


def _row(one: Counterexample, words: _Words) -> tuple[str, ...]:
    gave = "; ".join(map(words.learned, one.gave))
    known = f"{count(one.known, 'predicate')} known already" if one.known else ""
    told = "; ".join(filter(None, (gave, known)))
    return str(one.iteration), str(len(one.path)), words.path(one.path), one.outcome, told


def _trees(diary: Diary, words: _Words) -> Series:
    members = [(_name(number, tree), _tree(number, tree, words)) for number, tree in diary.trees.items()]
    note = "Each node is an abstract state: a location, and the predicates that hold there. Choose a node to read all."
    if diary.crowd is not None:
        crowd = diary.crowd
        note += f" The tree of iteration {crowd.iteration} has more than {MOST_NODES} nodes: its locations are drawn."
        members.append((f"iteration {crowd.iteration}: {crowd.states.total():,} states", _by_location(crowd, words)))
    if len(members) < diary.last:
        note += f" Of {count(diary.last, 'iteration')}, {len(members)} are shown, the last one among them."
    return Series(title=TREE, members=tuple(members), note=note)


def _name(number: int, tree: Sequence[TreeNode]) -> str:
    return f"iteration {number}: {count(len(tree), 'node')}"


def _tree(number: int, tree: Sequence[TreeNode], words: _Words) -> Tree:
    nodes = [
        Node(
            id=str(at),
            parent=str(one.parent) if one.parent >= 0 else None,
            label=words.label(one.state),
            state=one.mark,
            details=tuple(_details(at, one, tree, words)),
        )
        for at, one in enumerate(tree)
    ]
    return Tree(title=f"{TREE}, iteration {number}", nodes=tuple(nodes))


def _details(at: int, node: TreeNode, tree: Sequence[TreeNode], words: _Words) -> Iterator[str]:
    yield f"node {at}, at {words.place(node.state.location)}"
    if node.parent >= 0:
        yield f"from node {node.parent} by {words.transition(node.transition)}"
    if node.by >= 0:
        yield f"covered by node {node.by}, {words.label(tree[node.by].state)}"
    yield from (f"holds: {one}" for one in words.holding(node.state))


def _by_location(crowd: Crowd, words: _Words) -> Tree:
    """Breadth first, as the tree is: a location comes after the one from which it was first reached."""
    nodes = [
        Node(
            id=str(location),
            parent=str(source) if source is not None else None,
            label=f"{words.place(location)}: {count(crowd.states[location], 'state')}",
            state="reached",
            cost=crowd.states[location],
        )
        for location, source in list(crowd.first_from.items())[:_MOST_LOCATIONS]
        if location != ERROR
    ]
    note = "Each location is below the one from which it was first reached, and as wide as the states there and below."
    return Tree(title=f"Locations of iteration {crowd.iteration}", nodes=tuple(nodes), note=note)
