"""Which instance to split a search on (HYDRA, section III-B).

The last under-approximation was refuted with the help of some calls being blocked: its core. What the search does next
happens below those, so they are what to divide. The weight of an instance is the number of calls of the core below it.

proof     an instance with weight that about half of the latest paths passed: where the search has been on both sides of
          late, both halves are left with something to do. Of several, and always with few workers, the one whose weight
          is nearest to half of all
paper     the instance with the largest weight
random    any instance

Many instances are passed by every execution, or by none that matters; a split on one of them is *trivial*: one half is
everything. `proof` asks the solver first and takes the best instance of which that is not easily seen.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from cleave.engines.inline.options import InlineOptions, Splits
from cleave.engines.inline.stratified import Search
from cleave.engines.inline.unfolding import Instance, bit_set


def split_candidates(search: Search, how: InlineOptions, workers: int, random: Random) -> list[Instance]:
    """The instances that no decision speaks of yet, best first; none before the search has refuted anything."""
    if search.relevant is None:
        return []
    candidates = _undecided(search)
    if how.splits is Splits.RANDOM:
        random.shuffle(candidates)
        return candidates
    # A refutation that blocks no call is about what is inlined: then every instance is as relevant as another.
    relevant = search.relevant or candidates
    weights = _weights(relevant, candidates)
    whole = len(relevant)

    paths = _paths_within(search) if how.follows_paths(workers) else []

    def rank(instance: Instance) -> tuple[int, int, int]:
        weight = weights[instance.number]
        if how.splits is Splits.PAPER:
            return -weight, 0, -instance.number
        passing = sum(path >> instance.number & 1 for path in paths)
        return abs(2 * passing - len(paths)), abs(2 * weight - whole), -instance.number

    return sorted((instance for instance in candidates if weights[instance.number]), key=rank)


def _paths_within(search: Search) -> list[int]:
    """The latest paths, as far as they are in the partition."""
    reached = bit_set(d.instance for d in search.decisions if d.reach)
    avoided = bit_set(d.instance for d in search.decisions if not d.reach)
    return [path for path in search.paths if not path & avoided and not reached & ~path]


def _undecided(search: Search) -> list[Instance]:
    """The instances that executions of the partition may pass or not, as far as the decisions tell."""
    reached = bit_set(d.instance for d in search.decisions if d.reach)
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
