"""The outcome of a stage of a plan: kept in the journal, so that a finished stage is never done again.

>>> outcome = Outcome.of(1, Safe("checked"), seconds=0.5)
>>> decode_outcome(encode_outcome(outcome)).verdict
Safe(validation='checked', invariants=(), solution='')
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from cleave.engines.desk import Facts
from cleave.errors import InputError, UnsupportedError
from cleave.logic.encoding import decode, encode
from cleave.logic.terms import Term
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Unsafe, Verdict


class Refusal(msgspec.Struct, frozen=True):
    """An `UnsupportedError`."""

    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    source_line: str | None = None

    @staticmethod
    def of(error: InputError) -> Refusal:
        return Refusal(error.message, error.file, error.line, error.column, error.source_line)

    def error(self) -> UnsupportedError:
        place = {"file": self.file, "line": self.line, "column": self.column}
        return UnsupportedError(self.message, **place, source_line=self.source_line)  # type: ignore[arg-type]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Just one of the verdicts is set. ``refused``: why the engine does not take such a problem. ``decided`` are checks
    that hold, whatever becomes of the others.
    ``drawings`` are encoded, as only pages read them (`engines.review.drawings`)."""

    stage: int
    seconds: float
    safe: Safe | None = None
    bounded: BoundedSafe | None = None
    unsafe: Unsafe | None = None
    unknown: Unknown | None = None
    counters: dict[str, Any] = msgspec.field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    checked: dict[str, int] = msgspec.field(default_factory=dict)
    predicates: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    facts: Facts | None = None
    decided: tuple[str, ...] = ()
    refused: Refusal | None = None
    drawings: bytes = b""

    @staticmethod
    def of(stage: int, verdict: Verdict, **about: Any) -> Outcome:
        match verdict:
            case Safe():
                return Outcome(stage=stage, safe=verdict, **about)
            case BoundedSafe():
                return Outcome(stage=stage, bounded=verdict, **about)
            case Unsafe():
                return Outcome(stage=stage, unsafe=verdict, **about)
            case Unknown():
                return Outcome(stage=stage, unknown=verdict, **about)

    @property
    def verdict(self) -> Verdict:
        found = self.safe or self.bounded or self.unsafe or self.unknown
        assert found is not None
        return found

    @property
    def settles(self) -> bool:
        """Whether nothing that follows is likely to say more."""
        return self.safe is not None or self.unsafe is not None or self.is_doubtful

    @property
    def is_doubtful(self) -> bool:
        """Whether it found a violation, or a proof, that depends on what is not modelled: nobody proves the contrary,
        but another violation may not depend on it."""
        return self.unknown is not None and self.unknown.reason is Reason.UNMODELLED


def encode_outcome(outcome: Outcome) -> bytes:
    return _ENCODER.encode(outcome)


def decode_outcome(data: bytes) -> Outcome:
    """Raises msgspec's errors where the bytes are not those of an outcome."""
    outcome = _decoder().decode(data)
    if sum(one is not None for one in (outcome.safe, outcome.bounded, outcome.unsafe, outcome.unknown)) != 1:
        raise msgspec.ValidationError("an outcome has just one verdict")
    return outcome


@cache
def _decoder() -> msgspec.msgpack.Decoder[Outcome]:
    """Made when a journal is read: to look through the types takes longer than a small task should."""
    return msgspec.msgpack.Decoder(Outcome, dec_hook=_from_bytes)


def _to_bytes(value: Any) -> bytes:
    if isinstance(value, Term):
        return encode([value])
    raise NotImplementedError(f"{type(value)} is not kept in journals")


def _from_bytes(kind: type, value: Any) -> Any:
    (term,) = decode(value)
    return term


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_to_bytes)
