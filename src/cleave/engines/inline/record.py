"""The split tree of a run, from its events, read without the coordinator: for
`validate.proofs.coverage`, and to show which worker solved what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cleave.engines.coordination import Event, valid_messages
from cleave.engines.inline.messages import Closed, Outcome, SendPartition, from_worker
from cleave.ir import split_tree as tree


def split_tree(events: Iterable[Event]) -> Iterator[tree.Record]:
    """The divided and the closed partitions, in order."""
    for _, message in valid_messages(events, from_worker):
        match message:
            case SendPartition(id=partition, meaning=meaning):
                yield tree.Divided(partition, meaning)
            case Outcome(id=partition, answer=Closed(decisions=decisions)):
                yield tree.Closed(partition, decisions)
                if not partition:
                    return  # the run is over; another worker may have come to the same end at the same moment
