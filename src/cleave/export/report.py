"""A report of a run as one file of HTML, written at its end.

The journal is not finished yet when it is written: the result comes from the run. A run without a journal has no
workers' story to show, but a verdict and its evidence.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from cleave.export.exports import About
from cleave.export.objects import result_object
from cleave.journal.journal import RunInfo
from cleave.review.stages import PlanReview, StageReview, review_plan
from cleave.verdict import Result, Unsafe
from cleave.version import __version__
from cleave.view.report import report


def report_text(about: About, result: Result) -> str:
    found = result_object(about.input.file, result)
    review = _without_journal(about, result) if about.journal is None else review_plan(about.journal)
    trace = result.verdict.trace if isinstance(result.verdict, Unsafe) else None
    review = replace(review, result=found, state="finished", seconds=max(review.seconds, result.seconds), trace=trace)
    sources = {file: content.decode("utf-8", "replace") for file, content in about.files.contents.items()}
    return report(review, sources)


def _without_journal(about: About, result: Result) -> PlanReview:
    info = RunInfo(
        id="without a journal",
        files=about.input.files,
        engine=result.engine,
        workers=result.workers,
        runtime="local",
        options={"command": about.command},
        started=datetime.now(UTC),
        version=__version__,
        source=about.input.digest,
    )
    stages = [
        StageReview(
            one.number,
            one.engine,
            "",
            one.workers,
            f"{one.verdict}, {one.detail}" if one.detail else one.verdict,
            None,
            one.seconds,
            one.cost,
            verdict=one.verdict,
        )
        for one in result.stages
    ]
    return PlanReview(Path(), info, None, "finished", result.seconds, 0, stages)
