"""How far apart objects lie where accesses are checked: each has a slot of addresses, a power of two, for itself.

    64 bit      every slot has 2**40 addresses; the object starts in the middle of it
    32 bit      by region: small where sizes are known and no pointer moves inside of objects; 2**16 or what the largest
                object needs where one does; of unknown size 2**22 where there may be many, else as much as there is

So a pointer gives its object without a search: the high bits are the slot's. A pointer that leaves its object stays in
the slot, as it does on machines, and comes back to the same object. One that would leave the slot becomes wild: it
points into no object.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.c.analysis.cells import Memory

_POWER_64 = 40
_UNKNOWN_32, _MOVING_32, _FIXED_32, _EXACT_32 = 22, 16, 12, 6
_LEAST_SLOTS_32 = (
    2  # of the largest slots there is room for 2**2, and of those of unknown size, if there may be many, for
)
_MANY_SLOTS_32 = 5  # 2**5


def slot_power(bits: int, room: int, memory: Memory, sizes: Iterable[int | None], few: int = 0) -> int:
    """The bits of an address inside of a slot; ``sizes`` are those of the region's objects, None where it varies.
    All slots have 2**``room`` addresses. ``few``: so many objects of unknown size there are, in all regions, and not
    more; 0: there may be any number."""
    if bits == 64:
        return _POWER_64
    known = list(sizes)
    constants = [size for size in known if size is not None]
    needed = (2 * max(constants, default=0) + 2).bit_length() + 1
    kinds = {made.kind for made in memory.region.objects if made.kind != "function"}
    least = _MOVING_32
    if kinds <= {"global"}:
        least = _FIXED_32
    elif len(constants) < len(known):
        many = min(_UNKNOWN_32, room - _MANY_SLOTS_32)
        least = max(many, room - 1 - few.bit_length()) if few else many
    elif not memory.stride:
        least = _EXACT_32
    return min(max(least, needed), room - _LEAST_SLOTS_32)
