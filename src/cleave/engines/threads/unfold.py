"""Unfolds one thread: executes its procedure symbolically, once, calls inlined and loops unwound.

Each block's copy is executed after all copies that lead to it, where their states meet. Whatever is read from a shared
variable becomes a new variable; which value that is, the schedule decides (see `encode`). All that is left of the
control flow are guards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Protocol

from cleave.engines.threads.branches import ways_on
from cleave.engines.threads.code import (
    Branch,
    Cell,
    Check,
    Cut,
    Demand,
    Joined,
    Opened,
    Read,
    Started,
    Stretch,
    ThreadCode,
    Write,
)
from cleave.engines.threads.guards import restricted
from cleave.engines.threads.loops import Copy, Key, Unwinding
from cleave.engines.threads.shared import NEXT_THREAD, Shared
from cleave.engines.threads.simplify import cases, choice, element, evaluate, one_of, simplified, stored
from cleave.engines.threads.state import State, merged
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Havoc,
    Join,
    Procedure,
    Program,
    Self,
    Spawn,
    Statement,
)
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
    var,
    zero_extend,
)
from cleave.logic.walk import free_variables, postorder


class NotSplitError(Exception):
    """An array that was taken for split is used at an index about which nothing is known."""

    def __init__(self, array: Term) -> None:
        super().__init__(array.name)
        self.array = array


class Family(Protocol):
    """All threads of an unfolding, as far as they are known."""

    def check(self) -> None:
        """Called now and then; raises to end the unfolding."""

    def start(self, parent: ThreadCode, procedure: str, arguments: Sequence[Term], state: State, number: Term) -> int:
        """Adds a thread; its instance. -1 where that is beyond the bound."""

    def publish(self, cells: dict[Cell, Term], guard: Term) -> bool:
        """Whether ``cells`` could be taken for what the shared variables hold at the beginning."""


class Unfolder:
    def __init__(self, program: Program, shared: Shared, unwind: int, family: Family, code: ThreadCode) -> None:
        self._program = program
        self._shared = shared
        self._variables = shared.variables()
        self._unwind = unwind
        self._family = family
        self._code = code
        self._count = 0
        self._entered = False  # whether the current statement has its position
        self._read: dict[tuple[Term, Term | None], Term] = {}  # by the current statement

    def run(self, state: State, arguments: Sequence[Term] | None) -> None:
        """Unfolds the whole thread. Without arguments it is the one that runs the entry."""
        procedure = self._program.procedures[self._code.procedure]
        self._code.arrivals[0] = TRUE
        if arguments is None:
            for variable in (*self._program.constants, *self._program.globals):
                state.globals[variable] = self._open(variable, state)
            arguments = [self._open(variable, state) for variable in procedure.parameters]
        state.locals = dict(zip(procedure.parameters, arguments, strict=True))
        self._step(state.guard, state.position)
        end = self._body(procedure, state, (procedure.name,))
        self._code.ends = (0, FALSE) if end is None else (end.position, end.guard)

    # --- control ------------------------------------------------------------------------------------------------------

    def _body(self, procedure: Procedure, state: State, stack: tuple[str, ...]) -> State | None:
        """The state in which the procedure returns; None if it never does. The caller keeps its own locals."""
        for variable in (*procedure.returns, *procedure.locals):
            state.locals[variable] = self._open(variable, state)
        unwinding = Unwinding(procedure, self._unwind)
        pending: dict[Copy, list[State]] = {unwinding.entry: [state]}
        heap: list[tuple[Key, Copy]] = [(unwinding.key(unwinding.entry), unwinding.entry)]
        returns: list[State] = []
        while heap:
            self._family.check()
            copy = heappop(heap)[1]
            here = merged(pending.pop(copy), self._publish)
            block = procedure.blocks[copy.label]
            if not self._statements(block.statements, here, stack):
                continue
            if not block.successors:
                returns.append(here)
                continue
            for label, after in self._ways(procedure, block, here):
                following = unwinding.following(copy, label)
                if following is None:
                    self._code.cuts.append(Cut(after.position, after.guard))
                elif following in pending:
                    pending[following].append(after)
                else:
                    pending[following] = [after]
                    heappush(heap, (unwinding.key(following), following))
        return merged(returns, self._publish) if returns else None

    def _ways(self, procedure: Procedure, block: Block, state: State) -> Iterable[tuple[str, State]]:
        if len(block.successors) == 1:
            return [(block.successors[0], state)]
        conditions = [self._first_condition(procedure.blocks[label], state) for label in block.successors]
        ways = ways_on(conditions, lambda: self._leaf("way", BOOL))
        named = [(condition, block.successors[number]) for number, condition in ways]
        shown = named or [(TRUE, block.successors[0])]
        self._code.choices.append(Branch(state.position, state.guard, tuple(shown)))
        return [(label, state.copy(restricted(state.guard, condition))) for condition, label in named]

    def _first_condition(self, block: Block, state: State) -> Term | None:
        """What a block starts by assuming, if that is about nothing shared."""
        first = block.statements[0] if block.statements else None
        if not isinstance(first, Assume):
            return None
        if state.published and not self._variables.isdisjoint(free_variables(first.condition)):
            return None
        return evaluate(first.condition, {**state.globals, **state.locals})

    def _statements(self, statements: Sequence[Statement], state: State, stack: tuple[str, ...]) -> bool:
        """Whether the end of the block can be reached."""
        for statement in statements:
            if state.guard is FALSE:
                return False
            before = state.guard
            self._begin()
            match statement:
                case Call():
                    self._call(statement, state, stack)
                    continue
                case Assume(condition):
                    self._assume(self._value(condition, state), state)
                case Assert(condition):
                    self._check(self._value(condition, state), state)
                case Assign():
                    self._assign(statement.targets, statement.values, state)
                case Havoc(targets):
                    for target in targets:
                        self._set(target, self._open(target, state), state)
                case _:
                    self._thread_statement(statement, state)
            self._step(before, state.position)
        return state.guard is not FALSE

    # --- threads ------------------------------------------------------------------------------------------------------

    def _thread_statement(self, statement: Statement, state: State) -> None:
        match statement:
            case Spawn():
                self._spawn(statement, state)
            case Join(thread):
                self._assume(self._has_ended(thread, state), state)
            case Self(target):
                self._set(target, number_as(self._code.number, target.sort), state)
            case AtomicBegin():
                if state.atomic == 0 and state.published:
                    self._new_position(state)
                state.atomic += 1
            case AtomicEnd():
                state.atomic -= 1

    def _spawn(self, spawn: Spawn, state: State) -> None:
        arguments = [self._value(argument, state) for argument in spawn.arguments]
        if not state.published:
            self._publish(state)
        number = self._value(NEXT_THREAD, state)
        self._set(NEXT_THREAD, simplified(_SUM, (number, bv(1, number.sort.width))), state)
        child = self._family.start(self._code, spawn.procedure, arguments, state, number)
        if child < 0:
            self._code.cuts.append(Cut(state.position, state.guard))
            state.guard = FALSE
            return
        self._code.started.append(Started(state.position, state.guard, number, child))
        if spawn.result is not None:
            self._set(spawn.result, number_as(number, spawn.result.sort), state)

    def _has_ended(self, thread: Term, state: State) -> Term:
        number = self._value(thread, state)
        if not state.published:
            return FALSE
        self._visible(state)
        leaf = self._leaf("joined", BOOL)
        self._code.accesses.append(Joined(state.position, number, leaf))
        return leaf

    def _publish(self, state: State) -> None:
        """From now on there may be other threads: what is shared gets where they see it."""
        state.published = True
        values = {}
        for cell in sorted(self._shared.cells, key=str):
            held = state.globals[cell.variable]
            values[cell] = held if cell.index is None else element(held, cell.index)
        if self._family.publish(values, state.guard):
            return
        for cell, value in values.items():
            held = self._shared.coded(cell, value)
            self._code.accesses.append(Write(state.position, state.guard, cell, held, None, value, first=True))

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, call: Call, state: State, stack: tuple[str, ...]) -> None:
        callee = self._program.procedures[call.procedure]
        own, before = state.locals, state.guard
        arguments = [self._value(argument, state) for argument in call.arguments]
        state.locals = dict(zip(callee.parameters, arguments, strict=True))
        self._step(before, state.position)
        if callee.has_body:
            if stack.count(callee.name) > self._unwind:
                self._code.cuts.append(Cut(state.position, state.guard))
                state.guard = FALSE
                return
            end = self._body(callee, state.copy(state.guard), (*stack, callee.name))
            if end is None:
                state.guard = FALSE
                return
            self._become(state, end)
            self._return(callee, call, state, own)
            return
        for variable in callee.modifies:
            self._set(variable, self._open(variable, state), state)
        for variable in callee.returns:
            state.locals[variable] = self._open(variable, state)
        self._finish_call(callee, call, state, own)

    def _return(self, callee: Procedure, call: Call, state: State, own: dict[Term, Term]) -> None:
        """Returning is a step of its own only where it does something to globals."""
        before = state.guard
        self._begin()
        self._finish_call(callee, call, state, own)
        if any(result in self._program.globals for result in call.results):
            self._step(before, state.position)

    def _finish_call(self, callee: Procedure, call: Call, state: State, own: dict[Term, Term]) -> None:
        results = [state.locals[variable] for variable in callee.returns]
        state.locals = own
        for target, value in zip(call.results, results, strict=True):
            self._set(target, value, state)

    def _become(self, state: State, other: State) -> None:
        state.guard, state.globals, state.locals = other.guard, other.globals, other.locals
        state.published, state.atomic, state.position = other.published, other.atomic, other.position

    # --- conditions ---------------------------------------------------------------------------------------------------

    def _assume(self, condition: Term, state: State) -> None:
        if state.atomic and condition is not TRUE:
            failed = [conj(c.guard, neg(c.condition)) for c in self._code.checks if c.position == state.position]
            self._code.demands.append(Demand(state.position, state.guard, disj_all((condition, *failed))))
        state.guard = restricted(state.guard, condition)
        if self._entered and not state.atomic:
            self._code.arrivals[state.position] = state.guard  # a thread that has to wait there does not move

    def _check(self, condition: Term, state: State) -> None:
        if condition is not TRUE:
            self._code.checks.append(Check(state.position, state.guard, condition))

    # --- variables ----------------------------------------------------------------------------------------------------

    def _value(self, term: Term, state: State) -> Term:
        """The value of a term, whose shared variables are read now."""
        if not state.published or self._variables.isdisjoint(free_variables(term)):
            return evaluate(term, _both(state, term))
        made: dict[Term, Term | None] = {}  # None: a shared array, of which perhaps only an element is read
        for node in postorder((term,)):
            if not node.args:
                made[node] = None if self._is_shared_array(node) else self._variable(node, None, state)
            elif node.op is Op.SELECT and made[node.args[0]] is None:
                index = self._whole(node.args[1], made, state)
                made[node] = self._variable(node.args[0], index, state)
            else:
                made[node] = simplified(node, tuple(self._whole(a, made, state) for a in node.args))
        return self._whole(term, made, state)

    def _is_shared_array(self, node: Term) -> bool:
        return node in self._variables and node.sort.is_array

    def _whole(self, node: Term, made: dict[Term, Term | None], state: State) -> Term:
        found = made[node]
        return found if found is not None else self._variable(node, None, state)

    def _variable(self, variable: Term, index: Term | None, state: State) -> Term:
        """What a variable holds, or an element of an array; of a split array, one of several elements."""
        if index is not None and index.op is not Op.VALUE and variable in self._shared.split:
            chosen = self._cases(variable, index)
            return one_of([(when, self._element(variable, constant, state)) for when, constant in chosen])
        return self._element(variable, index, state)

    def _cases(self, array: Term, index: Term) -> list[tuple[Term, Term]]:
        found = cases(index)
        if found is None:
            raise NotSplitError(array)
        return found

    def _element(self, variable: Term, index: Term | None, state: State) -> Term:
        cell = self._shared.cell(variable, index)
        if cell is None:
            held = state.locals.get(variable)
            held = state.globals.get(variable, variable) if held is None else held
            return held if index is None else element(held, index)
        domain = self._shared.domains.get(cell) if index is not None or not variable.sort.is_array else None
        if domain is not None and len(domain) == 1:
            return domain[0]
        self._visible(state)
        key = (variable, index)
        if key not in self._read:
            of_element = variable.sort.element if index is not None else variable.sort
            leaf = self._leaf(variable.name, self._shared.sort(cell) if self._shared.is_coded(cell) else of_element)
            self._read[key] = self._shared.decoded(cell, leaf, domain)
            self._code.accesses.append(Read(state.position, cell, leaf, None if cell.index is not None else index))
        return self._read[key]

    def _assign(self, targets: Sequence[Term], values: Sequence[Term], state: State) -> None:
        computed = [self._element_writes(t, v, state) for t, v in zip(targets, values, strict=True)]
        for target, writes in zip(targets, computed, strict=True):
            for index, value in writes:
                self._set(target, value, state, index)

    def _element_writes(self, target: Term, value: Term, state: State) -> list[tuple[Term | None, Term]]:
        """What is written: the whole, or elements, the last of which is written last."""
        if not (state.published and self._is_shared_array(target)):
            return [(None, self._value(value, state))]
        writes: list[tuple[Term | None, Term]] = []
        rest = value
        while rest.op is Op.STORE:
            writes.append((self._value(rest.args[1], state), self._value(rest.args[2], state)))
            rest = rest.args[0]
        return writes[::-1] if rest is target else [(None, self._value(value, state))]

    def _set(self, target: Term, value: Term, state: State, index: Term | None = None) -> None:
        if target in state.locals:
            state.locals[target] = value
            return
        if state.published and index is not None and index.op is not Op.VALUE and target in self._shared.split:
            self._set_one_of(target, value, state, self._cases(target, index))
            return
        cell = self._shared.cell(target, index) if state.published else None
        if cell is None:
            state.globals[target] = value if index is None else stored(state.globals[target], index, value)
            return
        self._visible(state)
        whole = None if cell.index is not None else index
        held = self._shared.coded(cell, value)
        self._code.accesses.append(Write(state.position, state.guard, cell, held, whole, value))

    def _set_one_of(self, target: Term, value: Term, state: State, chosen: list[tuple[Term, Term]]) -> None:
        """Writes that element of a split array whose condition holds."""
        guard = state.guard
        for when, index in chosen:
            if self._shared.cell(target, index) is None:
                before = element(state.globals[target], index)
                state.globals[target] = stored(state.globals[target], index, choice(when, value, before))
            else:
                state.guard = conj(guard, when)
                self._set(target, value, state, index)
        state.guard = guard

    def _open(self, variable: Term, state: State) -> Term:
        leaf = self._leaf(variable.name, variable.sort)
        self._code.choices.append(Opened(state.position, state.guard, variable, leaf))
        return leaf

    def _leaf(self, name: str, sort: Sort) -> Term:
        self._count += 1
        return var(f"{self._code.instance}:{self._count}:{name}", sort)

    # --- positions ----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._entered = False
        self._read = {}

    def _visible(self, state: State) -> None:
        """The thread can be interrupted before the current statement."""
        if not self._entered and not state.atomic:
            self._new_position(state)
        self._entered = True

    def _new_position(self, state: State) -> None:
        state.position = self._code.positions
        self._code.positions += 1
        self._code.arrivals[state.position] = state.guard

    def _step(self, guard: Term, position: int) -> None:
        stretches = self._code.stretches
        if stretches and stretches[-1].guard is guard and stretches[-1].position == position:
            stretches[-1] = Stretch(position, guard, stretches[-1].steps + 1)
        else:
            stretches.append(Stretch(position, guard, 1))


def number_as(number: Term, sort: Sort) -> Term:
    """A thread's number in another sort."""
    width = number.sort.width
    if sort is INT:
        return bv_to_int(number)
    return extract(number, sort.width - 1, 0) if sort.width <= width else zero_extend(number, sort.width - width)


def _both(state: State, term: Term) -> dict[Term, Term]:
    """The values of the variables in a term."""
    found = {}
    for variable in free_variables(term):
        held = state.locals.get(variable)
        held = state.globals.get(variable) if held is None else held
        if held is not None:
            found[variable] = held
    return found


_SUM = bv_binary(Op.BV_ADD, NEXT_THREAD, NEXT_THREAD)
