"""Who may ask a server, and what its answers carry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cleave.web.app import make_app
from cleave.web.guard import COOKIE
from cleave.web.settings import Settings

PAGES = ("/", "/submit", "/jobs", "/login", "/api/v1/runs", "/api/v1/openapi.json", "/static/page.js", "/nothing")


@pytest.fixture
def guarded(settings: Settings) -> TestClient:
    made = replace(settings, host="0.0.0.0", token="secret-token", names=("box.example",))
    return TestClient(make_app(made), base_url="http://box.example", follow_redirects=False)


@pytest.mark.parametrize("page", PAGES)
def test_every_answer_has_a_policy_without_inline_scripts(client: TestClient, page: str) -> None:
    answer = client.get(page, follow_redirects=False)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers
    if answer.headers.get("content-type", "").startswith("text/html"):
        assert "<script>" not in answer.text
        assert " style=" not in answer.text
        assert " onclick" not in answer.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost:81", "[::1", "a b"])
def test_another_name_of_the_host_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:80"])
def test_loopback_has_several_names(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


def test_a_page_of_another_origin_gets_nothing(client: TestClient) -> None:
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "https://127.0.0.1:99"}):
        assert client.get("/api/v1/runs", headers=headers).status_code == 403
        assert client.post("/api/v1/runs", headers=headers, json={"files": {}}).status_code == 403
    assert client.post("/submit", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.get("/api/v1/runs", headers={"origin": "http://127.0.0.1"}).status_code == 200


def test_without_the_token_there_is_only_the_way_in(guarded: TestClient) -> None:
    assert guarded.get("/").headers["location"] == "/login"
    assert guarded.get("/runs/x").status_code == 303
    for path in ("/api/v1/runs", "/api/v1/openapi.json", "/api/v1/runs/x/files/journal"):
        assert guarded.get(path).status_code == 401
    assert guarded.post("/submit").status_code == 401
    for wrong in ("", "secret-toke", "secret-token2", "é"):
        assert guarded.get("/api/v1/runs", headers={b"authorization": f"Bearer {wrong}".encode()}).status_code == 401
        assert guarded.get("/api/v1/runs", headers={b"cookie": f"{COOKIE}={wrong}".encode()}).status_code == 401
        assert COOKIE not in guarded.get("/login", params={"token": wrong}).cookies


def test_the_token_becomes_a_cookie_that_scripts_can_not_read(guarded: TestClient) -> None:
    answer = guarded.get("/login", params={"token": "secret-token"})
    told = answer.headers["set-cookie"].lower()
    assert "httponly" in told
    assert "samesite=strict" in told
    assert "secret-token" not in told
    assert guarded.get("/").status_code == 200  # with the cookie
    guarded.cookies.clear()
    assert guarded.get("/api/v1/runs", headers={"authorization": "Bearer secret-token"}).status_code == 200
    assert guarded.post("/login", data={"token": "secret-token"}).status_code == 303


def test_a_large_body_is_refused_whatever_its_header_says(client: TestClient) -> None:
    def parts() -> object:
        for _ in range(30):
            yield b"x" * 10_000

    assert client.post("/api/v1/runs", content=b"x" * 200_000).status_code == 413
    assert client.post("/api/v1/runs", content=parts()).status_code == 413  # type: ignore[arg-type]
    assert client.post("/submit", files={"files": ("a.c", b"x" * 150_000)}).status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/runs/..%2f..%2fetc%2fpasswd",
        "/runs/%2e%2e",
        "/static/..%2fpage.py",
        "/static/page.py",
        "/api/v1/runs/..%2fsecret/files/journal",
        "/api/v1/runs/%00/files/journal",
        "/api/v1/jobs/..",
    ],
)
def test_no_path_leads_out_of_the_folder(client: TestClient, settings: Settings, path: str) -> None:
    (settings.folder.parent / "secret.journal").write_bytes(b"secret")
    answer = client.get(path)
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_a_link_is_no_journal(client: TestClient, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("secret")
    link = settings.folder / "link.journal"
    link.symlink_to(tmp_path / "other")
    try:
        assert client.get("/api/v1/runs/link/files/journal").status_code == 404
    finally:
        link.unlink()
