"""How the unfolding of a search grows, and which of its calls are open.

A path names the calls to inline. Four kinds of calls are inlined with them, because the next paths would get there one
by one, at the price of two checks each:

- the calls of a new instance that only passes on to another procedure (not where they recurse);
- calls that an earlier path made in another instance of the same procedure, again not where they recurse. These at most
  double the unfolding;
- in a DAG, calls of the same procedure in other branches of the caller: they can share the instance;
- further iterations of a loop with many iterations: half as many as there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import perf_counter

from cleave.engines.inline.condition import Condition
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.formula import Formula
from cleave.engines.inline.merging import Choose
from cleave.engines.inline.options import USUAL, InlineOptions
from cleave.engines.inline.partition import Binding
from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding, never_private

Place = tuple[int, int]
"""Of a call: the number of the caller, and the call's index there."""


class Growth:
    """An unfolding with its formula. ``open`` are its open calls, ``blocked`` those beyond the bound."""

    def __init__(
        self,
        conditions: Conditions,
        entry: str,
        formula: Formula,
        choose: Choose,
        extra_recursion: Mapping[str, int],
        private: Callable[[Condition], bool] = never_private,
        options: InlineOptions = USUAL,
    ) -> None:
        self.unfolding = Unfolding(conditions, entry, private)
        self.open: dict[Place, OpenCall] = {}
        self.blocked: dict[Place, OpenCall] = {}
        self.bound = 0
        self.merge_seconds = 0.0
        self.encode_seconds = 0.0
        self._formula = formula
        self._choose = choose
        self._extra = extra_recursion
        self._free_growth, self._long_loop = options.free_growth, options.long_loop
        self._made: set[tuple[str, int]] = set()  # calls, by procedure and index, that paths have made
        self._iterations: dict[str, int] = {}  # by the procedure of a long loop: how many to inline
        formula.add_root(self.unfolding)
        self._open(self.unfolding.root)

    def raise_bound(self, bound: int) -> None:
        self.bound = bound
        calls = {**self.open, **self.blocked}
        self.blocked = {place: call for place, call in calls.items() if self._is_blocked(call)}
        self.open = {place: call for place, call in calls.items() if place not in self.blocked}

    def rebuild(self, bindings: Iterable[Binding]) -> None:
        """Inlines what another search has inlined. The numbers in ``bindings`` are those that instances get here."""
        for caller, index, callee in bindings:
            instances = self.unfolding.instances
            call = self.unfolding.open_call(instances[caller], index)
            self.open.pop((caller, index), None)
            self.blocked.pop((caller, index), None)
            shared = instances[callee] if callee < len(instances) else None
            self._bind(call, shared)
            if shared is None:
                self._open(instances[-1])

    def inline(self, calls: Iterable[OpenCall]) -> None:
        """Inlines ``calls``, which a path makes, and what goes with them."""
        pending = list(calls)
        pending.reverse()
        self._made.update(_of_procedure(call) for call in pending)
        for call in pending:
            if call.depth >= self._long_loop and _is_next_iteration(call):
                self._iterations[call.site.callee] = call.depth + call.depth // 2
        instances = self.unfolding.instances
        most = len(instances) + len(pending) + max(self._free_growth, len(instances))
        while pending:
            call = pending.pop()
            if self.open.pop((call.caller.number, call.site.index), None) is None:
                continue
            started = perf_counter()
            shared = self._choose(self.unfolding, call)
            self.merge_seconds += perf_counter() - started
            instance = self._bind(call, shared)
            pending.extend(self._alternatives(call, instance))
            if shared is None:
                opened = self._open(instance)
                pending.extend(c for c in reversed(opened) if self._goes_with(c, within=len(instances) < most))

    def _goes_with(self, call: OpenCall, *, within: bool) -> bool:
        """Whether a call of a new instance is inlined with it."""
        if call.caller.condition.passes_on and not call.counts:
            return True
        if call.depth > 1:
            known = _is_next_iteration(call) and call.depth <= self._iterations.get(call.site.callee, 0)
        else:
            known = _of_procedure(call) in self._made
        return within and known

    def _alternatives(self, call: OpenCall, instance: Instance) -> Iterable[OpenCall]:
        """The open calls in branches of the caller that exclude ``call``, if they can share ``instance``."""
        if instance.private:
            return
        condition = call.caller.condition
        excluded = (call.site.index, *condition.conflicts[call.site.index])
        for site in condition.calls:
            if site.callee == call.site.callee and site.index not in excluded:
                alternative = self.open.get((call.caller.number, site.index))
                if alternative is not None and self.unfolding.may_share(alternative, instance):
                    yield alternative

    def _bind(self, call: OpenCall, shared: Instance | None) -> Instance:
        """Binds ``call`` to an instance to share, or to a new one."""
        started = perf_counter()
        if shared is not None:
            self.unfolding.merge(call, shared)
            instance = shared
        else:
            instance = self.unfolding.inline(call)
            self._formula.add_instance(instance)
        self._formula.add_link(call, instance)
        self.encode_seconds += perf_counter() - started
        return instance

    def _open(self, instance: Instance) -> list[OpenCall]:
        """Puts the calls of a new instance on the frontier; those that the bound does not block."""
        opened: list[OpenCall] = []
        for call in self.unfolding.open_calls(instance):
            place = (call.caller.number, call.site.index)
            if self._is_blocked(call):
                self.blocked[place] = call
            else:
                self.open[place] = call
                opened.append(call)
        return opened

    def _is_blocked(self, call: OpenCall) -> bool:
        return call.depth > self.bound + self._extra.get(call.site.callee, 0)


def _of_procedure(call: OpenCall) -> tuple[str, int]:
    return call.caller.condition.procedure, call.site.index


def _is_next_iteration(call: OpenCall) -> bool:
    """Whether the caller is a loop, which has one call of itself, and this is it."""
    callee = call.site.callee
    return (
        callee == call.caller.condition.procedure and [s.callee for s in call.caller.condition.calls].count(callee) == 1
    )
