"""Do the closed partitions of a split search cover all of it? Checked from what the coordinator accepted, without it.

Whatever an execution does, it avoids the instance that a partition was divided on, or reaches it. So the leaves of the
split tree cover the root as long as each is closed by a proof made under the very decisions that its path spells.

>>> m = b"instance"
>>> covered([Divided("", m), Closed("1", ((m, True),)), Closed("0", ((m, False),))]).holds
True
>>> covered([Divided("", m), Closed("1", ((m, True),))]).text
"partition '0' is still open"
>>> covered([Divided("", m), Closed("1", ((m, False),))]).text
"partition '1' was closed under other decisions than its own: the first that differs is decision 1"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from cleave.ir.split_tree import ROOT, Closed, Divided, Record
from cleave.validate.confirmation import Confirmation, rejected


class _Decision(NamedTuple):
    """The last decision of a partition, and the partition it was made in."""

    before: _Decision | None
    meaning: bytes
    reach: bool


_Open: TypeAlias = dict[str, _Decision | None]
"""The open leaves. Nothing is kept of a closed one, so what a check needs is what is open at one time."""


def covered(records: Iterable[Record]) -> Confirmation:
    """Whether the records, in the order they were accepted in, cover the whole search; if not, what is missing."""
    missing = _missing(records)
    return Confirmation(True, "the closed parts cover the search") if missing is None else rejected(missing)


def _missing(records: Iterable[Record]) -> str | None:
    """None: nothing.

    The root may be closed while parts of it are searched too: a proof under no decision covers everything, and what
    is open then does not matter. All records must make sense nevertheless.
    """
    leaves: _Open = {ROOT: None}
    root_closed = False
    for record in records:
        if isinstance(record, Closed) and record.partition == ROOT:
            if (wrong := _close_root(leaves, record, root_closed)) is not None:
                return wrong
            root_closed = True
        elif record.partition not in leaves:
            return _no_leaf(leaves, record)
        elif isinstance(record, Divided):
            _divide(leaves, record)
        elif (wrong := _close(leaves, record)) is not None:
            return wrong
    return None if root_closed else _still_open(leaves)


def _close_root(leaves: _Open, record: Closed, closed_before: bool) -> str | None:
    if closed_before:
        return "the whole search was closed twice"
    if record.decisions:
        return f"the whole search was closed under decisions ({len(record.decisions)}), which prove only a part of it"
    leaves.pop(ROOT, None)
    return None


def _divide(leaves: _Open, record: Divided) -> None:
    before = leaves.pop(record.partition)
    leaves[record.partition + "0"] = _Decision(before, record.meaning, reach=False)
    leaves[record.partition + "1"] = _Decision(before, record.meaning, reach=True)


def _close(leaves: _Open, record: Closed) -> str | None:
    name, expected = record.partition, leaves.pop(record.partition)
    if len(record.decisions) != len(name):
        return f"partition {name!r} was closed under {len(record.decisions)} decisions instead of its {len(name)}"
    differing = None
    for index, own, used in zip(range(len(name), 0, -1), _upwards(expected), reversed(record.decisions), strict=True):
        if (own.meaning, own.reach) != used:
            differing = index
    if differing is None:
        return None
    return (
        f"partition {name!r} was closed under other decisions than its own: "
        f"the first that differs is decision {differing}"
    )


def _upwards(last: _Decision | None) -> Iterator[_Decision]:
    while last is not None:
        yield last
        last = last.before


def _no_leaf(leaves: _Open, record: Record) -> str:
    """Why the record's partition is no open leaf. What is open tells, so nothing else is kept to say it."""
    name = record.partition
    done = "divided" if isinstance(record, Divided) else "closed"
    if name.strip("01"):
        return f"{name!r} was {done}, which names no partition"
    if any(name[:length] in leaves for length in range(len(name))):
        return f"partition {name!r} was {done}, but no division made it"
    if any(leaf.startswith(name) for leaf in leaves):
        return f"partition {name!r} was {done} after it had been divided"
    return f"partition {name!r} was {done} after it had been closed"


def _still_open(leaves: _Open) -> str | None:
    if not leaves:
        return None
    if ROOT in leaves:
        return "nothing was divided or closed: the whole search is still open"
    first = min(leaves, key=lambda name: (len(name), name))
    others = len(leaves) - 1
    return f"partition {first!r} is still open" + (f", and {others} more" if others else "")
