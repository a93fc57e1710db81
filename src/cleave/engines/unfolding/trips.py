"""How many iterations of each loop are unfolded: as many as its bound says, not counting those that are decided.

    for (i = 0; i < 4; i++) sum += a[i];        i is a constant: four iterations, whatever the bound is
    while (!ready) ;                            as many as the bound says; the rest is cut

An iteration is decided if constants exclude a way out of the loop in it, and constants have changed since the iteration
before. A loop that is too long for that is unwound like any other one.

A program is unfolded in several rounds, and what one has found out is true of the next one only if that does not go
further. So a round must not pass where the one before was cut. If it could, because more is constant by then, all is
done again from the first round, with those iterations granted from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from cleave.engines.unfolding.code import ThreadCode
from cleave.engines.unfolding.copies import Copy, Unwinding
from cleave.engines.unfolding.state import State
from cleave.ir.loops import LoopBounds
from cleave.ir.program import Procedure
from cleave.logic.terms import Op, Term
from cleave.records import dataclass

_A_START = 5  # positions that a started thread counts as
_MOST_RESTARTS = 3

Instance = tuple[int, str, tuple[int, ...]]
"""A loop that is executed: in which activation, its head, and the iterations of the loops around it."""
Edge = tuple[Instance, Copy, str]
"""A jump, as far as it is one within a loop. Without a label: the beginning of an iteration."""


class LoopTooLongError(Exception):
    """A loop has more decided iterations than are unfolded."""

    def __init__(self, loop: tuple[str, str]) -> None:
        super().__init__(" ".join(loop))
        self.loop = loop


@dataclass(slots=True)
class Trips:
    """What is known about the loops of a program, from round to round."""

    bounds: LoopBounds
    names: Mapping[tuple[str, str], str]  # of loops, by procedure and head
    most_iterations: int  # that are decided, of one loop
    most_positions: int  # where a thread can be interrupted, in these
    paths: dict[object, int] = field(default_factory=dict)
    too_long: set[tuple[str, str]] = field(default_factory=set)  # procedure and head
    _granted: dict[Instance, int] = field(default_factory=dict)
    _before: set[Edge] | None = None  # where the round before was cut; None: there was none
    _cuts: set[Edge] = field(default_factory=set)
    _made: dict[Instance, int] = field(default_factory=dict)
    _beyond: set[Instance] = field(default_factory=set)
    _restarts: int = 0

    def begin(self) -> None:
        """Of a round, or of one that is done again."""
        self._cuts, self._made, self._beyond = set(), {}, set()

    def end(self) -> None:
        """The round is complete and stands; the next one builds on it."""
        self._before = self._cuts

    @property
    def is_beyond(self) -> bool:
        """Whether the round went further than the one before."""
        return bool(self._beyond)

    def restart(self) -> None:
        self._granted.update((loop, self._made[loop]) for loop in self._beyond)
        self._before = None
        self._restarts += 1

    def path(self, caller: int, copy: Copy | None, statement: int) -> int:
        """The number of the activation, or of the thread, that a statement begins: the same in every round."""
        return self.paths.setdefault((caller, copy, statement), len(self.paths) + 1)

    def granted(self, loop: Instance) -> int:
        return self._granted.get(loop, 0)

    def arrived(self, loop: Instance, iteration: int) -> None:
        self._made[loop] = max(iteration, self._made.get(loop, 0))

    def cut(self, edge: Edge) -> None:
        self._cuts.add(edge)

    def passes(self, edge: Edge) -> bool:
        """Whether a jump that needs no cut can be made."""
        if self._before is None or edge not in self._before:
            return True
        if self._restarts >= _MOST_RESTARTS:
            self.cut(edge)
            return False
        self._beyond.add(edge[0])
        return True


@dataclass(slots=True)
class _Running:
    used: int = 0  # iterations that were not decided
    decided: bool = False  # whether the current one is
    iterations: int = 0  # that were decided
    positions: int = 0  # of the thread, when the loop began
    constants: Mapping[Term, Term] | None = None  # when the current iteration began


class Activation:
    """The loops of a procedure that is executed once."""

    def __init__(self, trips: Trips, procedure: Procedure, path: int, code: ThreadCode) -> None:
        self._trips = trips
        self._name = procedure.name
        self._path = path
        self._code = code
        self._running: dict[Instance, _Running] = {}
        self.unwinding = Unwinding(procedure)
        self.cut_loop = ""  # the name of the one whose bound was met last

    def arrives(self, copy: Copy, state: State) -> bool:
        """Whether a copy of a block, now to be executed, is within the bound."""
        if not self.unwinding.is_head(copy.label):
            return True
        loop = self._instance(copy, len(copy.iterations) - 1)
        running, iteration = self._run(loop), copy.iterations[-1]
        constants = _constants(state)
        if iteration:
            is_free = running.decided and constants != running.constants
            running.iterations += is_free
            running.used += not is_free
            self._refuse_if_too_long(running, copy.label)
        running.decided, running.constants = False, constants
        edge = (loop, copy, "")
        self.cut_loop = self._named(copy.label)
        if running.used > self._trips.bounds.of(self.cut_loop) and iteration > self._trips.granted(loop):
            self._trips.cut(edge)
            return False
        if not self._trips.passes(edge):
            return False
        self._trips.arrived(loop, iteration)
        return True

    def takes(self, copy: Copy, taken: frozenset[str]) -> None:
        """Of the jumps after a block only these are possible."""
        for level, loop in enumerate(self.unwinding.loops(copy.label)):
            out = self.unwinding.ways_out(copy.label, loop)
            if out and out.isdisjoint(taken) and taken and (self._name, loop.head) not in self._trips.too_long:
                self._run(self._instance(copy, level)).decided = True

    def following(self, copy: Copy, label: str) -> Copy | None:
        """The copy that a jump to ``label`` leads to; None where it is cut."""
        for level, loop in enumerate(self.unwinding.loops_of_both(copy.label, label)):
            may_end = label == loop.head or self.unwinding.ways_out(copy.label, loop)
            self.cut_loop = self._named(loop.head)
            if may_end and not self._goes_on(self._instance(copy, level), copy, level, label):
                return None
            if label == loop.head:
                break
        return self.unwinding.following(copy, label)

    def _goes_on(self, loop: Instance, copy: Copy, level: int, label: str) -> bool:
        """Whether the loop is not left behind in an iteration that is only there to leave it."""
        running, edge = self._run(loop), (loop, copy, label)
        is_last = running.used >= self._trips.bounds.of(self.cut_loop) and copy.iterations[
            level
        ] >= self._trips.granted(loop)
        if is_last and not running.decided:
            self._trips.cut(edge)
            return False
        return self._trips.passes(edge)

    def _named(self, head: str) -> str:
        return self._trips.names[self._name, head]

    def _instance(self, copy: Copy, level: int) -> Instance:
        return self._path, self.unwinding.loops(copy.label)[level].head, copy.iterations[:level]

    def _run(self, loop: Instance) -> _Running:
        if loop not in self._running:
            self._running[loop] = _Running(positions=self._positions())
        return self._running[loop]

    def _positions(self) -> int:
        return self._code.positions + _A_START * len(self._code.started)

    def _refuse_if_too_long(self, running: _Running, head: str) -> None:
        made = self._positions() - running.positions
        beyond = running.iterations > self._trips.most_iterations
        is_long = beyond or (running.iterations > 1 and made > self._trips.most_positions)
        if is_long and (self._name, head) not in self._trips.too_long:
            raise LoopTooLongError((self._name, head))


def _constants(state: State) -> Mapping[Term, Term]:
    found = {variable: value for variable, value in state.locals.items() if value.op is Op.VALUE}
    found.update((variable, value) for variable, value in state.globals.items() if value.op is Op.VALUE)
    return found
