"""The options for reading C."""

from __future__ import annotations

from typing import Literal

from cleave.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class COptions:
    """``bits`` is the data model: 64 (LP64) or 32 (ILP32), both of Linux on x86. None: 64, unless a file declares
    itself that ``size_t`` is ``unsigned int``, as preprocessed files for 32 bit do.

    ``checks`` names the properties that are checked (`properties.registry`). None: what a task asks for; of a plain
    file the default ones, and `error-label` in programs that call no error function."""

    bits: Literal[32, 64] | None = None
    defines: tuple[str, ...] = ()  # NAME or NAME=VALUE, as after -D
    includes: tuple[str, ...] = ()  # folders, as after -I
    entry: str | None = None  # None: main; without one, the only function that no other one calls
    checks: tuple[str, ...] | None = None
    only: tuple[str, ...] = ()  # of all checks, those that count: division.1; others end executions as they do anyway
    loop_bound: int | None = None  # of the property unwinding: how often a loop may go on, and a function call itself
    reach: bool = False  # every check is violated where it is reached
    others: tuple[str, ...] = ()  # further files of the same program
    memory_model: Literal["sc", "tso", "pso"] | None = None  # None: sc, where that makes no difference
    spurious_wakeups: bool = True  # pthread_cond_wait may return without a signal, as POSIX allows
    malloc_may_fail: bool | None = None  # where memory is checked; None: not in tasks of SV-COMP
    array_bounds: bool = True  # where memory is checked: those of arrays inside of objects, too; not as SV-COMP asks
    trust: tuple[str, ...] = ()  # functions without a body that leave memory alone and return any value
    assume_pure: bool = False  # so do all functions without a body
