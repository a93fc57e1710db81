"""Runs are found by id, path or age; old finished ones go."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cleave.errors import UsageError
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.places import default_folder, find_run, list_runs, new_run_id, prune, start_run

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def info(name: str, seconds: float = 0) -> RunInfo:
    started = NOON + timedelta(seconds=seconds)
    return RunInfo(
        id=f"{started:%Y%m%d-%H%M%S}-{name}",
        files=(f"{name}.bpl",),
        engine="inline",
        workers=1,
        runtime="local",
        options={},
        started=started,
        version="0.1.0",
        source="",
    )


def add(folder: Path, name: str, seconds: float = 0, *, finished: bool = True) -> Path:
    with start_run(folder, info(name, seconds)) as journal:
        if finished:
            journal.finish({"verdict": "safe"})
        assert journal.path is not None
        return journal.path


def test_ids_are_readable_sortable_and_unique() -> None:
    assert re.fullmatch("20261116-120000-driver-[0-9a-f]{6}", new_run_id("src/driver.bpl", NOON))
    assert new_run_id("z.bpl", NOON) < new_run_id("a.bpl", NOON + timedelta(seconds=1))
    assert len({new_run_id("a.bpl", NOON) for _ in range(50)}) == 50
    assert re.fullmatch("20261116-120000-[0-9a-f]{6}", new_run_id("<>", NOON))
    assert re.fullmatch("20261116-120000-a-b-c-[0-9a-f]{6}", new_run_id("x/../a b;c.bpl", NOON))
    assert len(new_run_id("x" * 500)) < 50


def test_the_folder_follows_the_xdg_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert default_folder() == Path("/state/cleave/runs")
    for not_absolute in ("", "state"):
        monkeypatch.setenv("XDG_STATE_HOME", not_absolute)
        assert default_folder() == Path("/home/me/.local/state/cleave/runs")


def test_runs_are_found_by_the_beginning_of_their_id(tmp_path: Path) -> None:
    one, other = add(tmp_path, "one"), add(tmp_path, "other", 1)
    assert find_run(tmp_path, one.stem) == one
    assert find_run(tmp_path, "20261116-120001") == other
    longer = add(tmp_path, "one-more")
    assert find_run(tmp_path, one.stem) == one, "an exact id is not ambiguous"
    assert find_run(tmp_path, longer.stem) == longer
    with pytest.raises(UsageError) as refused:
        find_run(tmp_path, "20261116-1200")
    assert str(refused.value) == (
        f"3 runs have ids that begin with '20261116-1200': {other.stem}, {longer.stem}, {one.stem}"
    )
    with pytest.raises(UsageError, match=r"no run in .* has an id that begins with '2025'"):
        find_run(tmp_path, "2025")


def test_long_lists_of_candidates_are_cut(tmp_path: Path) -> None:
    for second in range(7):
        add(tmp_path, "a", second)
    with pytest.raises(UsageError, match=r"^7 runs .*: 20261116-120006-a, .*, 20261116-120002-a, \.\.\.$"):
        find_run(tmp_path, "2026")


def test_the_latest_run_is_the_one_started_last(tmp_path: Path) -> None:
    add(tmp_path, "z", 1.2)
    latest = add(tmp_path, "b", 1.7)  # in the same second
    add(tmp_path, "c", 0)
    (tmp_path / "99991231-235959-broken.journal").write_text("not one")
    assert find_run(tmp_path, "latest") == latest
    with pytest.raises(UsageError, match=r"there are no runs in .*/empty"):
        find_run(tmp_path / "empty", "latest")


def test_runs_are_found_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = add(tmp_path / "elsewhere", "a")
    assert find_run(tmp_path, str(path)) == path
    monkeypatch.chdir(path.parent)
    assert find_run(tmp_path, path.name).samefile(path)
    with pytest.raises(UsageError, match=r"there is no journal at missing$"):
        find_run(tmp_path, "./missing")


def test_runs_are_listed_newest_first_with_notes_about_what_is_none(tmp_path: Path) -> None:
    add(tmp_path, "old")
    add(tmp_path, "unfinished", 1, finished=False)
    broken = tmp_path / "20261116-115959-broken.journal"
    broken.write_text("not one")
    with start_run(tmp_path, info("live", 2)):
        runs, notes = list_runs(tmp_path)
    assert [(run.info.files[0], run.result, run.going_on) for run in runs] == [
        ("live.bpl", None, True),
        ("unfinished.bpl", None, False),
        ("old.bpl", {"verdict": "safe"}, False),
    ]
    assert notes == [f"{broken}: this is no journal of Cleave's"]
    assert list_runs(tmp_path / "missing") == ([], [])


def test_the_oldest_finished_runs_go(tmp_path: Path) -> None:
    resumable = add(tmp_path, "resumable", 0, finished=False)
    broken = tmp_path / "20261116-115959-broken.journal"
    broken.write_text("not one")
    gone = [add(tmp_path, "gone", 1), add(tmp_path, "gone", 2)]
    kept = [add(tmp_path, "kept", second) for second in (4, 5)]
    with start_run(tmp_path, info("live", 3)) as live:
        live.finish({})
        assert prune(tmp_path, keep=2) == gone[::-1]
        assert set(tmp_path.glob("*.journal")) == {resumable, broken, live.path, *kept}
    assert prune(tmp_path, keep=2) == [live.path]
    assert {file.name for file in tmp_path.iterdir()} == {path.name for path in (resumable, broken, *kept)}


def test_starting_a_run_prunes(tmp_path: Path) -> None:
    first, second = add(tmp_path, "a", 0), add(tmp_path, "a", 1)
    with start_run(tmp_path, info("a", 2), b"plan", b"task", keep=2) as journal:
        assert set(tmp_path.glob("*.journal")) == {second, journal.path}
        assert not first.exists()
        assert journal.source == b"task"


def test_files_of_a_killed_process_go_with_its_journal(tmp_path: Path) -> None:
    path = add(tmp_path, "a")
    for suffix in ("-lock", "-shm"):
        path.with_name(path.name + suffix).write_bytes(b"")
    assert prune(tmp_path, keep=0) == [path]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"can't make the folder .*/file/runs for journals: Not a directory"):
        start_run(tmp_path / "file" / "runs", info("a"))


def test_journals_can_be_opened_by_what_was_found(tmp_path: Path) -> None:
    add(tmp_path, "a")
    with Journal.open(find_run(tmp_path, "latest")) as journal:
        assert journal.info == info("a")
