"""What a run costs: processor time and memory of all its processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from time import monotonic, sleep

from cleave.usage import Meter, cpu_seconds, descendants, process_age, tree
from cleave.verdict import Reason
from cleave.watch import Watch

_BUSY = "import time; end = time.process_time() + {}; data = bytearray({})\nwhile time.process_time() < end: pass"


def _busy(seconds: float, size: int = 0) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", _BUSY.format(seconds, size)])


def test_processes_that_live_and_those_that_ended_count() -> None:
    before = cpu_seconds()
    _busy(0.3).wait()
    assert cpu_seconds() - before >= 0.3
    running = _busy(60)
    try:
        assert running.pid in list(descendants(os.getpid()))
        end = monotonic() + 30
        while cpu_seconds() - before < 0.6 and monotonic() < end:
            sleep(0.05)
        assert cpu_seconds() - before >= 0.6
    finally:
        running.kill()
        running.wait()


def test_memory_is_the_sum_of_all_processes() -> None:
    with Meter(threading.Event()) as meter:
        running = [_busy(60, 60_000_000), _busy(60, 60_000_000)]
        try:
            end = monotonic() + 30
            while tree(os.getpid()).memory_bytes < 120_000_000 and monotonic() < end:
                sleep(0.05)
            sleep(0.3)
        finally:
            for one in running:
                one.kill()
                one.wait()
    assert meter.read().peak_memory_mb >= 120


def test_a_limit_on_processor_time_stops() -> None:
    with Meter(threading.Event(), cpulimit=0.2) as meter:
        _busy(0.4).wait()
        assert meter.stop.wait(5)
    assert meter.is_over


def test_any_process_of_a_run_can_tell_what_is_left() -> None:
    budget = Meter(threading.Event(), cpulimit=1.0).budget
    assert budget is not None
    asking = "from cleave.usage import CpuBudget; print(CpuBudget({}, {}, {}).left())"
    told = asking.format(budget.limit, budget.process, budget.before)
    _busy(0.3).wait()
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert budget.left() <= float(done.stdout) < 0.8, "also of what the child itself has used"
    with Watch(cpu=budget.without(0.5)) as watch:
        _busy(0.4).wait()
        end = monotonic() + 30
        while watch.reason is None and monotonic() < end:
            sleep(0.02)
        assert watch.reason is Reason.TIMEOUT


def test_a_request_to_stop_is_passed_on() -> None:
    asked = threading.Event()
    with Meter(asked) as meter:
        asked.set()
        assert meter.stop.is_set()
        assert meter.stop.wait(5)
    assert not meter.is_over


def test_the_age_of_a_process_counts_from_its_start() -> None:
    told = "from cleave.usage import process_age; print(process_age())"
    started = monotonic()
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, env={**os.environ})
    assert 0 < float(done.stdout) <= monotonic() - started + 0.02
    assert process_age() > float(done.stdout)
