"""Partitions of Horn queries: that they cover the queries, and that their invariants join to one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cleave.errors import InternalError
from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Predicate, Relation
from cleave.ir.horn_partition import Partition, resolve, rules_for, split, whole
from cleave.logic import terms as t
from cleave.logic.binding import fresh_variables, own_binders
from cleave.logic.sorts import INT
from cleave.logic.terms import Op, Term
from cleave.logic.walk import free_variables, has_quantifier
from cleave.smt.solver import Answer
from cleave.validate.clauses.combine import check_partitions, combine
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation, violation
from cleave.validate.clauses.resolvents import covered, resolved
from support.small_horn import ARITIES, VALUES, VARIABLES, derivation, instances, interpretation, satisfies, systems

X, Y, P, Q = (t.var(name, INT) for name in "xypq")


def number(value: int) -> Term:
    return t.integer(value)


COUNTER = HornSystem(
    predicates={"Inv": Predicate("Inv", (INT,))},
    clauses=(
        Clause(Atom("Inv", (X,)), (), t.eq(X, number(0))),
        Clause(Atom("Inv", (t.add(X, number(2)),)), (Atom("Inv", (X,)),), t.TRUE),
        Clause(Atom("Inv", (t.add(X, number(4)),)), (Atom("Inv", (X,)),), t.TRUE),
        Clause(None, (Atom("Inv", (Y,)),), t.eq(Y, number(7))),
    ),
)
EVEN: Interpretation = {"Inv": Relation((P,), t.eq(t.mod(P, number(2)), number(0)))}
ROOT = Partition(3)


@pytest.fixture(scope="module")
def solvers() -> Iterator[InTurn]:
    with InTurn() as found:
        yield found


def test_a_split_has_one_partition_for_each_rule() -> None:
    assert whole(COUNTER) == (ROOT,)
    assert rules_for(COUNTER, "Inv") == (0, 1, 2)
    assert split(COUNTER, ROOT, 0) == tuple(ROOT.child(0, rule) for rule in (0, 1, 2))
    assert str(ROOT.child(0, 2)) == "query 3, atom 0 by clause 2"


def test_a_resolvent_renames_the_rule() -> None:
    assert resolve(COUNTER, ROOT) == COUNTER.clauses[3]
    first = resolve(COUNTER, ROOT.child(0, 1))
    assert [repr(argument) for argument in first.body[0].arguments] == ["x!1"]
    assert repr(first.constraint) == "(and (= y 7) (= y (+ x!1 2)))"
    second = resolve(COUNTER, ROOT.child(0, 1).child(0, 2))
    assert repr(second.constraint) == "(and (= y 7) (= y (+ x!1 2)) (= x!1 (+ x!2 4)))"
    with pytest.raises(InternalError):
        resolve(COUNTER, Partition(0))


def test_names_that_look_renamed_are_left_apart() -> None:
    odd = t.var("x!1", INT)
    clauses = (*COUNTER.clauses[:3], Clause(None, (Atom("Inv", (odd,)),), t.eq(odd, number(7))))
    found = resolve(HornSystem(predicates=COUNTER.predicates, clauses=clauses), ROOT.child(0, 1))
    assert len(free_variables(found.constraint)) == 2


def test_a_rule_that_binds_a_variable_of_the_query() -> None:
    rule = Clause(Atom("Inv", (X,)), (), t.forall((Y,), t.implies(t.lt(number(0), Y), t.lt(X, Y))))
    clauses = (rule, Clause(None, (Atom("Inv", (Y,)),), t.lt(number(0), Y)))
    system = HornSystem(predicates=COUNTER.predicates, clauses=clauses)
    with InTurn() as solvers:
        for found in (resolve, resolved):
            assert solvers.decide(found(system, Partition(1).child(0, 0)).constraint).answer is Answer.UNSAT


def leaves() -> dict[Partition, Interpretation]:
    """The third rule's partition is split once more."""
    first, second, third = split(COUNTER, ROOT, 0)
    return dict.fromkeys((first, second, *split(COUNTER, third, 0)), EVEN)


def test_all_leaves_cover_the_query(solvers: InTurn) -> None:
    assert covered(COUNTER, leaves(), solvers=solvers).holds
    assert covered(COUNTER, [ROOT], solvers=solvers).holds
    assert covered(COUNTER, [ROOT, *leaves()], solvers=solvers).holds


def test_a_leaf_that_is_missing_is_found(solvers: InTurn) -> None:
    for missing in leaves():
        found = covered(COUNTER, leaves().keys() - {missing}, solvers=solvers)
        if missing.path[-1][1] == 0:  # by the rule of zero there is no seven
            assert found.holds
        else:
            assert found.text == f"{missing} is missing, and has solutions"


def test_a_leaf_whose_solutions_are_not_known_is_missing() -> None:
    """Whoever is stopped has not shown that nothing is left out."""
    for missing in leaves():
        with InTurn() as stopped:
            stopped.interrupt()
            found = covered(COUNTER, leaves().keys() - {missing}, solvers=stopped)
        assert found.text == f"{missing} is missing, and whether it has solutions could not be decided (interrupted)"


def test_nothing_closed_covers_nothing(solvers: InTurn) -> None:
    assert covered(COUNTER, [], solvers=solvers).text == "query 3 is missing, and has solutions"


@pytest.mark.parametrize(
    "wrong",
    [
        Partition(0),
        Partition(9),
        Partition(-1),
        ROOT.child(1, 1),
        ROOT.child(-1, 1),
        ROOT.child(0, 3),
        ROOT.child(0, 9),
    ],
    ids=str,
)
def test_partitions_that_do_not_exist_are_rejected(solvers: InTurn, wrong: Partition) -> None:
    assert not covered(COUNTER, [ROOT, wrong], solvers=solvers).holds
    assert not check_partitions(COUNTER, {ROOT: EVEN, wrong: EVEN}, solvers=solvers).holds


def test_invariants_of_partitions_join(solvers: InTurn) -> None:
    found = check_partitions(COUNTER, leaves(), solvers=solvers)
    assert found.holds
    assert found.interpretation is not None
    assert check_interpretation(COUNTER, found.interpretation, solvers=solvers).holds


def test_what_one_step_excludes_is_joined_without_quantifiers(solvers: InTurn) -> None:
    """Each partition's own invariant is too weak for the query."""
    limit = Clause(Atom("Inv", (t.add(X, number(1)),)), (Atom("Inv", (X,)),), t.lt(X, number(5)))
    query = Clause(None, (Atom("Inv", (Y,)),), t.conj(t.eq(Y, t.add(X, number(1))), t.lt(number(8), X)))
    system = HornSystem(predicates=COUNTER.predicates, clauses=(COUNTER.clauses[0], limit, query))
    closed: dict[Partition, Interpretation] = {part: {} for part in split(system, Partition(2), 0)}
    joined = combine(system, closed)
    assert not has_quantifier(joined["Inv"].formula)
    found = check_partitions(system, closed, solvers=solvers)
    assert found.holds
    assert found.interpretation is not None


def test_a_query_with_other_atoms_and_variables(solvers: InTurn) -> None:
    """What is added to the relation of the split atom needs a quantifier."""
    query = Clause(None, (Atom("Inv", (X,)), Atom("Inv", (Y,))), t.eq(t.add(X, t.mul(Y, number(3))), number(7)))
    system = HornSystem(predicates=COUNTER.predicates, clauses=(*COUNTER.clauses[:3], query))
    closed: dict[Partition, Interpretation] = dict.fromkeys(split(system, ROOT, 1), EVEN)
    found = check_partitions(system, closed, solvers=solvers)
    assert found.holds
    closed.pop(ROOT.child(1, 2))
    weak: dict[Partition, Interpretation] = {part: {} for part in closed}
    assert not check_partitions(system, weak, solvers=solvers).holds


def test_a_wrong_invariant_of_one_partition_is_rejected(solvers: InTurn) -> None:
    for place in leaves():
        if place.path[-1][1] == 0:
            continue  # needs none
        alone: dict[Partition, Interpretation] = {leaf: EVEN if leaf == place else {} for leaf in leaves()}
        found = check_partitions(COUNTER, {**alone, place: {}}, solvers=solvers)
        assert not found.holds
        wrong: Interpretation = {"Inv": Relation((Q,), t.lt(Q, number(6)))}
        assert not check_partitions(COUNTER, {**alone, place: wrong}, solvers=solvers).holds


def test_fallback_one_by_one(solvers: InTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cleave.validate.clauses.combine.combine", lambda system, closed: {})  # what can't be confirmed
    found = check_partitions(COUNTER, leaves(), solvers=solvers)
    assert found.holds
    assert str(found) == "5 invariants checked clause by clause by cvc5, and that they cover all queries"
    assert found.interpretation is None
    few = leaves()
    few.pop(ROOT.child(0, 1))
    rejected = check_partitions(COUNTER, few, solvers=solvers)
    assert not rejected.holds
    assert "do not cover the queries: query 3, atom 0 by clause 1 is missing" in rejected.text


# --- random systems -------------------------------------------------------------------------------------------------

SHARED = InTurn()


def cut(data: st.DataObject, system: HornSystem) -> list[Partition]:
    """The leaves of a random tree of splits."""
    found = list(whole(system))
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(found) - 1)) if found else 0
        body = resolve(system, found[place]).body if found else ()
        if body and len(found[place].path) < 3:
            atom = data.draw(st.integers(0, len(body) - 1))
            found[place : place + 1] = split(system, found[place], atom) or [
                found[place]
            ]  # one of no parts is no split
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_both_resolutions_mean_the_same(system: HornSystem, data: st.DataObject) -> None:
    leaves = cut(data, system)
    assume(leaves)
    leaf = data.draw(st.sampled_from(leaves))
    one, other = resolve(system, leaf), resolved(system, leaf)
    assert [atom.predicate for atom in one.body] == [atom.predicate for atom in other.body]
    values = [t.var(f"value {place}", a.sort) for place, a in enumerate(a for atom in one.body for a in atom.arguments)]

    fresh = fresh_variables(set())

    def facts(query: Clause) -> Term:
        """The facts that the query takes, as values of variables; the query's own are bound."""
        given = [argument for atom in query.body for argument in atom.arguments]
        constraint = own_binders(query.constraint, fresh)
        body = t.conj_all([constraint, *(t.eq(*pair) for pair in zip(values, given, strict=True))])
        return t.exists(tuple(sorted(free_variables(body) - set(values), key=str)), body)

    assert SHARED.decide(t.neg(t.eq(facts(one), facts(other)))).answer is Answer.UNSAT


def truly_covered(system: HornSystem, leaves: list[Partition], facts: dict[str, frozenset[tuple[int, ...]]]) -> bool:
    """Whether each violation of a query by derivable facts is one of a leaf."""
    return all(satisfies(clause, facts) for clause in system.queries()) or any(
        SHARED.decide(violation(resolved(system, leaf), interpretation(facts))).answer is Answer.SAT for leaf in leaves
    )


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_a_whole_tree_covers_and_decides_safety(system: HornSystem, data: st.DataObject) -> None:
    least, wrong = derivation(system)
    leaves = cut(data, system)
    assert covered(system, leaves, solvers=SHARED).holds
    found = check_partitions(system, dict.fromkeys(leaves, interpretation(least)), solvers=SHARED)
    assert found.holds == (wrong is None), found


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_a_tree_with_holes_or_wrong_relations_never_proves_what_is_unsafe(
    system: HornSystem, data: st.DataObject
) -> None:
    least, wrong = derivation(system)
    leaves = [leaf for leaf in cut(data, system) if data.draw(st.integers(0, 3))]
    closed = {}
    for leaf in leaves:
        facts = {}
        for name, arity in ARITIES.items():
            fact = st.tuples(*[st.sampled_from(VALUES)] * arity)
            facts[name] = least[name] | data.draw(st.frozensets(fact, max_size=2))
        closed[leaf] = interpretation(facts, quantified=data.draw(st.booleans()))
    if check_partitions(system, closed, solvers=SHARED).holds:
        assert wrong is None
    if covered(system, leaves, solvers=SHARED).holds:
        assert truly_covered(system, leaves, least)


def test_instances_are_those_of_the_constraint() -> None:
    """The oracle itself, on one clause: two of four values are below two."""
    x = VARIABLES[0]
    clause = Clause(Atom("P", (x,)), (), t.bv_compare(Op.BV_ULT, x, t.bv(2, 2)))
    assert {head for head, _ in instances(clause)} == {("P", (0,)), ("P", (1,))}
