"""Invariants by guessing: facts are derivable, guesses hold of them, and proofs are of the clauses as they are."""

from __future__ import annotations

from cleave.engines.pdr.guesses import guesses
from cleave.engines.pdr.guessing import Guessing, strengthened
from cleave.engines.pdr.samples import Samples
from cleave.engines.pdr.spacer.run import Busy, Paused, SafeAnswer, UnsafeAnswer
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.logic import terms as t
from cleave.logic.sorts import INT
from cleave.logic.terms import Op, Term
from cleave.logic.walk import substitute
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.invariant import check_interpretation

X, Y, N = (t.var(name, INT) for name in "xyn")


def counting(bad: Term, *, n: Term = N) -> HornSystem:
    """x counts to n, y by two."""
    return HornSystem(
        predicates={"Inv": Predicate("Inv", (INT, INT, INT))},
        clauses=(
            Clause(Atom("Inv", (t.integer(0), t.integer(0), n)), (), t.le(t.integer(0), N)),
            Clause(
                Atom("Inv", (t.add(X, t.integer(1)), t.add(Y, t.integer(2)), N)),
                (Atom("Inv", (X, Y, N)),),
                t.lt(X, N),
            ),
            Clause(None, (Atom("Inv", (X, Y, N)),), t.conj(t.ge(X, N), bad)),
        ),
    )


def answer_of(system: HornSystem) -> object:
    run = Guessing(system, cost_limit=20_000_000)
    event = run.resume()
    while isinstance(event, Paused | Busy):
        event = run.resume()
    run.stop()
    return event


def test_facts_follow_from_the_clauses() -> None:
    samples = Samples(counting(t.TRUE), 500_000)
    while not samples.is_over:
        samples.step()
    samples.close()
    facts = [tuple(one.value for one in fact) for fact in samples.facts["Inv"]]
    assert len(facts) > 5
    assert all(y == 2 * x and 0 <= x <= n for x, y, n in facts)


def test_guesses_hold_of_all_facts_and_say_what_is_in_proportion() -> None:
    parameters = tuple(t.var(f"a{n}", INT) for n in range(3))
    facts = [tuple(map(t.integer, row)) for row in ((0, 0, 9), (1, 2, 9), (2, 4, 9), (3, 6, 7))]
    found = list(guesses(parameters, facts))
    for formula in found:
        for fact in facts:
            assert substitute(formula, dict(zip(parameters, fact, strict=True))).is_true, formula
    linear = {
        formula for formula in found if formula.op is Op.EQ and {parameters[0], parameters[1]} <= formula_vars(formula)
    }
    assert linear, "twice the first is the second"


def formula_vars(formula: Term) -> frozenset[Term]:
    from cleave.logic.walk import free_variables

    return free_variables(formula)


def test_a_proof_is_an_invariant_of_the_clauses() -> None:
    system = counting(t.distinct(Y, t.mul(t.integer(2), N)))
    answer = answer_of(system)
    assert isinstance(answer, SafeAnswer)
    assert check_interpretation(system, answer.interpretation).holds


def test_k_induction_goes_on_where_guesses_do_not_suffice() -> None:
    """That x and y meet only at 0 takes a case for the first round."""
    system = counting(t.conj(t.eq(X, Y), t.lt(t.integer(0), N)))
    answer = answer_of(system)
    assert isinstance(answer, SafeAnswer)
    assert check_interpretation(system, answer.interpretation).holds


def test_a_violation_is_a_derivation() -> None:
    system = counting(t.eq(Y, t.integer(6)))
    answer = answer_of(system)
    assert isinstance(answer, UnsafeAnswer)
    assert answer.derivation is not None
    assert check_derivation(system, answer.derivation).holds


def test_clauses_assume_what_is_known_of_their_bodies() -> None:
    system = counting(t.TRUE)
    a0 = t.var("a0", INT)
    told = strengthened(system, {"Inv": [t.ge(a0, t.integer(0))]})
    assert told.clauses[0] == system.clauses[0]
    assert told.clauses[1].constraint == t.conj(t.lt(X, N), t.ge(X, t.integer(0)))
