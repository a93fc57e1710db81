"""Facts about a program, as bytes, so that all workers and all checks of proofs have the same program.

    decode_known(encode_known(facts)) == facts

Decoding sees to the form only: that the facts hold was seen to before they were encoded.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cleave.errors import InputError
from cleave.logic.encoding import decode, encode
from cleave.logic.sorts import BOOL
from cleave.passes.known import Known


class _Facts(msgspec.Struct, array_like=True):
    """(procedure, block) of each fact, and the conditions in the same order."""

    places: list[tuple[str, str | None]]
    conditions: bytes


def encode_known(facts: Sequence[Known]) -> bytes:
    places = [(fact.procedure, fact.label) for fact in facts]
    return msgspec.msgpack.encode(_Facts(places, encode([fact.condition for fact in facts])))


def decode_known(data: bytes) -> tuple[Known, ...]:
    try:
        read = msgspec.msgpack.decode(data, type=_Facts)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"these bytes are no facts about a program: {error}") from None
    conditions = decode(read.conditions)
    if len(conditions) != len(read.places) or any(condition.sort is not BOOL for condition in conditions):
        raise InputError("facts about a program that do not fit together")
    return tuple(Known(*place, condition) for place, condition in zip(read.places, conditions, strict=True))
