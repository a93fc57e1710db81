"""Bitwuzla's models, read as Python values; only until the solver is used again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bitwuzla
from bitwuzla import Kind

from cleave.errors import InternalError, UnsupportedError
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Function, Term
from cleave.logic.values import FunctionTable, MapValue
from cleave.smt.bitwuzla.terms import Translator


class BitwuzlaModel:
    """Bitwuzla keeps one model, inside the solver. ``current`` gives the translator and the solver, or None when the
    solver has moved on; then the model refuses to be read."""

    def __init__(self, current: Callable[[], tuple[Translator, Any] | None]) -> None:
        self._current = current

    def value(self, term: Term) -> Any:
        return _python(self._read(lambda translator: translator.term(term)), term.sort)

    def is_true(self, term: Term) -> bool:
        return self.value(term) is True

    def function(self, function: Function) -> FunctionTable:
        value = self._read(lambda translator: translator.function(function))
        if not function.arguments:
            return FunctionTable(_python(value, function.result))
        return _table(value, function)

    def _read(self, native: Callable[[Translator], Any]) -> Any:
        current = self._current()
        if current is None:
            raise InternalError("the solver has moved on: this model of Bitwuzla can't be read any more")
        translator, solver = current
        try:
            return solver.get_value(native(translator))
        except bitwuzla.BitwuzlaException as error:
            raise InternalError(f"Bitwuzla: {error}") from error


def _python(value: Any, sort: Sort) -> Any:
    """A native value as Python's. Recursion is as deep as the sort is nested."""
    match sort.kind:
        case SortKind.BOOL:
            return bool(value.value())
        case SortKind.BITVEC:
            return int(value.value(16), 16)
        case SortKind.ARRAY:
            return _array(value, sort)
        case _:
            raise _no_value(value)


def _array(value: Any, sort: Sort) -> MapValue:
    """Stores over a constant array."""
    stores: list[tuple[Any, Any]] = []
    while value.kind() == Kind.ARRAY_STORE:
        value, index, element = value.children()
        stores.append((_python(index, sort.index), _python(element, sort.element)))
    if value.kind() != Kind.CONST_ARRAY:
        raise _no_value(value)
    default = _python(value.children()[0], sort.element)
    entries = dict(reversed(stores))
    return MapValue(default, {index: element for index, element in entries.items() if element != default})


def _table(value: Any, function: Function) -> FunctionTable:
    """Lambdas over a chain of if-then-else, each condition a conjunction of "this argument is that value"."""
    places: dict[Any, int] = {}
    while value.kind() == Kind.LAMBDA:
        *variables, value = value.children()
        places.update({variable: len(places) + number for number, variable in enumerate(variables)})
    rows: list[tuple[tuple[Any, ...], Any]] = []
    while value.kind() == Kind.ITE and not value.is_value():
        condition, then, value = value.children()
        rows.append((_key(condition, places, function), _python(then, function.result)))
    if not value.is_value():
        raise _no_value(value)
    default = _python(value, function.result)
    entries = dict(reversed(rows))  # the first row wins
    return FunctionTable(default, {key: result for key, result in entries.items() if result != default})


def _key(condition: Any, places: dict[Any, int], function: Function) -> tuple[Any, ...]:
    key: list[Any] = [None] * len(places)
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        if part.kind() == Kind.AND:
            waiting += part.children()
        elif part in places:
            key[places[part]] = True
        elif part.kind() == Kind.NOT and part.children()[0] in places:
            key[places[part.children()[0]]] = False
        elif part.kind() == Kind.EQUAL:
            left, right = part.children()
            variable, value = (left, right) if left in places else (right, left)
            if variable not in places:
                raise _no_value(condition)
            key[places[variable]] = _python(value, function.arguments[places[variable]])
        else:
            raise _no_value(condition)
    if None in key:
        raise _no_value(condition)
    return tuple(key)


def _no_value(value: Any) -> UnsupportedError:
    return UnsupportedError(f"the solver's model gives no plain value: {str(value)[:200]}")
