"""The DAG paper's Figure 2: a chain of procedures, each with two ways to the next.

With a DAG, instances and solver cost grow linearly; with a tree, exponentially.
"""

from __future__ import annotations

import pytest

from cleave.engines.findings import Proof, Violation
from cleave.engines.inline.merging import Merging
from cleave.ir.reader import read_program
from cleave.passes.prepare import Prepared, prepare
from support.engine_runs import solve_and_count

DAGS = [merging for merging in Merging if merging is not Merging.TREE]
DIRECT = """\
proc P{i}() -> () {{
  b:
    goto t, u
  t:
    g := (+ g 1)
    call P{next}() -> ()
    return
  u:
    g := (+ g 1)
    call P{next}() -> ()
    return
}}
"""
THROUGH_OTHERS = """\
proc P{i}() -> () {{
  b:
    goto t, u
  t:
    call bar{i}() -> ()
    return
  u:
    call baz{i}() -> ()
    return
}}
proc bar{i}() -> () {{
  b:
    g := (+ g 1)
    call P{next}() -> ()
    return
}}
proc baz{i}() -> () {{
  b:
    g := (+ g 1)
    call P{next}() -> ()
    return
}}
"""
ENDS = """\
var g: Int
proc main() -> () {{
  b:
    g := 0
    call P0() -> ()
    return
}}
proc P{length}() -> () {{
  b:
    assert (= g {last})
    return
}}
"""


def chain(length: int, link: str = DIRECT, last: int | None = None) -> Prepared:
    """``last`` is what P_N asserts of g; the truth is ``length``."""
    ends = ENDS.format(length=length, last=length if last is None else last)
    links = "".join(link.format(i=i, next=i + 1) for i in range(length))
    return prepare(read_program(ends + links), ("main",))


@pytest.mark.parametrize("merging", DAGS)
@pytest.mark.parametrize(("link", "each"), [(DIRECT, 1), (THROUGH_OTHERS, 3)], ids=["direct", "through others"])
def test_instances_grow_linearly_in_a_dag(merging: Merging, link: str, each: int) -> None:
    sizes = []
    for length in (3, 6, 9):
        finding, counters = solve_and_count(chain(length, link), merging)
        assert isinstance(finding, Proof)
        assert not finding.bounds
        sizes.append(counters["instances"])
    if merging is Merging.RANDOM:  # sometimes refuses to merge
        assert sizes[-1] < 2**9
    else:
        assert sizes[1] - sizes[0] == sizes[2] - sizes[1] == 3 * each


def test_instances_grow_linearly_in_a_long_chain() -> None:
    for length in (20, 40, 60):
        finding, counters = solve_and_count(chain(length))
        assert isinstance(finding, Proof)
        assert counters["instances"] <= length + 3


def test_instances_grow_exponentially_in_a_tree() -> None:
    for length in (2, 4, 6):
        finding, counters = solve_and_count(chain(length), Merging.TREE)
        assert isinstance(finding, Proof)
        assert counters["instances"] >= 2**length


@pytest.mark.parametrize(
    ("link", "length"),
    [
        (DIRECT, 15),
        (THROUGH_OTHERS, 3),
    ],
    ids=["direct", "through others"],
)
def test_solver_cost_grows_about_linearly_in_a_dag(link: str, length: int) -> None:
    costs = [solve_and_count(chain(times * length, link))[1]["cost"] for times in (1, 2, 4)]
    assert costs[1] < 3 * costs[0]
    assert costs[2] < 3 * costs[1]


def test_a_wrong_assertion_at_the_end_of_the_chain_is_found() -> None:
    finding, counters = solve_and_count(chain(20, last=19))
    assert isinstance(finding, Violation)
    assert counters["instances"] <= 20 + 3


@pytest.mark.slow
def test_a_chain_of_200() -> None:
    finding, counters = solve_and_count(chain(200))
    assert isinstance(finding, Proof)
    assert counters["instances"] <= 200 + 3


@pytest.mark.slow
def test_a_tree_of_length_8() -> None:
    finding, counters = solve_and_count(chain(8, THROUGH_OTHERS), Merging.TREE)
    assert isinstance(finding, Proof)
    assert counters["instances"] >= 2**8
