"""For which memory model a verdict on a program with threads holds.

Memory is sequentially consistent, unless the user asks for TSO or PSO. C promises that only to programs without data
races whose atomic operations are all `seq_cst`. So a data race is a violation of its own, and an operation with a
weaker order lets more happen than is looked at: then no proof is worth anything, unless the user (or a task) says which
model is meant.

With TSO and PSO, every store of the program waits in a buffer (`ir.store_buffers`):

    atomic_store(&x, 1)                                 atomic begin; x := 1; atomic end
    atomic_store_explicit(&x, 1, memory_order_release)  fence stores; x := 1
    atomic_fetch_add, compare-exchange, in any order    an atomic block
    atomic_thread_fence(memory_order_seq_cst), mfence   fence full
    atomic_thread_fence(memory_order_release), sfence   fence stores
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cleave.errors import UsageError
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.races import is_atomic_access
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import DATA_RACE
from cleave.frontends.c.properties.registry import chosen
from cleave.ir.program import Fence, Location
from cleave.ir.store_buffers import Model

_RELEASING = frozenset(("release", "acq_rel"))
_ASSEMBLY = {"mfence": Fence(), "sfence": Fence(stores_only=True)}
_STRONG = "seq_cst"
_WEAKER = frozenset(("unordered", "monotonic", "acquire", "release", "acq_rel"))
_SAID = {
    "tso": "memory is TSO: stores of a thread wait in its buffer, and get to memory in their order",
    "pso": "memory is PSO: stores of a thread wait in its buffer, and get to memory in any order but for fences and"
    " stores to one place",
}
_FEW = 3  # places that a sentence names


def weak_places(functions: Iterable[l.FunctionDefinition]) -> list[Location | None]:
    """Where a program has atomic operations that are not sequentially consistent."""
    return list(dict.fromkeys(place for function in functions if not is_ours(function) for place in _weak(function)))


def _weak(function: l.FunctionDefinition) -> Iterator[Location | None]:
    for instruction in function.instructions():
        if is_atomic_access(instruction) and (_STRONG not in instruction.flags or instruction.flags & _WEAKER):
            yield instruction.location or function.location


def fence_of(model: Model | None, instruction: l.Instruction) -> Fence | None:
    """What a fence of LLVM is. One against signal handlers has a scope before its order, and is read as one without."""
    if model is None:
        return None
    if _STRONG in instruction.flags:
        return Fence()
    return Fence(stores_only=True) if instruction.flags & _RELEASING else None


def fence_in_assembly(model: Model | None, instruction: l.Instruction) -> Fence | None:
    code = instruction.callee
    if model is None or not isinstance(code, l.InlineAssembly):
        return None
    return _ASSEMBLY.get(code.text.strip().rstrip(";").strip())


def fence_before(model: Model | None, store: l.Instruction) -> Fence | None:
    """What a store with an order begins with."""
    is_release = store.opcode == "store" and bool(store.flags & _RELEASING)
    return Fence(stores_only=True) if model is not None and is_release else None


def is_in_block(model: Model | None, store: l.Instruction) -> bool:
    """Whether a store, or what reads and stores at once, is in memory at once, after all stores before it."""
    return model is not None and (store.opcode != "store" or _STRONG in store.flags)


def check_model(options: COptions, *, has_threads: bool) -> None:
    """Raises `UsageError` where store buffers do not fit what is asked."""
    model = options.memory_model
    if model is None or model == "sc":
        return
    if not has_threads:
        raise UsageError(f"--memory-model {model} is for programs with threads, and this one starts none")
    if any(one.name == DATA_RACE for one in chosen(options.checks)):
        raise UsageError(
            f"--check data-race looks at sequentially consistent executions, which decide that: leave --memory-model"
            f" {model} out"
        )


def assumed(options: COptions, weak: list[Location | None]) -> str | None:
    """What a verdict takes for granted about memory."""
    if weak and options.memory_model is None:
        return None  # `left_out` says it
    if options.memory_model in _SAID:
        said = _SAID[options.memory_model]
        return f"{said} (--memory-model {options.memory_model}); the compiler reorders nothing"
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
        " consistent executions were searched: --memory-model sc says that there are no others, and --memory-model tso"
        " and pso search for more"
    )


def _listed(places: list[Location | None]) -> str:
    lines = list(dict.fromkeys(f"{place.file}:{place.line}" for place in places if place is not None))
    if not lines:
        return "somewhere"
    return f"at {', '.join(lines[:_FEW])}{' and elsewhere' if len(lines) > _FEW else ''}"
