"""Which decision of a run each of its steps hangs on: dynamic control dependence.

    b0: goto b1, b2     b1: assume x < 0  y := 1  goto b3     b2: assume 0 <= x  goto b3     b3: assert y == 0

In a run through b1, ``y := 1`` hangs on ``assume x < 0``; the assert, where the ways have joined again, and the assume
itself hang on the call of the procedure.

A step hangs on the last decision of its activation that has not joined yet, else on the call. Where the ways out of a
block join is its immediate postdominator (Xin and Zhang, *Efficient online detection of dynamic control dependence*,
ISSTA 2007; the dominators as in Cooper, Harvey and Kennedy, *A simple, fast dominance algorithm*, 2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from cleave.ir.program import Assume, Block, Procedure, Program
from cleave.records import dataclass
from cleave.validate.semantics.events import Event

_EXIT = ""  # of every procedure; no block has an empty label


def control_parents(program: Program, events: Sequence[Event]) -> list[int]:
    """For each event the position of the one that it hangs on; -1 for the first, the call of the entry.

    A decision is the assume that the chosen block starts with, when all blocks to choose from start with one; else it
    is the event of coming to that block: nothing but the choice decides.
    """
    walk = _Walk(program)
    return [walk.step(position, event) for position, event in enumerate(events)]


@dataclass(slots=True)
class _Activation:
    procedure: Procedure
    call: int
    block: Block | None = None
    pending: list[tuple[str, int]] = field(default_factory=list)  # decisions: where they join, and their position


@dataclass(slots=True)
class _Walk:
    program: Program
    activations: dict[int, _Activation] = field(default_factory=dict)
    joins: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def step(self, position: int, event: Event) -> int:
        if event.kind == "call":
            return self._call(position, event)
        here = self.activations[event.frame]
        if event.kind == "block":
            assert isinstance(event.subject, Block)
            return self._visit(here, event.subject, position)
        if here.pending and here.pending[-1][1] == position:
            return here.pending[-2][1] if len(here.pending) > 1 else here.call
        return _parent(here)

    def _call(self, position: int, event: Event) -> int:
        if event.subject is None:
            self.activations[event.frame] = _Activation(self.program.procedures[event.procedure], position)
            return -1
        callee = self.program.procedures[getattr(event.subject, "procedure", event.procedure)]
        self.activations[event.other_frame] = _Activation(callee, position)
        return _parent(self.activations[event.frame])

    def _visit(self, here: _Activation, block: Block, position: int) -> int:
        before, here.block = here.block, block
        while here.pending and here.pending[-1][0] == block.label:
            here.pending.pop()
        parent = _parent(here)
        if before is not None and len(before.successors) > 1:
            join = self._joins(here.procedure).get(before.label, _EXIT)
            if join != block.label:
                here.pending.append((join, position + 1 if _all_assume(here.procedure, before) else position))
        return parent

    def _joins(self, procedure: Procedure) -> Mapping[str, str]:
        if procedure.name not in self.joins:
            self.joins[procedure.name] = postdominators(procedure)
        return self.joins[procedure.name]


def _parent(here: _Activation) -> int:
    return here.pending[-1][1] if here.pending else here.call


def _all_assume(procedure: Procedure, block: Block) -> bool:
    chosen = (procedure.blocks[label].statements[:1] for label in block.successors)
    return all(first and isinstance(first[0], Assume) for first in chosen)


# --- postdominators -------------------------------------------------------------------------------------------------


def postdominators(procedure: Procedure) -> dict[str, str]:
    """The immediate postdominator of each block from which the procedure can return; empty for the return itself."""
    successors = {label: block.successors or (_EXIT,) for label, block in procedure.blocks.items()}
    order = list(_postorder_from_exit(successors))
    rank = {label: number for number, label in enumerate(order)}
    found = {_EXIT: _EXIT}
    changed = True
    while changed:
        changed = False
        for label in reversed(order[:-1]):
            known = [one for one in successors[label] if one in found]
            join = known[0]
            for one in known[1:]:
                join = _meet(join, one, found, rank)
            changed |= found.get(label) != join
            found[label] = join
    del found[_EXIT]
    return found


def _meet(one: str, other: str, found: Mapping[str, str], rank: Mapping[str, int]) -> str:
    while one != other:
        while rank[one] < rank[other]:
            one = found[one]
        while rank[other] < rank[one]:
            other = found[other]
    return one


def _postorder_from_exit(successors: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The labels that reach the exit, backwards along the edges; the exit comes last."""
    predecessors: dict[str, list[str]] = {}
    for label, targets in successors.items():
        for target in targets:
            predecessors.setdefault(target, []).append(label)
    seen = {_EXIT}
    stack = [(_EXIT, iter(predecessors.get(_EXIT, ())))]
    while stack:
        label, rest = stack[-1]
        following = next((one for one in rest if one not in seen), None)
        if following is None:
            stack.pop()
            yield label
        else:
            seen.add(following)
            stack.append((following, iter(predecessors.get(following, ()))))
