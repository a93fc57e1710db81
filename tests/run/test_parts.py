"""Problems in parts: each part is a problem of its own, together they are the whole, and what is missing is noticed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cleave.api import verify
from cleave.cli.main import main
from cleave.errors import UsageError
from cleave.export.objects import result_object
from cleave.frontends.input import Input
from cleave.ir.check import check_program
from cleave.ir.reader import read_program
from cleave.ir.text import print_program
from cleave.run.join import PartResult, join
from cleave.run.parts import Whole, divide, leaves, note_of, text_digest, whole_of
from cleave.run.request import Options

BRANCHES = """\
var g: int;
procedure step(n: int) modifies g;
{ if (n > 2) { g := g + 2; } else { g := g + 1; } }
procedure main() modifies g; {
  var n: int;
  g := 0;
  if (n > 5) { call step(n); } else { call step(1); call step(1); }
  while (g < 4) { if (*) { g := g + 1; } else { g := g + 2; } }
  assert %s;
}
"""
CLAUSES = """\
(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (P x))))
(assert (forall ((x Int)) (=> (and (P x) (< x 10)) (P (+ x 1)))))
(assert (forall ((x Int)) (=> (and (P x) (> x 20)) (P (+ x 3)))))
(assert (forall ((x Int)) (=> (and (P x) %s) false)))
(check-sat)
"""
THREADS = """\
var x: Int
proc work() -> () {
  a:
    x := (+ x 1)
    return
}
proc main() -> () [entry] {
  a:
    x := 0
    spawn work() -> ()
    spawn work() -> ()
    assert (not (= x %d))
    return
}
"""


def _whole(name: str, text: str, parts: int, **options: int) -> Whole:
    return whole_of(Input.of(name, text.encode()), parts, options)


def _results(whole: Whole, folder: Path, **chosen: Any) -> list[PartResult]:
    """Each part, from a file, by the engine of its plan."""
    found = []
    for part in divide(whole):
        file = folder / f"{part.name or 'all'}{'.smt2' if whole.kind == 'clauses' else '.ir'}"
        file.write_bytes(part.file(whole, "x.whole"))
        result = verify(str(file), Options(workers=1, journal=None, **chosen))
        told = result_object(str(file), result)
        part_of, name, digest = (told["part"][key] for key in ("whole", "name", "digest"))
        found.append(
            PartResult(file.name, part_of, name, digest, told["verdict"], told["bounds"], told["reason"] or "")
        )
    return found


@pytest.mark.parametrize("parts", [2, 3, 4])
@pytest.mark.parametrize(("condition", "verdict"), [("g != 3", "safe"), ("g != 5", "unsafe")])
def test_a_program_in_parts_has_the_verdict_of_the_whole(
    tmp_path: Path, parts: int, condition: str, verdict: str
) -> None:
    whole = _whole("x.bpl", BRANCHES % condition, parts)
    results = _results(whole, tmp_path, engine="pdr")
    assert join(whole, results).verdict == verdict
    assert any(one.verdict == verdict for one in results)


@pytest.mark.parametrize(("condition", "verdict"), [("(> x 10)", "safe"), ("(= x 4)", "unsafe")])
def test_clauses_in_parts_have_the_verdict_of_the_whole(tmp_path: Path, condition: str, verdict: str) -> None:
    whole = _whole("x.smt2", CLAUSES % condition, 4)
    joined = join(whole, _results(whole, tmp_path))
    assert joined.verdict == verdict


@pytest.mark.parametrize(("value", "verdict"), [(3, "bounded-safe"), (2, "unsafe")])
def test_schedules_in_parts_have_the_verdict_of_the_whole(tmp_path: Path, value: int, verdict: str) -> None:
    whole = _whole("x.ir", THREADS % value, 2, contexts=4)
    joined = join(whole, _results(whole, tmp_path))
    assert joined.verdict == verdict
    assert joined.bounds == ({"contexts": 4} if verdict == "bounded-safe" else {})


def test_parts_are_well_formed_and_the_same_each_time() -> None:
    whole = _whole("x.bpl", BRANCHES % "g != 3", 4)
    for part, again in zip(divide(whole), divide(whole), strict=True):
        assert part == again
        program = read_program(part.text)
        check_program(program)
        assert print_program(read_program(print_program(program))) == print_program(program)


def test_what_a_front_end_took_for_granted_stays_with_the_part() -> None:
    text = 'assumption "a is b"\nleft-out "threads that \\"hang\\""\nproc main() -> () {\n  a:\n    return\n}\n'
    program = read_program(text)
    assert (program.assumptions, program.left_out) == (("a is b",), ('threads that "hang"',))
    assert print_program(program, notes=True) == text


# --- what is missing is noticed -------------------------------------------------------------------------------------


def _proved(whole: Whole) -> list[PartResult]:
    return [
        PartResult(f"{part.name}.json", whole.digest, part.name, text_digest(part.text.encode()), "safe")
        for part in divide(whole)
    ]


@pytest.mark.parametrize(
    "text", [("x.bpl", BRANCHES % "g != 3"), ("x.smt2", CLAUSES % "(> x 10)"), ("x.ir", THREADS % 3)]
)
def test_missing_doubled_and_foreign_results_are_named(text: tuple[str, str]) -> None:
    whole = _whole(*text, 4)
    results = _proved(whole)
    assert join(whole, results).verdict == "safe"
    missing = join(whole, results[1:])
    assert (missing.verdict, repr(results[0].name) in missing.reason) == ("unknown", True)
    doubled = join(whole, [*results, results[0]])
    assert (doubled.verdict, results[0].file in doubled.reason) == ("unknown", True)
    other = _whole(*text, 2)
    foreign = join(whole, [*results[1:], replace(results[0], file="other.json", whole=other.digest)])
    assert (foreign.verdict, "other.json" in foreign.reason) == ("unknown", True)
    stranger = join(whole, [*results, replace(results[0], file="none.json", digest="")])
    assert (stranger.verdict, "none.json" in stranger.reason) == ("unknown", True)


def test_an_open_part_leaves_the_whole_unknown_and_a_bound_leaves_it_bounded() -> None:
    whole = _whole("x.bpl", BRANCHES % "g != 3", 2)
    first, second = _proved(whole)
    bounded = replace(second, verdict="bounded-safe", bounds={"recursion": 3})
    assert (join(whole, [first, bounded]).verdict, join(whole, [first, bounded]).bounds) == (
        "bounded-safe",
        {"recursion": 3},
    )
    given_up = replace(second, verdict="unknown", reason="timeout")
    assert join(whole, [first, given_up]).reason == "part '1' is unknown: timeout"


def test_leaves_make_a_flat_tree() -> None:
    assert leaves(1) == [""]
    assert leaves(5) == ["000", "001", "01", "10", "11"]


@pytest.mark.parametrize(
    ("name", "text", "parts", "said"),
    [
        ("x.bpl", "procedure main() { assert true; }", 2, "at most 1 parts"),
        ("x.ir", THREADS % 3, 3, "2, 4, 8"),
        ("x.smt2", "(declare-fun P () Bool)\n(assert (=> P false))\n", 2, "at most 1 parts"),
        ("x.bpl", "procedure main() { if (*) { call main(); } }", 2, "calls its entry"),
        ("x.bpl", "procedure a() { } procedure b() { }", 2, "choose one by --entry"),
    ],
)
def test_what_can_not_be_divided_is_said(name: str, text: str, parts: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        divide(_whole(name, text, parts))


# --- commands -------------------------------------------------------------------------------------------------------


def test_shard_verify_and_join_as_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.smt2"
    file.write_text(CLAUSES % "(> x 10)")
    assert main(["shard", str(file), "--parts", "2", "-o", str(tmp_path / "p")]) == 0
    results = []
    for part in capsys.readouterr().out.splitlines():
        assert note_of(Path(part).read_bytes()) is not None
        assert main(["verify", part, "--json", "--quiet", "--journal=none", "--workers=1"]) == 0
        results.append(f"{part}.json")
        Path(results[-1]).write_text(capsys.readouterr().out)
    assert main(["join", *results]) == 0
    assert capsys.readouterr().out.startswith("safe  ")
    assert main(["join", results[0], "--json"]) == 5
    assert json.loads(capsys.readouterr().out)["reason"] == "no result of part '1'"
    assert main(["join", str(file)]) == 2


def test_a_part_of_schedules_has_its_bounds_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = _whole("x.ir", THREADS % 3, 2)
    file = tmp_path / "x.ir"
    file.write_bytes(divide(whole)[0].file(whole, "w"))
    assert main(["verify", str(file), "--journal=none", "--contexts", "9"]) == 1
    assert "leave them out" in capsys.readouterr().err
