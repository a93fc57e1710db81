"""The stores of a thread that wait to get to memory: what `ir.store_buffers` says, executed.

waiting = added((), Store(4, ((x, None, 1),)))          # made by the thread's fourth step
seen({x: 0}, waiting)                                    # {x: 1}: what the thread itself reads
able(waiting, keeps_order=True)                          # [0]: which of them can commit next
committed({x: 0}, waiting, 0)                            # {x: 1}, ()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from cleave.logic.terms import Term
from cleave.logic.values import MapValue, Value, map_store
from cleave.records import dataclass

Written: TypeAlias = tuple[Term, Value | None, Value]
"""A variable, the index where it is only an element of an array, and the value."""
State = dict[Term, Value]


@dataclass(frozen=True, slots=True)
class Store:
    """What one step wrote: nothing for a fence, before which all earlier stores commit."""

    step: int
    written: tuple[Written, ...]

    @property
    def is_fence(self) -> bool:
        return not self.written

    def meets(self, other: Store) -> bool:
        """Whether both write a variable, or an element."""
        return any(
            one is another and (at is None or place is None or at == place)
            for one, at, _ in self.written
            for another, place, _ in other.written
        )


Waiting = tuple[Store, ...]
"""The oldest first."""


def added(waiting: Waiting, store: Store) -> Waiting:
    """A fence is of no use before the first store, nor after another fence."""
    if store.is_fence and (not waiting or waiting[-1].is_fence):
        return waiting
    return (*waiting, store)


def seen(shared: State, waiting: Waiting) -> State:
    """What the thread reads that has made these stores."""
    if not waiting:
        return shared
    found = dict(shared)
    for store in waiting:
        _write(found, store)
    return found


def able(waiting: Waiting, *, keeps_order: bool) -> list[int]:
    """Which can commit next."""
    found: list[int] = []
    for number, store in enumerate(waiting):
        if store.is_fence or (keeps_order and number):
            break
        if not any(store.meets(earlier) for earlier in waiting[:number]):
            found.append(number)
    return found


def committed(shared: State, waiting: Waiting, number: int) -> tuple[State, Waiting]:
    """Memory and what still waits when one that was able has committed."""
    after = dict(shared)
    _write(after, waiting[number])
    left = [*waiting[:number], *waiting[number + 1 :]]
    while left and left[0].is_fence:
        del left[0]
    return after, tuple(left)


def needed_first(waiting: Waiting, number: int, *, keeps_order: bool) -> list[int]:
    """The stores that have to commit before one of them, and that one: by their steps, in an order that is allowed."""
    if keeps_order:
        return [store.step for store in waiting[: number + 1]]
    fences = [place for place, store in enumerate(waiting[:number]) if store.is_fence]
    wanted = {number} | set(range(fences[-1] if fences else 0))
    for place in range(number - 1, -1, -1):
        later = [waiting[one] for one in wanted if one > place]
        if any(waiting[place].meets(store) for store in later):
            wanted.add(place)
    return [waiting[place].step for place in sorted(wanted) if not waiting[place].is_fence]


def all_committed(shared: State, waiting: Sequence[Store]) -> State:
    after = dict(shared)
    for store in waiting:
        _write(after, store)
    return after


def _write(state: State, store: Store) -> None:
    for variable, index, value in store.written:
        if index is None:
            state[variable] = value
        else:
            held = state[variable]
            assert isinstance(held, MapValue)
            state[variable] = map_store(variable.sort.index, held, index, value)
