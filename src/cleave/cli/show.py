"""``cleave show``: what happened in a run, from its journal."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from typing import Any

from cleave.cli.distribution import add_journal, folder
from cleave.cli.report import as_text
from cleave.cli.show_parts import parts_text
from cleave.cli.table import amount, count, table
from cleave.cli.tree import tree_text
from cleave.flows.choose import CEGAR, PDR, THREADS
from cleave.journal.journal import Journal
from cleave.journal.places import find_run
from cleave.review.inline import InlineReview, review_inline
from cleave.review.objects import effort_object, review_object
from cleave.review.parts import Listener, PartsReview, parts_object, review_parts
from cleave.review.workers import WorkerRecord

_DEPTH = 4
_MOST_WORKERS = 40  # in text
_COLUMNS = ("worker", "place", "closed", "splits", "instances", "search", "setup", "checking", "unfinished", "busy")


def _pdr() -> Listener:
    from cleave.review.pdr import listen  # an engine is loaded only for a run of its own

    return listen


def _threads() -> Listener:
    from cleave.review.threads import listen

    return listen


def _cegar() -> Listener:
    from cleave.review.cegar import listen

    return listen


_LISTENERS = {PDR: _pdr, THREADS: _threads, CEGAR: _cegar}


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "show",
        help="tell what happened in a run",
        description="Tells what happened in a run: its verdict, how the search was split, which worker did what, where"
        " the cost went, which workers were lost, and how different their searches were. Also of a run that is going"
        " on, or that was stopped.",
    )
    parser.add_argument("name", metavar="RUN", help="the id of a run or its beginning, latest, or a journal's path")
    add_journal(parser, "where the journals are")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with the whole split tree")
    parser.add_argument(
        "--depth", type=int, default=_DEPTH, metavar="N", help=f"of the split tree, in text (default {_DEPTH})"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    path = find_run(folder(options), options.name)
    with Journal.open(path) as journal:
        engine = journal.info.engine
    if engine in _LISTENERS:
        found = review_parts(path, _LISTENERS)
        print(json.dumps(parts_object(found)) if options.json else "\n".join(_parts_text(found)))
        return 0
    review = review_inline(path)
    if options.json:
        print(json.dumps(review_object(review)))
    else:
        print("\n".join(_text(review, options.depth)))
    return 0


def _text(review: InlineReview, depth: int) -> Iterable[str]:
    yield from _verdict(review)
    yield from _about(review)
    if review.workers:
        yield from tree_text(review.tree, depth)
        yield from _workers(review)
        yield from _cost(review)
    for worker in review.lost():
        yield f"lost: worker {worker.number} after {worker.left:.1f} s: {worker.why_left}"
    yield from _dissimilarity(review)


def _parts_text(review: PartsReview) -> Iterable[str]:
    yield from _verdict(review)
    yield from _about(review)
    yield from parts_text(review)
    for worker in review.lost():
        yield f"lost: worker {worker.number} after {worker.left:.1f} s: {worker.why_left}"


def _verdict(review: InlineReview | PartsReview) -> Iterable[str]:
    if review.result is None:
        yield f"{review.state}  {review.info.files[0]}"
    elif "error" in review.result:
        yield f"error  {review.info.files[0]}"
        yield f"  {review.result['error']}"
    else:
        yield from as_text(review.result)


def _about(review: InlineReview | PartsReview) -> Iterable[str]:
    info = review.info
    started = info.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    resumed = f", resumed {count(review.breaks, 'time')}" if review.breaks else ""
    yield f"run {info.id}, {review.state}"
    yield f"  started {started}, {review.seconds:.1f} s in all{resumed}; {info.workers} workers wanted, {info.runtime}"
    for name, value in info.options.items():
        if value is not None:
            yield f"  {name}: {_option(value)}"


def _option(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_option(inner)}" for name, inner in value.items() if inner is not None)
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)


def _workers(review: InlineReview) -> Iterable[str]:
    yield "who did what (search, setup, checking of proofs, unfinished: cost; busy: seconds):"
    shown = list(review.workers.values())[:_MOST_WORKERS]
    yield from table([_COLUMNS, *map(_row, shown)], right=_COLUMNS[2:], indent="  ")
    if len(shown) < len(review.workers):
        yield f"  … {len(review.workers) - len(shown)} further workers; --json shows them"


def _row(worker: WorkerRecord) -> tuple[str, ...]:
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
    effort = effort_object(review)
    spent = effort["search"] + effort["setup"] + effort["validation"]
    if spent:
        shares = (("search", "search"), ("setup", "setting up parts that moved"), ("validation", "checking proofs"))
        told = ", ".join(f"{effort[key] / spent:.0%} {name}" for key, name in shares)
        yield f"where the cost of {amount(spent)} went: {told}"
    if effort["unfinished"]:
        yield f"spent on parts that are not finished yet or were lost with a worker: {amount(effort['unfinished'])}"


def _dissimilarity(review: InlineReview) -> Iterable[str]:
    found = review.dissimilarity()
    if found is None:
        return
    span = f", from {found.least:.2f} to {found.most:.2f}" if found.least is not None else ""
    workers = len(found.workers)
    yield f"dissimilarity of {workers} workers (0: same calls, 1: no call in common): mean {found.mean:.2f}{span}"
