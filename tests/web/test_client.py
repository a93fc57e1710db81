"""The client of a few lines that the guide shows, against a server that listens."""

from __future__ import annotations

import re
import socket
import threading
from pathlib import Path

import pytest

from cleave.web.app import make_app
from cleave.web.settings import Settings

uvicorn = pytest.importorskip("uvicorn")
_PAGE = Path(__file__).parents[2] / "docs" / "guide" / "web.md"


def test_the_client_of_the_guide_gets_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", _PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = make_app(Settings(folder=tmp_path / "runs", jobs_folder=tmp_path / "jobs", port=port, workers=1))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text("int main(void) { int a[2]; return a[2]; }\n")
    assert "127.0.0.1:8080" in code
    try:
        exec(code.replace("127.0.0.1:8080", f"127.0.0.1:{port}"), {})
    finally:
        server.should_exit = True
        thread.join()
    assert capsys.readouterr().out.split()[-1:] == ["unsafe"]
