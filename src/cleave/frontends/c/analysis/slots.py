"""How far apart objects lie where accesses are checked: each has a slot of addresses, a power of two, for itself.

    64 bit      every slot has 2**40 addresses; the object starts in the middle of it
    32 bit      by region: small where sizes are known and no pointer moves inside of objects; 2**22 or what the largest
                object needs where there may be many; as much as there is where there are few of unknown size

So a pointer tells its object without a search: the high bits are the slot's. A pointer that leaves its object stays in
the slot, as it does on machines, and comes back to the same object. One that would leave the slot becomes wild: it
points into no object.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.c.analysis.cells import Memory

_POWER_64 = 40
_MOVING_32, _FIXED_32, _EXACT_32 = 22, 12, 6
_LARGEST_32, _ALL_32 = 28, 29


def slot_power(bits: int, memory: Memory, sizes: Iterable[int | None], few: int = 0) -> int:
    """The bits of an address inside of a slot; ``sizes`` are those of the region's objects, None where it varies.
    ``few``: so many objects of unknown size there are, in all regions, and not more; 0: there may be any number."""
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
        least = max(_MOVING_32, _ALL_32 - few.bit_length()) if few else _MOVING_32
    elif not memory.stride:
        least = _EXACT_32
    return min(max(least, needed), _LARGEST_32)
