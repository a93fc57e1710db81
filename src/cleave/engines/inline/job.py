"""A worker's part of a partition that it was given: the search, what it split off, and the proofs it owes."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from cleave.engines.inline.alone import make_search
from cleave.engines.inline.claims import Claims
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.messages import SendPartition, Task
from cleave.engines.inline.options import Decisions, Splits
from cleave.engines.inline.partition import Decision, Partition, describe, names_of
from cleave.engines.inline.solvers import solver_for
from cleave.engines.inline.splitting import split_candidates
from cleave.engines.inline.stratified import INSTANCE_COST, Search
from cleave.engines.inline.unfolding import Instance
from cleave.passes.prepare import Prepared


class Assigned(NamedTuple):
    """A task, and the program in it, prepared."""

    task: Task
    prepared: Prepared
    conditions: Conditions


class Job:
    """A search that began with a partition of somebody else's. ``id`` is the partition it is confined to now. What
    another worker searches, too, is searched ``differently``."""

    def __init__(self, assigned: Assigned, id: str, partition: Partition, *, differently: bool = False) -> None:
        task, prepared, conditions = assigned
        self._how = task.options
        self._workers = task.workers
        self._solver = solver_for(prepared.program, task.options.seed, differently=differently)
        pushed = self._how.decisions is Decisions.PUSHED
        self.differently = differently
        self.id = id
        self.search: Search = make_search(prepared, conditions, task.options, self._solver, pushed=pushed)
        self.claims = Claims(prepared, self.search, task.options)
        self._began = 0
        self._told = 0  # how many instances the coordinator has been told of
        self._trivial: dict[int, list[str]] = {}  # by instance, the partitions in which it is no use to split on it
        self._halves: dict[str, tuple[tuple[Decision, ...], int]] = {}
        self._set_up(partition)

    def _set_up(self, partition: Partition) -> None:
        self.search.rebuild(partition.bindings())
        self.search.decisions = partition.decisions
        for decision in partition.decisions:
            self.search.unfolding.freeze(self.search.unfolding.instances[decision.instance])

    def go_back(self, id: str) -> int:
        """Turns to a half that was split off here; the bound to go on with."""
        self.id = id
        self.search.decisions, bound = self._halves.pop(id)
        return bound

    def begin_work(self) -> None:
        self._began = self._solver.cost()

    def is_worth_splitting(self) -> bool:
        """Whether as much was done as it would cost another worker to take over the half."""
        moving_cost = self._how.cost_of_moving(self._workers) * len(self.search.unfolding.instances)
        return self._solver.cost() - self._began >= moving_cost

    def solver_cost(self) -> int:
        return self._solver.cost()

    def cost(self) -> int:
        return self._solver.cost() + INSTANCE_COST * len(self.search.unfolding.instances)

    def split(self, random: Random) -> SendPartition | None:
        """Goes on without what must reach a chosen instance; that half, or None if there is nothing to split on."""
        instance = self._choose(random)
        if instance is None:
            return None
        self.begin_work()
        unfolding, before, bound = self.search.unfolding, self.search.decisions, self.search.progress.bound
        unfolding.freeze(instance)
        reach = (*before, Decision(instance.number, True))
        partition = describe(unfolding, reach, bound)
        call = unfolding.describe_call(instance)
        half = SendPartition(
            self.id, unfolding.meaning(instance), partition, self.newly_inlined(), call, names_of(unfolding, reach)
        )
        self._halves[self.id + "1"] = (reach, bound)
        self.search.decisions = (*before, Decision(instance.number, False))
        self.id += "0"
        return half

    def _choose(self, random: Random) -> Instance | None:
        if self._how.splits is not Splits.RANDOM:
            self.search.find_relevant(min(self._how.core_cost, self._how.cost_of_slice(self._workers)))
        candidates = split_candidates(self.search, self._how, self._workers, random)
        if self._how.splits is not Splits.PROOF:
            return candidates[0] if candidates else None
        untried = [c for c in candidates if not self._is_known_trivial(c)]
        for candidate in untried[: self._how.most_probes]:
            if not self.search.is_trivial(candidate, self._how.probe_cost):
                return candidate
            self._trivial.setdefault(candidate.number, []).append(self.id)
        return None

    def _is_known_trivial(self, instance: Instance) -> bool:
        """What is trivial in a partition is trivial in its parts."""
        return any(self.id.startswith(partition) for partition in self._trivial.get(instance.number, ()))

    def newly_inlined(self) -> tuple[int, ...]:
        """Digests of the calls inlined since the coordinator was last told."""
        instances = self.search.unfolding.instances
        new, self._told = instances[self._told :], len(instances)
        return tuple(self.search.unfolding.place(instance) for instance in new)
