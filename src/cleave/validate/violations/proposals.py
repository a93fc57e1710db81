"""The values that a solver's model proposes for a run: whole where they are finite, else one by one when asked for.

    value_in(model, memory)            MapValue(0, {3: 7}), or a `FormulaMap`
    function_in(model, f)((3, 4))      12

With quantifiers, as memory that is copied or filled has them, Z3 gives arrays and functions by formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cleave.errors import UnsupportedError
from cleave.logic.sorts import Sort
from cleave.logic.terms import Function, Term, apply, select
from cleave.logic.values import FormulaMap, FunctionTable, Value, as_term, default_value, from_model
from cleave.smt.solver import Model


def value_in(model: Model, term: Term) -> Value:
    """The value of ``term``; raises `UnsupportedError` if it can't be read in either way."""
    try:
        return from_model(model.value(term), term.sort)
    except UnsupportedError:
        if not term.sort.is_array:
            raise
    index, element = term.sort.index, term.sort.element
    return FormulaMap(lambda key: value_in(model, select(term, _constant(key, index))), default_value(element), {})


def function_in(model: Model, function: Function) -> Callable[[tuple[Value, ...]], Value]:
    """The interpretation of an uninterpreted function."""
    try:
        table = model.function(function)
    except UnsupportedError:
        return cache(lambda arguments: value_in(model, _application(function, arguments)))
    entries = {
        tuple(from_model(argument, sort) for argument, sort in zip(key, function.arguments, strict=True)): from_model(
            value, function.result
        )
        for key, value in table.entries.items()
    }
    return FunctionTable(from_model(table.default, function.result), entries)


def _application(function: Function, arguments: tuple[Value, ...]) -> Term:
    return apply(function, *(_constant(a, sort) for a, sort in zip(arguments, function.arguments, strict=True)))


def _constant(value: Value, sort: Sort) -> Term:
    found = as_term(value, sort)
    if found is None:
        raise UnsupportedError("the solver gives a map or a function of maps by a formula")
    return found
