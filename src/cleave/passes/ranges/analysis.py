"""Intervals and congruences at the start of each block, by abstract interpretation of a sequential program.

    main:  entry: x := 0; goto h             at h:     x: 0..10
           h:     goto body, out             at body:  x: 0..9
           body:  assume x < 10; x := x + 1; goto h
           out:   assume not x < 10; ...     at out's end: x: 10

A procedure has one state at its entry, for all its calls, and one at its return. At loops and entries a state that
grows again and again is widened: its bounds go to the next constant of the program, and to those of the sort in the
end. Afterwards all blocks are computed anew from what holds before them, twice: that gets back what widening lost.

Contracts must have become statements. Nothing here is trusted: what follows is checked by `validate.clauses.annotated`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field

from cleave.ir.program import Assert, Assign, Assume, Block, Call, Havoc, Procedure, Program, Statement
from cleave.logic.sorts import BOOL, INT, Sort
from cleave.logic.terms import FALSE, Op, Term
from cleave.logic.terms import signed as signed_value
from cleave.logic.walk import postorder
from cleave.passes.effects import effects
from cleave.passes.flow import live_at_entry, reads
from cleave.passes.ranges.assume import assume, joined
from cleave.passes.ranges.evaluate import evaluate
from cleave.passes.ranges.values import Range, every
from cleave.records import dataclass

_PATIENCE = 3  # times that a state may grow before it is widened
_CALL_PATIENCE = 8  # the same at the entry of a procedure
_MOST_GROWTH = 60  # times; then nothing is said of what still changes
_DESCENTS = 2
_MOST_STOPS = 200

State = dict[Term, Range]
Node = tuple[str, str | None]
"""A block of a procedure or, None, its return."""

Check = tuple[str, str, int]
"""An assertion: procedure, block, and number of the statement in it."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """``states`` are those of blocks and returns that may be reached, ``heads`` the blocks that jumps go back to."""

    states: Mapping[Node, State]
    proved: frozenset[Check]
    heads: frozenset[tuple[str, str]]

    def conditions(self, procedure: str, label: str | None) -> tuple[Term, ...]:
        """What holds at a place, as formulas; false where execution does not come."""
        state = self.states.get((procedure, label))
        if state is None:
            return (FALSE,)
        return tuple(term for variable, found in state.items() for term in found.terms(variable))


def ranges_of(program: Program, entry: str, check: Callable[[], None] = lambda: None) -> Ranges:
    """``check`` is called now and then, and may raise."""
    analysis = _Analysis(program, entry, check)
    analysis.ascend()
    for _ in range(_DESCENTS):
        analysis.descend()
    return Ranges(analysis.states, analysis.proved(), frozenset(analysis.heads))


@dataclass(slots=True)
class _Analysis:
    program: Program
    entry: str
    check: Callable[[], None]
    states: dict[Node, State] = field(init=False, default_factory=dict)
    _order: list[Node] = field(init=False)
    heads: set[tuple[str, str]] = field(init=False)
    _grown: dict[Node, int] = field(init=False, default_factory=dict)
    _live: dict[str, dict[str, set[Term]]] = field(init=False)
    _stops: dict[Sort, list[int]] = field(init=False)
    _writes: Mapping[str, frozenset[Term]] = field(init=False)
    _callers: dict[str, list[Node]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        procedures = self.program.procedures
        self._order, self.heads = _order_of(self.program, self.entry)
        shared = frozenset(self.program.globals)
        self._live = {
            name: {label: live | shared for label, live in live_at_entry(one.blocks, frozenset(one.returns)).items()}
            for name, one in procedures.items()
            if one.has_body
        }
        self._stops = _stops_of(self.program)
        self._writes = {name: found.writes for name, found in effects(self.program).items()}
        for name, label in self._order:
            for statement in self._statements((name, label)):
                if isinstance(statement, Call):
                    self._callers.setdefault(statement.procedure, []).append((name, label))

    # --- fixed points -------------------------------------------------------------------------------------------------

    def ascend(self) -> None:
        """Blocks in order, those that changed; callers again when a return has changed."""
        first = (self.entry, self.program.procedures[self.entry].entry.label)
        self.states[first] = {}
        place = {node: number for number, node in enumerate(self._order)}
        waiting = {place[first]}
        while waiting:
            self.check()
            node = self._order[min(waiting)]
            waiting.remove(place[node])
            for target, state in self._after(node):
                if self._grow(target, state):
                    again = [target] if target[1] is not None else self._callers.get(target[0], [])
                    waiting.update(place[one] for one in again if one in self.states)

    def _grow(self, target: Node, state: State) -> bool:
        known = self.states.get(target)
        if known is None:
            self.states[target] = state
            return True
        both = joined((known, state)) or {}
        if both == known:
            return False
        times = self._grown[target] = self._grown.get(target, 0) + 1
        patience = self._patience(target)
        if patience is not None and times > _MOST_GROWTH:
            both = {variable: new for variable, new in both.items() if new == known[variable]}
        elif patience is not None and times > patience:
            stops = self._stops
            both = {variable: known[variable].widened(new, stops[variable.sort]) for variable, new in both.items()}
        self.states[target] = both
        return True

    def _patience(self, node: Node) -> int | None:
        procedure, label = node
        if label is None or label == self.program.procedures[procedure].entry.label:
            return _CALL_PATIENCE
        return _PATIENCE if node in self.heads else None

    def descend(self) -> None:
        """All states anew, from those before them."""
        before: dict[Node, list[State]] = {(self.entry, self.program.procedures[self.entry].entry.label): [{}]}
        for node in self._order:
            if node in self.states:
                self.check()
                for target, state in self._after(node):
                    before.setdefault(target, []).append(state)
        smaller = {node: joined(before[node]) for node in self.states if node in before}
        self.states = {node: state for node, state in smaller.items() if state is not None}

    def proved(self) -> frozenset[Check]:
        """Assertions that can't fail where their block starts in its state."""
        found: set[Check] = set()
        for procedure in self.program.procedures.values():
            for label, block in procedure.blocks.items():
                state: State | None = self.states.get((procedure.name, label))
                for number, statement in enumerate(block.statements):
                    if isinstance(statement, Assert):
                        truth = None if state is None else evaluate(statement.condition, state)
                        if state is None or (truth is not None and truth.value == 1):
                            found.add((procedure.name, label, number))
                    state = None if state is None else self._execute(statement, state)
        return frozenset(found)

    # --- what a block does --------------------------------------------------------------------------------------------

    def _statements(self, node: Node) -> Sequence[Statement]:
        return self._block(node).statements

    def _block(self, node: Node) -> Block:
        procedure, label = node
        assert label is not None
        return self.program.procedures[procedure].blocks[label]

    def _after(self, node: Node) -> Iterator[tuple[Node, State]]:
        """The states that a block passes on: to what it calls, to its successors, to its procedure's return."""
        state: State | None = dict(self.states[node])
        for statement in self._statements(node):
            if isinstance(statement, Call) and state is not None:
                yield from self._entering(statement, state)
            state = self._execute(statement, state) if state is not None else None
        if state is None:
            return
        procedure, block = self.program.procedures[node[0]], self._block(node)
        if not block.successors:
            kept = {*procedure.returns, *self.program.globals}
            yield (node[0], None), {variable: one for variable, one in state.items() if variable in kept}
        for label in block.successors:
            live = self._live[node[0]][label]
            yield (node[0], label), {variable: one for variable, one in state.items() if variable in live}

    def _entering(self, call: Call, state: State) -> Iterator[tuple[Node, State]]:
        callee = self.program.procedures[call.procedure]
        if not callee.has_body:
            return
        inside = {variable: state[variable] for variable in self.program.globals if variable in state}
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            found = evaluate(argument, state)
            if found is not None:
                inside[parameter] = found
        yield (callee.name, callee.entry.label), inside

    def _execute(self, statement: Statement, state: State) -> State | None:
        match statement:
            case Assume(condition) | Assert(condition):
                return assume(condition, state)
            case Assign(targets, values):
                memo: dict[Term, Range | None] = {}
                found = {target: evaluate(value, state, memo) for target, value in zip(targets, values, strict=True)}
                return _with(state, found)
            case Havoc(targets):
                return _with(state, dict.fromkeys(targets))
            case Call():
                return self._called(statement, state)
        raise AssertionError(f"{type(statement).__name__} in a sequential program")

    def _called(self, call: Call, state: State) -> State | None:
        callee = self.program.procedures[call.procedure]
        changed: dict[Term, Range | None] = dict.fromkeys(self._writes[callee.name])
        changed |= dict.fromkeys(call.results)
        if callee.has_body:
            returned = self.states.get((callee.name, None))
            if returned is None:
                return None
            changed |= {variable: returned.get(variable) for variable in self._writes[callee.name]}
            results = zip(call.results, callee.returns, strict=True)
            changed |= {result: returned.get(variable) for result, variable in results}
        return _with(state, changed)


def _with(state: State, found: Mapping[Term, Range | None]) -> State:
    """With other ranges; a variable that may have any value is left out."""
    changed = {variable: one for variable, one in state.items() if variable not in found}
    told = {variable: one for variable, one in found.items() if one is not None and one != every(variable.sort)}
    return changed | told


def _order_of(program: Program, entry: str) -> tuple[list[Node], set[tuple[str, str]]]:
    """Blocks in the order in which execution comes to them, callees where they are called first; and the blocks that a
    jump goes back to."""
    order: list[Node] = []
    heads: set[tuple[str, str]] = set()
    pending = [entry]
    procedures: dict[str, None] = {}
    while pending:
        name = pending.pop()
        if name in procedures or not program.procedures[name].has_body:
            continue
        procedures[name] = None
        calls = [s.procedure for s in program.procedures[name].statements() if isinstance(s, Call)]
        pending += reversed(calls)
    for name in procedures:
        own, back = _blocks_in_order(program.procedures[name])
        order += ((name, label) for label in own)
        heads.update((name, label) for label in back)
    return order, heads


def _blocks_in_order(procedure: Procedure) -> tuple[list[str], set[str]]:
    """Reverse postorder, and the targets of jumps back."""
    order: list[str] = []
    heads: set[str] = set()
    state: dict[str, bool] = {}  # False: on the way; True: done
    work: list[tuple[str, int]] = [(procedure.entry.label, 0)]
    while work:
        label, position = work.pop()
        if position == 0:
            if label in state:
                continue
            state[label] = False
        successors = procedure.blocks[label].successors
        for number in range(position, len(successors)):
            following = successors[number]
            if state.get(following) is False:
                heads.add(following)
            elif following not in state:
                work += [(label, number + 1), (following, 0)]
                break
        else:
            state[label] = True
            order.append(label)
    order.reverse()
    return order, heads


def _stops_of(program: Program) -> dict[Sort, list[int]]:
    """Where widening stops, by sort: constants of the program and their neighbours, and the bounds of the sort."""
    found: dict[Sort, set[int]] = {BOOL: set(), INT: set()}
    variables = [
        *program.globals,
        *(v for p in program.procedures.values() for v in (*p.parameters, *p.returns, *p.locals)),
    ]
    found |= {variable.sort: set() for variable in variables}
    terms = (term for one in program.procedures.values() for s in one.statements() for term in reads(s))
    for node in postorder(terms):
        if node.op is Op.VALUE and not isinstance(node.value, bool) and isinstance(node.value, int):
            values = {node.value}
            if node.sort.is_bitvec:
                values.add(signed_value(node.value, node.sort.width))
            found.setdefault(node.sort, set()).update(near for one in values for near in (one - 1, one, one + 1))
    return {sort: _sorted_stops(sort, stops) for sort, stops in found.items()}


def _sorted_stops(sort: Sort, stops: set[int]) -> list[int]:
    chosen = set(sorted(stops, key=abs)[:_MOST_STOPS]) | {0}
    if sort.is_bitvec:
        half = 1 << (sort.width - 1)
        chosen |= {-half, half - 1, 2 * half - 1}
    return sorted(chosen)
