"""Journals keep what was appended: in order, through crashes, for readers and for one writer."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.coordination import Event, Joined, Lost, Passed, Received
from cleave.errors import InputError, UsageError
from cleave.journal.journal import Journal, RunInfo

INFO = RunInfo(
    id="20261116-013105-driver-3f2a91",
    files=("src/driver.bpl",),
    engine="inline",
    workers=4,
    runtime="local",
    options={"split": "core", "bounds": {"recursion": 2}, "entry": None},
    started=datetime(2026, 11, 16, 1, 31, 5, 250_000, tzinfo=UTC),
    version="0.1.0",
    source="sha256:00ff",
)
EVENTS: list[Event] = [Joined(1, "local"), Received(1, b"\x00\xff"), Passed(1.5), Lost(1, "memory")]

numbers = st.integers(0, 2**31)
some_events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Joined, numbers, st.text()),
    st.builds(Lost, numbers, st.text()),
    st.builds(Received, numbers, st.binary()),
    st.builds(Passed, st.floats(0, 1e9)),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a run.journal"


def events_of(journal: Journal) -> list[Event]:
    return [event for _, event in journal.events()]


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@settings(max_examples=30)
@given(st.lists(st.lists(some_events, max_size=5)))
def test_events_come_back_in_order(batches: list[list[Event]]) -> None:
    with Journal.in_memory(INFO) as journal:
        for batch in batches:
            journal.append(batch)
        assert events_of(journal) == [event for batch in batches for event in batch]


def test_a_finished_run_is_one_file_that_tells_all_about_it(path: Path) -> None:
    with Journal.create(path, INFO, b"the plan", b"the program" * 1000) as journal:
        journal.append(EVENTS)
        assert journal.result is None
        journal.finish({"verdict": "safe", "seconds": 1.5})
    assert names_in(path.parent) == [path.name]
    with Journal.open(path) as journal:
        assert journal.info == INFO
        assert (journal.plan, journal.source) == (b"the plan", b"the program" * 1000)
        assert journal.result == {"verdict": "safe", "seconds": 1.5}
        assert events_of(journal) == EVENTS
    assert names_in(path.parent) == [path.name]
    assert path.stat().st_mode & 0o077 == 0


def test_a_journal_in_memory_does_all_the_same() -> None:
    with Journal.in_memory(INFO) as journal:
        journal.append(EVENTS)
        journal.finish({"verdict": "unsafe"})
        assert (journal.info, journal.result) == (INFO, {"verdict": "unsafe"})
        assert events_of(journal) == EVENTS


def test_events_tell_when_they_came() -> None:
    info = msgspec.structs.replace(INFO, started=datetime.now(UTC))
    with Journal.in_memory(info) as journal:
        journal.append([Joined(1)])
        journal.append([Joined(2)])
        times = [seconds for seconds, _ in journal.events()]
    assert times == sorted(times)
    assert 0 <= times[0] < 10


def test_more_events_than_are_read_at_once() -> None:
    many: list[Event] = [Joined(number) for number in range(2_500)]
    with Journal.in_memory(INFO) as journal:
        journal.append(many)
        assert events_of(journal) == many


def test_a_batch_is_appended_as_a_whole_or_not_at_all(path: Path) -> None:
    with Journal.create(path, INFO) as journal:
        journal.append(EVENTS)
        with pytest.raises(TypeError):
            journal.append([Joined(7), object()])  # type: ignore[list-item]
        assert events_of(journal) == EVENTS


def test_a_run_without_an_answer_goes_on(path: Path) -> None:
    with Journal.create(path, INFO) as journal:
        journal.append(EVENTS[:2])
        journal.finish({"verdict": "unknown"})
    with Journal.reopen(path) as journal:
        assert journal.result == {"verdict": "unknown"}
        journal.append(EVENTS[2:])
        assert journal.result is None
        assert events_of(journal) == EVENTS
        journal.finish({"verdict": "safe"})
    with Journal.open(path) as journal:
        assert journal.result == {"verdict": "safe"}
    assert names_in(path.parent) == [path.name]


def test_one_reads_while_another_writes(path: Path) -> None:
    with Journal.create(path, INFO) as writer, Journal.open(path) as reader:
        reading = reader.events()
        for count, event in enumerate(EVENTS, 1):
            writer.append([event])
            assert events_of(reader) == EVENTS[:count]
        assert next(reading)[1] == EVENTS[0]  # in the middle of reading
        writer.append([Joined(2)])
        writer.finish({"verdict": "safe"})
        assert reader.result == {"verdict": "safe"}
        writer.close()
        assert events_of(reader) == [*EVENTS, Joined(2)]


def test_readers_can_not_write(path: Path) -> None:
    Journal.create(path, INFO).close()
    with Journal.open(path) as journal, pytest.raises(UsageError, match=r"can't write to the journal .*: attempt to"):
        journal.append(EVENTS)


def test_only_one_writes(path: Path) -> None:
    with Journal.create(path, INFO):
        with pytest.raises(UsageError) as refused:
            Journal.reopen(path)
        assert str(refused.value) == f"run a run is running already, in process {os.getpid()}"
        with pytest.raises(UsageError):
            Journal.create(path, INFO)
    with Journal.reopen(path), pytest.raises(UsageError):
        Journal.reopen(path)
    Journal.reopen(path).close()


def test_a_journal_is_never_overwritten(path: Path) -> None:
    Journal.create(path, INFO).close()
    with pytest.raises(UsageError, match=r"there is a journal at .* already"):
        Journal.create(path, INFO)
    Journal.reopen(path).close()


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"can't write to .*/missing: No such file"):
        Journal.create(tmp_path / "missing" / "a.journal", INFO)


WRITER = """
import sys
from pathlib import Path
from cleave.engines.coordination import Joined
from cleave.journal.journal import Journal

with Journal.reopen(Path(sys.argv[1])) as journal:
    for number in range(0, 3_000_000, 3):
        journal.append([Joined(number), Joined(number + 1), Joined(number + 2)])
        print(number + 3, flush=True)
"""


def test_what_was_appended_outlives_its_process(path: Path) -> None:
    """The writer is killed at any moment: what it was told is kept is there, and beyond that only whole batches."""
    Journal.create(path, INFO, b"plan", b"task").close()
    kept = 0
    for least in (30, 300):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        acknowledged = next(int(line) for line in writer.stdout if int(line) >= least)
        with pytest.raises(UsageError, match=f"running already, in process {writer.pid}"):
            Journal.reopen(path)
        writer.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in writer.stdout.read().splitlines())])
        writer.stdout.close()
        writer.wait()
        with Journal.open(path) as journal:
            events = events_of(journal)[kept:]
            assert journal.result is None
            assert journal.source == b"task"
        assert events == [Joined(number) for number in range(len(events))]
        assert len(events) in (acknowledged, acknowledged + 3)
        kept += len(events)


def other_version(path: Path) -> None:
    Journal.create(path, INFO).close()
    sqlite3.connect(path).execute("PRAGMA user_version = 99")


def other_database(path: Path) -> None:
    sqlite3.connect(path).execute("CREATE TABLE run (info)")


def missing_table(path: Path) -> None:
    Journal.create(path, INFO).close()
    sqlite3.connect(path).execute("DROP TABLE run")


def missing_row(path: Path) -> None:
    Journal.create(path, INFO).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM run")


def other_info(path: Path) -> None:
    Journal.create(path, INFO).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET info = '{}'")


def cut_short(path: Path) -> None:
    with Journal.create(path, INFO, os.urandom(100_000)) as journal:
        journal.append(EVENTS * 1000)
        journal.finish({})
    with path.open("r+b") as file:
        file.truncate(5_000)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda path: path.write_text("procedure main() {}\n" * 100), "this is no journal of Cleave's"),
        (lambda path: path.write_bytes(b""), "the journal is empty: its run was killed before it began"),
        (other_database, "this is no journal of Cleave's"),
        (other_version, "the journal has format 99; this Cleave reads format 2"),
        (missing_table, "the journal is damaged (no such table: run)"),
        (missing_row, "the journal is damaged (it does not say what run it is of)"),
        (other_info, "the journal is damaged (Object missing required field `id`)"),
        (cut_short, "the journal is damaged (database disk image is malformed)"),
        (Path.mkdir, "there is no such journal"),
        (lambda path: None, "there is no such journal"),
    ],
)
def test_other_files_are_refused_with_a_clear_sentence(path: Path, make: object, complaint: str) -> None:
    assert callable(make)
    make(path)
    for attempt in (Journal.open, Journal.reopen):
        with pytest.raises(InputError) as refused:
            attempt(path)
        assert str(refused.value) == f"{path}: {complaint}"
    assert not any(name.endswith("-lock") for name in names_in(path.parent))


def test_broken_events_are_noticed(path: Path) -> None:
    with Journal.create(path, INFO) as journal:
        journal.append(EVENTS)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE event SET event = x'93' WHERE number = 2")
    with Journal.open(path) as journal, pytest.raises(InputError, match="the journal is damaged"):
        events_of(journal)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE stage SET began = 'soon'",
        "UPDATE outcome SET seconds = x'93'",
        "UPDATE outcome SET data = 'text'",
        "UPDATE event SET seconds = 'late'",
        "UPDATE event SET event = 'text'",
    ],
)
def test_values_of_another_type_are_noticed(path: Path, change: str) -> None:
    with Journal.create(path, INFO) as journal:
        journal.begin(0, b"spec")
        journal.append(EVENTS)
        journal.end(0, b"outcome", 1.5)
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    with Journal.open(path) as journal, pytest.raises(InputError, match="the journal is damaged"):
        str((journal.stages(), journal.seconds(), events_of(journal)))


# --- stages ---------------------------------------------------------------------------------------------------------


def test_events_belong_to_stages(path: Path) -> None:
    with Journal.create(path, INFO) as journal:
        journal.begin(1, b"first")
        journal.begin(2, b"second")
        journal.append([Joined(1)], stage=1)
        journal.append([Joined(2), Lost(2)], stage=2)
        journal.append([Joined(3)], stage=1)
    with Journal.open(path) as journal:
        assert [event for _, event in journal.events(1)] == [Joined(1), Joined(3)]
        assert [event for _, event in journal.events(2)] == [Joined(2), Lost(2)]
        assert events_of(journal) == [Joined(1), Joined(2), Lost(2), Joined(3)]


def test_a_stage_has_an_outcome_once_it_has_ended(path: Path) -> None:
    with Journal.create(path, INFO) as journal:
        journal.begin(2, b"second")
        journal.begin(1, b"first")
        journal.end(1, b"outcome", 1.5)
        first, second = journal.stages()
        assert (first.number, first.spec, first.outcome, first.seconds) == (1, b"first", b"outcome", 1.5)
        assert (second.number, second.outcome, second.ended, second.seconds) == (2, None, None, None)
    with Journal.reopen(path) as journal:
        journal.begin(2, b"second again")
        journal.end(2, b"other", 0.5)
        assert [(row.spec, row.outcome) for row in journal.stages()] == [
            (b"first", b"outcome"),
            (b"second again", b"other"),
        ]


def test_a_stage_that_begins_voids_the_result_and_what_has_ended_stays(path: Path) -> None:
    with Journal.create(path, INFO) as journal:
        journal.begin(1, b"first")
        journal.end(1, b"outcome", 1.5)
        journal.finish({"verdict": "unknown"})
    with Journal.reopen(path) as journal:
        assert journal.result == {"verdict": "unknown"}
        journal.begin(2, b"second")
        assert journal.result is None
        assert journal.stages()[0].outcome == b"outcome"
