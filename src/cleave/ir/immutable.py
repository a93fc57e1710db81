"""Immutable records for what there are many of: statements, blocks, places.

    @immutable
    class Visit:
        block: str

To a type checker, ``@immutable`` is ``@dataclass(frozen=True, slots=True)``, and the type checker is what enforces it:
at run time nothing forbids an assignment, because then every field would be set through a call, and making a record
takes four times as long. A large program is a million records, over all passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Record = TypeVar("Record")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(record: type[Record]) -> type[Record]:
    return dataclass(slots=True, unsafe_hash=True)(record)
