"""The drawings of a run of the inline engine: its split tree, who did what when, and how different the searches
of its workers were."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cleave.engines.inline.review_text import label_of, worker_columns, worker_row
from cleave.engines.inline.review_tree import Part, Settled
from cleave.engines.review.drawings import Drawing, Matrix, Node, Rows, Tree
from cleave.engines.text import amount

if TYPE_CHECKING:  # it imports this
    from cleave.engines.inline.review import InlineReview

_MOST_ROWS = 500
_MOST_CALLS = 400  # of an unfolding that is drawn
_MOST_DECISIONS = 6  # that are listed; a deeper part has more


def review_drawings(review: InlineReview) -> Iterable[Drawing]:
    if not review.workers:
        return
    yield _tree(review)
    yield from _unfolding(review)
    yield from review.crew.lanes()
    workers = list(review.workers.values())
    yield Rows(
        title="Workers",
        columns=worker_columns(),
        rows=tuple(worker_row(worker) for worker in workers[:_MOST_ROWS]),
        numbers=worker_columns()[2:],
        further=max(0, len(workers) - _MOST_ROWS),
        note="Search, setup, checking and unfinished are solver cost. Busy is in seconds.",
    )
    found = review.dissimilarity()
    if found is not None and found.matrix is not None:
        names = tuple(str(number) for number in found.workers)
        yield Matrix(
            title="Dissimilarity",
            rows=names,
            columns=names,
            values=tuple(map(tuple, found.matrix)),
            note=f"0: two workers inlined the same calls; 1: no call in common. Mean {found.mean:.2f}.",
        )


def _tree(review: InlineReview) -> Tree:
    working = {worker.part: worker.number for worker in review.workers.values() if worker.left is None}
    nodes = []
    for id in sorted(review.tree.parts, key=lambda id: (len(id), id)):
        part = review.tree.parts[id]
        worker = working.get(id) if part.state == "open" else None
        nodes.append(
            Node(
                id=id,
                parent=id[:-1] if id else None,
                label=label_of(review.tree, part),
                state=part.state if worker is None else "in work",
                cost=_cost(part.settled),
                details=tuple(_details(review, part, worker)),
            )
        )
    return Tree(
        title="Split tree",
        nodes=tuple(nodes),
        note="A part is as wide as what it and its parts cost. Below each split, left: executions that avoid the call;"
        " right: executions that reach it.",
    )


def _unfolding(review: InlineReview) -> Iterable[Tree]:
    """Calls below their callers, as the last split tells them. An instance that several calls share is drawn once."""
    split = review.last_split
    callees: dict[int, list[int]] = defaultdict(list)
    for caller, _, callee in split.partition.bindings() if split is not None else ():
        callees[caller].append(callee)
    if split is None or not callees or sum(map(len, callees.values())) > _MOST_CALLS:
        return
    decided = {decision.instance: decision.reach for decision in split.partition.decisions}
    names = {
        decision.instance: review.tree.parts[split.id[:at]].call
        for at, decision in enumerate(split.partition.decisions)
        if split.id[:at] in review.tree.parts
    }
    nodes: list[Node] = []
    seen: set[int] = set()
    pending: deque[tuple[int, str, str | None]] = deque([(0, "0", None)])
    while pending:
        number, id, parent = pending.popleft()
        label = names.get(number) or ("entry" if number == 0 else f"instance {number}")
        state = "shared" if number in seen else _decided(decided.get(number))
        nodes.append(Node(id=f"u{id}", parent=None if parent is None else f"u{parent}", label=label, state=state))
        if number not in seen:
            pending.extend((callee, f"{id}.{place}", id) for place, callee in enumerate(callees[number]))
        seen.add(number)
    yield Tree(
        title="Unfolding",
        nodes=tuple(nodes),
        note="What was inlined in the part that was split last: calls below their callers. Shared: an instance that"
        " another call is bound to as well.",
    )


def _decided(reach: bool | None) -> str:
    return "inlined" if reach is None else "must reach" if reach else "must avoid"


def _cost(settled: Settled | None) -> int:
    return settled.effort.search + settled.effort.setup + settled.effort.validation if settled is not None else 0


def _details(review: InlineReview, part: Part, worker: int | None) -> Iterable[str]:
    for end in range(max(1, len(part.id) - _MOST_DECISIONS + 1), len(part.id) + 1):
        yield label_of(review.tree, review.tree.parts[part.id[:end]])
    if len(part.id) > _MOST_DECISIONS:
        yield f"and {len(part.id) - _MOST_DECISIONS} decisions before these"
    if worker is not None:
        yield f"in work: worker {worker}"
    if part.split_by is not None:
        yield f"split by worker {part.split_by} at {part.split_at:.1f} s on {part.call or 'a call'}"
    if (settled := part.settled) is not None:
        effort = settled.effort
        yield f"{settled.answer} by worker {settled.worker} at {settled.seconds:.1f} s"
        yield f"cost {amount(_cost(settled))}: search {amount(effort.search)}, setup {amount(effort.setup)}"
        if settled.answer == "closed":
            bound = "no bound took part" if settled.bound is None else f"within recursion bound {settled.bound}"
            yield f"proof checked at a cost of {amount(effort.validation)}; {bound}"
        if settled.reason:
            yield f"reason: {settled.reason}"
