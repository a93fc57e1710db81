"""The pages about jobs: the form to submit some, the queue, and the results of what was submitted together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from cleave.engines.registry import engine
from cleave.engines.text import amount, count
from cleave.view.charts import filled, table
from cleave.view.markup import Html, h, join
from cleave.view.page import page, section
from cleave.view.plots import Point, cactus, scatter
from cleave.view.run import badge
from cleave.web.catalogue import cost_of
from cleave.web.fields import Field, fields
from cleave.web.jobs import Job
from cleave.web.pages import run_link
from cleave.web.settings import MEGABYTE, Settings
from cleave.web.uploads import PROGRAMS

_LANGUAGES = {"C": "program.c", "Boogie": "program.bpl", "Horn clauses": "clauses.smt2", "BTOR2": "system.btor2"}
_MOST_JOBS = 200
_NUMBERS = ("seconds", "cost", "jobs", "solved", "right answers", "wrong answers")
_RIGHT = {"safe": ("safe",), "unsafe": ("unsafe",)}


# --- the form -------------------------------------------------------------------------------------------------------


def submit_page(settings: Settings, *, problem: str = "", given: Mapping[str, str] | None = None) -> Html:
    """``given`` is what was chosen already, after a problem."""
    given = given or {}
    groups: dict[str, list[Field]] = {}
    for field in sorted(fields().values(), key=lambda field: len(field.engines) == 1):  # those of one engine last
        groups.setdefault(field.group, []).append(field)
    form = h(
        "form",
        _program(settings, given),
        *(_group(name, own, given, settings) for name, own in groups.items()),
        h("div", h("button", "verify", type="submit", class_="main"), class_="toolbar"),
        method="post",
        action="/submit",
        enctype="multipart/form-data",
    )
    told = h("p", problem, class_="problem", role="alert") if problem else None
    return page("Submit", join((h("h1", "Submit"), told, form)), at="/submit")


def _program(settings: Settings, given: Mapping[str, str]) -> Html:
    limit = f"At most {settings.upload_files} files and {settings.upload_bytes // MEGABYTE} MB."
    languages = [
        h("option", name, value=file, selected=given.get("language") == file) for name, file in _LANGUAGES.items()
    ]
    return h(
        "fieldset",
        h("legend", "Program"),
        h(
            "div",
            h(
                "label",
                h("b", "files"),
                h("input", type="file", name="files", multiple=True, accept=",".join((*PROGRAMS, ".h", ".prp"))),
                h("small", f"Programs, headers, task definitions. {limit}"),
                class_="field",
            ),
            h(
                "label",
                h("input", type="checkbox", name="together", value="yes", checked=given.get("together") == "yes"),
                h("b", "all C files are one program"),
                h("small", "Otherwise each file is a program of its own."),
                class_="field check",
            ),
            class_="options",
        ),
        h(
            "label",
            h("b", "or paste a program"),
            h("textarea", given.get("text", ""), name="text", spellcheck="false", autocomplete="off"),
            class_="field",
        ),
        h(
            "label",
            h("b", "its language"),
            h("select", *languages, name="language"),
            class_="field narrow",
        ),
    )


def _group(name: str, own: Sequence[Field], given: Mapping[str, str], settings: Settings) -> Html:
    shown = h("div", *(_field(field, given, settings) for field in own), class_="options")
    engines = " ".join(dict.fromkeys(one for field in own for one in field.engines))
    if name == "General":
        return h("fieldset", h("legend", name), shown)
    purposes = ", ".join(engine(one).purpose for one in engines.split()) if len(engines.split()) == 1 else ""
    told = any(field.name in given for field in own)
    return h(
        "details",
        h("summary", name, h("span", f": {purposes}", class_="quiet") if purposes else None),
        shown,
        open=told,
        data_engine_options=engines or None,
    )


def _field(field: Field, given: Mapping[str, str], settings: Settings) -> Html:
    now = given.get(field.name, "")
    small = h("small", field.help)
    if field.is_flag:
        box = h("input", type="checkbox", name=field.name, value="yes", checked=bool(now))
        return h("label", box, h("b", field.flag), small, class_="field check")
    if field.many and field.values:
        boxes = [
            h(
                "label",
                h("input", type="checkbox", name=field.name, value=value, checked=value in now.split(",")),
                value,
            )
            for value in field.values
        ]
        return h("div", h("b", field.flag), h("div", *boxes, class_="boxes"), small, class_="field wide")
    if field.values:
        # What is not chosen is not said: an option that does not fit the program would be an error.
        nothing = () if field.name == "engine" else (h("option", f"default: {field.default or 'none'}", value=""),)
        options = [h("option", value, value=value, selected=value == now) for value in field.values]
        choice = True if field.name == "engine" else None
        input = h("select", *nothing, *options, name=field.name, data_engine_choice=choice)
    else:
        hints = {
            "timelimit": f"{settings.timelimit:g}, at most",
            "workers": f"{min(2, settings.workers)}, at most {settings.workers}",
            "memlimit": f"{settings.job_memory_mb}, at most {settings.memory_mb}",
        }
        hint = hints.get(field.name) or field.default
        input = h("input", type="text", name=field.name, value=now, placeholder=hint[:60], maxlength=200)
    label = "data model" if field.name == "bits" else field.flag
    return h("label", h("b", label), input, small, class_="field")


# --- the queue ------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A job and what it printed or, while it runs, nothing."""

    job: Job
    result: Mapping[str, Any] | None

    @property
    def said(self) -> str:
        if not self.job.is_over:
            return self.job.state
        if self.job.error or "error" in (self.result or {}):
            return "error"
        return str((self.result or {}).get("verdict") or self.job.state)

    @property
    def expected(self) -> str:
        return str((self.result or {}).get("expected") or "")

    @property
    def seconds(self) -> float | None:
        told = (self.result or {}).get("seconds")
        return float(told) if isinstance(told, int | float) else None

    @property
    def engine(self) -> str:
        return str((self.result or {}).get("engine") or "")

    @property
    def reason(self) -> str:
        result = self.result or {}
        return str(self.job.error or result.get("error") or result.get("reason") or "")[:300]

    @property
    def is_solved(self) -> bool:
        return self.said in ("safe", "unsafe", "bounded-safe") and self.seconds is not None


def jobs_page(rows: Sequence[Row], settings: Settings) -> Html:
    body = join((h("h1", "Jobs"), h("div", jobs_table(rows, settings), id="jobs")))
    return page("Jobs", body, at="/jobs", live="/jobs/live")


def jobs_table(rows: Sequence[Row], settings: Settings) -> Html:
    running = sum(row.job.state == "running" for row in rows)
    waiting = sum(row.job.state == "waiting" for row in rows)
    used = sum(row.job.memory_mb for row in rows if row.job.state == "running")
    told = (
        f"{running} of {settings.jobs} running, {waiting} waiting; {used:,} of {settings.memory_mb:,} MB are given out."
    )
    if not rows:
        return join((h("p", told, class_="quiet"), h("p", "Nothing was submitted yet.", class_="quiet")))
    batches: dict[str, list[Row]] = {}
    for row in rows:
        batches.setdefault(row.job.batch, []).append(row)
    shown = [
        _batch_row(id, own)
        for id, own in sorted(batches.items(), key=lambda one: one[1][0].job.submitted, reverse=True)
    ]
    columns = ("", "submitted", "files", "options", "jobs", "verdicts", "right", "wrong")
    body = table(columns, shown[:_MOST_JOBS], numbers=("jobs", "right", "wrong"))
    button = h("button", "show results", type="submit", data_needs="1 2")
    compare = h("div", button, class_="toolbar")
    return join((h("p", told, class_="quiet"), h("form", body, compare, method="get", action="/results")))


def _batch_row(id: str, rows: Sequence[Row]) -> tuple[Html | str, ...]:
    words: dict[str, int] = {}
    for row in rows:
        words[row.said] = words.get(row.said, 0) + 1
    first = rows[0].job
    files = first.files[0] if first.files else first.id
    link = run_link(first.id) if len(rows) == 1 else f"/results?batch={quote(id, safe='')}"
    named = files if len(rows) == 1 else f"{files} and {count(len(rows) - 1, 'other')}"
    return (
        h("input", type="checkbox", name="batch", value=id, aria_label=f"results of {named}"),
        _moment(first.submitted),
        h("a", named, href=link),
        first.label,
        str(len(rows)),
        join(part for said, number in words.items() for part in (badge(said), f" {number} ")),
        _number(sum(_is_right(row) is True for row in rows)),
        _number(sum(_is_right(row) is False for row in rows)),
    )


def _number(value: int) -> str:
    return str(value) if value else ""


def _moment(moment: datetime) -> Html:
    return h("time", moment.astimezone().strftime("%Y-%m-%d %H:%M:%S"), datetime=moment.isoformat())


def _is_right(row: Row) -> bool | None:
    """None: nothing is expected, or nothing is said."""
    if not row.expected or not row.is_solved:
        return None
    if row.said == "bounded-safe":
        return None if row.expected == "safe" else False
    return row.said in _RIGHT.get(row.expected, (row.expected,))


# --- results --------------------------------------------------------------------------------------------------------


def results_page(batches: Sequence[Sequence[Row]], ids: Sequence[str]) -> Html:
    query = "&".join(f"batch={quote(id, safe='')}" for id in ids)
    body = join((h("h1", "Results"), h("div", results(batches), id="results")))
    is_live = any(not row.job.is_over for rows in batches for row in rows)
    return page("Results", body, at="/jobs", live=f"/results/live?{query}" if is_live else None)


def results(batches: Sequence[Sequence[Row]]) -> Html:
    labels = _labels(batches)
    shown = [
        section("summary", "Summary", _summary(batches, labels)),
        section(
            "cactus",
            "Solved within a time",
            cactus(
                {
                    label: [row.seconds or 0.0 for row in own if row.is_solved]
                    for label, own in zip(labels, batches, strict=True)
                }
            ),
        ),
    ]
    if len(batches) == 2:
        shown.append(section("scatter", "Against each other", scatter(_points(*batches), *labels)))
    plots = h("div", *shown[1:], class_="plots")
    lined = _lined_up(batches, labels) if len(batches) == 2 else _alone(batches[0])
    return join((shown[0], plots, section("table", "Table", _filters(), lined)))


def _filters() -> Html:
    """What page.js hides rows by."""
    words = ("safe", "bounded-safe", "unsafe", "unknown", "error", "waiting", "running", "stopped")
    choices = [h("option", "all", value=""), *(h("option", word, value=word) for word in words)]
    return h(
        "div",
        h("label", "search", h("input", type="search", data_filter_text="table")),
        h("label", "got", h("select", *choices, data_filter_status="table", data_filter_in=".badge")),
        h("span", "", data_filter_count="table", class_="quiet", role="status"),
        class_="toolbar filters",
    )


def _alone(rows: Iterable[Row]) -> Html:
    columns = ("file", "expected", "got", "right", "seconds", "cost", "engine", "reason")
    shown = [
        (_linked(row), row.expected, badge(row.said), _mark(row), _seconds(row), _cost(row), row.engine, row.reason)
        for row in rows
    ]
    return filled(columns, shown, numbers=_NUMBERS)


def _lined_up(batches: Sequence[Sequence[Row]], labels: Sequence[str]) -> Html:
    """A row for each file, with what each submission says of it."""
    by_file: dict[tuple[str, ...], list[Row | None]] = {}
    for place, own in enumerate(batches):
        for row in own:
            by_file.setdefault(row.job.files, [None, None])[place] = row
    columns = ["file", "expected"]
    for label in labels:
        columns += [label, "right", "seconds", "cost"]
    rows = []
    for files, pair in by_file.items():
        expected = next((row.expected for row in pair if row is not None and row.expected), "")
        cells: list[Html | str] = [", ".join(files), expected]
        for one in pair:
            if one is None:
                cells += ["", "", "", ""]
            else:
                said = h("a", badge(one.said), href=run_link(one.job.id), title=one.reason or None, class_="bare")
                cells += [said, _mark(one), _seconds(one), _cost(one)]
        rows.append(tuple(cells))
    return filled(columns, rows, numbers=_NUMBERS)


def _labels(batches: Sequence[Sequence[Row]]) -> list[str]:
    """What was chosen; where that is the same, the time tells them apart."""
    labels = [own[0].job.label for own in batches]
    if len(set(labels)) < len(labels):
        return [
            f"{label}, {own[0].job.submitted.astimezone():%H:%M:%S}" for label, own in zip(labels, batches, strict=True)
        ]
    return labels


def _summary(batches: Sequence[Sequence[Row]], labels: Sequence[str]) -> Html:
    rows = []
    for label, own in zip(labels, batches, strict=True):
        rights = [_is_right(row) for row in own]
        seconds = sum(row.seconds or 0.0 for row in own)
        judged = (rights.count(True), rights.count(False)) if any(right is not None for right in rights) else ("", "")
        cells = (len(own), sum(row.is_solved for row in own), *judged)
        rows.append((label, *map(str, cells), f"{seconds:.1f}"))
    columns = ("options", "jobs", "solved", "right answers", "wrong answers", "seconds")
    return filled(columns, rows, numbers=_NUMBERS)


def _linked(row: Row) -> Html:
    return h("a", ", ".join(row.job.files) or row.job.id, href=run_link(row.job.id))


def _mark(row: Row) -> Html | str:
    right = _is_right(row)
    mark = {True: "✓ right", False: "✗ wrong", None: ""}[right]
    return h("b", mark, class_="wrong") if right is False else mark


def _seconds(row: Row) -> str:
    return f"{row.seconds:.2f}" if row.seconds is not None else ""


def _cost(row: Row) -> str:
    cost = cost_of(row.result)
    return amount(cost) if cost else ""


def _points(one: Iterable[Row], other: Iterable[Row]) -> list[Point]:
    known = {row.job.files: row for row in other}
    found = []
    for row in one:
        twin = known.get(row.job.files)
        if twin is not None and row.seconds is not None and twin.seconds is not None:
            found.append(Point(", ".join(row.job.files), row.seconds, twin.seconds, row.said == twin.said))
    return found
