"""All threads of a program, unfolded: one instance for each way to start one within the bound.

    unfolded = unfold(program, "main", unwind=2)
    unfolded.threads[0]                 # the thread that runs the entry; the others in the order in which they were met
    unfolded.initial[cell]              # what a shared variable holds when the first thread is started

It is unfolded several times, each time with only those variables shared that turned out to be, and with what is known
by then about their values.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from cleave.engines.unfolding.accesses import NotSplitError
from cleave.engines.unfolding.code import Cell, ThreadCode
from cleave.engines.unfolding.domains import domains
from cleave.engines.unfolding.options import USUAL, Extent
from cleave.engines.unfolding.shared import NEXT_THREAD, NUMBER_BITS, Shared, everything, really_shared
from cleave.engines.unfolding.simplify import forget_reads
from cleave.engines.unfolding.state import State
from cleave.engines.unfolding.trips import LoopTooLongError, Trips
from cleave.engines.unfolding.unfold import Unfolder
from cleave.errors import UnsupportedError
from cleave.ir.loops import LoopBounds, named_loops
from cleave.ir.program import Program, Property, is_old
from cleave.ir.store_buffers import StoreBuffers
from cleave.logic.terms import TRUE, Op, Term, bv, var
from cleave.logic.walk import postorder
from cleave.passes.flow import reads
from cleave.records import dataclass

_MOST_THREADS = 256
_MOST_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Unfolded:
    threads: tuple[ThreadCode, ...]
    values: Mapping[Cell, Term]  # that the shared variables hold when the first thread is started
    initial: Mapping[Cell, Term]  # the same, as the cells hold them
    shared: Shared
    store_buffers: StoreBuffers | None = None

    def terms(self) -> Iterator[Term]:
        """All that a formula may be about."""
        yield from self.initial.values()
        for thread in self.threads:
            yield from thread.terms()

    @property
    def is_cut(self) -> bool:
        """Whether the bound on loops and recursion was met anywhere."""
        return any(thread.cuts for thread in self.threads)


def unfold(
    program: Program,
    entry: str,
    bounds: LoopBounds | int,
    check: Callable[[], None] = lambda: None,
    extent: Extent = USUAL,
    paths: dict[object, int] | None = None,
) -> Unfolded:
    """Raises `UnsupportedError` for what the engines do not handle, and what ``check``, called often, raises.
    ``paths`` has the numbers of activations, and can be kept for larger bounds: then what is unfolded in both has the
    same names in both."""
    _refuse(program)
    known = LoopBounds(bounds) if isinstance(bounds, int) else bounds
    names = {(loop.procedure, loop.head): loop.name for loop in named_loops(program)}
    try:
        trips = Trips(known, names, extent.iterations, extent.positions, {} if paths is None else paths)
        return _unfold(program, entry, trips, check)
    except RecursionError:
        raise UnsupportedError("calls are nested too deeply to unfold recursion so often") from None
    finally:
        forget_reads()


def _unfold(program: Program, entry: str, trips: Trips, check: Callable[[], None]) -> Unfolded:
    whole: set[Term] = set()  # arrays that can't be split
    while True:
        found = _in_rounds(program, entry, trips, whole, check)
        if found is not None:
            return found
        trips.restart()


def _in_rounds(
    program: Program, entry: str, trips: Trips, whole: set[Term], check: Callable[[], None]
) -> Unfolded | None:
    """None if a round goes further than the one before, on which it builds."""
    shared = everything(program.globals)
    found: Unfolded | None = None
    rounds = 0
    while rounds < _MOST_ROUNDS or found is None:
        trips.begin()
        try:
            now = _Family(program, entry, trips, shared, check).unfold()
        except NotSplitError as error:
            whole.add(error.array)
            shared = shared.with_whole(error.array)
            continue
        except LoopTooLongError as error:
            trips.too_long.add(error.loop)
            continue
        if trips.is_beyond:
            return None
        trips.end()
        found = now
        rounds += 1
        if len(found.threads) == 1 and not found.threads[0].accesses:
            return Unfolded(found.threads, {}, {}, Shared(frozenset()))  # no thread was started: nothing is shared
        known = domains(found.threads, found.values, shared.domains)
        fewer = replace(really_shared(found.threads, whole), domains=known)
        if fewer == shared:
            break
        shared = fewer
    return found


@dataclass(slots=True)
class _Waiting:
    code: ThreadCode
    state: State
    arguments: Sequence[Term] | None
    path: int
    ancestry: tuple[str, ...]


@dataclass(slots=True)
class _Family:
    program: Program
    entry: str
    trips: Trips
    shared: Shared
    check: Callable[[], None]
    threads: list[ThreadCode] = field(default_factory=list)
    waiting: deque[_Waiting] = field(default_factory=deque)
    initial: dict[Cell, Term] = field(default_factory=dict)
    ancestry: tuple[str, ...] = ()

    def unfold(self) -> Unfolded:
        first = State(globals={NEXT_THREAD: bv(1, NUMBER_BITS)})
        self._add(self.entry, first, None, bv(0, NUMBER_BITS), 0)
        while self.waiting:
            one = self.waiting.popleft()
            self.ancestry = one.ancestry
            unfolder = Unfolder(self.program, self.shared, self.trips, self, one.code)
            unfolder.run(one.state, one.arguments, one.path)
        for cell in sorted(self.shared.cells, key=str):
            unknown = cell.variable.sort if cell.index is None else cell.variable.sort.element
            self.initial.setdefault(cell, var(f"initial:{cell.variable.name}:{cell.index}", unknown))
        held = {cell: self.shared.coded(cell, value) for cell, value in self.initial.items()}
        return Unfolded(tuple(self.threads), self.initial, held, self.shared, self.program.store_buffers)

    def start(self, procedure: str, arguments: Sequence[Term], state: State, number: Term, path: int) -> int:
        if self.ancestry.count(procedure) > self.trips.bounds.of(procedure):
            return -1
        if len(self.threads) == _MOST_THREADS:
            raise UnsupportedError(f"more than {_MOST_THREADS} threads are started within the bound")
        begun = State(globals=dict(state.globals), published=True)
        return self._add(procedure, begun, arguments, number, path)

    def publish(self, cells: Mapping[Cell, Term], guard: Term) -> bool:
        """Only the first time, and only if it is sure to happen; then nothing has been written before."""
        if guard is not TRUE or len(self.threads) > 1 or any(thread.accesses for thread in self.threads):
            return False
        if self.initial:
            return False
        self.initial.update(cells)
        return True

    def _add(self, procedure: str, state: State, arguments: Sequence[Term] | None, number: Term, path: int) -> int:
        code = ThreadCode(len(self.threads), procedure, number)
        self.threads.append(code)
        self.waiting.append(_Waiting(code, state, arguments, path, (*self.ancestry, procedure)))
        return code.instance


def _refuse(program: Program) -> None:
    if program.property is not Property.ASSERTIONS:
        raise UnsupportedError("an unfolded program is checked for assertions only")
    if program.axioms or program.functions:
        raise UnsupportedError("programs with functions and axioms are not unfolded")
    for procedure in program.procedures.values():
        if procedure.requires or procedure.ensures:
            raise UnsupportedError(f"programs with contracts are not unfolded: {procedure.name} has one")
        for statement in procedure.statements():
            for term in reads(statement):
                for node in postorder((term,)):
                    if node.op in (Op.FORALL, Op.EXISTS) or (node.is_var and is_old(node)):
                        raise UnsupportedError("programs with quantifiers or old values are not unfolded")
