"""The tables of `bench.hydra`, in Markdown, from the rows of its runs.

A speed-up is the virtual time of the sequential search by that of the parallel one, over the tasks that both solve, as
in the paper. ``median at least`` is over the tasks that one of them solves: a sequential search that was stopped counts
with the time that it had reached, and a parallel one that was stopped as if it had taken for ever.

Whoever does not solve a task has *missed* it if the virtual limit was reached or the search gave up. If a limit of real
time or memory stopped it before, nobody knows: such runs are counted as ``stopped``, and nothing is claimed from them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log
from statistics import mean, median

from bench.hydra_run import SEQUENTIAL
from bench.markdown import notes, table, times, versions
from bench.ranks import geometric_mean, signed_rank
from bench.rows import Row

_LONG_SECONDS = 30.0  # the goal on two cores is about runs that take longer
_NAMES = {
    "splits=paper": "splits: the largest weight, as in the paper",
    "splits=random": "splits: random",
    "queues=shared": "queues: one for all",
    "rate=fixed": "rate: fixed",
    "decisions=pushed": "decisions: pushed on the solver's stack",
    "merge=tree": "inlining: tree",
}


def tables(rows: Iterable[Row], virtual_limit: float) -> str:
    """All tables that the rows have something for."""
    rows = list(rows)
    simulated = [row for row in rows if row.kind == "simulated"]
    parts = [
        _scaling([row for row in simulated if not row.how], virtual_limit),
        _comparison(simulated, virtual_limit),
        _real([row for row in rows if row.kind == "real"]),
        notes(rows, "Runs without an answer, apart from the virtual limit", _is_odd),
        versions(rows),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def speed_ups(sequential: dict[str, Row], parallel: dict[str, Row], virtual_limit: float) -> list[float]:
    """Over the tasks that both solve."""
    both = [
        task
        for task in sequential.keys() & parallel.keys()
        if sequential[task].in_time(virtual_limit) and parallel[task].in_time(virtual_limit)
    ]
    return [_ratio(sequential[task], parallel[task]) for task in sorted(both)]


def by_workers(rows: Iterable[Row]) -> dict[int, dict[str, Row]]:
    """Rows without options, by the number of workers and by task."""
    found: defaultdict[int, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if row.kind == "simulated" and not row.how:
            found[row.workers][row.task] = row
    return dict(sorted(found.items()))


# --- scaling --------------------------------------------------------------------------------------------------------


def _scaling(rows: list[Row], virtual_limit: float) -> str:
    groups = by_workers(rows)
    if SEQUENTIAL not in groups:
        return ""
    heading = (
        "workers",
        "tasks",
        "solved",
        "both solve",
        "mean",
        "geometric mean",
        "median",
        "median at least",
        "faster",
        "only parallel solves",
        "only sequential solves",
        "stopped",
        "dissimilarity",
        "setup",
        "checking",
        "busy",
    )
    lines = [_scaling_line(workers, group, groups[SEQUENTIAL], virtual_limit) for workers, group in groups.items()]
    title = f"Speed-up over the sequential search, in virtual time; limit {virtual_limit:g} virtual seconds:"
    return f"{title}\n\n{table(heading, lines)}"


def _scaling_line(
    workers: int, group: dict[str, Row], sequential: dict[str, Row], virtual_limit: float
) -> Sequence[str]:
    solved = {task for task, row in group.items() if row.in_time(virtual_limit)}
    missing = {task for task, row in group.items() if row.missed(virtual_limit)}
    alone = {task for task, row in sequential.items() if row.in_time(virtual_limit)}
    missing_alone = {task for task, row in sequential.items() if row.missed(virtual_limit)}
    stopped = str(len(group) - len(solved) - len(missing))
    shares = _shares([group[task] for task in sorted(solved)])
    if workers == SEQUENTIAL:
        return ("sequential", str(len(group)), str(len(solved)), *[""] * 8, stopped, *shares)
    ratios = speed_ups(sequential, group, virtual_limit)
    at_least = [_ratio(sequential[task], group[task]) for task in sorted((solved - alone) & sequential.keys())]
    at_least += [0.0] * len((alone - solved) & group.keys())
    return (
        str(workers),
        str(len(group)),
        str(len(solved)),
        str(len(ratios)),
        times(mean(ratios) if ratios else None),
        times(geometric_mean(ratios) if ratios else None),
        times(median(ratios) if ratios else None),
        times(median(ratios + at_least) if ratios + at_least else None),
        str(sum(ratio > 1 for ratio in ratios)),
        str(len(solved & missing_alone)),
        str(len(alone & missing)),
        stopped,
        *shares,
    )


def _ratio(before: Row, after: Row) -> float:
    """At least this, if ``before`` was stopped."""
    return before.seconds / max(after.seconds, 1e-6)


def _shares(rows: list[Row]) -> tuple[str, str, str, str]:
    """Dissimilarity, and shares of setup, of proof checks and of busy time: means over the runs."""
    unlike = [row.number("dissimilarity") for row in rows if row.told.get("dissimilarity") is not None]
    worked = [row for row in rows if row.cost]
    busy = [row.busy for row in rows if row.busy is not None]
    return (
        f"{mean(unlike):.2f}" if unlike else "",
        f"{mean(row.number('setup_cost') / row.cost for row in worked):.1%}" if worked else "",
        f"{mean(row.number('validation_cost') / row.cost for row in worked):.1%}" if worked else "",
        f"{mean(busy):.0%}" if busy else "",
    )


# --- comparison -----------------------------------------------------------------------------------------------------


def _comparison(rows: list[Row], virtual_limit: float) -> str:
    """Each variant against the defaults with the same number of workers; of several seeds, the fastest run counts."""
    best: dict[tuple[int, str], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        group = best[row.workers, row.how]
        group[row.task] = min(group.get(row.task, row), row, key=lambda r: _rank(r, virtual_limit))
    lines = [
        _comparison_line(workers, options, best[workers, ""], group, virtual_limit)
        for (workers, options), group in sorted(best.items())
        if options and (workers, "") in best
    ]
    if not lines:
        return ""
    heading = (
        "workers",
        "instead of the default",
        "both solve",
        "time",
        "faster : slower",
        "p",
        "splits",
        "fewer : more",
        "p",
        "only default solves",
        "only this solves",
    )
    title = "Variants by the default, in virtual time and in splits (geometric means; p by the signed-rank test):"
    return f"{title}\n\n{table(heading, lines)}"


def _rank(row: Row, virtual_limit: float) -> tuple[bool, float]:
    return (not row.in_time(virtual_limit), row.seconds)


def _comparison_line(
    workers: int, options: str, default: dict[str, Row], variant: dict[str, Row], virtual_limit: float
) -> Sequence[str]:
    common = sorted(default.keys() & variant.keys())
    solved = {task for task in common if default[task].in_time(virtual_limit)}
    solved_too = {task for task in common if variant[task].in_time(virtual_limit)}
    both = sorted(solved & solved_too)
    ratios = [_ratio(variant[task], default[task]) for task in both]
    splits = [
        (variant[task].number("splits") + 1) / (default[task].number("splits") + 1) for task in both
    ]  # there may be none
    name = " and ".join(_NAMES.get(option, option) for option in options.split())
    only = sum(variant[task].missed(virtual_limit) for task in solved)
    only_this = sum(default[task].missed(virtual_limit) for task in solved_too)
    counts = (str(only), str(only_this))
    return (str(workers), name, str(len(both)), *_compared(ratios), *_compared(splits), *counts)


def _compared(ratios: list[float]) -> tuple[str, str, str]:
    if not ratios:
        return ("", "", "")
    less, more = sum(ratio < 1 for ratio in ratios), sum(ratio > 1 for ratio in ratios)
    return (times(geometric_mean(ratios)), f"{less} : {more}", f"{signed_rank(map(log, ratios)):.2g}")


# --- real runs ------------------------------------------------------------------------------------------------------


def _real(rows: list[Row]) -> str:
    by_task: defaultdict[str, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        by_task[row.task][row.workers] = row
    counts = sorted({row.workers for row in rows} - {1})
    lines, summary = [], []
    for workers in counts:
        pairs = [(found[1], found[workers]) for found in by_task.values() if {1, workers} <= found.keys()]
        pairs.sort(key=lambda pair: pair[0].real_seconds)
        lines += [_real_line(*pair) for pair in pairs]
        both = [(one, many) for one, many in pairs if one.solved and many.solved]
        summary.append(_real_summary(workers, "all tasks", both))
        long = [(one, many) for one, many in both if one.real_seconds > _LONG_SECONDS]
        summary.append(_real_summary(workers, f"over {_LONG_SECONDS:g} s with one worker", long))
    if not lines:
        return ""
    heading = ("task", "workers", "one worker", "answer", "many workers", "answer", "speed-up")
    title = "Wall time of `cleave verify` with many workers against one:"
    return "\n".join([title, "", table(heading, lines), "", *summary])


def _real_line(one: Row, many: Row) -> Sequence[str]:
    ratio = one.real_seconds / many.real_seconds if one.solved and many.solved else None
    seconds = f"{one.real_seconds:.1f}", f"{many.real_seconds:.1f}"
    return (one.task, str(many.workers), seconds[0], one.answer, seconds[1], many.answer, times(ratio))


def _real_summary(workers: int, which: str, both: list[tuple[Row, Row]]) -> str:
    ratios = [one.real_seconds / many.real_seconds for one, many in both]
    if not ratios:
        return f"- {workers} workers, {which}: none that both solve"
    geometric = geometric_mean(ratios)
    return (
        f"- {workers} workers, {which}: {len(ratios)} that both solve, median {median(ratios):.2f}×,"
        f" geometric mean {geometric:.2f}×, faster in {sum(ratio > 1 for ratio in ratios)}"
    )


def _is_odd(row: Row) -> bool:
    return row.answer in ("given up", "error", "refused", "memory", "real limit")
