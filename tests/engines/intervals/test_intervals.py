"""Intervals as an engine, and what the stages after it get."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.engines.intervals.options import IntervalsOptions
from cleave.engines.known import decode_known
from cleave.frontends.c.options import COptions
from cleave.frontends.input import Input
from cleave.run.outcome import Outcome
from cleave.run.plan import Plan, Stage
from cleave.run.stage import Limits, carry_out_stage
from cleave.verdict import Safe, Unknown
from support.runs import Notes, run_stage

COUNTS = """
procedure {:entrypoint} main()
{
  var i: bv32; var n: bv32; var d: bv32;
  i := 0bv32; n := 0bv32;
  while (i != 1000000bv32)
  { i := $add(i, 2bv32); havoc d; n := d; }
  %s
}
function {:bvbuiltin "bvadd"} $add(a: bv32, b: bv32): bv32;
function {:bvbuiltin "bvurem"} $rem(a: bv32, b: bv32): bv32;
function {:bvbuiltin "bvule"} $ule(a: bv32, b: bv32): bool;
"""


def outcome_of(check: str) -> Outcome:
    return run_stage("p.bpl", COUNTS % check, "intervals", IntervalsOptions())


def test_a_loop_of_many_rounds_is_proved() -> None:
    verdict = outcome_of("assert $rem(i, 2bv32) == 0bv32; assert i == 1000000bv32;").verdict
    assert isinstance(verdict, Safe)
    assert verdict.validation.startswith("intervals and congruences of variables checked block by block by ")


def test_what_is_not_proved_leaves_invariants() -> None:
    outcome = outcome_of("assert $ule(n, 5bv32);")
    assert isinstance(outcome.verdict, Unknown)
    assert outcome.facts is not None
    known = {str(fact.condition) for fact in decode_known(outcome.facts.data)}
    assert known >= {"(bvsle (_ bv0 32) i)", "(bvsle i (_ bv1000000 32))"}


def test_a_violation_stays_one() -> None:
    outcome = outcome_of("assert i != 1000000bv32;")
    assert isinstance(outcome.verdict, Unknown)
    assert not outcome.decided, "checks of Boogie have no names"


_SUM = """
extern int nondet(void);
int main(void) {
  int n = nondet() & 3, total = 0, twice = 0;
  for (int i = 0; i < n; i++) { total += 3; twice += 6; }
  if (twice != 2 * total + %s) return 1 / (total - total);
  return 0;
}
"""


@pytest.mark.parametrize(("difference", "word"), [("0", "safe"), ("6", "unsafe")])
def test_what_is_decided_is_not_asked_again(tmp_path: Path, difference: str, word: str) -> None:
    """Additions can't overflow, as intervals know; that there is no division by zero they do not."""
    pytest.importorskip("ziglang")
    (tmp_path / "sum.c").write_text(_SUM % difference)
    checks = COptions(checks=("signed-overflow", "division"))
    result = verify(str(tmp_path / "sum.c"), Options(c=checks, workers=1, journal=None))
    assert result.verdict.word == word
    assert result.checked.keys() == {"signed-overflow", "division"}
    if isinstance(result.verdict, Safe):
        told = result.verdict.validation
        assert re.search(r"; \d+ other checks? by intervals, checked block by block$", told), told


def test_facts_help_a_proof_of_pdr() -> None:
    """With what intervals know of the loop, the proof is a question or two."""
    facts = outcome_of("assert $ule(n, 5bv32);").facts
    source = COUNTS % "assert $ule(i, 1000001bv32);"
    stage = Stage(number=2, engine="pdr", purpose="")
    plan = Plan(stages=(stage,), workers=1)
    input = Input.of("q.bpl", source.encode())
    outcome = carry_out_stage(stage, plan, input, limits=Limits(), recorder=Notes(), facts=facts)
    assert isinstance(outcome.verdict, Safe)
    assert "it uses 4 intervals and congruences of variables checked by" in outcome.verdict.validation
