"""A partition of the search: the instances to start from, and what executions must avoid or must reach.

    Partition((0, 2, 1,  1, 0, 2,  0, 3, 2), ((2, True),), bound=1)

The unfolding is written as triples: the call of instance 0 at site 2 is bound to instance 1, and so on; an instance is
new where its number is first met. Instance 0 is the entry's. In this partition executions must reach instance 2, which
two calls share.

Only what the partition needs is written: instances that some execution in it can pass. The numbers are new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from cleave.engines.inline.unfolding import Instance, Unfolding


class Decision(NamedTuple):
    """Executions must reach the instance with this number, or must avoid it."""

    instance: int
    reach: bool


Binding = tuple[int, int, int]
"""A call and what it is bound to: the caller's number, the index of the call site, the callee's number."""


class Partition(msgspec.Struct, frozen=True, array_like=True):
    """``unfolding`` is opaque to a coordinator: the bindings, encoded. ``bound`` is the one to go on with."""

    unfolding: bytes = b"\x90"
    decisions: tuple[Decision, ...] = ()
    bound: int = 0

    def bindings(self) -> Iterator[Binding]:
        flat = iter(_DECODER.decode(self.unfolding))
        return zip(flat, flat, flat, strict=True)

    def flipped(self) -> Partition:
        """The other side of the last decision."""
        *before, last = self.decisions
        return Partition(self.unfolding, (*before, Decision(last.instance, not last.reach)), self.bound)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[list[int]] = msgspec.msgpack.Decoder(list[int])


_MOST_NAMED = 100


def describe(unfolding: Unfolding, decisions: Iterable[Decision], bound: int) -> Partition:
    """What another worker needs to go on with these decisions."""
    decisions = tuple(decisions)
    kept = _needed(unfolding, decisions)
    order = unfolding.callers_first(kept)
    numbers = {instance.number: number for number, instance in enumerate(order)}
    flat: list[int] = []
    for instance in order:
        for caller, index in instance.callers:
            if caller.number in numbers:
                flat += (numbers[caller.number], index, numbers[instance.number])
    renamed = tuple(Decision(numbers[d.instance], d.reach) for d in decisions)
    return Partition(_ENCODER.encode(flat), renamed, bound)


def names_of(unfolding: Unfolding, decisions: Iterable[Decision]) -> tuple[str, ...]:
    """What a person calls the instances of the partition that `describe` makes of the same. Of a large one nothing:
    nobody reads it, and each message would have it all."""
    if len(unfolding.instances) > _MOST_NAMED:
        return ()
    order = unfolding.callers_first(_needed(unfolding, tuple(decisions)))
    return tuple(unfolding.describe_call(one) if one.callers else one.condition.procedure for one in order)


def _needed(unfolding: Unfolding, decisions: tuple[Decision, ...]) -> set[int]:
    """The instances that the partition's executions can pass, and all that lead to those decided on."""
    needed: set[int] = set()
    for decision in decisions:
        needed.update(a.number for a in unfolding.ancestors(unfolding.instances[decision.instance]))
    avoided = {d.instance for d in decisions if not d.reach}
    excluded = 0
    for decision in decisions:
        if decision.reach:
            excluded |= _excluded_by(unfolding, unfolding.instances[decision.instance])
    pending = [unfolding.root]
    seen: set[int] = set()
    while pending:
        instance = pending.pop()
        if instance.number in seen or instance.number in avoided or excluded >> instance.number & 1:
            continue
        seen.add(instance.number)
        pending.extend(callee for callee in instance.callees if callee is not None)
    return needed | seen


def _excluded_by(unfolding: Unfolding, reached: Instance) -> int:
    """The instances that no execution passes together with ``reached``, as a bit set."""
    together = reached.below
    for ancestor in unfolding.ancestors(reached):
        together |= 1 << ancestor.number
        for index, callee in enumerate(ancestor.callees):
            if callee is not None and callee.below >> reached.number & 1:
                for other in ancestor.condition.conflicts[index]:
                    beside = ancestor.callees[other]
                    if beside is not None:
                        together |= beside.below
    return ((1 << len(unfolding.instances)) - 1) & ~together
