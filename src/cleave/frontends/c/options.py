"""What a user can choose about reading C."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Check(Enum):
    """What a violation is in a C program: the front end writes each of them as assertions that fail."""

    REACH = "reach"  # an assertion fails, or an error function is called
    LABEL = "error-label"  # a label of the name `ERROR_LABEL` is reached
    DATA_RACE = (
        "data-race"  # two threads are about to access the same memory, one of them to write, not both atomically
    )
    DEADLOCK = "deadlock"  # all threads that have not ended wait for ever


ERROR_LABEL = "ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class COptions:
    """``bits`` is the data model: 64 (LP64) or 32 (ILP32), both of Linux on x86. None: 64, unless a file declares
    itself that ``size_t`` is ``unsigned int``, as preprocessed files for 32 bit do."""

    bits: Literal[32, 64] | None = None
    defines: tuple[str, ...] = ()  # NAME or NAME=VALUE, as after -D
    includes: tuple[str, ...] = ()  # folders, as after -I
    entry: str | None = None  # None: main; without one, the only function that no other one calls
    check: Check | None = None  # None: REACH, unless a task asks for something else; and LABEL, where that says it
    others: tuple[str, ...] = ()  # further files of the same program
    memory_model: Literal["sc"] | None = None  # None: sequential consistency, where that makes no difference
    spurious_wakeups: bool = True  # pthread_cond_wait may return without a signal, as POSIX allows
    trust: tuple[str, ...] = ()  # functions without a body that leave memory alone and return any value
    assume_pure: bool = False  # so do all functions without a body
