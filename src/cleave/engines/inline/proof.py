"""What an unfolding proves, written down for a validator: its instances and what each of their calls is bound to.

    writer = ProofWriter(unfolding)
    writer.proof(bound=1)                                       # ... the unfolding grows ...
    writer.proof(bound=2, decisions=[(7, False)])               # describes only what is new

A description has its own numbers: after an instance come those of the calls that its condition has executed in place.
They stay what they are when the unfolding grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cleave.engines.inline.condition import Condition
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.recursion import depth_of
from cleave.engines.inline.stratified import Search
from cleave.engines.inline.unfolding import Instance, Unfolding
from cleave.ir.path import Enter, Leave, Path, Visit
from cleave.ir.unfolded import CallPlace, Decision, UnfoldedInstance, UnfoldedProof
from cleave.smt.solver import Solver

_LEFT_OUT = -1
_MOST_OF_IT = 0.75  # of the instances: a smaller part costs less to check than the whole


def proof_of(unfolding: Unfolding, bound: int | None) -> UnfoldedProof:
    """What the unfolding proves, all of it, as it is now."""
    return ProofWriter(unfolding).proof(bound)


def proof_within(unfolding: Unfolding, bound: int, extra_recursion: Mapping[str, int]) -> UnfoldedProof:
    """What an unfolding for a larger bound proves within this one, by the instances that are needed for it."""
    return ProofWriter(unfolding, instances_within(unfolding, bound, extra_recursion)).proof(bound)


def instances_within(unfolding: Unfolding, bound: int, extra_recursion: Mapping[str, int]) -> frozenset[int]:
    """The instances that executions within the bound can enter."""
    found = {unfolding.root.number}
    pending = [unfolding.root]
    while pending:
        for callee in pending.pop().callees:
            if callee is None or callee.number in found:
                continue
            name = callee.condition.procedure
            if depth_of(name, callee.counts) <= bound + extra_recursion.get(name, 0):
                found.add(callee.number)
                pending.append(callee)
    return frozenset(found)


def needed_part(search: Search, bound: int | None, options: InlineOptions, solver: Solver) -> UnfoldedProof | None:
    """The part of what the search proves that is enough for it, as one more refutation in ``solver`` tells. None where
    that is too small to pay, costs too much, or is most of the whole."""
    instances = len(search.unfolding.instances)
    if instances < options.part_from or not options.part_share:
        return None
    limit = max(1, round(options.part_share * search.report().cost))
    kept = search.needed(solver, limit, needs_bound=bound is not None)
    if kept is None or len(kept) > _MOST_OF_IT * instances:
        return None
    return ProofWriter(search.unfolding, kept).proof(bound)


class ProofWriter:
    """Describes one unfolding while it grows, or only the instances ``kept`` of it. The proofs share one list of
    instances, which grows with it."""

    def __init__(self, unfolding: Unfolding, kept: frozenset[int] | None = None) -> None:
        self._unfolding = unfolding
        self._kept = kept
        self._described: list[UnfoldedInstance] = []
        self._numbers: list[int] = []  # by the engine's number of an instance: its number in the description, or -1
        self._unbound: list[Instance] = []  # those with calls that the description leaves open
        self._places: dict[str, tuple[CallPlace, ...]] = {}  # by procedure: where its call sites are

    def proof(self, bound: int | None, decisions: Iterable[tuple[int, bool]] = ()) -> UnfoldedProof:
        """A decision is the engine's number of an instance, and whether executions must reach or must avoid it."""
        for instance in self._unfolding.instances[len(self._numbers) :]:
            self._describe(instance)
        for instance in self._unbound:
            self._bind(instance)
        self._unbound = [instance for instance in self._unbound if None in instance.callees]
        decided = tuple(Decision(self.number(instance), reach) for instance, reach in decisions)
        return UnfoldedProof(self._described, bound, decided)

    def number(self, instance: int) -> int:
        """The number, in the last proof, of the instance that has this one in the unfolding."""
        return self._numbers[instance]

    def _describe(self, instance: Instance) -> None:
        if self._kept is not None and instance.number not in self._kept:
            self._numbers.append(_LEFT_OUT)
            return
        made = UnfoldedInstance(instance.condition.procedure, {}, instance.private)
        self._numbers.append(len(self._described))
        self._described.append(made)
        for block, calls in instance.condition.calls_of_block.items():
            for place, call in enumerate(calls):
                if not isinstance(call, int):
                    made.callees[block, place] = _add_straight(call, self._described)
        if instance.callees:
            self._unbound.append(instance)

    def _bind(self, instance: Instance) -> None:
        made = self._described[self._numbers[instance.number]]
        for place, callee in zip(self._places_of(instance.condition), instance.callees, strict=True):
            if callee is not None and self._numbers[callee.number] != _LEFT_OUT:
                made.callees[place] = self._numbers[callee.number]

    def _places_of(self, condition: Condition) -> tuple[CallPlace, ...]:
        found = self._places.get(condition.procedure)
        if found is None:
            by_index: dict[int, CallPlace] = {}
            for block, calls in condition.calls_of_block.items():
                by_index.update({call: (block, place) for place, call in enumerate(calls) if isinstance(call, int)})
            found = self._places[condition.procedure] = tuple(by_index[index] for index in range(len(by_index)))
        return found


def _add_straight(path: Path, made: list[UnfoldedInstance]) -> int:
    """Adds the instances of a call that was executed in place; the number of the callee's."""
    first = len(made)
    stack: list[tuple[UnfoldedInstance, str]] = []
    for step in path:
        match step:
            case Enter(procedure):
                if stack:
                    caller, block = stack[-1]
                    caller.callees[block, len(caller.callees)] = len(made)
                made.append(UnfoldedInstance(procedure, {}, exclusive=True))
                stack.append((made[-1], ""))
            case Visit(block):
                stack[-1] = (stack[-1][0], block)
            case Leave():
                stack.pop()
    return first
