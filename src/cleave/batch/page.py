"""Result sets as one page of HTML that needs nothing else: sums, plots, and a table to sort and filter.

    page([ResultSet("main", rows), ResultSet("branch", others)])

With several sets, tasks are lined up by name, and each pair has a scatter plot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from cleave.batch.rows import STATUSES, Row
from cleave.engines.review.drawings import Line, Lines
from cleave.view.charts import figure, table
from cleave.view.markup import Html, h, join
from cleave.view.page import section, whole_file
from cleave.view.run import badge

_LEAST = 0.01  # seconds, of plots with a logarithmic axis
_SIZE = 360


class ResultSet(NamedTuple):
    name: str
    rows: Sequence[Row]


def page(sets: Sequence[ResultSet]) -> Html:
    plots = [_cactus(sets), *(_scatter(a, b) for a, b in combinations(sets, 2)), *map(_memory, sets[:1])]
    body = join(
        (
            h("h1", f"{len({row.name for one in sets for row in one.rows})} tasks"),
            section("sums", "Sums", _sums(sets)),
            section("plots", "Plots", *plots),
            section("differences", "Different verdicts", _differences(sets)) if len(sets) > 1 else None,
            section("tasks", "Tasks", _filters(), _tasks(sets)),
        )
    )
    return whole_file("Batch", body)


def _sums(sets: Sequence[ResultSet]) -> Html:
    columns = ("set", *STATUSES, "score", "CPU seconds", "seconds", "most memory, MB")
    rows = []
    for one in sets:
        counts = (f"{sum(row.status == status for row in one.rows)}" for status in STATUSES)
        score = f"{sum(row.score for row in one.rows)}"
        times = (f"{sum(row.cpu_seconds for row in one.rows):,.1f}", f"{sum(row.seconds for row in one.rows):,.1f}")
        rows.append((one.name, *counts, score, *times, f"{max((row.memory_mb for row in one.rows), default=0):,.0f}"))
    return table(columns, rows, numbers=columns[1:], sortable=False)


def _cactus(sets: Sequence[ResultSet]) -> Html:
    lines = []
    for one in sets:
        times = sorted(row.cpu_seconds for row in one.rows if row.solved)
        lines.append(Line(one.name, tuple((float(number), time) for number, time in enumerate(times, start=1))))
    note = "Solved tasks in the order of their processor time: a line that goes further right solves more."
    return figure(Lines(title="Cactus plot", x="tasks solved", y="CPU seconds", lines=tuple(lines), note=note))


def _scatter(left: ResultSet, right: ResultSet) -> Html:
    others = {row.name: row for row in right.rows}
    pairs = [(row, others[row.name]) for row in left.rows if row.name in others]
    points = [(a.cpu_seconds, b.cpu_seconds, f"{a.name}: {_time(a)}, {_time(b)}", _kind(a, b)) for a, b in pairs]
    return _points(f"{left.name} against {right.name}", f"CPU seconds of {left.name}", f"of {right.name}", points)


def _memory(one: ResultSet) -> Html:
    points = [
        (row.cpu_seconds, row.memory_mb / 100, f"{row.name}: {row.memory_mb:,.0f} MB", 0 if row.solved else 1)
        for row in one.rows
    ]
    return _points(f"Time and memory of {one.name}", "CPU seconds", "hundreds of MB", points)


def _time(row: Row) -> str:
    return f"{row.verdict} {row.cpu_seconds:.2f} s"


def _kind(a: Row, b: Row) -> int:
    """The colour: both solved, or only one, or none."""
    return 0 if a.solved and b.solved else 1 if a.solved or b.solved else 2


def _points(title: str, across: str, up: str, points: Iterable[tuple[float, float, str, int]]) -> Html:
    """On logarithmic axes that are the same both ways, with the diagonal."""
    told = [(max(x, _LEAST), max(y, _LEAST), label, kind) for x, y, label, kind in points]
    most = max((max(x, y) for x, y, _, _ in told), default=1.0)
    decades = max(1, math.ceil(math.log10(most / _LEAST)))

    def at(value: float) -> float:
        return _SIZE * math.log10(value / _LEAST) / decades

    grid: list[Html] = []
    for decade in range(decades + 1):
        place = _SIZE * decade / decades
        grid.append(h("line", x1=place, x2=place, y1=0, y2=_SIZE, class_="grid"))
        grid.append(h("line", x1=0, x2=_SIZE, y1=_SIZE - place, y2=_SIZE - place, class_="grid"))
        grid.append(h("text", f"{_LEAST * 10**decade:g}", x=place + 2, y=_SIZE - 3, class_="tick"))
    marks = [
        h("circle", h("title", label), cx=at(x), cy=_SIZE - at(y), r=3.5, class_=f"point l-{kind}")
        for x, y, label, kind in told
    ]
    diagonal = h("line", x1=0, y1=_SIZE, x2=_SIZE, y2=0, class_="grid")
    picture = h(
        "svg",
        *grid,
        diagonal,
        *marks,
        viewBox=f"0 0 {_SIZE} {_SIZE}",
        width=_SIZE,
        height=_SIZE,
        class_="chart",
        role="img",
        aria_label=title,
    )
    caption = h(
        "figcaption", h("h3", title), h("p", f"across: {across}; up: {up}; both axes are logarithmic", class_="quiet")
    )
    return h("figure", caption, picture, class_="drawing")


def _differences(sets: Sequence[ResultSet]) -> Html:
    rows = []
    for name, own in _by_name(sets).items():
        said = [row.verdict if row is not None else "not run" for row in own]
        if len(set(said)) > 1:
            rows.append((name, *map(badge, said)))
    if not rows:
        return h("p", "All sets have the same verdicts.")
    return table(("task", *(one.name for one in sets)), rows)


def _filters() -> Html:
    """What page.js hides rows by."""
    choices = [h("option", "all", value=""), *(h("option", status, value=status) for status in STATUSES)]
    return h(
        "p",
        h("label", "search ", h("input", type="search", data_filter_text="tasks")),
        " ",
        h("label", "status ", h("select", *choices, data_filter_status="tasks")),
        " ",
        h("span", "", data_filter_count="tasks", class_="quiet", role="status"),
    )


def _tasks(sets: Sequence[ResultSet]) -> Html:
    several = len(sets) > 1
    columns = ["task", "property", "expected"]
    numbers: list[str] = []
    for one in sets:
        own = [f"{one.name}: {column}" if several else column for column in ("verdict", "status", "CPU s", "s", "MB")]
        columns += own
        numbers += own[2:]
    columns.append("engine, reason")
    rows = []
    for name, found in _by_name(sets).items():
        first = next(row for row in found if row is not None)
        cells: list[Html | str] = [name, first.asked, first.expected or ""]
        for row in found:
            cells += _cells(row)
        rows.append((*cells, "; ".join(filter(None, (first.engine, first.violated or first.reason)))))
    return table(columns, rows, numbers=numbers)


def _cells(row: Row | None) -> list[Html | str]:
    if row is None:
        return ["not run", "", "", "", ""]
    return [badge(row.verdict), row.status, f"{row.cpu_seconds:.2f}", f"{row.seconds:.2f}", f"{row.memory_mb:.0f}"]


def _by_name(sets: Sequence[ResultSet]) -> dict[str, list[Row | None]]:
    found: dict[str, list[Row | None]] = {}
    for number, one in enumerate(sets):
        for row in one.rows:
            found.setdefault(row.name, [None] * len(sets))[number] = row
    return found
