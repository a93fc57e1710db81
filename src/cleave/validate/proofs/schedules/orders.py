"""All executions of unfolded threads, in any number of contexts: a partial order instead of a schedule.

    live[e]          its thread gets as far as event e
    at[e]            a number: the event with the smaller one comes first
    from[r, w]       the read r finds what the write w wrote, or what the cell held in the beginning

Events of a thread have ascending numbers, a thread begins after its start, and a thread that joins it comes after its
end. A read finds a write that happens before it, and every other write of the same cell (of an array, at the same
index) happens before that write, or after the read. So events that conflict are never equal; others may be, as their
order makes no difference.

With store buffers (`commits`), a store gets to memory when it commits, and its commit has a number of its own.
A read finds the last store of its own thread, if that waits; otherwise memory, as above.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv_compare, conj, disj, disj_all, eq, implies, neg, var
from cleave.records import dataclass
from cleave.validate.proofs.schedules.code import Cell, Joined, Read, Unfolding, Write
from cleave.validate.proofs.schedules.commits import Commits
from cleave.validate.proofs.schedules.fold import element, same
from cleave.validate.proofs.schedules.formula import Formula, Live
from cleave.validate.proofs.schedules.unfold import number_as

_MOST = 3_000_000  # facts about a read and two writes


@dataclass(frozen=True, slots=True)
class _Place:
    """An access: its thread, its event, and where in the event."""

    thread: int
    event: int
    position: int


def in_any_order(unfolding: Unfolding, watch: Callable[[], None] = lambda: None) -> Formula:
    """``watch`` is called often, and may raise to end it. Raises `UnsupportedError` if the formula is too large."""
    return _Encoder(unfolding, watch).formula()


class _Encoder:
    def __init__(self, unfolding: Unfolding, watch: Callable[[], None]) -> None:
        self._unfolding = unfolding
        self._watch = watch
        self._threads = unfolding.threads
        self._out = Formula()
        count = sum(len(thread.events) + thread.stores for thread in self._threads)
        clock = bitvec(max(1, count.bit_length()))
        self._at = [
            [var(f"at:{number}:{place}", clock) for place in range(len(thread.events))]
            for number, thread in enumerate(self._threads)
        ]
        self._live: Live = [
            [var(f"live:{number}:{place}", BOOL) for place in range(len(thread.events))]
            for number, thread in enumerate(self._threads)
        ]
        self._live[0][0] = TRUE
        self._writes: defaultdict[Cell, list[tuple[_Place, Write]]] = defaultdict(list)
        self._reads: list[tuple[_Place, Read]] = []
        self._joins: list[tuple[_Place, Joined]] = []
        self._commits = Commits(unfolding, self._at, self._live, clock) if unfolding.model is not None else None

    def formula(self) -> Formula:
        for number in range(len(self._threads)):
            self._program_order(number)
        self._collect()
        if sum(len(self._writes[read.cell]) ** 2 for _, read in self._reads) > _MOST:
            raise UnsupportedError("threads access the same memory too often to compare all orders")
        for place, read in self._reads:
            self._watch()
            self._source(place, read)
        for place, joined in self._joins:
            self._ended(place, joined)
        if self._commits is not None:
            self._out.constraints += self._commits.facts()
        self._out.conclude(self._unfolding, self._live)
        return self._out

    # --- order --------------------------------------------------------------------------------------------------------

    def _program_order(self, number: int) -> None:
        at, live, say = self._at[number], self._live[number], self._out.constraints.append
        for place in range(1, len(at)):
            say(bv_compare(Op.BV_ULT, at[place - 1], at[place]))
            say(implies(live[place], live[place - 1]))
        parent = self._threads[number].parent
        if number == 0 or not at:
            return
        if parent is None:
            say(neg(live[0]))
            return
        thread, event, guard = parent
        say(implies(live[0], conj(self._live[thread][event], guard)))
        say(bv_compare(Op.BV_ULT, self._at[thread][event], at[0]))

    def _before(self, one: _Place, other: _Place) -> Term:
        """In one thread, accesses happen in their order."""
        if one.thread == other.thread:
            return TRUE if (one.event, one.position) < (other.event, other.position) else FALSE
        return bv_compare(Op.BV_ULT, self._at[one.thread][one.event], self._at[other.thread][other.event])

    def _collect(self) -> None:
        for number, thread in enumerate(self._threads):
            for event, what in enumerate(thread.events):
                for position, access in enumerate(what.accesses):
                    place = _Place(number, event, position)
                    match access:
                        case Write():
                            self._writes[access.cell].append((place, access))
                        case Read():
                            self._reads.append((place, access))
                        case Joined():
                            self._joins.append((place, access))

    # --- values -------------------------------------------------------------------------------------------------------

    def _happens(self, place: _Place, guard: Term) -> Term:
        return conj(self._live[place.thread][place.event], guard)

    def _source(self, place: _Place, read: Read) -> None:
        """What is read, if it is read at all."""
        reads = self._happens(place, read.guard)
        writes = self._writes[read.cell]
        initial = self._unfolding.initial[read.cell]
        first = initial if read.index is None else element(initial, read.index)
        sources = []
        for number, (source, write) in enumerate([(None, None), *writes]):
            if source is not None and write is not None and self._is_there(source, write, place) is FALSE:
                continue
            chosen = var(f"from:{place.thread}:{place.event}:{place.position}:{number}", BOOL)
            sources.append(chosen)
            facts = [eq(read.leaf, first if write is None else _written(read, write))]
            if source is not None and write is not None:
                there = self._is_there(source, write, place)
                facts += [self._happens(source, write.guard), there, _meets(read, write)]
            facts += self._nothing_between(source, write, place, read, writes)
            self._out.constraints += [implies(chosen, fact) for fact in facts]
        for number, (source, write) in enumerate(writes if self._commits is not None else ()):
            if write.store and source.thread == place.thread and self._before(source, place) is TRUE:
                chosen = var(f"own:{place.thread}:{place.event}:{place.position}:{number}", BOOL)
                sources.append(chosen)
                facts = [eq(read.leaf, _written(read, write)), self._happens(source, write.guard), _meets(read, write)]
                facts += [self._waits(source, write, place), *self._last_own(source, place, read, writes)]
                self._out.constraints += [implies(chosen, fact) for fact in facts]
        self._out.constraints.append(implies(reads, disj_all(sources)))

    def _nothing_between(
        self,
        source: _Place | None,
        found: Write | None,
        place: _Place,
        read: Read,
        writes: Sequence[tuple[_Place, Write]],
    ) -> list[Term]:
        """Of other writes to the cell, each gets to memory before what is found there, or after the read; what the
        thread itself has stored before is there."""
        facts = []
        for other, write in writes:
            if other == source:
                continue
            harmless = self._waits(other, write, place)
            if write.store and other.thread == place.thread and self._before(other, place) is TRUE:
                harmless = FALSE
            if source is not None and found is not None:
                harmless = disj(harmless, self._in_memory_before(other, write, source, found))
            facts.append(disj(harmless, neg(self._happens(other, write.guard)), neg(_meets(read, write))))
        return facts

    # --- memory -------------------------------------------------------------------------------------------------------

    def _is_there(self, source: _Place, write: Write, place: _Place) -> Term:
        """Whether memory has it when something is read."""
        if self._commits is not None and write.store:
            return self._commits.is_before(source.thread, write.store, self._at[place.thread][place.event])
        return self._before(source, place)

    def _waits(self, source: _Place, write: Write, place: _Place) -> Term:
        """Whether memory has it only after something is read."""
        if self._commits is not None and write.store:
            return self._commits.is_after(source.thread, write.store, self._at[place.thread][place.event])
        return self._before(place, source)

    def _in_memory_before(self, one: _Place, write: Write, other: _Place, its: Write) -> Term:
        """Where both get there."""
        if self._commits is None or not (write.store or its.store):
            return self._before(one, other)
        if one.thread == other.thread and write.store == its.store:
            return self._before(one, other)
        mine = self._commits.at(one.thread, write.store) if write.store else self._at[one.thread][one.event]
        theirs = self._commits.at(other.thread, its.store) if its.store else self._at[other.thread][other.event]
        return bv_compare(Op.BV_ULT, mine, theirs)

    def _last_own(
        self, source: _Place, place: _Place, read: Read, writes: Sequence[tuple[_Place, Write]]
    ) -> list[Term]:
        """The thread has written nothing else to the cell since."""
        return [
            disj(neg(self._happens(other, write.guard)), neg(_meets(read, write)))
            for other, write in writes
            if other.thread == place.thread and self._before(source, other) is TRUE is self._before(other, place)
        ]

    def _ended(self, place: _Place, joined: Joined) -> None:
        """``leaf`` may be false also where the thread has ended: whoever joins it then goes no further."""
        ended = []
        for other, thread in enumerate(self._threads):
            if other in (0, place.thread) or not thread.events:
                continue
            event, guard = thread.ends
            is_meant = same(joined.thread, number_as(thread.number, joined.thread.sort))
            before = self._before(_Place(other, event, 0), place)
            if self._commits is not None:
                before = conj(before, self._commits.all_before(other, self._at[place.thread][place.event]))
            ended.append(conj(is_meant, self._live[other][event], guard, before))
        self._out.constraints.append(implies(joined.leaf, disj_all(ended)))


def _written(read: Read, write: Write) -> Term:
    """What a read finds of a write."""
    if read.index is None and write.index is not None:
        raise UnsupportedError("an array is read as a whole, of which elements are written")
    return write.value if write.index is not None or read.index is None else element(write.value, read.index)


def _meets(read: Read, write: Write) -> Term:
    """Whether both are to the same element."""
    return TRUE if read.index is None or write.index is None else same(read.index, write.index)
