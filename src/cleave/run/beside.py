"""Lanes of a plan side by side, each in a process of its own: no two threads of a process ever build terms.

    this process              host of lane 0                 host of lane 1
    Briefing          ──────▶ stage 3 ...                    stage 4 ...
    journal.append    ◀────── Recorded(events)
    Kept              ──────▶ carries out the commands
    journal.end       ◀────── Ended(outcome: safe)
                                     ... the other one is killed

Only this process writes the journal. What a host was doing when it was lost is an outcome: `Unknown`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from cleave.engines.coordination import decode_event, encode_event
from cleave.errors import CleaveError
from cleave.frontends.input import Input
from cleave.run.host_messages import (
    Began,
    Briefing,
    Ended,
    Failed,
    Found,
    Kept,
    Noted,
    Recorded,
    Stop,
    from_host,
)
from cleave.run.outcome import Outcome, decode_outcome, encode_outcome
from cleave.run.plan import Plan, Stage
from cleave.runtime.local import ChildProcess
from cleave.usage import CpuBudget
from cleave.verdict import Reason, StoppedError, Unknown
from cleave.watch import EXTRA_SECONDS

if TYPE_CHECKING:
    from cleave.run.carry_out import JournalRecorder

_START = "from cleave.run.host import main; main()"
_POLL_SECONDS = 0.1
_GRACE_SECONDS = 0.5  # to tell what was found when the time was up


def beside(
    lanes: Sequence[Sequence[Stage]],
    plan: Plan,
    input: Input,
    recorder: JournalRecorder,
    outcomes: dict[int, Outcome],
    *,
    stop: threading.Event,
    seconds: float | None,
    cpu: CpuBudget | None = None,
    extra: float = EXTRA_SECONDS,
) -> None:
    """Ends when something is settled, when all lanes have ended, or when the time is up, and ``extra`` seconds more,
    to confirm what was found. Outcomes are added."""
    hosts, started = _Hosts(recorder, outcomes), monotonic()
    try:
        for lane in lanes:
            try:
                hosts.start(_briefing(lane, len(lanes), plan, input, recorder, outcomes, seconds, cpu))
            except StoppedError as stopped:
                outcome = Outcome.of(lane[0].number, Unknown(stopped.reason, stopped.detail), seconds=0.0)
                outcomes[outcome.stage] = outcome
        end = None if seconds is None else started + seconds + extra + _GRACE_SECONDS
        while hosts.running and not hosts.settled:
            hosts.listen(_POLL_SECONDS)
            if stop.is_set() and not hosts.told_to_stop:
                hosts.stop()
                end = monotonic() + _GRACE_SECONDS
            if end is not None and monotonic() > end:
                hosts.give_up(Reason.INTERRUPTED if stop.is_set() else Reason.TIMEOUT)
                break
    finally:
        hosts.close()
    if hosts.failed and not hosts.answered:
        raise hosts.failed[0]


def _briefing(
    lane: Sequence[Stage],
    lanes: int,
    plan: Plan,
    input: Input,
    recorder: JournalRecorder,
    outcomes: dict[int, Outcome],
    seconds: float | None,
    cpu: CpuBudget | None,
) -> Briefing:
    return Briefing(
        plan=plan,
        stages=tuple(lane),
        file=input.file,
        source=input.source,
        entry=input.entry,
        property=input.asked,
        outcomes=tuple(map(encode_outcome, outcomes.values())),
        events={
            stage.number: [(when, encode_event(event)) for when, event in recorder.events_of(stage.number)]
            for stage in lane
        },
        seconds=seconds,
        cpu=cpu,
        memlimit_mb=plan.memlimit_mb // lanes,
    )


class _Host:
    def __init__(self, process: ChildProcess, stages: Sequence[Stage]) -> None:
        self.process = process
        self.stages = {stage.number: stage for stage in stages}
        self.current: Stage | None = None


class _Hosts:
    def __init__(self, recorder: JournalRecorder, outcomes: dict[int, Outcome]) -> None:
        self.settled = self.answered = self.told_to_stop = False
        self.failed: list[CleaveError] = []
        self._recorder = recorder
        self._outcomes = outcomes
        self._hosts: list[_Host] = []
        self._selector = DefaultSelector()

    @property
    def running(self) -> bool:
        return bool(self._hosts)

    def start(self, briefing: Briefing) -> None:
        host = _Host(ChildProcess(_START, os.environ), briefing.stages)
        self._hosts.append(host)
        self._selector.register(host.process.connection, EVENT_READ, host)
        self._send(host, msgspec.msgpack.encode(briefing))

    def listen(self, seconds: float) -> None:
        for key, ready in self._selector.select(seconds):
            host: _Host = key.data
            if ready & EVENT_WRITE:
                host.process.flush()
                self._watch(host)
            if ready & EVENT_READ:
                received = host.process.receive()
                if received is None:
                    self._lose(host)
                else:
                    for message in received:
                        self._on(host, message)

    def stop(self) -> None:
        self.told_to_stop = True
        for host in self._hosts:
            self._send(host, msgspec.msgpack.encode(Stop()))

    def give_up(self, reason: Reason) -> None:
        """They had their time, and did not end."""
        for host in self._hosts:
            if host.current is not None:
                self._end(host, Outcome.of(host.current.number, Unknown(reason), seconds=0.0), final=False)

    def close(self) -> None:
        for host in self._hosts:
            host.process.kill()
        while self._hosts:
            self._bury(self._hosts[0])
        self._selector.close()

    def _on(self, host: _Host, message: bytes) -> None:
        match from_host(message):
            case Began(stage=stage):
                host.current = stage
                self._recorder.begin(stage)
            case Recorded(stage=number, events=events):
                self._recorder.append(number, [decode_event(event) for event in events])
                self._send(host, msgspec.msgpack.encode(Kept()))
            case Noted(counters=counters):
                if host.current is not None:
                    self._recorder.news(host.current, counters)
            case Ended(outcome=data, final=final):
                self._end(host, decode_outcome(data), final=final)
            case Failed() as failed:
                self._fail(host, failed.error())

    def _fail(self, host: _Host, error: CleaveError) -> None:
        """Whoever called is told, unless another lane has an answer."""
        self.failed.append(error)
        if host.current is not None:
            number, host.current = host.current.number, None
            self._outcomes[number] = Outcome.of(number, Unknown(Reason.SOLVER, str(error)), seconds=0.0)

    def _end(self, host: _Host, outcome: Outcome, *, final: bool) -> None:
        host.current = None
        self.answered = True
        self._outcomes[outcome.stage] = outcome
        self._recorder.end(outcome, final=final)
        self.settled |= outcome.settles
        if outcome.facts is not None:
            others = [other for other in self._hosts if other is not host]
            for other in others:
                self._send(other, msgspec.msgpack.encode(Found(encode_outcome(outcome))))

    def _lose(self, host: _Host) -> None:
        """It has ended: all is done, or it crashed in the middle of a stage."""
        current, why = host.current, self._bury(host)
        if current is not None:
            reason = Reason.MEMORY if why == "memory" else Reason.SOLVER
            detail = "" if why == "memory" else f"the process of the stage was lost: {why}"
            outcome = Outcome.of(current.number, Unknown(reason, detail), seconds=0.0)
            self._outcomes[current.number] = outcome
            self._recorder.end(outcome, final=True)

    def _bury(self, host: _Host) -> str:
        self._hosts.remove(host)
        self._selector.unregister(host.process.connection)
        return host.process.bury()

    def _send(self, host: _Host, message: bytes) -> None:
        host.process.send(message)
        self._watch(host)

    def _watch(self, host: _Host) -> None:
        wanted = EVENT_READ | EVENT_WRITE if host.process.outgoing else EVENT_READ
        if self._selector.get_key(host.process.connection).events != wanted:
            self._selector.modify(host.process.connection, wanted, host)
