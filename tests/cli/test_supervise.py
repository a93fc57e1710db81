"""A run that is given up keeps what is known of it."""

from __future__ import annotations

import threading

from cleave.api import OnProgress, Progress
from cleave.cli.supervise import Signals, supervise
from cleave.run.plan import Stage
from cleave.verdict import BoundedSafe, Reason, Result, Unknown


def test_a_verdict_is_kept_while_its_files_are_written() -> None:
    """Such as a certificate, whose proof may be hard."""
    over = threading.Event()
    stage = Stage(number=0, engine="inline", purpose="")
    found = Result(BoundedSafe({"recursion": 3}, "checked"), "inline", {}, 1.0, 1, {})

    def work(on_progress: OnProgress, stop: threading.Event) -> Result:
        on_progress(Progress(stage, {"bound": 3}, None))
        on_progress(Progress(stage, {}, None, result=found))
        over.wait()
        return found

    with Signals() as signals:
        ended = supervise(work, "p", signals=signals, timelimit=0.05, workers=1, quiet=True)
    over.set()
    assert ended.abandoned
    assert ended.result.verdict == found.verdict


def test_without_a_verdict_the_run_is_unknown() -> None:
    over = threading.Event()

    def work(on_progress: OnProgress, stop: threading.Event) -> Result:
        over.wait()
        return Result(Unknown(Reason.TIMEOUT), "", {}, 0.0, 1, {})

    with Signals() as signals:
        ended = supervise(work, "p", signals=signals, timelimit=0.05, workers=1, quiet=True)
    over.set()
    assert ended.abandoned
    assert isinstance(ended.result.verdict, Unknown)
