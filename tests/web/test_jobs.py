"""Submitting, stopping, resuming: jobs are processes of their own."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from cleave.errors import UsageError
from cleave.web.app import make_app
from cleave.web.jobs import Job
from cleave.web.queue import Queue, QueueFullError
from cleave.web.settings import Settings

SAFE = "procedure main() { var x: int; assume x > 0; assert x >= 1; }\n"
GROWS = "procedure main() { call f(); }\nprocedure f() { call f(); call f(); assert false; }\n"
FOR_EVER = """\
procedure main() {
  var x, y, z: int;
  x, y, z := 0, 0, 1;
  while (*) { x, y, z := x + 1, y + 2 * x, z * 3 mod 1009; }
  assert y != 999999937 || z != 5;
}
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(folder=tmp_path / "runs", jobs_folder=tmp_path / "jobs", port=80, jobs=2, timelimit=60.0)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(make_app(settings), base_url="http://127.0.0.1") as client:
        yield client


def submitted(client: TestClient, files: dict[str, str], **options: Any) -> list[str]:
    answer = client.post("/api/v1/runs", json={"files": files, "options": {"workers": 1, **options}})
    assert answer.status_code == 202, answer.text
    runs: list[str] = answer.json()["runs"]
    return runs


def ended(client: TestClient, id: str) -> dict[str, Any]:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        job: dict[str, Any] = client.get(f"/api/v1/jobs/{id}").json()
        if job["state"] in ("ended", "stopped") and job["ended"] and job["exit_code"] is not None:
            return job
        time.sleep(0.1)
    raise AssertionError("the job does not end")


def test_a_submitted_file_gets_its_verdict_and_its_files(client: TestClient) -> None:
    answer = client.post(
        "/submit",
        files=[("files", ("<b>.bpl", SAFE.encode())), ("files", ("broken.bpl", b"procedure main( {"))],
        data={"workers": "1"},
        follow_redirects=False,
    )
    assert answer.headers["location"].startswith("/results?batch=")
    jobs = client.get("/api/v1/jobs").json()["jobs"]
    first, second = (ended(client, job["run"]) for job in jobs)
    assert first["result"]["verdict"] == "safe"
    assert "expected" in second["result"]["error"]
    id = first["run"]
    run = client.get(f"/api/v1/runs/{id}").json()
    assert run["verdict"] == "safe"
    assert run["files"] == ["<b>.bpl"]
    assert "journal" not in run, "no path of the server is told"
    offered = re.findall(rf"/api/v1/runs/{id}/files/(\w+)", client.get(f"/runs/{id}").text)
    assert offered == ["journal", "sarif", "certificate", "report", "result"]
    for name in (*offered, "journal"):
        file = client.get(f"/api/v1/runs/{id}/files/{name}")
        assert file.status_code == 200, file.text
        assert file.headers["content-disposition"].startswith("attachment")
    assert file.content.startswith(b"SQLite format 3")
    assert client.get(f"/api/v1/runs/{id}/files/witness").status_code == 400
    assert client.get(f"/api/v1/runs/{id}/files/secret").status_code == 404
    page = client.get(answer.headers["location"]).text
    assert "&lt;b&gt;.bpl" in page
    assert "broken.bpl" in page
    assert "<svg" in page
    assert "expected" in client.get(f"/runs/{second['run']}").text
    assert "&lt;b&gt;.bpl" in client.get("/jobs").text


def test_clauses_without_a_solution_say_nothing_of_the_invariant_that_a_job_would_keep(client: TestClient) -> None:
    clauses = "(set-logic HORN)(assert (forall ((x Int)) (=> (> x 0) false)))(check-sat)"
    made = client.post("/api/v1/runs", json={"files": {"a.smt2": clauses}, "options": {"workers": "1"}}).json()
    id = made["runs"][0]
    assert ended(client, id)["result"]["verdict"] == "unsafe"
    assert "not written" not in client.get(f"/runs/{id}").text
    assert "-jobs" not in client.get(f"/api/v1/runs/{id}").text


def running(client: TestClient, id: str) -> None:
    end = time.monotonic() + 30
    while (found := run_of(client, id)).get("state") != "running" or "stages" not in found:
        assert time.monotonic() < end
        time.sleep(0.05)


def run_of(client: TestClient, id: str) -> dict[str, Any]:
    """Before there is a run, it is about the job, and has no stages."""
    found: dict[str, Any] = client.get(f"/api/v1/runs/{id}").json()
    return found


def test_stop_and_resume(client: TestClient) -> None:
    (id,) = submitted(client, {"a.bpl": FOR_EVER}, engine="pdr")
    running(client, id)
    assert client.post(f"/api/v1/runs/{id}/resume").status_code == 400, "it is running"
    assert "data-live" in client.get(f"/runs/{id}").text
    assert client.post(f"/api/v1/runs/{id}/stop").status_code == 202
    end = time.monotonic() + 30
    while client.post(f"/runs/{id}/resume", follow_redirects=False).status_code != 303:  # its process still ends
        assert time.monotonic() < end
    running(client, id)
    job = client.get(f"/api/v1/jobs/{id}").json()
    assert job["state"] == "running"
    assert job["resumes"]
    client.post(f"/api/v1/runs/{id}/stop")
    assert ended(client, id)["state"] == "stopped"
    assert run_of(client, id)["state"] == "stopped"
    assert client.post(f"/api/v1/runs/{id}/stop").status_code == 400, "it is over"
    assert "resume" in client.get(f"/runs/{id}").text


def test_an_include_that_the_first_look_misses_is_found_by_the_compiler(settings: Settings, tmp_path: Path) -> None:
    """As if the check of the text had a hole."""
    secret = tmp_path / "secret.h"
    secret.write_text("int secret;")

    async def forbidden(text: str) -> str:
        queue = Queue(settings)
        job = queue.folder.make(("a.c",), {"a.c": text.encode()}, {}, None)
        return await queue._forbidden(job)

    found = asyncio.run(forbidden(f'#include "{secret}"\nint main(void) {{ return 0; }}'))
    assert "submitted programs" in found
    assert str(secret) not in found
    assert asyncio.run(forbidden("#include <stdio.h>\nint main(void) { return 0; }")) == ""


def test_no_secret_of_the_server_s_owner_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from cleave.web import queue

    monkeypatch.setenv("SOME_PASSWORD", "secret")
    assert "secret" not in queue._environment().values()
    assert queue._environment()["PYTHONSAFEPATH"] == "1"


class Idle(Queue):
    """Starts nothing, but says what it would."""

    async def _run(self, job: Job) -> None:
        await asyncio.sleep(0)


def test_the_queue_keeps_its_limits(settings: Settings) -> None:
    async def states(limits: Settings, memory: int) -> list[str]:
        queue = Idle(limits)
        told = {"memlimit": str(memory)}
        jobs = queue.submit([("a.bpl",), ("b.bpl",), ("c.bpl",)], {"a.bpl": b"", "b.bpl": b"", "c.bpl": b""}, told)
        found: list[str] = [job.state for job in jobs]
        for job in jobs[1:]:
            if job.state == "waiting":
                queue.stop(job.id)
        return found

    many = replace(settings, jobs=2, memory_mb=1000)
    assert asyncio.run(states(many, 100)) == ["running", "running", "waiting"]
    assert asyncio.run(states(many, 600)) == ["running", "waiting", "waiting"]
    with pytest.raises(QueueFullError, match="full"):
        asyncio.run(states(replace(settings, waiting=2), 100))


def test_a_job_gets_its_own_files_and_the_headers_only(settings: Settings) -> None:
    async def folders() -> list[set[str]]:
        queue = Idle(settings)
        files = {"a.c": b"", "b.c": b"", "x.h": b""}
        jobs = queue.submit([("a.c",), ("b.c",)], files, {})
        return [set(os.listdir(queue.folder.of(job.id) / "program")) for job in jobs]

    assert asyncio.run(folders()) == [{"a.c", "x.h"}, {"b.c", "x.h"}]


def test_jobs_that_a_server_left_can_be_seen_by_the_next(settings: Settings) -> None:
    async def leave() -> str:
        return Idle(settings).submit([("a.bpl",)], {"a.bpl": b""}, {})[0].id

    id = asyncio.run(leave())
    (settings.jobs_folder / "broken").mkdir()
    queue = Queue(settings)
    assert queue.jobs[id].state == "stopped"
    with pytest.raises(UsageError, match="not running"):
        queue.stop(id)
