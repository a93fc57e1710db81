"""The split tree of a run, from its events, read without the coordinator: for `validate.proofs.coverage`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cleave.engines.coordination import Event, valid_messages
from cleave.engines.threads.messages import Divided, Empty, Outcome, from_worker
from cleave.ir import split_tree as tree


def split_tree(events: Iterable[Event], contexts: int, meanings: tuple[bytes, ...] = ()) -> Iterator[tree.Record]:
    """The divided and the closed parts for one number of contexts, in order. ``meanings`` are the bits that were
    decided before the search began, where it was split at once."""
    yield from _at_once("", meanings)
    for _, message in valid_messages(events, from_worker):
        match message:
            case Divided(contexts=bound, name=name, meaning=meaning) if bound == contexts:
                yield tree.Divided(name, meaning)
            case Outcome(contexts=bound, name=name, answer=Empty(decisions=decisions)) if bound == contexts:
                yield tree.Closed(name, decisions)


def _at_once(name: str, meanings: tuple[bytes, ...]) -> Iterator[tree.Record]:
    if meanings:
        yield tree.Divided(name, meanings[0])
        yield from _at_once(name + "0", meanings[1:])
        yield from _at_once(name + "1", meanings[1:])
