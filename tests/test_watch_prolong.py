"""A proof that was found is confirmed beyond the limits of a part of the run."""

from __future__ import annotations

import pytest

from cleave.verdict import StoppedError
from cleave.watch import Watch


def test_half_of_what_the_run_has_left_is_for_confirming() -> None:
    watch = Watch(timelimit=1, longest=1_001)
    watch.prolong()
    left = watch.remaining()
    assert left is not None
    assert 400 < left < 501


def test_a_run_without_more_time_is_not_prolonged() -> None:
    watch = Watch(timelimit=1_000, longest=1_000)
    watch.prolong()
    left = watch.remaining()
    assert left is not None
    assert left <= 1_000


def test_what_was_hit_before_stays() -> None:
    watch = Watch(timelimit=0.000_001, longest=1_000)
    with pytest.raises(StoppedError):
        watch.check()
    watch.prolong()
    with pytest.raises(StoppedError):
        watch.check()


def test_processor_time_of_a_part_does_not_end_it() -> None:
    watch = Watch(cpulimit=0.000_001)
    watch.prolong()
    watch.check()
