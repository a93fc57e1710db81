"""Data races as failing assertions, where they are asked for.

    x = 1;      seen, x.writing := x.writing, 1        y = x;      y, seen := x, x.writing
                assert not seen                                    assert not seen
                x, x.writing := 1, 0

Two threads race if both are about to access the same memory, one of them to write, and not both atomically. So a write
is announced in a step of its own, and every access looks whether somebody else has announced one. That is exact: a
thread that finds an announcement is next to a thread whose write is its next step. Atomic operations announce nothing,
and accesses inside atomic blocks don't either (`inside` sees to that): they only look, and so don't race with each
other. A compare-exchange that fails is a read. Reads are announced only for memory that is written atomically, too:
others find out by themselves.

Announcements are variables like those of the memory's cells, one for each, so that the search for schedules treats them
alike. When readers announce and take back by turns, some are forgotten; the one that is made last, next to the
write it races with, never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cleave.frontends.c.analysis.accesses import Access, AccessFinder, Clobber
from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.cells import Cell, MemoryMap
from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.storage import source_name
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Body, Names
from cleave.frontends.c.lowering.checks import assertion
from cleave.frontends.c.lowering.copies import LIBRARY
from cleave.frontends.c.lowering.threads import ATOMIC
from cleave.frontends.c.properties.built_in import DATA_RACE
from cleave.ir.program import Assert, Assign, Location, Statement
from cleave.logic.sorts import array, bitvec
from cleave.logic.terms import FALSE, TRUE, Term, bv, conj, const_array, disj, disj_all, neg, select, store, var

_OURS = "__cleave"  # how variables are named that no program has
_SHARED = "__cleave_shared"  # among them, those that functions like strtok keep for all threads
_WRITERS = ("pthread_join", "thrd_join", "sem_getvalue", "pthread_key_create")  # through a pointer that they are given
_BIT = bitvec(1)
_FEW = 3  # places that a message names


class Touched(NamedTuple):
    """A cell that is accessed, at an address."""

    cell: Cell
    address: Term


class Races:
    """What is announced in a whole program."""

    def __init__(self, module: l.Module, facts: CallFacts, finder: AccessFinder, memories: MemoryMap) -> None:
        self._module = module
        self._memories = memories
        self._writing: dict[Cell, Term] = {}
        self._reading: dict[Cell, Term] = {}
        self._writes: dict[Cell, dict[Location, None]] = {}  # where each cell is written, not atomically
        self._reads: dict[Cell, dict[Location, None]] = {}
        self._atomic: set[Cell] = set()  # those that are written atomically, perhaps
        self._find(facts, finder)

    def watches(self, function: str) -> bool:
        """Whether the accesses of a function are the program's: locks and the like are the library's."""
        location = self._module.functions[function].location
        return location is None or location.file != LIBRARY or function.split(".")[0] in _WRITERS

    def matters(self, touched: Touched) -> bool:
        """Whether threads can meet there, as far as that is known from where it is."""
        cell = touched.cell
        names = [made.name for made in touched.cell.memory.region.objects]
        ours = any(name.startswith(_OURS) and not name.startswith(_SHARED) for name in names)
        return cell.written and cell.owner == "" and not ours

    def writing(self, touched: Touched, names: Names) -> Term:
        return self._mark(self._writing, touched, "writing", names)

    def reading(self, touched: Touched, names: Names) -> Term | None:
        """None where nobody needs to know."""
        return self._mark(self._reading, touched, "reading", names) if touched.cell in self._atomic else None

    def name(self, touched: Touched) -> str:
        """What the source calls it, as far as it has a name."""
        if touched.cell.variable is not None:
            return touched.cell.variable.name
        data = [made for made in touched.cell.memory.region.objects if made.kind != "function"]
        base = source_name(data[0], self._module) if data else "memory"
        return f"{base}+{touched.cell.start}" if touched.cell.start else base

    def marks(self) -> tuple[Term, ...]:
        return (*self._writing.values(), *self._reading.values())

    def initial(self) -> tuple[Statement, ...]:
        """Nothing is announced when the program starts."""
        nothing = bv(0, 1)
        return tuple(
            Assign((mark,), (const_array(mark.sort.index, nothing) if mark.sort.is_array else nothing,))
            for mark in self.marks()
        )

    def others(self, touched: Iterable[Touched], here: Location | None, *, reads: bool) -> str:
        """Who may have announced an access: ``written at line 5 or line 9``."""
        cells = list(dict.fromkeys(each.cell for each in touched))
        written = dict.fromkeys(place for cell in cells for place in self._writes.get(cell, ()))
        read = dict.fromkeys(place for cell in cells for place in self._reads.get(cell, ()) if cell in self._atomic)
        parts = [f"written at {_listed(written, here)}"] if written else []
        if reads and read:
            parts.append(f"read at {_listed(read, here)}")
        return " or ".join(parts)

    def _mark(self, marks: dict[Cell, Term], touched: Touched, what: str, names: Names) -> Term:
        cell, memory = touched.cell, touched.cell.memory
        if cell not in marks:
            is_array = not memory.single or memory.stride
            sort = array(touched.address.sort, _BIT) if is_array else _BIT
            marks[cell] = var(names.fresh(f"{self.name(touched)}.{what}"), sort)
        return marks[cell]

    # --- who accesses what --------------------------------------------------------------------------------------------

    def _find(self, facts: CallFacts, finder: AccessFinder) -> None:
        atomic = self._run_atomically(facts)
        for name in facts.reachable:
            if not self.watches(name):
                continue
            for instruction in self._module.functions[name].instructions():
                is_atomic = is_atomic_access(instruction)
                for cell, reads, writes in self._cells(finder, name, instruction):
                    if writes and (is_atomic or name in atomic):
                        self._atomic.add(cell)
                    if instruction.location is not None and not is_atomic:
                        if writes:
                            self._writes.setdefault(cell, {})[instruction.location] = None
                        if reads:
                            self._reads.setdefault(cell, {})[instruction.location] = None

    def _cells(
        self, finder: AccessFinder, function: str, instruction: l.Instruction
    ) -> Iterable[tuple[Cell, bool, bool]]:
        for access in finder.of(function, instruction):
            memory = self._memories.of(access.region)
            if isinstance(access, Access):
                for cell, _ in memory.pieces(access.offset[0], access.size):
                    yield cell, access.reads, access.writes
                continue
            if isinstance(access, Clobber):
                continue
            for cell in memory.cells.values():
                yield cell, False, True
            if access.source is not None:
                for cell in self._memories.of(access.source).cells.values():
                    yield cell, True, False

    def _run_atomically(self, facts: CallFacts) -> set[str]:
        """The functions that may run inside an atomic block, or have one."""
        found = {name for name in facts.reachable if self.watches(name) and self._has_block(name)}
        pending = list(found)
        while pending:
            for _, callee in facts.callees.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found

    def _has_block(self, name: str) -> bool:
        if name.startswith(ATOMIC):
            return True
        return any(
            isinstance(instruction.callee, l.GlobalRef)
            and kind_of(instruction.callee.name, self._module) is Kind.ATOMIC_BEGIN
            for instruction in self._module.functions[name].instructions()
        )


class RaceChecks:
    """The announcements and assertions of one function."""

    def __init__(self, races: Races, body: Body, names: Names) -> None:
        self._races = races
        self._body = body
        self._names = names

    def read(
        self, targets: Sequence[Term], values: Sequence[Term], touched: Iterable[tuple[Cell, Term]], atomic: bool
    ) -> None:
        """``targets`` get ``values``, which were read."""
        touched = self._mattering(touched)
        marks = {} if atomic else self._set(self._readings(touched), 1)
        if marks:
            self._look(touched, marks, "read")
            marks = self._set(self._readings(touched), 0)
            self._assign({**dict(zip(targets, values, strict=True)), **marks})
        else:
            self._look(touched, dict(zip(targets, values, strict=True)), "read")

    def write(
        self, touched: Iterable[tuple[Cell, Term]], atomic: bool, succeeds: Term = TRUE
    ) -> tuple[dict[Term, Term], Statement | None]:
        """What is assigned in the step that writes, and what is asserted after it. An atomic write that does not
        succeed is a read."""
        touched = self._mattering(touched)
        if not touched:
            return {}, None
        if atomic:
            found = self._found(touched, succeeds)
            seen = self._body.local("seen", found.sort)
            return {seen: found}, self._assertion(seen, touched, "written", True)
        writings = [(self._races.writing(each, self._names), each.address) for each in touched]
        self._look(touched, self._set(writings, 1), "written")
        return self._set(writings, 0), None

    def _mattering(self, touched: Iterable[tuple[Cell, Term]]) -> list[Touched]:
        return [each for pair in touched if self._races.matters(each := Touched(*pair))]

    def _readings(self, touched: Sequence[Touched]) -> list[tuple[Term, Term]]:
        found = [(self._races.reading(each, self._names), each.address) for each in touched]
        return [(mark, address) for mark, address in found if mark is not None]

    def _set(self, marks: Sequence[tuple[Term, Term]], value: int) -> dict[Term, Term]:
        made: dict[Term, Term] = {}
        for mark, address in marks:
            bit = bv(value, 1)
            made[mark] = store(made.get(mark, mark), address, bit) if mark.sort.is_array else bit
        return made

    def _look(self, touched: Sequence[Touched], also: dict[Term, Term], done: str) -> None:
        """Asserts that nobody has announced an access that ours conflicts with; in the same step, what is ``also``."""
        writes = done == "written"
        found = self._found(touched, TRUE if writes else FALSE) if touched else None
        if found is None:
            self._assign(also)
            return
        seen = self._body.local("seen", found.sort)
        self._assign({seen: found, **also})
        self._body.emit(self._assertion(seen, touched, done, writes))

    def _found(self, touched: Sequence[Touched], writes: Term) -> Term:
        written = _any_set((self._races.writing(each, self._names), each.address) for each in touched)
        return disj(written, conj(writes, _any_set(self._readings(touched))))

    def _assertion(self, seen: Term, touched: Sequence[Touched], done: str, writes: bool) -> Assert:
        what = ", ".join(dict.fromkeys(self._races.name(each) for each in touched))
        others = self._races.others(touched, self._body.location, reads=writes)
        text = f"data race on {what}: {done} here, and {others} by another thread at the same time"
        return assertion(DATA_RACE, neg(seen), text, self._body.location)

    def _assign(self, values: dict[Term, Term]) -> None:
        if values:
            self._body.emit(Assign(tuple(values), tuple(values.values()), self._body.location))


def _any_set(marks: Iterable[tuple[Term, Term]]) -> Term:
    values = (select(mark, address) if mark.sort.is_array else mark for mark, address in marks)
    return disj_all(bits.same(value, bv(1, 1)) for value in values)


def is_atomic_access(instruction: l.Instruction) -> bool:
    return instruction.opcode in ("atomicrmw", "cmpxchg") or "atomic" in instruction.flags


def _listed(places: Iterable[Location], here: Location | None) -> str:
    near = here.file if here is not None else ""
    shown = list(dict.fromkeys(f"line {place.line}" if place.file == near else str(place) for place in places))
    return " or ".join([*shown[:_FEW], *(["elsewhere"] if len(shown) > _FEW else [])])
