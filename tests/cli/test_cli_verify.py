"""The command line: exit codes, what is printed first, JSON, and files that can't be read."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cleave import Options
from cleave.api import planned
from cleave.cli.main import main
from cleave.run.plan import encode_plan
from support.processes import children

SAFE = "procedure main() { var x: int; x := 1; assert x == 1; }"
UNSAFE = "var g: int;\nprocedure main()\n  modifies g;\n{\n  g := g + 1;\n  assert g != 5;\n}\n"
BOUNDED = "procedure main() { var i: int; i := 0; while (*) { i := i + 1; } assert i != 9; }"
# The order of two products: far beyond any solver in the seconds of a test.
HARD = """\
procedure main() {
  var a, b, c: int;
  assume a > 1 && b > 1 && c > 1 && a < 100000000 && b < 100000000;
  assert a * a * a + b * b * b != c * c * c + 3 * a * b * c + 1;
}
"""
MANY = """\
var g: int;
procedure main() modifies g; { g := 0; call f(0); assert g != 123457; }
procedure f(n: int) modifies g;
{ if (*) { g := g + n; call f(n + 1); } else { g := g * 2; call f(n + 2); } if (*) { call f(n); } }
"""
PROMISED = {
    "verdict",
    "reason",
    "engine",
    "bounds",
    "seconds",
    "cpu_seconds",
    "peak_memory_mb",
    "workers",
    "run",
    "statistics",
}


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of other tests are not listed here."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.bpl"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    alone = ["--workers=1"] if arguments[:1] == ("verify",) else []  # how many workers there are does not matter here
    code = main([*arguments[:1], *alone, *arguments[1:]])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return code, captured.out, captured.err


# --- verdicts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word", "code"), [(SAFE, "safe", 0), (BOUNDED, "bounded-safe", 0), (UNSAFE, "unsafe", 10)]
)
def test_the_first_word_is_the_verdict(
    file: Path, capsys: pytest.CaptureFixture[str], text: str, word: str, code: int
) -> None:
    file.write_text(text)
    found, out, _ = run(capsys, "verify", str(file), "--quiet", "--engine=inline", "--recursion-bound=3")
    assert out.split()[0] == word
    assert found == code


def test_a_bounded_verdict_prints_its_bound(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BOUNDED)
    assert "recursion bound 4" in run(capsys, "verify", str(file), "--engine=inline", "--recursion-bound", "4")[1]
    assert run(capsys, "verify", str(file), "--recursion-bound", "1..12")[0] == 10


def test_a_trace_ends_in_what_is_violated(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(UNSAFE)
    _, out, _ = run(capsys, "verify", str(file))
    assert "g = 4" in out
    assert out.splitlines()[-2].split()[:2] == ["6", "assert"]
    assert "trace:" not in run(capsys, "verify", str(file), "--trace", "none")[1]


@pytest.mark.parametrize("arguments", [["--merge", "tree"], ["--merge", "maxc"], ["--merge", "opt"], ["--seed", "3"]])
def test_options_of_inlining_do_not_change_verdicts(
    file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    for text, code in ((SAFE, 0), (UNSAFE, 10)):
        file.write_text(text)
        assert run(capsys, "verify", str(file), *arguments)[0] == code


def test_without_an_engine_several_are_tried(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BOUNDED)
    assert run(capsys, "verify", str(file), "--recursion-bound=3", "--timelimit=60")[0] == 10, "beyond the bound"
    file.write_text(BOUNDED.replace("i != 9", "i >= 0"))
    (found,) = objects(run(capsys, "verify", str(file), "--json")[1])
    assert found["verdict"] == "safe"
    assert found["stages"][0]["verdict"] == "bounded-safe"
    assert found["stages"][-1]["engine"] == found["engine"]


def test_the_plan_is_shown_without_doing_anything(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BOUNDED)
    code, out, _ = run(capsys, "plan", str(file), "--workers=2")
    assert code == 0
    assert all(name in out for name in ("inline", "pdr", "cegar", "executions"))
    assert run(capsys, "runs")[1].startswith("no runs in ")


# --- JSON -----------------------------------------------------------------------------------------------------------


def objects(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("text", [SAFE, BOUNDED, UNSAFE], ids=["safe", "bounded", "unsafe"])
def test_json_has_what_is_promised(file: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    file.write_text(text)
    (found,) = objects(run(capsys, "verify", "--json", "--engine=inline", "--recursion-bound=3", str(file))[1])
    assert found.keys() >= PROMISED
    assert ("trace" in found) == (found["verdict"] == "unsafe")
    assert found["engine"] == "inline"
    assert (found["workers"], found["checked"]) == (1, {"assertions": 1})
    assert json.loads(run(capsys, "runs", "--json")[1])["run"] == found["run"]
    assert [stage["verdict"] for stage in found["stages"]] == [found["verdict"]]
    assert found["bounds"] == ({"recursion": found["statistics"]["bound"]} if found["verdict"] != "safe" else {})
    if found["verdict"] == "unsafe":
        assert found["trace"]["steps"][-1]["kind"] == "violation"
        assert found["trace"]["location"]["line"] == 6


def test_several_files_are_several_lines_and_the_worst_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for name, text in (("a", SAFE), ("b", UNSAFE), ("c", "procedure {"), ("d", BOUNDED)):
        files.append(tmp_path / f"{name}.bpl")
        files[-1].write_text(text)
    names = [str(one) for one in files]
    code, out, err = run(capsys, "verify", "--json", "--engine=inline", "--recursion-bound=3", *names)
    assert code == 2
    assert [found["file"] for found in objects(out)] == names
    assert [found.get("verdict") for found in objects(out)] == ["safe", "unsafe", None, "bounded-safe"]
    assert objects(out)[2]["exit_code"] == 2
    assert err.count("cleave:") == 1
    assert run(capsys, "verify", *names[:2])[0] == 10


def test_a_timeout_is_unknown_and_still_json(file: Path) -> None:
    """In a process of its own: one that can't end in time ends at once, and that would be the tests'."""
    file.write_text(HARD)
    started = time.monotonic()
    command = [sys.executable, "-m", "cleave.cli.main", "verify", "--json", "--timelimit", "1", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert time.monotonic() - started < 9
    (found,) = objects(done.stdout)
    assert (done.returncode, found["verdict"], found["reason"].split(":")[0]) == (5, "unknown", "timeout")
    assert found.keys() >= PROMISED


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("text", "bound"), [(HARD, "3"), (MANY, "500")], ids=["in the solver", "inlining"])
def test_a_signal_ends_a_run_with_what_it_has(file: Path, text: str, bound: str, number: signal.Signals) -> None:
    file.write_text(text)
    command = [sys.executable, "-m", "cleave.cli.main", "verify", "--workers=1", "--json"]
    command += ["--engine", "inline", "--recursion-bound", bound, str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    (found,) = objects(out)
    assert (process.returncode, found["verdict"], found["reason"].split(":")[0]) == (5, "unknown", "interrupted")
    assert found.keys() >= PROMISED
    assert "Traceback" not in err


SUM = """\
procedure main() {
  var x, y, n: int;
  x := 0; y := 0;
  while (x < n) { x := x + 1; y := y + x * x; }
  assert x <= 0 || 6 * y == x * (x + 1) * (2 * x + 1);
}
"""
"""Small bounds are searched in a moment. No engine has a proof, and each goes on for seconds."""


def test_a_signal_ends_all_processes_of_a_plan(file: Path) -> None:
    """Two lanes are going on, in two processes."""
    file.write_text(SUM)
    command = [sys.executable, "-m", "cleave.cli.main", "verify", "--workers=2", "--json", "--quiet", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    hosts: list[int] = []
    deadline = time.monotonic() + 60
    while len(hosts) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
        hosts = [one for one in children(process.pid) if "cleave.run.host" in Path(f"/proc/{one}/cmdline").read_text()]
    process.send_signal(signal.SIGINT)
    (found,) = objects(process.communicate(timeout=30)[0])
    assert len(hosts) == 2
    assert (process.returncode, found["verdict"]) == (0, "bounded-safe")  # the first stage had proved that
    assert not any(Path(f"/proc/{one}").exists() for one in hosts)


# --- usage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["verify"],
        ["prove", "x.bpl"],
        ["verify", "x.bpl", "--no-such-flag"],
        ["verify", "x.bpl", "--recursion-bound", "0"],
        ["verify", "x.bpl", "--recursion-bound", "5..2"],
        ["verify", "x.bpl", "--timelimit", "soon"],
        ["verify", "x.bpl", "--memlimit", "0"],
        ["verify", "x.bpl", "--merge", "best"],
        ["verify", "x.bpl", "--workers", "0"],
        ["verify", "x.bpl", "--workers", "many"],
        ["verify", "x.bpl", "--on", "mars"],
        ["verify", "x.bpl", "--address", "auto"],
        ["verify", "x.bpl", "--slowdown", "-1"],
        ["plan", "x.bpl", "--seed", "-1"],
        ["unfold", "x.bpl", "--merge", "forest"],
        ["resume"],
        ["resume", "latest"],
        ["show", "20990101"],
        ["show", "no/such.journal"],
    ],
)
def test_a_bad_flag_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 1
    assert out == ""
    assert err.startswith("cleave: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--engine", "nonesuch"], "there is no engine 'nonesuch'; there are inline, pdr, cegar, threads, bmc, int"),
        (["--engine", "pdr", "--recursion-bound", "3"], "--recursion-bound is for the engine inline; this plan runs "),
        (["--unwind", "3"], "--unwind is for the engines threads and bmc; this plan runs inline, "),
        (["--engine", "inline", "--strategies", "def"], "--strategies is for the engine pdr; this plan runs inline"),
        (["--engine", "pdr", "--invariants-from", "pdr"], "--invariants-from is for "),
        (["--engine", "pdr", "--engine", "inline"], "argument --engine: given twice, as pdr and inline"),
    ],
)
def test_what_the_plan_has_no_use_for_is_one_line_and_exit_code_1(
    file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    file.write_text(SAFE)
    code, out, err = run(capsys, "verify", str(file), *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("cleave: ")
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {}),
        (["--timelimit", "30"], {"timelimit": 30.0}),
        (["--workers", "5"], {"workers": 5}),
        (["--engine", "pdr", "--workers", "1"], {"engine": "pdr", "workers": 1}),
    ],
)
def test_the_command_and_python_make_the_same_plan(
    file: Path, capsys: pytest.CaptureFixture[str], flags: list[str], options: dict[str, Any]
) -> None:
    file.write_text(BOUNDED)
    told = json.loads(run(capsys, "plan", str(file), "--json", *flags)[1])
    stages = json.loads(encode_plan(planned(str(file), Options(**options))[1]))["stages"]
    assert told["stages"] == stages


def test_a_plan_refuses_what_its_run_could_not_write(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SAFE)
    code, out, err = run(capsys, "plan", str(file), "--witness", str(file.with_name("w.yml")))
    assert (code, out) == (1, "")
    assert "--witness is for programs in C" in err
    assert not file.with_name("w.yml").exists()


def test_the_version_needs_no_command(tmp_path: Path) -> None:
    """Loading all of them takes three times as long."""
    script = """
import sys
from cleave.cli.main import main
try:
    main(["--version"])
finally:
    loaded = [name for name in sys.modules if name.startswith(("cleave.run", "cleave.smt", "cleave.cli.verify"))]
    assert not loaded, loaded
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_one_worker_needs_no_processes(tmp_path: Path) -> None:
    file = tmp_path / "one.bpl"
    file.write_text("procedure main() { assert 1 + 1 == 2; }")
    script = f"""
import sys
from cleave.cli.main import main
code = main(["verify", {str(file)!r}, "--workers=1", "--quiet"])
foreign = ("rich", "bitwuzla", "cvc5", "socket", "subprocess", "cleave.runtime.local", "cleave.frontends.horn")
sys.exit(code or ", ".join(name for name in foreign if name in sys.modules) or 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_clauses_need_no_front_end_of_another_language(tmp_path: Path) -> None:
    """What is loaded takes longer than a small task."""
    file = tmp_path / "empty.smt2"
    file.write_text("(set-logic HORN)(assert (forall ((x Int)) (=> (< x x) false)))(check-sat)")
    script = f"""
import sys
from cleave.cli.main import main
code = main(["verify", {str(file)!r}, "--workers=1", "--quiet"])
foreign = ("rich", "bitwuzla", "cleave.frontends.boogie", "cleave.passes.to_horn", "cleave.engines.inline.unfolding")
sys.exit(code or ", ".join(name for name in foreign if name in sys.modules) or 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "verfy")
    assert code == 1
    assert all(command in err for command in ("verify", "resume", "runs", "show", "unfold", "horn"))


def test_an_unknown_flag_points_to_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "see 'cleave verify --help'" in run(capsys, "verify", "x.bpl", "--no-such-flag")[2]
    assert "see 'cleave show --help'" in run(capsys, "show", "latest", "--no-such-flag")[2]


@pytest.mark.parametrize("command", ["verify", "unfold"])
def test_an_entry_that_is_not_there_is_a_usage_error_with_a_suggestion(
    file: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    file.write_text("procedure start_here() { assert true; }")
    code, _, err = run(capsys, command, str(file), "--entry", "start_her")
    assert code == 1
    assert "did you mean start_here?" in err


def test_help_and_version_exit_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    for argument in ("--help", "--version"):
        with pytest.raises(SystemExit) as stopped:
            main([argument])
        assert stopped.value.code == 0
    assert "unsafe" in capsys.readouterr().out


# --- hostile files --------------------------------------------------------------------------------------------------

NESTED = "procedure main() {{ var a: bool; var x: int; {} }}"
UNREADABLE = {
    "binary": bytes(range(256)) * 20,
    "invalid UTF-8": b"procedure main() { \xff\xfe }",
    "truncated": UNSAFE[: len(UNSAFE) // 2].encode(),
    "cut in a string": b'procedure main() { assert {:msg "abc',
    "cut in a comment": b"procedure main() { /* ",
    "unknown name": b"procedure main() { assert y == 1; }",
    "wrong type": b"procedure main() { assert 1; }",
    "zeros": b"\0" * 1000,
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize("command", ["verify", "unfold"])
def test_what_can_not_be_parsed_is_exit_code_2_and_one_message(
    file: Path, capsys: pytest.CaptureFixture[str], name: str, command: str
) -> None:
    file.write_bytes(UNREADABLE[name])
    code, out, err = run(capsys, command, str(file))
    assert (code, out) == (2, "")
    assert err.startswith(f"cleave: {file}:")
    assert err.count("cleave:") == 1


def test_an_empty_file_has_nothing_to_verify(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("")
    code, out, err = run(capsys, "verify", str(file))
    assert (code, out) == (1, "")
    assert "nothing to verify" in err


@pytest.mark.parametrize("name", ["missing.bpl", "directory.bpl", "program.xyz", "program", "a\0b.bpl"])
def test_a_file_that_is_not_there_or_not_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (tmp_path / "directory.bpl").mkdir()
    (tmp_path / "program.xyz").write_text(SAFE)
    (tmp_path / "program").write_text(SAFE)
    code, out, err = run(capsys, "verify", f"{tmp_path}/{name}")
    assert (code, out) == (2, "")
    assert err.count("cleave:") == 1


@pytest.mark.parametrize(
    "body",
    [
        "assume " + "(" * 20_000 + "a" + ")" * 20_000 + "; assert a;",
        "assume " + "!" * 20_000 + "a; assert a;",
        "x := " + "x + " * 20_000 + "x; assert x != 1;",
        "x := " + "if a then x + 1 else " * 5_000 + "x; assert x != 1;",
        "if (a) {" * 400 + "x := 1;" + "}" * 400 + " assert x != 1;",
        "while (a) {" * 1_500 + "x := 1;" + "}" * 1_500 + " assert x != 1;",
        f"assert x != {'7' * 50_000};",
        "x := 1; " * 5_000 + "assert x == 1;",
    ],
    ids=["parentheses", "not", "plus", "if-then-else", "if", "while", "numeral", "long"],
)
def test_deep_and_large_input_gets_a_verdict_or_one_message(
    file: Path, capsys: pytest.CaptureFixture[str], body: str
) -> None:
    file.write_text(NESTED.format(body))
    alone = ("--engine", "inline", "--recursion-bound", "1", "--timelimit", "20")
    code, out, err = run(capsys, "verify", str(file), *alone)
    assert code in (0, 2, 5, 10), err
    assert bool(out) != (code == 2)
    assert err.count("cleave:") == (code == 2)


def test_large_numerals_are_read_exactly(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"procedure main() {{ var x: int; x := {'9' * 3000}; assert x + 1 == 1{'0' * 3000}; }}")
    assert run(capsys, "verify", str(file))[1].split()[0] == "safe"


def test_values_may_be_larger_than_any_numeral(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"procedure main() {{ var x: int; x := {'9' * 3000}; x := x * x; assert x == 0; }}")
    assert run(capsys, "verify", str(file))[0] == 10


# --- limits and exit codes that users choose ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "codes"),
    [
        ([], (0, 0, 10)),
        (["--strict"], (0, 4, 10)),
        (["--fail-on", "unknown"], (0, 0, 0)),
        (["--fail-on", "bounded, unsafe"], (0, 4, 10)),
        (["--fail-on", "none"], (0, 0, 0)),
    ],
)
def test_users_choose_what_fails(
    file: Path, capsys: pytest.CaptureFixture[str], flags: list[str], codes: tuple[int, ...]
) -> None:
    found = []
    for text in (SAFE, BOUNDED, UNSAFE):
        file.write_text(text)
        found.append(run(capsys, "verify", str(file), "--engine=inline", "--recursion-bound=3", *flags)[0])
    assert tuple(found) == codes


def test_a_verdict_that_nobody_knows_can_not_fail(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SAFE)
    code, _, said = run(capsys, "verify", str(file), "--fail-on", "unsave")
    assert code == 1
    assert "'unsave' is none of unsafe, unknown, bounded and none" in said


def test_processor_time_of_all_workers_is_limited_and_told(file: Path) -> None:
    file.write_text(MANY)
    flags = ["--workers=2", "--json", "--quiet", "--engine=inline", "--recursion-bound=1..999", "--cputimelimit=3"]
    started = time.monotonic()
    command = [sys.executable, "-m", "cleave.cli.main", "verify", *flags, "--journal=none", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    (found,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert found["verdict"] in ("unknown", "bounded-safe")
    assert found["cpu_seconds"] < 3 + 6
    assert found["cpu_seconds"] > 0.5
    assert found["peak_memory_mb"] > 20
    assert found["seconds"] <= time.monotonic() - started
    assert found["seconds"] > 0.1, "the time to start counts"
