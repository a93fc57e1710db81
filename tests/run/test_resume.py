"""Runs whose process is gone, at any moment, go on: with the same verdict, and the files that were asked for."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from cleave import InlineOptions, Options, resume, verify
from cleave.cli.main import main
from cleave.engines import registry
from cleave.engines.coordination import Joined
from cleave.engines.executions.options import ExecutionsOptions
from cleave.errors import CleaveError, InputError, UsageError
from cleave.journal.journal import Journal, StageRow
from cleave.run.carry_out import _left
from cleave.run.merge import settled
from cleave.run.outcome import Outcome, decode_outcome
from cleave.run.plan import Stage, decode_plan, encode_plan
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Unsafe
from support.runs import begun
from support.sums import LONG, OFTEN, closed_ids, sums

RECURSIVE = """\
var g: int;
procedure {:entrypoint} main() modifies g; { g := 0; call f(); assert g != 7; }
procedure f() modifies g; { if (*) { g := g + 2; call f(); } else { call h(); } }
procedure h() modifies g; { if (*) { g := g + 4; call f(); } else { g := g + 6; } }
"""
FOR_EVER = """\
procedure main() {
  var x, y, i: int;
  x, y := 0, 0;
  while (*) { x, y := x + 1, y + 2; }
  i := 0;
  while (i < x) { i := i + 1; }
  assert y == 2 * i;
}
"""
VIOLATED = FOR_EVER.replace("y == 2 * i", "y != 300")
RUN = """\
import sys, msgspec
from pathlib import Path
from cleave import InlineOptions, Options, verify
engines = tuple(msgspec.json.decode(one, type=InlineOptions) for one in sys.argv[5:])
outputs = msgspec.json.decode(sys.argv[4])
verify(sys.argv[1], Options(
    engine=sys.argv[3] or None, engines=engines, workers=2, journal=Path(sys.argv[2]), outputs=outputs))
"""
# The run stands still once its journal has enough, so that it is killed then and not later, on any machine.
STANDING = """\
import sys, time
sys.path.insert(0, {tests!r})
from cleave.engines.coordination import Joined
from cleave.engines.executions.options import ExecutionsOptions
from cleave.journal.journal import Journal
from support.sums import closed_ids
append = Journal.append
def append_and_stand(journal, *rest):
    append(journal, *rest)
    events = [event for _, event in journal.events()]
    if {enough}:
        time.sleep(600)
Journal.append = append_and_stand
"""
IsTime = Callable[[list[StageRow], Journal], bool]


def killed(
    file: Path,
    folder: Path,
    is_time: IsTime,
    *,
    engine: str = "",
    own: object = None,
    enough: str | None = None,
    **outputs: str,
) -> Path:
    """The journal of a run in a process of its own, which is killed when it is time; or that has ended before, but
    not if it stands still when its events are ``enough``."""
    options = [] if own is None else [msgspec.json.encode(own).decode()]
    arguments = [str(file), str(folder), engine, json.dumps(outputs), *options]
    standing = "" if enough is None else STANDING.format(tests=str(Path(__file__).parents[1]), enough=enough)
    with subprocess.Popen([sys.executable, "-c", standing + RUN, *arguments]) as process:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if paths := list(folder.glob("*.journal")):
                try:
                    with Journal.open(paths[0]) as journal:
                        if is_time(journal.stages(), journal):
                            process.kill()
                            break
                except CleaveError:
                    pass  # it is being made
            time.sleep(0.005)
        assert process.wait() in (0, -signal.SIGKILL)
    (path,) = folder.glob("*.journal")
    return path


def begun_stages(number: int) -> IsTime:
    return lambda rows, journal: len(rows) >= number


def ended_stages(number: int) -> IsTime:
    return lambda rows, journal: sum(row.outcome is not None for row in rows) >= number


def passed(seconds: float) -> IsTime:
    first: list[float] = []

    def is_time(rows: list[StageRow], journal: Journal) -> bool:
        first.append(time.monotonic())
        return first[-1] - first[0] >= seconds

    return is_time


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.bpl"


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
    file: Path, text: str, bounds: tuple[int, ...] | None, kind: type[object]
) -> None:
    file.write_text(text)
    own = InlineOptions(bounds=bounds)
    often = msgspec.convert({**msgspec.to_builtins(OFTEN), "bounds": bounds}, InlineOptions)
    alone = verify(str(file), Options(engine="inline", entry="main", engines=(own,), workers=1))
    together = verify(str(file), Options(engine="inline", entry="main", engines=(often,), workers=2))
    assert isinstance(alone.verdict, kind)
    assert isinstance(together.verdict, kind)
    assert together.workers == 2
    if bounds is not None:
        assert together.bounds == alone.bounds or kind is Unsafe


# --- kill -9 --------------------------------------------------------------------------------------------------------


def test_nothing_is_searched_twice(file: Path, tmp_path: Path) -> None:
    file.write_text(LONG)

    def is_time(rows: list[StageRow], journal: Journal) -> bool:
        return len(closed_ids([event for _, event in journal.events()])) > 3

    path = killed(file, tmp_path, is_time, engine="inline", own=OFTEN, enough="len(closed_ids(events)) > 3")
    with Journal.open(path) as journal:
        before = closed_ids([event for _, event in journal.events()])
    result = resume(path)
    assert isinstance(result.verdict, Safe), result.verdict
    with Journal.open(path) as journal:
        after = closed_ids([event for _, event in journal.events()])
    assert after[: len(before)] == before
    assert len(set(after)) == len(after) > len(before) > 3


MOMENTS: dict[str, Callable[[], IsTime]] = {
    "1st began": lambda: begun_stages(1),
    "1st ended": lambda: ended_stages(1),
    "2nd began": lambda: begun_stages(2),
    "4th began": lambda: begun_stages(4),
    "2 ended": lambda: ended_stages(2),
    "later": lambda: passed(1.5),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(("text", "word"), [(FOR_EVER, "safe"), (VIOLATED, "unsafe")], ids=["safe", "unsafe"])
def test_a_plan_of_several_engines_goes_on(file: Path, tmp_path: Path, text: str, word: str, moment: str) -> None:
    file.write_text(text)
    path = killed(file, tmp_path, MOMENTS[moment](), sarif=str(tmp_path / "found.sarif"))
    with Journal.open(path) as journal:
        done = {row.number: row for row in journal.stages() if row.outcome is not None}
        was_over = settled({number: decode_outcome(row.outcome or b"") for number, row in done.items()})
    (tmp_path / "found.sarif").unlink(missing_ok=True)
    result = resume(path)
    assert result.verdict.word == word, result
    with Journal.open(path) as journal:
        rows = {row.number: row for row in journal.stages()}
        assert journal.result is not None
        assert journal.result["verdict"] == word
    assert {number: rows[number] for number in done} == done, "what was finished is not done again"
    assert was_over or len(rows) > len(done)
    log = json.loads((tmp_path / "found.sarif").read_text())
    assert len(log["runs"][0]["results"]) == (word == "unsafe")
    assert all(row.outcome is None or decode_outcome(row.outcome).stage == row.number for row in rows.values())


def test_a_run_may_be_killed_and_resumed_again_and_again(file: Path, tmp_path: Path) -> None:
    """Each time by a process that is killed soon; some progress is made each time, so it ends."""
    file.write_text(FOR_EVER)
    path = killed(file, tmp_path, begun_stages(1))
    go_on = "import sys\nfrom pathlib import Path\nfrom cleave import resume\nresume(Path(sys.argv[1]))"
    for delay in (0.5, 0.8, 1.1):
        with subprocess.Popen([sys.executable, "-c", go_on, str(path)]) as process:
            time.sleep(delay)
            process.kill()
    assert isinstance(resume(path).verdict, Safe)


def test_workers_of_a_stage_that_goes_on_have_new_numbers(file: Path, tmp_path: Path) -> None:
    file.write_text(LONG)

    def joined(journal: Journal) -> list[int]:
        return [event.worker for _, event in journal.events() if isinstance(event, Joined)]

    enough = "any(isinstance(event, Joined) for event in events)"
    path = killed(
        file, tmp_path, lambda rows, journal: bool(joined(journal)), engine="inline", own=OFTEN, enough=enough
    )
    with Journal.open(path) as journal:
        before = joined(journal)
    resume(path)
    with Journal.open(path) as journal:
        after = joined(journal)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after) > len(before)


# --- what a run that goes on is asked for ---------------------------------------------------------------------------


def test_a_run_that_only_began_does_it_all(file: Path, tmp_path: Path) -> None:
    file.write_text(VIOLATED)
    outputs = {"sarif": str(tmp_path / "found.sarif")}
    path, plan = begun(str(file), Options(workers=2, outputs=outputs), tmp_path / "runs")
    result = resume(path)
    assert isinstance(result.verdict, Unsafe)
    assert len(result.stages) <= len(plan.stages) + 5
    assert (tmp_path / "found.sarif").exists()
    assert not result.unwritten


def test_files_about_a_program_that_has_changed_are_not_written(file: Path, tmp_path: Path) -> None:
    file.write_text(VIOLATED)
    outputs = {"sarif": str(tmp_path / "found.sarif")}
    path, _ = begun(str(file), Options(workers=1, outputs=outputs), tmp_path / "runs")
    file.write_text(FOR_EVER)
    result = resume(path)
    assert isinstance(result.verdict, Unsafe), "the verdict is about what was read"
    assert result.unwritten == (f"{outputs['sarif']} is not written: the program has changed since the run began",)
    assert not (tmp_path / "found.sarif").exists()


def test_another_time_limit(file: Path, tmp_path: Path) -> None:
    """A run that ran out of time has more of it when it is resumed."""
    file.write_text(sums(9, target=7))
    own = InlineOptions(bounds=(1,))
    first = verify(
        str(file), Options(engine="inline", engines=(own,), workers=1, timelimit=0.05, journal=tmp_path / "runs")
    )
    assert isinstance(first.verdict, Unknown)
    assert first.verdict.reason is Reason.TIMEOUT
    (path,) = (tmp_path / "runs").glob("*.journal")
    assert isinstance(resume(path, timelimit=100.0).verdict, Safe)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_ran_out_of_its_budgets_goes_on_with_larger_ones(file: Path, tmp_path: Path, workers: int) -> None:
    file.write_text(sums(7, target=7))
    path, plan = begun(str(file), Options(engine="inline", workers=workers), tmp_path / "runs")
    small = replace(plan, stages=tuple(replace(stage, patience=0.001) for stage in plan.stages))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET plan = ?", (encode_plan(small),))
    verdict = resume(path).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason is Reason.BUDGET
    for times in range(12):
        with Journal.open(path) as journal:
            (row,) = journal.stages()
            assert msgspec.json.decode(row.spec, type=Stage).patience == pytest.approx(0.001 * 4**times)
        verdict = resume(path).verdict
        if not isinstance(verdict, Unknown):
            break
    assert isinstance(verdict, Safe)


def test_executions_that_found_nothing_go_on_with_others(file: Path, tmp_path: Path) -> None:
    """A stage without budgets of the plan has those of its engine's options. The file that was asked for is written."""
    file.write_text(FOR_EVER.replace("y == 2 * i", "i != 3"))
    log = tmp_path / "found.sarif"
    first = verify(
        str(file),
        Options(
            engine="executions",
            engines=(ExecutionsOptions(steps=1, longest=1),),
            journal=tmp_path / "runs",
            outputs={"sarif": str(log)},
        ),
    )
    assert isinstance(first.verdict, Unknown)
    assert first.verdict.reason is Reason.BUDGET
    log.unlink()
    (path,) = (tmp_path / "runs").glob("*.journal")
    for _ in range(8):
        verdict = resume(path).verdict
        if isinstance(verdict, Unsafe):
            break
    assert isinstance(verdict, Unsafe)
    assert "i != 3" in log.read_text()


def test_what_ran_out_of_a_budget_waits_until_the_rest_is_done() -> None:
    first, second, third = (Stage(number=n, engine="inline", purpose="", cost=7, patience=2.0) for n in (1, 2, 3))
    short = Outcome.of(1, Unknown(Reason.BUDGET), seconds=1.0)
    known = {1: first, 2: second, 3: replace(third, when="bounded")}
    assert _left(known, {1: short}) == [second, known[3]]
    outcomes = {1: short, 2: Outcome.of(2, Unknown(Reason.SOLVER), seconds=1.0)}
    assert _left(known, outcomes) == [known[3], replace(first, cost=28, patience=8.0)]
    assert list(outcomes) == [2], "it is to be done again"


def test_what_ran_out_of_memory_is_done_again_as_it_was() -> None:
    """There may be more of it now, and the same search needs no more of anything else."""
    stage = Stage(number=1, engine="inline", purpose="", options={"bounds": [4]})
    assert _left({1: stage}, {1: Outcome.of(1, Unknown(Reason.MEMORY), seconds=1.0)}) == [stage]


def test_other_limits(file: Path, tmp_path: Path) -> None:
    """A limit that a run had can be another one from now on; the journal keeps what was asked for first."""
    file.write_text(sums(4, target=7))
    limited = Options(engine="inline", workers=1, memlimit_mb=1, journal=tmp_path / "runs")
    first = verify(str(file), limited)
    assert isinstance(first.verdict, Unknown)
    assert first.verdict.reason is Reason.MEMORY
    (path,) = (tmp_path / "runs").glob("*.journal")
    assert isinstance(resume(path).verdict, Unknown), "there is no more memory than before"
    assert isinstance(resume(path, memlimit_mb=100_000, cputimelimit=1000.0).verdict, Safe)


def test_a_run_that_goes_on_may_be_told_to_stop(file: Path, tmp_path: Path) -> None:
    file.write_text(LONG)
    path, _ = begun(str(file), Options(engine="inline", engines=(OFTEN,), workers=2), tmp_path / "runs")
    stop = threading.Event()
    stop.set()
    verdict = resume(path, stop=stop).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason is Reason.INTERRUPTED
    assert isinstance(resume(path).verdict, Safe)


# --- journals that are not what they were ---------------------------------------------------------------------------


@pytest.fixture
def finished(file: Path, tmp_path: Path) -> Path:
    """The journal of a run that has ended."""
    file.write_text(sums(4, target=7))
    verify(str(file), Options(engine="inline", engines=(OFTEN,), workers=2, journal=tmp_path / "runs"))
    (path,) = (tmp_path / "runs").glob("*.journal")
    return path


def changed(path: Path, *statements: tuple[str, tuple[object, ...]]) -> Path:
    copy = path.with_name("copy.journal")
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as connection:
        for statement, values in statements:
            connection.execute(statement, values)
    connection.close()
    return copy


UNFINISHED = (("UPDATE run SET result = NULL", ()), ("DELETE FROM outcome", ()))


def test_without_its_outcome_a_stage_is_told_from_its_events(finished: Path) -> None:
    copy = changed(finished, *UNFINISHED)
    assert isinstance(resume(copy).verdict, Safe)
    with Journal.open(finished) as before, Journal.open(copy) as after:
        assert list(after.events()) == list(before.events()), "and needs no workers for it"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE run SET plan = x'00'",
        "UPDATE run SET plan = x'7b7d'",
        "UPDATE run SET info = '{}'",
        "UPDATE run SET source = x'00'",
        "UPDATE event SET event = x'c1'",
        "UPDATE event SET event = 'text'",
        "UPDATE stage SET spec = x'7b'",
        "UPDATE stage SET spec = 5",
        "DROP TABLE stage",
        "DROP TABLE event",
    ],
)
def test_a_journal_that_was_damaged_is_an_error_of_the_input(finished: Path, statement: str) -> None:
    with pytest.raises(InputError):
        resume(changed(finished, *UNFINISHED, (statement, ())))


NO_VERDICT = msgspec.msgpack.encode({"stage": 1, "seconds": 0.1})


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x80", NO_VERDICT, "text"])
def test_an_outcome_that_was_damaged_is_an_error_of_the_input(finished: Path, data: bytes | str) -> None:
    with pytest.raises(InputError):
        resume(changed(finished, ("UPDATE outcome SET data = ?", (data,))))


def test_a_file_that_was_cut_is_an_error_of_the_input_or_tells_the_same(finished: Path) -> None:
    """The same, if what is missing is nothing that has to be read."""
    whole, refused = finished.read_bytes(), 0
    for length in range(0, len(whole), max(1, len(whole) // 7)):
        copy = finished.with_name("cut.journal")
        copy.write_bytes(whole[:length])
        try:
            assert isinstance(resume(copy).verdict, Safe)
        except (InputError, UsageError):
            refused += 1
    assert refused > 3


def test_a_plan_of_another_version_is_refused(finished: Path) -> None:
    with Journal.open(finished) as journal:
        plan = decode_plan(journal.plan)
    later = encode_plan(msgspec.structs.replace(plan, version=99))
    with pytest.raises(InputError, match="the run's plan has version 99, and this Cleave carries out version"):
        resume(changed(finished, ("UPDATE run SET plan = ?", (later,))))
    assert isinstance(resume(finished).verdict, Safe)


def test_an_engine_of_another_version_is_refused(finished: Path) -> None:
    with Journal.open(finished) as journal:
        plan = decode_plan(journal.plan)
    assert plan.engines == {"inline": registry.engine("inline").version}
    earlier = encode_plan(msgspec.structs.replace(plan, engines={"inline": 0}))
    with pytest.raises(InputError, match="another version of the engine inline"):
        resume(changed(finished, ("UPDATE run SET plan = ?", (earlier,))))


def test_a_run_that_somebody_carries_out_is_not_resumed(finished: Path) -> None:
    with Journal.reopen(finished), pytest.raises(UsageError):
        resume(finished)
    assert isinstance(resume(finished).verdict, Safe), "and its lock was given back"


@pytest.mark.parametrize("result", [{}, {"verdict": "perhaps"}, {"verdict": "safe"}])
def test_a_result_that_no_cleave_wrote_is_a_damaged_journal(
    result: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.bpl"
    file.write_text("procedure main() { var x: int; x := 1; assert x == 1; }")
    verify(str(file), Options(engine="inline", workers=1, journal=tmp_path / "journals"))
    (journal,) = (tmp_path / "journals").glob("*.journal")
    with sqlite3.connect(journal) as connection:
        connection.execute("UPDATE run SET result = ?", (json.dumps(result),))
    assert main(["resume", str(journal)]) == 2
    assert "the journal" in capsys.readouterr().err
