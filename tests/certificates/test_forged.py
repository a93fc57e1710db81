"""Forged, corrupted and hostile certificates are refused, each with one sentence."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from bench.certificates import judged
from bench.forgeries import forgeries

from cleave.cli.main import main
from cleave_check.__main__ import main as checker
from cleave_check.certificate import digest, read_certificate, sealed
from cleave_check.check import check
from cleave_check.refusal import Refusal
from support.certified_tasks import TASKS, run

_FORGED = ("fee.bpl", "split.bpl", "count.bpl", "inv.smt2", "derived.smt2")


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("certificates")
    return {task.name: json.loads(run(task, folder)[1].read_text()) for task in TASKS if task.name in _FORGED}


def test_no_forgery_is_accepted_whose_claim_is_not_true(contents: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    found = {"refused": 0, "harmless": 0, "true": 0}
    for content in contents.values():
        others = [other for other in contents.values() if other is not content]
        made = forgeries(content, others, random.Random(7))
        for _ in range(60):
            found[judged(content, next(made), tmp_path)] += 1  # a KeyError: WRONG
    assert found["refused"] > 150
    assert found["harmless"] + found["true"] < 100


def _refusal(content: dict[str, Any], **claim: Any) -> str:
    parts = {name: part for name, part in content.items() if name in ("claim", "origin", "evidence", "subject")}
    forged = json.loads(json.dumps({**parts, "claim": {**content["claim"], **claim}}))
    return _refused(sealed(forged).encode())


def _refused(data: bytes) -> str:
    with pytest.raises(Refusal) as why:
        check(read_certificate(data), seconds=10)
    assert "\n" not in str(why.value)
    return str(why.value)


def test_a_larger_bound_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    assert "obligation 1 does not hold" in _refusal(contents["split.bpl"], bounds={"recursion": 4})
    assert "obligation 1 does not hold" in _refusal(contents["split.bpl"], bounds={"recursion": 1000})


def test_another_verdict_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    assert "obligation 1 does not hold" in _refusal(contents["split.bpl"], verdict="safe", bounds={})
    assert "does not show safe" in _refusal(contents["fee.bpl"], verdict="safe")
    assert "does not show unsafe" in _refusal(contents["inv.smt2"], verdict="unsafe")
    assert "has bounds" in _refusal(contents["split.bpl"], bounds={})


def test_another_property_or_entry_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    assert "the program asks about assertions" in _refusal(contents["split.bpl"], property="end-reachable")
    assert "names an entry that has no body" in _refusal(contents["split.bpl"], entries=["nobody"])
    assert "about another subject" in _refusal(contents["split.bpl"], subject=digest(""))


def _with_evidence(content: dict[str, Any], **changed: Any) -> str:
    parts = {name: part for name, part in content.items() if name in ("claim", "origin", "subject")}
    return _refused(sealed({**parts, "evidence": {**content["evidence"], **changed}}).encode())


def test_a_place_that_is_left_out_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    instances = contents["split.bpl"]["evidence"]["instances"]
    assert "does not hold" in _with_evidence(contents["split.bpl"], instances=instances[:-1])
    more = [*instances, [0, "nowhere:0"]]
    assert "no call or loop" in _with_evidence(contents["split.bpl"], instances=more)


def test_the_parts_of_a_split_tree_cover_the_search(contents: dict[str, dict[str, Any]]) -> None:
    content = contents["split.bpl"]
    parts = {name: part for name, part in content.items() if name in ("claim", "origin", "subject")}
    split = [1, None, [0, None, None]]
    accepted = sealed({**parts, "evidence": {**content["evidence"], "split": split}})
    assert "in 3 parts" in check(read_certificate(accepted.encode())).checked[0]
    for wrong in ([1, None], [1, None, 5], [999, None, None], [1, None, None, None], True):
        _with_evidence(content, split=wrong)


def test_an_invariant_that_does_not_hold_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    (invariant,) = contents["count.bpl"]["evidence"]["invariants"]
    for conditions in ([], ["(< i 5)"], ["false"], ["(= i n)"]):
        assert "does not hold" in _with_evidence(
            contents["count.bpl"], invariants=[{**invariant, "conditions": conditions}]
        )
    _with_evidence(contents["count.bpl"], invariants=[{**invariant, "conditions": ["i"]}])


def test_a_step_that_does_not_follow_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    steps = contents["derived.smt2"]["evidence"]["steps"]
    assert "does not end with false" in _with_evidence(contents["derived.smt2"], steps=steps[:-1])
    forged = [{**steps[0], "arguments": ["7", "9"]}, *steps[1:]]
    assert "does not hold" in _with_evidence(contents["derived.smt2"], steps=forged)


def test_a_trace_with_another_value_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    values = contents["fee.bpl"]["evidence"]["values"]["0"]
    forged = {"0": [[name, "-1" if name == "balance" else value] for name, value in values]}
    assert _with_evidence(contents["fee.bpl"], values=forged)
    assert "before the described execution ends" in _with_evidence(
        contents["fee.bpl"], values={"0": [*values, ["x", "1"]]}
    )


def test_a_schedule_with_an_empty_context_is_refused(contents: dict[str, dict[str, Any]]) -> None:
    schedule = contents["fee.bpl"]["evidence"]["schedule"]
    assert "no steps" in _with_evidence(contents["fee.bpl"], schedule=[[7, 0], *schedule])
    assert "thread 7 runs" in _with_evidence(contents["fee.bpl"], schedule=[[7, 1], *schedule])


# --- hostile files ---------------------------------------------------------------------------------------------------

_DEEP = 200_000


def _nested(text: str) -> dict[str, Any]:
    """A certificate of a program with this condition."""
    subject = f"proc main() -> () [entry] {{\n  a:\n    assert {text}\n    return\n}}\n"
    claim = {"verdict": "safe", "property": "assertions", "bounds": {}, "entries": ["main"], "subject": digest(subject)}
    origin = {
        "sources": {},
        "reader": "C",
        "reading": {},
        "engine": "",
        "solvers": [],
        "assumptions": [],
        "version": "",
    }
    evidence = {"kind": "unfolding", "instances": [[-1, "main"]], "invariants": [], "split": None, "refutations": []}
    return {"claim": claim, "origin": origin, "evidence": evidence, "subject": subject.splitlines()}


_HOSTILE = {
    "nothing": b"",
    "zeros": bytes(1000),
    "no text": b"\xff\xfe{}",
    "deep lists": b"[" * _DEEP,
    "deep objects": b'{"a":' * _DEEP,
    "a large number": b'{"version": 1' + b"0" * 300_000 + b"}",
    "no number": b'{"version": NaN}',
    "a name twice": b'{"format": "cleave-certificate", "format": "x"}',
    "another version": b'{"format": "cleave-certificate", "version": 2}',
    "a wide bit vector": sealed(_nested("(= (_ bv0 99999999999) (_ bv0 99999999999))")).encode(),
    "an endless extension": sealed(_nested("(= ((_ zero_extend 99999999) #b1) #b1)")).encode(),
    "an open term": sealed(_nested("(and " * _DEEP)).encode(),
    "a wrong term": sealed(_nested("(not " * _DEEP + "1" + ")" * _DEEP)).encode(),
    "deep sorts": sealed(_nested(f"(exists ((x {'(Array Int ' * 300}Int{')' * 300})) true)")).encode(),
    "a long number": sealed(_nested("(= 1 " + "9" * 200_000 + ")")).encode(),
}


@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_files_get_one_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.cleave"
    file.write_bytes(_HOSTILE[name])
    started = time.process_time()
    assert checker([str(file)]) == 12
    said = capsys.readouterr().out
    assert said.startswith("unreadable: ")
    assert said.count("\n") == 1
    assert len(said) < 400
    assert time.process_time() - started < 5


def test_a_number_longer_than_python_prints_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.cleave"
    file.write_text(sealed(_nested("(exists ((x Int)) (< " + "9" * 6000 + " x))")))
    assert checker([str(file)]) == 0
    assert "cvc5 says" in capsys.readouterr().out


def test_a_mistake_of_the_checker_accepts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "c.cleave"
    file.write_text(sealed(_nested("true")))
    monkeypatch.setattr("cleave_check.__main__.check", lambda *_, **__: 1 // 0)
    assert checker([str(file)]) == 14
    assert capsys.readouterr().out.startswith("undecided: the checker failed with ZeroDivisionError: ")


def test_a_deep_term_that_is_right_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.cleave"
    file.write_text(sealed(_nested("(not " * _DEEP + "true" + ")" * _DEEP)))
    assert checker([str(file)]) == 0
    capsys.readouterr()


def test_another_program_is_noticed_when_the_source_is_read_again(
    contents: dict[str, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = {name: contents["fee.bpl"][name] for name in ("claim", "origin", "evidence", "subject")}
    source, file = tmp_path / "fee.bpl", tmp_path / "c.cleave"
    source.write_text(next(task.text for task in TASKS if task.name == "fee.bpl"))
    file.write_text(sealed(content))
    assert main(["check", str(file), str(source), "--reread"]) == 0
    assert "read again" in capsys.readouterr().out
    lines = [line.replace(">= balance 0", ">= balance 00") for line in content["subject"]]
    subject = [*lines, "var more: Int"]
    claim = {**content["claim"], "subject": digest("".join(f"{line}\n" for line in subject))}
    values = content["evidence"]["values"]["0"]
    at = next(n for n, (name, _) in enumerate(values) if name not in ("balance", "cash"))
    evidence = {**content["evidence"], "values": {"0": [*values[:at], ["more", "0"], *values[at:]]}}
    file.write_text(sealed({**content, "claim": claim, "subject": subject, "evidence": evidence}))
    assert main(["check", str(file), str(source)]) == 0  # it is true of the program that it holds
    capsys.readouterr()
    assert main(["check", str(file), str(source), "--reread"]) == 13
    assert capsys.readouterr().out.startswith("refused: the front end makes another program")
    assert main(["check", str(file), "--reread"]) == 1


def test_how_the_source_was_read_is_told(contents: dict[str, dict[str, Any]], tmp_path: Path, capsys: Any) -> None:
    """Macros, checks and the like make another program of the same text: reading it again in that way shows nothing."""
    content = {name: contents["fee.bpl"][name] for name in ("claim", "origin", "evidence", "subject")}
    source, file = tmp_path / "fee.bpl", tmp_path / "c.cleave"
    source.write_text(next(task.text for task in TASKS if task.name == "fee.bpl"))
    file.write_text(sealed(content))
    assert main(["check", str(file), str(source), "--reread"]) == 0
    assert "read with" not in capsys.readouterr().out
    said = {"defines": ["NDEBUG"], "checks": ["assertions"], "only": [], "malloc_may_fail": False, "array_bounds": True}
    reading = {**content["origin"]["reading"], "c": said}
    file.write_text(sealed({**content, "origin": {**content["origin"], "reading": reading}}))
    assert main(["check", str(file), str(source), "--reread"]) == 0
    assert "\nread with: checks assertions; defines NDEBUG; malloc may fail no\n" in capsys.readouterr().out
    assert checker([str(file)]) == 0
    assert "\nread with (as the writer says): checks assertions; " in capsys.readouterr().out


def test_a_task_definition_stands_for_its_program(contents: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    content = {name: contents["fee.bpl"][name] for name in ("claim", "origin", "evidence", "subject")}
    (tmp_path / "fee.bpl").write_text(next(task.text for task in TASKS if task.name == "fee.bpl"))
    task, file = tmp_path / "fee.yml", tmp_path / "c.cleave"
    task.write_text("format_version: '2.0'\ninput_files: 'fee.bpl'\nproperties: []\n")
    file.write_text(sealed(content))
    assert main(["check", str(file), str(task), "--reread"]) == 0


def test_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "missing")]) == 12
    assert main(["check", str(tmp_path)]) == 12
    assert main(["check", "/dev/zero"]) == 12
    assert main(["check"]) == 1
    assert capsys.readouterr().out.count("\n") == 3


def test_what_is_printed_is_harmless(contents: dict[str, dict[str, Any]], tmp_path: Path, capsys: Any) -> None:
    content = {name: contents["fee.bpl"][name] for name in ("claim", "origin", "evidence", "subject")}
    content["origin"] = {**content["origin"], "assumptions": ["\x1b[2J\u202e all is well\n"]}
    file = tmp_path / "c.cleave"
    file.write_text(sealed(content))
    assert checker([str(file)]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\u202e" not in said
