"""Coverage of split trees: random trees are accepted, and whatever is wrong with one is refused."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cleave.ir.split_tree import Closed, Divided, Record
from cleave.validate.proofs.coverage import covered

A, B, C = b"a" * 8, b"b" * 8, b"c" * 8

WHOLE: tuple[Record, ...] = (
    Divided("", A),
    Closed("1", ((A, True),)),
    Divided("0", B),
    Closed("00", ((A, False), (B, False))),
    Closed("01", ((A, False), (B, True))),
)


@st.composite
def split_runs(draw: st.DrawFn, least_divisions: int = 0) -> list[Record]:
    """A run that covers its search: leaves are divided and closed in any order, each division on another instance."""
    records: list[Record] = []
    leaves: dict[str, tuple[tuple[bytes, bool], ...]] = {"": ()}
    to_divide = draw(st.integers(least_divisions, 12))
    while leaves:
        name = draw(st.sampled_from(sorted(leaves)))
        dividing = to_divide > 0 and (len(leaves) == 1 or draw(st.booleans()))
        decisions = leaves.pop(name)
        if dividing:
            meaning = to_divide.to_bytes(8, "big")
            leaves[name + "0"] = (*decisions, (meaning, False))
            leaves[name + "1"] = (*decisions, (meaning, True))
            to_divide -= 1
        records.append(Divided(name, meaning) if dividing else Closed(name, decisions))
    return records


@given(split_runs())
def test_a_run_that_closed_all_its_leaves_covers_the_search(records: list[Record]) -> None:
    assert covered(records).holds
    assert covered(iter(records)).holds


@given(split_runs(), st.data())
def test_no_record_can_be_left_out(records: list[Record], data: st.DataObject) -> None:
    del records[data.draw(st.integers(0, len(records) - 1))]
    assert not covered(records).holds


@given(split_runs(), st.data())
def test_no_record_can_be_repeated(records: list[Record], data: st.DataObject) -> None:
    record = data.draw(st.sampled_from(records))
    records.insert(data.draw(st.integers(0, len(records))), record)
    assert not covered(records).holds


@given(split_runs(least_divisions=1), st.data())
def test_a_proof_under_other_decisions_closes_nothing(records: list[Record], data: st.DataObject) -> None:
    where = data.draw(st.sampled_from([n for n, record in enumerate(records) if isinstance(record, Closed)]))
    closed = records[where]
    assert isinstance(closed, Closed)
    decisions = list(closed.decisions)
    index = data.draw(st.integers(0, len(decisions) - 1))
    meaning, reach = decisions[index]
    kinds = st.sampled_from(["flip", "change", "leave out", "add"])
    match data.draw(kinds):
        case "flip":
            decisions[index] = (meaning, not reach)
        case "change":
            decisions[index] = (b"changed!", reach)
        case "leave out":
            del decisions[index]
        case _:
            decisions.insert(index, (meaning, reach))
    records[where] = replace(closed, decisions=tuple(decisions))
    assert not covered(records).holds


@given(split_runs(least_divisions=1), st.data())
def test_a_division_on_another_instance_is_noticed(records: list[Record], data: st.DataObject) -> None:
    where = data.draw(st.sampled_from([n for n, record in enumerate(records) if isinstance(record, Divided)]))
    records[where] = Divided(records[where].partition, b"changed!")
    assert not covered(records).holds


@given(split_runs(least_divisions=1), st.data())
def test_the_names_of_two_records_can_not_be_swapped(records: list[Record], data: st.DataObject) -> None:
    places = st.integers(0, len(records) - 1)
    first, second = data.draw(places), data.draw(places)
    assume(records[first].partition != records[second].partition)
    one, other = records[first].partition, records[second].partition
    records[first] = replace(records[first], partition=other)
    records[second] = replace(records[second], partition=one)
    assert not covered(records).holds


@given(split_runs(least_divisions=1), st.data())
def test_a_proof_of_the_whole_search_needs_no_other(records: list[Record], data: st.DataObject) -> None:
    """One worker searches without splitting while others divide: when it is done first, what they left is no matter."""
    prefix = records[: data.draw(st.integers(0, len(records)))]
    assert covered([*prefix, Closed("", ())]).holds


def test_a_search_that_was_never_split_is_covered_by_its_one_proof() -> None:
    assert covered([Closed("", ())]).holds
    assert covered([]).text == "nothing was divided or closed: the whole search is still open"


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (WHOLE[:1], "partition '0' is still open, and 1 more"),
        (WHOLE[:4], "partition '01' is still open"),
        ((*WHOLE, Closed("1", ((A, True),))), "partition '1' was closed after it had been closed"),
        ((*WHOLE[:2], Divided("1", C)), "partition '1' was divided after it had been closed"),
        ((*WHOLE[:3], Divided("0", B)), "partition '0' was divided after it had been divided"),
        ((*WHOLE[:3], Closed("0", ((A, False),))), "partition '0' was closed after it had been divided"),
        ((*WHOLE[:1], Divided("10", C)), "partition '10' was divided, but no division made it"),
        ((*WHOLE[:1], Divided("2", C)), "'2' was divided, which names no partition"),
        ((Divided("", A), Closed("1", ())), "partition '1' was closed under 0 decisions instead of its 1"),
        (
            (*WHOLE[:4], Closed("01", ((A, True), (B, False)))),
            "partition '01' was closed under other decisions than its own: the first that differs is decision 1",
        ),
        (
            (Closed("", ((A, True),)),),
            "the whole search was closed under decisions (1), which prove only a part of it",
        ),
        ((Closed("", ()), Closed("", ())), "the whole search was closed twice"),
        ((Closed("", ()), Divided("", A)), "partition '' was divided after it had been closed"),
    ],
)
def test_says_what_is_missing(records: tuple[Record, ...], expected: str) -> None:
    assert covered(records).text == expected


def test_long_splits_take_linear_time() -> None:
    """Divisions in a row, with names and decisions of half a million characters and pairs each."""
    depth = 1_000
    meanings = [n.to_bytes(8, "big") for n in range(depth)]
    records: list[Record] = []
    avoided: tuple[tuple[bytes, bool], ...] = ()
    for n, meaning in enumerate(meanings):
        records += [Divided("0" * n, meaning), Closed("0" * n + "1", (*avoided, (meaning, True)))]
        avoided = (*avoided, (meaning, False))
    records.append(Closed("0" * depth, avoided))
    started = time.process_time()
    assert covered(records).holds
    assert time.process_time() - started < 2  # takes 0.1 s
