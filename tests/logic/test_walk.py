"""Walks over terms: each node once, any depth, simplifying on the way."""

from __future__ import annotations

from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import TRUE, Function, Term, add, apply, conj, forall, integer, lt, minus, var
from cleave.logic.walk import fold, free_variables, functions, has_quantifier, postorder, substitute, triggers

X, Y, K = (var(name, INT) for name in "xyk")
F = Function("f", (INT,), INT)


def deep(depth: int) -> Term:
    term = X
    for _ in range(depth):
        term = minus(add(term, Y))
    return term


def test_arguments_come_first_and_once() -> None:
    term = add(add(X, Y), add(add(X, Y), X))
    order = list(postorder((term, X)))
    assert len(order) == len(set(order)) == 5
    assert all(order.index(a) < order.index(node) for node in order for a in node.args)


def test_done_nodes_are_not_entered() -> None:
    done = {add(X, Y)}
    assert list(postorder((minus(add(X, Y)),), done)) == [minus(add(X, Y))]
    assert X not in done


def test_deep_terms() -> None:
    term = deep(50_000)
    assert sum(1 for _ in postorder((term,))) == 100_002
    assert fold(term, lambda node, depths: 1 + max(depths, default=0)) == 100_001
    replaced = substitute(term, {X: Y})
    assert free_variables(replaced) == {Y}
    assert substitute(replaced, {Y: integer(0)}) is integer(0)


def test_substitution_is_simultaneous() -> None:
    assert substitute(lt(X, Y), {X: Y, Y: X}) is lt(Y, X)
    assert substitute(lt(X, Y), {lt(X, Y): TRUE}) is TRUE


def test_substitution_reaches_bodies_and_triggers() -> None:
    application = apply(F, add(K, X))
    term = forall((K,), lt(application, X), ((application,),))
    changed = substitute(term, {X: Y})
    assert changed is forall((K,), lt(apply(F, add(K, Y)), Y), ((apply(F, add(K, Y)),),))
    assert triggers(changed) == ((apply(F, add(K, Y)),),)
    assert free_variables(term) == {X}
    assert list(functions(term)) == [F]
    assert has_quantifier(conj(var("b", BOOL), term))
    assert not has_quantifier(lt(X, Y))
