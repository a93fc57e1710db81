"""Real runs on Horn clauses: ``cleave verify`` as its user would run it, and the stock Z3 on the same file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.campaign import Planned
from bench.pdr_run import ADAPTIVE, STRATEGY
from bench.tasks import Task

STOCK = "z3"
"""SPACER of the stock binary, with its default settings, on the file as it is."""

_GRACE_SECONDS = 10.0  # Z3 ends by itself at its limit; later it is killed


def real(task: Task, how: str, workers: int, timelimit: float) -> Planned:
    arguments = [f"--workers={workers}", "--engine=pdr"]
    arguments += [f"--strategies={how.removeprefix(STRATEGY)}", "--partitions=0"] if how != ADAPTIVE else []
    return Planned(
        task=task.path,
        how=how,
        workers=workers,
        expected=task.expected,
        run=lambda runs: runs.verified(task, arguments, timelimit).told(),
    )


def stock(task: Task, timelimit: float) -> Planned:
    return Planned(task=task.path, how=STOCK, expected=task.expected, run=lambda _: run_clauses(task.file, timelimit))


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
