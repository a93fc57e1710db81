"""The thread statements of one body, when their expressions have been evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cleave.frontends.boogie.headers import Header
from cleave.frontends.boogie.threads.starting import (
    CHILD_NUMBER,
    NUMBER,
    OWN_NUMBER,
    YIELD,
    Site,
    Threads,
    numbered_from_one,
)
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import Sort
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Lowered:
    """A call, to be made here or elsewhere."""

    header: Header
    arguments: tuple[Term, ...]
    results: tuple[Term, ...]
    place: ir.Location


class ThreadLowering:
    """``new_local`` makes a variable of the body."""

    def __init__(self, threads: Threads, headers: Mapping[str, Header], new_local: Callable[[str, Sort], Term]) -> None:
        self._threads = threads
        self._new_local = new_local
        self._child_header = headers.get(CHILD_NUMBER)
        self._child: Term | None = None  # the number of the last thread that the body has started
        self.give_way = threads.give_way

    # --- Corral -----------------------------------------------------------------------------------------------------

    def called(self, call: Lowered) -> list[ir.Statement] | None:
        """What a call of one of Corral's procedures means; None: it is none of these."""
        match call.header.name:
            case name if name == OWN_NUMBER and len(call.results) == 1:
                number = self._new_local("self", call.results[0].sort)
                value = numbered_from_one(number)
                return [ir.Self(number, call.place), ir.Assign(call.results, (value,), call.place)]
            case name if name == CHILD_NUMBER and len(call.results) == 1:
                return [ir.Assign(call.results, (numbered_from_one(self._last_child(call.header)),), call.place)]
            case name if name == YIELD:
                return [ir.Assume(t.TRUE, call.place), *self._threads.give_way(call.place)]
            case _:
                return None

    def _last_child(self, header: Header) -> Term:
        if self._child is None:
            self._child = self._new_local("child", header.returns[0].sort)
        return self._child

    def started(self, call: Lowered) -> list[ir.Statement]:
        """``async call``"""
        wanted = self._child_header is not None and len(self._child_header.returns) == 1
        child = self._last_child(self._child_header) if wanted and self._child_header is not None else None
        return [ir.Spawn(self._threads.procedure_for(call.header), call.arguments, child, call.place)]

    def all_of(self, calls: Sequence[Lowered]) -> Iterator[ir.Statement]:
        """``par call``"""
        place = calls[0].place
        numbers = [self._new_local("par", NUMBER) for _ in calls]
        targets: list[Term] = []
        values: list[Term] = []
        passed = dict.fromkeys(argument for call in calls for argument in call.arguments)
        copied = {
            one: self._new_local("argument", one.sort) for one in passed if free_variables(one) & self._threads.shared
        }
        if copied:
            yield ir.Assign(tuple(copied.values()), tuple(copied), place)
        yield ir.AtomicBegin(place)
        for call, number in zip(calls, numbers, strict=True):
            maps = self._threads.result_maps(call.header)
            name = self._threads.caller(call.header, maps) if maps else self._threads.procedure_for(call.header)
            yield ir.Spawn(name, tuple(copied.get(one, one) for one in call.arguments), number, call.place)
            targets += call.results
            values += [t.select(one, number) for one in maps]
        yield ir.AtomicEnd(place)
        yield from self._threads.let_others_run(place)
        for call, number in zip(calls, numbers, strict=True):
            yield ir.Join(number, call.place)
        yield from self._threads.take_turn(place)
        if targets:
            yield ir.Assign(tuple(targets), tuple(values), place)

    # --- Ultimate ---------------------------------------------------------------------------------------------------

    def forked(self, ids: tuple[Term, ...], call: Lowered) -> list[ir.Statement]:
        """A placeholder: what a fork does depends on the others."""
        name = self._threads.names.fresh("fork")
        self._threads.forks[name] = Site(call.header, ids)
        return [ir.Call(name, (*ids, *call.arguments), (), call.place)]

    def joined(self, ids: tuple[Term, ...], results: tuple[Term, ...], place: ir.Location) -> list[ir.Statement]:
        name = self._threads.names.fresh("join")
        self._threads.joins[name] = tuple(i.sort for i in ids)
        return [ir.Call(name, ids, results, place)]
