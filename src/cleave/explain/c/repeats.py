"""Loops in a trace: rows that repeat, where only the first time is shown.

    for (…) a[i] = i; for (…) a[i] = i; for (…) a[i] = i; …        for (…) a[i] = i; iterations 2 to 998

Rows repeat if they are of the same lines, at the same depth, with the same decisions; what values they set does not
matter. Short periods come first, so that a loop inside of a loop is one row when the outer one is looked at. A trace
that is still too long is `shortened`: then ways through a loop that were shown before are left out, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from cleave.explain.c.rows import Row
from cleave.records import dataclass

_LEAST = 3  # times that rows come again before they are left out
_LONGEST = 64  # rows that come again together
_WORK = 4_000_000  # comparisons


Loop = tuple[int, str]  # an activation, and the block in which iterations begin


@dataclass(slots=True, eq=False)
class Repeated:
    """Rows that were left out: ``count`` iterations of a loop. The last one is ``ending``, number ``last``."""

    loop: Loop
    rows: list[Row]
    ending: list[Row]
    count: int
    last: int

    @property
    def depth(self) -> int:
        return self.rows[0].depth

    @property
    def thread(self) -> int:
        return self.rows[0].thread


Item = Row | Repeated


def folded(rows: Sequence[Row]) -> list[Item]:
    items: list[Item] = list(rows)
    period = 1
    while period <= min(_LONGEST, len(items) // _LEAST) and period * len(items) <= _WORK:
        items = _folded(items, period)
        period += 1
    return items


def _folded(items: list[Item], period: int) -> list[Item]:
    keys = [_key(item) for item in items]
    found: list[Item] = []
    at = 0
    while at < len(items):
        times = 0
        while keys[at : at + period] == keys[at + (times + 1) * period : at + (times + 2) * period]:
            times += 1
        if times < _LEAST - 1 or not _is_loop(items[at : at + period + 1]):
            found.append(items[at])
            at += 1
            continue
        found += items[at : at + period]
        found.append(_repeated(items[at + period : at + (times + 1) * period], times))
        at += (times + 1) * period
    return found


def _is_loop(items: list[Item]) -> bool:
    """Whether an iteration of a loop begins with the first row, and the next one with the last."""
    first, last = items[0], items[-1]
    if not isinstance(first, Row) or not isinstance(last, Row) or first.frame != last.frame:
        return False
    return not first.begins.isdisjoint(last.begins) and last.iteration == first.iteration + 1


def _repeated(items: list[Item], times: int) -> Repeated:
    ending = items[-(len(items) // times) :]
    first, last = items[0], ending[0]
    assert isinstance(first, Row)
    assert isinstance(last, Row)
    loop = (first.frame, min(first.begins & last.begins))
    return Repeated(loop, _rows(items), _rows(ending), times, last.iteration)


def _rows(items: Sequence[Item]) -> list[Row]:
    return [row for item in items for row in ([item] if isinstance(item, Row) else item.rows)]


def _key(item: Item) -> Hashable:
    if isinstance(item, Row):
        return (item.thread, item.depth, item.location.file, item.location.line, item.decision, item.is_last)
    first = item.rows[0]
    return (item.thread, item.depth, first.location.file, first.location.line, "repeated")


# --- iterations that differ -----------------------------------------------------------------------------------------


def shortened(items: Sequence[Item]) -> list[Item]:
    """Of each loop the first iteration of each way that iterations take, and the last; inner loops first."""
    found = list(items)
    depths: dict[Loop, int] = {}
    for item in found:
        if isinstance(item, Row):
            depths.update(dict.fromkeys(((item.frame, label) for label in item.begins), item.depth))
    for loop in sorted(depths, key=lambda one: -depths[one]):
        found = _shortened(found, loop)
    return found


def _shortened(items: list[Item], loop: Loop) -> list[Item]:
    found: list[Item] = []
    seen: set[Hashable] = set()
    pieces = list(_pieces(items, loop))
    for number, piece in enumerate(pieces):
        first = piece[0]
        if isinstance(first, Row) and not _begins(first, loop):  # before the loop, where the list begins
            found += piece
            continue
        if _iteration(first) == 1:
            seen.clear()
        way = tuple(map(_key, piece))
        follows = pieces[number + 1][0] if number + 1 < len(pieces) else None
        goes_on = follows is not None and _iteration(follows) > _iteration(first)
        is_known = isinstance(first, Repeated) or way in seen
        if is_known and goes_on and all(item.thread == first.thread for item in piece):
            _leave_out(found, piece, loop)
        else:
            found += piece
        seen.add(way)
    return found


def _pieces(items: Sequence[Item], loop: Loop) -> Iterator[list[Item]]:
    """What comes before the loop, and then its iterations; the last one goes on to the end, or to another visit."""
    piece: list[Item] = []
    for item in items:
        is_first = _begins(item, loop) if isinstance(item, Row) else item.loop == loop
        was_left_out = bool(piece) and isinstance(piece[0], Repeated) and piece[0].loop == loop
        if piece and (is_first or was_left_out):
            yield piece
            piece = []
        piece.append(item)
    if piece:
        yield piece


def _begins(row: Row, loop: Loop) -> bool:
    return row.frame == loop[0] and loop[1] in row.begins


def _iteration(item: Item) -> int:
    return item.iteration if isinstance(item, Row) else item.last


def _leave_out(found: list[Item], piece: list[Item], loop: Loop) -> None:
    """Puts the rows of one iteration, or several, to those that were left out just before."""
    first = piece[0]
    count = first.count if isinstance(first, Repeated) else 1
    ending = first.ending if isinstance(first, Repeated) else _rows(piece)
    before = found[-1] if found else None
    if isinstance(before, Repeated) and before.loop == loop:
        found[-1] = Repeated(loop, before.rows + _rows(piece), ending, before.count + count, _iteration(first))
    else:
        found.append(Repeated(loop, _rows(piece), ending, count, _iteration(first)))
