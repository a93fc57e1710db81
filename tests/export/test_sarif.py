"""SARIF logs of programs in all languages, with and without a violation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cleave.cli.main import main
from support.sarif_shape import check_sarif

BOOGIE = """\
var g: int;
procedure main() modifies g; {
  call add(2);
  assert g != 5;
}
procedure add(n: int) modifies g; { g := g + n; }
"""
CLAUSES = """\
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (> x 1)) false)))
(check-sat)
"""
THREADS = """\
#include <pthread.h>
void reach_error(void);
int x;
void *writer(void *argument) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  x = 2;
  if (x == 1)
    reach_error();
  return 0;
}
"""
HARD = """\
procedure main() {
  var a, b, c: int;
  assume a > 1 && b > 1 && c > 1 && a < 100000000 && b < 100000000;
  assert a * a * a + b * b * b != c * c * c + 3 * a * b * c + 1;
}
"""


def log_of(folder: Path, name: str, text: str, *options: str) -> dict[str, Any]:
    (folder / name).write_text(text)
    main(["verify", str(folder / name), "--workers=1", "--quiet", "--sarif", str(folder / "log.sarif"), *options])
    log: dict[str, Any] = json.loads((folder / "log.sarif").read_text())
    check_sarif(log)
    return log


def run_of(folder: Path, name: str, text: str, *options: str) -> dict[str, Any]:
    run: dict[str, Any] = log_of(folder, name, text, *options)["runs"][0]
    return run


def test_a_violation_is_a_result_at_its_place(tmp_path: Path) -> None:
    run = run_of(tmp_path, "a b.bpl", BOOGIE)
    (result,) = run["results"]
    assert result["ruleId"] == "assertions"
    assert result["message"]["text"] == "assertion: g != 5"
    (location,) = result["locations"]
    assert location["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 3}
    assert location["physicalLocation"]["artifactLocation"]["uri"].endswith("/a%20b.bpl")
    assert location["logicalLocations"][0]["name"] == "main"
    assert run["properties"]["verdict"] == "unsafe"
    assert run["invocations"][0]["exitCode"] == 10


def test_the_execution_is_a_code_flow(tmp_path: Path) -> None:
    (result,) = run_of(tmp_path, "a.bpl", BOOGIE)["results"]
    (thread,) = result["codeFlows"][0]["threadFlows"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in thread["locations"]]
    assert lines == [2, 3, 6, 3, 4]
    assert [step["nestingLevel"] for step in thread["locations"]] == [0, 0, 1, 1, 0]
    assert thread["locations"][2]["state"] == {"g": {"text": "5"}}
    assert thread["initialState"] == {"g": {"text": "3"}}
    assert thread["locations"][-1]["kinds"] == ["violation"]


@pytest.fixture
def _c() -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")


@pytest.mark.usefixtures("_c")
def test_each_thread_has_a_flow_and_together_they_have_an_order(tmp_path: Path) -> None:
    (result,) = run_of(tmp_path, "a.c", THREADS)["results"]
    first, second = result["codeFlows"][0]["threadFlows"]
    assert (first["id"], second["id"]) == ("thread 0", "thread 1")
    writes = {step["location"]["message"]["text"]: step["executionOrder"] for step in second["locations"]}
    before = {step["location"]["message"]["text"]: step["executionOrder"] for step in first["locations"]}
    written = writes["void *writer(void *argument) { x = 1; return 0; }"]
    assert before["x = 2;"] < written < before["reach_error(); (reach_error is reached)"]
    places = [step["location"]["physicalLocation"]["artifactLocation"]["uri"] for step in first["locations"]]
    assert all(place.endswith("/a.c") for place in places)  # none in the library that models threads


def test_rules_have_ids_and_help(tmp_path: Path) -> None:
    rules = run_of(tmp_path, "a.bpl", BOOGIE)["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["help"]["text"].endswith(".")
        assert rule["fullDescription"]["text"].startswith(rule["shortDescription"]["text"])
    assert {"valid-deref", "valid-free"} <= {
        tag for rule in rules for tag in rule.get("properties", {}).get("tags", ())
    }


@pytest.mark.usefixtures("_c")
@pytest.mark.parametrize(("check", "rule"), [("data-race", "data-race"), ("reach", "assertions")])
def test_rules_are_what_is_violated(tmp_path: Path, check: str, rule: str) -> None:
    assert run_of(tmp_path, "a.c", THREADS, "--check", check)["results"][0]["ruleId"] == rule


def test_a_derivation_from_clauses_is_a_result_too(tmp_path: Path) -> None:
    run = run_of(tmp_path, "a.smt2", CLAUSES)
    assert run["results"][0]["ruleId"] == "derivation"
    assert len(run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]) == 4


def test_without_a_violation_there_is_no_result(tmp_path: Path) -> None:
    run = run_of(tmp_path, "a.bpl", BOOGIE.replace("g != 5", "true"))
    assert run["results"] == []
    assert run["properties"]["verdict"] == "safe"
    assert run["properties"]["validation"]
    assert run["invocations"][0]["exitCode"] == 0


def test_no_verdict_is_a_notification(tmp_path: Path) -> None:
    run = run_of(tmp_path, "a.bpl", HARD, "--timelimit=1")
    assert run["results"] == []
    assert run["properties"]["verdict"] == "unknown"
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("no verdict: timeout")


def test_a_fingerprint_is_that_of_the_line_and_not_of_its_number(tmp_path: Path) -> None:
    def fingerprints(text: str) -> Any:
        return run_of(tmp_path, "a.bpl", text)["results"][0]["partialFingerprints"]

    first = fingerprints(BOOGIE)
    assert fingerprints(f"\n\n// moved\n{BOOGIE}") == first
    assert fingerprints(BOOGIE.replace("g != 5", "g != 6")) != first
