"""A split tree as text, down to some depth; what is below is counted.

split tree: 3 splits; 2 parts closed, 2 open
  whole search: split by worker 1 at 1.2 s
    avoiding Dispatch (driver.c:12): split by worker 1 at 1.9 s
      avoiding Complete (driver.c:31): 1 split; 1 part closed, 1 open, cost 2.1M, workers 1, 2
      reaching Complete (driver.c:31): open
    reaching Dispatch (driver.c:12): closed by worker 2 at 3.4 s, cost 1.2M, 12% of it setup
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.cli.table import amount, count
from cleave.review.tree import Below, Part, Settled, SplitTree

_SIDES = {"0": "avoiding", "1": "reaching"}
_MOST_WORKERS = 8


def tree_text(tree: SplitTree, depth: int) -> Iterable[str]:
    sums = tree.below()
    yield f"split tree: {_counts(sums[''])}"
    pending = [""]
    while pending:
        part = tree.parts[pending.pop()]
        cut = len(part.id) >= depth and part.split_by is not None
        told = _summary(sums[part.id]) if cut else _part(part)
        yield f"  {'  ' * len(part.id)}{_label(tree, part)}: {told}"
        if part.split_by is not None and not cut:
            pending += (part.id + "1", part.id + "0")


def _label(tree: SplitTree, part: Part) -> str:
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
    names = ", ".join(map(str, workers[:_MOST_WORKERS])) + (", …" if len(workers) > _MOST_WORKERS else "")
    return f"{_counts(below)}, cost {amount(below.cost)}" + (f", workers {names}" if workers else "")


def _counts(below: Below) -> str:
    told = [f"{count(below.closed, 'part')} closed", f"{below.open} open"]
    told += [
        f"{number} {name}" for number, name in ((below.violated, "violated"), (below.given_up, "given up")) if number
    ]
    return f"{count(below.splits, 'split')}; {', '.join(told)}"
