"""The loops of a procedure, nested: a list of blocks and loops in an order in which jumps go forwards.

    a -> h;  h -> b, x;  b -> h            [a, Loop(h, [h, b]), x]

A loop is a strongly connected part of the control flow; its head is the first block that is entered from outside. What
remains when the jumps to the head are taken away is looked at in the same way. A loop that is entered at several blocks
needs no special care: an iteration may begin anywhere, and ends with a jump to the head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cleave_check.program import Procedure


@dataclass(frozen=True, slots=True)
class Loop:
    head: str
    items: list[str | Loop]
    blocks: frozenset[str]


def nest(procedure: Procedure) -> list[str | Loop]:
    graph = {label: list(block.successors) for label, block in procedure.blocks.items()}
    return _items(graph, list(graph)[:1])


def _items(graph: Mapping[str, Sequence[str]], entries: Sequence[str], depth: int = 0) -> list[str | Loop]:
    """``entries``: where the graph is entered from outside."""
    if depth > 200:
        raise RecursionError
    items: list[str | Loop] = []
    parts = _connected(graph)
    where = {label: number for number, part in enumerate(parts) for label in part}
    entered = set(entries)
    for label, successors in graph.items():
        entered.update(s for s in successors if where[s] != where[label])
    for part in reversed(parts):  # the algorithm gives callees first
        if len(part) == 1 and part[0] not in graph[part[0]]:
            items.append(part[0])
            continue
        inside = set(part)
        ordered = [label for label in graph if label in inside]
        head = next((label for label in ordered if label in entered), ordered[0])
        rest = {label: [s for s in graph[label] if s in inside and s != head] for label in ordered}
        inner = [label for label in ordered if label in entered]
        items.append(Loop(head, _items(rest, inner, depth + 1), frozenset(inside)))
    return items


def _connected(graph: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Strongly connected parts, each after all that it leads to (Tarjan), without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    parts: list[list[str]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, 0)]
        while work:
            label, at = work.pop()
            if at == 0:
                index[label] = low[label] = len(index)
                stack.append(label)
                on_stack.add(label)
            successors = graph[label]
            if at > 0:
                low[label] = min(low[label], low[successors[at - 1]])
            while at < len(successors):
                following = successors[at]
                at += 1
                if following not in index:
                    work += [(label, at), (following, 0)]
                    break
                if following in on_stack:
                    low[label] = min(low[label], index[following])
            else:
                if low[label] == index[label]:
                    part: list[str] = []
                    while True:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                        if part[-1] == label:
                            break
                    parts.append(part)
    return parts
