"""The history of a run with a flat list of parts, as text.

parts: 3 closed, 1 open
  part                      state   by        at     how       cost
  whole problem             open
  query 2, atom 0 by clause 1  closed  worker 2  3.4 s  global    1.2M
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cleave.engines.review.drawings import Rows
from cleave.engines.text import amount, table

if TYPE_CHECKING:  # they import this
    from cleave.engines.review.parts import PartRecord, PartsReview, WorkerSummary

_PART_COLUMNS = ("part", "state", "by", "at", "how", "cost")
_WORKER_COLUMNS = ("worker", "place", "jobs", "lemmas", "cost", "sharing", "checking", "unfinished", "busy")
_MOST_ROWS = 40  # of each table
_MOST_DRAWN = 500


def parts_text(review: PartsReview) -> Iterable[str]:
    if not review.parts and not review.crew.members:
        yield "no workers were needed"
        return
    states = Counter(part.state for part in review.parts.values())
    yield f"parts: {', '.join(f'{number} {state}' for state, number in states.items())}"
    parts = list(review.parts.values())[:_MOST_ROWS]
    yield from table([_PART_COLUMNS, *map(_part_row, parts)], right=("at", "cost"), indent="  ")
    yield from _further(len(review.parts), "parts")
    for part in parts:
        yield from (f"  without an answer: {part.name}: {reason}" for reason in part.tries)
        yield from (f"  learned in {part.name}: {one}" for one in part.learned)
    if review.crew.members:
        yield "who did what (cost: of the solver; lemmas: sent to others; busy: seconds of finished jobs):"
        rows = [_worker_row(worker) for worker in list(review.crew.members.values())[:_MOST_ROWS]]
        yield from table([_WORKER_COLUMNS, *rows], right=_WORKER_COLUMNS[2:], indent="  ")
        yield from _further(len(review.crew.members), "workers")
    yield from review.crew.lost_text()


def parts_tables(review: PartsReview) -> Iterable[Rows]:
    """The same as tables for pages."""
    parts, workers = list(review.parts.values()), list(review.crew.members.values())
    if parts:
        rows = tuple(_part_row(part) for part in parts[:_MOST_DRAWN])
        left = max(0, len(parts) - _MOST_DRAWN)
        yield Rows(title="Parts", columns=_PART_COLUMNS, rows=rows, numbers=("at", "cost"), further=left)
    if workers:
        rows = tuple(_worker_row(worker) for worker in workers[:_MOST_DRAWN])
        left = max(0, len(workers) - _MOST_DRAWN)
        numbers = _WORKER_COLUMNS[2:]
        yield Rows(
            title="Workers",
            columns=_WORKER_COLUMNS,
            rows=rows,
            numbers=numbers,
            further=left,
            note="Cost is the solver's. Lemmas are those that the worker sent. Busy: seconds of finished jobs.",
        )


def _further(number: int, things: str) -> Iterable[str]:
    if number > _MOST_ROWS:
        yield f"  … {number - _MOST_ROWS} further {things}; --json shows them"


def _part_row(part: PartRecord) -> tuple[str, ...]:
    if part.worker is None:
        return part.name, part.state, "", "", "", ""
    return part.name, part.state, f"worker {part.worker}", f"{part.seconds:.1f} s", part.strategy, amount(part.cost)


def _worker_row(worker: WorkerSummary) -> tuple[str, ...]:
    numbers = (worker.cost, worker.sharing, worker.validation, worker.unfinished)
    told = (str(worker.number), worker.place, str(worker.jobs), str(worker.lemmas))
    return *told, *map(amount, numbers), f"{worker.busy:.1f}"
