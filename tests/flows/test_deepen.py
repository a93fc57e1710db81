"""Larger bounds while there is time: which bounds come next, and whose result it is."""

from __future__ import annotations

from cleave.engines.threads.options import ThreadsOptions
from cleave.flows.deepen import deepen
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Trace, Unknown, Unsafe, Verdict

UNSAFE = Unsafe(Trace((), "x", None), "replayed")
UNCONFIRMED = Unknown(Reason.UNCONFIRMED, "the second solver did not end")


def tried(*verdicts: Verdict, timelimit: float = 60.0) -> tuple[Verdict, list[ThreadsOptions]]:
    """The result when the first bounds give the first verdict, and so on; and the bounds that were tried."""
    options: list[ThreadsOptions] = []

    def verify(chosen: ThreadsOptions, seconds: float) -> Result:
        options.append(chosen)
        return Result(verdicts[len(options) - 1], "threads", {}, 1.0, 1, {})

    return deepen(verify, ThreadsOptions(), timelimit).verdict, options


def bounded(*names: str) -> BoundedSafe:
    return BoundedSafe(dict.fromkeys(names, 2), "")


def test_only_bounds_that_took_part_grow() -> None:
    verdict, options = tried(bounded("contexts"), bounded("unwind"), Safe("proof"))
    assert isinstance(verdict, Safe)
    assert [(o.unwound, o.tried) for o in options] == [(2, (2, 3, 4, 5)), (2, (6, 7)), (3, (2, 3, 4, 5, 6, 7))]


def test_each_time_other_executions_are_tried() -> None:
    _, options = tried(bounded("contexts"), bounded("contexts"), UNSAFE)
    assert all(o.probe_steps > 0 for o in options)
    assert len({o.seed for o in options}) == 3


def test_what_was_not_confirmed_does_not_end_it() -> None:
    verdict, options = tried(UNCONFIRMED, UNSAFE)
    assert verdict is UNSAFE
    assert options[1].unwound > options[0].unwound
    assert options[1].tried[-1] > options[0].tried[-1]


def test_the_last_answer_counts() -> None:
    first = bounded("contexts")
    assert tried(first, UNCONFIRMED, Unknown(Reason.TIMEOUT))[0] is first
    assert tried(UNCONFIRMED, first, Unknown(Reason.TIMEOUT))[0] is first


def test_without_a_time_limit_the_first_bounds_are_all() -> None:
    verdict, options = tried(bounded("contexts"), timelimit=0.0)
    assert isinstance(verdict, BoundedSafe)
    assert len(options) == 1
    assert options[0].probe_steps > 0
