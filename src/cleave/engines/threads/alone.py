"""The search in this process, without a coordinator: one number of contexts after the other, all schedules at once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from cleave.engines.desk import News
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.threads.coordinator import part_names
from cleave.engines.threads.messages import Task
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.part import Outcome, Part
from cleave.engines.unfolding.instances import Unfolded
from cleave.ir.schedule import Schedule
from cleave.verdict import Reason

_REASONS = {"interrupted": Reason.INTERRUPTED, "timeout": Reason.TIMEOUT, "memory": Reason.MEMORY}

Guard = Callable[[Callable[[], None]], None]
"""Is given what interrupts the solver that works now."""


def search_alone(task: Task, unfolded: Unfolded, guard: Guard) -> Generator[News, None, Finding[Schedule | None]]:
    options = task.options
    levels = (0,) if options.rounds else options.tried
    levels = levels[-1:] if options.partitions else levels
    names = part_names(options.partitions)
    names = names[options.first : len(names) if options.last is None else options.last + 1]
    bounds: frozenset[str] = frozenset()
    cost, checked = 0, 0
    for contexts in levels:
        for name in names:
            part = Part(unfolded, contexts, name, options)
            guard(part.interrupt)
            slices = part.run(options.slice_cost, last=contexts == levels[-1])
            found: Outcome | None = None
            while found is None:
                try:
                    next(slices)
                except StopIteration as stop:
                    found = stop.value
                yield {
                    "contexts": contexts,
                    "unwind": options.general_unwind,
                    "cost": cost + part.cost(),
                    **part.size(),
                }
            if isinstance(found, Violation):
                return found
            if isinstance(found, GivenUp):
                reason = _REASONS.get(found.reason, Reason.SOLVER)
                done = f"no violation within {checked} contexts" if checked else ""
                return GaveUp(reason, done if reason in _REASONS.values() else found.reason)
            bounds |= found.bounds
            cost += part.cost()
        checked = contexts
        bounds = bounds if contexts == levels[-1] else frozenset()
    return Proof(None, bound_values(options, levels[-1], bounds))


def bound_values(options: ThreadsOptions, contexts: int, names: Iterable[str]) -> dict[str, int]:
    """The bounds that took part, with their values."""
    values = {"contexts": contexts, "rounds": options.rounds, "unwind": options.general_unwind}
    return {name: values[name] for name in sorted(names)}
