"""SDV drivers: verdicts against the expected ones, times against Corral's, Python's share.

python -m bench sdv --timelimit 60 --only corral
"""

from __future__ import annotations

import argparse
from math import exp, log

from bench.runs import Measured, run_all
from bench.tasks import corral_times, tasks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelimit", type=float, default=60.0)
    parser.add_argument("--only", default="", help="corral: what Corral solved; else tasks whose name contains this")
    parser.add_argument("--folder", default="sdv")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("arguments", nargs="*", help="passed on to cleave verify, after --")


def main(options: argparse.Namespace) -> int:
    corral = corral_times() if options.folder == "sdv" else {}
    chosen = [
        task
        for task in tasks(options.folder)
        if (
            corral.get(task.name, ("TIMEOUT",))[0] != "TIMEOUT"
            if options.only == "corral"
            else options.only in task.path
        )
    ]
    found: list[Measured] = []
    print("task\texpected\tverdict\tseconds\tinstances\tmerges\tchecks\tcost\tsolver\tvalidate\tcorral\treason")
    for measured in run_all(chosen, options.arguments, options.timelimit, options.jobs):
        found.append(measured)
        print(_row(measured, corral), flush=True)
    _summary(found, corral)
    return int(any(measured.wrong for measured in found))


def _row(measured: Measured, corral: dict[str, tuple[str, float]]) -> str:
    s = measured.statistics
    answer, seconds = corral.get(measured.task.name, ("", 0.0))
    cells = [
        measured.task.name,
        measured.task.expected,
        measured.verdict + (" WRONG" if measured.wrong else ""),
        f"{measured.seconds:.1f}",
        *(str(s.get(key, "")) for key in ("instances", "merges", "checks", "cost")),
        *(f"{s.get(key, 0):.1f}" for key in ("solver_seconds", "validate_seconds")),
        f"{answer} {seconds}",
        measured.reason[:100],
    ]
    return "\t".join(cells)


def _summary(found: list[Measured], corral: dict[str, tuple[str, float]]) -> None:
    solved = [m for m in found if m.solved]
    print(f"{len(solved)} of {len(found)} solved, {sum(m.wrong for m in found)} wrong")
    both = [m for m in solved if corral.get(m.task.name, ("TIMEOUT", 0))[0] != "TIMEOUT"]
    if both:
        ratios = [m.seconds / corral[m.task.name][1] for m in both]
        print(f"time over Corral's on the {len(both)} that both solve: {exp(sum(map(log, ratios)) / len(ratios)):.2f}")
    long = [m for m in found if m.seconds > 10 and "solver_seconds" in m.statistics]
    if long:
        _print_shares(long)


def _print_shares(long: list[Measured]) -> None:
    """What is neither the search's solver nor the check of its result, which is mostly another solver."""
    checking = [m.statistics.get("validate_seconds", 0.0) / m.seconds for m in long]
    outside = [1 - m.statistics["solver_seconds"] / m.seconds - share for m, share in zip(long, checking, strict=True)]
    for what, shares in (("outside the solver and checks", outside), ("checks of results", checking)):
        average, most = sum(shares) / len(shares), max(shares)
        print(f"{what} on {len(long)} runs over 10 s: {average:.0%} on average, {most:.0%} at most")
