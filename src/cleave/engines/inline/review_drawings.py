"""The drawings of a run of the inline engine: its split tree, which worker did what when, and how different the
searches of its workers were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cleave.engines.inline.messages import SendPartition
from cleave.engines.inline.review_text import label_of, worker_columns, worker_row
from cleave.engines.inline.review_tree import Part, Settled
from cleave.engines.inline.unfolding_drawing import drawn
from cleave.engines.review.drawings import Drawing, Matrix, Node, Rows, Tree
from cleave.engines.text import amount

if TYPE_CHECKING:  # it imports this
    from cleave.engines.inline.review import InlineReview

_MOST_ROWS = 500
_LONG = 20  # digits of a part's id
_OF_A_SPLIT = (
    "What was inlined in the part that was split last: calls below their callers. Shared: an instance that another call"
    " is bound to as well."
)
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
                begin=review.tree.parts[id[:-1]].split_at if id else 0.0,
                end=_since(part),
            )
        )
    return Tree(
        title="Split tree",
        nodes=tuple(nodes),
        note="A part is as wide as what it and its parts cost. Below each split, left: executions that avoid the call;"
        " right: executions that reach it.",
    )


def _unfolding(review: InlineReview) -> Iterable[Tree]:
    """As the last split tells it or, of a search that was not split, its proof."""
    found = None
    if (split := review.last_split) is not None:
        decided = {decision.instance: decision.reach for decision in split.partition.decisions}
        calls = [(caller, callee) for caller, _, callee in split.partition.bindings()]
        found = drawn(split.names or _named(review, split), calls, decided, _OF_A_SPLIT)
    elif review.whole is not None:
        instances = review.whole.instances
        calls = [(caller, callee) for caller, one in enumerate(instances) for _, _, callee in one[2]]
        found = drawn([procedure for procedure, _, _ in instances], calls)
    yield from () if found is None else (found,)


def _named(review: InlineReview, split: SendPartition) -> list[str]:
    """By what was decided, of what is too large to have names of its own."""
    names = {0: "entry"} | {
        decision.instance: review.tree.parts[split.id[:at]].call
        for at, decision in enumerate(split.partition.decisions)
        if split.id[:at] in review.tree.parts
    }
    return [names.get(number, f"instance {number}") for number in range(max(names) + 1)]


def _since(part: Part) -> float | None:
    """When it got its state."""
    if part.state == "split":
        return part.split_at
    return part.settled.seconds if part.settled is not None else None


def _cost(settled: Settled | None) -> int:
    return settled.effort.search + settled.effort.setup + settled.effort.validation if settled is not None else 0


def _details(review: InlineReview, part: Part, worker: int | None) -> Iterable[str]:
    if 1 < len(part.id) <= _LONG:
        yield f"part {part.id}"
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
