"""The parts of `bench.threads` that figures depend on: rows, what parts take on two cores, the tables; and a run of
each kind of solver."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest
from bench.rows import Row, Store, row_of
from bench.threads import add_arguments, planned
from bench.threads_run import CRYPTOMINISAT, parser, run
from bench.threads_tables import is_slower, on_cores, tables

VIOLATION, NOTHING = "unsafe", "safe"
PROGRAM = """
#include <pthread.h>
extern void reach_error(void);
int x;
void *add(void *_) { int seen = x; x = seen + 1; return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (x != 2) reach_error();
}
"""


def _row(seconds: float, answer: str = NOTHING, solver: str = "minisat", **more: object) -> Row:
    part = "".join(f" {name}={more.pop(name)}" for name in ("partitions", "part") if name in more)
    how = f"unwind=2 contexts=5 solver={solver}{part}"
    given = {"kind": "processor", "task": "bounded_buffer", "how": how, "clauses": 1000}
    return row_of(given, **{"cpu_seconds": seconds, "answer": answer} | more)


def _parts(*seconds: float, violated: int | None = None) -> list[Row]:
    return [
        _row(s, VIOLATION if part == violated else NOTHING, partitions=len(seconds), part=part)
        for part, s in enumerate(seconds)
    ]


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    kept = Store(tmp_path / "rows.tsv")
    row = _row(1.5, partitions=4, part=3, note="two\nlines")
    kept.add(row)
    (read,) = Store(kept.path).latest().values()
    assert read.key == row.key
    assert (read.cpu_seconds, read.note) == (1.5, "two lines")


def test_two_cores_take_the_next_part_when_they_are_free() -> None:
    assert on_cores(_parts(5, 1, 1, 1), 2) == 5
    assert on_cores(_parts(2, 2, 2), 2) == 4
    assert on_cores(_parts(7), 2) == 7


def test_the_first_violation_ends_all() -> None:
    assert on_cores(_parts(9, 2, 1, 5, violated=2), 2) == 3
    assert on_cores(_parts(1, 9, 9, violated=0), 2) == 1


def test_a_part_without_an_answer_leaves_none() -> None:
    open_, *rest = _parts(1, 2)
    assert on_cores([_row(1, "real limit", partitions=2), *rest], 2) is None
    assert on_cores([_row(1, "real limit", partitions=2), _row(3, VIOLATION, partitions=2, part=1)], 2) == 3
    assert open_.solved


def test_what_is_wrong() -> None:
    assert _row(1, VIOLATION, expected=NOTHING, partitions=2).wrong
    assert _row(1, NOTHING, expected=VIOLATION).wrong


def test_a_part_is_wrong_only_if_it_has_a_violation_where_there_is_none() -> None:
    parser = ArgumentParser()
    add_arguments(parser)
    for contexts, expected in ((5, VIOLATION), (4, NOTHING)):
        program = {5: "bounded_buffer:2:5", 4: "safestack:3:4"}[contexts]
        options = parser.parse_args(["--parts", "--programs", program, "--solvers=minisat"])
        found = {(one.how.partition(" partitions=")[2] or "1"): one.expected for one in planned(options)}
        assert found.pop("1") == expected
        assert set(found.values()) == {"unknown" if expected == VIOLATION else NOTHING}
        assert len(found) == 2 + 4 + 8


def test_another_solver_is_compared_by_the_least_that_it_can_take() -> None:
    mine = _parts(4, 3)
    slower, faster = (_row(seconds, solver=CRYPTOMINISAT, workers=2) for seconds in (10, 6))
    assert not is_slower([*mine, slower])
    assert is_slower([*mine, faster])
    assert not is_slower([*mine, _row(6, "real limit", solver=CRYPTOMINISAT, workers=2)])
    assert "| bounded buffer 2, 5 | minisat 4.0 | 5.0 |" in tables([*mine, slower])


@pytest.mark.parametrize("solver", ["bitwuzla", "minisat", "z3"])
def test_one_run(solver: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROGRAM)
    for contexts, answer in ((4, NOTHING), (5, VIOLATION)):
        told = run(parser().parse_args([str(file), "--unwind=1", f"--contexts={contexts}", f"--solver={solver}"]))
        assert told["answer"] == answer
        assert told["cpu_seconds"] > 0
