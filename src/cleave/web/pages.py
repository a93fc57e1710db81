"""The pages about runs: the list, one run, two runs beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from cleave.engines.registry import names
from cleave.engines.text import amount
from cleave.export.exports import exports
from cleave.journal.places import Listing, Run
from cleave.review.listed import seconds_of
from cleave.review.run import run_state
from cleave.review.stages import PlanReview
from cleave.view.charts import table
from cleave.view.markup import Html, h, join
from cleave.view.page import page, section
from cleave.view.report import source_of
from cleave.view.run import badge, fragments, word
from cleave.view.trace import draw_trace
from cleave.web.catalogue import Wanted, cost_of, properties_of
from cleave.web.jobs import Job

_PER_PAGE = 100
_VERDICTS = ("safe", "bounded-safe", "unsafe", "unknown", "running", "stopped", "error")
_COLUMNS = ("", "file", "property", "verdict", "engine", "workers", "seconds", "cost", "started")


# --- the list -------------------------------------------------------------------------------------------------------


def runs_page(listing: Listing, wanted: Wanted, number: int) -> Html:
    query = urlencode({key: value for key, value in wanted._asdict().items() if value} | {"page": number})
    body = join(
        (
            h("h1", "Runs"),
            _filter(wanted),
            h(
                "form",
                h("div", runs_table(listing, wanted, number), id="runs"),
                h("div", h("button", "compare two runs", type="submit", data_needs="2"), class_="toolbar"),
                method="get",
                action="/compare",
            ),
        )
    )
    return page("Runs", body, at="/", live=f"/live?{query}")


def _filter(wanted: Wanted) -> Html:
    return h(
        "form",
        h("label", "verdict", _select("verdict", ("", *_VERDICTS), wanted.verdict, "all")),
        h("label", "engine", _select("engine", ("", *names()), wanted.engine, "all")),
        h(
            "label",
            "file, property or run",
            h("input", type="search", name="text", value=wanted.text, maxlength=200),
        ),
        h("button", "filter", type="submit"),
        h("a", "all", href="/", class_="button") if any(wanted) else None,
        method="get",
        action="/",
        class_="toolbar",
        role="search",
    )


def _select(name: str, values: Sequence[str], chosen: str, nothing: str) -> Html:
    options = [h("option", value or nothing, value=value, selected=value == chosen) for value in values]
    return h("select", *options, name=name)


def runs_table(listing: Listing, wanted: Wanted, number: int) -> Html:
    runs = listing.runs
    shown = runs[_PER_PAGE * number : _PER_PAGE * (number + 1)]
    if not shown:
        told = "No run fits." if any(wanted) else "There are no runs yet. Submit a program, or use cleave verify."
        return h("p", told, class_="quiet")
    body = table(_COLUMNS, map(_row, shown), numbers=("workers", "seconds", "cost"))
    return join((body, _pages(len(runs), wanted, number), *(h("p", note, class_="quiet") for note in listing.notes)))


def _row(run: Run) -> tuple[Html | str, ...]:
    info = run.info
    file = info.files[0] if info.files else info.id
    local = f"{info.workers}" if info.runtime == "local" else f"{info.workers} {info.runtime}"
    cost = cost_of(run.result)
    return (
        h("input", type="checkbox", name="run", value=info.id, aria_label=f"compare {file}"),
        h("a", PurePath(file).name, href=run_link(info.id), title=file),
        properties_of(run),
        badge(word(run.result, run_state(run.result, going_on=run.going_on))),
        str((run.result or {}).get("engine") or info.engine),
        local,
        f"{seconds_of(run):.1f}",
        amount(cost) if cost else "",
        h("time", info.started.astimezone().strftime("%Y-%m-%d %H:%M:%S"), datetime=info.started.isoformat()),
    )


def _pages(all_runs: int, wanted: Wanted, number: int) -> Html | None:
    if all_runs <= _PER_PAGE:
        return None
    query = {key: value for key, value in wanted._asdict().items() if value}
    last = (all_runs - 1) // _PER_PAGE
    links = [
        h("a", name, href=f"/?{urlencode(query | {'page': to})}", class_="button")
        for name, to in (("newer", number - 1), ("older", number + 1))
        if 0 <= to <= last
    ]
    told = f"{_PER_PAGE * number + 1:,} to {min(all_runs, _PER_PAGE * (number + 1)):,} of {all_runs:,}"
    return h("p", told, " ", *links)


def run_link(id: str) -> str:
    return f"/runs/{quote(id, safe='')}"


# --- a run ----------------------------------------------------------------------------------------------------------


class RunParts(NamedTuple):
    """What a page about a run is made of; `live_parts` are those that change while it goes on."""

    title: str
    parts: dict[str, Html]
    trace: Html | None
    is_live: bool
    state: str
    result: dict[str, Any] | None
    has_invariant: bool


def run_parts(review: PlanReview, sources: Mapping[str, str], job: Job | None) -> RunParts:
    name = PurePath(review.info.files[0]).name if review.info.files else review.info.id
    trace = draw_trace(review.trace, sources) if review.trace is not None and review.state != "running" else None
    is_live = is_live_now(review.state, job)
    parts = fragments(review, is_job=job is not None)
    return RunParts(name, parts, trace, is_live, review.state, review.result, bool(review.invariant))


def is_live_now(state: str, job: Job | None) -> bool:
    """A run that has its result is over, though the process of its job may take a moment to end: a page that was loaded
    again then would take the counterexample away from whoever reads it."""
    return state == "running" or (state != "finished" and job is not None and not job.is_over)


def run_page(id: str, made: RunParts, sources: Mapping[str, str], job: Job | None, log: str) -> Html:
    parts = made.parts
    body: list[Html | None] = [h("h1", made.title), _actions(id, made, job)]
    body.append(section("verdict", "Verdict", parts["verdict"]))
    if made.trace is not None:
        body.append(section("counterexample", "Counterexample", made.trace))
    body.append(section("plan", "Plan", parts["plan"]))
    if parts["search"] or made.is_live:
        body.append(section("search", "Search", parts["search"]))
    if made.trace is None:
        body += [section(f"source-{n}", "Source", source_of(*one)) for n, one in enumerate(sources.items())]
    if log.strip():
        body.append(section("log", "Log", h("pre", log, class_="log")))
    return page(made.title, join(body), at="/", live=f"{run_link(id)}/live" if made.is_live else None)


def _actions(id: str, made: RunParts, job: Job | None) -> Html:
    link = run_link(id)
    buttons: list[Html | None] = []
    if made.is_live:
        waiting = job is not None and job.state == "stopped"
        told = "stopping …" if waiting else "stop"
        buttons.append(_post(f"{link}/stop", told, disabled=waiting))
        buttons.append(h("span", data_reload=True, hidden=True))
    elif made.state == "stopped":
        buttons.append(_post(f"{link}/resume", "resume"))
    links = [
        h("a", told, href=f"/api/v1{link}/files/{name}", download=True, class_="button") for name, told in _files(made)
    ]
    return h("div", *buttons, h("span", "download", class_="quiet"), *links, class_="toolbar actions")


def _files(made: RunParts) -> Iterator[tuple[str, str]]:
    """The files that can be downloaded, and how they are called. Of a run without a result, those about the run."""
    yield "journal", "journal"
    result = made.result
    if result is None or "error" in result:
        yield "report", "report"
        return
    verdict = str(result.get("verdict"))
    for one in exports():
        by_invariant = one.needs or (one.name == "certificate" and verdict == "safe" and result.get("smtlib"))
        if one.may_be_of(made.title, verdict) and (made.has_invariant or not by_invariant):
            yield one.name, one.name
    yield "result", "JSON"


def _post(action: str, name: str, *, disabled: bool = False) -> Html:
    button = h("button", name, type="submit", disabled=disabled)
    return h("form", button, method="post", action=action, class_="inline")


def job_page(job: Job, result: Mapping[str, Any] | None, log: str) -> Html:
    """Of a job whose run has no journal: it waits, reads the program, or could not be read."""
    link = run_link(job.id)
    name = job.files[0] if job.files else job.id
    is_live = not job.is_over
    stop = (_post(f"{link}/stop", "stop"), h("span", data_reload=True, hidden=True)) if is_live else ()
    again = _post(f"{link}/resume", "start") if job.state == "stopped" else None
    body = join(
        (
            h("h1", name),
            h("div", *stop, again, class_="toolbar actions"),
            section("verdict", "Verdict", job_state(job, result)),
            section("log", "Log", h("pre", log, class_="log")) if log.strip() and job.is_over else None,
        )
    )
    return page(name, body, at="/jobs", live=f"{link}/live" if is_live else None)


def job_state(job: Job, result: Mapping[str, Any] | None) -> Html:
    error = job.error or str((result or {}).get("error") or "")
    place = f" (line {result['line']})" if result is not None and result.get("line") else ""
    if job.state == "waiting":
        said, told = "waiting", "The job waits in the queue."
    elif job.state == "running":
        said, told = "running", "The program is being read."
    elif error:
        said, told = "error", f"{error}{place}"
    elif job.state == "stopped":
        said, told = "stopped", "The job was stopped before it began."
    else:
        said = str((result or {}).get("verdict") or "error")
        told = str((result or {}).get("reason") or ("" if result else "The job ended without a result."))
    return h("p", badge(said), h("span", told, class_="sentence"), class_="headline")


# --- two runs -------------------------------------------------------------------------------------------------------


class Compared(NamedTuple):
    """What is said of one of two runs."""

    id: str
    name: str
    verdict: Html
    facts: dict[str, str]
    counters: dict[str, dict[str, Any]]  # by stage


def compared(review: PlanReview) -> Compared:
    result = review.result or {}
    facts = {
        "engine": str(result.get("engine") or review.info.engine),
        "workers": str(review.info.workers),
        "seconds": f"{review.seconds:.1f}",
        "cost": amount(sum(stage.cost for stage in review.stages)),
        "bounds": ", ".join(f"{name} {value}" for name, value in (result.get("bounds") or {}).items()),
        "evidence": str(result.get("validation") or ""),
        "reason": str(result.get("reason") or ""),
        "checked": ", ".join(map(str, result.get("checked") or ())),
        "assumes": "; ".join(map(str, result.get("assumptions") or ())),
        "command": str(review.info.options.get("command") or ""),
        "version": review.info.version,
    }
    stages = {
        f"stage {stage.number}, {stage.engine}": {
            "state": stage.state,
            "workers": stage.workers,
            "seconds": None if stage.seconds is None else round(stage.seconds, 2),
            **stage.counters,
        }
        for stage in review.stages
    }
    name = review.info.files[0] if review.info.files else review.info.id
    return Compared(review.info.id, PurePath(name).name, badge(word(review.result, review.state)), facts, stages)


def compare_page(one: Compared, other: Compared) -> Html:
    heads = ("", *(f"{run.name}, {run.id}" for run in (one, other)))
    links = ("run", *(h("a", run.id, href=run_link(run.id)) for run in (one, other)))
    rows: list[tuple[Html | str, ...]] = [links, ("verdict", one.verdict, other.verdict)]
    rows += [(name, *_pair(one.facts[name], other.facts[name])) for name in one.facts]
    shown = [
        h("h1", "Two runs"),
        section("facts", "Runs", _beside(heads, rows)),
    ]
    for stage in dict.fromkeys((*one.counters, *other.counters)):
        if all(run.counters.get(stage, {}).get("state") in (None, "planned") for run in (one, other)):
            continue
        a, b = one.counters.get(stage, {}), other.counters.get(stage, {})
        counted = [(name, *_pair(_told(a.get(name)), _told(b.get(name)))) for name in dict.fromkeys((*a, *b))]
        shown.append(
            section(
                f"counted-{len(shown)}",
                stage,
                _beside(heads, counted),
            )
        )
    return page("Two runs", join(shown), at="/")


def _beside(heads: Sequence[str], rows: Iterable[tuple[Html | str, ...]]) -> Html:
    """Without what neither run has anything to say of."""
    said = [row for row in rows if any(row[1:])]
    return h("div", table(heads, said, sortable=False), class_="compared")


def _pair(a: str, b: str) -> tuple[Html | str, Html | str]:
    return (a, b) if a == b else (h("span", a, class_="differs-cell"), h("span", b, class_="differs-cell"))


def _told(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
