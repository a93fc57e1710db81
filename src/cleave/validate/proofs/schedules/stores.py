"""The stores that a thread of the checker's unfolding makes into its buffer, and the order of their commits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from cleave.ir.store_buffers import Model
from cleave.logic.terms import FALSE, TRUE, Term, conj, disj, disj_all
from cleave.records import dataclass
from cleave.validate.proofs.schedules.code import Thread, Write
from cleave.validate.proofs.schedules.fold import same


@dataclass(slots=True)
class Store:
    """What one statement of an event writes."""

    number: int
    event: int
    writes: list[Write] = field(default_factory=list)

    @property
    def guard(self) -> Term:
        return disj_all(write.guard for write in self.writes)


def stores_in(thread: Thread) -> list[Store]:
    """The first one first. Stores to cells that are not shared are no accesses."""
    found: dict[int, Store] = {}
    for place, event in enumerate(thread.events):
        for access in event.accesses:
            if isinstance(access, Write) and access.store:
                if access.store not in found:
                    found[access.store] = Store(access.store, place)
                found[access.store].writes.append(access)
    return list(found.values())


def in_order(thread: Thread, stores: Sequence[Store], model: Model) -> Iterator[tuple[int, int, Term]]:
    """Two of the stores, and the condition under which the first commits first, if both are made."""
    fences = [fence for event in thread.events for fence in event.fences]
    for second, later in enumerate(stores):
        for first, earlier in enumerate(stores[:second]):
            if model == "tso":
                yield first, second, TRUE
                continue
            between = disj_all(one.guard for one in fences if earlier.number <= one.after < later.number)
            condition = disj(between, _overlap(earlier, later))
            if condition is not FALSE:
                yield first, second, condition


def _overlap(one: Store, other: Store) -> Term:
    met = []
    for mine in one.writes:
        for its in other.writes:
            if mine.cell == its.cell:
                both = TRUE if mine.index is None or its.index is None else same(mine.index, its.index)
                met.append(conj(mine.guard, its.guard, both))
    return disj_all(met)
