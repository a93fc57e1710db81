"""How many rounds loops make and how deep functions call themselves, where `unwinding` is checked: counters, and a
limit for each.

    while (c) { … }         rounds := 0; while (c) { …; rounds := rounds + 1; assert rounds <= 5 }
    int f(…) { … f(…) … }   f.depth := f.depth + 1; assert f.depth <= 5 + 1; …; f.depth := f.depth - 1

So any engine can prove that a bound suffices, and an execution that goes further is a violation with a trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.properties.built_in import UNWINDING
from cleave.ir.program import Assign, Location, Statement
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, Term, bv, var

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.context import Context
    from cleave.frontends.c.lowering.function import FunctionLowering

_BITS = 32
_THREADS = "how deep a function calls itself (--check unwinding) is counted in programs without threads only"


class Rounds:
    """Of one function."""

    def __init__(self, function: FunctionLowering) -> None:
        context = function.context
        own = context.checks.wants(UNWINDING) and not is_ours(function.function)
        self._context = context
        self._limit = context.options.loop_bound or 0
        self._back = _back_edges(function.function) if own else frozenset()
        heads = sorted({head for _, head in self._back})
        self._counters = {head: function.body.local("rounds", bitvec(_BITS)) for head in heads}
        self._depth = context.depths.get(function.function.name) if own else None
        self._name = function.function.name

    def crossing(self, source: str, target: str, location: Location | None) -> list[Statement]:
        """What happens on the way from a block to another."""
        counter = self._counters.get(target)
        if counter is None:
            return []
        if (source, target) not in self._back:
            return [Assign((counter,), (bv(0, _BITS),), location)]
        text = f"a loop has more than {self._limit} iterations"
        return [_more(counter, 1, location), *self._checked(counter, self._limit, text, location)]

    def entered(self, location: Location | None) -> list[Statement]:
        if self._depth is None:
            return []
        text = f"{self._name} calls itself more than {self._limit} deep"
        return [_more(self._depth, 1, location), *self._checked(self._depth, self._limit + 1, text, location)]

    def left(self, location: Location | None) -> list[Statement]:
        return [] if self._depth is None else [_more(self._depth, -1, location)]

    def _checked(self, counter: Term, limit: int, text: str, location: Location | None) -> list[Statement]:
        condition = bits.compare(Op.BV_ULE, counter, bv(limit, _BITS))
        return list(self._context.checks.places(UNWINDING, condition, text, location))


def count_depths(context: Context) -> None:
    """A counter for each function of the program that may call itself."""
    for name in context.facts.reachable:
        function = context.module.functions[name]
        if is_ours(function) or not _calls_itself(context.facts, name):
            continue
        if context.has_threads:
            raise unsupported(_THREADS, function.location)
        context.depths[name] = var(context.names.fresh(f"{name}.depth"), bitvec(_BITS))
        context.declare(context.depths[name])


def initial_depths(context: Context) -> tuple[Statement, ...]:
    return tuple(Assign((depth,), (bv(0, _BITS),)) for depth in context.depths.values())


def _more(counter: Term, by: int, location: Location | None) -> Statement:
    return Assign((counter,), (bits.plus(counter, by),), location)


def _calls_itself(facts: CallFacts, name: str) -> bool:
    seen: set[str] = set()
    pending = [callee for _, callee in facts.callees.get(name, ())]
    while pending:
        found = pending.pop()
        if found == name:
            return True
        if found not in seen:
            seen.add(found)
            pending += [callee for _, callee in facts.callees.get(found, ())]
    return False


def _back_edges(function: l.FunctionDefinition) -> frozenset[tuple[str, str]]:
    """The edges to a block that is on the way to their source, in a search from the first block, depth first."""
    first = next(iter(function.blocks))
    found: set[tuple[str, str]] = set()
    begun, active = {first}, {first}
    path = [(first, iter(function.blocks[first].instructions[-1].labels))]
    while path:
        label, successors = path[-1]
        target = next(successors, None)
        if target is None:
            active.discard(label)
            path.pop()
        elif target in active:
            found.add((label, target))
        elif target not in begun:
            begun.add(target)
            active.add(target)
            path.append((target, iter(function.blocks[target].instructions[-1].labels)))
    return frozenset(found)
