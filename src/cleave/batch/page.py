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
from cleave.view.charts import filled, table
from cleave.view.markup import Html, h, join
from cleave.view.page import section, whole_file
from cleave.view.plots import Point, cactus, scatter
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
            section("plots", "Plots", h("div", *plots, class_="plots")),
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
    times = {one.name: [row.cpu_seconds for row in one.rows if row.solved] for one in sets}
    return _figure("Cactus plot", "CPU seconds. A line that goes further right solves more.", cactus(times))


def _scatter(left: ResultSet, right: ResultSet) -> Html:
    others = {row.name: row for row in right.rows}
    points = [
        Point(f"{a.name}: {a.verdict}, {b.verdict}", a.cpu_seconds, b.cpu_seconds, a.verdict == b.verdict)
        for a in left.rows
        if (b := others.get(a.name)) is not None
    ]
    return _figure(f"{left.name} against {right.name}", "CPU seconds", scatter(points, left.name, right.name))


def _figure(title: str, told: str, *content: Html) -> Html:
    return h("figure", h("figcaption", h("h3", title), h("p", told, class_="quiet")), *content, class_="drawing")


def _memory(one: ResultSet) -> Html:
    points = [
        (row.cpu_seconds, row.memory_mb / 100, f"{row.name}: {row.memory_mb:,.0f} MB", 0 if row.solved else 1)
        for row in one.rows
    ]
    return _points(f"Time and memory of {one.name}", "CPU seconds", "hundreds of MB", points)


def _points(title: str, across: str, up: str, points: Iterable[tuple[float, float, str, int]]) -> Html:
    """On logarithmic axes that are the same both ways."""
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
        grid.append(
            h("text", f"{_LEAST * 10**decade:g}", x=2, y=_SIZE - place - 3, class_="tick") if decade else Html("")
        )
    marks = [
        h("circle", h("title", label), cx=at(x), cy=_SIZE - at(y), r=3.5, class_=f"point l-{kind}")
        for x, y, label, kind in told
    ]
    picture = h(
        "svg",
        *grid,
        *marks,
        viewBox=f"0 0 {_SIZE} {_SIZE}",
        width="100%",
        class_="chart square",
        role="img",
        aria_label=title,
    )
    return _figure(title, f"across: {across}; up: {up}; both axes are logarithmic", picture)


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
        "div",
        h("label", "search", h("input", type="search", data_filter_text="tasks")),
        h("label", "status", h("select", *choices, data_filter_status="tasks")),
        h("span", "", data_filter_count="tasks", class_="quiet", role="status"),
        class_="toolbar filters",
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
    return filled(columns, rows, numbers=numbers)


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
