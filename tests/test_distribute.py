"""Runs on local processes, with a journal: what happens to workers and to the run itself changes no verdict."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cleave.distribute import Distributed, Place
from cleave.engines.coordination import (
    Event,
    Hire,
    Joined,
    Lost,
    Passed,
    Received,
    decode_event,
    encode_event,
    valid_messages,
)
from cleave.engines.engine import GaveUp, Violated
from cleave.engines.inline.messages import Closed, Outcome, SendPartition, Task, encode, from_worker
from cleave.engines.inline.options import InlineOptions, Splits
from cleave.engines.inline.search import Covered, InlineSearch, gap
from cleave.errors import InputError
from cleave.journal.journal import Journal
from cleave.runtime.crew import Crew
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Unsafe
from cleave.verify import Options, resume, verify

OFTEN = InlineOptions(bounds=(1,), splits=Splits.RANDOM, split_after=0, interval=0.05, slice_cost=10_000, moving_cost=0)
"""Splits in every other turn of a worker."""

RECURSIVE = """\
var g: int;
procedure {:entrypoint} main() modifies g; { g := 0; call f(); assert g != 7; }
procedure f() modifies g; { if (*) { g := g + 2; call f(); } else { call h(); } }
procedure h() modifies g; { if (*) { g := g + 4; call f(); } else { g := g + 6; } }
"""


def sums(steps: int, target: int) -> str:
    """Can the sum of so many even numbers, each one of four, be ``target``? Each step multiplies the work by four."""
    calls = " ".join(f"call p{i}();" for i in range(steps))
    text = ["var g: int;", f"procedure main() modifies g; {{ g := 0; {calls} assert g != {target}; }}"]
    for i in range(steps):
        text.append(f"procedure p{i}() modifies g; {{ if (*) {{ call a{i}(); }} else {{ call b{i}(); }} }}")
        for name, one, other in (("a", 2 * i + 2, 4 * i + 8), ("b", 6 * i + 18, -2 * i - 10)):
            text.append(f"procedure {name}{i}() modifies g;")
            text.append(f"{{ if (*) {{ g := g + {one}; }} else {{ g := g + ({other}); }} }}")
    return "\n".join(text)


LONG = sums(7, target=7)  # safe; takes two workers a second or two and is split dozens of times


Found = Covered | Violated | GaveUp


def search_of(text: str, workers: int = 2) -> InlineSearch:
    return InlineSearch(Task("program.bpl", text.encode(), "main", None, OFTEN, workers))


def solve(run: Distributed[Found], halt: threading.Event | None = None) -> Found:
    return run.solve(halt or threading.Event(), lambda counters: None)


def events_of(path: Path) -> list[Event]:
    with Journal.open(path) as journal:
        return [event for _, event in journal.events()]


def closed_ids(events: list[Event]) -> list[str]:
    messages = [message for _, message in valid_messages(events, from_worker)]
    return [m.id for m in messages if isinstance(m, Outcome) and isinstance(m.answer, Closed)]


def splits(events: list[Event]) -> int:
    return sum(isinstance(message, SendPartition) for _, message in valid_messages(events, from_worker))


def when(path: Path, is_time: Callable[[list[Event]], bool], act: Callable[[list[Event]], None]) -> threading.Thread:
    """Acts once, as soon as the journal of a run that is going on tells that it is time."""

    def watch() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            events = events_of(path)
            if is_time(events):
                act(events)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def process_of(events: list[Event], worker: int) -> int:
    place = next(event.place for event in events if isinstance(event, Joined) and event.worker == worker)
    (number,) = re.findall(r"process (\d+)", place)
    return int(number)


# --- verdicts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "bounds", "kind"),
    [
        (sums(4, target=7), (1,), Safe),
        (sums(4, target=12), (1,), Unsafe),
        (RECURSIVE, (1, 2), BoundedSafe),
        (RECURSIVE.replace("7", "8"), (1, 2), Unsafe),
        (RECURSIVE, None, BoundedSafe),
    ],
    ids=["safe", "unsafe", "bounded-safe", "unsafe with recursion", "default bounds"],
)
def test_verdicts_are_those_of_one_worker(
    tmp_path: Path, text: str, bounds: tuple[int, ...] | None, kind: type[object]
) -> None:
    file = tmp_path / "program.bpl"
    file.write_text(text)
    alone = verify(str(file), Options(entry="main", recursion_bounds=bounds))
    together = verify(str(file), Options(entry="main", recursion_bounds=bounds, workers=2, inline=OFTEN))
    assert isinstance(alone.verdict, kind)
    assert isinstance(together.verdict, kind)
    assert together.workers == 2
    if bounds is not None:
        assert together.bounds == alone.bounds or kind is Unsafe


def test_nothing_is_kept_without_a_folder() -> None:
    with Distributed.begin(search_of(sums(2, target=7)), Place(), None) as run:
        assert isinstance(solve(run), Covered)
        assert gap(run.events()) is None
        assert run.journal.path is None


# --- workers that are killed ----------------------------------------------------------------------------------------


def test_a_worker_that_is_killed_at_work_changes_nothing(tmp_path: Path) -> None:
    with Distributed.begin(search_of(LONG), Place(), tmp_path) as run:
        path = run.journal.path
        assert path is not None

        def kill(events: list[Event]) -> None:
            os.kill(process_of(events, 1), signal.SIGKILL)

        killer = when(path, lambda events: splits(events) > 5, kill)
        found = solve(run)
        killer.join()
        assert isinstance(found, Covered)
        assert gap(run.events()) is None
    events = events_of(path)
    assert [event.worker for event in events if isinstance(event, Lost)] == [1]
    assert found.partitions == len(closed_ids(events)) == len(set(closed_ids(events))) == splits(events) + 1


# --- runs that stop -------------------------------------------------------------------------------------------------


def stopped_in_the_middle(folder: Path) -> Path:
    """The journal of a run that was stopped when some of its partitions were closed."""
    with Distributed.begin(search_of(LONG), Place(), folder) as run:
        path, halt = run.journal.path, threading.Event()
        assert path is not None
        stopper = when(path, lambda events: len(closed_ids(events)) > 3, lambda events: halt.set())
        found = solve(run, halt)
        stopper.join()
        assert isinstance(found, GaveUp)
        assert found.reason is Reason.INTERRUPTED
    return path


def test_a_run_that_was_stopped_goes_on_and_solves_nothing_twice(tmp_path: Path) -> None:
    path = stopped_in_the_middle(tmp_path)
    before = events_of(path)
    done = len(closed_ids(before))
    assert 3 < done <= splits(before), "something is closed and something is open"
    with Distributed.again(path) as run:
        found = solve(run)
        assert isinstance(found, Covered)
        assert gap(run.events()) is None
    events = events_of(path)
    assert events[: len(before)] == before
    assert found.partitions == len(closed_ids(events)) == len(set(closed_ids(events))) == splits(events) + 1
    old, new = ({e.worker for e in part if isinstance(e, Joined)} for part in (before, events[len(before) :]))
    assert new
    assert max(old) < min(new), "no number is used again"
    assert {event.worker for event in events if isinstance(event, Lost)} >= old


BEGIN = """\
import sys, threading
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_distribute import LONG, Distributed, Place, search_of, solve
with Distributed.begin(search_of(LONG), Place(), Path(sys.argv[2])) as run:
    print(run.journal.path, flush=True)
    solve(run)
"""


def test_a_run_whose_process_was_killed_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BEGIN, str(Path(__file__).parent), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        when(path, lambda events: len(closed_ids(events)) > 3, lambda events: process.kill()).join()
        assert process.wait() == -signal.SIGKILL
    before = closed_ids(events_of(path))
    result = resume(path)
    assert isinstance(result.verdict, Safe), result.verdict
    after = closed_ids(events_of(path))
    assert after[: len(before)] == before
    assert len(set(after)) == len(after) > len(before)


def finished(folder: Path) -> Path:
    """The journal of a run that ended with its last event and before its verdict was kept."""
    with Distributed.begin(search_of(sums(6, target=7)), Place(), folder) as run:
        assert isinstance(solve(run), Covered)
        assert run.journal.path is not None
        return run.journal.path


def test_a_run_that_stopped_before_its_verdict_needs_no_worker_for_it(tmp_path: Path) -> None:
    path = finished(tmp_path)
    before = events_of(path)
    with Distributed.again(path) as run:
        found = solve(run)
        assert isinstance(found, Covered)
        assert found.partitions == len(closed_ids(before))
        assert gap(run.events()) is None
    assert events_of(path) == before
    assert isinstance(resume(path).verdict, Safe)


class Recorded(SimulatedCrew):
    """Remembers how many workers it was asked for."""

    hired: list[int]

    def hire(self, workers: int) -> None:
        self.hired = [*getattr(self, "hired", []), workers]
        super().hire(workers)


def test_a_run_of_another_version_is_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = finished(tmp_path)
    monkeypatch.setattr("cleave.distribute.__version__", "99")
    with pytest.raises(InputError, match=r"the run is one of Cleave .*, and this is 99"):
        Distributed.again(path)
    monkeypatch.undo()
    with Distributed.again(path) as run:  # and its lock was given back
        assert isinstance(solve(run), Covered)


@pytest.mark.parametrize("events", [[Passed(1.5)], [Passed(1.5), Joined(1), Lost(1)], [Joined(1), Passed(1.5)]])
def test_a_run_that_goes_on_hires_as_many_as_it_had_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, events: list[Event]
) -> None:
    with Distributed.begin(search_of(LONG), Place(runtime="simulated"), tmp_path) as run:
        path = run.journal.path
        assert path is not None
        run.journal.append(events)
    crews: list[Recorded] = []

    def crew(place: Place, assignment: object, first: int) -> Crew:
        crews.append(Recorded(assignment, first=first))  # type: ignore[arg-type]
        return crews[-1]

    monkeypatch.setattr("cleave.distribute._crew", crew)
    halt = threading.Event()
    halt.set()
    with Distributed.again(path) as run:
        solve(run, halt)
    assert crews[0].hired[-1] == Hire(2).workers


# --- journals that are not what they were ---------------------------------------------------------------------------


def tampered(path: Path, change: Callable[[Event], Event]) -> Path:
    """A copy of the journal, with each event changed."""
    copy = path.with_name("copy.journal")
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as connection:
        for number, data in connection.execute("SELECT number, event FROM event").fetchall():
            event = encode_event(change(decode_event(data)))
            connection.execute("UPDATE event SET event = ? WHERE number = ?", (event, number))
    connection.close()
    return copy


def test_a_partition_that_was_closed_under_other_decisions_is_a_gap(tmp_path: Path) -> None:
    path = finished(tmp_path)
    last = [name for name in closed_ids(events_of(path)) if name][-1]

    def weaken(event: Event) -> Event:
        message = from_worker(event.message) if isinstance(event, Received) else None
        if not isinstance(message, Outcome) or message.id != last or not isinstance(message.answer, Closed):
            return event
        assert isinstance(event, Received)
        (meaning, reach), *others = message.answer.decisions
        answer = Closed(None, ((meaning, not reach), *others), "checked")
        return Received(event.worker, encode(Outcome(last, answer, message.effort)))

    copy = tampered(path, weaken)
    with Distributed.again(copy) as run:
        assert isinstance(solve(run), Covered), "the coordinator believes its workers"
        left_out = gap(run.events())
    assert left_out is not None
    assert f"partition {last!r} was closed under other decisions than its own" in left_out
    verdict = resume(copy).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason is Reason.UNCONFIRMED
    assert left_out in verdict.detail


def test_what_the_journal_does_not_say_was_closed_is_solved_again(tmp_path: Path) -> None:
    path = finished(tmp_path)
    last = closed_ids(events_of(path))[-1]
    copy = tampered(path, lambda event: event)
    events = events_of(path)
    while closed_ids(events)[-1:] == [last]:
        events.pop()
    with sqlite3.connect(copy) as connection:
        connection.execute("DELETE FROM event WHERE number > ?", (len(events),))
    connection.close()
    assert closed_ids(events_of(copy)) == closed_ids(events_of(path))[:-1]
    with Distributed.again(copy) as run:
        assert isinstance(solve(run), Covered)
        assert gap(run.events()) is None
    assert closed_ids(events_of(copy)).count(last) <= 1
    assert splits(events_of(copy)) + 1 == len(closed_ids(events_of(copy)))
