"""What a user reads of a violation: golden text of compact traces, and bounds on text and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cleave.cli.main import main

LOCKS = """\
var held: bool;
var log: [int]int;
var next: int;

procedure note(what: int) modifies log, next;
{
  log[next] := what;
  next := next + 1;
}
procedure acquire() modifies held, log, next;
{
  call note(1);
  held := true;
}
procedure release() modifies held, log, next;
{
  call note(2);
  assert held;
  held := false;
}
procedure parse(n: int) returns (flag: int) modifies log, next;
{
  call note(3);
  flag := n * 2;
}
procedure main(n: int) modifies held, log, next;
{
  var flag: int;
  held := false;
  next := 0;
  call acquire();
  call flag := parse(n);
  if (flag == 42) {
    call release();
  }
  call release();
}
"""
LOCKS_TRACE = """\
trace:
  n = 21
      26 call main(n)    [n = 21]
      32 call flag := parse(n)    [n = 21]
      24   flag := n * 2    [flag = 42]
      32   return from parse    [flag = 42]
      33 assume flag == 42
      34 call release()
      19   held := false
      36 call release()
      18   assert held    [held = false]
  left out: 33 of 42 steps; --trace full shows them
"""

COUNTING = """\
procedure main() {
  var i: int;
  i := 0;
  while (i < 9) {
    i := i + 1;
  }
  assert i < 9;
}
"""
COUNTING_TRACE = """\
trace:
       1 call main()
       3 i := 0
         … 6 further iterations
       4 assume i < 9
       5 i := i + 1    [i = 7]
       4 assume i < 9
       5 i := i + 1    [i = 8]
       4 assume i < 9
       5 i := i + 1    [i = 9]
       7 assert i < 9    [i = 9]
  left out: 34 of 43 steps; --trace full shows them
"""

SOURCES = """\
procedure main(n: int) {
  var x: int;
  assume {:sourcefile "src/driver.c"} {:sourceline 7} n > 3;
  x := n + 1;
  assert {:sourcefile "src/driver.c"} {:sourceline 1209} x != 12;
}
"""
SOURCES_TRACE = """\
trace:
  n = 11
              1 call main(n)    [n = 11]
     driver.c:7 assume 3 < n
              4 x := n + 1    [x = 12]
  driver.c:1209 assert x != 12    [x = 12]
  left out: 1 of 5 steps; --trace full shows them
"""

MAPS = """\
var memory: [int]int;
procedure address(n: int) returns (at: int);
  ensures at == n * 4;
procedure main() modifies memory;
{
  var p, q: int;
  call p := address(10);
  call q := address(20);
  memory[p] := 5;
  memory[q] := 6;
  memory[q] := 7;
  assert memory[p] == 6;
}
"""
MAPS_TRACE = """\
trace:
       4 call main()
       7 call p := address(10)    [n = 10] returns [p = 40]
       9 memory[p] := 5    [memory[40] = 5]
      12 assert memory[p] == 6    [memory[40] = 5, p = 40]
  left out: 5 of 10 steps; --trace full shows them
"""

HUGE = f"procedure main() {{ var x: int; x := {'9' * 3000}; x := x * x; assert x == 0; }}"


def shown(capsys: pytest.CaptureFixture[str], file: Path, text: str, *arguments: str) -> str:
    file.write_text(text)
    assert main(["verify", "--workers=1", "--quiet", str(file), "--recursion-bound", "12", *arguments]) == 10
    return capsys.readouterr().out


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.bpl"


@pytest.mark.parametrize(
    ("program", "trace"),
    [(LOCKS, LOCKS_TRACE), (COUNTING, COUNTING_TRACE), (SOURCES, SOURCES_TRACE), (MAPS, MAPS_TRACE)],
    ids=["locks", "counting", "sources", "maps"],
)
def test_a_compact_trace_tells_what_led_to_the_violation(
    file: Path, capsys: pytest.CaptureFixture[str], program: str, trace: str
) -> None:
    out = shown(capsys, file, program)
    assert out[out.index("trace:") :] == trace


def test_a_full_trace_leaves_nothing_out(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, file, COUNTING, "--trace", "full")
    steps = out[out.index("trace:") :].splitlines()[1:]
    assert len(steps) == 43
    assert sum("i := i + 1" in step for step in steps) == 9
    assert "left out" not in out


def traced(capsys: pytest.CaptureFixture[str], file: Path, text: str, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(capsys, file, text, "--json", *arguments))["trace"]
    return found


def test_json_counts_what_is_left_out(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compact = traced(capsys, file, COUNTING)
    full = traced(capsys, file, COUNTING, "--trace", "full")
    kinds = [step["kind"] for step in compact["steps"]]
    assert kinds.count("skipped") == 1
    assert compact["steps_left_out"] == len(full["steps"]) - len(kinds) + 1
    assert (full["steps_left_out"], full["inputs_left_out"], compact["inputs_left_out"]) == (0, 0, 0)


def test_huge_values_are_cut_in_compact_traces_only(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, file, HUGE)
    assert max(map(len, out.splitlines())) < 300
    assert "(6000 digits)" in out
    compact = traced(capsys, file, HUGE)
    assert len(json.dumps(compact)) < 3_000
    assert str((10**3000 - 1) ** 2) in json.dumps(traced(capsys, file, HUGE, "--trace", "full"))
