"""``cleave unfold`` prints the number of instances of the complete unfolding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cleave.cli.main import main


def chain(length: int) -> str:
    """p0 to pN; each goes to the next in one of two ways."""
    links = (f"procedure p{i}() {{ if (*) {{ call p{i + 1}(); }} else {{ call p{i + 1}(); }} }}" for i in range(length))
    return "\n".join(
        (*links, f"procedure p{length}() {{ assert x != 3; }}", "procedure main() { call p0(); }", "var x: int;")
    )


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "chain.bpl"
    path.write_text(chain(10).replace("() {", "() modifies x; {"))
    return str(path)


def unfold(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["unfold", *arguments])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("merge", ["first", "maxc", "randompick", "opt"])
def test_a_dag_has_an_instance_for_each_procedure(file: str, capsys: pytest.CaptureFixture[str], merge: str) -> None:
    code, out = unfold(capsys, file, "--merge", merge, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["instances"], found["procedures"], found["merges"]) == (12, 12, 10)
    assert (found["inlining"], found["merge"]) == ("dag", merge)


def test_a_tree_is_counted(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(unfold(capsys, file, "--merge", "tree", "--json")[1])
    assert found["instances"] == 1 + 2**11 - 1
    assert found["merge"] is None


def test_the_text_starts_with_the_number(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert unfold(capsys, file)[1].startswith("12 instances of 12 procedures (first")


def test_recursion_is_unfolded_to_the_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "recursive.bpl"
    path.write_text("procedure main() { call f(); }\nprocedure f() { if (*) { call f(); } assert false; }")
    for bound in ("1", "5"):
        found = json.loads(unfold(capsys, str(path), "--recursion-bound", bound, "--json")[1])
        assert found["instances"] == 1 + int(bound)
