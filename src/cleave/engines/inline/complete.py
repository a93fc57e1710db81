"""Complete unfoldings: every call inlined up to the recursion bound, whatever the property (the paper's Figure 17).

The tree is only counted, because it has millions of instances. A DAG is built.

`best` is the paper's OPT: for each procedure, colour the graph of calls that exclude each other with as few colours as
possible and let each colour be one instance. "Some execution makes both calls" comes from the order in which an
execution makes them, so the graph is a comparability graph, for which first-fit in that order needs the least number of
colours. Hence: take the procedures top-down, so that all calls of each are known, and its calls in the order of
execution, and give each the first instance that fits. (Where a caller was merged itself, its calls take the place of
its first occurrence; from there on the order is a good guess, and so is the paper's.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import Choose, first
from cleave.engines.inline.recursion import Counts, call_graph, depth_of
from cleave.engines.inline.unfolding import Instance, Key, OpenCall, Unfolding

Limit = Callable[[str], int]
"""The recursion bound of a procedure."""


def tree_size(conditions: Conditions, entry: str, limit: Limit) -> int:
    """The number of instances of the complete tree, counted without building it."""
    keys = _keys(conditions, entry, limit)
    sizes: dict[Key, int] = {}
    for key in reversed(keys):
        sizes[key] = 1 + sum(sizes[child] for child in keys[key])
    return sizes[next(iter(keys))]


def complete(conditions: Conditions, entry: str, limit: Limit, choose: Choose) -> Unfolding:
    """The complete unfolding, calls bound in the order in which they are found."""
    unfolding = Unfolding(conditions, entry)
    pending = deque(unfolding.open_calls(unfolding.root))
    while pending:
        call = pending.popleft()
        if call.depth > limit(call.site.callee):
            continue
        shared = choose(unfolding, call)
        if shared is not None:
            unfolding.merge(call, shared)
        else:
            pending.extend(unfolding.open_calls(unfolding.inline(call)))
    return unfolding


def best(conditions: Conditions, entry: str, limit: Limit) -> Unfolding:
    """The smallest complete DAG that is known how to find."""
    unfolding = Unfolding(conditions, entry)
    keys = _keys(conditions, entry, limit)
    waiting: dict[Key, list[tuple[tuple[int, ...], OpenCall]]] = {key: [] for key in keys}

    def offer(instance: Instance, place: tuple[int, ...]) -> None:
        for call in unfolding.open_calls(instance):
            if call.depth <= limit(call.site.callee):
                waiting[call.key].append(((*place, call.site.index), call))

    offer(unfolding.root, ())
    for key in keys:
        for place, call in sorted(waiting.pop(key), key=lambda found: found[0]):
            shared = first(unfolding, call)
            if shared is not None:
                unfolding.merge(call, shared)
            else:
                offer(unfolding.inline(call), place)
    return unfolding


def follow(target: Unfolding) -> Choose:
    """The strategy that grows inside ``target``, a complete unfolding, and so never gets larger, unless splits freeze
    what it would share."""
    twins: dict[int, Instance] = {0: target.root}  # by number: the instance of target that one stands for
    built: dict[int, Instance] = {}  # the other way round

    def twin(instance: Instance) -> Instance:
        if instance.number not in twins:
            caller, index = instance.callers[0]
            found = twins[caller.number].callees[index]
            assert found is not None, "the complete unfolding has what the search inlines"
            twins[instance.number] = found
            built[found.number] = instance
        return twins[instance.number]

    def choose(unfolding: Unfolding, call: OpenCall) -> Instance | None:
        for instance in unfolding.instances[len(twins) :]:
            twin(instance)
        goal = twin(call.caller).callees[call.site.index]
        found = None if goal is None else built.get(goal.number)
        return None if found is None or unfolding.is_fixed(found) else found

    return choose


def _keys(conditions: Conditions, entry: str, limit: Limit) -> dict[Key, list[Key]]:
    """All keys of the complete unfolding, callers before callees, with the keys that each calls (once per call)."""
    graph = call_graph(conditions.callees)
    root: Key = (entry, ((entry, 1),) if entry in graph.recursive else ())
    children: dict[Key, list[Key]] = {}
    order: list[Key] = []
    work: list[tuple[Key, bool]] = [(root, False)]
    while work:
        key, finished = work.pop()
        if finished:
            order.append(key)
            continue
        if key in children:
            continue
        procedure, counts = key
        found: list[Key] = []
        for site in conditions[procedure].calls:
            callee_counts: Counts = graph.counts_of_callee(procedure, counts, site.callee)
            if depth_of(site.callee, callee_counts) <= limit(site.callee):
                found.append((site.callee, callee_counts))
        children[key] = found
        work.append((key, True))
        work.extend((child, False) for child in found)
    return {key: children[key] for key in reversed(order)}
