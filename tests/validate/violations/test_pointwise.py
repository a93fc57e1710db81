"""Paths with memory that is copied or filled: values are found at once, and nothing is confirmed that can't happen."""

from __future__ import annotations

import pytest

from cleave.frontends.boogie import read_boogie
from cleave.ir.path import Enter, Visit
from cleave.logic import terms as t
from cleave.logic.sorts import INT, array
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.confirmation import Confirmation
from cleave.validate.semantics.evaluate import World
from cleave.validate.violations.confirm import validate_trace
from cleave.validate.violations.pointwise import PointwiseMaps

PRELUDE = """
procedure main(k: int, M: [int]int) {
  var N: [int]int; var P: [int]int;
"""
COPY = """
  assume (forall x: int :: 20 <= x && x < 20 + k ==> N[x] == M[x - 10]);
  assume (forall x: int :: x < 20 || 20 + k <= x ==> N[x] == M[x]);
"""


def judged(statements: str, *, apart: bool) -> Confirmation:
    """``apart``: the assertion is in a block of its own. Only what earlier blocks assume are rules of maps."""
    if apart:
        before, assertion, after = statements.rpartition("assert")
        statements = f"{before} goto check; check: {assertion} {after}"
    program = read_boogie(f"{PRELUDE} {statements} }}", "case.bpl")
    labels = [program.procedures["main"].entry.label, *(["check"] if apart else [])]
    return validate_trace(program, "main", (Enter("main"), *map(Visit, labels)), seconds=10)


@pytest.mark.parametrize(
    "statements",
    [
        f"{COPY} assume k > 1; assume M[10] == 7; assert N[20] != 7;",
        f"{COPY} assume k > 1; assume M[k] == 7; assert N[k + 10] != 7 || N[9] != M[9] || N[50] != M[50];",
        f"{COPY} assume k > 1; N[20] := 8; assert N[20] != 8 || N[21] != M[11];",
        f"{COPY} {COPY.replace('N', 'P').replace('M', 'N')} assume k > 15; assert P[30] != M[10];",
        "assume (forall x: int :: N[x] == k); assert N[3] + N[k] != 14;",
        "assume (forall x: int :: {N[x]} x == k || N[x] == M[x]); assert N[k] == M[k];",
        "assume (exists y: int :: (forall x: int :: N[x] == y)); assert N[3] != 7;",
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_a_violation_after_copying_is_confirmed(statements: str, apart: bool) -> None:
    found = judged(statements, apart=apart)
    assert found.holds, found


@pytest.mark.parametrize(
    "statements",
    [
        f"{COPY} assume k > 1; assume M[10] == 7; assert N[20] == 7;",
        f"{COPY} assume k > 1; assert N[10] == M[10];",
        f"{COPY} {COPY.replace('N', 'P').replace('M', 'N')} assume k > 15; assert P[30] == M[10];",
        # Two rules that contradict each other at a place which is never read.
        "assume (forall x: int :: x == k + 77 ==> N[x] == 1); assume (forall x: int :: x == k + 77 ==> N[x] == 2); "
        "assert false;",
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_what_copying_rules_out_is_not_confirmed(statements: str, apart: bool) -> None:
    found = judged(statements, apart=apart)
    assert not found.holds, found


# --- rules ----------------------------------------------------------------------------------------------------------

I, K = t.var("i", INT), t.var("k", INT)  # noqa: E741
M, N = (t.var(name, array(INT, INT)) for name in "MN")
BELOW = t.forall((I,), t.implies(t.lt(I, K), t.eq(t.select(N, I), t.select(M, I))))
ABOVE = t.forall((I,), t.implies(t.le(K, I), t.eq(t.select(N, I), t.integer(9))))
CHOICES = (K, M, N)


def test_maps_have_the_values_of_their_rules_also_where_nothing_reads_them() -> None:
    maps = PointwiseMaps([BELOW, ABOVE, t.lt(K, t.integer(50))], CHOICES)
    assert maps.replaced == {BELOW, ABOVE}
    solver = Z3Solver(profile=DEFAULT)
    for term in (t.eq(K, t.integer(5)), t.eq(t.select(M, t.integer(3)), t.integer(7))):
        solver.add(term)
    assert solver.check() is Answer.SAT
    found = maps.values(solver.model(), CHOICES, World())
    (copied, filled) = (found[N][index] for index in (3, 1000))  # type: ignore[index]
    assert (copied, filled) == (7, 9)


def test_rules_are_instantiated_where_the_path_reads_and_where_the_instances_do() -> None:
    maps = PointwiseMaps([BELOW, t.forall((I,), t.eq(t.select(M, I), K))], CHOICES)
    at_three = t.integer(3)
    assert set(maps.instances([t.lt(t.select(N, at_three), K)])) == {
        t.implies(t.lt(at_three, K), t.eq(t.select(N, at_three), t.select(M, at_three))),
        t.eq(t.select(M, at_three), K),
    }
    assert maps.instances([t.lt(K, K)]) == []


@pytest.mark.parametrize(
    "condition",
    [
        t.forall((I,), t.eq(t.select(N, I), t.select(N, t.add(I, K)))),  # by itself
        t.forall((I,), t.eq(t.select(N, t.add(I, K)), K)),  # at an index that is not the variable
        t.forall((I, K), t.eq(t.select(N, I), K)),
        t.exists((I,), t.eq(t.select(N, I), K)),
        t.forall((I,), t.lt(t.select(N, I), K)),
    ],
    ids=repr,
)
def test_what_is_no_rule_is_left_to_the_solver(condition: t.Term) -> None:
    maps = PointwiseMaps([condition], CHOICES)
    assert (maps.replaced, maps.rules) == (set(), {})


def test_a_map_is_defined_by_those_that_were_chosen_before_it() -> None:
    condition = t.forall((I,), t.eq(t.select(M, I), t.select(N, I)))
    assert PointwiseMaps([condition], (M, N)).rules.keys() == {N}
    assert PointwiseMaps([condition], (N, M)).rules.keys() == {M}
    assert PointwiseMaps([condition], ()).rules == {}


def test_rules_that_contradict_each_other_are_left_to_the_solver() -> None:
    other = t.forall((I,), t.implies(t.lt(K, I), t.eq(t.select(N, I), t.integer(8))))
    assert PointwiseMaps([ABOVE, other], CHOICES).replaced == {ABOVE}
