"""What a user sees while a run goes on."""

from __future__ import annotations

from typing import Any

import pytest

from cleave.api import Progress
from cleave.cli import progress
from cleave.cli.progress import ProgressLine
from cleave.run.plan import Stage

DISTRIBUTED: dict[str, Any] = {
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


def news(engine: str = "inline", lane: int = 0, **counters: Any) -> Progress:
    stage = Stage(number=lane + 1, engine=engine, purpose="", lane=lane)
    return Progress(stage, counters, None)


def shown(*running: Progress, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """After ten seconds."""
    clock = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    with ProgressLine("a.bpl", quiet=False) as line:
        clock[0] += 10.0
        line.update(running)
    return capsys.readouterr().err


def test_a_distributed_run_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(news(**DISTRIBUTED), monkeypatch=monkeypatch, capsys=capsys) == (
        "a.bpl: 10 s: bound 2, 4 workers (3 busy), 41 splits (0.0/s), 30 parts closed, 12 open, 1834 instances,"
        " cost 12.3M\n"
    )


def test_engines_side_by_side_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    beside = (news(**DISTRIBUTED), news("pdr", 1, read_seconds=0.1))
    told = shown(*beside, monkeypatch=monkeypatch, capsys=capsys)
    assert told.startswith("a.bpl: 10 s: inline: bound 2, ")
    assert told.endswith("; pdr: reading\n")


def test_before_anything_is_known_it_reads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(monkeypatch=monkeypatch, capsys=capsys) == "a.bpl: 10 s: reading\n"


def test_elsewhere_than_on_a_terminal_lines_come_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    with ProgressLine("a.bpl", quiet=False) as line, ProgressLine("b.bpl", quiet=True) as quiet:
        for _ in range(250):
            clock[0] += 0.1
            line.update([news(**DISTRIBUTED)])
            quiet.update([news(**DISTRIBUTED)])
    lines = capsys.readouterr().err.splitlines()
    assert [text.split(" s:")[0] for text in lines] == ["a.bpl: 10", "a.bpl: 20"]


def test_on_a_terminal_there_is_a_live_display(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with ProgressLine("[odd].bpl", quiet=False) as line:
        line.update([news(**DISTRIBUTED)])
        line.update([news(**DISTRIBUTED)], stopping=True)
    assert capsys.readouterr().out == ""
