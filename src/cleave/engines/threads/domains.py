"""Which values a shared variable can hold, where these are few: pointers, flags, indices, small counters.

    top := 0          next[a] := top         top := a                top: {0, a}     next[a]: {0, a}

Such a variable is encoded by the number of its value, in a few bits, and what is read from it is an ite of constants,
so that the address computed from it, and the element of an array that is used, are known but for a choice among a few.

Sets of values are computed from the writes of unfolded threads, for groups of variables that depend on each other. Each
write is executed once at most, so after as many rounds as there are writes to a group nothing new can come: a counter
that is only incremented three times has four values. What has too many, or can't be followed, can have any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from cleave.engines.threads.code import Cell, Read, ThreadCode, Write
from cleave.engines.threads.simplify import simplified
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term
from cleave.logic.walk import free_variables, postorder

_MOST_VALUES = 16
_MOST_COMBINATIONS = 64

Values = dict[Term, None]
Domains = dict[Cell, tuple[Term, ...]]


def domains(threads: Iterable[ThreadCode], initial: Mapping[Cell, Term], known: Domains) -> Domains:
    """The values of each cell that has few; of an array, those of its elements. ``known`` is what was found out before;
    it stays true."""
    found = _Analysis(list(threads), initial).run()
    cells = {cell: None for thread in threads for cell in _cells(thread)}
    result: Domains = {}
    for cell in (*initial, *cells):
        before = known.get(cell, known.get(Cell(cell.variable)))
        now = found.get(cell)
        if before is not None:
            result[cell] = before if now is None else tuple(value for value in before if value in now)
        elif now is not None:
            result[cell] = now
    return {cell: values for cell, values in result.items() if values}


def _cells(thread: ThreadCode) -> Iterable[Cell]:
    return (access.cell for access in thread.accesses if isinstance(access, Read | Write))


class _Analysis:
    def __init__(self, threads: list[ThreadCode], initial: Mapping[Cell, Term]) -> None:
        self._written: dict[Cell, list[Term]] = {}
        self._read: dict[Term, Cell] = {}
        for cell, value in initial.items():
            self._written.setdefault(cell, []).extend(_elements(value) if _is_whole_array(cell) else [value])
        for thread in threads:
            for access in thread.accesses:
                if isinstance(access, Read):
                    self._read[access.leaf] = access.cell
                elif isinstance(access, Write):
                    whole = _is_whole_array(access.cell) and access.index is None
                    values = _elements(access.value) if whole else [access.value]
                    self._written.setdefault(access.cell, []).extend(values)
        self._known: dict[Cell, Values | None] = {}  # None: any value

    def run(self) -> Domains:
        for group in _groups(self._written, self._dependences()):
            self._solve(group)
        return {cell: tuple(values) for cell, values in self._known.items() if values}

    def _dependences(self) -> dict[Cell, set[Cell]]:
        return {
            cell: {self._read[v] for value in values for v in free_variables(value) if v in self._read}
            for cell, values in self._written.items()
        }

    def _solve(self, group: list[Cell]) -> None:
        for cell in group:
            self._known[cell] = {}
        rounds = sum(len(self._written[cell]) for cell in group) + 1
        for _ in range(rounds):
            grown = [self._grow(cell) for cell in group]
            if not any(grown):
                return
        # Another round would find more values only by executing a write twice.

    def _grow(self, cell: Cell) -> bool:
        known = self._known[cell]
        if known is None:
            return False
        before = len(known)
        grown: Values | None = dict(known)
        for value in self._written[cell]:
            found = self._possible(value)
            grown = None if found is None or grown is None else {**grown, **found}
            if grown is None or len(grown) > _MOST_VALUES:
                self._known[cell] = None
                return True
        assert grown is not None
        self._known[cell] = grown
        return len(grown) > before

    def _possible(self, term: Term) -> Values | None:
        """The values that a term can have; None: too many to tell."""
        found: dict[Term, Values | None] = {}
        for node in postorder((term,)):
            found[node] = self._at(node, found)
        return found[term]

    def _at(self, node: Term, found: dict[Term, Values | None]) -> Values | None:
        if node.op is Op.VALUE:
            return {node: None}
        if node.op is Op.VAR:
            cell = self._read.get(node)
            return None if cell is None or _sort(cell) is not node.sort else self._known.get(cell)
        if node.sort.is_array or not node.args:
            return None
        if node.op is Op.ITE:
            then, other = found[node.args[1]], found[node.args[2]]
            return None if then is None or other is None else {**then, **other}
        if node.op is Op.SELECT:
            return None
        parts = [found[arg] for arg in node.args]
        combinations = 1
        for part in parts:
            if part is None:
                return None
            combinations *= len(part)
        if combinations > _MOST_COMBINATIONS:
            return None
        made = {simplified(node, args): None for args in product(*(part for part in parts if part is not None))}
        return made if all(one.op is Op.VALUE for one in made) else None


def _sort(cell: Cell) -> Sort:
    """Of the values of a cell, or of the elements of an array. What was read has another one if it is coded."""
    return cell.variable.sort.element if cell.variable.sort.is_array else cell.variable.sort


def _is_whole_array(cell: Cell) -> bool:
    return cell.index is None and cell.variable.sort.is_array


def _elements(array: Term) -> list[Term]:
    """All that an array term can hold; the array itself where that can't be told."""
    found: dict[Term, None] = {}
    stack, seen = [array], {array}
    while stack:
        node = stack.pop()
        match node.op:
            case Op.STORE:
                found[node.args[2]] = None
                below = [node.args[0]]
            case Op.ITE:
                below = list(node.args[1:])
            case Op.CONST_ARRAY:
                found[node.args[0]] = None
                below = []
            case _:
                return [array]
        stack.extend(one for one in below if one not in seen)
        seen.update(below)
    return list(found)


def _groups(cells: Iterable[Cell], dependences: Mapping[Cell, set[Cell]]) -> list[list[Cell]]:
    """Cells that depend on each other, after those that they depend on (Tarjan, without recursion)."""
    index: dict[Cell, int] = {}
    low: dict[Cell, int] = {}
    waiting: dict[Cell, None] = {}
    found: list[list[Cell]] = []
    for root in cells:
        stack = [] if root in index else [(root, iter(sorted(dependences.get(root, ()), key=str)))]
        if stack:
            index[root] = low[root] = len(index)
            waiting[root] = None
        while stack:
            cell, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[cell])
                if low[cell] == index[cell]:
                    found.append(_component(waiting, cell))
            elif following not in index:
                index[following] = low[following] = len(index)
                waiting[following] = None
                stack.append((following, iter(sorted(dependences.get(following, ()), key=str))))
            elif following in waiting:
                low[cell] = min(low[cell], index[following])
    return [[cell for cell in group if cell in dependences] for group in found]


def _component(waiting: dict[Cell, None], root: Cell) -> list[Cell]:
    component = []
    while True:
        cell, _ = waiting.popitem()
        component.append(cell)
        if cell == root:
            return component
