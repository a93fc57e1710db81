"""Which instances of a quantifier a run has to satisfy: exactly those that its triggers match."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cleave.errors import UnsupportedError
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.sorts import INT, array
from cleave.logic.terms import Function, Op, Term
from cleave.logic.values import DatatypeValue, FormulaMap, MapValue, Value
from cleave.validate.semantics.triggers import Applied, matching_rows

F = Function("f", (INT,), INT)
G = Function("g", (INT, INT), INT)
I, J = t.var("i", INT), t.var("j", INT)  # noqa: E741
K = t.var("k", INT)
M = t.var("m", array(INT, INT))


def f(argument: Term) -> Term:
    return t.apply(F, argument)


def g(first: Term, second: Term) -> Term:
    return t.apply(G, first, second)


def quantifier(variables: tuple[Term, ...], body: Term, *triggers: tuple[Term, ...]) -> Term:
    return t.forall(variables, body, triggers)


def nothing_is_known(term: Term) -> Value | None:
    raise AssertionError(term)


def rows(
    formula: Term, applied: Applied, ground: Callable[[Term], Value | None] = nothing_is_known
) -> list[tuple[Value, ...]] | None:
    return matching_rows(formula, applied, ground)


def test_each_application_of_the_run_is_an_instance() -> None:
    formula = quantifier((I,), t.lt(I, f(I)), (f(I),))
    assert rows(formula, {F: {(3,): 4, (8,): 9}}) == [(3,), (8,)]
    assert rows(formula, {G: {(3, 4): 4}}) == []


def test_a_trigger_of_several_terms_needs_all_of_them() -> None:
    formula = quantifier((I, J), t.lt(f(I), g(J, J)), (f(I), f(J)))
    assert rows(formula, {F: {(1,): 0, (2,): 0}}) == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_any_of_several_triggers_is_enough_and_an_instance_is_named_once() -> None:
    formula = quantifier((I,), t.lt(f(I), g(I, I)), (f(I),), (g(I, I),))
    assert rows(formula, {F: {(1,): 0}, G: {(1, 1): 0, (5, 5): 0}}) == [(1,), (5,)]


def test_a_variable_that_occurs_twice_has_one_value() -> None:
    formula = quantifier((I,), t.lt(g(I, I), I), (g(I, I),))
    assert rows(formula, {G: {(1, 1): 0, (1, 2): 0, (3, 3): 0}}) == [(1,), (3,)]


def test_a_pattern_in_a_pattern_is_matched_by_its_result() -> None:
    formula = quantifier((I,), t.lt(f(f(I)), I), (f(f(I)),))
    assert rows(formula, {F: {(1,): 2, (2,): 7, (5,): 9}}) == [(1,)]


def test_what_is_not_bound_has_the_value_that_the_run_gives_it() -> None:
    formula = quantifier((I,), t.lt(g(I, K), I), (g(I, K),))
    applied: Applied = {G: {(1, 10): 0, (2, 11): 0}}
    assert rows(formula, applied, lambda term: {K: 11}[term]) == [(2,)]
    assert rows(formula, applied, lambda _: None) == []


def test_reading_a_map_is_an_application() -> None:
    formula = quantifier((I,), t.lt(t.select(M, I), I), (t.select(M, I),))
    one, other = MapValue(0, {4: 1}), MapValue(0, {})
    assert rows(formula, {Op.SELECT: {(one, 4): 0, (other, 5): 0}}, lambda _: MapValue(0, {4: 1})) == [(4,)]


def test_without_triggers_applications_to_all_variables_are_taken() -> None:
    body = t.conj(t.lt(g(I, J), I), t.lt(f(I), J))
    assert rows(quantifier((I, J), body), {G: {(1, 2): 0}, F: {(9,): 0}}) == [(1, 2)]


@pytest.mark.parametrize(
    "formula",
    [
        quantifier((I,), t.lt(I, K)),  # nothing is applied
        quantifier((I, J), t.lt(f(I), J), (f(I),)),  # j is not in the trigger
        quantifier((I,), t.lt(f(t.add(I, K)), K), (f(t.add(I, K)),)),  # i is below an addition
    ],
    ids=repr,
)
def test_a_quantifier_without_a_trigger_that_can_be_matched(formula: Term) -> None:
    assert rows(formula, {F: {(1,): 0}}) is None


def test_maps_that_can_not_be_compared_do_not_match() -> None:
    def of(number: int) -> FormulaMap:
        return FormulaMap(lambda _: number, number, {})

    with pytest.raises(UnsupportedError):
        assert of(1) == of(2)
    formula = quantifier((I,), t.lt(t.select(M, I), I), (t.select(M, I),))
    known = of(1)
    assert rows(formula, {Op.SELECT: {(known, 4): 0, (of(2), 5): 0}}, lambda _: known) == [(4,)]


def test_constructors_of_data_types_are_patterns() -> None:
    (lists,) = d.declare((d.Declaration("L", (("nil", ()), ("cons", (("head", INT), ("tail", 0))))),))
    size, rest = t.Function("size", (lists,), INT), t.var("rest", lists)
    whole = t.apply(size, d.construct(lists, 1, I, rest))
    formula = quantifier((I, rest), t.lt(t.apply(size, rest), whole), (whole,))
    nil = DatatypeValue(lists, 0, ())
    assert rows(formula, {size: {(nil,): 0, (DatatypeValue(lists, 1, (7, nil)),): 1}}) == [(7, nil)]
