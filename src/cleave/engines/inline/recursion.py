"""Recursion in the call graph, and how often an instance has recursed.

The recursion depth of a call is 1 + the number of its ancestors that are instances of the same callee. Only ancestors
in the callee's own component of the call graph can be, so an instance carries the counts of its component only, and
two instances of a procedure with equal counts unfold alike: those are the ones that may be merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cleave.passes.flow import strongly_connected
from cleave.records import dataclass

Counts = tuple[tuple[str, int], ...]
"""How many instances of each procedure of one component are on the stack; empty where nothing recurses."""


@dataclass(frozen=True, slots=True)
class CallGraph:
    """``component`` numbers the components; ``recursive`` holds the procedures on cycles; ``order`` is top-down."""

    component: Mapping[str, int]
    recursive: frozenset[str]
    order: tuple[str, ...]

    def counts_of_callee(self, caller: str, counts: Counts, callee: str) -> Counts:
        if callee not in self.recursive:
            return ()
        if self.component[caller] != self.component[callee]:
            return ((callee, 1),)
        on_stack = dict(counts)
        on_stack[callee] = on_stack.get(callee, 0) + 1
        return tuple(sorted(on_stack.items()))


def depth_of(callee: str, counts: Counts) -> int:
    """The recursion depth of an instance of ``callee`` with these counts (itself included)."""
    return dict(counts).get(callee, 1)


def call_graph(graph: Mapping[str, Sequence[str]]) -> CallGraph:
    """From the procedures that each procedure calls."""
    components = strongly_connected(graph)
    component = {name: number for number, members in enumerate(components) for name in members}
    recursive = {name for members in components for name in members if len(members) > 1 or name in graph[name]}
    order = tuple(name for members in reversed(components) for name in members)
    return CallGraph(component, frozenset(recursive), order)
