"""A file of evidence is written as a whole, or what was there stays."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from cleave import Options, verify

_PROGRAM = "procedure main() { var x: int; assert x != 7; }\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "p.bpl"
    file.write_text(_PROGRAM)
    return file


@pytest.fixture
def _no_room() -> Iterator[None]:
    """Files may have few bytes, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _told(program: Path, file: Path) -> tuple[str, ...]:
    result = verify(str(program), Options(engine="inline", workers=1, journal=None, outputs={"sarif": str(file)}))
    assert result.verdict.word == "unsafe"
    return result.unwritten


@pytest.mark.usefixtures("_no_room")
@pytest.mark.parametrize("old", [None, "old"])
def test_without_room_nothing_changes(program: Path, old: str | None) -> None:
    log = program.with_name("log.sarif")
    if old is not None:
        log.write_text(old)
    (said,) = _told(program, log)
    assert said == f"can't write to {log}: File too large"
    assert {path.name for path in program.parent.iterdir()} == {"p.bpl", *(("log.sarif",) if old else ())}
    assert old is None or log.read_text() == old


def test_a_link_and_its_rights_stay(program: Path) -> None:
    log, link = program.with_name("real.sarif"), program.with_name("log.sarif")
    log.write_text("old")
    log.chmod(0o640)
    link.symlink_to(log)
    assert not _told(program, link)
    assert link.is_symlink()
    assert log.read_text().startswith("{")
    assert log.stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to(program: Path) -> None:
    assert not _told(program, Path(os.devnull))
