"""What a run has done so far, on one line, from its counters; each engine has its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cleave.cli.table import amount, count

Counters = Mapping[str, Any]


def effort(counters: Counters) -> str:
    """Empty if nothing was counted."""
    if "splits" in counters:
        return _distributed_effort(counters)
    if "jobs" in counters:
        return pdr_effort(counters)
    if "iterations" in counters:
        return cegar_effort(counters)
    if "level" in counters:
        runs = count(counters["runs"], "strategy run")
        return f"{runs}, level {counters['level']}, solver cost {amount(counters['cost'])}"
    if "probe_steps" in counters and "unwind" not in counters and "instances" not in counters:
        return f"{amount(counters['probe_steps'])} steps of executions tried"
    if "contexts" in counters:
        size = f", {amount(counters['clauses'])} clauses" if counters.get("clauses") else ""
        bounds = f"{counters['contexts']} contexts, unwind {counters['unwind']}"
        return f"{bounds}{size}, solver cost {amount(counters['cost'])}"
    if "instances" not in counters:
        return ""
    return (
        f"{counters['instances']} instances, {counters['merges']} merges, {counters['open_calls']} calls open,"
        f" {counters['blocked_calls']} at the bound, {counters['checks']} checks, solver cost {counters['cost']}"
    )


def cegar_effort(counters: Counters) -> str:
    """Without what depends on the workers, if that was left out."""
    found = [
        count(counters["iterations"], "iteration"),
        count(counters["predicates"], "predicate"),
        count(counters["states"], "abstract state"),
    ]
    if "workers" in counters:
        lost = f" ({counters['lost_workers']} lost)" if counters["lost_workers"] else ""
        found = [f"{count(counters['workers'], 'worker')}{lost}", *found]
        found += [f"{amount(counters['queries'])} queries", f"solver cost {amount(counters['cost'])}"]
    return ", ".join(found)


def _distributed_effort(counters: Counters) -> str:
    workers = count(counters["workers"], "worker")
    lost = f" ({counters['lost_workers']} lost)" if counters["lost_workers"] else ""
    cost = counters["cost"] + counters["setup_cost"] + counters["validation_cost"]
    if not counters["splits"]:
        return f"{workers}{lost}, not split, cost {amount(cost)}"
    setup = f", {counters['setup_cost'] / cost:.0%} of it to set up parts" if cost else ""
    return (
        f"{workers}{lost}, {count(counters['splits'], 'split')},"
        f" {count(counters['closed'], 'part')} closed, {counters['open_partitions']} open, cost {amount(cost)}{setup}"
    )


def pdr_effort(counters: Counters) -> str:
    """What the pdr engine has done, from its counters."""
    lost = f" ({counters['lost_workers']} lost)" if counters["lost_workers"] else ""
    parts = f"{counters['closed']} of {count(counters['partitions'], 'partition')} closed, "
    solved = [name.removeprefix("solved_by ") for name in counters if name.startswith("solved_by ")]
    by = f", solved by {', '.join(solved)}" if solved else ""
    return (
        f"{count(counters['workers'], 'worker')}{lost}, {parts if counters['partitions'] else ''}"
        f"level {counters['level']}, lemmas {counters['lemmas_pushed']} told and {counters['lemmas_pulled']} taken,"
        f" solver cost {amount(counters['cost'])}{by}"
    )
