"""A review as text: its split tree, down to some depth, below which parts are counted; and what workers did.

split tree: 3 splits; 2 parts closed, 2 open
  whole search: split by worker 1 at 1.2 s
    avoiding Dispatch (driver.c:12): split by worker 1 at 1.9 s
      avoiding Complete (driver.c:31): 1 split; 1 part closed, 1 open, cost 2.1M, workers 1, 2
      reaching Complete (driver.c:31): open
    reaching Dispatch (driver.c:12): closed by worker 2 at 3.4 s, cost 1.2M, 12% of it setup
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cleave.engines.inline.review_tree import Below, Part, Settled, SplitTree
from cleave.engines.inline.review_workers import WorkerRecord, effort
from cleave.engines.text import amount, count, table

if TYPE_CHECKING:  # it imports this
    from cleave.engines.inline.review import InlineReview

_SIDES = {"0": "avoiding", "1": "reaching"}
_MOST_NAMED = 8
_MOST_WORKERS = 40
_COLUMNS = ("worker", "place", "closed", "splits", "instances", "search", "setup", "checking", "unfinished", "busy")


def review_text(review: InlineReview, depth: int) -> Iterable[str]:
    if review.workers:
        yield from tree_text(review.tree, depth)
        yield from _workers(review)
        yield from _cost(review)
    yield from review.crew.lost_text()
    yield from _dissimilarity(review)


def tree_text(tree: SplitTree, depth: int) -> Iterable[str]:
    sums = tree.below()
    yield f"split tree: {_counts(sums[''])}"
    pending = [""]
    while pending:
        part = tree.parts[pending.pop()]
        cut = len(part.id) >= depth and part.split_by is not None
        told = _summary(sums[part.id]) if cut else _part(part)
        yield f"  {'  ' * len(part.id)}{label_of(tree, part)}: {told}"
        if part.split_by is not None and not cut:
            pending += (part.id + "1", part.id + "0")


def label_of(tree: SplitTree, part: Part) -> str:
    if not part.id:
        return "whole search"
    return f"{_SIDES[part.id[-1]]} {tree.parts[part.id[:-1]].call or 'the call'}"


def _part(part: Part) -> str:
    told = []
    if part.split_by is not None:
        told.append(f"split by worker {part.split_by} at {part.split_at:.1f} s")
    if part.settled is not None:
        told.append(_settled(part.settled))
    return "; ".join(told) or "open"


def _settled(settled: Settled) -> str:
    effort = settled.effort
    cost = effort.search + effort.setup + effort.validation
    setup = f", {effort.setup / cost:.0%} of it setup" if cost else ""
    reason = f" ({settled.reason})" if settled.reason else ""
    return f"{settled.answer}{reason} by worker {settled.worker} at {settled.seconds:.1f} s, cost {amount(cost)}{setup}"


def _summary(below: Below) -> str:
    workers = sorted(below.workers)
    names = ", ".join(map(str, workers[:_MOST_NAMED])) + (", …" if len(workers) > _MOST_NAMED else "")
    return f"{_counts(below)}, cost {amount(below.cost)}" + (f", workers {names}" if workers else "")


def _counts(below: Below) -> str:
    told = [f"{count(below.closed, 'part')} closed", f"{below.open} open"]
    told += [
        f"{number} {name}" for number, name in ((below.violated, "violated"), (below.given_up, "given up")) if number
    ]
    return f"{count(below.splits, 'split')}; {', '.join(told)}"


def _workers(review: InlineReview) -> Iterable[str]:
    yield "who did what (search, setup, checking of proofs, unfinished: cost; busy: seconds):"
    shown = list(review.workers.values())[:_MOST_WORKERS]
    yield from table([_COLUMNS, *map(worker_row, shown)], right=_COLUMNS[2:], indent="  ")
    if len(shown) < len(review.workers):
        yield f"  … {len(review.workers) - len(shown)} further workers; --json shows them"


def worker_columns() -> tuple[str, ...]:
    return _COLUMNS


def worker_row(worker: WorkerRecord) -> tuple[str, ...]:
    return (
        str(worker.number),
        worker.place,
        str(worker.closed),
        str(worker.splits),
        str(len(worker.inlined)),
        amount(worker.search),
        amount(worker.setup),
        amount(worker.validation),
        amount(worker.unfinished),
        f"{worker.seconds_busy:.1f}",
    )


def _cost(review: InlineReview) -> Iterable[str]:
    spent_on = effort(review.workers.values())
    spent = spent_on["search"] + spent_on["setup"] + spent_on["validation"]
    if spent:
        shares = (("search", "search"), ("setup", "setting up parts that moved"), ("validation", "checking proofs"))
        told = ", ".join(f"{spent_on[key] / spent:.0%} {name}" for key, name in shares)
        yield f"where the cost of {amount(spent)} went: {told}"
    if spent_on["unfinished"]:
        yield f"spent on parts that are not finished yet or were lost with a worker: {amount(spent_on['unfinished'])}"


def _dissimilarity(review: InlineReview) -> Iterable[str]:
    found = review.dissimilarity()
    if found is None:
        return
    span = f", from {found.least:.2f} to {found.most:.2f}" if found.least is not None else ""
    workers = len(found.workers)
    yield f"dissimilarity of {workers} workers (0: same calls, 1: no call in common): mean {found.mean:.2f}{span}"
