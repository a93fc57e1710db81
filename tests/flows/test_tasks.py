"""What a task definition asks for: program, files, data model, property and expected verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave.errors import UnsupportedError, UsageError
from cleave.flows.options import Options
from cleave.flows.tasks import resolve_task
from cleave.frontends.c.options import Check, COptions

SEVERAL = (("unreach-call", "true"), ("no-data-race", "false"), ("no-overflow", "true"))


def task(tmp_path: Path, *properties: tuple[str, str], files: str = "a.c") -> str:
    listed = "".join(
        f"  - property_file: ../properties/{name}.prp\n    expected_verdict: {holds}\n" for name, holds in properties
    )
    file = tmp_path / "task.yml"
    file.write_text(f"format_version: '2.0'\ninput_files: {files}\nproperties:\n{listed}", encoding="utf-8")
    return str(file)


def test_reachability_comes_first(tmp_path: Path) -> None:
    found = resolve_task(task(tmp_path, *reversed(SEVERAL)), Options())
    assert (found.options.c.check, found.expected) == (Check.REACH, "safe")


def test_what_is_wanted(tmp_path: Path) -> None:
    wanted = Options(c=COptions(check=Check.DATA_RACE))
    found = resolve_task(task(tmp_path, *SEVERAL), wanted)
    assert (found.options.c.check, found.expected) == (Check.DATA_RACE, "unsafe")


def test_what_is_wanted_and_not_expected(tmp_path: Path) -> None:
    found = resolve_task(task(tmp_path, *SEVERAL), Options(c=COptions(check=Check.DEADLOCK)))
    assert (found.options.c.check, found.expected) == (Check.DEADLOCK, None)


def test_the_only_one_that_is_known(tmp_path: Path) -> None:
    found = resolve_task(task(tmp_path, *SEVERAL[1:]), Options())
    assert (found.options.c.check, found.expected) == (Check.DATA_RACE, "unsafe")


def test_by_content(tmp_path: Path) -> None:
    (tmp_path / "own.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )", encoding="utf-8")
    file = tmp_path / "task.yml"
    file.write_text("input_files: a.c\nproperties:\n  - property_file: own.prp\n", encoding="utf-8")
    assert resolve_task(str(file), Options()).options.c.check is Check.DATA_RACE


def test_none_is_known(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"properties \(no-overflow\) none is one of unreach-call, unreach-"):
        resolve_task(task(tmp_path, SEVERAL[2]), Options())


def test_several_files(tmp_path: Path) -> None:
    found = resolve_task(task(tmp_path, SEVERAL[0], files="[a.c, b.i]"), Options())
    assert (found.file, found.options.c.others) == (str(tmp_path / "a.c"), (str(tmp_path / "b.i"),))
    with pytest.raises(UnsupportedError, match="several are supported only in C"):
        resolve_task(task(tmp_path, SEVERAL[0], files="[a.bpl, b.bpl]"), Options())


def test_checks_of_other_languages() -> None:
    with pytest.raises(UsageError, match=r"a\.bpl: --check data-race is for programs in C"):
        resolve_task("a.bpl", Options(c=COptions(check=Check.DATA_RACE)))
