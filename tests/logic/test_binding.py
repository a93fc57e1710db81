"""Terms whose quantifiers bind names of their own."""

from __future__ import annotations

from cleave.logic import terms as t
from cleave.logic.binding import fresh_variables, names, original_name, own_binders
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Function, Op
from cleave.logic.walk import free_variables, postorder, substitute

X, Y = t.var("x", INT), t.var("y", INT)


def test_a_variable_that_is_free_and_bound() -> None:
    term = t.conj(t.lt(X, t.integer(3)), t.forall((X,), t.lt(X, Y)))
    own = own_binders(term, fresh_variables(names((term,))))
    assert repr(own) == "(and (< x 3) (forall ((x?0 Int)) (< x?0 y)))"
    assert free_variables(own) == {X, Y}
    assert repr(substitute(own, {Y: X})) == "(and (< x 3) (forall ((x?0 Int)) (< x?0 x)))"


def test_a_name_that_is_bound_twice() -> None:
    inner = t.exists((X,), t.lt(X, Y))
    term = t.forall((X, Y), t.conj(inner, t.lt(X, Y)))
    assert repr(own_binders(term, fresh_variables(set()))) == (
        "(forall ((x?0 Int) (y?1 Int)) (and (exists ((x?2 Int)) (< x?2 y?1)) (< x?0 y?1)))"
    )


def test_triggers_are_renamed_with_the_body() -> None:
    f = Function("f", (INT,), INT)
    term = t.forall((X,), t.lt(X, t.apply(f, X)), ((t.apply(f, X),),))
    own = own_binders(term, fresh_variables({"x?0"}))
    assert [node.name for node in postorder((own,)) if node.is_var] == ["x?1"]
    assert own.value.trigger_sizes == (1,)


def test_a_name_is_kept_however_often_it_is_renamed() -> None:
    fresh = fresh_variables({"x"})
    again = fresh(fresh(X))
    assert (again.name, original_name(again)) == ("x?1", "x")
    assert original_name(t.var("?A", INT)) == "?A"


def test_terms_without_quantifiers_stay() -> None:
    term = t.lt(X, Y)
    assert own_binders(term, fresh_variables(set())) is term


def test_deep_terms() -> None:
    term = t.forall((X,), t.lt(X, Y))
    for number in range(100_000):
        term = t.make(Op.AND, (t.var("a", BOOL), term), BOOL) if number % 2 else t.make(Op.NOT, (term,), BOOL)
    own = own_binders(term, fresh_variables(names((term,))))
    assert free_variables(own) == {t.var("a", BOOL), Y}
