"""What the command `cleave serve` listens on, and when it asks for a token."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from pathlib import Path

import pytest

from cleave.cli.main import main

uvicorn = pytest.importorskip("uvicorn")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were listened on; nothing is served."""
    found: list[str] = []

    def run(_: object, sockets: list[socket.socket]) -> None:
        for one in sockets:
            found.append(one.getsockname()[0])
            one.close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    return found


def serve(tmp_path: Path, *words: str) -> int:
    return main(["serve", "--port", "0", "--journal", str(tmp_path / "runs"), *words])


def test_only_loopback_and_no_token_by_default(
    served: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve(tmp_path) == 0
    assert [ipaddress.ip_address(one).is_loopback for one in served] == [True]
    assert "token" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--host", "0.0.0.0"), ("--token",)])
def test_elsewhere_or_if_wanted_a_token_is_made_anew_and_printed_once(
    served: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    tokens = []
    for _ in range(2):
        assert serve(tmp_path, *words) == 0
        tokens += re.findall(r"login\?token=(\S+)", capsys.readouterr().out)
    assert len(tokens) == 2
    assert len(set(tokens)) == 2
    assert all(len(token) >= 32 for token in tokens)
    assert len(served) == 2
