"""What unfolding knows before any schedule is looked at."""

from __future__ import annotations

import pytest

from cleave.engines.threads.encode import encode
from cleave.engines.unfolding.code import Read, Write
from cleave.engines.unfolding.instances import Unfolded, unfold
from cleave.engines.unfolding.simplify import cases, evaluate
from cleave.errors import UnsupportedError
from cleave.ir.reader import read_program
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import FALSE, Op
from cleave.validate.violations.concurrent import replay
from support.concurrent_programs import violating_schedule

POINTERS = """
var top: (_ BitVec 64)
var next: (Array (_ BitVec 64) (_ BitVec 64))
var limit: (_ BitVec 32)
var own: (_ BitVec 32)
proc main() -> () [entry] {
  start:
    top, limit, own := (_ bv0 64), (_ bv7 32), (_ bv0 32)
    next := ((as const (Array (_ BitVec 64) (_ BitVec 64))) (_ bv0 64))
    spawn push((_ bv4096 64)) -> ()
    spawn push((_ bv4112 64)) -> ()
    own := (bvadd own limit)
    return
}
proc push(node: (_ BitVec 64)) -> () {
  local seen: (_ BitVec 64)
  local bound: (_ BitVec 32)
  start:
    bound := limit
    seen := top
    next := (store next (bvadd node (_ bv8 64)) seen)
    top := node
    return
}
"""


def unfolded(text: str, unwind: int = 2) -> Unfolded:
    return unfold(read_program(text), "main", unwind)


def test_only_what_is_shared_is_a_place_to_stop() -> None:
    found = unfolded(POINTERS)
    assert {cell.variable.name for cell in found.shared.cells} == {"top"}
    assert [thread.positions for thread in found.threads] == [1, 3, 3]  # start, read and write of top
    kinds = [type(access) for access in found.threads[1].accesses]
    assert kinds == [Read, Write]


def test_pointers_are_a_choice_among_a_few() -> None:
    found = unfolded(POINTERS)
    (cell,) = found.shared.cells
    assert {value.value for value in found.shared.domains[cell]} == {0, 4096, 4112}
    assert found.shared.sort(cell) is bitvec(2)


def test_counters_have_as_many_values_as_writes() -> None:
    text = """
var x: (_ BitVec 32)
proc main() -> () [entry] {
  start:
    x := (_ bv0 32)
    spawn add() -> ()
    spawn add() -> ()
    assert (bvult x (_ bv3 32))
    return
}
proc add() -> () {
  start:
    x := (bvadd x (_ bv1 32))
    return
}
"""
    found = unfolded(text)
    (cell,) = found.shared.cells
    assert {value.value for value in found.shared.domains[cell]} >= {0, 1, 2}
    assert len(found.shared.domains[cell]) <= 4


def test_what_cannot_happen_is_not_encoded() -> None:
    found = unfolded(POINTERS)
    formula = encode(found, 3)
    assert formula.violation is FALSE
    assert all(done is FALSE for done in formula.done[0][1])  # a thread runs after its parent's context at the soonest
    assert formula.runs[1][0] is FALSE  # nobody runs in two contexts in a row


LOOP = """
var x: (_ BitVec 8)
proc main() -> () [entry] {{
  local k: (_ BitVec 8)
  start:
    k := {start}
    goto loop
  loop:
    goto body, done
  body:
    assume (bvult k #x03)
    k := (bvadd k {step})
    goto loop
  done:
    assume (not (bvult k #x03))
    return
}}
"""


def test_loops_are_cut_only_where_they_can_go_on() -> None:
    text = LOOP.format(start="(ite (= x #x00) #x00 #x01)", step="#x01")
    assert unfolded(text, 2).is_cut
    assert not unfolded(text, 3).is_cut


def test_iterations_that_constants_decide_are_not_counted() -> None:
    assert not unfolded(LOOP.format(start="#x00", step="#x01"), 1).is_cut
    assert unfolded(LOOP.format(start="#x00", step="#x00"), 1).is_cut  # it never ends


def test_a_loop_that_is_too_long_is_unwound_like_any_other() -> None:
    endless = """
proc main() -> () [entry] {
  local k: (_ BitVec 64)
  start:
    k := (_ bv0 64)
    goto loop
  loop:
    goto body, done
  body:
    assume (bvult k (_ bv100000 64))
    k := (bvadd k (_ bv1 64))
    goto loop
  done:
    assume (not (bvult k (_ bv100000 64)))
    assert false
    return
}
"""
    found = unfolded(endless, 2)
    assert found.is_cut
    assert not found.threads[0].checks


def test_a_loop_that_starts_very_many_threads_is_not_unfolded_completely() -> None:
    text = """
var x: (_ BitVec 32)
proc main() -> () [entry] {
  local k: (_ BitVec 32)
  start:
    k, x := (_ bv0 32), (_ bv0 32)
    goto loop
  loop:
    goto body, done
  body:
    assume (bvult k (_ bv500 32))
    spawn other() -> ()
    k := (bvadd k (_ bv1 32))
    goto loop
  done:
    assume (not (bvult k (_ bv500 32)))
    return
}
proc other() -> () {
  start:
    x := (bvadd x (_ bv1 32))
    return
}
"""
    assert len(unfolded(text, 2).threads) == 3
    assert len(unfolded(text.replace("bv500", "bv6"), 2).threads) == 7


GLOBAL_COUNTER = """
var i: (_ BitVec 8)
var a: (Array (_ BitVec 8) (_ BitVec 8))
proc main() -> () [entry] {
  start:
    i := #x00
    a := ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x00)
    spawn other() -> ()
    goto loop
  loop:
    goto body, done
  body:
    assume (bvult i #x05)
    a := (store a i (bvadd (select a i) #x01))
    i := (bvadd i #x01)
    goto loop
  done:
    assume (not (bvult i #x05))
    assert (not (= (select a #x04) #x07))
    return
}
proc other() -> () {
  start:
    a := (store a #x04 #x06)
    return
}
"""


def test_what_only_later_rounds_decide_is_unfolded_from_the_first() -> None:
    """That ``i`` is constant is known only once it is known not to be shared; the fifth element is."""
    found = unfolded(GLOBAL_COUNTER, 2)
    assert not found.is_cut
    assert {(cell.variable.name, cell.index and cell.index.value) for cell in found.shared.cells} == {("a", 4)}
    program = read_program(GLOBAL_COUNTER)
    schedule = violating_schedule(program, 3, unwind=2)
    assert schedule is not None
    assert replay(program, "main", schedule).holds


RING = """
var slots: (Array (_ BitVec 8) (_ BitVec 8))
proc main() -> () [entry] {
  start:
    slots := ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x00)
    slots := (store slots #x08 #x03)
    spawn put() -> ()
    spawn put() -> ()
    assert (not (= (select slots #x02) #x09))
    return
}
proc put() -> () {
  local at: (_ BitVec 8)
  start:
    at := (bvand (select slots #x09) (select slots #x08))
    slots := (store slots at #x09)
    slots := (store slots #x09 (bvadd (select slots #x09) #x02))
    return
}
"""


def test_elements_have_their_own_values_even_if_indices_are_read() -> None:
    """A mask, and an index that is masked with it, are in the same array as what they are the index of."""
    found = unfolded(RING)
    variable = next(iter(found.shared.cells)).variable
    assert variable in found.shared.split
    held = {cell.index.value: found.shared.domains.get(cell) for cell in found.shared.cells if cell.index is not None}
    assert set(held) >= {0, 2, 9}
    assert 8 not in held  # the mask is never written
    assert held[2] is not None
    assert {value.value for value in held[2]} == {0, 9}
    program = read_program(RING)
    schedule = violating_schedule(program, 4)
    assert schedule is not None
    assert replay(program, "main", schedule).holds


LATE_INDEX = """
var x: (_ BitVec 8)
var s: (_ BitVec 8)
var u: (_ BitVec 8)
var w: (_ BitVec 8)
var a: (Array (_ BitVec 8) (_ BitVec 8))
proc main() -> () [entry] {
  start:
    x, s, u, w := #x00, #x00, #x00, #x00
    a := (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x03) #x01 #x05)
    spawn look() -> ()
    spawn hand() -> ()
    assert (not (= x #x05))
    return
}
proc look() -> () {
  start:
    x := (select a s)
    return
}
proc hand() -> () {
  start:
    a := (store a #x02 #x09)
    u := #x01
    w := u
    s := w
    assume (= x #x05)
    return
}
"""


def test_an_index_that_gets_its_values_late() -> None:
    """What is read depends on what the index can be, which is known only after other values are."""
    found = unfolded(LATE_INDEX)
    held = {cell.variable.name: found.shared.domains.get(cell) for cell in found.shared.cells}
    assert {value.value for value in held["x"] or ()} == {0, 3, 5}
    program = read_program(LATE_INDEX)
    schedule = violating_schedule(program, 4)
    assert schedule is not None
    assert replay(program, "main", schedule).holds


def test_constants_are_folded() -> None:
    x, c = t.var("x", bitvec(8)), t.var("c", BOOL)
    chosen = t.ite(c, t.bv(1, 8), t.bv(2, 8))
    assert evaluate(t.eq(t.bv_binary(Op.BV_ADD, x, t.bv(3, 8)), t.bv(4, 8)), {x: chosen}) is c
    assert evaluate(t.bv_binary(Op.BV_SDIV, x, t.bv(2, 8)), {x: t.bv(-7, 8)}) is t.bv(-3, 8)
    known = cases(t.ite(c, t.bv(1, 8), t.ite(t.var("d", BOOL), t.bv(2, 8), t.bv(1, 8))))
    assert known is not None
    assert {value.value for _, value in known} == {1, 2}


@pytest.mark.parametrize("line", ["axiom true", "property end-reachable"])
def test_what_is_not_handled_is_refused(line: str) -> None:
    with pytest.raises(UnsupportedError):
        unfolded(f"{line}\n{POINTERS}")
