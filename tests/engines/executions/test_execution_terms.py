"""Terms as Python functions: the values that the evaluator of validation gives."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given

from cleave.engines.executions.terms import Source
from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL, array
from cleave.logic.terms import Term, eq, forall, var
from cleave.logic.values import Value, map_value
from cleave.validate.semantics.evaluate import World, evaluate
from support.bit_terms import SORT, TABLE, TERMS, VARIABLES

PLACES = {VARIABLES[0]: "l[0]", VARIABLES[1]: "l[1]", VARIABLES[2]: "g[0]", TABLE: "g[1]"}
MEMORY = map_value(SORT, 5, {1: 2, 3: 7})


@given(TERMS)
def test_the_same_value(term: Term) -> None:
    source = Source(PLACES)
    number = source.value(term)
    compiled = source.compiled()[number]
    for x, y, z in product((0, 3, 4, 7), repeat=3):
        values: dict[Term, Value] = {**dict(zip(VARIABLES, (x, y, z), strict=True)), TABLE: MEMORY}
        assert compiled([x, y], [z, MEMORY]) == evaluate(term, values.__getitem__, World())


def test_assignments_are_parallel() -> None:
    source = Source(PLACES)
    number = source.assign(VARIABLES[:2], (VARIABLES[1], VARIABLES[0]))
    own: list[Value] = [1, 2]
    source.compiled()[number](own, [0, MEMORY])
    assert own == [2, 1]


def test_quantifiers_are_left_to_solvers() -> None:
    bound = var("bound", SORT)
    with pytest.raises(UnsupportedError):
        Source(PLACES).value(forall((bound,), eq(bound, VARIABLES[0])))


def test_whole_arrays_are_not_compared() -> None:
    one, other = (var(name, array(SORT, BOOL)) for name in "ab")
    with pytest.raises(UnsupportedError, match="arrays"):
        Source({one: "l[0]", other: "l[1]"}).value(eq(one, other))
