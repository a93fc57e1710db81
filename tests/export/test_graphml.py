"""Violation witnesses in GraphML: one path from the entry to the violation, with threads, lines and values."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from cleave.cli.main import main

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

_SPACE = "{http://graphml.graphdrawing.org/xmlns}"
PROGRAM = """\
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int x, y;
void *writer(void *argument) {
  int k = __VERIFIER_nondet_int();
  x = k;
  y = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  x = 5;
  if (y == 1 && x == 7)
    reach_error();
  return 0;
}
"""


def _written(folder: Path, text: str, *options: str, name: str = "p.c") -> tuple[int, Path]:
    (folder / name).write_text(text)
    flags = ["--workers=1", "--quiet", "--journal=none", "--graphml", str(folder / "w.graphml"), *options]
    return main(["verify", str(folder / name), *flags]), folder / "w.graphml"


def _data(element: ElementTree.Element) -> dict[str, str]:
    return {one.get("key", ""): one.text or "" for one in element.findall(f"{_SPACE}data")}


def test_one_path_leads_from_the_entry_to_the_violation(tmp_path: Path) -> None:
    code, file = _written(tmp_path, PROGRAM, "--check", "assertions", "--32")
    assert code == 10
    top = ElementTree.fromstring(file.read_text())
    keys = {key.get("id"): key.get("for") for key in top.findall(f"{_SPACE}key")}
    (graph,) = top.findall(f"{_SPACE}graph")
    about = _data(graph)
    assert about["witness-type"] == "violation_witness"
    assert about["specification"] == "CHECK( init(main()), LTL(G ! call(reach_error())) )"
    assert about["architecture"] == "32bit"
    nodes = {node.get("id"): _data(node) for node in graph.findall(f"{_SPACE}node")}
    edges = {edge.get("source"): edge for edge in graph.findall(f"{_SPACE}edge")}
    assert len(edges) == len(nodes) - 1
    (place,) = [name for name, told in nodes.items() if told.get("entry") == "true"]
    told = []
    while place in edges:
        told.append(_data(edges[place]))
        place = edges[place].get("target")
    assert nodes[place] == {"violation": "true"}
    assert all(keys[key] == "edge" for edge in told for key in edge)
    assert told[0] == {"threadId": "0", "createThread": "0", "enterFunction": "main"}
    assert {edge["createThread"]: edge["startline"] for edge in told[1:] if "createThread" in edge} == {"1": "13"}
    assert [edge["assumption"] for edge in told if "assumption" in edge] == ["k == 7;"]
    order = [(edge["threadId"], edge["startline"]) for edge in told[1:]]
    assert order.index(("0", "14")) < order.index(("1", "7"))
    assert order[-1] == ("0", "16")


def test_a_value_that_no_variable_gets_is_the_result_of_its_function(tmp_path: Path) -> None:
    """As FShell-witness2test reads it."""
    call = "__VERIFIER_nondet_int()"
    lines = (
        "void reach_error(void);",
        "extern int __VERIFIER_nondet_int(void);",
        f"int main(void) {{ int x = {call};",
        f"if ({call} == 3 && x == 5)",
        "reach_error(); }",
    )
    code, file = _written(tmp_path, "\n".join(lines), "--check", "assertions")
    assert code == 10
    edges = ElementTree.fromstring(file.read_text()).iter(f"{_SPACE}edge")
    told = [edge for edge in map(_data, edges) if "assumption" in edge]
    assert [edge["assumption"] for edge in told] == ["x == 5;", "\\result == 3;"]
    assert [edge.get("assumption.resultfunction") for edge in told] == [None, "__VERIFIER_nondet_int"]


def test_what_is_not_violated_has_no_such_witness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, file = _written(tmp_path, "int main(void) { return 0; }")
    assert code == 1
    assert not file.exists()
    assert "there are witnesses in GraphML of unsafe" in capsys.readouterr().out
    code, file = _written(tmp_path, "procedure main() { assert false; }", name="p.bpl")
    assert code == 1
    assert "--graphml is for programs in C" in capsys.readouterr().err
