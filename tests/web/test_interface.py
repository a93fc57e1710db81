"""The API says what is wrong, and its document what there is."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"files": {}}',
        b'{"files": {"a.c": 1}}',
        b'{"files": {"a.py": ""}}',
        b'{"files": {"a.h": ""}}',
        b'{"files": {"a.c": ""}, "options": {"engine": "x"}}',
        b'{"files": {"a.c": ""}, "options": []}',
        b'{"files": {"a.c": "#include \\"/etc/passwd\\""}}',
        b'{"files": {"a.c": ""}, "more": 1}',
        b'{"files": {"a.yml": "input_files: /etc/passwd"}}',
    ],
)
def test_what_is_no_submission_gets_one_sentence(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/v1/runs", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "limit=²", "skip=-1", "limit=99999999999999"])
def test_numbers_have_a_range(client: TestClient, query: str) -> None:
    assert client.get(f"/api/v1/runs?{query}").status_code == 400


def test_every_route_is_in_the_document(client: TestClient) -> None:
    told = client.get("/api/v1/openapi.json").json()
    app: Any = client.app
    routes = {
        (route.path, method)
        for route in app._app.routes
        for method in route.methods - {"HEAD"}
        if route.path.startswith("/api/")
    }
    described = {(path, method.upper()) for path, own in told["paths"].items() for method in own}
    assert routes == described


def test_options_are_those_of_the_tables(client: TestClient) -> None:
    options = {one["name"]: one for one in client.get("/api/v1/options").json()["options"]}
    assert "threads" in options["unwind"]["engines"]
    assert "auto" in options["engine"]["values"]


def test_events_are_json(client: TestClient) -> None:
    id = client.get("/api/v1/runs").json()["runs"][0]["run"]
    with client.stream("GET", f"/api/v1/runs/{id}/events") as answer:
        lines = list(answer.iter_lines())
    assert lines[0] == "event: run"
    assert id in lines[1]
    assert "event: end" in lines
