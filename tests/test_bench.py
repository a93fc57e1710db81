"""Benchmarks that can be started: each is a module that the table of benchmarks knows."""

from __future__ import annotations

import pytest
from bench.__main__ import BENCHMARKS, main


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["bench", name, "--help"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 0
    assert (BENCHMARKS[name].__doc__ or "").splitlines()[0] in capsys.readouterr().out
