"""Which checks confirm that nothing is violated, in which order, and what the verdict then says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from cleave.engines.threads.encode import encode
from cleave.engines.unfolding.instances import unfold
from cleave.ir.loops import LoopBounds
from cleave.ir.reader import read_program
from cleave.logic.terms import FALSE, TRUE, Term
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs import bounded
from cleave.validate.proofs.bounded import UNCHECKED, Absence, Means, confirm
from cleave.validate.proofs.schedules.check import Claim

ONCE = """var x: (_ BitVec 32)
proc main() -> () [entry] {
  local t: (_ BitVec 8)
  start:
    x := (_ bv0 32)
    spawn add() -> (t)
    join t
    assert (= x (_ bv1 32))
    return
}
proc add() -> () {
  start:
    x := (bvadd x (_ bv1 32))
    return
}
"""


@contextmanager
def unguarded(_interrupt: Callable[[], None]) -> Iterator[None]:
    yield


def absence(took_part: frozenset[str], contexts: int = 4, source: str = ONCE) -> Absence:
    program = read_program(source)
    shape = [thread.shape for thread in unfold(program, "main", 2).threads]
    return Absence(
        program=program,
        entry="main",
        shape=shape,
        unwind=LoopBounds(2),
        contexts=contexts,
        took_part=took_part,
        solver="MiniSat",
    )


def means(*formulas: tuple[Term, ...], states: int = 0) -> Means:
    return Means(states=states, seconds=20, formulas=lambda: formulas, guarded=unguarded)


def answer_with(outcome: Confirmation, monkeypatch: pytest.MonkeyPatch) -> list[Claim]:
    asked: list[Claim] = []

    def checked(claim: Claim, *_: object) -> Confirmation:
        asked.append(claim)
        return outcome

    monkeypatch.setattr(bounded, "checked", checked)
    return asked


def test_interleavings_come_first() -> None:
    found = confirm(absence(frozenset(("contexts",))), means(states=1000))
    assert found.holds
    assert not found.bounds
    assert found.text.startswith("all interleavings tried")


def test_interleavings_within_contexts_are_no_proof_that_no_more_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = absence(frozenset(), contexts=2)
    proved = confirm(claimed, means(states=1000))
    assert proved.holds
    assert not proved.bounds
    answer_with(rejected("", undecided=True), monkeypatch)
    found = confirm(claimed, means(states=1000))
    assert found.holds
    assert found.bounds == {"contexts": 2}
    assert found.text.startswith("all interleavings within 2 contexts tried")


def test_another_unfolding_and_encoding() -> None:
    found = confirm(absence(frozenset()), means())
    assert found.holds
    assert not found.bounds
    assert found.text.startswith("proved again from the program by another unfolding and encoding")
    within = confirm(absence(frozenset(("contexts",))), means())
    assert within.holds
    assert within.bounds == {"contexts": 4}


def test_a_wrong_proof_is_no_verdict() -> None:
    wrong = absence(
        frozenset(), source=ONCE.replace("(_ bv1 32))\n    return\n}\nproc add", "(_ bv2 32))\n    return\n}\nproc add")
    )
    found = confirm(wrong, means())
    assert found.is_wrong


def test_what_the_checker_does_not_decide_has_all_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer_with(rejected("too hard", undecided=True), monkeypatch)
    claimed = absence(frozenset())
    unfolded = unfold(claimed.program, "main", 2)
    formula = encode(unfolded, 4)
    found = confirm(claimed, means((*formula.constraints, formula.violation)))
    assert [(claim.contexts, claim.all_iterations) for claim in asked] == [(None, True), (4, True)]
    assert found.holds
    assert found.bounds == {"contexts": 4}  # that no bound took part is one solver's word
    assert found.text == f"the formula was refuted by two solvers, MiniSat and Bitwuzla; {UNCHECKED}"
    assert confirm(claimed, means((TRUE,))).is_wrong
    assert confirm(claimed, means((FALSE,), (TRUE,))).is_wrong


def test_a_difference_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(rejected("a way is missing"), monkeypatch)
    found = confirm(absence(frozenset()), means((FALSE,)))
    assert found == rejected("the proof was checked again: a way is missing")
