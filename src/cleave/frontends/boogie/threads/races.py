"""Data races as failing assertions, where they are asked for.

    x := x + 1;      seen, x.writing := x.writing, true        y := x;    seen, y := x.writing, x
                     assert !seen                                         assert !seen
                     x, x.writing := x + 1, false

Two threads race if both are about to access the same variable, one of them to write, and not both in atomic blocks. So
a write is announced in a step of its own, and every access looks whether another thread has announced one; inside of an
atomic block that is one step, and announces nothing to anybody. Reads are announced, too, of what atomic blocks write,
but not inside of such blocks: to take that back would take back what others have announced.

Maps are accessed at their indices: what is announced of a map is a map of the same shape, from indices to bool. What
assertions and contracts read is no access.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.threads.accesses import Access, accessed, reads_of, stored
from cleave.frontends.boogie.threads.inside import inside_blocks
from cleave.frontends.boogie.threads.rewriting import begun, with_statements
from cleave.frontends.boogie.threads.starting import ATOMIC_BEGIN
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, Sort, array
from cleave.logic.terms import Term

DATA_RACE = "data-race"
_FEW = 3  # places that a message names


class Races:
    """The announcements of a program."""

    def __init__(
        self, procedures: Mapping[str, ir.Procedure], watched: Sequence[Term], names: Names, started: Set[str]
    ) -> None:
        """``started`` are procedures that threads run."""
        self._names = names
        self._procedures = procedures
        self._places: dict[Term, dict[ir.Location, None]] = {}  # where each variable is accessed
        written: dict[Term, None] = {}
        for procedure in procedures.values():
            for statement in procedure.statements():
                writes = [one.variable for one in self._writes(statement, frozenset(watched))]
                written.update(dict.fromkeys(writes))
                for variable in (*writes, *(one.variable for one in reads_of(statement, frozenset(watched)))):
                    if statement.location is not None:
                        self._places.setdefault(variable, {})[statement.location] = None
        self._watched = frozenset(written)  # what nobody writes, everybody may read
        self._writing = {v: t.var(names.fresh(f"{v.name}.writing"), _shape(v.sort)) for v in written}
        atomic = self._written_atomically()
        self._inside = inside_blocks(procedures, started)
        self._reading = {v: t.var(names.fresh(f"{v.name}.reading"), _shape(v.sort)) for v in written if v in atomic}
        self.count = 0
        self._refuse_both()

    @property
    def marks(self) -> tuple[Term, ...]:
        return (*self._writing.values(), *self._reading.values())

    def first(self) -> list[ir.Statement]:
        """Nothing is announced at the beginning."""
        return [ir.Assign(self.marks, tuple(_all(m.sort, t.FALSE) for m in self.marks))] if self.marks else []

    def procedure(self, procedure: ir.Procedure, *, is_entry: bool) -> ir.Procedure:
        made: list[Term] = []
        quiet = _before_threads(procedure) if is_entry else frozenset()
        inside = self._inside.places[procedure.name]
        blocks = {
            label: replace(
                block,
                statements=tuple(
                    new
                    for place, old in enumerate(block.statements)
                    for new in (
                        (old,) if (label, place) in quiet else self._statement(old, made, (label, place) in inside)
                    )
                ),
            )
            for label, block in procedure.blocks.items()
        }
        found = replace(procedure, blocks=blocks, locals=(*procedure.locals, *made))
        return begun(found, self.first()) if is_entry else found

    # --- statements -------------------------------------------------------------------------------------------------

    def _writes(self, statement: ir.Statement, watched: frozenset[Term]) -> Iterator[Access]:
        match statement:
            case ir.Assign(targets, values):
                for target, value in zip(targets, values, strict=True):
                    if target in watched:
                        yield from stored(target, value)
            case ir.Havoc(targets) | ir.Call(results=targets):
                yield from (Access(target) for target in targets if target in watched)
            case _:
                return
        if isinstance(statement, ir.Call):
            callee = self._procedures.get(statement.procedure)
            if callee is not None and not callee.has_body:
                yield from (Access(one) for one in callee.modifies if one in watched)

    def _refuse_both(self) -> None:
        """What is read inside of an atomic block is not announced, so it has to be known whether one is open."""
        for name in self._inside.called & self._inside.outside:
            for statement in self._procedures[name].statements():
                if any(one.variable in self._reading for one in reads_of(statement, self._watched)):
                    where = "inside of atomic blocks and outside of them"
                    text = f"'{name}' is called {where}, which is not supported where data races are checked"
                    place = statement.location
                    raise UnsupportedError(text, file=place.file if place else "", line=place.line if place else 0)

    def _statement(self, statement: ir.Statement, made: list[Term], inside: bool) -> Iterator[ir.Statement]:
        place = statement.location
        if isinstance(statement, ir.Call) and (parts := self._in_parts(statement, made)):
            yield from (new for part in parts for new in self._statement(part, made, inside))
            return
        writes = list(dict.fromkeys(self._writes(statement, self._watched)))
        reads = list(dict.fromkeys(one for one in reads_of(statement, self._watched) if one not in writes))
        if not writes and not reads:
            yield statement
            return
        fixed: dict[Term, Term] = {}  # indices as they are when the access is announced
        writes, reads = (self._fixed(some, fixed, made) for some in (writes, reads))
        if fixed:
            yield ir.Assign(tuple(fixed.values()), tuple(fixed), place)
        announced = [(self._writing[one.variable], one.path) for one in writes]
        if not inside:
            announced += [(self._reading[one.variable], one.path) for one in reads if one.variable in self._reading]
        seen = t.var(self._names.fresh("seen"), BOOL)
        made.append(seen)
        marks = _set(announced, t.TRUE)
        yield ir.Assign((seen, *marks), (self._found(writes, reads), *marks.values()), place)
        yield self._assertion(seen, writes, reads, place)
        yield from _with(statement, _set(announced, t.FALSE))

    def _in_parts(self, call: ir.Call, made: list[Term]) -> list[ir.Statement]:
        """A call that passes and returns variables of its own only; none if it does already."""
        passed = {
            argument: self._local(t.var("argument", argument.sort), made)
            for argument in call.arguments
            if any(True for _ in accessed((argument,), self._watched))
        }
        returned = {one: self._local(one, made) for one in call.results if one in self._watched}
        if not passed and not returned:
            return []
        found: list[ir.Statement] = []
        if passed:
            found.append(ir.Assign(tuple(passed.values()), tuple(passed), call.location))
        arguments = tuple(passed.get(one, one) for one in call.arguments)
        found.append(replace(call, arguments=arguments, results=tuple(returned.get(one, one) for one in call.results)))
        if returned:
            found.append(ir.Assign(tuple(returned), tuple(returned.values()), call.location))
        return found

    def _fixed(self, some: Iterable[Access], fixed: dict[Term, Term], made: list[Term]) -> list[Access]:
        found: list[Access] = []
        for one in some:
            for index in one.path:
                if not index.is_value and index not in fixed:
                    fixed[index] = self._local(t.var("index", index.sort), made)
            found.append(Access(one.variable, tuple(fixed.get(index, index) for index in one.path)))
        return found

    def _found(self, writes: Sequence[Access], reads: Sequence[Access]) -> Term:
        looked = [(self._writing[one.variable], one.path) for one in (*writes, *reads)]
        looked += [(self._reading[one.variable], one.path) for one in writes if one.variable in self._reading]
        return t.disj_all(_is_set(mark, path) for mark, path in looked)

    def _assertion(
        self, seen: Term, writes: Sequence[Access], reads: Sequence[Access], place: ir.Location | None
    ) -> ir.Statement:
        self.count += 1
        variables = list(dict.fromkeys(one.variable for one in (*writes, *reads)))
        others = list(dict.fromkeys(str(one.line) for v in variables for one in self._places.get(v, ())))
        where = " or ".join([*(f"line {one}" for one in others[:_FEW]), *(["elsewhere"] if len(others) > _FEW else [])])
        what = ", ".join(one.name for one in variables)
        done = "written" if writes else "read"
        text = f"data race on {what}: {done} here, and accessed at {where} by another thread at the same time"
        return ir.Assert(t.neg(seen), text, place, ir.Check(DATA_RACE, self.count))

    def _local(self, like: Term, made: list[Term]) -> Term:
        made.append(t.var(self._names.fresh(like.name), like.sort))
        return made[-1]

    # --- atomic blocks ----------------------------------------------------------------------------------------------

    def _written_atomically(self) -> set[Term]:
        """What is written by procedures that have atomic blocks, or are called by such."""
        pending = [name for name, one in self._procedures.items() if any(map(_begins_block, one.statements()))]
        inside = set(pending)
        while pending:
            for statement in self._procedures[pending.pop()].statements():
                name = statement.procedure if isinstance(statement, ir.Call) else ""
                if name in self._procedures and name not in inside:
                    inside.add(name)
                    pending.append(name)
        statements = (statement for name in inside for statement in self._procedures[name].statements())
        return {one.variable for statement in statements for one in self._writes(statement, self._watched)}


def asked_only_for_races(procedure: ir.Procedure) -> ir.Procedure:
    """Other assertions end executions, as they do anyway."""

    def assumed(one: ir.Statement) -> tuple[ir.Statement, ...]:
        if isinstance(one, ir.Assert) and one.check is None:
            return (ir.Assume(one.condition, one.location),)
        return (one,)

    return replace(
        procedure,
        blocks=with_statements(procedure, assumed),
        requires=tuple(replace(one, free=True) for one in procedure.requires),
        ensures=tuple(replace(one, free=True) for one in procedure.ensures),
    )


def numbered(procedure: ir.Procedure, property: str, numbers: Iterator[int]) -> ir.Procedure:
    """Its other assertions are checks of that property."""

    def checked(one: ir.Statement) -> tuple[ir.Statement, ...]:
        if isinstance(one, ir.Assert) and one.check is None:
            return (replace(one, check=ir.Check(property, next(numbers))),)
        return (one,)

    return replace(procedure, blocks=with_statements(procedure, checked))


def without_threads(program: ir.Program, checks: Sequence[str]) -> ir.Program:
    """A program in which there are none."""
    if ir.Property.ASSERTIONS.value in checks:
        return program
    procedures = {name: asked_only_for_races(one) for name, one in program.procedures.items()}
    return replace(program, procedures=procedures, checked=dict.fromkeys(checks, 0))


def _begins_block(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.AtomicBegin) or (
        isinstance(statement, ir.Call) and statement.procedure == ATOMIC_BEGIN
    )


def _before_threads(procedure: ir.Procedure) -> frozenset[tuple[str, int]]:
    """The statements at the beginning of the entry that no other thread can be beside."""
    found: set[tuple[str, int]] = set()
    block, entered = procedure.entry, Counter(label for b in procedure.blocks.values() for label in b.successors)
    while not entered[block.label] or (entered[block.label] == 1 and found):
        for place, statement in enumerate(block.statements):
            if not isinstance(statement, ir.Assign | ir.Havoc | ir.Assume | ir.Assert):
                return frozenset(found)
            found.add((block.label, place))
        if len(block.successors) != 1 or (block.successors[0], 0) in found:
            break
        block = procedure.blocks[block.successors[0]]
    return frozenset(found)


def _with(statement: ir.Statement, cleared: Mapping[Term, Term]) -> Iterator[ir.Statement]:
    """The statement, and the announcements taken back in the same step."""
    if not cleared:
        yield statement
        return
    targets, values = tuple(cleared), tuple(cleared.values())
    if isinstance(statement, ir.Assign):
        yield replace(statement, targets=(*statement.targets, *targets), values=(*statement.values, *values))
        return
    yield ir.AtomicBegin(statement.location)
    yield statement
    yield ir.Assign(targets, values, statement.location)
    yield ir.AtomicEnd(statement.location)


# --- announcements --------------------------------------------------------------------------------------------------


def _shape(sort: Sort) -> Sort:
    return array(sort.index, _shape(sort.element)) if sort.is_array else BOOL


def _all(sort: Sort, value: Term) -> Term:
    return t.const_array(sort.index, _all(sort.element, value)) if sort.is_array else value


def _is_set(mark: Term, path: Sequence[Term]) -> Term:
    for index in path:
        mark = t.select(mark, index)
    return t.neg(t.eq(mark, _all(mark.sort, t.FALSE))) if mark.sort.is_array else mark


def _set(announced: Iterable[tuple[Term, tuple[Term, ...]]], value: Term) -> dict[Term, Term]:
    made: dict[Term, Term] = {}
    for mark, path in announced:
        made[mark] = _updated(made.get(mark, mark), path, value)
    return made


def _updated(mark: Term, path: Sequence[Term], value: Term) -> Term:
    if not path:
        return _all(mark.sort, value)
    return t.store(mark, path[0], _updated(t.select(mark, path[0]), path[1:], value))
