"""A server without a network, over a folder of journals of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cleave import Options, verify
from cleave.web.app import make_app
from cleave.web.settings import Settings

SAFE = "procedure main() { var x: int; assume x > 0; assert x >= 1; }\n"
UNSAFE = """\
procedure {:entrypoint} main() { var x: int; havoc x; call step(x); }
procedure step(x: int) { assert {:msg "</script><script>alert(1)</script>"} x < 5; }
"""


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Journals of two runs, one of them of a file with a hostile name."""
    folder = tmp_path_factory.mktemp("recorded")
    for name, text in (("safe.bpl", SAFE), ("<script>alert(1)<b>.bpl", UNSAFE)):
        file = folder / name
        file.write_text(text)
        verify(str(file), Options(workers=1, journal=folder / "runs"))
    return folder / "runs"


@pytest.fixture
def settings(tmp_path: Path, recorded: Path) -> Settings:
    return Settings(folder=recorded, jobs_folder=tmp_path / "jobs", port=80, upload_bytes=100_000, timelimit=60.0)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(make_app(settings), base_url="http://127.0.0.1") as client:
        yield client
