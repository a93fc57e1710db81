"""Which instance to split a search on (HYDRA, section III-B).

The last under-approximation was refuted with the help of some calls being blocked: its core. What the search does next
happens below those, so they are what to divide. The weight of an instance is the number of calls of the core below it.

proof     the instance whose weight is nearest to half of all: both halves are left with something to do
paper     the instance with the largest weight
random    any instance

Many instances are passed by every execution, or by none that matters; a split on one of them is *trivial*: one half is
everything. `proof` asks the solver first and takes the best instance of which that is not easily seen.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from cleave.engines.inline.options import Splits
from cleave.engines.inline.search import Search
from cleave.engines.inline.unfolding import Instance


def split_candidates(search: Search, splits: Splits, random: Random) -> list[Instance]:
    """The instances that no decision speaks of yet, best first; none before the search has refuted anything."""
    if search.relevant is None:
        return []
    candidates = _undecided(search)
    if splits is Splits.RANDOM:
        random.shuffle(candidates)
        return candidates
    # A refutation that blocks no call is about what is inlined: then every instance is as relevant as another.
    relevant = search.relevant or candidates
    weights = _weights(relevant, candidates)
    whole = len(relevant)

    def rank(instance: Instance) -> tuple[int, int]:
        weight = weights[instance.number]
        return (-weight if splits is Splits.PAPER else abs(2 * weight - whole), -instance.number)

    return sorted((instance for instance in candidates if weights[instance.number]), key=rank)


def _undecided(search: Search) -> list[Instance]:
    """The instances that executions of the partition may pass or not, as far as the decisions tell."""
    reached = sum(1 << number for number in {d.instance for d in search.decisions if d.reach})
    avoided = {d.instance for d in search.decisions if not d.reach}
    found: dict[int, Instance] = {}
    pending = [search.unfolding.root]
    while pending:
        for callee in pending.pop().callees:
            if callee is not None and callee.number not in found and callee.number not in avoided:
                found[callee.number] = callee
                pending.append(callee)
    return [found[number] for number in sorted(found) if not found[number].below & reached]


def _weights(relevant: list[Instance], candidates: list[Instance]) -> dict[int, int]:
    callers = Counter(caller.number for caller in relevant)
    masks = [(1 << number, count) for number, count in callers.items()]
    return {i.number: sum(count for mask, count in masks if i.below & mask) for i in candidates}
