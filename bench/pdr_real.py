"""Real runs on Horn clauses: ``cleave verify`` as its user would run it, and the stock Z3 on the same file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from bench import runs
from bench.pdr_rows import ADAPTIVE
from bench.pdr_run import STRATEGY
from bench.tasks import Task

_GRACE_SECONDS = 10.0  # Z3 ends by itself at its limit; later it is killed
_ANSWERS = {"safe": "safe", "unsafe": "unsafe", "unknown": "given up"}
_STATISTICS = ("cost", "sharing_cost", "validation_cost", "partitions", "closed", "level")


def run_cleave(task: Task, how: str, workers: int, timelimit: float) -> dict[str, Any]:
    arguments = [f"--workers={workers}", "--journal=none", "--engine=pdr"]
    if how != ADAPTIVE:
        arguments += [f"--strategies={how.removeprefix(STRATEGY)}", "--partitions=0"]
    measured = runs.run(task, arguments, timelimit)
    stopped = measured.verdict == "unknown" and "timeout" in measured.reason
    statistics = measured.statistics
    return {
        "answer": "real limit" if stopped else _ANSWERS.get(measured.verdict, "error"),
        "real_seconds": round(measured.seconds, 2),
        "evidence": measured.validation,
        "note": measured.reason[:300],
        **{
            name: int(statistics[name])
            for name in (*_STATISTICS, "lemmas_pushed", "lemmas_pulled")
            if name in statistics
        },
    }


def run_stock(task: Task, timelimit: float) -> dict[str, Any]:
    return run_clauses(task.file, timelimit)


def run_clauses(file: Path, timelimit: float) -> dict[str, Any]:
    """Z3's own command, which comes with the library that Cleave uses."""
    command = [str(Path(sys.executable).with_name("z3")), f"-T:{max(1, round(timelimit))}", str(file)]
    began = perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timelimit + _GRACE_SECONDS)
        answer, note = stock_answer(done.stdout, file.read_text(errors="replace"))
    except subprocess.TimeoutExpired:
        answer, note = "real limit", ""
    return {"answer": answer, "note": note, "real_seconds": round(perf_counter() - began, 2)}


def stock_answer(printed: str, text: str) -> tuple[str, str]:
    """An answer and a note. Clauses are satisfiable if they are safe; a *query* of Z3's own dialect is if it is not.

    >>> stock_answer("sat", "(assert (forall ...)) (check-sat)"), stock_answer("sat", "(declare-rel p ()) (query p)")
    (('safe', ''), ('unsafe', ''))
    """
    words = printed.split()
    if "timeout" in words:
        return "real limit", ""
    claims = [word for word in words if word in ("sat", "unsat", "unknown")]
    if len(claims) != 1 or "(error" in printed:
        return "error", " ".join(printed.split())[:200]
    if claims[0] == "unknown":
        return "given up", "unknown"
    is_query = re.search(r"\(\s*declare-rel\b", re.sub(";.*", "", text)) is not None
    return ("safe" if (claims[0] == "sat") != is_query else "unsafe"), ""
