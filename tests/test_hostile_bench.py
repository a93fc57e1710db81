"""A sample of the hostile inputs, and the judge of what becomes of them."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from bench import hostile
from bench.hostile import _complaints, tried
from bench.hostile_inputs import Case, hostile_cases, sample

_SLACK = 20.0  # to start processes on a busy machine; the campaign looks closer


def test_a_sample_is_refused_in_a_sentence_within_the_limits_with_no_trace() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda case: tried(case, _SLACK), sample(30)))
    assert [one for one in found if one.failures] == []


def test_there_are_five_hundred_with_names_of_their_own() -> None:
    names = [case.name for case in hostile_cases()]
    assert len(names) >= 500
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("code", "seconds", "out", "err", "complaint"),
    [
        (6, 1.0, b"", b"cleave: internal error", "exit code 6"),
        (0, 1.0, b"safe", b"", "exit code 0"),
        (2, 9.0, b"", b"cleave: no", "9.0 s"),
        (2, 1.0, b"", b"Traceback (most recent call last)", "a traceback"),
        (2, 1.0, b"", b"no\n" * 20, "20 lines"),
        (2, 1.0, b"", b"\x1b[31m", "control characters"),
        (2, 1.0, b"", b"", "no message"),
    ],
)
def test_what_is_wrong_is_seen(code: int, seconds: float, out: bytes, err: bytes, complaint: str) -> None:
    assert any(complaint in one for one in _complaints(Case("x", ("verify",)), code, seconds, out, err))


def test_processes_and_files_that_are_left_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile, "_WAIT_SECONDS", 0.2)
    monkeypatch.setattr(sys, "executable", "/bin/sh")  # -m and the rest are its options then
    case = Case("x", (), shell=";: > made; touch $TMPDIR/other; sleep 5 >/dev/null 2>&1 & exit 2")
    left = tried(case, _SLACK).failures
    assert any("processes are left" in one for one in left)
    assert any("files are left" in one for one in left)
