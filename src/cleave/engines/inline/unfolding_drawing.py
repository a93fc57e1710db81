"""A small unfolding as a drawing: calls below their callers. An instance that several calls share is drawn once.

drawn(["main", "f (a.bpl:3)", "g (a.bpl:9)"], [(0, 1), (0, 2), (1, 2)])      # g is shared
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from cleave.engines.inline.unfolding import Unfolding
from cleave.engines.review.drawings import Node, Tree

_MOST_CALLS = 400
_NOTE = (
    "Calls below their callers. Shared: an instance that another call is bound to as well, where all that it calls is."
)


def drawn(
    names: Sequence[str], calls: Iterable[tuple[int, int]], decided: Mapping[int, bool] | None = None, note: str = _NOTE
) -> Tree | None:
    """``calls`` are callers and callees by their numbers; 0 is the entry. ``names`` may be fewer than the instances.
    ``decided``: whether executions must reach an instance, or must avoid it. None: too many, or none."""
    callees: dict[int, list[int]] = defaultdict(list)
    for caller, callee in calls:
        callees[caller].append(callee)
    if not callees or sum(map(len, callees.values())) > _MOST_CALLS:
        return None
    nodes: list[Node] = []
    seen: set[int] = set()
    pending: deque[tuple[int, str, str | None]] = deque([(0, "0", None)])
    while pending:
        number, id, parent = pending.popleft()
        label = names[number] if number < len(names) else f"instance {number}"
        state = "shared" if number in seen else _state((decided or {}).get(number))
        nodes.append(Node(id=f"u{id}", parent=None if parent is None else f"u{parent}", label=label, state=state))
        if number not in seen:
            pending.extend((callee, f"{id}.{place}", id) for place, callee in enumerate(callees[number]))
        seen.add(number)
    return Tree(title="Unfolding", nodes=tuple(nodes), note=note)


def drawn_whole(unfolding: Unfolding) -> Tree | None:
    """At the end of a search that nobody shared."""
    if len(unfolding.instances) > _MOST_CALLS:
        return None
    names = [unfolding.describe_call(one) if one.callers else one.condition.procedure for one in unfolding.instances]
    calls = [(one.number, c.number) for one in unfolding.instances for c in one.callees if c is not None]
    return drawn(names, calls)


def _state(reach: bool | None) -> str:
    return "inlined" if reach is None else "must reach" if reach else "must avoid"
