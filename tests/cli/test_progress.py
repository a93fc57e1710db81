"""What a user sees while a run goes on."""

from __future__ import annotations

import pytest

from cleave.cli import progress
from cleave.cli.progress import ProgressLine, describe

DISTRIBUTED = {
    "workers": 4,
    "waiting": 1,
    "lost_workers": 0,
    "splits": 41,
    "closed": 30,
    "open_partitions": 12,
    "instances": 1834,
    "bound": 2,
    "cost": 12_345_678,
}


def test_a_distributed_run_is_one_line() -> None:
    assert describe(DISTRIBUTED, 42.4, 1.23) == (
        "42 s: bound 2, 4 workers (3 busy), 41 splits (1.2/s), 30 parts closed, 12 open, 1834 instances, cost 12.3M"
    )
    assert "(3 busy, 2 lost)" in describe({**DISTRIBUTED, "lost_workers": 2}, 1.0)
    assert describe({"read_seconds": 0.1}, 3.0) == "3 s: reading"


def test_elsewhere_than_on_a_terminal_lines_come_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    with ProgressLine("a.bpl", quiet=False) as line, ProgressLine("b.bpl", quiet=True) as quiet:
        for _ in range(250):
            clock[0] += 0.1
            line.update(DISTRIBUTED)
            quiet.update(DISTRIBUTED)
    shown = capsys.readouterr().err.splitlines()
    assert [text.split(" s:")[0] for text in shown] == ["a.bpl: 10", "a.bpl: 20"]


def test_on_a_terminal_there_is_a_live_display(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with ProgressLine("[odd].bpl", quiet=False) as line:
        line.update(DISTRIBUTED)
        line.update(DISTRIBUTED, stopping=True)
    assert capsys.readouterr().out == ""
