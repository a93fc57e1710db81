"""Witnesses of C programs: read again as a validator does, and their values run through the compiled program."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cleave.cli.main import main
from support.witness_files import Waypoint, entry_of, run_with_values, waypoints_of
from support.witness_shape import misshapen

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

SEQUENTIAL = """\
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
void reach_error(void);
int next(int limit) {
  int found = __VERIFIER_nondet_int();
  if (found > limit) { return limit; }
  return found;
}
int main(void) {
  unsigned char c = __VERIFIER_nondet_uchar();
  int sum = 0;
  for (int i = 0; i < 2; i++)
    sum += next(-5);
  if (c > 200 && sum == -17)
    reach_error();
  return 0;
}
"""
TINY = """\
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
if (__VERIFIER_nondet_int() == 7) { reach_error(); }
}
"""
MARKED = """\
# 1 "elsewhere.c"
void reach_error(void);
# 70 "other.h"
int main(void) { int a = 1; if (a) { reach_error(); } }
"""
THREADS = """\
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int x, y;
void *writer(void *argument) {
  int k = __VERIFIER_nondet_int();
  x = k;
  y = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  x = 5;
  if (y == 1 && x == 7)
    reach_error();
  return 0;
}
"""
POINTER = """\
extern void *__VERIFIER_nondet_pointer(void);
void reach_error(void);
int main(void) {
  char *p = __VERIFIER_nondet_pointer();
  if (p) reach_error();
}
"""
LOCKED = """\
#include <pthread.h>
void reach_error(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a = 10, b = 10;
void *up(void *argument) {
  pthread_mutex_lock(&m);
  a++;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  b++;
  pthread_mutex_unlock(&m);
  return 0;
}
void *down(void *argument) {
  pthread_mutex_lock(&m);
  a = 2 * a;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  b = 2 * b;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, up, 0);
  pthread_create(&u, 0, down, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  if (a == 22 && b == 21) reach_error();
  return 0;
}
"""
SAFE = "void reach_error(void); int main(void) { int x = 0; while (x < 3) x++; if (x > 3) reach_error(); }"
LOOPS = """\
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  unsigned char low = 2;
  int count = 0, limit = __VERIFIER_nondet_int();
  { int count_of_others = 1; low += count_of_others; }
  while (HOLDS count < limit) {
    low += 2;
    count++;
    if (low % 2 == 0 || count < 0) reach_error();
  }
  return 0;
}
"""
ENDLESS = """\
extern int more(void);
void reach_error(void);
int main(void) { int i = 0; while (more()) i++; if (i == 99) reach_error(); }
"""


def written(folder: Path, text: str, *options: str, name: str = "program.c") -> Path:
    """The witness for a program, if there is one."""
    (folder / name).write_text(text)
    asked = [] if "--check" in options else ["--check", "assertions"]
    main(["verify", str(folder / name), "--workers=1", "--quiet", "--witness", str(folder / "w.yml"), *asked, *options])
    return folder / "w.yml"


def told(segments: list[list[Waypoint]]) -> list[tuple[str, int, int, str | None]]:
    return [(one.type, one.line, one.column, one.value) for segment in segments for one in segment]


def test_the_values_lead_the_compiled_program_to_the_error(tmp_path: Path) -> None:
    entry = entry_of(written(tmp_path, SEQUENTIAL))
    metadata = entry["metadata"]
    assert metadata["format_version"] == "2.0"
    assert metadata["producer"]["configuration"] == "inline"
    assert metadata["task"]["specification"] == "G ! call(reach_error())"
    found = waypoints_of(entry)
    assert [one.type for (one,) in found].count("function_return") == 3
    assert found[-1][0][:4] == ("target", 15, 5, "main")
    assert run_with_values(entry, tmp_path)


@pytest.mark.parametrize("engine", ["pdr", "cegar"])
def test_executions_of_other_engines_are_told_alike(tmp_path: Path, engine: str) -> None:
    entry = entry_of(written(tmp_path, TINY, "--engine", engine))
    assert entry["metadata"]["producer"]["configuration"] in (engine, "executions")
    assert told(waypoints_of(entry)) == [
        ("function_return", 4, 27, "\\result == 7"),
        ("branching", 4, 1, "true"),
        ("target", 4, 37, None),
    ]


def test_a_pointer_that_is_not_null_is_told_to_be_so(tmp_path: Path) -> None:
    assert told(waypoints_of(entry_of(written(tmp_path, POINTER)))) == [
        ("function_return", 4, 39, "\\result != 0"),
        ("branching", 5, 3, "true"),
        ("target", 5, 10, None),
    ]


@pytest.mark.parametrize("engine", ["auto", "threads"])
def test_a_lock_is_passed_on_in_the_order_of_the_waypoints(tmp_path: Path, engine: str) -> None:
    """Whoever carries out the statements in their order never waits for a lock."""
    owner: int | None = None
    taken = 0
    for one, *_ in waypoints_of(entry_of(written(tmp_path, LOCKED, "--engine", engine))):
        if one.text.startswith("pthread_mutex_lock"):
            assert owner is None, one
            owner, taken = one.thread, taken + 1
        elif one.text.startswith("pthread_mutex_unlock"):
            assert owner == one.thread
            owner = None
    assert taken == 4


def test_a_witness_of_another_shape_is_told_so(tmp_path: Path) -> None:
    (entry,) = witness = yaml.safe_load(written(tmp_path, TINY).read_text())
    assert misshapen(witness) == []
    waypoint = entry["content"][0]["segment"][0]["waypoint"]
    waypoint["constraint"]["value"] = "x = 7"
    waypoint["location"]["line"] = "4"
    entry["content"].append(entry["content"][0])
    del entry["metadata"]["uuid"]
    assert misshapen(witness) == ["0.metadata: no uuid"]
    entry["metadata"]["uuid"] = "0" * 8 + "-0000" * 3 + "-" + "0" * 12
    assert len(misshapen(witness)) == 4


def test_other_values_would_not(tmp_path: Path) -> None:
    entry = entry_of(written(tmp_path, SEQUENTIAL))
    first = next(one["segment"][0]["waypoint"] for one in entry["content"])
    assert first["location"]["line"] == 10
    first["constraint"]["value"] = "\\result == 3"
    assert not run_with_values(entry, tmp_path)


def test_branchings_are_at_their_keywords_in_the_order_of_the_execution(tmp_path: Path) -> None:
    found = told(waypoints_of(entry_of(written(tmp_path, SEQUENTIAL))))
    branchings = [(line, column, value) for kind, line, column, value in found if kind == "branching"]
    loop = [(line, value) for line, _, value in branchings if line == 12]
    assert loop == [(12, "true"), (12, "true"), (12, "false")]
    assert branchings[-1] == (14, 3, "true")
    assert all(column == 3 for _, column, _ in branchings)


def test_lines_are_those_of_the_given_file(tmp_path: Path) -> None:
    found = told(waypoints_of(entry_of(written(tmp_path, MARKED, name="program.i"))))
    assert found == [("branching", 4, 29, "true"), ("target", 4, 38, None)]


def test_a_schedule_is_told_by_threads_that_pass_statements_in_turn(tmp_path: Path) -> None:
    entry = entry_of(written(tmp_path, THREADS))
    assert entry["metadata"]["format_version"] == "2.2"
    passed = [(one.type, one.thread, one.line) for (one,) in waypoints_of(entry)]
    assert ("function_enter", 0, 13) in passed
    assert passed[-1] == ("target", 0, 16)
    order = [(thread, line) for kind, thread, line in passed if kind == "assumption"]
    assert order.index((0, 14)) < order.index((1, 7)) < order.index((1, 8))
    value = next(one.value for (one,) in waypoints_of(entry) if one.type == "function_return")
    assert value == "\\result == 7"


def test_the_targets_of_a_race_are_two_accesses_without_an_order(tmp_path: Path) -> None:
    entry = entry_of(written(tmp_path, THREADS, "--check", "data-race"))
    assert entry["metadata"]["task"]["specification"] == "G ! data-race"
    accesses = {(one.thread, one.line) for one in waypoints_of(entry)[-1]}
    assert accesses in ({(0, 14), (1, 7)}, {(0, 15), (1, 8)}, {(0, 15), (1, 7)})


def test_invariants_hold_whenever_the_loop_is_about_to_go_on(tmp_path: Path) -> None:
    entry = entry_of(written(tmp_path, LOOPS.replace("HOLDS", ""), "--engine", "cegar"))
    assert entry["entry_type"] == "invariant_set"
    found = [one["invariant"] for one in entry["content"]]
    assert found
    for one in found:
        assert (one["type"], one["format"]) == ("loop_invariant", "c_expression")
        assert (one["location"]["line"], one["location"]["column"]) == (7, 3)
        asserting = LOOPS.replace("HOLDS", f"({one['value']} ? 1 : (reach_error(), 0)) && ")
        assert "reach_error(), 0" in asserting
        (tmp_path / "asserting.c").write_text(asserting)
        arguments = ["verify", str(tmp_path / "asserting.c"), "--workers=1", "--quiet", "--engine=cegar"]
        assert main(arguments) == 0
        (tmp_path / "asserting.c").write_text(asserting.replace(one["value"], f"!{one['value']}"))
        assert main(arguments) == 10


def test_a_proof_without_invariants(tmp_path: Path) -> None:
    entry = entry_of(written(tmp_path, SAFE, "--32", "--engine=inline"))
    assert (entry["entry_type"], entry["content"]) == ("invariant_set", [])
    assert entry["metadata"]["task"]["data_model"] == "ILP32"


def test_a_bounded_verdict_has_no_witness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not written(tmp_path, ENDLESS, "--recursion-bound=2", "--engine=inline").exists()
    assert "not of bounded-safe" in capsys.readouterr().out


def test_what_is_not_in_the_inputs_is_told_by_the_call_that_led_there(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("void reach_error(void);\nstatic void fail(void) { reach_error(); }\n")
    (tmp_path / "other.c").write_text("int twice(int x) {\n  if (x > 5)\n    return 2 * x;\n  return 0;\n}\n")
    text = '#include "h.h"\nint twice(int);\nint main(void) {\n  if (twice(7) == 14) { fail(); }\n}\n'
    entry = entry_of(written(tmp_path, text, str(tmp_path / "other.c")))
    assert entry["metadata"]["task"]["input_files"] == [str(tmp_path / "program.c"), str(tmp_path / "other.c")]
    places = [(one.function, one.line, one.column) for (one,) in waypoints_of(entry)]
    assert places == [("twice", 2, 3), ("main", 4, 3), ("main", 4, 25)]
