"""How a problem is divided, as its coordinator sees it: which partitions the divisions leave to solve.

>>> from cleave.engines.pdr.messages import Division
>>> query = Partition(7)
>>> [str(left) for left in leaves([7, 8], [Division(query, 0, open=(1, 2), infeasible=(0,))])]
['query 8', 'query 7, atom 0 by clause 1', 'query 7, atom 0 by clause 2']
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.pdr.messages import Division
from cleave.ir.horn_partition import Partition


def leaves(queries: Iterable[int], divisions: Iterable[Division]) -> list[Partition] | None:
    """The partitions that are left to solve, in order; None if the divisions make no sense."""
    found: dict[Partition, None] = {Partition(query): None for query in queries}
    for division in divisions:
        if division.partition not in found or set(division.open) & set(division.infeasible):
            return None
        del found[division.partition]
        found.update((division.partition.child(division.atom, rule), None) for rule in division.open)
    return list(found)
