"""Unfolded call graphs: sharing is consistent and complete by the DAG paper's definitions, and sizes are as counted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.inline.complete import best, complete, follow, tree_size
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import Choose, Merging, at_random, first, largest, never, strategy
from cleave.engines.inline.unfolding import Instance, Unfolding
from cleave.ir.program import Call, Program
from cleave.ir.reader import read_program
from cleave.passes.prepare import Prepared, prepare
from support.programs import HIERARCHICAL, LayeredMaker, ProgramMaker

SEEDS = st.integers(0, 2**32 - 1)
CHOICES = [never, first, largest, at_random(1, 0.1), at_random(2, 0.0)]

# A configuration: the point in the procedure on top, then the points to which the others return.
Point = tuple[str, str, int]  # procedure, block, calls of the block already made
Configuration = tuple[Point, ...]


def unbounded(_: str) -> int:
    return 10**6


def conditions_of(prepared: Prepared) -> Conditions:
    """With a call site for every call."""
    return Conditions(prepared.program, expand_straight=False)


# --- Definition 2, word by word -------------------------------------------------------------------------------------


def steps(program: Program, configuration: Configuration) -> Iterator[Configuration]:
    (name, label, made), rest = configuration[0], configuration[1:]
    block = program.procedures[name].blocks[label]
    calls = [s.procedure for s in block.statements if isinstance(s, Call)]
    if made < len(calls):
        callee = program.procedures[calls[made]]
        yield ((callee.name, callee.entry.label, 0), (name, label, made + 1), *rest)
    elif block.successors:
        yield from (((name, successor, 0), *rest) for successor in block.successors)
    elif rest:
        yield rest


def reached(program: Program, start: Configuration) -> set[Configuration]:
    found, pending = {start}, [start]
    while pending:
        for configuration in steps(program, pending.pop()):
            if configuration not in found:
                found.add(configuration)
                pending.append(configuration)
    return found


def configurations(program: Program, instance: Instance) -> list[Configuration]:
    """All dynamic instances that ``instance`` stands for."""
    procedure = program.procedures[instance.condition.procedure]
    here: Point = (procedure.name, procedure.entry.label, 0)
    if not instance.callers:
        return [(here,)]
    found = []
    for caller, index in instance.callers:
        block = caller.condition.calls[index].block
        place = caller.condition.calls_of_block[block].index(index)
        back: Point = (caller.condition.procedure, block, place + 1)
        found += [(here, back, *above[1:]) for above in configurations(program, caller)]
    return found


def is_consistent(program: Program, instances: list[Instance]) -> bool:
    for instance in instances:
        stands_for = configurations(program, instance)
        assert len(set(stands_for)) == len(stands_for)
        for one, other in combinations(stands_for, 2):
            if other in reached(program, one) or one in reached(program, other):
                return False
    return True


@settings(max_examples=25, deadline=None, database=None)
@given(SEEDS, st.booleans())
def test_complete_unfoldings_are_consistent(number: int, layered: bool) -> None:
    maker = LayeredMaker(random.Random(number), 2) if layered else ProgramMaker(random.Random(number), HIERARCHICAL)
    prepared = prepare(maker.program(), ("main",))
    conditions = conditions_of(prepared)
    if tree_size(conditions, prepared.entry, unbounded) > 60:
        return
    unfoldings = [complete(conditions, prepared.entry, unbounded, choose) for choose in CHOICES]
    unfoldings.append(best(conditions, prepared.entry, unbounded))
    for unfolding in unfoldings:
        assert is_consistent(prepared.program, unfolding.instances)


@settings(max_examples=25, deadline=None, database=None)
@given(SEEDS)
def test_a_call_may_share_exactly_the_instances_that_keep_the_dag_consistent(number: int) -> None:
    pick = random.Random(number)
    prepared = prepare(LayeredMaker(pick, 2).program(), ("main",))
    unfolding = Unfolding(conditions_of(prepared), prepared.entry)
    pending = unfolding.open_calls(unfolding.root)
    while pending and len(unfolding.instances) < 25:
        call = pending.pop(pick.randrange(len(pending)))
        allowed = list(unfolding.compatible(call))
        for candidate in (one for one in unfolding.instances if one.key == call.key):
            candidate.callers.append((call.caller, call.site.index))
            consistent = is_consistent(prepared.program, unfolding.instances)
            candidate.callers.pop()
            assert consistent == (candidate in allowed)
        if allowed and pick.random() < 0.7:
            unfolding.merge(call, pick.choice(allowed))
        else:
            pending += unfolding.open_calls(unfolding.inline(call))


def test_the_brute_force_itself_refuses_two_calls_on_one_path() -> None:
    prepared = entry_calling("b: call f; goto c", "c: call f; return")
    unfolding = Unfolding(conditions_of(prepared), prepared.entry)
    one, other = unfolding.open_calls(unfolding.root)
    shared = unfolding.inline(one)
    assert list(unfolding.compatible(other)) == []
    unfolding.merge(other, shared)
    assert not is_consistent(prepared.program, unfolding.instances)


# --- hand-made call graphs ------------------------------------------------------------------------------------------


def entry_calling(*blocks: str, rest: str = "") -> Prepared:
    """``main`` with blocks such as ``b: call f; call g; goto c, d``, and leaves f and g."""
    lines = []
    for block in blocks:
        label, _, body = block.partition(": ")
        lines.append(f"  {label}:")
        lines += [f"    {part}() -> ()" if "call" in part else f"    {part}" for part in body.split("; ")]
    leaves = "".join(f"proc {name}() -> () {{\n  b:\n    return\n}}\n" for name in ("f", "g"))
    text = "property end-reachable\nproc main() -> () {\n" + "\n".join(lines) + "\n}\n" + leaves + rest
    return prepare(read_program(text), ("main",))


FIGURE_5 = (
    "s: goto a, b",
    "a: call f; goto c, d",
    "b: call f; goto d",
    "c: call f; goto z",
    "d: call f; goto z",
    "z: return",
)


def test_figure_5_merging_a_with_b_and_c_with_d_is_best() -> None:
    prepared = entry_calling(*FIGURE_5)
    conditions = conditions_of(prepared)
    assert tree_size(conditions, "main", unbounded) == 5
    assert len(best(conditions, "main", unbounded).instances) == 3

    unfolding = Unfolding(conditions, "main")
    calls = {call.site.block: call for call in unfolding.open_calls(unfolding.root)}
    shared = unfolding.inline(calls["b"])
    assert list(unfolding.compatible(calls["a"])) == list(unfolding.compatible(calls["c"])) == [shared]
    assert list(unfolding.compatible(calls["d"])) == []
    unfolding.merge(calls["c"], shared)
    assert list(unfolding.compatible(calls["a"])) == []
    other = unfolding.inline(calls["a"])
    assert list(unfolding.compatible(calls["d"])) == []
    unfolding.inline(calls["d"])
    assert len(unfolding.instances) == 4, "merging b with c leaves nothing else to merge"
    assert unfolding.forbidden(calls["d"]) == shared.below | other.below


def test_descendants_decide_too() -> None:
    """f and g differ, but both call h: the calls of h below calls on one path must not share."""
    rest = "".join(f"proc {n}2() -> () {{\n  b:\n    call h() -> ()\n    return\n}}\n" for n in ("f", "g"))
    rest += "proc h() -> () {\n  b:\n    return\n}\n"
    apart = entry_calling("b: goto c, d", "c: call f2; return", "d: call g2; return", rest=rest)
    together = entry_calling("b: goto c", "c: call f2; call g2; return", rest=rest)
    for prepared, size in ((apart, 4), (together, 5)):
        unfolding = complete(conditions_of(prepared), "main", unbounded, first)
        assert len(unfolding.instances) == size
        assert unfolding.merges == 5 - size


def test_strategies_choose_by_age_and_by_descendants() -> None:
    """Two instances of f2 fit the last call; the younger one has its callee inlined."""
    rest = "proc f2() -> () {\n  b:\n    call f() -> ()\n    return\n}\n"
    blocks = ("s: goto a, b, c", "a: call f2; return", "b: call f2; return", "c: call f2; return")
    prepared = entry_calling(*blocks, rest=rest)
    unfolding = Unfolding(conditions_of(prepared), "main")
    calls = {call.site.block: call for call in unfolding.open_calls(unfolding.root)}
    older, younger = unfolding.inline(calls["a"]), unfolding.inline(calls["b"])
    unfolding.inline(unfolding.open_calls(younger)[0])
    assert list(unfolding.compatible(calls["c"])) == [older, younger]
    assert first(unfolding, calls["c"]) is older
    assert largest(unfolding, calls["c"]) is younger
    assert never(unfolding, calls["c"]) is None
    assert at_random(3, 1.0)(unfolding, calls["c"]) is None
    picked = {found.number for seed in range(20) if (found := at_random(seed, 0.0)(unfolding, calls["c"]))}
    assert picked == {older.number, younger.number}


def test_opt_needs_the_complete_unfolding() -> None:
    with pytest.raises(ValueError, match="opt"):
        strategy(Merging.OPT, 0)


def test_following_a_complete_unfolding_rebuilds_it() -> None:
    prepared = entry_calling(*FIGURE_5)
    target = best(conditions_of(prepared), "main", unbounded)
    built = complete(conditions_of(prepared), "main", unbounded, follow(target))
    assert len(built.instances) == len(target.instances)


LINK = """\
proc p{i}() -> () {{
  b:
    goto t, u
  t:
    call p{next}() -> ()
    return
  u:
    call p{next}() -> ()
    return
}}
"""


def chain(length: int) -> Program:
    links = "".join(LINK.format(i=i, next=i + 1) for i in range(length))
    return read_program(f"property end-reachable\n{links}proc p{length}() -> () {{\n  b:\n    return\n}}\n")


@pytest.mark.parametrize("choose", [first, largest, at_random(0, 0.0)], ids=["first", "maxc", "randompick"])
def test_a_chain_has_a_node_per_procedure_as_a_dag_and_two_to_the_power_as_a_tree(choose: Choose) -> None:
    conditions = Conditions(chain(60), expand_straight=False)
    assert tree_size(conditions, "p0", unbounded) == 2**61 - 1
    assert len(complete(conditions, "p0", unbounded, choose).instances) == 61
    assert len(best(conditions, "p0", unbounded).instances) == 61


RECURSIVE = """\
property end-reachable
proc main() -> () {
  b:
    call f() -> ()
    return
}
proc f() -> () [extra_recursion 1] {
  b:
    goto t, z
  t:
    call f() -> ()
    call f() -> ()
    return
  z:
    return
}
"""


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_recursion_unfolds_to_the_bound_and_what_a_procedure_adds_to_it(bound: int) -> None:
    program = read_program(RECURSIVE)
    conditions = Conditions(program, expand_straight=False)

    def limit(name: str) -> int:
        return bound + program.procedures[name].extra_recursion

    # Two calls on one path share nothing: a binary tree of f of height bound + 1, and main.
    size = 2 ** (bound + 1)
    assert tree_size(conditions, "main", limit) == size
    assert len(complete(conditions, "main", limit, first).instances) == size
    assert len(complete(conditions, "main", limit, never).instances) == size
    assert len(best(conditions, "main", limit).instances) == size
