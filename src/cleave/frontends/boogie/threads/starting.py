"""Thread statements of one body, and Corral's procedures that stand for some.

    async call p(e);                      spawn p(e)
    par call x := p(e) | q();             spawn p'(e) -> n; spawn q() -> m; join n; join m; x := result[n]
    call t := corral_getThreadID();       self t; t := t + 1

A thread runs a procedure of its own, which makes the call, where the callee has something to check, no body, or
results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from cleave.frontends.boogie.headers import Header
from cleave.frontends.boogie.names import Names
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, Sort, array, bitvec
from cleave.logic.terms import Term
from cleave.records import dataclass

NUMBER = bitvec(32)  # of a thread
ATOMIC_BEGIN, ATOMIC_END = "corral_atomic_begin", "corral_atomic_end"
YIELD, OWN_NUMBER, CHILD_NUMBER = "corral_yield", "corral_getThreadID", "corral_getChildThreadID"
NOT_REACHABLE = "corral_assert_not_reachable"


@dataclass(slots=True, eq=False)
class Site:
    """A ``fork``: the procedure it starts, and the placeholder that stands for it until all of them are known."""

    header: Header
    ids: tuple[Term, ...]


@dataclass(slots=True, eq=False)
class Threads:
    """What the thread statements of a program need besides: procedures and globals of their own."""

    names: Names
    is_cooperative: bool = False
    shared: frozenset[Term] = frozenset()  # the globals of the file
    globals: list[Term] = field(default_factory=list)
    procedures: dict[str, ir.Procedure] = field(default_factory=dict)
    forks: dict[str, Site] = field(default_factory=dict)  # by the name of the placeholder
    joins: dict[str, tuple[Sort, ...]] = field(default_factory=dict)  # the sorts of ids
    roots: set[str] = field(default_factory=set)  # procedures that threads run
    renamed: dict[str, str] = field(default_factory=dict)  # procedures that have a copy to be called
    _callers: dict[str, str] = field(default_factory=dict)
    _running: Term | None = None

    def declare(self, hint: str, sort: Sort) -> Term:
        self.globals.append(t.var(self.names.fresh(hint), sort))
        return self.globals[-1]

    @property
    def running(self) -> Term:
        """Whether some thread runs, where threads give way by themselves only."""
        if self._running is None:
            self._running = self.declare("running", BOOL)
        return self._running

    # --- starting threads -------------------------------------------------------------------------------------------

    def procedure_for(self, header: Header) -> str:
        """What a thread runs whose results nobody takes."""
        checked = any(not clause.free for clause in header.declaration.requires)
        if header.body is not None and not checked and not self.is_cooperative:
            name = self.renamed.get(header.name, header.name)
            self.roots.add(name)
            return name
        if header.name not in self._callers:
            self._callers[header.name] = self.caller(header, ())
        return self._callers[header.name]

    def caller(self, header: Header, kept: tuple[Term, ...], *, indexed: bool = True) -> str:
        """A new procedure that makes the call and keeps the results in maps, at the thread's number, or as they are."""
        fresh = self.names.fresh
        parameters = tuple(t.var(fresh(v.name), v.sort) for v in header.parameters)
        results = tuple(t.var(fresh(v.name), v.sort) for v in header.returns)
        place = header.location
        called = self.renamed.get(header.name, header.name)
        statements: list[ir.Statement] = [ir.Call(called, parameters, results, place)]
        own: tuple[Term, ...] = ()
        if kept and indexed:
            own = (t.var(fresh("self"), NUMBER),)
            values = tuple(t.store(m, own[0], r) for m, r in zip(kept, results, strict=True))
            statements += [ir.Self(own[0], place), ir.Assign(kept, values, place)]
        elif kept:
            statements.append(ir.Assign(kept, results, place))
        name = fresh(header.name)
        block = ir.Block("entry", tuple(statements), ())
        made = ir.Procedure(
            name=name, parameters=parameters, locals=(*results, *own), blocks={"entry": block}, location=place
        )
        self.procedures[name] = made
        self.roots.add(name)
        return name

    def result_maps(self, header: Header) -> tuple[Term, ...]:
        return tuple(self.declare(f"result.{v.name}", array(NUMBER, v.sort)) for v in header.returns)

    # --- giving way -------------------------------------------------------------------------------------------------

    def give_way(self, place: ir.Location | None) -> Iterator[ir.Statement]:
        yield from self.let_others_run(place)
        yield from self.take_turn(place)

    def let_others_run(self, place: ir.Location | None) -> Iterator[ir.Statement]:
        if self.is_cooperative:
            yield ir.Assign((self.running,), (t.FALSE,), place)

    def take_turn(self, place: ir.Location | None) -> Iterator[ir.Statement]:
        if self.is_cooperative:
            yield ir.AtomicBegin(place)
            yield ir.Assume(t.neg(self.running), place)
            yield ir.Assign((self.running,), (t.TRUE,), place)
            yield ir.AtomicEnd(place)


def numbered_from_one(number: Term) -> Term:
    """Corral's number of a thread: the first has 1."""
    one = t.integer(1) if not number.sort.is_bitvec else t.bv(1, number.sort.width)
    return t.add(number, one) if not number.sort.is_bitvec else t.bv_binary(t.Op.BV_ADD, number, one)
