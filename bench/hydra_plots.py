"""The plots of HYDRA's evaluation (Figure 5) from the rows of `bench.hydra`, as SVG.

    python -m bench.hydra_plots docs/lab/hydra.tsv --to docs/lab

    hydra_cactus.svg       how many tasks are solved within a virtual time, a line for each number of workers
    hydra_scatter.svg      the sequential search against most workers, task by task; who was stopped is at the border
    hydra_histogram.svg    speed-ups with most workers over the tasks that both solve

The same rows give the same files, byte by byte.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.hydra_run import SEQUENTIAL
from bench.hydra_tables import by_workers, speed_ups
from bench.rows import Row, read_rows
from cleave.errors import MissingExtraError

_EDGES = (0.0, 0.5, 1, 2, 4, 8, 16, 32, 64)  # of the histogram; the last bar has all beyond
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "cleave",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.figsize": (5.5, 3.8),
    "figure.constrained_layout.use": True,
}


def main() -> int:
    options = _parser().parse_args()
    try:
        import matplotlib
        from matplotlib import pyplot
    except ImportError:
        print(MissingExtraError("plots need matplotlib", "bench"), file=sys.stderr)
        return 1
    matplotlib.use("svg")
    groups = by_workers({row.key: row for row in read_rows(options.rows)}.values())
    most = max(groups, default=SEQUENTIAL)
    if SEQUENTIAL not in groups or most == SEQUENTIAL:
        print(f"{options.rows} has no runs of both the sequential search and workers", file=sys.stderr)
        return 1
    limit = options.virtual_limit or max(row.virtual_limit for row in groups[SEQUENTIAL].values())
    for name, draw in (("cactus", _cactus), ("scatter", _scatter), ("histogram", _histogram)):
        with pyplot.rc_context(_STYLE):
            figure, axes = pyplot.subplots()
            draw(axes, groups, most, limit)
            path = options.to / f"hydra_{name}.svg"
            figure.savefig(path, metadata={"Date": None, "Creator": None})
            pyplot.close(figure)
            print(path)
    return 0


def _parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m bench.hydra_plots", description=__doc__, formatter_class=formatter)
    parser.add_argument("rows", type=Path, nargs="?", default=Path("docs/lab/hydra.tsv"), metavar="TSV")
    parser.add_argument("--to", type=Path, default=Path("docs/lab"), metavar="DIR")
    parser.add_argument("--virtual-limit", type=float, default=0.0, metavar="S", help="default: that of the rows")
    return parser


def _cactus(axes: Any, groups: dict[int, dict[str, Row]], most: int, limit: float) -> None:
    for workers, group in groups.items():
        times = sorted(_time(row) for row in _solved(group.values(), limit))
        style = {"color": "black", "linestyle": "--"} if workers == SEQUENTIAL else {}
        axes.plot(times, range(1, len(times) + 1), marker=".", label=_name(workers), drawstyle="steps-post", **style)
    axes.set_xscale("log")
    axes.set_xlabel("virtual seconds")
    axes.set_ylabel("tasks solved")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)


def _scatter(axes: Any, groups: dict[int, dict[str, Row]], most: int, limit: float) -> None:
    """A task that was not solved is drawn on the line of the limit, whichever limit stopped it."""
    common = sorted(groups[SEQUENTIAL].keys() & groups[most].keys())
    rows = [(groups[SEQUENTIAL][task], groups[most][task]) for task in common]
    times = [(_capped(alone, limit), _capped(many, limit)) for alone, many in rows]
    for word, label, marker in (("unsafe", "violated", "x"), ("safe", "closed", "o"), ("", "neither solves", "s")):
        chosen = [pair for pair, row in zip(times, rows, strict=True) if _answer(row, limit) == word]
        if chosen:
            xs, ys = zip(*chosen, strict=True)
            axes.scatter(xs, ys, marker=marker, s=18, alpha=0.7, label=label, clip_on=False)
    least = min((time for pair in times for time in pair), default=1.0) / 1.5
    axes.plot([least, limit], [least, limit], color="grey", linewidth=0.8)
    axes.axhline(limit, color="grey", linewidth=0.8, linestyle=":")
    axes.axvline(limit, color="grey", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=(least, limit), ylim=(least, limit))
    axes.set_xlabel("sequential, virtual seconds")
    axes.set_ylabel(f"{_name(most)}, virtual seconds")
    axes.legend(frameon=False, loc="upper left")


def _histogram(axes: Any, groups: dict[int, dict[str, Row]], most: int, limit: float) -> None:
    ratios = speed_ups(groups[SEQUENTIAL], groups[most], limit)
    beyond = (*_EDGES[1:], float("inf"))
    counts = [sum(low <= ratio < high for ratio in ratios) for low, high in zip(_EDGES, beyond, strict=True)]
    names = [f"{low:g}–{high:g}" for low, high in pairwise(_EDGES)] + [f"≥ {_EDGES[-1]:g}"]
    axes.bar_label(axes.bar(names, counts, color="tab:blue"))
    axes.set_xlabel(f"speed-up of {_name(most)} over the sequential search")
    axes.set_ylabel("tasks that both solve")
    axes.tick_params(axis="x", labelrotation=30)
    if ratios:
        axes.set_title(f"mean {mean(ratios):.1f}×, median {median(ratios):.1f}×, {len(ratios)} tasks", fontsize=9)


def _solved(rows: Iterable[Row], limit: float) -> list[Row]:
    return [row for row in rows if row.in_time(limit)]


def _time(row: Row) -> float:
    return max(row.seconds, 0.001)


def _capped(row: Row, limit: float) -> float:
    return _time(row) if row.in_time(limit) else limit


def _answer(rows: tuple[Row, Row], limit: float) -> str:
    found = _solved(rows, limit)
    return found[0].answer if found else ""


def _name(workers: int) -> str:
    return {SEQUENTIAL: "sequential", 1: "1 worker"}.get(workers, f"{workers} workers")


if __name__ == "__main__":
    sys.exit(main())
