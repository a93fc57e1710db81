"""Unfolds the threads of a program once more, from the program alone, as far as a shape says.

    unfolding = unfold(program, "main", shape)
    unfolding.threads[1].events            # what the second thread does, event by event

Calls are inlined and loops unwound along the shape; of what statements compute, only constants are folded. Ways that
the shape lacks are gaps, unless constants exclude them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from cleave.errors import UnsupportedError
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
    Property,
    Self,
    Spawn,
    Statement,
)
from cleave.ir.shape import CUT, Body, Node, Shape
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import (
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
    var,
    zero_extend,
)
from cleave.records import dataclass
from cleave.validate.proofs.schedules.code import Cell, Condition, Event, Joined, Started, Thread, Unfolding, Write
from cleave.validate.proofs.schedules.fold import forget_elements, operation
from cleave.validate.proofs.schedules.memory import Memory
from cleave.validate.proofs.schedules.shape import Cut
from cleave.validate.proofs.schedules.sharing import (
    NEXT_THREAD,
    NUMBER_BITS,
    NotSplitError,
    Sharing,
    everything,
    really_shared,
)
from cleave.validate.proofs.schedules.state import State, merged
from cleave.validate.semantics.ground import computed

_ROUNDS = 6
_SUM = bv_binary(Op.BV_ADD, NEXT_THREAD, NEXT_THREAD)
Watch = Callable[[], None]


def unfold(
    program: Program, entry: str, shape: Shape, watch: Watch = lambda: None, early: frozenset[Cut] = frozenset()
) -> Unfolding:
    """``watch`` is called often, and may raise to end it. What is cut off ``early`` must be impossible."""
    if program.axioms or program.functions or program.property is not Property.ASSERTIONS:
        raise UnsupportedError("axioms, functions and properties other than assertions are not handled")
    if any(procedure.requires or procedure.ensures for procedure in program.procedures.values()):
        raise UnsupportedError("contracts are not handled")
    try:
        return _in_rounds(program, entry, shape, watch, early)
    finally:
        forget_elements()


def _in_rounds(program: Program, entry: str, shape: Shape, watch: Watch, early: frozenset[Cut]) -> Unfolding:
    """Each round with only those globals shared that turned out to be."""
    sharing, whole = everything(program.globals), set[Term]()
    found: Unfolding | None = None
    rounds = 0
    while rounds < _ROUNDS or found is None:
        try:
            found = _Family(program, entry, shape, sharing, watch, early).unfold()
        except NotSplitError as error:
            whole.add(error.array)
            sharing = sharing.with_whole(error.array)
            continue
        rounds += 1
        if len(found.threads) == 1 and not any(event.accesses for event in found.threads[0].events):
            break  # there is one thread: nothing is shared
        fewer = really_shared(found.threads, whole)
        if fewer == sharing:
            break
        sharing = fewer
    return found


@dataclass(slots=True)
class _Waiting:
    number: int
    state: State
    arguments: Sequence[Term] | None


@dataclass(slots=True)
class _Family:
    """All threads."""

    program: Program
    entry: str
    shape: Shape
    sharing: Sharing
    watch: Watch
    early: frozenset[Cut] = frozenset()
    threads: dict[int, Thread] = field(default_factory=dict)
    waiting: deque[_Waiting] = field(default_factory=deque)
    initial: dict[Cell, Term] = field(default_factory=dict)

    def unfold(self) -> Unfolding:
        self.start(0, bv(0, NUMBER_BITS), State(globals={NEXT_THREAD: bv(1, NUMBER_BITS)}), None, None)
        while self.waiting:
            one = self.waiting.popleft()
            _Unfolder(self, one.number).run(one.state, one.arguments)
        for cell in self.sharing.cells:
            sort = cell.variable.sort if cell.element is None else cell.variable.sort.element
            self.initial.setdefault(cell, var(f"initial:{cell.variable.name}:{cell.element}", sort))
        # A thread that the shape has, but that can't be started, has no events.
        last = [self.threads.get(n, Thread("", bv(0, NUMBER_BITS), [])) for n in range(len(self.shape))]
        buffers = self.program.store_buffers
        return Unfolding(tuple(last), self.initial, None if buffers is None else buffers.model)

    def start(
        self,
        number: int,
        known_as: Term,
        state: State,
        arguments: Sequence[Term] | None,
        parent: tuple[int, int, Term] | None,
    ) -> None:
        self.threads[number] = Thread(self.shape[number].procedure, known_as, [Event()], parent=parent)
        self.waiting.append(_Waiting(number, state, arguments))

    def publish(self, cells: dict[Cell, Term], guard: Term) -> bool:
        """Whether these are what the cells hold in the beginning: only what is sure to happen first."""
        if self.initial or not guard.is_true or len(self.threads) > 1 or self.threads[0].events[0].accesses:
            return False
        self.initial.update(cells)
        return True


class _Unfolder:
    """One thread."""

    def __init__(self, family: _Family, number: int) -> None:
        self._family = family
        self._program = family.program
        self._number = number
        self._thread = family.threads[number]
        buffers = family.program.store_buffers
        buffered = () if buffers is None else buffers.variables
        self._memory = Memory(family.sharing, self._thread, number, buffered)

    def run(self, state: State, arguments: Sequence[Term] | None) -> None:
        body = self._family.shape[self._number]
        procedure = self._program.procedures[body.procedure]
        if arguments is None:
            for variable in (*self._program.constants, *self._program.globals):
                state.globals[variable] = self._memory.open(variable.name, variable.sort)
            arguments = [self._memory.open(v.name, v.sort) for v in procedure.parameters]
        state.locals = dict(zip(procedure.parameters, arguments, strict=True))
        end = self._body(procedure, body, state)
        self._thread.ends = (0, neg(TRUE)) if end is None else (end.event, end.guard)

    # --- control ------------------------------------------------------------------------------------------------------

    def _body(self, procedure: Procedure, body: Body, state: State) -> State | None:
        """The state in which the procedure returns; None if it never does."""
        for variable in (*procedure.returns, *procedure.locals):
            state.locals[variable] = self._memory.open(variable.name, variable.sort)
        arriving: dict[int, list[State]] = {0: [state]}
        returning: list[State] = []
        for number, node in enumerate(body.nodes):
            states = arriving.pop(number, None)
            if states is None:
                continue
            self._family.watch()
            here = self._meet(states)
            if node.cut:
                self._cut(node, node.label, here)
                continue
            block = procedure.blocks[node.label]
            self._statements(block.statements, node, here)
            if here.is_dead:
                continue
            if not block.successors:
                returning.append(here)
            for label, after in self._ways(procedure, block, here):
                target = node.ways.get(label)
                if target is None:
                    self._gap(procedure.blocks[label], after)
                elif target == CUT:
                    self._cut(node, label, after)
                else:
                    arriving.setdefault(target, []).append(after)
        return self._meet(returning) if returning else None

    def _cut(self, node: Node, where: str | int, state: State) -> None:
        event = self._memory.event(state)
        (event.gaps if (id(node), where) in self._family.early else event.cuts).append(state.guard)

    def _gap(self, block: Block, state: State) -> None:
        """A block that the shape lacks is impossible if what it begins to assume is."""
        for statement in block.statements:
            if not isinstance(statement, Assume) or state.is_dead:
                break
            self._memory.begin_statement()
            self._statement(statement, state)
        if not state.is_dead:
            self._memory.event(state).gaps.append(state.guard)

    def _meet(self, states: Sequence[State]) -> State:
        if any(state.shared for state in states):
            for state in states:
                if not state.shared:
                    self._publish(state)
        return merged(states)

    def _ways(self, procedure: Procedure, block: Block, state: State) -> Iterator[tuple[str, State]]:
        """Ways exclude each other: by what they begin to assume, or by a choice that is open."""
        if len(block.successors) == 1:
            yield block.successors[0], state
            return
        assumed = [self._assumed(procedure.blocks[label], state) for label in block.successors]
        conditions = [TRUE if condition is None else condition for condition in assumed]
        if None in assumed or not _exclude_each_other([one for one in conditions if not one.is_false]):
            chosen = self._chosen(len(conditions))
            conditions = [conj(condition, one) for condition, one in zip(conditions, chosen, strict=True)]
        for label, condition in zip(block.successors, conditions, strict=True):
            after = state.copy()
            after.restrict(condition)
            if not after.is_dead:
                yield label, after

    def _chosen(self, count: int) -> list[Term]:
        """Conditions of which one holds, whichever."""
        made: list[Term] = []
        none_before: Term = TRUE
        for _ in range(count - 1):
            chosen = self._memory.open("way", BOOL)
            made.append(conj(none_before, chosen))
            none_before = conj(none_before, neg(chosen))
        return [*made, none_before]

    def _assumed(self, block: Block, state: State) -> Term | None:
        """What a block begins to assume, unless that is about something shared."""
        first = block.statements[0] if block.statements else None
        if not isinstance(first, Assume) or (state.shared and self._memory.is_shared(first.condition)):
            return None
        return self._memory.value(first.condition, state)

    def _statements(self, statements: Sequence[Statement], node: Node, state: State) -> None:
        for place, statement in enumerate(statements):
            if state.is_dead:
                return
            self._memory.begin_statement()
            match statement:
                case Call():
                    self._call(statement, place, node, state)
                case Spawn():
                    self._spawn(statement, place, node, state)
                case _:
                    self._statement(statement, state)

    def _statement(self, statement: Statement, state: State) -> None:
        memory = self._memory
        match statement:
            case Assume(condition):
                self._assume(memory.value(condition, state), state)
            case Assert(condition):
                self._check(memory.value(condition, state), state)
            case Assign(targets, values):
                memory.assign(targets, values, state)
            case Havoc(targets):
                for target in targets:
                    memory.write(target, None, memory.open(target.name, target.sort), state)
            case Join(thread):
                self._join(memory.value(thread, state), state)
            case Self(target):
                memory.write(target, None, number_as(self._thread.number, target.sort), state)
            case AtomicBegin():
                memory.fence(state)
                if state.block == 0 and state.shared and not memory.is_visible:
                    memory.begin_event(state)
                state.block += 1
            case Fence(stores_only):
                memory.fence(state, stores_only=stores_only)
            case AtomicEnd():
                state.block -= 1

    # --- conditions ---------------------------------------------------------------------------------------------------

    def _assume(self, condition: Term, state: State) -> None:
        if state.block and not condition.is_true:
            event = self._memory.event(state)
            failed = [conj(check.guard, neg(check.condition)) for check in event.checks]
            event.demands.append(Condition(state.guard, disj_all((condition, *failed))))
        state.restrict(condition)

    def _check(self, condition: Term, state: State) -> None:
        if not condition.is_true:
            self._memory.event(state).checks.append(Condition(state.guard, condition))
            state.restrict(condition)  # a violation ends the execution

    def _join(self, number: Term, state: State) -> None:
        if not state.shared:
            state.restrict(neg(TRUE))
            return
        self._memory.make_visible(state)
        leaf = self._memory.open("joined", BOOL)
        self._memory.event(state).accesses.append(Joined(state.guard, number, leaf))
        self._assume(leaf, state)

    # --- threads and calls --------------------------------------------------------------------------------------------

    def _spawn(self, spawn: Spawn, place: int, node: Node, state: State) -> None:
        memory = self._memory
        memory.fence(state)
        arguments = [memory.value(argument, state) for argument in spawn.arguments]
        if not state.shared:
            self._publish(state)
        number = memory.value(NEXT_THREAD, state)
        memory.write(NEXT_THREAD, None, operation(_SUM, (number, bv(1, NUMBER_BITS))), state)
        child = node.spawns.get(place)
        if child is None or child == CUT:
            event = memory.event(state)
            (event.gaps if child is None else event.cuts).append(state.guard)
            state.restrict(neg(TRUE))
            return
        memory.event(state).started.append(Started(state.guard, child))
        begun = State(globals=dict(state.globals), shared=True)
        self._family.start(child, number, begun, arguments, (self._number, state.event, state.guard))
        if spawn.result is not None:
            memory.write(spawn.result, None, number_as(number, spawn.result.sort), state)

    def _publish(self, state: State) -> None:
        """From now on there may be other threads."""
        state.shared = True
        cells = self._memory.published(state)
        if not self._family.publish(cells, state.guard):
            event = self._memory.event(state)
            event.accesses.extend(Write(state.guard, cell, value, first=True) for cell, value in cells.items())

    def _call(self, call: Call, place: int, node: Node, state: State) -> None:
        callee, own = self._program.procedures[call.procedure], state.locals
        arguments = [self._memory.value(argument, state) for argument in call.arguments]
        state.locals = dict(zip(callee.parameters, arguments, strict=True))
        if not callee.has_body:
            for variable in callee.modifies:
                self._memory.write(variable, None, self._memory.open(variable.name, variable.sort), state)
            results = [self._memory.open(variable.name, variable.sort) for variable in callee.returns]
            state.locals = own
        else:
            body = node.calls.get(place)
            if body is None:
                if place in node.calls:
                    self._cut(node, place, state)
                else:
                    self._memory.event(state).gaps.append(state.guard)
                state.restrict(neg(TRUE))
                return
            end = self._body(callee, body, state.copy())
            if end is None:
                state.restrict(neg(TRUE))
                return
            results = [end.locals[variable] for variable in callee.returns]
            state.way, state.globals, state.shared = end.way, end.globals, end.shared
            state.block, state.event, state.known, state.locals = end.block, end.event, end.known, own
            self._memory.begin_statement()  # returning is a step of its own, if it does anything to globals
        for target, value in zip(call.results, results, strict=True):
            self._memory.write(target, None, value, state)


def number_as(number: Term, sort: Sort) -> Term:
    """A thread's number in another sort."""
    width = number.sort.width
    if not sort.is_bitvec:
        return computed(bv_to_int(number))
    return computed(
        extract(number, sort.width - 1, 0) if sort.width <= width else zero_extend(number, sort.width - width)
    )


def _exclude_each_other(conditions: Sequence[Term]) -> bool:
    return all(_excludes(a, b) for number, a in enumerate(conditions) for b in conditions[:number])


def _excludes(one: Term, other: Term) -> bool:
    if neg(one) is other:
        return True
    mine = one.args if one.op is Op.AND else (one,)
    its = other.args if other.op is Op.AND else (other,)
    return any(neg(a) is b or _differ(a, b) for a in mine for b in its)


def _differ(one: Term, other: Term) -> bool:
    """Two equations of one term with different constants."""
    if one.op is not Op.EQ or other.op is not Op.EQ:
        return False
    mine, its = set(one.args), set(other.args)
    return len(mine & its) == 1 and all(term.is_value for term in mine ^ its)
