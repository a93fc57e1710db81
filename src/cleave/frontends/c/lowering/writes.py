"""Stores that happen together, in one statement: `Writes`."""

from __future__ import annotations

from cleave.frontends.c.analysis.cells import Cell
from cleave.logic.terms import Term, store


class Writes:
    """One new value for each variable; several stores to one array are one value. ``touched`` are all cells, with the
    address, also those that no variable holds."""

    def __init__(self) -> None:
        self.values: dict[Term, Term] = {}
        self.touched: list[tuple[Cell, Term]] = []

    def add(self, cell: Cell, address: Term, value: Term) -> None:
        self.touched.append((cell, address))
        variable = cell.variable
        if variable is None:
            return
        if variable.sort.is_array:
            self.values[variable] = store(self.values.get(variable, variable), address, value)
        else:
            self.values[variable] = value
