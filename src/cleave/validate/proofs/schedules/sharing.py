"""Which cells threads share: what one of them writes and another one uses, once there are several.

It is found out by unfolding with everything shared, and looking at what the threads then do. An array that is used at
constant indices only falls apart into its elements.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.logic.sorts import bitvec
from cleave.logic.terms import Term, var
from cleave.records import dataclass
from cleave.validate.proofs.schedules.code import Cell, Read, Thread, Write
from cleave.validate.proofs.schedules.fold import constants

NUMBER_BITS = 16
NEXT_THREAD = var("(number of the next thread)", bitvec(NUMBER_BITS))
"""Shared like any other variable, if several threads start others."""


class NotSplitError(Exception):
    """An array that was taken for split is used at an index that is not known."""

    def __init__(self, array: Term) -> None:
        super().__init__(array.name)
        self.array = array


@dataclass(frozen=True, slots=True)
class Sharing:
    """``cells`` are shared; of the arrays in ``split``, elements are."""

    cells: frozenset[Cell]
    split: frozenset[Term] = frozenset()

    def uses(self, variable: Term) -> bool:
        return variable in self.split or Cell(variable) in self.cells

    def with_whole(self, array: Term) -> Sharing:
        kept = frozenset(cell for cell in self.cells if cell.variable is not array)
        return Sharing(kept | {Cell(array)}, self.split - {array})


def everything(variables: Iterable[Term]) -> Sharing:
    return Sharing(frozenset(Cell(variable) for variable in (*variables, NEXT_THREAD)))


def really_shared(threads: Iterable[Thread], whole: set[Term]) -> Sharing:
    """What the accesses of unfolded threads show. The arrays in ``whole`` are not split."""
    found = [
        (number, access)
        for number, thread in enumerate(threads)
        for event in thread.events
        for access in event.accesses
        if isinstance(access, Read) or (isinstance(access, Write) and not access.first)
    ]
    apart = {access.cell.variable for _, access in found if access.cell.variable.sort.is_array} - whole
    for _, access in found:
        if access.cell.element is None and (access.index is None or constants(access.index) is None):
            apart.discard(access.cell.variable)
    users: dict[Cell, set[int]] = {}
    written: set[Cell] = set()
    for number, access in found:
        for cell in _cells(access, apart):
            users.setdefault(cell, set()).add(number)
            if isinstance(access, Write):
                written.add(cell)
    cells = frozenset(cell for cell in written if len(users[cell]) > 1)
    return Sharing(cells, frozenset(apart))


def _cells(access: Read | Write, apart: set[Term]) -> list[Cell]:
    if access.cell.variable not in apart or access.cell.element is not None:
        return [access.cell]
    assert access.index is not None
    return [Cell(access.cell.variable, one) for _, one in constants(access.index) or ()]
