"""What a task definition asks for: program, files, data model, property and expected verdict."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cleave.errors import UnsupportedError, UsageError
from cleave.frontends.c.options import COptions
from cleave.run.request import Options
from cleave.run.tasks import resolve_task

SEVERAL = (("unreach-call", "true"), ("no-data-race", "false"), ("termination", "true"))


def task(tmp_path: Path, *properties: tuple[str, str], files: str = "a.c") -> str:
    listed = "".join(
        f"  - property_file: ../properties/{name}.prp\n    expected_verdict: {holds}\n" for name, holds in properties
    )
    file = tmp_path / "task.yml"
    file.write_text(f"format_version: '2.0'\ninput_files: {files}\nproperties:\n{listed}", encoding="utf-8")
    return str(file)


def test_all_that_can_be_checked(tmp_path: Path) -> None:
    found = resolve_task(task(tmp_path, *SEVERAL), Options())
    assert (found.options.c.checks, found.expected) == (("assertions", "data-race"), "unsafe")


def test_all_must_hold(tmp_path: Path) -> None:
    both = resolve_task(task(tmp_path, SEVERAL[0], ("no-deadlock", "true")), Options())
    assert both.expected == "safe"
    one = resolve_task(task(tmp_path, SEVERAL[0], ("no-deadlock", "unknown")), Options())
    assert one.expected is None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (("data-race",), "unsafe"),
        (("no-data-race",), "unsafe"),
        (("assertions",), "safe"),
        (("deadlock",), None),
        (("assertions", "deadlock"), None),
        (("data-race", "deadlock"), "unsafe"),
    ],
)
def test_what_is_wanted(tmp_path: Path, wanted: tuple[str, ...], expected: str | None) -> None:
    found = resolve_task(task(tmp_path, *SEVERAL), Options(c=COptions(checks=wanted)))
    assert (found.options.c.checks, found.expected) == (wanted, expected)


def test_by_content(tmp_path: Path) -> None:
    (tmp_path / "own.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )", encoding="utf-8")
    file = tmp_path / "task.yml"
    file.write_text("input_files: a.c\nproperties:\n  - property_file: own.prp\n", encoding="utf-8")
    assert resolve_task(str(file), Options()).options.c.checks == ("data-race",)


def test_a_property_file_without_an_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "no-data-race.prp")
    file = tmp_path / "task.yml"
    text = "input_files: a.c\nproperties:\n  - property_file: no-data-race.prp\n  - property_file: /dev/zero\n"
    file.write_text(text, encoding="utf-8")
    assert resolve_task(str(file), Options()).options.c.checks == ("data-race",)


def test_none_is_known(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"properties \(termination\) none is one of unreach-call, unreach-"):
        resolve_task(task(tmp_path, SEVERAL[2]), Options())


def test_several_files(tmp_path: Path) -> None:
    found = resolve_task(task(tmp_path, SEVERAL[0], files="[a.c, b.i]"), Options())
    assert (found.file, found.options.c.others) == (str(tmp_path / "a.c"), (str(tmp_path / "b.i"),))
    with pytest.raises(UnsupportedError, match="several are supported only in C"):
        resolve_task(task(tmp_path, SEVERAL[0], files="[a.bpl, b.bpl]"), Options())


def test_checks_of_other_languages() -> None:
    with pytest.raises(UsageError, match=r"a\.smt2: --check data-race is for programs in C"):
        resolve_task("a.smt2", Options(c=COptions(checks=("assertions", "data-race"))))
