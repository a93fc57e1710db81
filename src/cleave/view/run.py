"""A run as a page: its verdict with what it assumes, the plan on a time line, and what each search did.

fragments(review)["verdict"]          # each with the id of the element that it fills, so that a live page can
                                      # replace just what has changed
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cleave.engines.registry import engine
from cleave.engines.review.drawings import Block, Drawing, Lane, Lanes
from cleave.engines.review.members import Crew
from cleave.engines.text import amount, count
from cleave.errors import CleaveError
from cleave.review.stages import PlanReview, StageReview
from cleave.view.charts import figure, table
from cleave.view.markup import Html, h, join

_STAGE_COLUMNS = ("stage", "engine", "what for", "workers", "began", "seconds", "result", "cost")
_SYMBOLS = {"safe": "✓", "bounded-safe": "◐", "unsafe": "✗", "unknown": "?", "error": "!"}
_MEANS = {
    "safe": "No execution violates the property. No bound was needed.",
    "bounded-safe": "No execution within the bounds violates the property.",
    "unsafe": "There is an execution that violates the property. It was replayed.",
    "unknown": "The run ended without an answer.",
}
_MEANS_OF_CLAUSES = _MEANS | {
    "safe": "The clauses have a solution (sat).",
    "unsafe": "The clauses have no solution (unsat): false is derived.",
}
_MOST_PREDICATES = 200
_FEW_FORMULAS = 20  # a longer table is folded away
_FORMULA, _BEGINNING = 240, 80  # characters: the longest that is shown at once, and what is shown of others
_MOST_AT_WORK = 200  # workers
_MOST_CELLS = 24  # of the grid of bounds, each way


def fragments(review: PlanReview, *, is_job: bool = False) -> dict[str, Html]:
    """Nobody asked for the files of a job that was submitted to a server: it keeps what there is."""
    return {"verdict": _verdict(review, is_job=is_job), "plan": _plan(review), "search": _search(review)}


def badge(verdict: str) -> Html:
    """A verdict, or the state of a run without one: a symbol, a word and a colour."""
    slug = verdict.replace(" ", "-")
    return h("span", h("span", _SYMBOLS.get(verdict, "…"), aria_hidden="true"), f" {verdict}", class_=f"badge v-{slug}")


def word(result: Mapping[str, Any] | None, state: str) -> str:
    """What is said first of a run."""
    if state == "running":
        return "running"
    if result is None:
        return "stopped"
    return "error" if "error" in result else str(result.get("verdict"))


# --- the verdict ----------------------------------------------------------------------------------------------------


def _verdict(review: PlanReview, *, is_job: bool) -> Html:
    said = word(review.result, review.state)
    info = review.info
    cost = sum(stage.cost for stage in review.stages)
    started = info.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    facts = [
        ("file", ", ".join(info.files)),
        ("engine", str((review.result or {}).get("engine") or info.engine)),
        ("workers", f"{info.workers} {info.runtime}"),
        ("time", f"{review.seconds:.1f} s"),
        ("resumed", count(review.breaks, "time") if review.breaks else ""),
        ("cost", amount(cost) if cost else ""),
        ("started", started),
        ("run", info.id),
        ("version", info.version),
    ]
    command = info.options.get("command")
    return join(
        (
            h("p", badge(said), h("span", _sentence(review, said), class_="sentence"), class_="headline"),
            _progress(review),
            h("div", _claims(review.result or {}, is_job=is_job), _facts(facts), class_="columns"),
            h("p", h("code", command), class_="command") if command else None,
        )
    )


def _sentence(review: PlanReview, said: str) -> str:
    result = review.result or {}
    if said == "error":
        return str(result["error"])
    if said == "running":
        at_work = [stage.engine for stage in review.stages if stage.state == "running"]
        if at_work:
            return f"At work: {' and '.join(dict.fromkeys(at_work))}."
        has_begun = any(stage.began is not None for stage in review.stages)
        return "One stage is over, and the next has not begun." if has_begun else "Reading the program."
    if said == "stopped":
        return "The run was stopped before it had a result. It can be resumed."
    bounds = ", ".join(f"{name} {value}" for name, value in (result.get("bounds") or {}).items())
    told = (_MEANS_OF_CLAUSES if result.get("smtlib") else _MEANS).get(said, "")
    if said == "bounded-safe":
        return f"{told} Bounds: {bounds}."
    return f"{told} Reason: {result['reason']}." if result.get("reason") else told


def _progress(review: PlanReview) -> Html | None:
    if review.state != "running":
        return None
    limit = review.timelimit
    bar = h("progress", max=limit, value=min(limit, review.seconds)) if limit else h("progress")
    told = f"{review.seconds:.0f} s of {limit:.0f} s" if limit else f"{review.seconds:.0f} s, no time limit"
    return h("p", bar, f" {told}; {count(review.events, 'event')}", class_="progress")


def _claims(result: Mapping[str, Any], *, is_job: bool) -> Html:
    rows: list[tuple[str, list[str]]] = []
    checked = [f"{name} ({count(number, 'place')})" for name, number in (result.get("checked") or {}).items()]
    if checked:
        rows.append(("checked", checked))
    if result.get("validation"):
        rows.append(("evidence", [str(result["validation"])]))
    if result.get("assumptions"):
        rows.append(("assumes", [str(one) for one in result["assumptions"]]))
    if result.get("expected"):
        rows.append(("expected", [str(result["expected"])]))
    if result.get("unwritten") and not is_job:
        rows.append(("not written", [str(one) for one in result["unwritten"]]))
    return h("dl", *((h("dt", name), *(h("dd", one) for one in told)) for name, told in rows), class_="facts")


def _facts(facts: Iterable[tuple[str, str]]) -> Html:
    return h("dl", *((h("dt", name), h("dd", told)) for name, told in facts if told), class_="facts")


# --- the plan -------------------------------------------------------------------------------------------------------


def _plan(review: PlanReview) -> Html:
    is_over = review.state == "finished"
    begun = [stage for stage in review.stages if not is_over or stage.began is not None]
    return join(
        (
            _time_line(review),
            _stage_table(begun, review.seconds),
            _not_needed([stage for stage in review.stages if stage not in begun]),
            *(_counters(stage) for stage in review.stages if stage.counters),
            bounds_grid(review.stages),
        )
    )


def _time_line(review: PlanReview) -> Html | None:
    lanes = []
    for stage in review.stages:
        if stage.began is None:
            continue
        end = stage.began + _seconds_of(stage, review.seconds)
        kind = _kind(stage)
        lanes.append(Lane(f"{stage.number} {stage.engine}", (Block(stage.began, end, kind, stage.state[:200]),)))
    return figure(Lanes(title="Stages", lanes=tuple(lanes))) if lanes else None


def _kind(stage: StageReview) -> str:
    if stage.verdict in ("safe", "unsafe", "bounded-safe", "unknown", "refused"):
        return stage.verdict
    return stage.state if stage.state in ("running", "stopped") else "planned"


def _stage_table(stages: Iterable[StageReview], now: float) -> Html:
    rows = [_stage_row(stage, now) for stage in stages]
    return table(_STAGE_COLUMNS, rows, numbers=("stage", "workers", "began", "seconds", "cost"), sortable=False)


def _not_needed(stages: Sequence[StageReview]) -> Html | None:
    if not stages:
        return None
    told = h("summary", f"{count(len(stages), 'further stage')} not begun: the run was over before")
    rows = [(str(stage.number), stage.engine, stage.purpose) for stage in stages]
    return h("details", told, table(_STAGE_COLUMNS[:3], rows, numbers=("stage",), sortable=False))


def _seconds_of(stage: StageReview, now: float) -> float:
    """So far, of one that is not over."""
    return stage.seconds if stage.seconds is not None else max(0.0, now - (stage.began or 0.0))


def _stage_row(stage: StageReview, now: float) -> tuple[Html | str, ...]:
    return (
        str(stage.number),
        stage.engine,
        stage.purpose,
        str(stage.workers),
        f"{stage.began:.1f}" if stage.began is not None else "",
        f"{_seconds_of(stage, now):.1f}" if stage.began is not None else "",
        h("span", stage.state, class_="state"),
        amount(stage.cost) if stage.cost else "",
    )


def _counters(stage: StageReview) -> Html | None:
    try:
        rows = engine(stage.engine).counters.of(stage.counters).rows()
    except CleaveError:  # of an engine that is not installed here, or of another version
        rows = [(name, str(value)) for name, value in stage.counters.items()]
    told = h("summary", f"What stage {stage.number}, {stage.engine}, counted")
    return h("details", told, table(("counter", "value"), rows, numbers=("value",), sortable=False))


def bounds_grid(stages: Iterable[StageReview]) -> Html | None:
    """Numbers of contexts by unwindings, with what is proved: a proof covers all smaller bounds."""
    proved = [(s.bounds["contexts"], s.bounds["unwind"]) for s in stages if {"contexts", "unwind"} <= s.bounds.keys()]
    if not proved:
        return None
    across = range(1, min(_MOST_CELLS, max(c for c, _ in proved) + 1) + 1)
    down = range(1, min(_MOST_CELLS, max(u for _, u in proved) + 1) + 1)
    head = h("tr", h("th", "unwind \\ contexts"), *(h("th", c, scope="col") for c in across))
    body = [
        h("tr", h("th", u, scope="row"), *(_covered(any(c <= pc and u <= pu for pc, pu in proved)) for c in across))
        for u in down
    ]
    grid = h("table", h("thead", head), h("tbody", *body), class_="grid-of-bounds")
    caption = h("figcaption", h("h3", "Contexts and unwindings"), h("p", "✓: proved within", class_="quiet"))
    return h("figure", caption, h("div", grid, class_="scroll"), class_="drawing")


def _covered(proved: bool) -> Html:
    return h("td", "✓" if proved else "", class_="proved" if proved else None)


def _invariant(text: str) -> Html:
    """A definition for each predicate."""
    parts = re.split(r"^(?=\(define-fun )", text, flags=re.MULTILINE)
    rows = [(h("code", _predicate(part)), _folded(part.strip())) for part in parts if part.startswith("(def")]
    caption = h("figcaption", h("h3", "Invariant"), h("p", "A definition for each predicate.", class_="quiet"))
    return h("figure", caption, _formulas(("predicate", "definition"), rows), class_="drawing")


def _predicates(told: Mapping[str, Iterable[str]]) -> Html:
    """What predicate abstraction tells states apart by."""
    rows = [(location, one) for location, own in told.items() for one in own]
    shown = [(location, _folded(one)) for location, one in rows]
    caption = h("figcaption", h("h3", "Predicates by location"))
    return h("figure", caption, _formulas(("location", "predicate"), shown), class_="drawing")


def _formulas(columns: tuple[str, str], rows: Sequence[tuple[Html | str, Html]]) -> Html:
    further = max(0, len(rows) - _MOST_PREDICATES)
    shown = table(columns, rows[:_MOST_PREDICATES], further=further)
    if len(rows) <= _FEW_FORMULAS:
        return shown
    return h("details", h("summary", f"{len(rows):,} formulas"), shown)


def _folded(formula: str) -> Html:
    """A long one, about single bits, say, is opened by a reader who wants it."""
    if len(formula) <= _FORMULA:
        return h("code", formula)
    beginning = h("summary", h("code", formula[:_BEGINNING], "…"), f" {len(formula):,} characters")
    return h("details", beginning, h("code", formula))


def _predicate(definition: str) -> str:
    found = re.match(r"\(define-fun\s+(\|[^|]*\||[^\s()]+)", definition)
    return found[1] if found else ""


# --- the search -----------------------------------------------------------------------------------------------------


def _drawings(stage: StageReview) -> list[Drawing]:
    """What the engine drew at its end is exact; it stands for what the messages tell under the same title."""
    exact = {drawing.title for drawing in stage.drawings}
    told = stage.search.drawings() if stage.search is not None and hasattr(stage.search, "drawings") else ()
    return [*stage.drawings, *(drawing for drawing in told if drawing.title not in exact)]


def _at_work(stage: StageReview, now: float) -> Html | None:
    """Who works on what, and for how long already: what somebody wants to know of a search that takes long."""
    crew: Crew[Any] | None = getattr(stage.search, "crew", None)
    present = [one for one in crew.members.values() if one.left is None] if crew is not None else []
    if not present:
        return None
    busy = [one for one in present if one.at_work]
    rows = [
        (f"worker {one.number}", one.at_work or "waits for work", f"{max(0.0, now - max(one.since, one.joined)):.0f}")
        for one in sorted(present, key=lambda one: (max(one.since, one.joined), one.number))[:_MOST_AT_WORK]
    ]
    caption = h(
        "figcaption",
        h("h3", "Now"),
        h("p", f"{len(busy)} of {count(len(present), 'worker')} at work, the longest first", class_="quiet"),
    )
    shown = table(("worker", "works on", "for seconds"), rows, numbers=("for seconds",), framed=True)
    return h("figure", caption, shown, class_="drawing now")


def _search(review: PlanReview) -> Html:
    shown: list[Html] = []
    for stage in review.stages:
        drawings = _drawings(stage)
        at_work = _at_work(stage, review.seconds) if review.state == "running" and stage.verdict is None else None
        if drawings or at_work:
            shown.append(h("h2", f"Stage {stage.number}: {stage.engine}", id=f"stage-{stage.number}"))
            shown += [at_work] if at_work else []
            shown += [figure(drawing) for drawing in drawings]
    result = review.result or {}
    if (told := result.get("predicates")) or review.invariant:
        shown.append(h("h2", "What the proof uses"))
    shown += [_predicates(told)] if told else []
    if review.invariant:
        shown.append(_invariant(review.invariant))
    elif result.get("smtlib") and result.get("verdict") == "safe":
        shown.append(h("p", "With --invariant FILE the run keeps its invariant, and it is shown here.", class_="quiet"))
    return join(shown)
