"""Ultimate's ``fork`` and ``join``, when all of them are known.

    fork e p(a);                    atomic begin; id := e; spawn p(a) -> number; atomic end
    join d assign x;                atomic begin; assume number != 0 and id == d; join number;
                                    number, x := 0, result; atomic end

A ``join`` takes any thread that was forked under the name and has not been joined yet, so it is a choice among the
forks whose names have its types. A fork that can happen more than once keeps its numbers, names and results in maps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from cleave.frontends.boogie.threads.rewriting import with_statements
from cleave.frontends.boogie.threads.starting import NUMBER, Site, Threads
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, Sort, array
from cleave.logic.terms import Term
from cleave.records import dataclass

_NONE = t.bv(0, NUMBER.width)


@dataclass(slots=True, eq=False)
class _Fork:
    """The globals of a fork: of one that happens once, what they hold; of others, maps from a thread's number."""

    site: Site
    once: bool
    number: Term  # 0 if there is none to join; of others, whether there is one
    ids: tuple[Term, ...]  # values that are written out stand for themselves
    results: tuple[Term, ...]
    procedure: str

    def at(self, kept: Term, number: Term) -> Term:
        return kept if self.once or kept.is_value else t.select(kept, number)


class Forks:
    """Replaces the placeholders in a program."""

    def __init__(self, threads: Threads, procedures: dict[str, ir.Procedure], entry: str) -> None:
        self._threads = threads
        self._once = _Once(procedures, threads, entry)
        takes_results = any(
            isinstance(s, ir.Call) and s.procedure in threads.joins and s.results
            for p in procedures.values()
            for s in p.statements()
        )
        self._forks = {name: self._fork(name, site, takes_results) for name, site in threads.forks.items()}

    def first(self) -> list[ir.Statement]:
        """At the beginning nothing can be joined."""
        kept = tuple(fork.number for fork in self._forks.values())
        values = tuple(_NONE if fork.once else t.const_array(NUMBER, t.FALSE) for fork in self._forks.values())
        return [ir.Assign(kept, values)] if kept else []

    def procedure(self, procedure: ir.Procedure) -> ir.Procedure:
        made: list[Term] = []
        blocks = _split(procedure, self._threads.joins)
        procedure = replace(procedure, blocks=blocks)
        blocks = with_statements(procedure, lambda one: self._started(one, made))
        for label, block in list(blocks.items()):
            last = block.statements[-1] if block.statements else None
            if isinstance(last, ir.Call) and last.procedure in self._threads.joins:
                self._joined(blocks, label, last, made)
        return replace(procedure, blocks=blocks, locals=(*procedure.locals, *made))

    def _fork(self, name: str, site: Site, takes_results: bool) -> _Fork:
        once, threads = self._once.is_once(name), self._threads

        def kept(hint: str, sort: Sort) -> Term:
            return threads.declare(hint, sort if once else array(NUMBER, sort))

        number = threads.declare("thread", NUMBER) if once else threads.declare("forked", array(NUMBER, BOOL))
        ids = tuple(i if i.is_value else kept("id", i.sort) for i in site.ids)
        results: tuple[Term, ...] = ()
        procedure = threads.procedure_for(site.header)
        if takes_results and site.header.returns:
            results = tuple(kept(f"result.{v.name}", v.sort) for v in site.header.returns)
            procedure = threads.caller(site.header, results, indexed=not once)
        return _Fork(site, once, number, ids, results, procedure)

    # --- fork -------------------------------------------------------------------------------------------------------

    def _started(self, statement: ir.Statement, made: list[Term]) -> Iterator[ir.Statement]:
        if not isinstance(statement, ir.Call) or statement.procedure not in self._forks:
            yield statement
            return
        fork, place = self._forks[statement.procedure], statement.location
        ids, arguments = statement.arguments[: len(fork.ids)], statement.arguments[len(fork.ids) :]
        kept = [(g, value) for g, value in zip(fork.ids, ids, strict=True) if not g.is_value]
        yield ir.AtomicBegin(place)
        if fork.once:
            if kept:
                yield ir.Assign(tuple(g for g, _ in kept), tuple(value for _, value in kept), place)
            yield ir.Spawn(fork.procedure, arguments, fork.number, place)
        else:
            number = t.var(self._threads.names.fresh("forked"), NUMBER)
            made.append(number)
            yield ir.Spawn(fork.procedure, arguments, number, place)
            targets = (fork.number, *(g for g, _ in kept))
            values = (t.TRUE, *(value for _, value in kept))
            stored = tuple(t.store(g, number, v) for g, v in zip(targets, values, strict=True))
            yield ir.Assign(targets, stored, place)
        yield ir.AtomicEnd(place)

    # --- join -------------------------------------------------------------------------------------------------------

    def _joined(self, blocks: dict[str, ir.Block], label: str, join: ir.Call, made: list[Term]) -> None:
        """Replaces the join at the end of a block by a choice among blocks, one for each fork."""
        block = blocks[label]
        before = block.statements[:-1]
        ways: list[str] = []
        for fork in self._forks.values():
            statements = self._way(fork, join, made)
            if statements is not None:
                ways.append(self._threads.names.fresh("join"))
                blocks[ways[-1]] = ir.Block(ways[-1], tuple(statements), block.successors, join.location)
        if ways:
            blocks[label] = replace(block, statements=before, successors=tuple(ways))
        else:
            blocks[label] = replace(block, statements=(*before, ir.Assume(t.FALSE, join.location)))

    def _way(self, fork: _Fork, join: ir.Call, made: list[Term]) -> list[ir.Statement] | None:
        """What joining a thread of that fork does; None if its threads can't be meant."""
        if [i.sort for i in fork.site.ids] != [a.sort for a in join.arguments]:
            return None
        if join.results and [r.sort for r in join.results] != [v.sort for v in fork.site.header.returns]:
            return None
        place = join.location
        number = fork.number
        found: list[ir.Statement] = [ir.AtomicBegin(place)]
        if not fork.once:
            number = t.var(self._threads.names.fresh("joined"), NUMBER)
            made.append(number)
            found.append(ir.Havoc((number,), place))
        there = t.neg(t.eq(number, _NONE)) if fork.once else t.select(fork.number, number)
        named = [t.eq(fork.at(i, number), a) for i, a in zip(fork.ids, join.arguments, strict=True)]
        condition = t.conj_all([there, *named])
        if condition is t.FALSE:
            return None
        results = tuple(fork.at(r, number) for r in fork.results) if join.results else ()
        gone = _NONE if fork.once else t.store(fork.number, number, t.FALSE)
        found += [ir.Assume(condition, place), ir.Join(number, place)]
        found += [ir.Assign((fork.number, *join.results), (gone, *results), place), ir.AtomicEnd(place)]
        return found


def _split(procedure: ir.Procedure, joins: dict[str, tuple[Sort, ...]]) -> dict[str, ir.Block]:
    """Blocks that end after a join."""
    found: dict[str, ir.Block] = {}
    labels = (new for new in map("joined#{}".format, count(1)) if new not in procedure.blocks)
    for block in procedure.blocks.values():
        label, start = block.label, 0
        for place, statement in enumerate(block.statements[:-1], 1):
            if isinstance(statement, ir.Call) and statement.procedure in joins:
                following = next(labels)
                found[label] = ir.Block(label, block.statements[start:place], (following,), block.location)
                label, start = following, place
        found[label] = ir.Block(label, block.statements[start:], block.successors, block.location)
    return found


class _Once:
    """Which statements are executed at most once: outside of loops, in procedures that are started in one place, which
    is executed at most once."""

    def __init__(self, procedures: dict[str, ir.Procedure], threads: Threads, entry: str) -> None:
        self._entry = entry
        self._places: dict[str, list[tuple[str, bool]]] = {}  # of what is called: where from, and whether in a loop
        for procedure in (*procedures.values(), *threads.procedures.values()):
            in_loops = _in_loops(procedure)
            for block in procedure.blocks.values():
                for statement in block.statements:
                    if isinstance(statement, ir.Call | ir.Spawn):
                        place = (procedure.name, block.label in in_loops)
                        self._places.setdefault(statement.procedure, []).append(place)
                        if statement.procedure in threads.forks:
                            name = threads.forks[statement.procedure].header.name
                            started = threads.renamed.get(name, name)
                            self._places.setdefault(started, []).append(place)

    def is_once(self, name: str) -> bool:
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            places = self._places.get(name, [])
            if name == self._entry:
                return not places
            if len(places) != 1 or places[0][1]:
                return not places
            name = places[0][0]
        return False


def _in_loops(procedure: ir.Procedure) -> set[str]:
    """The blocks from which a way leads back to them: what is left when blocks that nothing leads to, or that lead
    nowhere, are taken away again and again, is a superset."""
    successors = {b.label: list(b.successors) for b in procedure.blocks.values()}
    predecessors: dict[str, list[str]] = {label: [] for label in successors}
    for label, following in successors.items():
        for other in following:
            predecessors[other].append(label)
    return _core(predecessors, successors) & _core(successors, predecessors)


def _core(ways_in: dict[str, list[str]], ways_out: dict[str, list[str]]) -> set[str]:
    waiting = Counter({label: len(ways) for label, ways in ways_in.items()})
    left = set(ways_in)
    pending = [label for label, ways in ways_in.items() if not ways]
    while pending:
        label = pending.pop()
        left.discard(label)
        for other in ways_out[label]:
            waiting[other] -= 1
            if not waiting[other]:
                pending.append(other)
    return left
