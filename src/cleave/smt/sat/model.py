"""Models of SAT solvers, read as values of terms.

A term is bit-blasted again with constants for the bits of its variables. Nothing is left of the circuit then but the
value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cleave.errors import UnsupportedError
from cleave.logic.sorts import Sort
from cleave.logic.terms import Function, Op, Term, apply
from cleave.logic.values import FunctionTable, MapValue
from cleave.smt.sat import bits as b
from cleave.smt.sat.bits import Bits
from cleave.smt.sat.blasted_arrays import Table, element_sort
from cleave.smt.sat.blasting import Blasting
from cleave.smt.sat.gates import FALSE, TRUE, Gates


class SatModel:
    """It stays as it is when the solver goes on. What the solver does not know is false, or 0."""

    def __init__(self, blasted: Blasting, literals: Iterable[int]) -> None:
        self._true = {literal for literal in literals if literal > 0}
        self._known = dict(blasted.variables)
        self._defined = dict(blasted.defined_arrays)
        self._tables = {
            table: {self._constants(index): self._constants(element) for index, element in reads.items()}
            for table, reads in blasted.reads.made.items()
        }
        self._blasting = Blasting(Gates(), self._variable, self._element, self._defined)

    def value(self, term: Term) -> Any:
        return self._array(term) if term.sort.is_array else _python(self._blasting.bits(term), term.sort)

    def is_true(self, term: Term) -> bool:
        return self.value(term) is True

    def function(self, function: Function) -> FunctionTable:
        if not function.arguments:
            return FunctionTable(self.value(apply(function)))
        entries = {
            _arguments(index, function): _python(result, function.result)
            for index, result in self._tables.get(function, {}).items()
        }
        return FunctionTable(_python(_zero(function), function.result), entries)

    def _constants(self, bits: Bits) -> Bits:
        return tuple(TRUE if (abs(bit) in self._true) == (bit > 0) else FALSE for bit in bits)

    def _variable(self, variable: Term) -> Bits:
        known = self._known.get(variable)
        return b.constant(0, b.width(variable.sort)) if known is None else self._constants(known)

    def _element(self, table: Table, index: Bits) -> Bits:
        return self._tables.get(table, {}).get(index) or _zero(table)

    def _array(self, term: Term) -> MapValue:
        values: dict[Term, MapValue] = {}
        waiting = [term]
        while waiting:
            node = waiting[-1]
            parts = (self._defined[node],) if node in self._defined else node.args
            inner = [part for part in parts if part.sort.is_array]
            missing = [part for part in inner if part not in values]
            if missing:
                waiting += missing
            else:
                values[waiting.pop()] = self._made_of(node, [values[part] for part in inner])
        return values[term]

    def _made_of(self, array: Term, inner: list[MapValue]) -> MapValue:
        match array.op:
            case Op.VAR if inner:
                return inner[0]
            case Op.VAR:
                index, element = array.sort.index, array.sort.element
                table = {_python(k, index): _python(v, element) for k, v in self._tables.get(array, {}).items()}
                return _stored(MapValue(_python(_zero(array), element)), table)
            case Op.CONST_ARRAY:
                return MapValue(self.value(array.args[0]))
            case Op.STORE:
                return _stored(inner[0], {self.value(array.args[1]): self.value(array.args[2])})
            case Op.ITE:
                return inner[0] if self.is_true(array.args[0]) else inner[1]
        raise UnsupportedError(f"there is no value of an array by {array.op.value}")


def _stored(old: MapValue, entries: dict[Any, Any]) -> MapValue:
    new = {**old.entries, **entries}
    return MapValue(old.default, {index: value for index, value in new.items() if value != old.default})


def _zero(table: Table) -> Bits:
    return b.constant(0, b.width(element_sort(table)))


def _arguments(index: Bits, function: Function) -> tuple[Any, ...]:
    values, place = [], 0
    for sort in function.arguments:
        values.append(_python(index[place : place + b.width(sort)], sort))
        place += b.width(sort)
    return tuple(values)


def _python(bits: Bits, sort: Sort) -> Any:
    return b.number(bits) == 1 if sort.is_bool else b.number(bits)
