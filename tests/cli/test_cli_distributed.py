"""``verify`` on several workers, and what ``runs``, ``show`` and ``resume`` make of its journal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import pytest

from cleave import CleaveError, InlineOptions, Options, verify
from cleave.cli.main import main
from cleave.engines.inline.options import Splits
from cleave.journal.journal import Journal
from cleave.run.plan import decode_plan
from support.hydra_runs import EAGER
from support.processes import children

SAFE = "procedure main() { var x: int; x := 1; assert x == 1; }"
UNSAFE = "var g: int;\nprocedure main()\n  modifies g;\n{\n  g := g + 1;\n  assert g != 5;\n}\n"
# Goes on for as long as it is let.
MANY = """\
var g: int;
procedure main() modifies g; { g := 0; call f(0); assert g != 123457; }
procedure f(n: int) modifies g;
{ if (*) { g := g + n; call f(n + 1); } else { g := g * 2; call f(n + 2); } if (*) { call f(n); } }
"""
INLINE = ("--engine", "inline")
ENDLESS = (*INLINE, "--recursion-bound", "500")


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of other tests are not listed here."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.bpl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "cleave" / "runs"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return code, captured.out, captured.err


def objects(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


# --- verify ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "word", "code"), [(SAFE, "safe", 0), (UNSAFE, "unsafe", 10)])
def test_two_workers_have_the_verdict_of_one(
    file: Path, capsys: pytest.CaptureFixture[str], text: str, word: str, code: int
) -> None:
    file.write_text(text)
    found, out, _ = run(capsys, "verify", "--workers=2", *INLINE, "--json", str(file))
    (result,) = objects(out)
    assert (found, result["verdict"], result["workers"]) == (code, word, 2)
    (listed,) = objects(run(capsys, "runs", "--json")[1])
    assert (listed["run"], listed["verdict"], listed["state"]) == (result["run"], word, "finished")
    shown = json.loads(run(capsys, "show", "latest", "--json")[1])
    assert shown["result"] == result
    (parts,) = (stage["search"]["parts"] for stage in shown["stages"] if "search" in stage)
    assert parts["closed"] + parts["violated"] == 1


def test_text_says_how_to_see_what_happened(file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file.write_text(SAFE)
    _, out, _ = run(capsys, "verify", "--workers=2", *INLINE, "--journal", str(tmp_path / "my runs"), str(file))
    assert f"cleave show --journal '{tmp_path}/my runs' 2" in out
    assert "1 worker, not split" in out
    assert run(capsys, "runs")[1].startswith("no runs in ")
    assert len(run(capsys, "runs", "--journal", str(tmp_path / "my runs"))[1].splitlines()) == 2


def test_without_a_journal_nothing_is_kept(file: Path, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    file.write_text(SAFE)
    _, out, _ = run(capsys, "verify", "--workers=2", *INLINE, "--journal", "none", "--json", str(file))
    assert objects(out)[0]["run"] is None
    assert not folder.exists()


def test_a_default_folder_that_can_not_be_is_no_error(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file.write_text(SAFE)
    (tmp_path / "state").write_text("not a folder")
    code, out, err = run(capsys, "verify", "--workers=2", str(file))
    assert (code, out.split()[0]) == (0, "safe")
    assert "no journal is kept" in err


def test_a_folder_that_can_not_be_is_a_usage_error(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SAFE)
    code, out, err = run(capsys, "verify", "--workers=2", "--journal", str(file / "runs"), str(file))
    assert (code, out) == (1, "")
    assert err.startswith("cleave: can't keep journals in ")


def test_a_cluster_is_not_asked_for_more_than_the_user_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "verify", "x.bpl", "--on", "ray", "--address", "auto")
    assert (code, "--workers N" in err) == (1, True)


def test_a_file_that_can_not_be_read_is_an_error_also_in_the_journal(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("procedure main( {")
    assert run(capsys, "verify", "--workers=2", str(file))[0] == 2
    assert "error" in run(capsys, "runs")[1].splitlines()[1].split()
    assert run(capsys, "show", "latest")[1].startswith("error")


def test_a_run_whose_workers_can_not_start_is_an_error_also_in_the_journal(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_crew(*_: object) -> NoReturn:
        raise CleaveError("nobody is there")

    file.write_text(SAFE)
    monkeypatch.setattr("cleave.run.team.make_crew", no_crew)
    code, out, err = run(capsys, "verify", "--workers=2", *INLINE, str(file))
    assert (code, out, err) == (6, "", "cleave: nobody is there\n")
    assert "nobody is there" in run(capsys, "show", "latest")[1]
    monkeypatch.undo()


def test_options_for_comparison_reach_the_run(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(UNSAFE)
    chosen = ["--splits=random", "--queues=shared", "--split-rate=fixed", "--decisions=pushed", "--unsplit-worker"]
    chosen += ["--split-interval=2s", "--slowdown=3", "--on=simulated", "--workers=3", *INLINE]
    assert run(capsys, "verify", str(file), *chosen)[0] == 10
    shown = json.loads(run(capsys, "show", "latest", "--json")[1])
    expected = {"splits": "random", "queues": "shared", "rate": "fixed", "decisions": "pushed", "unsplit": True}
    expected |= {"interval": 2.0, "slowdown": 3.0}
    usual = msgspec.to_builtins(InlineOptions())
    assert shown["workers"] == 3
    with Journal.open(Path(shown["journal"])) as journal:
        (stage,) = (one for one in decode_plan(journal.plan).stages if one.role == "settle")
    assert stage.options.items() >= {name: value for name, value in expected.items() if value != usual[name]}.items()
    assert shown["runtime"] == "simulated"


# --- runs that stop -------------------------------------------------------------------------------------------------


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "cleave.cli.main", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition: Any, seconds: float = 15.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


def test_a_timeout_tells_how_far_it_got_and_can_be_resumed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(MANY)
    code, out, _ = run(capsys, "verify", "--workers=2", "--timelimit=3", *ENDLESS, str(file))
    assert code == 5
    assert out.splitlines()[2].startswith("  timeout: ")
    assert "parts of the search: " in out
    name = out.split()[-1]
    assert f"cleave resume {name}" in out
    assert "unknown (timeout)" in run(capsys, "runs")[1]
    code, out, _ = run(capsys, "resume", name, "--timelimit=2", "--json")
    assert (code, objects(out)[0]["run"], objects(out)[0]["reason"].split(":")[0]) == (5, name, "timeout")
    shown = json.loads(run(capsys, "show", name, "--json")[1])
    assert (shown["breaks"], shown["stages"][-1]["search"]["lost_workers"]) == (1, [])


def test_a_signal_ends_all_workers_and_all_files(file: Path, tmp_path: Path) -> None:
    file.write_text(MANY)
    (other := tmp_path / "other.bpl").write_text(SAFE)
    process = start("verify", "--workers=2", "--json", *ENDLESS, str(file), str(other), str(other))
    workers = wait_for(lambda: len(found := list(children(process.pid))) == 2 and found)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    first, *rest = objects(out)
    assert (process.returncode, first["verdict"], first["reason"].split(":")[0]) == (5, "unknown", "interrupted")
    assert [(one["file"], one["reason"]) for one in rest] == [(str(other), "interrupted: not started")] * 2
    assert all(map(is_gone, workers))
    assert "Traceback" not in err


def test_a_killed_run_can_be_shown_and_resumed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(MANY)
    process = start("verify", "--workers=2", *ENDLESS, str(file))
    workers = wait_for(lambda: len(found := list(children(process.pid))) == 2 and found)
    wait_for(lambda: json.loads(run(capsys, "show", "latest", "--json")[1])["stages"][-1]["search"]["workers_seen"])
    assert run(capsys, "show", "latest")[1].startswith("running")
    code, out, err = run(capsys, "resume", "latest")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"is running already, in process {process.pid}" in err
    process.kill()
    process.communicate()
    wait_for(lambda: all(map(is_gone, workers)))
    assert run(capsys, "runs")[1].splitlines()[1].split()[1] == "stopped"
    assert run(capsys, "show", "latest")[1].startswith("stopped")
    assert run(capsys, "resume", "latest", "--timelimit=1", "--quiet")[0] == 5


def test_a_run_that_can_not_be_stopped_is_left_and_the_other_files_are_verified(file: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other.bpl").write_text(UNSAFE)
    arguments = ["verify", "--workers=1", "--json", "--timelimit=2", str(file), "--quiet", str(other)]
    script = f"""
import sys, time
import cleave.cli.supervise, cleave.cli.verify
from cleave.cli.main import main
cleave.cli.supervise._GRACE_SECONDS = 0.2
cleave.cli.verify.verify = lambda *_, **__: time.sleep(60)
sys.exit(main({[*arguments, str(other)]!r}))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    found = [(one["file"], one["verdict"]) for one in objects(done.stdout)]
    assert found == [(str(file), "unknown"), (str(other), "unsafe"), (str(other), "unsafe")]
    assert (done.returncode, done.stderr) == (10, "")


# --- finished runs --------------------------------------------------------------------------------------------------


def test_resuming_a_finished_run_prints_its_result_again(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(UNSAFE)
    code, before, _ = run(capsys, "verify", "--workers=2", *INLINE, str(file))
    again, after, err = run(capsys, "resume", "latest")
    assert (code, again) == (10, 10)
    assert "has finished already" in err
    assert after.splitlines() == [line for line in before.splitlines() if "cleave show" not in line]
    assert "trace" not in objects(run(capsys, "resume", "latest", "--json", "--trace=none")[1])[0]


def test_a_tree_is_shown_to_a_depth(file: Path, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    file.write_text(MANY)
    how = InlineOptions(bounds=(4,), splits=Splits.RANDOM, **EAGER)  # type: ignore[arg-type]
    options = Options(workers=3, engine="inline", engines=(how,), runtime="simulated", journal=folder)
    result = verify(str(file), options)
    splits = result.statistics["splits"]
    assert splits > 1
    whole = run(capsys, "show", "latest", "--depth=1000")[1]
    assert whole.count(": split by worker") == splits
    cut = run(capsys, "show", "latest", "--depth=1")[1]
    assert cut.count(": split by worker") == 1
    assert f"split tree: {splits} splits; {splits + 1} parts closed, 0 open" in cut
    assert "dissimilarity of 3 workers" in cut
