"""Which exit code a verdict has, and what a run that is over says again."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from cleave.cli.exit_codes import exit_code, failing, worst
from cleave.cli.main import main


@pytest.mark.parametrize(
    ("fail_on", "strict", "expected"),
    [
        (None, False, (0, 0, 10, 5)),
        (None, True, (0, 4, 10, 5)),
        ("bounded", False, (0, 4, 0, 0)),
        ("unknown,bounded-safe", False, (0, 4, 0, 5)),
        ("none", False, (0, 0, 0, 0)),
    ],
)
def test_each_verdict(fail_on: str | None, strict: bool, expected: tuple[int, ...]) -> None:
    options = argparse.Namespace(fail_on=failing(fail_on) if fail_on else None, strict=strict)
    assert tuple(exit_code(word, options) for word in ("safe", "bounded-safe", "unsafe", "unknown")) == expected


def test_the_worst_is_the_commands() -> None:
    assert [worst(codes) for codes in ({0, 5, 10}, {0, 4}, {1, 10}, {2, 6, 5})] == [10, 4, 1, 6]


def test_a_run_that_ended_in_doubt_says_so_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its verdict is unknown, and to go on with it would not change that."""
    file = tmp_path / "p.c"
    file.write_text(
        "#include <assert.h>\nextern int f(int *);\nint main(void) { int x = 1; f(&x); assert(x == 1); return 0; }\n"
    )
    journal = f"--journal={tmp_path / 'runs'}"
    assert main(["verify", str(file), journal, "--quiet", "--workers=1"]) == 5
    first = capsys.readouterr().out
    assert "not modelled" in first
    assert main(["resume", "latest", journal, "--quiet"]) == 5
    again = capsys.readouterr()
    assert again.out.splitlines()[:3] == first.splitlines()[:3]
    assert "has finished already" in again.err
    assert main(["resume", "latest", journal, "--quiet", "--fail-on", "unsafe"]) == 0
