"""Which instance a search is split on, and after how much work."""

from __future__ import annotations

import random

import pytest

from cleave.engines.inline.alone import make_search
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.options import USUAL, InlineOptions, Splits
from cleave.engines.inline.partition import Decision
from cleave.engines.inline.splitting import split_candidates
from cleave.engines.inline.stratified import Search
from cleave.ir.reader import read_program
from cleave.passes.prepare import prepare
from cleave.smt.z3.solver import Z3Solver

# The instances of the whole unfolding: main is 0, and each procedure is called once. pick passes one of left and right.
BRANCHES = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    call pick() -> ()
    call last() -> ()
    assert (< g 9)
    return
}
proc pick() -> () {
  b:
    goto l, r
  l:
    call left() -> ()
    return
  r:
    call right() -> ()
    return
}
proc left() -> () {
  b:
    call deep() -> ()
    goto t, u
  t:
    g := (+ g 1)
    return
  u:
    return
}
proc deep() -> () {
  b:
    goto t, u
  t:
    g := (+ g 1)
    return
  u:
    return
}
proc right() -> () {
  b:
    goto t, u
  t:
    g := (+ g 2)
    return
  u:
    return
}
proc last() -> () {
  b:
    goto t, u
  t:
    g := (+ g 3)
    return
  u:
    return
}
"""


def unfolded() -> tuple[Search, dict[str, int]]:
    """A search that has inlined everything, and the numbers of its instances. Of five calls in the core, three are in
    ``pick`` and below, two in ``last``."""
    prepared = prepare(read_program(BRANCHES), ("main",))
    search = make_search(prepared, Conditions(prepared.program), InlineOptions(bounds=(1,)), Z3Solver())
    search.slice_cost = 10**9  # as in a run that may be split
    for _ in search.run([1]):
        pass
    instances = search.unfolding.instances
    numbers = {instance.condition.procedure: instance.number for instance in instances}
    assert len(numbers) == len(instances) == 6
    core = ("left", "deep", "right", "last", "last")
    search.relevant = [instances[numbers[name]] for name in core]
    return search, numbers


def ranked(
    search: Search, numbers: dict[str, int], splits: Splits = Splits.PROOF, workers: int = USUAL.paths_from
) -> list[str]:
    names = {number: name for name, number in numbers.items()}
    return [names[i.number] for i in split_candidates(search, InlineOptions(splits=splits), workers, random.Random(1))]


def passing(numbers: dict[str, int], *names: str) -> int:
    return sum(1 << numbers[name] for name in ("main", *names))


def test_a_search_notes_what_its_paths_passed() -> None:
    search, numbers = unfolded()
    assert search.paths
    assert all(path & 1 << numbers["main"] for path in search.paths), "every path begins there"
    assert search.paths[0] == 1 << numbers["main"], "nothing else was inlined when the first one was found"


def test_what_half_of_the_latest_paths_passed_is_best() -> None:
    search, numbers = unfolded()
    search.paths.clear()
    search.paths.extend(
        [
            passing(numbers, "pick", "left", "deep", "last"),
            passing(numbers, "pick", "left", "last"),
            passing(numbers, "pick", "left", "last"),
            passing(numbers, "pick", "right", "last"),
            passing(numbers, "pick", "right", "deep", "last"),
        ]
    )
    best, *others = ranked(search, numbers)
    assert best == "left", "two or three of five, and its weight is nearer to half than that of right"
    assert ranked(search, numbers, workers=2)[0] in ("pick", "last"), "few workers look at the core alone"
    assert others[-2:] == ["pick", "last"] or others[-2:] == ["last", "pick"], "all paths passed these"


def test_paths_outside_of_the_partition_do_not_count() -> None:
    search, numbers = unfolded()
    search.paths.clear()
    left = passing(numbers, "pick", "left", "last")
    search.paths.extend(
        [left, left, left, passing(numbers, "pick", "right"), passing(numbers, "pick", "right", "last")]
    )
    search.decisions = (Decision(numbers["left"], False),)
    assert ranked(search, numbers)[0] == "last", "one of the two paths that avoid left passed it"


def test_without_paths_the_core_decides() -> None:
    search, numbers = unfolded()
    search.paths.clear()
    assert ranked(search, numbers)[0] in ("pick", "last"), "three and two calls of five"
    assert ranked(search, numbers, Splits.PAPER)[0] == "pick", "most calls of the core"
    assert sorted(ranked(search, numbers, Splits.RANDOM)) == ["deep", "last", "left", "pick", "right"]


def test_nothing_is_proposed_before_anything_was_refuted() -> None:
    search, numbers = unfolded()
    search.relevant = None
    assert ranked(search, numbers) == []


@pytest.mark.parametrize(("workers", "cost"), [(2, 15_000), (4, 15_000), (8, 7_500), (32, 1_875)])
def test_the_more_workers_the_sooner_a_partition_is_split(workers: int, cost: int) -> None:
    assert InlineOptions().cost_of_moving(workers) == cost
    assert InlineOptions(moving_cost=0).cost_of_moving(workers) == 0
