"""Which variables threads really share: what one of them writes and another one uses, once there are several.

It is found out by unfolding with all globals shared and looking at what the threads then do; that unfolding, with fewer
shared variables, has fewer places where a thread can be interrupted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field

from cleave.engines.unfolding.code import Cell, Read, ThreadCode, Write
from cleave.engines.unfolding.domains import Domains
from cleave.engines.unfolding.simplify import cases, choice, equal
from cleave.engines.unfolding.values import choices
from cleave.logic.sorts import Sort, bitvec
from cleave.logic.terms import Op, Term, bv, var
from cleave.records import dataclass

NUMBER_BITS = 16
NEXT_THREAD = var("(next thread)", bitvec(NUMBER_BITS))
"""The number of the next thread to start: shared like any other variable, if several threads start others."""


@dataclass(frozen=True, slots=True)
class Shared:
    """``cells`` are shared; arrays in ``split`` are used at constant indices only, their cells are elements. What has
    few values is in ``domains``."""

    cells: frozenset[Cell]
    split: frozenset[Term] = frozenset()
    domains: Domains = field(default_factory=dict)

    def cell(self, variable: Term, index: Term | None = None) -> Cell | None:
        """The shared cell that an access is to; None if it is to nothing that is shared."""
        cell = Cell(variable, index if variable in self.split else None)
        return cell if cell in self.cells else None

    def domain(self, variable: Term, index: Term | None) -> tuple[Term, ...] | None:
        """What an access can find in a shared variable, or in an element of an array, where that is little."""
        if index is None:
            return None if variable.sort.is_array else self.domains.get(Cell(variable))
        found = self.domains.get(Cell(variable, index)) if index.op is Op.VALUE else None
        return self.domains.get(Cell(variable)) if found is None else found

    def with_whole(self, array: Term) -> Shared:
        """The same, with an array that is not split."""
        cells = frozenset(cell for cell in self.cells if cell.variable is not array)
        known = {cell: values for cell, values in self.domains.items() if cell.variable is not array}
        return Shared(cells | {Cell(array)}, self.split - {array}, known)

    def is_coded(self, cell: Cell) -> bool:
        """Whether the cell holds the number of its value instead of the value."""
        domain = self.domains.get(cell)
        if domain is None or not domain[0].sort.is_bitvec or (cell.index is None and cell.variable.sort.is_array):
            return False
        return _bits(len(domain)) < domain[0].sort.width

    def sort(self, cell: Cell) -> Sort:
        """Of what the cell holds."""
        if self.is_coded(cell):
            return bitvec(_bits(len(self.domains[cell])))
        return cell.variable.sort if cell.index is None else cell.variable.sort.element

    def coded(self, cell: Cell, value: Term) -> Term:
        """A value as the cell holds it."""
        if not self.is_coded(cell):
            return value
        numbers = [bv(number, self.sort(cell).width) for number in range(len(self.domains[cell]))]
        known = dict(zip(self.domains[cell], numbers, strict=True))
        chosen = cases(value)
        if chosen is not None:
            pairs = [(condition, known.get(constant, numbers[0])) for condition, constant in chosen]
        else:
            pairs = [(equal(value, constant), number) for constant, number in known.items()]
        made = pairs[-1][1]
        for condition, number in reversed(pairs[:-1]):
            made = choice(condition, number, made)
        return made

    def decoded(self, cell: Cell, held: Term, domain: tuple[Term, ...] | None) -> Term:
        """The value that was read, as an ite of constants where there are few."""
        if domain is None or held.op is Op.VALUE:
            return held
        coded = self.is_coded(cell)
        made = domain[-1]
        for number, constant in reversed(list(enumerate(domain[:-1]))):
            made = choice(equal(held, bv(number, held.sort.width) if coded else constant), constant, made)
        return made

    def variables(self) -> frozenset[Term]:
        return frozenset(cell.variable for cell in self.cells)


def everything(variables: Iterable[Term]) -> Shared:
    return Shared(frozenset(Cell(variable) for variable in (*variables, NEXT_THREAD)))


def really_shared(threads: Iterable[ThreadCode], whole: Collection[Term] = ()) -> Shared:
    """What the accesses of unfolded threads show. Accesses before the first thread was started are none. The arrays in
    ``whole`` are not split."""
    threads = list(threads)
    split = _split(threads) - set(whole)
    writers: dict[Cell, set[int]] = {}
    users: dict[Cell, set[int]] = {}
    for thread in threads:
        for access in thread.accesses:
            if isinstance(access, Read | Write) and not (isinstance(access, Write) and access.first):
                cell = access.cell
                for one in _elements(cell, access.index) if cell.variable in split else (cell,):
                    users.setdefault(one, set()).add(thread.instance)
                    if isinstance(access, Write):
                        writers.setdefault(one, set()).add(thread.instance)
    shared = frozenset(cell for cell in writers if len(users[cell]) > 1)
    return Shared(shared, frozenset(split))


def _elements(cell: Cell, index: Term | None) -> list[Cell]:
    """The elements of an array that an access may be to."""
    if cell.index is not None or index is None:
        return [cell]
    return [Cell(cell.variable, constant) for _, constant in choices(index) or ()]


def _bits(values: int) -> int:
    return max(1, (values - 1).bit_length())


def _split(threads: Iterable[ThreadCode]) -> set[Term]:
    arrays: dict[Term, bool] = {}
    for thread in threads:
        for access in thread.accesses:
            if isinstance(access, Read | Write) and access.cell.variable.sort.is_array:
                constant = access.cell.index is not None or (
                    access.index is not None and choices(access.index) is not None
                )
                if isinstance(access, Write) and access.first:
                    continue
                arrays[access.cell.variable] = arrays.get(access.cell.variable, True) and constant
    return {array for array, constant in arrays.items() if constant}
