"""Which integers are tried in which order, and what the result says of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cleave.errors import UnsupportedError
from cleave.flows.choose import may_try_integers
from cleave.flows.integers import in_turn, unbounded
from cleave.flows.options import Options
from cleave.ir.integers import UNBOUNDED_ASSUMPTION, Integers
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Trace, Unknown, Unsafe, Verdict

UNCONFIRMED = Unknown(Reason.UNCONFIRMED, "the violation that was found does not replay")
TIMEOUT = Unknown(Reason.TIMEOUT)


class Runs:
    """Answers by what is computed with; notes what was asked for, with the seconds for it."""

    def __init__(self, **verdicts: Verdict) -> None:
        self.verdicts = verdicts
        self.asked: list[tuple[str, float]] = []

    def __call__(self, integers: Integers, seconds: float) -> Result:
        self.asked.append((integers.value, round(seconds)))
        verdict = self.verdicts[integers.value]
        assumptions = (UNBOUNDED_ASSUMPTION,) if integers is Integers.UNBOUNDED else ()
        return Result(verdict, "pdr", {}, 2.0, 1, {}, assumptions)


def _violation() -> Unsafe:
    return Unsafe(Trace((), "false", None), "replayed")


@pytest.mark.parametrize("proved", [Safe("checked"), BoundedSafe({"recursion": 2}, "checked")])
def test_a_proof_without_overflow_assumes_nothing(proved: Safe | BoundedSafe) -> None:
    runs = Runs(checked=proved)
    result = unbounded(runs, 60.0)
    assert runs.asked == [("checked", 30.0)]
    assert type(result.verdict) is type(proved)
    assert result.verdict.validation == "checked; with it, that no operation overflows"
    assert result.assumptions == ()


@pytest.mark.parametrize("first", [UNCONFIRMED, TIMEOUT])
def test_otherwise_the_assumption_is_told(first: Unknown) -> None:
    runs = Runs(checked=first, unbounded=Safe("checked"))
    result = unbounded(runs, 60.0)
    assert runs.asked == [("checked", 30.0), ("unbounded", 60.0)]
    assert (result.verdict, result.assumptions, result.seconds) == (Safe("checked"), (UNBOUNDED_ASSUMPTION,), 4.0)


def test_a_violation_assumes_nothing() -> None:
    result = unbounded(Runs(checked=UNCONFIRMED, unbounded=_violation()), 0.0)
    assert (result.verdict, result.assumptions) == (_violation(), ())
    assert unbounded(Runs(checked=_violation()), 0.0).verdict == _violation()


@pytest.mark.parametrize("flow", [unbounded, in_turn])
def test_who_is_interrupted_stops(flow: Callable[[Runs, float], Result]) -> None:
    interrupted = Unknown(Reason.INTERRUPTED)
    runs = Runs(checked=interrupted, exact=interrupted)
    assert flow(runs, 0.0).verdict == interrupted
    assert len(runs.asked) == 1


def test_bits_come_second() -> None:
    runs = Runs(exact=TIMEOUT, bits=Safe("by bits"))
    assert in_turn(runs, 100.0).verdict == Safe("by bits")
    assert runs.asked == [("exact", 20.0), ("bits", 100.0)]
    runs = Runs(exact=TIMEOUT, bits=TIMEOUT)
    assert in_turn(runs, 0.0).seconds == 4.0
    assert runs.asked == [("exact", 30.0), ("bits", 0.0)]


def test_what_integers_find_is_enough() -> None:
    runs = Runs(exact=Safe("checked"))
    assert in_turn(runs, 100.0).verdict == Safe("checked, over integers that wrap around as bits do")
    assert in_turn(Runs(exact=_violation()), 100.0).verdict == _violation()


def test_what_integers_cannot_say_is_left_to_bits() -> None:
    def verify(integers: Integers, seconds: float) -> Result:
        if integers is Integers.EXACT:
            raise UnsupportedError("no")
        return Runs(bits=TIMEOUT)(integers, seconds)

    assert in_turn(verify, 10.0).verdict == TIMEOUT


def test_only_pdr_on_c_tries_integers_by_itself() -> None:
    assert may_try_integers("a.c", Options(engine="pdr"))
    assert not may_try_integers("a.c", Options(engine="inline"))
    assert not may_try_integers("a.bpl", Options(engine="pdr"))
    assert not may_try_integers("a.c", Options(engine="pdr", integers=Integers.BITS))
    assert not may_try_integers("a.c", Options(engine="pdr", runtime="simulated"))
    assert may_try_integers("a.c", Options(engine="pdr", loop_invariants=True))  # which are written as C either way
