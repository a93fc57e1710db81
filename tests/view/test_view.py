"""Pages made from reviews: what a program says can't break them, and large runs stay small pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.cli.main import main
from cleave.engines.review.drawings import Block, Lane, Lanes, Line, Lines, Node, Tree
from cleave.export.exports import EXPORTS
from cleave.ir.program import Location
from cleave.journal.places import find_run
from cleave.review.stages import StageReview
from cleave.verdict import Trace, TraceStep
from cleave.view.charts import figure
from cleave.view.markup import h
from cleave.view.report import report_of
from cleave.view.run import bounds_grid
from cleave.view.trace import draw_trace, schedule
from cleave.view.tree import MOST, draw_tree

UNSAFE = """\
procedure {:entrypoint} main() { var x: int; havoc x; call step(x); }
procedure step(x: int) { assert {:msg "</script><script>alert(1)</script>"} x < 5; }
"""


def test_whatever_a_program_says_is_escaped() -> None:
    shown = h("p", "<script>", h("b", '"&'), title='" onload="x')
    assert shown == '<p title="&quot; onload=&quot;x">&lt;script&gt;<b>&quot;&amp;</b></p>'
    assert h("p", "a\u202eb\x1b") == "<p>a\\u202eb\\x1b</p>"


def test_a_report_holds_the_trace_and_no_script_of_the_program(tmp_path: Path) -> None:
    file = tmp_path / "<script>x.bpl"
    file.write_text(UNSAFE)
    journals = tmp_path / "runs"
    result = verify(str(file), Options(workers=1, journal=journals, outputs={"report": str(tmp_path / "r.html")}))
    assert result.verdict.word == "unsafe"
    for text in ((tmp_path / "r.html").read_text(), report_of(find_run(journals, "latest"))):
        assert text.count("<script>") == 1, "only the page's own"
        assert "data-steps" in text
        assert "havoc x" in text
        assert "unsafe" in text
        assert not re.search(r"(?:src|href)=\"(?!#|data:)", text), "nothing is fetched from anywhere"


def test_a_report_of_a_run_without_a_journal(tmp_path: Path) -> None:
    file = tmp_path / "a.bpl"
    file.write_text(UNSAFE)
    verify(str(file), Options(workers=1, journal=None, outputs={"report": str(tmp_path / "r.html")}))
    assert "data-steps" in (tmp_path / "r.html").read_text()


def test_the_command_writes_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.bpl"
    file.write_text(UNSAFE)
    verify(str(file), Options(workers=1, journal=tmp_path / "runs"))
    assert main(["report", "latest", "--journal", str(tmp_path / "runs"), "-o", str(tmp_path / "r.html")]) == 0
    assert "wrote" in capsys.readouterr().out
    assert main(["report", "latest", "--journal", str(tmp_path / "runs"), "-o", str(tmp_path / "no" / "r.html")]) == 1


def test_of_ten_thousand_parts_the_dearest_are_drawn() -> None:
    nodes = [Node(id="", parent=None, label="whole search", state="split")]
    id = ""
    for number in range(5000):
        nodes.append(Node(id=id + "0", parent=id, label="avoiding f", state="split"))
        nodes.append(Node(id=id + "1", parent=id, label="reaching f", state="closed", cost=number))
        id += "0"
        if len(id) > 60:
            id = id[:30] + "1" + "0" * (number % 7) if number % 2 else ""
    unique = {node.id: node for node in nodes}
    drawn = draw_tree(Tree(title="Split tree", nodes=tuple(sorted(unique.values(), key=lambda n: len(n.id)))))
    assert drawn.count('class="part') <= 2 * MOST
    assert len(drawn) < 600_000


def test_blocks_that_can_not_be_told_apart_are_drawn_as_one() -> None:
    blocks = tuple(Block(n / 1000, (n + 1) / 1000, "search", f"part {n}") for n in range(10_000))
    assert len(figure(Lanes(title="t", lanes=(Lane("worker 1", blocks),)))) < 10_000


def test_a_line_of_one_point_is_a_dot() -> None:
    lines = (Line("one", ((1.0, 3.0),)), Line("two", ((1.0, 1.0), (2.0, 2.0))))
    drawn = figure(Lines(title="t", x="x", y="y", lines=lines))
    assert drawn.count('class="l-0 dot"') == 1
    assert 'class="l-1"' in drawn


def test_a_proof_covers_all_smaller_bounds_in_the_grid() -> None:
    stages = [
        StageReview(n, "threads", "", 1, "bounded-safe", bounds={"contexts": contexts, "unwind": unwind})
        for n, (contexts, unwind) in enumerate(((2, 3), (4, 1)), 1)
    ]
    grid = bounds_grid([*stages, StageReview(3, "executions", "", 1, "budget")])
    assert grid is not None
    rows = [row.count("✓") for row in re.findall(r"<tr>.*?</tr>", grid)[1:]]
    assert rows == [4, 2, 2, 0], "unwindings 1 to 4, of contexts 1 to 5"
    assert bounds_grid([StageReview(1, "inline", "", 1, "bounded-safe", bounds={"recursion": 3})]) is None


def test_files_are_offered_only_where_there_are_some() -> None:
    offered = {
        (file, verdict): [one.name for one in EXPORTS if one.may_be_of(file, verdict)]
        for file, verdict in (("a.c", "unsafe"), ("a.aag", "unsafe"), ("a.bpl", "unknown"), ("a.smt2", "safe"))
    }
    assert offered["a.c", "unsafe"] == ["witness", "graphml", "sarif", "certificate", "report"]
    assert offered["a.aag", "unsafe"] == ["stimulus", "sarif", "certificate", "report"]
    assert offered["a.bpl", "unknown"] == ["sarif", "report"]
    assert offered["a.smt2", "safe"] == ["sarif", "invariant", "certificate", "report"]


def test_a_derivation_is_a_tree(tmp_path: Path) -> None:
    file = tmp_path / "a.smt2"
    file.write_text(
        "(set-logic HORN)(declare-fun P (Int) Bool)(declare-fun Q (Int) Bool)"
        "(assert (forall ((x Int)) (=> (= x 1) (P x))))"
        "(assert (forall ((x Int)) (=> (= x 2) (Q x))))"
        "(assert (forall ((x Int) (y Int)) (=> (and (P x) (Q y) (< x y)) false)))(check-sat)"
    )
    verify(str(file), Options(engine="pdr", workers=1, journal=tmp_path / "runs"))
    text = report_of(find_run(tmp_path / "runs", "latest"))
    assert "Derivation" in text
    ids = re.findall(r'data-id="([0-9.]+)"', text)
    assert ids == ["0", "0.0", "0.1"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cegar_run_shows_its_tree(tmp_path: Path, workers: int) -> None:
    file = tmp_path / "a.smt2"
    file.write_text(
        "(set-logic HORN)(declare-fun P (Int) Bool)"
        "(assert (forall ((x Int)) (=> (= x 0) (P x))))"
        "(assert (forall ((x Int)) (=> (and (P x) (< x 9)) (P (+ x 1)))))"
        "(assert (forall ((x Int)) (=> (and (P x) (< x 0)) false)))(check-sat)"
    )
    verify(str(file), Options(engine="cegar", workers=workers, journal=tmp_path / "runs"))
    text = report_of(find_run(tmp_path / "runs", "latest"))
    assert text.count("<h3>Abstract reachability tree</h3>") == 1
    assert text.count("<h3>What each counterexample led to</h3>") == 1
    assert "covered by node" in text
    assert "start → P → error" in text


def test_what_is_counted_has_no_halves_on_its_axes() -> None:
    counted = figure(Lines(title="levels", x="iteration", y="level", lines=(Line("a", ((1.0, 0.0), (3.0, 2.0))),)))
    measured = figure(Lines(title="levels", x="seconds", y="level", lines=(Line("a", ((0.5, 0.0), (1.5, 1.0))),)))
    steps = figure(Lanes(title="Schedule", lanes=(Lane("thread 0", (Block(0, 2, "thread"),)),), unit="steps"))
    assert ".5</text>" not in counted
    assert ".5</text>" in measured
    assert ".5</text>" not in steps


def test_the_lane_of_a_thread_names_its_function_and_starts_where_it_was_created() -> None:
    def step(thread: int, text: str, note: str = "") -> TraceStep:
        return TraceStep("line", "main", 0, None, text, thread=thread, note=note)

    steps = (step(0, "pthread_create(&t, 0, f, 0);", "starts thread 1"), step(0, "x = 1;"), step(1, "x = 2;"))
    drawn = schedule(Trace(steps, "x == 1", None, threads={0: "main", 1: "f"}))
    assert drawn is not None
    assert '<span class="quiet">f</span>' in drawn
    (line,) = re.findall(r'<title>thread 1 starts</title><line x1="([\d.]+)%"', drawn)
    assert line == "16.667", "in the middle of the first of three steps"


def test_of_a_large_file_the_lines_around_the_steps_are_shown() -> None:
    text = "\n".join(f"line {n};" for n in range(1, 60_001))
    steps = tuple(
        TraceStep("line", "main", 0, Location("a.bpl", line, 1), f"line {line};") for line in (3, 30_000, 59_000)
    )
    drawn = draw_trace(Trace(steps, "x", None), {"a.bpl": text})
    assert all(f'id="L0-{line}"' in drawn for line in (3, 29_990, 30_000, 59_000))
    assert 'id="L0-15000"' not in drawn
    assert drawn.count('class="gap"') == 3
    assert '<li id="L0-29975" value="29975">' in drawn, "the numbers are those of the file"
    assert len(drawn) < 40_000


def test_long_words_of_a_violation_and_many_values_are_folded() -> None:
    values = {f"argument{n}": str(n) for n in range(80)}
    said = f"false is derived by P({', '.join(values)})"
    drawn = draw_trace(Trace((TraceStep("fact", "P", 0, None, "P", values),), said, None), {})
    assert "and 72 more" in drawn
    assert f"<summary>{said[:300]} …</summary>{said}" in drawn


@pytest.mark.parametrize("workers", [1, 2])
def test_the_unfolding_of_a_small_run_is_drawn(tmp_path: Path, workers: int) -> None:
    file = tmp_path / "a.bpl"
    file.write_text(UNSAFE.replace("havoc x", "x := 1"))
    verify(str(file), Options(engine="inline", workers=workers, journal=tmp_path / "runs"))
    text = report_of(find_run(tmp_path / "runs", "latest"))
    assert text.count("<h3>Unfolding</h3>") == 1
    assert "2 inlined" in text
