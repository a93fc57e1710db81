"""For which memory model a verdict on a program with threads holds.

Memory is sequentially consistent here. C promises that only to programs without data races whose atomic operations are
all `seq_cst`. So a data race is a violation of its own, and an operation with a weaker order lets more happen than is
looked at: then no proof is worth anything, unless the user (or a task) says that memory is sequentially consistent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.races import is_atomic_access
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import DATA_RACE
from cleave.frontends.c.properties.registry import chosen
from cleave.ir.program import Location

_STRONG = "seq_cst"
_WEAKER = frozenset(("unordered", "monotonic", "acquire", "release", "acq_rel"))
_FEW = 3  # places that a sentence names


def weak_places(functions: Iterable[l.FunctionDefinition]) -> list[Location | None]:
    """Where a program has atomic operations that are not sequentially consistent."""
    return list(dict.fromkeys(place for function in functions if not is_ours(function) for place in _weak(function)))


def _weak(function: l.FunctionDefinition) -> Iterator[Location | None]:
    for instruction in function.instructions():
        if is_atomic_access(instruction) and (_STRONG not in instruction.flags or instruction.flags & _WEAKER):
            yield instruction.location or function.location


def assumed(options: COptions, weak: list[Location | None]) -> str | None:
    """What a verdict takes for granted about memory."""
    if weak and options.memory_model is None:
        return None  # `left_out` says it
    if weak:
        return f"memory is sequentially consistent (--memory-model sc), also for the weaker atomics {_listed(weak)}"
    if any(one.name == DATA_RACE for one in chosen(options.checks)):
        return None
    return "memory is sequentially consistent, which C promises if there are no data races (--check data-race)"


def left_out(options: COptions, weak: list[Location | None]) -> str | None:
    """What can happen though it was not looked at."""
    if not weak or options.memory_model is not None:
        return None
    return (
        f"the program has atomics that are weaker than memory_order_seq_cst, {_listed(weak)}; only sequentially"
        " consistent executions were searched: --memory-model sc says that there are no others"
    )


def _listed(places: list[Location | None]) -> str:
    lines = list(dict.fromkeys(f"{place.file}:{place.line}" for place in places if place is not None))
    if not lines:
        return "somewhere"
    return f"at {', '.join(lines[:_FEW])}{' and elsewhere' if len(lines) > _FEW else ''}"
