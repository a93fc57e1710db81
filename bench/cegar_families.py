"""Systems with many transitions, of the shape of the paper's benchmarks, which are not to be had: compositions of timed
automata, as Horn clauses in SMT-LIB.

    python -m bench.cegar_families crossing 3 > crossing3.smt2

The paper's come from real-time specifications: automata that step together, each with its clocks, so that a transition
of the whole is one edge of every automaton, and their number the product. A step here lets time pass, and then takes an
edge of each automaton, or a stuttering one; edges agree on events, which happen or don't in a step.

    location    the control state of the first automata (`located`); that of the others is kept in numbers
    clause      for each choice of edges that agree on events

gasburner N     N burners that purge before they ignite again: no two leaks of one within 30 seconds
crossing N      N trains, a gate and its controller: whoever crosses finds the gate closed
lategate N      the same with a gate that is too slow: unsafe
fischer N       N processes that take a lock by waiting: one at most has it
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product


@dataclass(frozen=True)
class Edge:
    """``guard`` is a formula over clocks, after time has passed, and data; ``events`` says which have to happen (true)
    and which must not (false); ``updates`` are of clocks and data."""

    source: int
    target: int
    guard: str = "true"
    events: Mapping[str, bool] = field(default_factory=dict)
    updates: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Automaton:
    """Phase 0 is the first; ``invariants`` hold as long as control is in a phase, over clocks. ``own`` are the events
    that only happen on its edges that say so."""

    name: str
    phases: int
    edges: tuple[Edge, ...]
    clocks: tuple[str, ...] = ()
    invariants: Mapping[int, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    located: bool = False

    def choices(self) -> Iterator[Edge]:
        """Its edges, and for each phase one on which nothing that it listens to happens."""
        events = sorted({event for edge in self.edges for event in edge.events})
        for edge in self.edges:
            yield replace(edge, events=dict.fromkeys(self.own, False) | dict(edge.events))
        for phase in range(self.phases):
            yield Edge(phase, phase, events=dict.fromkeys(events, False))


@dataclass(frozen=True)
class Composition:
    """``bad`` is what must not be: a formula over modes, clocks and data, and phases of located automata by name.
    With ``interleaved``, one automaton takes an edge at a time, the others stutter."""

    automata: tuple[Automaton, ...]
    bad: tuple[tuple[Mapping[str, int], str], ...]
    data: Mapping[str, str] = field(default_factory=dict)  # with their first values
    interleaved: bool = False

    # --- names --------------------------------------------------------------------------------------------------------

    def variables(self) -> list[tuple[str, str]]:
        modes = [(f"at_{one.name}", "Int") for one in self.automata if not one.located]
        clocks = [(clock, "Real") for one in self.automata for clock in one.clocks]
        return [*modes, *((name, "Int") for name in self.data), *clocks]

    def location(self, phases: Sequence[int]) -> str:
        named = [f"{one.name}{phase}" for one, phase in zip(self.automata, phases, strict=True) if one.located]
        return "_".join(["l", *named])

    def locations(self) -> list[str]:
        ranges = [range(one.phases) if one.located else range(1) for one in self.automata]
        return [self.location(phases) for phases in product(*ranges)]

    # --- clauses ------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        sorts = " ".join(sort for _, sort in self.variables())
        lines = ["(set-logic HORN)", *(f"(declare-fun {name} ({sorts}) Bool)" for name in self.locations())]
        lines += [f"(assert (forall ({self._bound(*parts)}) {clause}))" for clause, parts in self._clauses()]
        return "\n".join([*lines, "(check-sat)", ""])

    def _bound(self, *extra: tuple[str, str]) -> str:
        return " ".join(f"({name} {sort})" for name, sort in (*self.variables(), *extra))

    def _clauses(self) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        names = [name for name, _ in self.variables()]
        first = {f"at_{one.name}": "0" for one in self.automata} | dict(self.data)
        begin = [f"(= {name} {first.get(name, '0.0')})" for name in names]
        yield f"(=> (and {' '.join(begin)}) ({self.location([0] * len(self.automata))} {' '.join(names)}))", ()
        for edges in self.steps():
            yield self._step(edges), (("d", "Real"),)
        for phases, formula in self.bad:
            for location, state in self._matching(phases):
                yield f"(=> (and ({location} {' '.join(names)}) {state} {formula}) false)", ()

    def steps(self) -> Iterator[tuple[Edge, ...]]:
        """One edge of each, such that they agree on what happens."""
        for edges in product(*(tuple(one.choices()) for one in self.automata)):
            moving = sum(edge.source != edge.target or bool(edge.updates) for edge in edges)
            if _agree(edges) and moving > 0 and not (self.interleaved and moving > 1):
                yield edges

    def _step(self, edges: Sequence[Edge]) -> str:
        later = {clock: f"(+ {clock} d)" for one in self.automata for clock in one.clocks}
        conditions, after = ["(>= d 0.0)"], dict(later)
        for one, edge in zip(self.automata, edges, strict=True):
            if not one.located:
                conditions.append(f"(= at_{one.name} {edge.source})")
                after[f"at_{one.name}"] = str(edge.target)
            conditions += [_after(one.invariants[edge.source], later)] if edge.source in one.invariants else []
            conditions += [_after(edge.guard, later)] if edge.guard != "true" else []
            after |= edge.updates
        names = [name for name, _ in self.variables()]
        source = f"({self.location([edge.source for edge in edges])} {' '.join(names)})"
        target = f"({self.location([edge.target for edge in edges])} {' '.join(after.get(one, one) for one in names)})"
        return f"(=> (and {source} {' '.join(conditions)}) {target})"

    def _matching(self, phases: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Locations in which the automata named are in these phases, and what the numbers have to be for it."""
        ranges = [
            ([phases[one.name]] if one.name in phases else range(one.phases)) if one.located else [0]
            for one in self.automata
        ]
        numbers = [
            f"(= at_{one.name} {phases[one.name]})" for one in self.automata if one.name in phases and not one.located
        ]
        for chosen in product(*ranges):
            yield self.location(chosen), " ".join(["true", *numbers])


def _agree(edges: Sequence[Edge]) -> bool:
    happens: dict[str, bool] = {}
    return all(happens.setdefault(event, value) == value for edge in edges for event, value in edge.events.items())


def _after(formula: str, later: Mapping[str, str]) -> str:
    for clock, term in later.items():
        formula = formula.replace(f"{clock} ", f"{term} ")
    return formula


# --- families ---------------------------------------------------------------------------------------------------------


def gasburner(burners: int) -> Composition:
    """Idle, purge for 30, ignite for at most 1, burn, leak for at most 4. The observer waits for two leaks of burner 0
    with less than 30 between them."""
    automata = [_observer()]
    for number in range(burners):
        x, leak = f"x{number}", f"leak{number}"
        edges = (
            Edge(0, 1, events={f"heat{number}": True}, updates={x: "0.0"}),
            Edge(1, 2, guard=f"(>= {x} 30.0)", updates={x: "0.0"}),
            Edge(2, 3, events={f"flame{number}": True}),
            Edge(2, 4, events={f"flame{number}": False, leak: True}, updates={x: "0.0"}),
            Edge(3, 4, events={f"flame{number}": False, leak: True}, updates={x: "0.0"}),
            Edge(3, 0, events={f"heat{number}": False}),
            Edge(4, 0, events={f"stop{number}": True}),
        )
        invariants = {2: f"(<= {x} 1.0)", 4: f"(<= {x} 4.0)"}
        automata.append(Automaton(f"burner{number}", 5, edges, (x,), invariants, (leak, f"stop{number}")))
    return Composition(tuple(automata), (({"observer": 3}, "true"),))


def _observer() -> Automaton:
    edges = (
        Edge(0, 1, events={"leak0": True}),
        Edge(1, 2, events={"stop0": True}, updates={"w": "0.0"}),
        Edge(2, 3, guard="(< w 30.0)", events={"leak0": True}),
        Edge(2, 1, guard="(>= w 30.0)", events={"leak0": True}),
    )
    return Automaton("observer", 4, edges, ("w",), located=True)


def crossing(trains: int, closing: float = 2.0) -> Composition:
    """A train needs 5 from its signal to the crossing and is over it by 9; the gate takes at most ``closing``, and the
    controller at most 1 to tell it. The controller counts trains."""
    automata: list[Automaton] = []
    for number in range(trains):
        x = f"x{number}"
        edges = (
            Edge(0, 1, events={f"near{number}": True}, updates={x: "0.0"}),
            Edge(1, 2, guard=f"(>= {x} 5.0)", events={f"enter{number}": True}),
            Edge(2, 0, events={f"exit{number}": True}),
        )
        own = (f"near{number}", f"enter{number}", f"exit{number}")
        automata.append(Automaton(f"train{number}", 3, edges, (x,), {1: f"(<= {x} 9.0)", 2: f"(<= {x} 9.0)"}, own))
    none = {f"{what}{number}": False for what in ("near", "exit") for number in range(trains)}  # one train at a time
    signals = [none | {f"near{number}": True} for number in range(trains)]
    exits = [none | {f"exit{number}": True} for number in range(trains)]
    quiet = {"lower": False, "raise": False}
    controller = (
        *(Edge(0, 1, events=one | quiet, updates={"z": "0.0", "count": "1"}) for one in signals),
        Edge(1, 2, events=none | {"lower": True, "raise": False}),
        *(
            Edge(phase, phase, events=one | quiet, updates={"count": "(+ count 1)"})
            for phase in (1, 2)
            for one in signals
        ),
        *(Edge(2, 2, "(> count 1)", events=one | quiet, updates={"count": "(- count 1)"}) for one in exits),
        *(
            Edge(2, 0, "(= count 1)", events=one | {"lower": False, "raise": True}, updates={"count": "0"})
            for one in exits
        ),
    )
    gate = (
        Edge(0, 1, events={"lower": True}, updates={"g": "0.0"}),
        Edge(1, 2, events={"lower": False}),
        Edge(2, 3, events={"raise": True}, updates={"g": "0.0"}),
        Edge(3, 0, guard="(>= g 1.0)", events={"lower": False}),
        Edge(3, 1, events={"lower": True}, updates={"g": "0.0"}),
    )
    automata.append(Automaton("controller", 3, controller, ("z",), {1: "(<= z 1.0)"}, ("lower", "raise"), located=True))
    automata.append(Automaton("gate", 4, gate, ("g",), {1: f"(<= g {closing})", 3: "(<= g 2.0)"}, located=True))
    bad = tuple(({f"train{n}": 2, "gate": phase}, "true") for n in range(trains) for phase in (0, 1, 3))
    return Composition(tuple(automata), bad, {"count": "0"})


def fischer(processes: int) -> Composition:
    """Whoever finds the lock free writes his number within 2, waits for more than 2, and enters if it is still his."""
    automata: list[Automaton] = []
    for number in range(processes):
        x, own = f"x{number}", str(number + 1)
        edges = (
            Edge(0, 1, guard="(= lock 0)", updates={x: "0.0"}),
            Edge(1, 2, updates={x: "0.0", "lock": own}),
            Edge(2, 3, guard=f"(and (> {x} 2.0) (= lock {own}))"),
            Edge(2, 0, guard=f"(and (> {x} 2.0) (not (= lock {own})))"),
            Edge(3, 0, updates={"lock": "0"}),
        )
        automata.append(Automaton(f"p{number}", 4, edges, (x,), {1: f"(<= {x} 2.0)"}, located=number < 2))
    bad = tuple(({f"p{a}": 3, f"p{b}": 3}, "true") for a in range(processes) for b in range(a))
    return Composition(tuple(automata), bad, {"lock": "0"}, interleaved=True)


FAMILIES: Mapping[str, Callable[[int], Composition]] = {
    "gasburner": gasburner,
    "crossing": crossing,
    "lategate": lambda trains: crossing(trains, closing=6.0),
    "fischer": fischer,
}
UNSAFE = ("lategate",)


if __name__ == "__main__":
    print(FAMILIES[sys.argv[1]](int(sys.argv[2])).text(), end="")
