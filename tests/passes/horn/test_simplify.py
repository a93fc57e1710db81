"""Simplification of Horn systems: what goes, and that evidence comes back."""

from __future__ import annotations

from random import Random

import pytest

from cleave.engines.pdr.spacer.run import STRATEGIES, NoAnswer, SafeAnswer, SpacerRun, UnsafeAnswer
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate, Relation
from cleave.logic.datatypes import Declaration, construct, declare
from cleave.logic.sorts import INT, array
from cleave.logic.terms import TRUE, Term, add, conj, const_array, eq, integer, lt, neg, select, store, var
from cleave.logic.walk import has_quantifier
from cleave.passes.horn import SimplifiedHorn, simplify_horn
from support.horn_systems import broken_clause, broken_step, is_safe, random_system

X, Y, Z, K = (var(name, INT) for name in "xyzk")


def atom(name: str, *arguments: Term) -> Atom:
    return Atom(name, arguments)


def system_of(*clauses: Clause) -> HornSystem:
    atoms = [a for clause in clauses for a in clause.atoms()]
    predicates = {a.predicate: Predicate(a.predicate, tuple(t.sort for t in a.arguments)) for a in atoms}
    return HornSystem(predicates=predicates, clauses=clauses)


def check(system: HornSystem) -> tuple[SimplifiedHorn, str]:
    """Solves the simplified system, and checks that the evidence holds of the given one."""
    simplified = simplify_horn(system)
    with SpacerRun(simplified.system, STRATEGIES[0], slice_cost=10**9, cost_limit=2_000_000) as run:
        event = run.resume()
    match event:
        case SafeAnswer():
            assert broken_clause(system, simplified.interpretation(event.interpretation)) is None
            return simplified, "safe"
        case UnsafeAnswer():
            assert event.derivation is not None
            assert broken_step(system, simplified.derivation(event.derivation)) is None
            return simplified, "unsafe"
        case _:
            assert event == NoAnswer("cost")
            return simplified, "unknown"


@pytest.mark.parametrize(("limit", "verdict"), [(5, "unsafe"), (50, "safe")])
def test_control_flow_without_loops_becomes_one_predicate(limit: int, verdict: str) -> None:
    system = system_of(
        Clause(atom("Start", X, Y), (), conj(eq(X, integer(0)), eq(Y, integer(3)))),
        Clause(atom("Loop", X, Y), (atom("Start", X, Y),), TRUE),
        Clause(atom("Then", X, Y), (atom("Loop", X, Y),), lt(X, integer(10))),
        Clause(atom("Join", Z, Y), (atom("Then", X, Y),), eq(Z, add(X, integer(1)))),
        Clause(atom("Loop", X, Y), (atom("Join", X, Y),), TRUE),
        Clause(atom("End", X), (atom("Loop", X, Y),), lt(Y, X)),
        Clause(atom("Dead", X), (atom("Nowhere", X),), TRUE),
        Clause(atom("End", X), (atom("Dead", X),), TRUE),
        Clause(atom("Useless", X), (atom("End", X),), TRUE),
        Clause(None, (atom("End", X),), lt(integer(limit), X)),
    )
    simplified, found = check(system)
    assert found == verdict
    assert list(simplified.system.predicates) == ["Loop"]
    assert simplified.system.predicates["Loop"].sorts == (INT,)  # y is always 3


def test_an_argument_that_is_handed_on_is_constant() -> None:
    system = system_of(
        Clause(atom("P", integer(0), integer(7)), (), TRUE),
        Clause(atom("P", add(X, integer(1)), K), (atom("P", X, K),), lt(X, K)),
        Clause(None, (atom("P", X, K),), lt(K, X)),
    )
    simplified, found = check(system)
    assert found == "safe"
    assert simplified.system.predicates["P"].sorts == (INT,)


def test_a_relation_that_needs_a_quantifier() -> None:
    """Neither the definition of Q (y is lost) nor its use (z is any) determines its variables by Q's argument."""
    system = system_of(
        Clause(atom("P", integer(0), integer(0)), (), TRUE),
        Clause(atom("P", add(X, integer(1)), add(Y, integer(2))), (atom("P", X, Y),), TRUE),
        Clause(atom("Q", X), (atom("P", X, Y),), lt(Y, integer(9))),
        Clause(None, (atom("Q", X), atom("P", Z, X)), lt(X, integer(0))),
    )
    simplified, found = check(system)
    assert found == "safe"
    assert set(simplified.system.predicates) == {"P"}
    assert simplified.inlined == ("Q",)
    assert has_quantifier(simplified.interpretation({})["Q"].formula)
    assert set(simplify_horn(system, quantifiers=False).system.predicates) == {"P", "Q"}


def test_an_interpretation_goes_forward() -> None:
    system = system_of(
        Clause(atom("P", integer(0), integer(7)), (), TRUE),
        Clause(atom("Q", X, K), (atom("P", X, K),), lt(X, K)),
        Clause(atom("P", add(X, integer(1)), K), (atom("Q", X, K),), TRUE),
        Clause(None, (atom("P", X, K),), lt(K, X)),
    )
    given = {
        "P": Relation((X, K), conj(lt(X, integer(8)), eq(K, integer(7)))),
        "Q": Relation((X, K), conj(lt(X, integer(7)), eq(K, integer(7)))),
    }
    assert broken_clause(system, given) is None
    simplified = simplify_horn(system)
    forward = simplified.forward(given)
    assert [len(forward[name].parameters) for name in simplified.system.predicates] == [1]
    assert broken_clause(simplified.system, forward) is None


def test_nothing_is_left_of_a_system_without_queries_or_facts() -> None:
    assert not simplify_horn(system_of(Clause(atom("P", X), (), TRUE))).system.clauses
    assert not simplify_horn(system_of(Clause(None, (atom("P", X),), TRUE))).system.clauses


def test_facts_with_arrays_and_lists_are_filled_in() -> None:
    (lists,) = declare((Declaration("List", (("nil", ()), ("cons", (("head", INT), ("tail", 0))))),))
    items, memory, more = var("l", lists), var("m", array(INT, lists)), var("n", array(INT, lists))
    system = system_of(
        Clause(atom("P", construct(lists, 0), const_array(INT, construct(lists, 0)), integer(0)), (), TRUE),
        Clause(
            atom("Q", construct(lists, 1, X, items), store(memory, X, items), Y),
            (atom("P", items, memory, X),),
            eq(Y, add(X, integer(1))),
        ),
        Clause(atom("P", items, more, X), (atom("Q", items, more, X),), lt(X, integer(9))),
        Clause(None, (atom("P", items, memory, X),), eq(select(memory, integer(3)), construct(lists, 1, Y, items))),
        Clause(None, (atom("P", items, memory, X),), eq(X, integer(4))),
    )
    simplified, found = check(system)
    assert found == "unsafe"
    assert list(simplified.system.predicates) == ["P"]


@pytest.mark.parametrize("kind", ["lia", "bv"])
@pytest.mark.parametrize("seed", range(12))
def test_random_systems(kind: str, seed: int) -> None:
    system = random_system(Random(f"{seed}{kind}"), kind)
    _, found = check(system)
    assert found in ("safe" if is_safe(system) else "unsafe", "unknown")


def test_constants_that_are_found_one_after_the_other_have_names_of_their_own() -> None:
    a, b = var("a", INT), var("b", INT)
    system = system_of(
        Clause(atom("Q", integer(5)), (), TRUE),
        Clause(atom("P", integer(1), Y, integer(0)), (atom("Q", Y),), TRUE),
        Clause(atom("P", a, b, add(X, integer(1))), (atom("P", a, b, X),), TRUE),
        Clause(None, (atom("P", a, b, X),), lt(X, integer(0))),
    )
    simplified, word = check(system)
    assert word == "safe"
    (left,) = simplified.system.predicates.values()
    assert left.sorts == (INT,)
    lifted = simplified.interpretation({left.name: Relation((X,), neg(lt(X, integer(0))))})
    assert len(set(lifted["P"].parameters)) == 3
    assert broken_clause(system, lifted) is None
