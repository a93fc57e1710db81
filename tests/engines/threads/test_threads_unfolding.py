"""What unfolding knows before any schedule is looked at."""

from __future__ import annotations

import pytest

from cleave.engines.threads.code import Read, Write
from cleave.engines.threads.encode import encode
from cleave.engines.threads.instances import Unfolded, unfold
from cleave.engines.threads.simplify import cases, evaluate
from cleave.errors import UnsupportedError
from cleave.ir.reader import read_program
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import FALSE, Op

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


def test_loops_are_cut_only_where_they_can_go_on() -> None:
    text = """
var x: (_ BitVec 8)
proc main() -> () [entry] {
  local k: (_ BitVec 8)
  start:
    k := #x00
    goto loop
  loop:
    goto body, done
  body:
    assume (bvult k #x03)
    k := (bvadd k #x01)
    goto loop
  done:
    assume (not (bvult k #x03))
    return
}
"""
    assert unfolded(text, 2).is_cut
    assert not unfolded(text, 3).is_cut


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
