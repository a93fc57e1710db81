"""Arguments that no derivation depends on: which they are, and that evidence comes back."""

from __future__ import annotations

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Interpretation, Predicate, Relation, Step
from cleave.logic.sorts import INT, array
from cleave.logic.terms import TRUE, Term, add, conj, const_array, eq, integer, le, lt, select, store, var
from cleave.passes.horn.idle import drop_open, drop_unread
from support.horn_systems import broken_clause, broken_step

X, Y, Z = (var(name, INT) for name in "xyz")
A, B = (var(name, array(INT, INT)) for name in "ab")


def system_of(*clauses: Clause) -> HornSystem:
    atoms = [a for clause in clauses for a in clause.atoms()]
    predicates = {a.predicate: Predicate(a.predicate, tuple(t.sort for t in a.arguments)) for a in atoms}
    return HornSystem(predicates=predicates, clauses=clauses)


def atom(name: str, *arguments: Term) -> Atom:
    return Atom(name, arguments)


COUNTED = system_of(  # y is counted, and nobody asks how far
    Clause(atom("P", integer(0), integer(0)), (), TRUE),
    Clause(atom("P", add(X, integer(1)), add(Y, Z)), (atom("P", X, Y),), conj(lt(X, integer(2)), lt(Z, integer(9)))),
    Clause(None, (atom("P", X, Y),), eq(X, integer(2))),
)
LATER = system_of(  # b is any, until Q writes to it
    Clause(atom("P", integer(0), B), (), TRUE),
    Clause(atom("P", add(X, integer(1)), B), (atom("P", X, B),), lt(X, integer(2))),
    Clause(atom("Q", X, store(B, X, X)), (atom("P", X, B),), le(integer(1), X)),
    Clause(atom("Q", X, store(B, integer(7), Y)), (atom("Q", X, B),), TRUE),
    Clause(
        None, (atom("Q", X, B),), conj(eq(select(B, integer(7)), integer(3)), eq(select(B, integer(8)), integer(4)))
    ),
)


def sorts(system: HornSystem) -> dict[str, int]:
    return {name: len(predicate.sorts) for name, predicate in system.predicates.items()}


def test_what_is_only_counted_is_not_read() -> None:
    done = drop_unread(COUNTED)
    assert sorts(done.system) == {"P": 1}
    facts = [Step(0, "P", (integer(0),), ())]
    facts += [Step(1, "P", (integer(n),), (n - 1,)) for n in (1, 2)]
    found = Derivation((*facts, Step(2, None, (), (2,))))
    assert broken_step(done.system, found) is None
    assert broken_step(COUNTED, done.derivation(found)) is None


def test_what_is_compared_or_read_later_is_read() -> None:
    compared = Clause(None, (atom("P", X, Y),), lt(Y, X))
    assert sorts(drop_unread(system_of(*COUNTED.clauses, compared)).system) == {"P": 2}
    assert sorts(drop_unread(LATER).system) == {"P": 2, "Q": 1}
    handed = Clause(None, (atom("P", X, Y), atom("P", Z, Y)), lt(X, Z))  # one y for both
    assert sorts(drop_unread(system_of(*COUNTED.clauses, handed)).system) == {"P": 2}


def test_what_was_not_written_yet_may_be_any() -> None:
    done = drop_open(LATER)
    assert sorts(done.system) == {"P": 1, "Q": 2}
    cells = store(store(const_array(INT, integer(0)), integer(8), integer(4)), integer(1), integer(1))
    found = Derivation(
        (
            Step(0, "P", (integer(0),), ()),
            Step(1, "P", (integer(1),), (0,)),
            Step(2, "Q", (integer(1), cells), (1,)),
            Step(3, "Q", (integer(1), store(cells, integer(7), integer(3))), (2,)),
            Step(4, None, (), (3,)),
        )
    )
    assert broken_step(done.system, found) is None
    assert broken_step(LATER, done.derivation(found)) is None


def test_a_fact_that_is_used_with_two_values_comes_back_as_two() -> None:
    system = system_of(
        Clause(atom("P", X, Y), (), eq(X, integer(0))),
        Clause(None, (atom("P", X, Y), atom("P", X, Z)), lt(Y, Z)),
    )
    done = drop_open(system)
    assert sorts(done.system) == {"P": 1}
    found = Derivation((Step(0, "P", (integer(0),), ()), Step(1, None, (), (0, 0))))
    lifted = done.derivation(found)
    assert len(lifted.steps) == 3
    assert broken_step(system, lifted) is None


def test_interpretations_come_back_and_go_forward() -> None:
    safe = system_of(*COUNTED.clauses[:2], Clause(None, (atom("P", X, Y),), lt(integer(5), X)))
    done = drop_unread(safe)
    assert _holds(safe, done.interpretation({"P": Relation((X,), le(X, integer(2)))}))
    given = {"P": Relation((X, Y), conj(le(X, integer(2)), le(Y, add(X, Y))))}
    assert list(done.forward(given)["P"].parameters) == [X]
    any_array = {"P": Relation((X, B), le(integer(0), X)), "Q": Relation((X, B), TRUE)}
    assert drop_open(LATER).forward(any_array)["P"] == Relation((X,), le(integer(0), X))


def _holds(system: HornSystem, found: Interpretation) -> bool:
    return broken_clause(system, found) is None
