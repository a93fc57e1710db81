"""What a worker makes of partitions and of SPACER's answers: divisions, whole derivations, evidence as bytes."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from cleave.engines.pdr.division import leaves
from cleave.engines.pdr.evidence import (
    decode_derivation,
    decode_interpretation,
    encode_derivation,
    encode_interpretation,
)
from cleave.engines.pdr.extension import PartProblem, derivation_of_facts
from cleave.engines.pdr.messages import decode_task, encode
from cleave.engines.pdr.options import PdrOptions
from cleave.engines.pdr.partitioning import Partitioning
from cleave.engines.pdr.spacer.run import STRATEGIES, SafeAnswer, SpacerRun, UnsafeAnswer
from cleave.errors import InputError
from cleave.ir.horn import Derivation, HornSystem, Relation
from cleave.ir.horn_partition import Partition
from cleave.logic.sorts import INT, array
from cleave.logic.terms import TRUE, add, eq, lt, select, store, var
from cleave.validate.clauses.derivation import check_derivation
from support.pdr_desk import Desk
from support.pdr_runs import N, X, atom, counter, modes, pairs, query, random_system, rule, system


def divided(given: HornSystem, partitions: int, levels: int = 4) -> Partitioning:
    made = Partitioning(given, PdrOptions(partitions=partitions, levels=levels), workers=1)
    for _ in made.run():
        pass
    return made


# --- divisions ------------------------------------------------------------------------------------------------------


def test_infeasible_resolvents_are_left_out() -> None:
    made = divided(modes(7), 3, levels=1)
    (division,) = made.divisions
    assert (division.open, division.infeasible) == ((1, 2, 3, 4), (0,))
    assert made.violation is None


def test_what_only_makes_the_same_problem_longer_is_no_division() -> None:
    made = divided(counter(10, eq(X, N(-1))), 4)
    assert made.divisions == []
    assert leaves(made.queries, made.divisions) == [Partition(2)]


def test_a_query_that_a_fact_violates_needs_no_search() -> None:
    given = counter(10, eq(X, N(0)))
    made = divided(given, 2)
    assert made.violation is not None
    assert check_derivation(given, made.violation).holds


def test_it_goes_on_for_several_levels_until_there_are_enough() -> None:
    for wanted in (3, 6, 12):
        made = divided(modes(7), wanted)
        left = leaves(made.queries, made.divisions)
        assert left is not None
        assert len(left) >= wanted
        assert len({len(partition.path) for partition in left}) <= 2, "breadth first"


def test_the_limit_of_levels_is_kept() -> None:
    made = divided(modes(7), 1000, levels=2)
    left = leaves(made.queries, made.divisions)
    assert left is not None
    assert max(len(partition.path) for partition in left) == 2


def test_a_problem_whose_query_no_rule_fits_is_not_divided() -> None:
    given = system(rule(atom("p", X), eq(X, N(0))), query(lt(X, N(0)), atom("p", X)))
    assert divided(given, 4).divisions == []


# --- derivations ----------------------------------------------------------------------------------------------------


def solve(given: HornSystem) -> SafeAnswer | UnsafeAnswer:
    with SpacerRun(given, STRATEGIES[0]) as run:
        while True:
            event = run.resume()
            if isinstance(event, SafeAnswer | UnsafeAnswer):
                return event


@pytest.mark.parametrize("given", [pairs(8), modes(22), counter(9, eq(X, N(7)))], ids=["pairs", "modes", "counter"])
def test_the_derivation_of_a_part_becomes_one_of_the_whole(given: HornSystem) -> None:
    made = divided(given, 6, levels=3)
    found = 0
    for partition in leaves(made.queries, made.divisions) or []:
        part = PartProblem(given, partition)
        answer = solve(part.system)
        if isinstance(answer, UnsafeAnswer):
            assert answer.derivation is not None
            assert check_derivation(part.system, answer.derivation).holds
            assert check_derivation(given, part.derivation(answer.derivation)).holds
            found += 1
    assert found or made.violation is not None


def test_atoms_on_both_sides_of_a_resolved_one_keep_their_places() -> None:
    a, b, c = (atom(name, X) for name in "abc")
    y, z = var("y", INT), var("z", INT)
    given = system(
        *(rule(one, eq(X, N(value))) for one, value in ((a, 1), (b, 2), (c, 3))),
        rule(atom("d", X), eq(X, add(y, z)), atom("c", y), atom("b", z)),
        query(eq(add(X, add(y, z)), N(8)), atom("a", X), atom("d", y), atom("b", z)),
    )
    part = PartProblem(given, Partition(4, ((1, 3),)))
    assert [one.predicate for one in part.system.clauses[-1].body] == ["a", "c", "b", "b"]
    answer = solve(part.system)
    assert isinstance(answer, UnsafeAnswer)
    assert answer.derivation is not None
    assert check_derivation(given, part.derivation(answer.derivation)).holds
    whole = derivation_of_facts(given, Partition(4, ((0, 0), (0, 3), (0, 2), (0, 1), (0, 1))))
    assert check_derivation(given, whole).holds


def test_values_of_arrays() -> None:
    memory = var("m", array(INT, INT))
    given = system(
        rule(atom("p", store(memory, N(3), N(7))), TRUE),
        query(eq(select(memory, N(3)), N(7)), atom("p", memory)),
    )
    made = divided(given, 2)
    assert made.violation is not None
    assert check_derivation(given, made.violation).holds


# --- bytes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_evidence_survives_as_bytes(seed: int) -> None:
    given, unsafe = random_system(random.Random(seed))
    answer = solve(given)
    if isinstance(answer, SafeAnswer):
        assert not unsafe
        assert decode_interpretation(encode_interpretation(answer.interpretation)) == answer.interpretation
    else:
        assert unsafe
        assert answer.derivation is not None
        assert decode_derivation(encode_derivation(answer.derivation)) == answer.derivation


def test_damaged_evidence_is_an_error_of_its_own() -> None:
    good = encode_interpretation({"p": Relation((X,), lt(X, N(3)))})
    steps = encode_derivation(Derivation(derivation_of_facts(counter(9, eq(X, N(0))), Partition(2, ((0, 0),))).steps))
    pick = random.Random(1)
    for data, decode in ((good, decode_interpretation), (steps, decode_derivation)):
        for _ in range(300):
            damaged = bytearray(data)
            damaged[pick.randrange(len(damaged))] = pick.randrange(256)
            cut = bytes(damaged[: pick.randint(1, len(damaged))])
            try:
                decode(cut)
            except InputError:
                continue
    with pytest.raises(InputError):
        decode_interpretation(steps)


def test_a_task_survives_as_bytes() -> None:
    task = Desk(3, strategies=("a", "b")).task
    assert decode_task(encode(task)) == task
    assert task.digest() == decode_task(encode(task)).digest()
    assert task.digest() != replace(task, source=b"another").digest()
    assert task.digest() == replace(task, options=PdrOptions()).digest(), "how it is solved does not matter"
