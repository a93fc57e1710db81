"""The campaign of random problems: its truths are right, and a wrong verdict does not pass."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from bench import soundness_run
from bench.rows import Row
from bench.small_models import Model
from bench.small_programs import SmallProgram, as_boogie, as_c, random_program, violates
from bench.soundness import tables
from bench.soundness_run import Problem, Ran, problem, ran, said, told
from msgspec import to_builtins

from cleave import Options, verify
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Verdict


def result(verdict: Verdict) -> Result:
    return Result(verdict, "inline", {}, 0.0, 1, {})


def test_programs_are_executed_on_every_input() -> None:
    x, two = ("var", "x"), ("const", 2)
    double = ("set", "y", ("*", x, two))
    main = (("input", "x", 4), ("call", "y", "f", x), ("assert", ("!=", ("var", "y"), ("const", 6))))
    assert violates(SmallProgram({"f": (double,), "main": main}), 0)
    assert not violates(SmallProgram({"f": (double,), "main": (("input", "x", 3), *main[1:])}), 0)
    below = ("assert", ("<=", ("-", x, two), ("const", 5)))
    assert violates(SmallProgram({"main": (("input", "x", 3), below)}), 8), "0 - 2 is 254 in a byte"
    assert not violates(SmallProgram({"main": (("input", "x", 3), below)}), 0)


def test_models_are_visited_state_by_state() -> None:
    counts = Model(width=2, states=[3], initial={3: 0}, following={3: 6}, bad=7)
    counts.nodes = {4: ("constant", (1,)), 5: ("constant", (3,)), 6: ("add", (3, 4)), 7: ("eq", (3, 5))}
    assert counts.reaches_bad()
    counts.nodes[4] = ("constant", (2,))
    assert not counts.reaches_bad()


@pytest.mark.parametrize("seed", [5, 12, 40])
def test_both_texts_say_what_the_program_does(seed: int, tmp_path: Path) -> None:
    program = random_program(Random(seed))
    for name, text, bits in (("p.c", as_c(program, 32), 32), ("p.bpl", as_boogie(program), 0)):
        (tmp_path / name).write_text(text)
        options = Options(engine="inline", workers=1, journal=None, timelimit=30)
        assert verify(str(tmp_path / name), options).verdict.word == ("unsafe" if violates(program, bits) else "safe")


def test_a_wrong_verdict_is_seen() -> None:
    unsafe = Problem("C", "p.c", "", True, ("",))
    assert said(unsafe, result(Safe("proof"))).startswith("WRONG")
    assert said(unsafe, result(BoundedSafe({"recursion": 9}, "proof"))).startswith("WRONG")
    assert said(unsafe, result(BoundedSafe({"recursion": 2}, "proof"))) == "bounded-safe"
    assert said(unsafe, result(BoundedSafe({"contexts": 9}, "proof"))) == "bounded-safe"
    assert said(unsafe, result(Unknown(Reason.TIMEOUT))) == "unknown"
    made = Ran(seed=3, frontend="C", engine="pdr", way="local-1", says="WRONG safe")
    assert made.is_wrong
    row = Row(task="0", answer="done", told={"runs": [to_builtins(made)], "wrong": [told(made)]})
    assert row.wrong
    assert "1 wrong" in tables([row])
    assert "problem 3, pdr, local-1: WRONG safe" in tables([row])


def test_each_front_end_has_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness_run, "_WAYS", 1)
    assert {made.frontend for seed in range(5) if (made := problem(seed)) is not None} == {
        "C",
        "C with threads",
        "Boogie",
        "Horn",
        "BTOR2",
    }
    found: list[Ran] = [one for seed in (2, 3, 4) for one in ran(seed, tmp_path)]
    assert len(found) == 3
    assert all(one.says in ("safe", "unsafe") for one in found)
