"""Cleave's own properties, in the order in which results name them."""

from __future__ import annotations

from cleave.frontends.c.properties.property import Property

ASSERTIONS = "assertions"
ERROR_LABEL = "error-label"
SIGNED_OVERFLOW = "signed-overflow"
DIVISION = "division"
SHIFT = "shift"
CONVERSION = "conversion"
UNREACHABLE = "unreachable"
MEMORY = "memory"
LEAKS = "leaks"
LOST = "lost-memory"
DATA_RACE = "data-race"
DEADLOCK = "deadlock"

BUILT_IN = (
    Property(
        name=ASSERTIONS,
        summary="An assertion fails, or an error function is called.",
        help="The trace shows an execution in which the condition is false. Correct the program or the condition. What"
        " the program may rely on is said by __VERIFIER_assume.",
        competition=("unreach-call",),
        formulas=("G ! call(reach_error())", "G ! call(__VERIFIER_error())"),
        aliases=("reach", "assertion"),
        is_default=True,
    ),
    Property(
        name=ERROR_LABEL,
        summary="A label named ERROR is reached.",
        help="The trace shows how the execution gets to the label.",
        competition=("unreach-label",),
        formulas=("G ! label(ERROR)",),
    ),
    Property(
        name=MEMORY,
        summary="Memory is accessed, or freed, through a pointer that is not to a living object, or leaves its object.",
        help="The message says whether the pointer is null, or dangling, or how far it is outside. Check indices and"
        " what malloc returns, and let no pointer outlive its object.",
        competition=("valid-memsafety", "valid-deref", "valid-free"),
        formulas=("G valid-deref", "G valid-free"),
    ),
    Property(
        name=LEAKS,
        summary="Memory that was allocated is not freed when the program ends.",
        help="The trace shows which memory is allocated on the way. Free it before main returns or exit is called.",
        competition=("valid-memcleanup",),
        formulas=("G valid-memcleanup",),
    ),
    Property(
        name=LOST,
        summary="Memory that was allocated is not freed when the program ends, and no global variable leads to it.",
        help="The trace shows which memory is allocated on the way. Free it before its last pointer is lost.",
        competition=("valid-memsafety", "valid-memtrack"),
        formulas=("G valid-memtrack",),
    ),
    Property(
        name=DATA_RACE,
        summary="Two threads access the same memory at the same time, one of them writes, and not both are atomic.",
        help="Protect both accesses by the same lock, or make them atomic.",
        competition=("no-data-race",),
        formulas=("G ! data-race",),
    ),
    Property(
        name=DEADLOCK,
        summary="All threads that have not ended wait for ever.",
        help="Take locks in one order in all threads, and signal under the lock that the waiting thread holds.",
        competition=("no-deadlock",),
        formulas=("G ! deadlock",),
        macros=("CLEAVE_DEADLOCK",),
    ),
)
