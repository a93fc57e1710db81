"""A run in a list of runs: what is said of it in a line, and the same as an object that JSON can hold."""

from __future__ import annotations

from typing import Any

from cleave.journal.places import Run
from cleave.review.run import run_state


def in_a_word(run: Run) -> str:
    """In a few words: its verdict, or why it has none."""
    if run.going_on:
        return "running"
    if run.result is None:
        return "stopped"
    if "error" in run.result:
        return "error"
    verdict, reason = run.result["verdict"], run.result["reason"]
    return f"{verdict} ({reason.split(':')[0]})" if reason else verdict


def seconds_of(run: Run) -> float:
    """The result's are exact, but only those since the run was resumed."""
    return max(run.seconds, float((run.result or {}).get("seconds", 0)))


def run_object(run: Run) -> dict[str, Any]:
    return {
        "run": run.info.id,
        "file": run.info.files[0],
        "state": run_state(run.result, going_on=run.going_on),
        "verdict": (run.result or {}).get("verdict"),
        "reason": (run.result or {}).get("reason"),
        "error": (run.result or {}).get("error"),
        "workers": run.info.workers,
        "runtime": run.info.runtime,
        "seconds": round(seconds_of(run), 3),
        "started": run.info.started.isoformat(),
        "journal": str(run.path),
    }
