"""Which values a shared variable can hold, where these are few: pointers, flags, indices, small counters.

    top := 0          next[a] := top         top := a                top: {0, a}     next[a]: {0, a}

Such a variable is encoded by the number of its value, in a few bits, and what is read from it is an ite of constants,
so that the address computed from it, and the element of an array that is used, are known but for a choice among a few.

Sets of values are computed from the writes of unfolded threads, beginning with what the variables hold at first, until
nothing new comes. Of arrays each element has its set, as far as it is known which elements are written. A variable with
too many values, or one that can't be followed, can have any value.

Each write is executed once at most. So a value that needs more writes, one after the other, to variables that depend on
each other than there are such writes can't come: a counter that is only incremented three times has four values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from cleave.engines.unfolding.code import Cell, Read, ThreadCode, Write
from cleave.engines.unfolding.groups import groups
from cleave.engines.unfolding.simplify import element
from cleave.engines.unfolding.values import Evaluation, Values, contents, united
from cleave.logic.sorts import Sort
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables
from cleave.records import dataclass

_MOST_VALUES = 16
_MOST_ELEMENTS = 64  # of an array, that one access may be to

Domains = dict[Cell, tuple[Term, ...]]


def domains(threads: Iterable[ThreadCode], initial: Mapping[Cell, Term], known: Domains) -> Domains:
    """The values of each cell that has few; of an array, those of its elements. ``known`` is what was found out before;
    it stays true."""
    found = _Analysis(list(threads), initial).run()
    cells = {cell: None for thread in threads for cell in _cells(thread)}
    result: Domains = {}
    for cell in {**dict.fromkeys(initial), **cells, **dict.fromkeys(found)}:
        before = known.get(cell, known.get(Cell(cell.variable)))
        now = found.get(cell)
        if before is not None:
            result[cell] = before if now is None else tuple(value for value in before if value in now)
        elif now is not None:
            result[cell] = now
    return {cell: values for cell, values in result.items() if values}


def _cells(thread: ThreadCode) -> Iterable[Cell]:
    return (access.cell for access in thread.accesses if isinstance(access, Read | Write))


@dataclass(slots=True)
class _Written:
    """A write; of a whole array, where there is an ``index``, to that element."""

    number: int
    cell: Cell
    index: Term | None
    value: Term
    sources: frozenset[Cell]  # that were read for it
    watched: list[Cell] = field(default_factory=list)  # that make it worth looking at again, when they change
    seen: int = -1  # when it was last looked at


@dataclass(slots=True)
class _Known:
    """About a cell. Of a whole array, ``values`` may be in any of its elements, besides what these have themselves, and
    it may have been each of ``wholes``. None: any value."""

    values: Values | None = field(default_factory=dict)
    elements: dict[Term, Values | None] = field(default_factory=dict)
    wholes: list[Term] = field(default_factory=list)
    writers: dict[Term, set[int]] = field(default_factory=dict)  # of an element: the numbers of these writes
    changed: int = 0  # when


class _Analysis:
    def __init__(self, threads: list[ThreadCode], initial: Mapping[Cell, Term]) -> None:
        self._writes: list[_Written] = []
        self._known: dict[Cell, _Known] = {}
        self._memo: dict[tuple[int | None, Cell | None, Term | None], Evaluation] = {}  # of one round
        self._now = 0
        accesses = [access for thread in threads for access in thread.accesses]
        self._read = {access.leaf: access for access in accesses if isinstance(access, Read)}
        for cell, value in initial.items():
            self._add(cell, None, value)
        for access in accesses:
            if isinstance(access, Write):
                self._add(access.cell, access.index, access.value)
        dependences: dict[Cell, set[Cell]] = {}
        for write in self._writes:
            dependences.setdefault(write.cell, set()).update(write.sources)
            if _is_whole_array(write.cell) and write.index is None:
                write.watched += [cell for cell in write.sources if cell in self._known and not _is_whole_array(cell)]
            else:
                write.watched += [write.cell, *(cell for cell in write.sources if cell in self._known)]
        self._group: dict[Cell, int] = {}
        self._writes_to: dict[int, int] = {}  # the cells of a group
        for number, group in enumerate(groups(dependences, dependences)):
            self._group.update(dict.fromkeys(group, number))
            self._writes_to[number] = sum(write.cell in group for write in self._writes)

    def _add(self, cell: Cell, index: Term | None, value: Term) -> None:
        sources = self._sources((value,) if index is None else (value, index))
        self._writes.append(_Written(len(self._writes), cell, index, value, sources))
        known = self._known.setdefault(cell, _Known())
        if _is_whole_array(cell) and index is None:
            known.wholes.append(value)

    def _sources(self, terms: tuple[Term, ...]) -> frozenset[Cell]:
        """The cells that terms were read from, with those that told which elements to read."""
        found: set[Cell] = set()
        seen: set[Term] = set()
        stack = list(terms)
        while stack:
            for variable in free_variables(stack.pop()) - seen:
                seen.add(variable)
                read = self._read.get(variable)
                if read is not None:
                    found.add(read.cell)
                    stack += [] if read.index is None else [read.index]
        return frozenset(found)

    def run(self) -> Domains:
        is_new = True
        while is_new:
            self._memo = {}
            changes = [(write, self._made(write)) for write in self._due()]
            is_new = False
            for write, made in changes:
                is_new = self._note(write, made) or is_new
        return self._result()

    def _due(self) -> list[_Written]:
        """The writes for which something has changed since they were last looked at."""
        due = []
        for write in self._writes:
            if write.seen < 0 or any(self._known[cell].changed > write.seen for cell in write.watched):
                write.seen = self._now
                due.append(write)
        self._now += 1
        return due

    # --- writes -------------------------------------------------------------------------------------------------------

    def _made(self, write: _Written) -> dict[Term | None, Values | None]:
        """What the write can write, given what is known by now: by element, or to any (None)."""
        if not _is_whole_array(write.cell):
            return {None: self._evaluation(write.cell)(write.value)}
        if write.index is None:
            return {}
        indices = self._index_evaluation()(write.index)
        if indices is None:
            return {None: self._evaluation()(write.value)}
        related = write.cell in write.sources
        return {one: self._evaluation(*((write.cell, one) if related else ()))(write.value) for one in indices}

    def _note(self, write: _Written, made: dict[Term | None, Values | None]) -> bool:
        """Whether something is possible now that was not known to be."""
        known, is_new = self._known[write.cell], False
        if _is_whole_array(write.cell) and write.index is None:
            is_new = True  # it is looked at again only when what it depends on has changed
        for index, values in made.items():
            if index is not None:
                writers = known.writers.setdefault(index, set())
                is_new = is_new or write.number not in writers
                writers.add(write.number)
                most = len(writers) + len(known.wholes)
                known.elements[index], is_more = _grown(known.elements.get(index, {}), values, most)
            else:
                known.values, is_more = _grown(known.values, values, self._writes_to[self._group[write.cell]])
            is_new = is_new or is_more
        if is_new:
            known.changed = self._now
        return is_new

    # --- reads --------------------------------------------------------------------------------------------------------

    def _evaluation(self, target: Cell | None = None, index: Term | None = None) -> Evaluation:
        """For values that are written to a cell, or to an element. Generations are those of the cells that depend on
        each other with that one, or of that element; those of all others don't count."""
        key = (
            None if target is None or index is not None else self._group[target],
            target if index is not None else None,
            index,
        )
        if key not in self._memo:
            self._memo[key] = Evaluation(lambda leaf: self._of(leaf, target, index), _MOST_VALUES)
        return self._memo[key]

    def _index_evaluation(self) -> Evaluation:
        key = (-1, None, None)
        if key not in self._memo:
            self._memo[key] = Evaluation(lambda leaf: self._of(leaf, None, None), _MOST_ELEMENTS)
        return self._memo[key]

    def _of(self, leaf: Term, target: Cell | None, index: Term | None) -> Values | None:
        """What a variable can be, in a write to a cell or to an element of it."""
        read = self._read.get(leaf)
        if read is None or _sort(read.cell) is not leaf.sort:
            return None
        if not _is_whole_array(read.cell):
            known = self._known.get(read.cell)
            is_related = target is not None and self._group.get(read.cell) == self._group[target]
            return _with_generations(known.values if known is not None else None, is_related and index is None)
        if read.index is None:
            return None
        indices = self._index_evaluation()(read.index)
        found: Values | None = None if indices is None else {}
        for one in indices or ():
            its = _with_generations(self._element(read.cell, one), read.cell == target and one is index)
            found = None if found is None or its is None else united(found, its)
        return found

    def _element(self, array: Cell, index: Term) -> Values | None:
        known = self._known.get(array)
        if known is None or known.values is None:
            return None
        found = known.elements.get(index, {})
        found = None if found is None else united(found, known.values)
        for whole in known.wholes:
            held = Evaluation(self._of_scalar, _MOST_VALUES)(element(whole, index))
            found = None if found is None or held is None else united(found, held)
        return found

    def _of_scalar(self, leaf: Term) -> Values | None:
        """What was read may be an element of the array that is asked about: such values are not followed."""
        read = self._read.get(leaf)
        return None if read is None or _is_whole_array(read.cell) else self._of(leaf, None, None)

    # --- the result ---------------------------------------------------------------------------------------------------

    def _result(self) -> Domains:
        found: dict[Cell, Values | None] = {}
        for cell, known in self._known.items():
            if not _is_whole_array(cell):
                found[cell] = known.values
                continue
            found[cell] = self._anywhere(known)
            for index in {**known.elements, **self._indices(cell)}:
                found[Cell(cell.variable, index)] = self._element(cell, index)
        return {cell: tuple(values) for cell, values in found.items() if values and len(values) <= _MOST_VALUES}

    def _indices(self, array: Cell) -> Values:
        """Of the elements that are read."""
        found: Values = {}
        for read in self._read.values():
            if read.cell == array and read.index is not None:
                found.update(self._index_evaluation()(read.index) or {})
        return found

    def _anywhere(self, known: _Known) -> Values | None:
        """What the elements of an array hold, all together."""
        found = known.values
        for its in known.elements.values():
            found = None if found is None or its is None else united(found, its)
        for value in (one for whole in known.wholes for one in contents(whole)):
            held = Evaluation(self._of_scalar, _MOST_VALUES)(value)
            found = None if found is None or held is None else united(found, held)
        return found


def _grown(known: Values | None, more: Values | None, most: int) -> tuple[Values | None, bool]:
    """The values together, those that were written being one generation on, and whether they are more than those that
    were known."""
    if known is None or more is None:
        return None, known is not None
    both = united(known, {value: made + 1 for value, made in more.items() if made < most})
    return (None, True) if len(both) > _MOST_VALUES else (both, both != known)


def _with_generations(values: Values | None, is_counted: bool) -> Values | None:
    return values if values is None or is_counted else dict.fromkeys(values, 0)


def _sort(cell: Cell) -> Sort:
    """Of the values of a cell, or of the elements of an array. What was read has another one if it is coded."""
    return cell.variable.sort.element if cell.variable.sort.is_array else cell.variable.sort


def _is_whole_array(cell: Cell) -> bool:
    return cell.index is None and cell.variable.sort.is_array
