"""Facts about control flow that several passes and engines need: components, orders, reachability, liveness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Fence,
    Havoc,
    Join,
    Self,
    Spawn,
    Statement,
)
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables

Node = TypeVar("Node")


def strongly_connected(graph: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """Tarjan's components, callees (successors) before callers; iterative."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    components: list[list[Node]] = []
    for root in graph:
        if root in index:
            continue
        work: list[tuple[Node, int]] = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            successors = graph[node]
            for next_position in range(position, len(successors)):
                successor = successors[next_position]
                if successor not in index:
                    work.append((node, next_position + 1))
                    work.append((successor, 0))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                _finish(node, index, low, on_stack, stack, components)
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return components


def _finish(
    node: Node,
    index: dict[Node, int],
    low: dict[Node, int],
    on_stack: set[Node],
    stack: list[Node],
    components: list[list[Node]],
) -> None:
    """Closes the component of ``node`` if it is its root."""
    if low[node] != index[node]:
        return
    component: list[Node] = []
    while True:
        member = stack.pop()
        on_stack.discard(member)
        component.append(member)
        if member == node:
            break
    components.append(component)


def reachable(blocks: Mapping[str, Block], start: str) -> set[str]:
    found = {start}
    pending = [start]
    while pending:
        for successor in blocks[pending.pop()].successors:
            if successor not in found:
                found.add(successor)
                pending.append(successor)
    return found


def topological(blocks: Mapping[str, Block], start: str) -> list[str]:
    """The blocks that ``start`` reaches, each before its successors. The graph has no cycle."""
    order: list[str] = []
    done: set[str] = set()
    work: list[tuple[str, int]] = [(start, 0)]
    while work:
        label, position = work.pop()
        if position == 0:
            if label in done:
                continue
            done.add(label)
        successors = blocks[label].successors
        for next_position in range(position, len(successors)):
            if successors[next_position] not in done:
                work.append((label, next_position + 1))
                work.append((successors[next_position], 0))
                break
        else:
            order.append(label)
    order.reverse()
    return order


def has_cycle(blocks: Mapping[str, Block]) -> bool:
    """Whether some block reaches itself: then those on a cycle wait for each other when the others are taken away."""
    jumps = dict.fromkeys(blocks, 0)
    for block in blocks.values():
        for successor in block.successors:
            jumps[successor] += 1
    free = [label for label, count in jumps.items() if not count]
    left = len(blocks) - len(free)
    while free:
        for successor in blocks[free.pop()].successors:
            jumps[successor] -= 1
            if not jumps[successor]:
                free.append(successor)
                left -= 1
    return left > 0


def predecessors(blocks: Mapping[str, Block], labels: Iterable[str]) -> dict[str, list[str]]:
    """For each of ``labels``, the ones that jump to it; a label appears once for each jump."""
    found: dict[str, list[str]] = {label: [] for label in labels}
    for label in found:
        for successor in blocks[label].successors:
            found[successor].append(label)
    return found


def reads(statement: Statement) -> tuple[Term, ...]:
    """The terms whose variables a statement reads."""
    match statement:
        case Assume(condition) | Assert(condition):
            return (condition,)
        case Assign(_, values):
            return values
        case Call(_, arguments, _) | Spawn(_, arguments, _):
            return arguments
        case Join(thread):
            return (thread,)
        case Havoc() | Self() | AtomicBegin() | AtomicEnd() | Fence():
            return ()


def writes(statement: Statement) -> tuple[Term, ...]:
    """The variables that a statement assigns, not counting what a callee does to globals."""
    match statement:
        case Assign(targets, _) | Havoc(targets):
            return targets
        case Call(_, _, results):
            return results
        case Spawn(_, _, result):
            return () if result is None else (result,)
        case Self(target):
            return (target,)
        case Assume() | Assert() | Join() | AtomicBegin() | AtomicEnd() | Fence():
            return ()


def used_and_written(blocks: Iterable[Block]) -> tuple[frozenset[Term], set[Term]]:
    read_terms: list[Term] = []
    written: set[Term] = set()
    for block in blocks:
        for statement in block.statements:
            read_terms.extend(reads(statement))
            written.update(writes(statement))
    return free_variables(*read_terms), written


def live_at_entry(blocks: Mapping[str, Block], at_return: frozenset[Term]) -> dict[str, set[Term]]:
    """For each block, the variables whose values may still be read when it is entered.

    Globals that callees read are not seen: callers that care add them to ``at_return`` or treat globals apart.
    """
    gen: dict[str, set[Term]] = {}
    kill: dict[str, set[Term]] = {}
    for label, block in blocks.items():
        gen[label], kill[label] = _gen_kill(block)
    live: dict[str, set[Term]] = {label: set(gen[label]) for label in blocks}
    before = predecessors(blocks, blocks)
    pending = list(blocks)
    waiting = set(pending)
    while pending:
        label = pending.pop()
        waiting.discard(label)
        successors = blocks[label].successors
        after: set[Term] = set() if successors else set(at_return)
        for successor in successors:
            after |= live[successor]
        new = gen[label] | (after - kill[label])
        if len(new) > len(live[label]) or not successors:
            live[label] = new
            for predecessor in before[label]:
                if predecessor not in waiting:
                    waiting.add(predecessor)
                    pending.append(predecessor)
    return live


def _gen_kill(block: Block) -> tuple[set[Term], set[Term]]:
    gen: set[Term] = set()
    kill: set[Term] = set()
    for statement in block.statements:
        gen |= free_variables(*reads(statement)) - kill
        kill.update(writes(statement))
    return gen, kill
