"""The shape of an unfolding that only grows, checked as it grows: what is new, and what that changes above and below.

    shape = Shape(program, "main")
    shape.grow([UnfoldedInstance("main", {("b", 0): 1}), UnfoldedInstance("f", {})])    # Growth(instances=[0, 1], ...)
    shape.grow([... the same, and more ...])                                            # only what is new

1. Every call is bound to an instance of its callee, and the instances form a DAG from the entry.
2. No execution can pass one instance twice (the DAG paper's Algorithm 1): two calls of one instance that an execution
   may both make share no descendant. When an instance gets new descendants, that can be broken only at the calls that
   lead to it, so the new ones are carried upwards and looked at on their way.
3. For each instance, the least number of instances of a recursive procedure on any way to it: carried downwards.

Sets of instances are integers used as bit sets. What has once been wrong stays so, as nothing is ever taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

from cleave.ir.program import Program
from cleave.ir.unfolded import CallPlace, UnfoldedInstance
from cleave.passes.effects import callees, effects
from cleave.passes.flow import strongly_connected
from cleave.records import dataclass
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.forwards import Body, BodyCall, body_of


@dataclass(frozen=True, slots=True)
class Binding:
    """The call at ``place`` of the instance ``caller`` enters the instance ``callee``."""

    caller: int
    place: CallPlace
    callee: int


@dataclass(frozen=True, slots=True)
class Growth:
    """The numbers of the instances that are new, and the calls that were bound."""

    instances: range
    bindings: list[Binding]


class Bodies:
    """The procedures of a program as formulas, each made when it is first asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._effects = effects(program)
        self._made: dict[str, Body] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._program.procedures

    def __getitem__(self, name: str) -> Body:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = body_of(self._program.procedures[name], self._program, self._effects)
        return found


class Shape:
    """``bindings_to[n]`` are the calls that are bound to instance n."""

    def __init__(self, program: Program, entry: str) -> None:
        self.bodies = Bodies(program)
        self.procedures: list[str] = []
        self.exclusive: list[bool] = []
        self.bindings_to: list[list[Binding]] = []
        self._entry = entry
        self._recursive = _recursive(program)
        self._limits = {name: procedure.extra_recursion for name, procedure in program.procedures.items()}
        self._callees: list[dict[CallPlace, int]] = []
        self._below: list[int] = []  # bit sets of the instance itself and all its descendants
        self._depths: list[dict[str, int] | None] = []  # None: no way from the entry is known
        self._recursing: list[tuple[int, BodyCall]] = []  # the calls that may be too deep
        self._wrong: Confirmation | None = None

    def __len__(self) -> int:
        return len(self.procedures)

    def body(self, number: int) -> Body:
        return self.bodies[self.procedures[number]]

    def grow(self, instances: Sequence[UnfoldedInstance]) -> Growth | Confirmation:
        """Takes over what ``instances`` has beyond the last time."""
        first = len(self)
        self._wrong = self._wrong or self._add_instances(instances)
        if self._wrong is not None:
            return self._wrong
        found = self._new_bindings(instances)
        if isinstance(found, Confirmation):
            self._wrong = found
            return found
        # Callees mostly come after their callers. Bound last to first, what is below a call is complete by then.
        for binding in reversed(found):
            self._wrong = self._bind(binding)
            if self._wrong is not None:
                return self._wrong
        self._carry_depths(found)
        return Growth(range(first, len(self)), found)

    def too_deep(self, bound: int) -> Iterator[tuple[int, BodyCall]]:
        """The calls that no execution within the bound, at least 1, makes, each with the number of its instance."""
        for number, call in self._recursing:
            depths = self._depths[number]
            if depths is not None and depths.get(call.callee, 0) + 1 > bound + self._limits[call.callee]:
                yield number, call

    def ancestors(self, number: int) -> list[int]:
        """The instance itself and all from which calls lead to it, callers first."""
        found = {number}
        pending = [number]
        while pending:
            for binding in self.bindings_to[pending.pop()]:
                if binding.caller not in found:
                    found.add(binding.caller)
                    pending.append(binding.caller)
        # A caller has strictly more below it than its callee.
        return sorted(found, key=lambda n: -self._below[n].bit_count())

    def meaning(self, number: int) -> bytes:
        """A digest of the set of ways from the entry to the instance, whatever the instances are numbered.

        An execution passes the instance iff it goes one of these ways, so two workers with equal digests speak of the
        same executions, and the digest changes when another call is bound to the instance or to one above it.
        """
        digests: dict[int, bytes] = {}
        for ancestor in self.ancestors(number):
            ways = sorted((digests[b.caller], *b.place) for b in self.bindings_to[ancestor])
            described = repr((self.procedures[ancestor], ways)).encode()
            digests[ancestor] = blake2b(described, digest_size=8).digest()
        return digests[number]

    # --- what is new ------------------------------------------------------------------------------------------------

    def _add_instances(self, instances: Sequence[UnfoldedInstance]) -> Confirmation | None:
        if not instances or instances[0].procedure != self._entry:
            return rejected("the first instance is not the entry procedure")
        before = instances[: len(self)]
        if [i.procedure for i in before] != self.procedures or [i.exclusive for i in before] != self.exclusive:
            return rejected("instances that the proof had before are gone or changed")
        for number in range(len(self), len(instances)):
            procedure = instances[number].procedure
            if procedure not in self.bodies:
                return rejected(f"instance {number} is of no procedure of the program")
            self.procedures.append(procedure)
            self.exclusive.append(instances[number].exclusive)
            self.bindings_to.append([])
            self._callees.append({})
            self._below.append(1 << number)
            self._depths.append(None if number else self._with_own({}, procedure))
            if procedure in self._recursive:  # what others call is on no way to them: its depth is 1
                calls = self.bodies[procedure].calls.values()
                self._recursing.extend((number, call) for call in calls if call.callee in self._recursive)
        return None

    def _new_bindings(self, instances: Sequence[UnfoldedInstance]) -> list[Binding] | Confirmation:
        found: list[Binding] = []
        for number, (instance, known) in enumerate(zip(instances, self._callees, strict=True)):
            if instance.callees == known:
                continue
            if not known.items() <= instance.callees.items():
                return rejected(f"instance {number} no longer binds its calls as before")
            for place, callee in instance.callees.items():
                if place not in known:
                    found.append(Binding(number, place, callee))
                    wrong = self._misfit(found[-1])
                    if wrong is not None:
                        return wrong
        return found

    def _misfit(self, binding: Binding) -> Confirmation | None:
        body = self.body(binding.caller)
        if binding.place not in body.calls:
            return rejected(f"instance {binding.caller} binds a call that {body.name} does not make")
        if not 0 < binding.callee < len(self):
            return rejected(f"instance {binding.caller} binds a call to an instance that does not exist")
        if self.procedures[binding.callee] != body.calls[binding.place].callee:
            return rejected(f"instance {binding.caller} binds a call to an instance of another procedure")
        if self.exclusive[binding.callee] and binding.caller >= binding.callee:
            return rejected(f"instance {binding.callee} is exclusive and comes before its caller")
        return None

    # --- what that changes ------------------------------------------------------------------------------------------

    def _bind(self, binding: Binding) -> Confirmation | None:
        if self._below[binding.callee] >> binding.caller & 1:
            return rejected("the instances form a cycle")
        if self.exclusive[binding.callee] and self.bindings_to[binding.callee]:
            return rejected("two calls are bound to an instance that is exclusive")
        self._callees[binding.caller][binding.place] = binding.callee
        self.bindings_to[binding.callee].append(binding)
        pending = [(binding, self._below[binding.callee])]
        while pending:
            way, added = pending.pop()
            # What comes below the call for the first time collides with what is below the caller's other calls.
            if self._passes_twice(way, added & self._below[way.caller]):
                return rejected(f"an execution may pass an instance twice below {self.procedures[way.caller]}")
            added &= ~self._below[way.caller]
            if added:
                self._below[way.caller] |= added
                pending.extend((above, added) for above in self.bindings_to[way.caller])
        return None

    def _passes_twice(self, way: Binding, shared: int) -> bool:
        """Whether another call that an execution makes together with this one leads to one of ``shared``, too."""
        if not shared:
            return False
        body = self.body(way.caller)
        return any(
            self._below[callee] & shared and not body.exclude_each_other(way.place, place)
            for place, callee in self._callees[way.caller].items()
            if place != way.place
        )

    def _carry_depths(self, bindings: list[Binding]) -> None:
        pending = [(binding.caller, binding.callee) for binding in reversed(bindings)]
        while pending:
            caller, callee = pending.pop()
            above, before = self._depths[caller], self._depths[callee]
            if above is None:
                continue
            depths = self._with_own(above, self.procedures[callee])
            if before is not None:
                depths = {name: min(count, depths.get(name, 0)) for name, count in before.items()}
            if depths != before:
                self._depths[callee] = depths
                pending.extend((callee, below) for below in self._callees[callee].values())

    def _with_own(self, above: dict[str, int], procedure: str) -> dict[str, int]:
        return above | {procedure: above.get(procedure, 0) + 1} if procedure in self._recursive else above


def _recursive(program: Program) -> frozenset[str]:
    """The procedures on cycles of the call graph."""
    graph = {name: list(callees(procedure)) for name, procedure in program.procedures.items()}
    components = strongly_connected(graph)
    return frozenset(name for members in components for name in members if len(members) > 1 or name in graph[name])
