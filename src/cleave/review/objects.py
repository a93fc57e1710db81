"""The review of a run of the inline engine as an object that JSON can hold: what ``cleave show --json`` prints."""

from __future__ import annotations

from typing import Any

import msgspec

from cleave.review.dissimilarity import Dissimilarity
from cleave.review.inline import InlineReview
from cleave.review.run import rounded
from cleave.review.tree import Part
from cleave.review.workers import WorkerRecord


def review_object(review: InlineReview) -> dict[str, Any]:
    """The tree is a flat list: nested, its depth would be more than readers of JSON can take."""
    sums = review.tree.below()[""]
    return {
        **review.described(),
        "splits": sums.splits,
        "parts": {"open": sums.open, "closed": sums.closed, "violated": sums.violated, "given_up": sums.given_up},
        "effort": effort_object(review),
        "workers_seen": [_worker_object(worker) for worker in review.workers.values()],
        "dissimilarity": _dissimilarity_object(review.dissimilarity()),
        "tree": [_part_object(part) for _, part in sorted(review.tree.parts.items())],
    }


def effort_object(review: InlineReview) -> dict[str, Any]:
    """Where the cost went, added up over all workers."""
    workers = review.workers.values()
    search, setup = sum(w.search for w in workers), sum(w.setup for w in workers)
    validation, unfinished = sum(w.validation for w in workers), sum(w.unfinished for w in workers)
    spent = search + setup + validation
    return {
        "search": search,
        "setup": setup,
        "validation": validation,
        "unfinished": unfinished,
        "setup_share": round(setup / spent, 4) if spent else 0.0,
        "checks": sum(w.checks for w in workers),
        "instances": sum(len(w.inlined) for w in workers),
        "instances_set_up": sum(w.instances_set_up for w in workers),
        "seconds_busy": round(sum(w.seconds_busy for w in workers), 3),
    }


def _worker_object(worker: WorkerRecord) -> dict[str, Any]:
    return {
        "worker": worker.number,
        "place": worker.place,
        "joined": rounded(worker.joined),
        "left": rounded(worker.left),
        "why_left": worker.why_left,
        "closed": worker.closed,
        "splits": worker.splits,
        "search": worker.search,
        "setup": worker.setup,
        "validation": worker.validation,
        "unfinished": worker.unfinished,
        "checks": worker.checks,
        "instances": len(worker.inlined),
        "instances_set_up": worker.instances_set_up,
        "seconds_busy": rounded(worker.seconds_busy),
    }


def _part_object(part: Part) -> dict[str, Any]:
    found: dict[str, Any] = {"id": part.id, "state": part.state}
    if part.split_by is not None:
        found |= {"split_by": part.split_by, "split_at": rounded(part.split_at), "call": part.call}
    if (settled := part.settled) is not None:
        found |= {
            "settled_by": settled.worker,
            "settled_at": rounded(settled.seconds),
            "effort": msgspec.to_builtins(msgspec.structs.asdict(settled.effort)),
        }
        found |= {"bound": settled.bound} if settled.answer == "closed" else {}
        found |= {"reason": settled.reason} if settled.reason else {}
    return found


def _dissimilarity_object(found: Dissimilarity | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "mean": found.mean,
        "least": found.least,
        "most": found.most,
        "workers": found.workers,
        "matrix": found.matrix,
    }
