"""Help that fits on a screen, and topics that come from the tables."""

from __future__ import annotations

import pytest

from cleave.cli import brief
from cleave.cli.main import main, parser


@pytest.mark.parametrize("command", ["verify", "plan"])
def test_the_short_help_fits_on_a_screen(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert stopped.value.code == 0
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert any("--help-all" in line for line in lines)


def test_the_short_help_is_there_on_the_narrowest_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1")
    with pytest.raises(SystemExit) as stopped:
        main(["verify", "--help"])
    assert stopped.value.code == 0
    assert "--timelimit" in capsys.readouterr().out


def test_every_flag_of_the_short_help_exists() -> None:
    verify = next(iter(parser("verify")._subparsers._group_actions[0].choices.values()))  # type: ignore[union-attr]
    assert set(brief._FLAGS) <= set(verify._option_string_actions)


def test_everything_is_in_the_long_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--help-all"])
    shown = capsys.readouterr().out
    assert "--split-interval" in shown
    assert "--trust FUNCTION" in shown


@pytest.mark.parametrize(
    ("topic", "word"),
    [
        ("verdicts", "bounded-safe"),
        ("engines", "predicate abstraction"),
        ("properties", "* signed-overflow"),
        ("formats", ".btor2"),
        ("files", "--sarif FILE"),
    ],
)
def test_topics(topic: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 0
    assert word in capsys.readouterr().out
    assert main(["help"]) == 0
    assert topic in capsys.readouterr().out


def test_a_topic_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "everything"]) == 1
    assert "verdicts" in capsys.readouterr().err
