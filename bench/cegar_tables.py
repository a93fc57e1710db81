"""The tables of `bench.cegar`, in Markdown, from the rows of its runs.

A speed-up is the virtual time of one worker by that of many, an efficiency the speed-up by the number of workers, as in
the paper. Tables are about the tasks that one worker solves in no less than a given time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median

from bench.cegar_run import NAIVE, PREDICTABLE
from bench.markdown import is_unconfirmed, notes, table, times, versions
from bench.ranks import geometric_mean
from bench.rows import Row

Group = Mapping[int, Row]
"""The runs of a task, by the number of workers."""

_MILLION = 1_000_000


def tables(rows: Iterable[Row], least: float) -> str:
    """All tables that the rows have something for."""
    rows = list(rows)
    groups = _groups(row for row in rows if row.kind == "simulated")
    long = {task: group for task, group in groups.items() if 1 in group and _is_long(group[1], least)}
    parts = [
        _candidates([group[1] for group in groups.values() if 1 in group], least),
        _sizes(long),
        _scaling(long),
        _where(long),
        _variation([row for row in rows if row.kind == "delayed"], long),
        _real(_groups(row for row in rows if row.kind == "real")),
        _differing(rows),
        notes(rows, "Errors, and answers that were not confirmed", is_unconfirmed),
        versions(rows),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def is_promise_broken(rows: Iterable[Row]) -> bool:
    return bool(_broken(rows))


def _differing(rows: Iterable[Row]) -> str:
    broken = _broken(rows)
    lines = [f"- {task}: predictable runs concluded different things" for task in broken]
    return "\n".join([f"Predictable runs that differ: {len(broken)} tasks.", *lines])


def _broken(rows: Iterable[Row]) -> list[str]:
    """Tasks of which predictable runs of one version concluded different things."""
    digests: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row.how == PREDICTABLE and row.told.get("digest"):
            digests[row.task, row.version].add(row.told["digest"])
    return sorted({task for (task, _), found in digests.items() if len(found) > 1})


def _groups(rows: Iterable[Row]) -> dict[str, dict[int, Row]]:
    found: defaultdict[str, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        found[row.task][row.workers] = row
    return dict(sorted(found.items()))


def _is_long(row: Row, least: float) -> bool:
    return row.solved and row.seconds >= least


def _short(task: str) -> str:
    return task.rpartition("/")[2].rpartition(".")[0] or task


# --- scaling --------------------------------------------------------------------------------------------------------


def _candidates(alone: list[Row], least: float) -> str:
    solved = [row for row in alone if row.solved]
    words = Counter(row.answer for row in solved)
    long = sum(row.seconds >= least for row in solved)
    return (
        f"{len(alone)} candidates with one worker: {len(solved)} solved"
        f" ({words['safe']} safe, {words['unsafe']} unsafe),"
        f" {long} of them in {least:g} virtual seconds or more."
    )


def _sizes(groups: Mapping[str, Group]) -> str:
    """The paper's Table 1."""
    lines = [
        (
            _short(task),
            one[1].answer,
            f"{one[1].number('variables'):,.0f}",
            f"{one[1].number('transitions'):,.0f}",
            f"{one[1].number('predicates'):,.0f}",
            f"{one[1].number('iterations'):,.0f}",
            f"{one[1].number('states'):,.0f}",
            f"{one[1].number('queries'):,.0f}",
            f"{one[1].number('refinement_cost') / max(one[1].cost, 1):.0%}",
        )
        for task, one in groups.items()
    ]
    heading = (
        "task",
        "verdict",
        "variables",
        "transitions",
        "predicates",
        "iterations",
        "states",
        "queries",
        "refinement",
    )
    title = "Tasks, with one worker; states of the last tree; refinement as a share of the cost:"
    return f"{title}\n\n{table(heading, lines)}" if lines else ""


def speed_ups(groups: Mapping[str, Group], workers: int) -> dict[str, float]:
    """Of the tasks that are solved with one and with so many."""
    both = {task: group for task, group in groups.items() if workers in group and group[workers].solved}
    return {task: group[1].seconds / max(group[workers].seconds, 1e-6) for task, group in both.items()}


def _counts(groups: Mapping[str, Group]) -> list[int]:
    return sorted({workers for group in groups.values() for workers in group} - {1})


def _scaling(groups: Mapping[str, Group]) -> str:
    """The paper's Table 2."""
    counts = _counts(groups)
    ratios = {workers: speed_ups(groups, workers) for workers in counts}
    if not any(ratios.values()):
        return ""
    lines: list[Sequence[str]] = []
    for task, group in groups.items():
        seconds = [_seconds(group.get(workers)) for workers in (1, *counts)]
        shown = [times(ratios[workers].get(task)) for workers in counts]
        lines.append((_short(task), *seconds, *shown, *_efficiencies(ratios, task, counts)))
    for name, middle in (("median", median), ("mean", mean), ("geometric mean", geometric_mean)):
        found = {workers: middle(list(ratios[workers].values())) for workers in counts if ratios[workers]}
        efficiencies = [f"{found[workers] / workers:.2f}" if workers in found else "" for workers in counts]
        lines.append((name, *[""] * (1 + len(counts)), *(times(found.get(one)) for one in counts), *efficiencies))
    heading = ("task", *(f"{n} worker{'s' * (n > 1)}, s" for n in (1, *counts)), *(f"speed-up {n}" for n in counts))
    title = "Virtual seconds, speed-up over one worker, and efficiency:"
    return f"{title}\n\n{table((*heading, *(f'efficiency {n}' for n in counts)), lines)}"


def _seconds(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{row.seconds:.2f}" if row.solved else row.answer


def _efficiencies(ratios: Mapping[int, Mapping[str, float]], task: str, counts: Sequence[int]) -> list[str]:
    return [f"{ratios[workers][task] / workers:.2f}" if task in ratios[workers] else "" for workers in counts]


def _where(groups: Mapping[str, Group]) -> str:
    """What many workers do with their time."""
    lines = []
    for workers in (1, *_counts(groups)):
        pairs = [(group[1], group[workers]) for group in groups.values() if workers in group and group[workers].solved]
        if pairs:
            lines.append(_where_line(workers, pairs))
    heading = (
        "workers",
        "tasks",
        "busy",
        "cost over one worker's",
        "queries over one worker's",
        "one worker alone",
        "analysing",
        "messages",
        "MB",
        "messages a second",
    )
    title = (
        "Medians over tasks; shares of virtual time in which one worker was alone, or a few analysed counterexamples:"
    )
    return f"{title}\n\n{table(heading, lines)}" if lines else ""


def _where_line(workers: int, pairs: list[tuple[Row, Row]]) -> Sequence[str]:
    def middle(values: Iterable[float]) -> float:
        return median(list(values))

    return (
        str(workers),
        str(len(pairs)),
        f"{middle(many.busy or 0.0 for _, many in pairs):.0%}",
        times(middle(many.cost / max(one.cost, 1) for one, many in pairs)),
        times(middle(many.number("queries") / max(one.number("queries"), 1) for one, many in pairs)),
        f"{middle(many.number('alone_seconds') / max(many.seconds, 1e-6) for _, many in pairs):.0%}",
        f"{middle(many.number('analysing_seconds') / max(many.seconds, 1e-6) for _, many in pairs):.0%}",
        f"{middle(many.messages for _, many in pairs):,.0f}",
        f"{middle(many.number('bytes') / _MILLION for _, many in pairs):.1f}",
        f"{middle(many.messages / max(many.seconds, 1e-6) for _, many in pairs):,.0f}",
    )


# --- variation ------------------------------------------------------------------------------------------------------


def variation(rows: Iterable[Row]) -> tuple[float, float] | None:
    """How many times longer, and at how many times the cost, the worst run is than the best; None if one failed."""
    found = list(rows)
    if len(found) < 2 or not all(row.solved for row in found):
        return None
    seconds, costs = [row.seconds for row in found], [row.cost for row in found]
    return max(seconds) / max(min(seconds), 1e-6), max(costs) / max(min(costs), 1)


def _variation(rows: list[Row], groups: Mapping[str, Group]) -> str:
    """The paper's Figure 1."""
    by_task: defaultdict[str, dict[str, list[Row]]] = defaultdict(lambda: {PREDICTABLE: [], NAIVE: []})
    for row in rows:
        by_task[row.task][row.how].append(row)
    lines = [_variation_line(task, found, groups.get(task, {}).get(1)) for task, found in sorted(by_task.items())]
    heading = (
        "task",
        "runs",
        "predictable: time",
        "cost",
        "different results",
        "naive: time",
        "cost",
        "different results",
        "unsolved",
        "naive over predictable, best",
        "worst",
        "naive over one worker, worst",
    )
    title = "The worst run by the best one, over seeds of delays; how many different results there were:"
    return f"{title}\n\n{table(heading, lines)}" if lines else ""


def _variation_line(task: str, found: Mapping[str, list[Row]], alone: Row | None) -> Sequence[str]:
    cells: list[str] = []
    for how in (PREDICTABLE, NAIVE):
        varied = variation(found[how])
        cells += [times(one) for one in varied] if varied is not None else ["", ""]
        cells.append(str(len({row.told.get("digest") for row in found[how] if row.solved})))
    predictable, naive = ([row.seconds for row in found[how] if row.solved] for how in (PREDICTABLE, NAIVE))
    compared = [times(pick(naive) / pick(predictable)) if naive and predictable else "" for pick in (min, max)]
    worst = times(max(naive) / alone.seconds) if naive and alone is not None else ""
    unsolved = str(len(found[NAIVE]) - len(naive))
    return (_short(task), str(len(found[PREDICTABLE])), *cells, unsolved, *compared, worst)


# --- real runs ------------------------------------------------------------------------------------------------------


def _real(groups: Mapping[str, Group]) -> str:
    lines, ratios = [], []
    for task, group in groups.items():
        if {1, 2} <= group.keys():
            one, two = group[1], group[2]
            ratio = one.real_seconds / two.real_seconds if one.solved and two.solved else None
            ratios += [ratio] if ratio is not None else []
            lines.append((_short(task), one.answer, f"{one.real_seconds:.1f}", f"{two.real_seconds:.1f}", times(ratio)))
    if not lines:
        return ""
    heading = ("task", "verdict", "one worker, s", "two workers, s", "speed-up")
    end = f"\n\nMedian speed-up of two real workers: {median(ratios):.2f}×." if ratios else ""
    return f"Wall time of `cleave verify --engine cegar`:\n\n{table(heading, lines)}{end}"
