"""Questions to cvc5's process, and its answers; apart from it, so that who asks need not load cvc5."""

from __future__ import annotations

import struct

import msgspec

LENGTH = struct.Struct("!Q")


class Question(msgspec.Struct, frozen=True, array_like=True):
    formula: bytes
    seconds: float


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """``sat``, ``unsat`` or ``unknown``, why it is unknown, and some values of a model, for people."""

    answer: str
    reason: str = ""
    values: dict[str, str] = {}
