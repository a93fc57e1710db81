"""A run as one file of HTML that needs no server: to send around, and to keep beside a result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath

from cleave.journal.journal import Journal
from cleave.review.stages import PlanReview, review_plan
from cleave.view.markup import Html, h, join
from cleave.view.page import section, whole_file
from cleave.view.run import fragments
from cleave.view.trace import draw_trace


def report_of(path: Path) -> str:
    """Of the run with this journal, finished or not."""
    with Journal.open(path) as journal:
        texts = journal.texts()
    return report(review_plan(path), texts)


def report(review: PlanReview, sources: Mapping[str, str]) -> str:
    name = PurePath(review.info.files[0]).name if review.info.files else review.info.id
    made = fragments(review)
    body = [h("h1", name), section("verdict", "Verdict", made["verdict"])]
    if review.trace is not None:
        body.append(section("counterexample", "Counterexample", draw_trace(review.trace, sources)))
    body.append(section("plan", "Plan", made["plan"]))
    if made["search"]:
        body.append(section("search", "Search", made["search"]))
    if review.trace is None:
        body += [section("source", "Source", source_of(file, text)) for file, text in sources.items()]
    return whole_file(name, join(body))


_MOST_TEXT = 400_000  # characters of a file: a report is to be sent around


def source_of(file: str, text: str) -> Html:
    lines = [h("li", h("code", line or " ")) for line in text[:_MOST_TEXT].splitlines()]
    cut = h("p", "The rest is left out.", class_="quiet") if len(text) > _MOST_TEXT else None
    return h("details", h("summary", file), h("ol", *lines, class_="code"), cut)
