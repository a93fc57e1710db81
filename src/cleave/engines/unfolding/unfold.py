"""Unfolds one thread: executes its procedure symbolically, once, calls inlined and loops unwound.

Each block's copy is executed after all copies that lead to it, where their states meet. All that is left of the control
flow are guards. What statements read and write is up to `accesses`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Protocol

from cleave.engines.unfolding.accesses import Accesses
from cleave.engines.unfolding.branches import ways_on
from cleave.engines.unfolding.code import Branch, Cell, Check, Cut, Demand, Joined, Started, ThreadCode
from cleave.engines.unfolding.copies import Copy, Key
from cleave.engines.unfolding.guards import restricted
from cleave.engines.unfolding.shared import NEXT_THREAD, Shared
from cleave.engines.unfolding.simplify import evaluate, simplified
from cleave.engines.unfolding.state import State, merged
from cleave.engines.unfolding.trips import Activation, Trips
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Fence,
    Havoc,
    Join,
    Procedure,
    Program,
    Self,
    Spawn,
    Statement,
)
from cleave.ir.shape import CUT, Body, Node
from cleave.logic.sorts import BOOL, INT, Sort
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Op,
    Term,
    bv,
    bv_binary,
    bv_to_int,
    conj,
    disj_all,
    extract,
    neg,
    zero_extend,
)
from cleave.records import dataclass


class Family(Protocol):
    """All threads of an unfolding, as far as they are known."""

    def check(self) -> None:
        """Called now and then; raises to end the unfolding."""

    def start(self, procedure: str, arguments: Sequence[Term], state: State, number: Term, path: int) -> int:
        """Adds a thread; its instance. -1 where that is beyond the bound."""

    def publish(self, cells: dict[Cell, Term], guard: Term) -> bool:
        """Whether ``cells`` could be taken for what the shared variables hold at the beginning."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """An activation of a procedure: those around it, itself last, and the number of the path that leads to it."""

    names: tuple[str, ...]
    path: int


class Unfolder:
    def __init__(self, program: Program, shared: Shared, trips: Trips, family: Family, code: ThreadCode) -> None:
        self._program = program
        self._trips = trips
        self._family = family
        self._code = code
        buffers = program.store_buffers
        self._accesses = Accesses(shared, code, () if buffers is None else buffers.variables)

    def run(self, state: State, arguments: Sequence[Term] | None, path: int) -> None:
        """Unfolds the whole thread. Without arguments it is the one that runs the entry."""
        procedure = self._program.procedures[self._code.procedure]
        self._code.arrivals[0] = TRUE
        if arguments is None:
            for variable in (*self._program.constants, *self._program.globals):
                state.globals[variable] = self._accesses.open(variable, state)
            arguments = [self._accesses.open(variable, state) for variable in procedure.parameters]
        state.locals = dict(zip(procedure.parameters, arguments, strict=True))
        self._accesses.step(state.guard, state.position)
        self._code.shape = Body(procedure.name)
        end = self._body(procedure, state, _Frame((procedure.name,), path), self._code.shape)
        self._code.ends = (0, FALSE) if end is None else (end.position, end.guard)

    # --- control ------------------------------------------------------------------------------------------------------

    def _body(self, procedure: Procedure, state: State, frame: _Frame, shape: Body) -> State | None:
        """The state in which the procedure returns; None if it never does. The caller keeps its own locals. ``shape``
        gets the copies of blocks that are executed."""
        self._accesses.begin(f"{frame.path}/")
        for variable in (*procedure.returns, *procedure.locals):
            state.locals[variable] = self._accesses.open(variable, state)
        loops = Activation(self._trips, procedure, frame.path, self._code)
        entry = loops.unwinding.entry
        pending: dict[Copy, list[State]] = {entry: [state]}
        heap: list[tuple[Key, Copy]] = [(loops.unwinding.key(entry), entry)]
        numbers: dict[Copy, int] = {}
        jumps: list[tuple[Node, str, Copy]] = []
        returns: list[State] = []
        while heap:
            self._family.check()
            copy = heappop(heap)[1]
            here = merged(pending.pop(copy), self._publish)
            numbers[copy] = len(shape.nodes)
            shape.nodes.append(node := Node(copy.label))
            if not loops.arrives(copy, here):
                node.cut = True
                self._cut(here, loops.cut_loop)
                continue
            block = procedure.blocks[copy.label]
            if not self._statements(block.statements, here, frame, copy, node):
                continue
            if not block.successors:
                returns.append(here)
                continue
            self._accesses.begin(f"{frame.path}/{_place(copy)}/")
            ways = list(self._ways(procedure, block, here))
            loops.takes(copy, frozenset(label for label, _ in ways))
            for label, after in ways:
                following = loops.following(copy, label)
                if following is None:
                    node.ways[label] = CUT
                    self._cut(after, loops.cut_loop)
                    continue
                jumps.append((node, label, following))
                if following in pending:
                    pending[following].append(after)
                else:
                    pending[following] = [after]
                    heappush(heap, (loops.unwinding.key(following), following))
        for node, label, following in jumps:
            node.ways[label] = numbers[following]
        return merged(returns, self._publish) if returns else None

    def _cut(self, state: State, bound: str) -> None:
        self._code.cuts.append(Cut(state.position, state.guard, bound))

    def _ways(self, procedure: Procedure, block: Block, state: State) -> Iterable[tuple[str, State]]:
        if len(block.successors) == 1:
            return [(block.successors[0], state)]
        conditions = [self._first_condition(procedure.blocks[label], state) for label in block.successors]
        ways = ways_on(conditions, lambda: self._accesses.leaf("way", BOOL))
        named = [(condition, block.successors[number]) for number, condition in ways]
        shown = named or [(TRUE, block.successors[0])]
        self._code.choices.append(Branch(state.position, state.guard, tuple(shown)))
        return [(label, state.copy(restricted(state.guard, condition))) for condition, label in named]

    def _first_condition(self, block: Block, state: State) -> Term | None:
        """What a block starts by assuming, if that is about nothing shared."""
        first = block.statements[0] if block.statements else None
        if not isinstance(first, Assume):
            return None
        if state.published and self._accesses.uses_shared(first.condition):
            return None
        return evaluate(first.condition, {**state.globals, **state.locals})

    def _statements(self, statements: Sequence[Statement], state: State, frame: _Frame, copy: Copy, node: Node) -> bool:
        """Whether the end of the block can be reached."""
        place = f"{frame.path}/{_place(copy)}"
        for number, statement in enumerate(statements):
            if state.guard is FALSE:
                return False
            before = state.guard
            self._accesses.begin(f"{place}.{number}")
            match statement:
                case Call():
                    node.calls[number] = self._call(statement, state, frame, self._trips.path(frame.path, copy, number))
                    continue
                case Assume(condition):
                    self._assume(self._accesses.value(condition, state), state)
                case Assert(condition):
                    self._check(self._accesses.value(condition, state), state)
                case Assign():
                    self._accesses.assign(statement.targets, statement.values, state)
                case Havoc(targets):
                    for target in targets:
                        self._accesses.set(target, self._accesses.open(target, state), state)
                case Spawn():
                    node.spawns[number] = self._spawn(statement, state, self._trips.path(frame.path, copy, number))
                case _:
                    self._thread_statement(statement, state)
            self._accesses.step(before, state.position)
        return state.guard is not FALSE

    # --- threads ------------------------------------------------------------------------------------------------------

    def _thread_statement(self, statement: Statement, state: State) -> None:
        match statement:
            case Join(thread):
                self._assume(self._has_ended(thread, state), state)
            case Self(target):
                self._accesses.set(target, number_as(self._code.number, target.sort), state)
            case Fence(stores_only):
                self._accesses.fence(state, stores_only=stores_only)
            case AtomicBegin():
                self._accesses.fence(state)
                if state.atomic == 0 and state.published:
                    self._accesses.new_position(state)
                state.atomic += 1
            case AtomicEnd():
                state.atomic -= 1

    def _spawn(self, spawn: Spawn, state: State, path: int) -> int:
        """The instance of the new thread, or CUT."""
        arguments = [self._accesses.value(argument, state) for argument in spawn.arguments]
        self._accesses.fence(state)
        if not state.published:
            self._publish(state)
        number = self._accesses.value(NEXT_THREAD, state)
        self._accesses.set(NEXT_THREAD, simplified(_SUM, (number, bv(1, number.sort.width))), state)
        child = self._family.start(spawn.procedure, arguments, state, number, path)
        if child < 0:
            self._cut(state, spawn.procedure)
            state.guard = FALSE
            return CUT
        self._code.started.append(Started(state.position, state.guard, number, child))
        if spawn.result is not None:
            self._accesses.set(spawn.result, number_as(number, spawn.result.sort), state)
        return child

    def _has_ended(self, thread: Term, state: State) -> Term:
        number = self._accesses.value(thread, state)
        if not state.published:
            return FALSE
        self._accesses.make_visible(state)
        leaf = self._accesses.leaf("joined", BOOL)
        self._code.accesses.append(Joined(state.position, number, leaf))
        return leaf

    def _publish(self, state: State) -> None:
        """From now on there may be other threads: what is shared gets where they see it."""
        state.published = True
        values = self._accesses.published(state)
        if not self._family.publish(values, state.guard):
            self._accesses.write_first(values, state)

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, call: Call, state: State, frame: _Frame, path: int) -> Body | None:
        """The shape of what was called; None where it is cut."""
        callee = self._program.procedures[call.procedure]
        own, before = state.locals, state.guard
        arguments = [self._accesses.value(argument, state) for argument in call.arguments]
        state.locals = dict(zip(callee.parameters, arguments, strict=True))
        self._accesses.step(before, state.position)
        if callee.has_body:
            if frame.names.count(callee.name) > self._trips.bounds.of(callee.name):
                self._cut(state, callee.name)
                state.guard = FALSE
                return None
            shape = Body(callee.name)
            end = self._body(callee, state.copy(state.guard), _Frame((*frame.names, callee.name), path), shape)
            if end is None:
                state.guard = FALSE
                return shape
            self._become(state, end)
            self._return(callee, call, state, own)
            return shape
        for variable in callee.modifies:
            self._accesses.set(variable, self._accesses.open(variable, state), state)
        for variable in callee.returns:
            state.locals[variable] = self._accesses.open(variable, state)
        self._finish_call(callee, call, state, own)
        return Body(callee.name)

    def _return(self, callee: Procedure, call: Call, state: State, own: dict[Term, Term]) -> None:
        """Returning is a step of its own only where it does something to globals."""
        before = state.guard
        self._accesses.begin()
        self._finish_call(callee, call, state, own)
        if any(result in self._program.globals for result in call.results):
            self._accesses.step(before, state.position)

    def _finish_call(self, callee: Procedure, call: Call, state: State, own: dict[Term, Term]) -> None:
        results = [state.locals[variable] for variable in callee.returns]
        state.locals = own
        for target, value in zip(call.results, results, strict=True):
            self._accesses.set(target, value, state)

    def _become(self, state: State, other: State) -> None:
        state.guard, state.globals, state.locals = other.guard, other.globals, other.locals
        state.published, state.atomic, state.position = other.published, other.atomic, other.position

    # --- conditions ---------------------------------------------------------------------------------------------------

    def _assume(self, condition: Term, state: State) -> None:
        if state.atomic and condition is not TRUE:
            failed = [conj(c.guard, neg(c.condition)) for c in self._code.checks if c.position == state.position]
            self._code.demands.append(Demand(state.position, state.guard, disj_all((condition, *failed))))
        state.guard = restricted(state.guard, condition)
        if self._accesses.is_visible and not state.atomic:
            self._code.arrivals[state.position] = state.guard  # a thread that has to wait there does not move

    def _check(self, condition: Term, state: State) -> None:
        if condition is not TRUE:
            self._code.checks.append(Check(state.position, state.guard, condition))


def _place(copy: Copy) -> str:
    return ".".join((copy.label, *map(str, copy.iterations)))


def number_as(number: Term, sort: Sort) -> Term:
    """A thread's number in another sort."""
    width = number.sort.width
    if sort is INT:
        return bv_to_int(number)
    return extract(number, sort.width - 1, 0) if sort.width <= width else zero_extend(number, sort.width - width)


_SUM = bv_binary(Op.BV_ADD, NEXT_THREAD, NEXT_THREAD)
