"""The options for reading C."""

from __future__ import annotations

from typing import Literal

from cleave.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class COptions:
    """How C is read, and what is checked."""

    bits: Literal[32, 64] | None = None  # data model, LP64 or ILP32; None: 64, unless the file was made for 32 bit
    defines: tuple[str, ...] = ()  # NAME or NAME=VALUE, as after -D
    includes: tuple[str, ...] = ()  # folders, as after -I
    entry: str | None = None  # None: main; without one, the only function that no other one calls
    checks: tuple[str, ...] | None = None  # properties; None: those of the task, or the default ones
    only: tuple[str, ...] = ()  # the checks to verify, such as division.1; none: all
    loop_bound: int | None = None  # of the property unwinding: largest number of iterations, and depth of recursion
    reach: bool = False  # every check counts as violated where it is reached
    others: tuple[str, ...] = ()  # further files of the same program
    memory_model: Literal["sc", "tso", "pso"] | None = None  # None: sc, if no atomic has a weaker order
    spurious_wakeups: bool = True  # pthread_cond_wait may return without a signal, as POSIX allows
    malloc_may_fail: bool | None = None  # if memory is checked; None: yes, except for tasks of SV-COMP
    array_bounds: bool = True  # memory includes the bounds of arrays inside of objects, which SV-COMP's does not
    trust: tuple[str, ...] = ()  # functions without a body that change no memory and return any value
    assume_pure: bool = False  # trust all functions without a body
