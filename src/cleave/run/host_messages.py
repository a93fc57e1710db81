"""The messages between a run's process and the hosts of its lanes."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from cleave.errors import CleaveError, InputError, InternalError, UnsupportedError, UsageError
from cleave.ir.program import Property
from cleave.run.plan import Plan, Stage
from cleave.usage import CpuBudget

_ERRORS = {kind.__name__: kind for kind in (CleaveError, InputError, InternalError, UnsupportedError, UsageError)}


class Briefing(msgspec.Struct, frozen=True, kw_only=True):
    """All that a host needs to know: its stages, what was read, what is known from earlier stages and, of stages that
    were stopped, what happened in them."""

    plan: Plan
    stages: tuple[Stage, ...]
    file: str
    source: bytes
    entry: str | None
    property: Property | None
    outcomes: tuple[bytes, ...]
    events: dict[int, list[tuple[float, bytes]]]
    seconds: float | None
    cpu: CpuBudget | None
    memlimit_mb: int


class Stop(msgspec.Struct, frozen=True, tag=True):
    """Somebody asked the run to stop."""


class Kept(msgspec.Struct, frozen=True, tag=True):
    """Recorded events are on disk."""


class Found(msgspec.Struct, frozen=True, tag=True):
    """A stage of another lane has ended with facts that later stages may use."""

    outcome: bytes


class Began(msgspec.Struct, frozen=True, tag=True):
    stage: Stage


class Recorded(msgspec.Struct, frozen=True, tag=True):
    """Events that are to be kept before anything is done about them: the host waits for `Kept`."""

    stage: int
    events: list[bytes]


class Noted(msgspec.Struct, frozen=True, tag=True):
    counters: dict[str, Any]


class Ended(msgspec.Struct, frozen=True, tag=True):
    outcome: bytes
    final: bool


class Failed(msgspec.Struct, frozen=True, tag=True):
    """An error that belongs to the user."""

    kind: str
    message: str
    place: dict[str, Any]

    @staticmethod
    def of(error: CleaveError) -> Failed:
        place: dict[str, Any] = {}
        if isinstance(error, InputError):
            place = {name: getattr(error, name) for name in ("file", "line", "column", "source_line")}
        return Failed(type(error).__name__, getattr(error, "message", str(error)), place)

    def error(self) -> CleaveError:
        return _ERRORS.get(self.kind, CleaveError)(self.message, **self.place)


ToHost: TypeAlias = Stop | Kept | Found
FromHost: TypeAlias = Began | Recorded | Noted | Ended | Failed


def to_host(message: bytes) -> ToHost:
    return _TO_HOST.decode(message)


def from_host(message: bytes) -> FromHost:
    return _FROM_HOST.decode(message)


_TO_HOST: msgspec.msgpack.Decoder[ToHost] = msgspec.msgpack.Decoder(ToHost)
_FROM_HOST: msgspec.msgpack.Decoder[FromHost] = msgspec.msgpack.Decoder(FromHost)
