"""What the statements of one thread read and write: values of terms, and the list of its accesses to shared cells.

    accesses = Accesses(shared, code)
    accesses.begin()                         # of a statement: x := g + g
    value = accesses.value(g + g, state)     # position 3: read g as r1;   the value is r1 + r1
    accesses.set(x, value, state)            # x is private: the state holds it

Whatever is read from a shared variable becomes a new variable; which value that is, the schedule decides (see
`encode`). What one statement reads twice is read once: statements are atomic.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cleave.engines.unfolding.code import Cell, Fenced, Opened, Read, Stretch, ThreadCode, Write
from cleave.engines.unfolding.shared import Shared
from cleave.engines.unfolding.simplify import choice, element, evaluate, one_of, simplified, stored
from cleave.engines.unfolding.state import State
from cleave.engines.unfolding.values import choices
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term, conj, var
from cleave.logic.walk import free_variables, postorder


class NotSplitError(Exception):
    """An array that was taken for split is used at an index about which nothing is known."""

    def __init__(self, array: Term) -> None:
        super().__init__(array.name)
        self.array = array


class Accesses:
    def __init__(self, shared: Shared, code: ThreadCode, buffered: Collection[Term] = ()) -> None:
        self._shared = shared
        self._variables = shared.variables()
        self._code = code
        self._buffered = frozenset(buffered)
        self._stores = False  # whether the current statement has its store
        self._count = 0
        self._place = ""  # of the current statement, the same for every bound
        self._entered = False  # whether the current statement has its position
        self._read: dict[tuple[Term, Term | None], Term] = {}  # by the current statement

    # --- statements and positions -------------------------------------------------------------------------------------

    def begin(self, place: str = "") -> None:
        """Of a statement."""
        if place:
            self._place, self._count = place, 0
        self._entered = self._stores = False
        self._read = {}

    @property
    def is_visible(self) -> bool:
        """Whether the current statement does something that others can see, or depends on them."""
        return self._entered

    def make_visible(self, state: State) -> None:
        """The thread can be interrupted before the current statement."""
        if not self._entered and not state.atomic:
            self.new_position(state)
        self._entered = True

    def new_position(self, state: State) -> None:
        state.position = self._code.positions
        self._code.positions += 1
        self._code.arrivals[state.position] = state.guard

    def step(self, guard: Term, position: int) -> None:
        """The concrete machine takes a step."""
        stretches = self._code.stretches
        if stretches and stretches[-1].guard is guard and stretches[-1].position == position:
            stretches[-1] = Stretch(position, guard, stretches[-1].steps + 1)
        else:
            stretches.append(Stretch(position, guard, 1))

    # --- reading ------------------------------------------------------------------------------------------------------

    def uses_shared(self, term: Term) -> bool:
        return not self._variables.isdisjoint(free_variables(term))

    def value(self, term: Term, state: State) -> Term:
        """The value of a term, whose shared variables are read now."""
        if not state.published or not self.uses_shared(term):
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
            chosen = self._choices(variable, index)
            return one_of([(when, self._element(variable, constant, state)) for when, constant in chosen])
        return self._element(variable, index, state)

    def _choices(self, array: Term, index: Term) -> list[tuple[Term, Term]]:
        found = choices(index)
        if found is None:
            raise NotSplitError(array)
        return found

    def _element(self, variable: Term, index: Term | None, state: State) -> Term:
        cell = self._shared.cell(variable, index)
        if cell is None:
            held = state.locals.get(variable)
            held = state.globals.get(variable, variable) if held is None else held
            return held if index is None else element(held, index)
        domain = self._shared.domain(variable, index)
        if domain is not None and len(domain) == 1:
            return domain[0]
        self.make_visible(state)
        key = (variable, index)
        if key not in self._read:
            of_element = variable.sort.element if index is not None else variable.sort
            leaf = self.leaf(variable.name, self._shared.sort(cell) if self._shared.is_coded(cell) else of_element)
            self._read[key] = self._shared.decoded(cell, leaf, domain)
            self._code.accesses.append(Read(state.position, cell, leaf, None if cell.index is not None else index))
        return self._read[key]

    # --- writing ------------------------------------------------------------------------------------------------------

    def assign(self, targets: Sequence[Term], values: Sequence[Term], state: State) -> None:
        computed = [self._element_writes(t, v, state) for t, v in zip(targets, values, strict=True)]
        for target, writes in zip(targets, computed, strict=True):
            for index, value in writes:
                self.set(target, value, state, index)

    def _element_writes(self, target: Term, value: Term, state: State) -> list[tuple[Term | None, Term]]:
        """What is written: the whole, or elements, the last of which is written last."""
        if not (state.published and self._is_shared_array(target)):
            return [(None, self.value(value, state))]
        writes: list[tuple[Term | None, Term]] = []
        rest = value
        while rest.op is Op.STORE:
            writes.append((self.value(rest.args[1], state), self.value(rest.args[2], state)))
            rest = rest.args[0]
        return writes[::-1] if rest is target else [(None, self.value(value, state))]

    def set(self, target: Term, value: Term, state: State, index: Term | None = None) -> None:
        """``target``, or an element of it, holds ``value`` from now on."""
        if target in state.locals:
            state.locals[target] = value
            return
        if state.published and index is not None and index.op is not Op.VALUE and target in self._shared.split:
            self._set_one_of(target, value, state, self._choices(target, index))
            return
        cell = self._shared.cell(target, index) if state.published else None
        if cell is None:
            state.globals[target] = value if index is None else stored(state.globals[target], index, value)
            return
        self.make_visible(state)
        whole = None if cell.index is not None else index
        held = self._shared.coded(cell, value)
        store = self._store(target, state)
        self._code.accesses.append(Write(state.position, state.guard, cell, held, whole, value, store=store))

    def _store(self, target: Term, state: State) -> int:
        """The number of the store that a write to a variable belongs to."""
        if target not in self._buffered or state.atomic:
            return 0
        if not self._stores:
            self._code.stores += 1
            self._stores = True
        return self._code.stores

    def fence(self, state: State, *, stores_only: bool = False) -> None:
        if self._code.stores and state.published:
            self._code.accesses.append(Fenced(state.position, state.guard, self._code.stores, stores_only))

    def _set_one_of(self, target: Term, value: Term, state: State, chosen: list[tuple[Term, Term]]) -> None:
        """Writes that element of a split array whose condition holds."""
        guard = state.guard
        for when, index in chosen:
            if self._shared.cell(target, index) is None:
                before = element(state.globals[target], index)
                state.globals[target] = stored(state.globals[target], index, choice(when, value, before))
            else:
                state.guard = conj(guard, when)
                self.set(target, value, state, index)
        state.guard = guard

    def published(self, state: State) -> dict[Cell, Term]:
        """What the shared cells hold, as long as the state has them."""
        values = {}
        for cell in sorted(self._shared.cells, key=str):
            held = state.globals[cell.variable]
            values[cell] = held if cell.index is None else element(held, cell.index)
        return values

    def write_first(self, values: dict[Cell, Term], state: State) -> None:
        """Makes known what the shared cells held before there were other threads."""
        for cell, value in values.items():
            held = self._shared.coded(cell, value)
            self._code.accesses.append(Write(state.position, state.guard, cell, held, None, value, first=True))

    # --- new variables ------------------------------------------------------------------------------------------------

    def open(self, variable: Term, state: State) -> Term:
        """Any value of a variable."""
        leaf = self.leaf(variable.name, variable.sort)
        self._code.choices.append(Opened(state.position, state.guard, variable, leaf))
        return leaf

    def leaf(self, name: str, sort: Sort) -> Term:
        self._count += 1
        return var(f"{self._code.instance}:{self._place}:{self._count}:{name}", sort)


def _both(state: State, term: Term) -> dict[Term, Term]:
    """The values of the variables in a term."""
    found = {}
    for variable in free_variables(term):
        held = state.locals.get(variable)
        held = state.globals.get(variable) if held is None else held
        if held is not None:
            found[variable] = held
    return found
