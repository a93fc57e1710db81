"""Stores that happen together, in one statement: `Writes`."""

from __future__ import annotations

from cleave.frontends.c.analysis.cells import Cell
from cleave.logic.terms import Term, bv, store


class Writes:
    """One new value for each variable; several stores to one array are one value. ``touched`` are all cells, with the
    address, also those that no variable holds."""

    def __init__(self) -> None:
        self.values: dict[Term, Term] = {}
        self.touched: list[tuple[Cell, Term]] = []

    def add(self, cell: Cell, address: Term, value: Term, mark: Term = bv(1, 1)) -> None:  # noqa: B008
        """``mark``: whether the cell is set then."""
        self.touched.append((cell, address))
        if cell.variable is None:
            return
        self._set(cell.variable, address, value)
        if cell.mark is not None:
            self._set(cell.mark, address, mark)

    def _set(self, variable: Term, address: Term, value: Term) -> None:
        if variable.sort.is_array:
            self.values[variable] = store(self.values.get(variable, variable), address, value)
        else:
            self.values[variable] = value
