"""The process of one lane: started by `beside`, with a socket to the run's process.

It carries out its stages as `lane` does anywhere, and reports what happens. Nothing of it outlives the run's process:
it exits as soon as its connection is closed, and its own workers with it.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from queue import SimpleQueue
from time import monotonic
from typing import Any, NoReturn

import msgspec

from cleave.engines.coordination import Event, decode_event, encode_event
from cleave.engines.desk import News
from cleave.errors import CleaveError
from cleave.frontends.input import Input
from cleave.run.host_messages import Began, Briefing, Ended, Failed, Found, Kept, Noted, Recorded, Stop, to_host
from cleave.run.lane import Lane
from cleave.run.outcome import Outcome, decode_outcome, encode_outcome
from cleave.run.plan import Stage
from cleave.runtime.child import serve
from cleave.runtime.stream import framed

_NEWS_SECONDS = 0.2  # at most as often as somebody could read


def main() -> NoReturn:
    serve(_work)


def _work(connection: socket.socket, inbox: SimpleQueue[bytes]) -> None:
    briefing = msgspec.msgpack.decode(inbox.get(), type=Briefing)
    stop, kept = threading.Event(), SimpleQueue[None]()
    outcomes = {one.stage: one for one in map(decode_outcome, briefing.outcomes)}
    listening = (inbox, stop, kept, outcomes)
    threading.Thread(target=_listen, args=listening, name="cleave-host", daemon=True).start()
    input = Input.of(briefing.file, briefing.source, briefing.entry, briefing.property)
    recorder = _Teller(connection, briefing.events, kept)
    lane = Lane(briefing.plan, input, recorder, outcomes, stop, briefing.seconds, briefing.cpu, briefing.memlimit_mb)
    try:
        lane.run(briefing.stages)
    except CleaveError as error:
        recorder.tell(Failed.of(error))


def _listen(
    inbox: SimpleQueue[bytes], stop: threading.Event, kept: SimpleQueue[None], outcomes: dict[int, Outcome]
) -> None:
    while True:
        match to_host(inbox.get()):
            case Stop():
                stop.set()
            case Kept():
                kept.put(None)
            case Found(outcome=data):  # facts stay bytes here: a thread beside the search must not build terms
                found = decode_outcome(data)
                outcomes[found.stage] = found


class _Teller:
    """The `Recorder` of a host: whatever happens is told to the run's process."""

    def __init__(
        self, connection: socket.socket, before: dict[int, list[tuple[float, bytes]]], kept: SimpleQueue[None]
    ) -> None:
        self._connection = connection
        self._before = before
        self._kept = kept
        self._last_news = 0.0

    def tell(self, message: Any) -> None:
        self._connection.sendall(framed(msgspec.msgpack.encode(message)))

    def events_of(self, stage: int) -> list[tuple[float, Event]]:
        return [(when, decode_event(data)) for when, data in self._before.get(stage, ())]

    def begin(self, stage: Stage) -> None:
        self.tell(Began(stage))

    def append(self, stage: int, events: Sequence[Event]) -> None:
        self.tell(Recorded(stage, [encode_event(event) for event in events]))
        self._kept.get()

    def end(self, outcome: Outcome, *, final: bool) -> None:
        self.tell(Ended(encode_outcome(outcome), final))

    def news(self, stage: Stage, counters: News) -> None:
        if monotonic() - self._last_news >= _NEWS_SECONDS:
            self._last_news = monotonic()
            self.tell(Noted(dict(counters)))
