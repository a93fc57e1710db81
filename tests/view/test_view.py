"""Pages made from reviews: what a program says can't break them, and large runs stay small pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.cli.main import main
from cleave.engines.review.drawings import Block, Lane, Lanes, Node, Tree
from cleave.journal.places import find_run
from cleave.view.charts import figure
from cleave.view.markup import h
from cleave.view.report import report_of
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
