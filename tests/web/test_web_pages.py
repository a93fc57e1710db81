"""The pages, from journals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from cleave.web.job_pages import Row, results
from cleave.web.jobs import Job
from cleave.web.settings import Settings

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def ids(client: TestClient) -> dict[str, str]:
    """Run ids by verdict."""
    return {run["verdict"]: run["run"] for run in client.get("/api/v1/runs").json()["runs"]}


def texts(page: str) -> str:
    return re.sub(r"<[^>]*>", " ", page)


def test_the_list_has_all_runs_and_escapes_their_names(client: TestClient, ids: dict[str, str]) -> None:
    page = client.get("/").text
    assert all(f"/runs/{id}" in page for id in ids.values())
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"verdict": "safe"}, {"safe"}),
        ({"verdict": "unsafe"}, {"unsafe"}),
        ({"engine": "inline"}, {"safe", "unsafe"}),
        ({"engine": "threads"}, set()),
        ({"text": "SAFE.bpl"}, {"safe"}),
        ({"text": "<script>"}, {"unsafe"}),
        ({"verdict": "running"}, set()),
        ({"page": "7"}, set()),
        ({"page": "-1"}, {"safe", "unsafe"}),
    ],
)
def test_filters(client: TestClient, ids: dict[str, str], query: dict[str, str], shown: set[str]) -> None:
    page = client.get("/", params=query).text
    assert {verdict for verdict, id in ids.items() if f"/runs/{id}" in page} == shown


def test_a_run_tells_verdict_plan_and_counterexample(client: TestClient, ids: dict[str, str]) -> None:
    page = client.get(f"/runs/{ids['unsafe']}").text
    assert "<script>alert" not in page
    assert "</script><script>" not in page
    for told in ("✗", "Counterexample", "data-steps", "havoc x", "Stages", "replayed"):
        assert told in page
    safe = client.get(f"/runs/{ids['safe']}").text
    assert "Counterexample" not in safe
    assert "Source" in safe
    assert "data-live" not in safe, "nothing follows"


def test_two_runs_beside_each_other(client: TestClient, ids: dict[str, str]) -> None:
    page = client.get("/compare", params={"run": list(ids.values())}).text
    assert "differs-cell" in page
    assert all(id in page for id in ids.values())
    assert client.get("/compare", params={"run": [ids["safe"]]}).status_code == 400
    assert client.get("/compare", params={"run": [ids["safe"], "nothing"]}).status_code == 404


def test_what_is_not_there(client: TestClient) -> None:
    for path in ("/runs/nothing", "/runs/nothing/live", "/results?batch=nothing", "/api/v1/jobs/nothing"):
        assert client.get(path).status_code == 404
    assert client.post("/runs/nothing/stop").status_code == 404
    assert "no such page" in client.get("/nothing").text


def test_news_of_a_run_that_is_over_end_at_once(client: TestClient, ids: dict[str, str]) -> None:
    def lines() -> Iterator[str]:
        with client.stream("GET", f"/runs/{ids['safe']}/live") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield from answer.iter_lines()

    found = [line for line in lines() if line.startswith("event:")]
    assert found == ["event: news", "event: end"]


def test_the_form_has_the_options_of_the_tables(client: TestClient) -> None:
    page = client.get("/submit").text
    for name in ("engine", "timelimit", "unwind", "strategies", "check", "bounds"):
        assert f'name="{name}"' in page
    assert "--property-file" not in page


def test_two_submissions_have_one_row_for_each_file_and_no_empty_columns() -> None:
    def row(file: str, batch: str, result: dict[str, Any] | None) -> Row:
        job = Job(id=f"{file}-{batch}", batch=batch, files=(file,), options={"engine": batch}, submitted=NOW)
        job.state = "ended"
        return Row(job, result)

    solved = {"verdict": "safe", "seconds": 2.0}
    one = [row("a.c", "bmc", solved), row("b.c", "bmc", {"error": "no <file>"})]
    other = [row("b.c", "pdr", solved), row("c.c", "pdr", solved)]
    page = results([one, other])
    table = page[page.index('id="table"') :]
    assert [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r'data-label="file">.*?</td>', table)] == [
        'data-label="file">a.c',
        'data-label="file">b.c',
        'data-label="file">c.c',
    ]
    assert 'title="no &lt;file&gt;"' in table
    assert ">expected<" not in page, "nobody expects anything"
    expected = {**solved, "expected": "unsafe"}
    assert "✗ wrong" in results([[row("a.c", "bmc", expected)]])


def test_what_is_no_journal_is_said_in_a_sentence_without_the_place(client: TestClient, settings: Settings) -> None:
    garbage = settings.folder / "garbage.journal"
    garbage.write_bytes(b"no database" * 100)
    try:
        for path in ("/runs/garbage", "/api/v1/runs/garbage"):
            answer = client.get(path)
            assert answer.status_code == 400
            assert "garbage.journal" in answer.text
            assert str(settings.folder) not in answer.text
        assert "event: end" in client.get("/runs/garbage/live").text
    finally:
        garbage.unlink()  # the folder is that of other tests, too
