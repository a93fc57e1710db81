"""Which lemmas of all workers are invariants together."""

from __future__ import annotations

import threading
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.pdr.houdini import Houdini, inductive
from cleave.engines.pdr.messages import INVARIANT, Lemma
from cleave.engines.pdr.sieving import Sieve
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.logic import terms as t
from cleave.logic.sorts import INT
from cleave.logic.terms import Term, integer
from cleave.validate.clauses.invariant import check_interpretation

X, Y = t.var("x", INT), t.var("y", INT)
A0, A1 = t.var("a0", INT), t.var("a1", INT)
ZERO = integer(0)
SUMS = HornSystem(  # y is the sum of what x was
    predicates={"P": Predicate("P", (INT, INT))},
    clauses=(
        Clause(Atom("P", (ZERO, ZERO)), (), t.TRUE),
        Clause(Atom("P", (t.add(X, integer(1)), t.add(Y, X))), (Atom("P", (X, Y)),), t.TRUE),
        Clause(None, (Atom("P", (X, Y)),), t.lt(Y, ZERO)),
    ),
)
CANDIDATES = (
    *(t.le(ZERO, A1), t.le(ZERO, A0), t.le(A0, integer(3)), t.le(A1, A0), t.eq(A0, A1)),
    *(t.disj(t.le(integer(2), A0), t.eq(A1, ZERO)), t.disj(t.le(integer(1), A0), t.eq(A1, ZERO)), t.FALSE),
)


def test_a_lemma_that_was_dropped_comes_back_with_what_it_rests_on() -> None:
    houdini = Houdini(SUMS)
    found = []
    for candidate in (CANDIDATES[2], CANDIDATES[0], CANDIDATES[1]):
        houdini.add({"P": [candidate]})
        while houdini.is_busy:
            houdini.step()
        found.append(houdini.invariants()["P"])
    assert found == [[], [], [CANDIDATES[1], CANDIDATES[0]]]
    assert houdini.excludes_queries()
    houdini.close()


@settings(max_examples=12, deadline=None)
@given(st.permutations(CANDIDATES), st.lists(st.integers(1, 3), min_size=8, max_size=8))
def test_it_does_not_matter_when_candidates_come(order: list[Term], sizes: list[int]) -> None:
    houdini, rest = Houdini(SUMS), list(order)
    for size in sizes:
        batch, rest = rest[:size], rest[size:]
        houdini.add({"P": batch})
        while houdini.is_busy:
            houdini.step()
    at_once = inductive(SUMS, {"P": CANDIDATES}, cost_limit=10**8, halt=threading.Event())
    assert at_once is not None
    assert set(houdini.invariants()["P"]) == set(at_once["P"])
    assert len(at_once["P"]) == 4
    houdini.close()


def test_lemmas_of_two_workers_are_a_proof_together() -> None:
    sieve = Sieve(SUMS)
    sieve.add([Lemma("P", 4, "(>= a1 0)"), Lemma("P", 2, "(<= a0 2)")])
    sieve.add([Lemma("P", 3, "(no lemma"), Lemma("Q", 3, "true")])
    sieve.work(10**6)
    assert (sieve.proof, sieve.news()) == (None, [])
    sieve.add([Lemma("P", INVARIANT, "(>= a0 0)")])
    sieve.work(10**6)
    assert sieve.news() == [Lemma("P", INVARIANT, "(>= a1 0)")], "the other one is known"
    assert sieve.proof is not None
    assert check_interpretation(SUMS, sieve.proof.interpretation).holds
    sieve.close()
    assert sieve.cost() > 0


def test_what_excludes_no_query_is_no_proof() -> None:
    unsafe = replace(SUMS, clauses=(*SUMS.clauses, Clause(None, (Atom("P", (X, Y)),), t.lt(integer(9), Y))))
    sieve = Sieve(unsafe)
    texts = ["(>= a0 0)", "(>= a1 0)", "(<= a1 9)", "false"]
    sieve.add(Lemma("P", level, text) for level, text in enumerate(texts, start=1))
    sieve.work(10**7)
    assert sieve.proof is None
    assert [lemma.text for lemma in sieve.news()] == ["(>= a0 0)", "(>= a1 0)"]
    sieve.close()
