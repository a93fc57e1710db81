"""The unfolded call graph: instances of procedures and the calls that are bound to them, as a tree or a DAG.

DAG inlining, sections 3.2 and 3.3. An instance may serve several calls if no execution makes two of them. The paper
checks Definition 2 over the whole DAG for each candidate (Algorithm 1); here the same check is incremental. For an open
call ``(n, i)``,

    forbidden(n, i) = all instances below calls that some execution makes together with (n, i)

is collected once along the ancestors of ``n``, and a candidate ``m`` is compatible iff no descendant of ``m`` is in it.
Sets of instances are integers used as bit sets, so each step is one machine-word operation per 64 instances. Most
instances have few descendants, of which a bit set for each would take quadratic memory: those are kept as numbers.

An instance that a split has decided on is *frozen*: no call is bound to it, or to what leads to it, any more. Workers
that unfold on their own must mean the same executions by "passes this instance", now and later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from hashlib import blake2b
from pathlib import PurePath

from cleave.engines.inline.condition import CallSite, Condition
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.recursion import CallGraph, Counts, call_graph, depth_of
from cleave.records import dataclass

FEW = 32
"""So many descendants of an instance are kept as numbers."""

Key = tuple[str, Counts]
"""Instances with one key unfold alike: the procedure and its recursion counts."""


@dataclass(slots=True, eq=False)
class Instance:
    """A procedure inlined at one place (tree) or at several that exclude each other (DAG)."""

    number: int
    condition: Condition
    counts: Counts
    callees: list[Instance | None]  # by call, None while open
    callers: list[tuple[Instance, int]] = field(default_factory=list)
    private: bool = False  # belongs to its first caller for good: no other call may be bound to it
    few: set[int] = field(default_factory=set)  # itself and its descendants, if they are few,
    many: int = 0  # or a bit set of them

    def __post_init__(self) -> None:
        self.few.add(self.number)

    @property
    def key(self) -> Key:
        return (self.condition.procedure, self.counts)

    @property
    def below(self) -> int:
        """The bit set of itself and all descendants."""
        return self.many or bit_set(self.few)

    @property
    def size(self) -> int:
        """How many instances are at or below it."""
        return self.many.bit_count() or len(self.few)

    def include(self, few: set[int], many: int) -> bool:
        """Takes in instances, which are given as numbers, or as a bit set if they or its own are many; whether
        anything is new."""
        if many:
            before, self.many = self.many, self.below | many
            self.few = set()
            return self.many != before
        if few <= self.few:
            return False
        self.few |= few
        if len(self.few) > FEW:
            self.many, self.few = bit_set(self.few), set()
        return True


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that is not bound to an instance yet. ``depth`` is the recursion depth its instance would have."""

    caller: Instance
    site: CallSite
    counts: Counts
    depth: int

    @property
    def key(self) -> Key:
        return (self.site.callee, self.counts)


def bit_set(numbers: Iterable[int]) -> int:
    numbers = list(numbers)
    if len(numbers) == 1:
        return 1 << numbers[0]
    made = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        made[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(made, "little")


def never_private(condition: Condition) -> bool:
    return False


class Unfolding:
    """Grows from the entry procedure by binding open calls to new or existing instances."""

    def __init__(
        self, conditions: Conditions, entry: str, private: Callable[[Condition], bool] = never_private
    ) -> None:
        self._conditions = conditions
        self._private = private
        self.graph: CallGraph = call_graph(conditions.callees)
        self.instances: list[Instance] = []
        self.merges = 0
        self._by_key: dict[Key, int] = {}  # the instances that may be shared, as bit sets
        self._frozen = 0  # as a bit set
        root_counts: Counts = ((entry, 1),) if entry in self.graph.recursive else ()
        self.root = self._new(entry, root_counts)

    def open_calls(self, instance: Instance) -> list[OpenCall]:
        """The calls of a new instance."""
        return [self.open_call(instance, index) for index in range(len(instance.condition.calls))]

    def open_call(self, instance: Instance, index: int) -> OpenCall:
        site = instance.condition.calls[index]
        counts = self.graph.counts_of_callee(instance.condition.procedure, instance.counts, site.callee)
        return OpenCall(instance, site, counts, depth_of(site.callee, counts))

    def compatible(self, call: OpenCall) -> Iterator[Instance]:
        """The instances that ``call`` may share, oldest first."""
        candidates = self._by_key.get(call.key, 0)
        if not candidates:
            return
        forbidden = self.forbidden(call)
        candidates &= ~forbidden
        while candidates:
            lowest = candidates & -candidates
            candidates ^= lowest
            instance = self.instances[lowest.bit_length() - 1]
            if not instance.below & forbidden and not self.is_fixed(instance):
                yield instance

    def may_share(self, call: OpenCall, instance: Instance) -> bool:
        """Whether ``call`` may be bound to ``instance``, which has its key."""
        return not instance.below & self.forbidden(call) and not self.is_fixed(instance)

    def forbidden(self, call: OpenCall) -> int:
        """The instances that may not be at or below what ``call`` is bound to, as a bit set."""
        many = 0
        few: set[int] = set()
        pending: list[tuple[Instance, int]] = [(call.caller, call.site.index)]
        seen: set[tuple[int, int]] = set()
        while pending:
            instance, index = pending.pop()
            if (instance.number, index) in seen:
                continue
            seen.add((instance.number, index))
            callees = instance.callees
            for other in instance.condition.conflicts[index]:
                callee = callees[other]
                if callee is not None:
                    many |= callee.many
                    few |= callee.few
            pending.extend(instance.callers)
        return many | bit_set(few)

    def inline(self, call: OpenCall) -> Instance:
        """Binds ``call`` to a new instance of its callee."""
        instance = self._new(call.site.callee, call.counts)
        self._bind(call, instance)
        return instance

    def merge(self, call: OpenCall, instance: Instance) -> None:
        """Binds ``call`` to an existing, compatible instance."""
        self.merges += 1
        self._bind(call, instance)

    def freeze(self, instance: Instance) -> None:
        """From now on the same call stacks lead to ``instance``, here and wherever this unfolding is rebuilt."""
        self._frozen |= 1 << instance.number

    def is_fixed(self, instance: Instance) -> bool:
        """Whether no further call may be bound to ``instance``, because it is frozen or leads to what is."""
        return bool(instance.below & self._frozen)

    def ancestors(self, instance: Instance) -> list[Instance]:
        """The instances on the ways to ``instance``, itself included, each before its callees."""
        found = {instance.number}
        pending = [instance]
        while pending:
            for caller, _ in pending.pop().callers:
                if caller.number not in found:
                    found.add(caller.number)
                    pending.append(caller)
        return self.callers_first(found)

    def callers_first(self, numbers: set[int]) -> list[Instance]:
        """The instances with these numbers, which reach the root among themselves, callers before callees."""
        after: list[Instance] = []
        seen: set[int] = set()
        work: list[tuple[Instance, bool]] = [(self.root, False)]
        while work:
            instance, finished = work.pop()
            if finished:
                after.append(instance)
            elif instance.number in numbers and instance.number not in seen:
                seen.add(instance.number)
                work.append((instance, True))
                work.extend((callee, False) for callee in instance.callees if callee is not None)
        after.reverse()
        return after

    def meaning(self, instance: Instance) -> bytes:
        """A digest of the call stacks that lead to ``instance``, whatever the instances' numbers are. Who checks a
        proof computes it from the proof, with code of its own: see `Shape.meaning`."""
        digests: dict[int, bytes] = {}
        for ancestor in self.ancestors(instance):
            ways = sorted((digests[caller.number], *_place(caller, index)) for caller, index in ancestor.callers)
            described = repr((ancestor.condition.procedure, ways)).encode()
            digests[ancestor.number] = blake2b(described, digest_size=8).digest()
        return digests[instance.number]

    def place(self, instance: Instance) -> int:
        """A digest of the call stack that ``instance`` was first made for."""
        stack: list[tuple[str, int]] = []
        while instance.callers:
            caller, index = instance.callers[0]
            stack.append((caller.condition.procedure, index))
            instance = caller
        return int.from_bytes(blake2b(repr(stack).encode(), digest_size=6).digest())

    def describe_call(self, instance: Instance) -> str:
        """In words: which procedure, and where it is called; where from in all, if several calls share it."""
        caller, index = instance.callers[0]
        where = caller.condition.calls[index].location
        others = f" and {len(instance.callers) - 1} more calls" if len(instance.callers) > 1 else ""
        place = f"{PurePath(where.file).name}:{where.line}" if where is not None else f"in {caller.condition.procedure}"
        return f"{instance.condition.procedure} ({place}{others})"

    def _new(self, procedure: str, counts: Counts) -> Instance:
        condition = self._conditions[procedure]
        number = len(self.instances)
        instance = Instance(number, condition, counts, [None] * len(condition.calls))
        instance.private = self._private(condition)
        self.instances.append(instance)
        if not instance.private:
            self._by_key[instance.key] = self._by_key.get(instance.key, 0) | 1 << number
        return instance

    def _bind(self, call: OpenCall, instance: Instance) -> None:
        assert call.caller.callees[call.site.index] is None, "a call is bound once"
        call.caller.callees[call.site.index] = instance
        instance.callers.append((call.caller, call.site.index))
        below = instance.below
        pending = [call.caller]
        while pending:
            ancestor = pending.pop()
            if ancestor.include(instance.few, below if instance.many or ancestor.many else 0):
                pending.extend(caller for caller, _ in ancestor.callers)


def _place(caller: Instance, index: int) -> tuple[str, int]:
    """Where a call site is: its block, and which of the block's calls it is."""
    block = caller.condition.calls[index].block
    return block, caller.condition.calls_of_block[block].index(index)
