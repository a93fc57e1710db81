"""A review as an object that JSON can hold: what ``cleave show --json`` prints."""

from __future__ import annotations

from typing import Any

import msgspec

from cleave.review.dissimilarity import Dissimilarity
from cleave.review.review import Review
from cleave.review.tree import Part
from cleave.review.workers import WorkerRecord


def review_object(review: Review) -> dict[str, Any]:
    """The tree is a flat list: nested, its depth would be more than readers of JSON can take."""
    sums = review.tree.below()[""]
    info: dict[str, Any] = msgspec.to_builtins(review.info)
    return {
        "run": info.pop("id"),
        "journal": str(review.path),
        "state": review.state,
        "verdict": (review.result or {}).get("verdict"),
        "seconds": round(review.seconds, 3),
        "breaks": review.breaks,
        **info,
        "result": review.result,
        "splits": sums.splits,
        "parts": {"open": sums.open, "closed": sums.closed, "violated": sums.violated, "given_up": sums.given_up},
        "effort": effort_object(review),
        "workers_seen": [_worker_object(worker) for worker in review.workers.values()],
        "lost_workers": [
            {"worker": worker.number, "seconds": _rounded(worker.left), "reason": worker.why_left}
            for worker in review.lost()
        ],
        "dissimilarity": _dissimilarity_object(review.dissimilarity()),
        "tree": [_part_object(part) for _, part in sorted(review.tree.parts.items())],
    }


def effort_object(review: Review) -> dict[str, Any]:
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
        "joined": _rounded(worker.joined),
        "left": _rounded(worker.left),
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
        "seconds_busy": _rounded(worker.seconds_busy),
    }


def _part_object(part: Part) -> dict[str, Any]:
    found: dict[str, Any] = {"id": part.id, "state": part.state}
    if part.split_by is not None:
        found |= {"split_by": part.split_by, "split_at": _rounded(part.split_at), "call": part.call}
    if (settled := part.settled) is not None:
        found |= {
            "settled_by": settled.worker,
            "settled_at": _rounded(settled.seconds),
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


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
