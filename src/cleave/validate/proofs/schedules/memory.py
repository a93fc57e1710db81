"""What the statements of one thread read and write, while the checker executes it symbolically.

A thread's own variables are terms in its state. What it reads from a shared cell is a new variable, a leaf: which value
that is, the schedule decides. A statement that uses a shared cell begins an event, unless it is in an atomic block.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term, conj, store, var
from cleave.logic.walk import free_variables, postorder
from cleave.validate.proofs.schedules.code import Cell, Event, Fence, Read, Thread, Write
from cleave.validate.proofs.schedules.fold import choice, constants, element, folded, operation
from cleave.validate.proofs.schedules.sharing import NotSplitError, Sharing
from cleave.validate.proofs.schedules.state import State


class Memory:
    def __init__(self, sharing: Sharing, thread: Thread, number: int, buffered: Collection[Term] = ()) -> None:
        self._sharing = sharing
        self._thread = thread
        self._number = number
        self._leaves = 0
        self._begun = False  # whether the current statement has its event
        self._buffered = frozenset(buffered)
        self._stored = False  # whether it has its store

    # --- events -------------------------------------------------------------------------------------------------------

    def begin_statement(self) -> None:
        self._begun = self._stored = False

    def begin_event(self, state: State) -> None:
        state.event = len(self._thread.events)
        state.known = {}
        self._thread.events.append(Event())

    def event(self, state: State) -> Event:
        return self._thread.events[state.event]

    def make_visible(self, state: State) -> None:
        if not self._begun and state.block == 0:
            self.begin_event(state)
        self._begun = True

    def fence(self, state: State, *, stores_only: bool = False) -> None:
        """The current statement comes after the commits of what the thread has stored."""
        if self._buffered and state.shared and state.block == 0:
            self.make_visible(state)
            self.event(state).fences.append(Fence(state.guard, self._thread.stores, stores_only))

    @property
    def is_visible(self) -> bool:
        """Whether the current statement uses what is shared."""
        return self._begun

    def open(self, name: str, sort: Sort) -> Term:
        """Any value."""
        self._leaves += 1
        return var(f"{self._number}:{self._leaves}:{name}", sort)

    # --- reading ------------------------------------------------------------------------------------------------------

    def is_shared(self, term: Term) -> bool:
        return any(self._sharing.uses(variable) for variable in free_variables(term))

    def value(self, term: Term, state: State) -> Term:
        """What a term is now. Shared arrays stay as they are until an element of them is asked for."""
        environment = _known(term, state)
        if not state.shared or not self.is_shared(term):
            return folded(term, environment)
        made: dict[Term, Term] = {}
        arrays: set[Term] = set()
        for node in postorder((term,)):
            if not node.args:
                if self._sharing.uses(node) and node.sort.is_array:
                    arrays.add(node)
                    made[node] = node
                else:
                    made[node] = self._scalar(node, state, environment)
            elif node.op is Op.SELECT and node.args[0] in arrays:
                made[node] = self._element(node.args[0], made[node.args[1]], state)
            else:
                whole = [self._whole(a, state) if a in arrays else made[a] for a in node.args]
                made[node] = operation(node, tuple(whole))
        return self._whole(term, state) if term in arrays else made[term]

    def _scalar(self, node: Term, state: State, environment: Mapping[Term, Term]) -> Term:
        cell = Cell(node)
        return self._read(cell, None, state) if cell in self._sharing.cells else environment.get(node, node)

    def _whole(self, array: Term, state: State) -> Term:
        if array in self._sharing.split:
            raise NotSplitError(array)
        return self._read(Cell(array), None, state)

    def _element(self, array: Term, index: Term, state: State) -> Term:
        if array not in self._sharing.split:
            return self._read(Cell(array), index, state)
        cases = constants(index)
        if cases is None:
            raise NotSplitError(array)
        values = [(when, self._one(Cell(array, constant), state)) for when, constant in cases]
        made = values[-1][1]
        for when, value in reversed(values[:-1]):
            made = choice(when, value, made)
        return made

    def _one(self, cell: Cell, state: State) -> Term:
        assert cell.element is not None
        if cell in self._sharing.cells:
            return self._read(cell, None, state)
        return element(state.globals[cell.variable], cell.element)

    def _read(self, cell: Cell, index: Term | None, state: State) -> Term:
        self.make_visible(state)
        if index is None and cell in state.known:
            return state.known[cell]
        sort = cell.variable.sort
        leaf = self.open(cell.variable.name, sort.element if index is not None or cell.element is not None else sort)
        self.event(state).accesses.append(Read(state.guard, cell, leaf, index))
        if index is None:
            state.known[cell] = leaf
        return leaf

    # --- writing ------------------------------------------------------------------------------------------------------

    def assign(self, targets: Sequence[Term], values: Sequence[Term], state: State) -> None:
        """All values are computed first."""
        computed = [self._assigned(target, value, state) for target, value in zip(targets, values, strict=True)]
        for target, writes in zip(targets, computed, strict=True):
            for index, value in writes:
                self.write(target, index, value, state)

    def _assigned(self, target: Term, value: Term, state: State) -> list[tuple[Term | None, Term]]:
        """The elements that are written, or the whole: ``a := store(store(a, i, v), j, w)`` writes two elements."""
        stores: list[tuple[Term, Term]] = []
        base = value
        while base.op is Op.STORE:
            base, index, one = base.args
            stores.append((index, one))
        if state.shared and stores and base is target and self._sharing.uses(target):
            return [(self.value(index, state), self.value(one, state)) for index, one in reversed(stores)]
        return [(None, self.value(value, state))]

    def write(self, target: Term, index: Term | None, value: Term, state: State) -> None:
        if not state.shared or not self._sharing.uses(target):
            held = value if index is None else store(state.globals[target], index, value)
            (state.locals if target in state.locals else state.globals)[target] = held
        elif target not in self._sharing.split:
            self._shared_write(Cell(target), index, value, state)
        else:
            self._split_write(target, index, value, state)

    def _split_write(self, array: Term, index: Term | None, value: Term, state: State) -> None:
        cases = constants(index) if index is not None else None
        if cases is None:
            raise NotSplitError(array)
        for when, constant in cases:
            cell = Cell(array, constant)
            if cell not in self._sharing.cells:
                before = element(state.globals[array], constant)
                state.globals[array] = store(state.globals[array], constant, choice(when, value, before))
            else:
                self._shared_write(cell, None, value, state, when)

    def _shared_write(
        self, cell: Cell, index: Term | None, value: Term, state: State, when: Term | None = None
    ) -> None:
        self.make_visible(state)
        guard = state.guard if when is None else conj(state.guard, when)
        self.event(state).accesses.append(Write(guard, cell, value, index, store=self._store(cell, state)))
        state.known.pop(cell, None)
        if index is None and (when is None or when.is_true):
            state.known[cell] = value

    def _store(self, cell: Cell, state: State) -> int:
        if state.block or cell.variable not in self._buffered:
            return 0
        if not self._stored:
            self._stored = True
            self._thread.stores += 1
        return self._thread.stores

    def published(self, state: State) -> dict[Cell, Term]:
        """What the shared cells hold as long as there is only one thread."""
        found = {}
        for cell in sorted(self._sharing.cells, key=lambda cell: (cell.variable.name, str(cell.element))):
            held = state.globals[cell.variable]
            found[cell] = held if cell.element is None else element(held, cell.element)
        return found


def _known(term: Term, state: State) -> dict[Term, Term]:
    found = {}
    for variable in free_variables(term):
        held = state.locals.get(variable)
        held = state.globals.get(variable) if held is None else held
        if held is not None:
            found[variable] = held
    return found
