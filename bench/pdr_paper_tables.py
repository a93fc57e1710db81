"""The tables of P3's section VI, from simulated runs.

I    what each technique solves: reachable (unsafe), unreachable (safe), unknown. Who was *stopped* by a limit of real
     time or memory before the virtual limit would have solved nobody knows what: those are not counted as unknown.
II   how much faster the best technique and the virtual best are than each strategy alone, over the tasks both solve.
III  what sharing takes and what it exchanges.

And one that the paper has not: the solver cost of all workers together, with sharing by without. A task counts that
one of the two solves; who misses it by then took for ever.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf, log
from statistics import mean, median

from bench.markdown import table, times
from bench.pdr_run import ADAPTIVE, STRATEGY
from bench.ranks import geometric_mean, signed_rank
from bench.rows import Row
from cleave.engines.pdr.options import PAPER, TECHNIQUES

_NAMES = {"portfolio": "portfolio", "partitioning": "partitioning", "+inf": " + ∞", "+k": " + k", "+all": " + all"}

ByTask = Mapping[str, Row]


def paper_tables(rows: Iterable[Row], virtual_limit: float) -> str:
    parallel: defaultdict[int, dict[str, dict[str, Row]]] = defaultdict(lambda: defaultdict(dict))
    alone: defaultdict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if row.how.startswith(STRATEGY):
            alone[row.how.removeprefix(STRATEGY)][row.task] = row
        else:
            parallel[row.workers][row.how][row.task] = row
    return "\n\n".join(_of_workers(workers, found, alone, virtual_limit) for workers, found in sorted(parallel.items()))


def _of_workers(
    workers: int, found: Mapping[str, dict[str, Row]], alone: Mapping[str, dict[str, Row]], limit: float
) -> str:
    best = virtual_best([found[name] for name in TECHNIQUES if name in found], limit)
    parts = [
        f"{workers} virtual workers, limit {limit:g} virtual seconds:",
        _solved(found, alone, best, limit),
        _speed_ups(found, alone, best, limit),
        _sharing(found),
        _costs(found, limit),
    ]
    return "\n\n".join(part for part in parts if part)


def virtual_best(groups: Sequence[ByTask], limit: float) -> dict[str, Row]:
    """The best run for each task: the fastest that solves it, else one that is known not to only if all are."""

    def rank(row: Row) -> tuple[int, float]:
        return (0 if row.in_time(limit) else 2 if row.missed(limit) else 1), row.seconds

    tasks = {task for group in groups for task in group}
    return {task: min((group[task] for group in groups if task in group), key=rank) for task in sorted(tasks)}


# --- Table I --------------------------------------------------------------------------------------------------------


def _solved(found: Mapping[str, ByTask], alone: Mapping[str, ByTask], best: ByTask, limit: float) -> str:
    lines = [_solved_line(f"SPACER({name})", alone[name], limit) for name in PAPER if name in alone]
    lines += [_solved_line(_title(name), found[name], limit) for name in TECHNIQUES if name in found]
    lines += [_solved_line("virtual best of the techniques", best, limit)] if best else []
    lines += [_solved_line("adaptive (the default)", found[ADAPTIVE], limit)] if ADAPTIVE in found else []
    heading = ("technique", "tasks", "reachable", "unreachable", "unknown", "stopped")
    return f"Table I: solved.\n\n{table(heading, lines)}"


def _title(name: str) -> str:
    base, plus, shared = name.partition("+")
    return f"{base}{_NAMES[plus + shared]}" if plus else base


def _solved_line(name: str, group: ByTask, limit: float) -> Sequence[str]:
    answers = Counter(row.answer for row in group.values() if row.in_time(limit))
    unknown = sum(row.missed(limit) for row in group.values())
    stopped = len(group) - sum(answers.values()) - unknown
    return (name, *map(str, (len(group), answers["unsafe"], answers["safe"], unknown, stopped)))


# --- Table II -------------------------------------------------------------------------------------------------------


def best_technique(found: Mapping[str, ByTask], limit: float) -> str:
    """The one that solves most, and of those the one that takes least time."""

    def rank(name: str) -> tuple[int, float]:
        solved = [row for row in found[name].values() if row.in_time(limit)]
        return -len(solved), sum(row.seconds for row in solved)

    return min((name for name in TECHNIQUES if name in found), key=rank)


def ratios(before: ByTask, after: ByTask, limit: float) -> list[float]:
    """How many times faster, for each task that both solve."""
    both = [t for t in sorted(before.keys() & after.keys()) if before[t].in_time(limit) and after[t].in_time(limit)]
    return [before[t].seconds / max(after[t].seconds, 1e-6) for t in both]


def _speed_ups(found: Mapping[str, ByTask], alone: Mapping[str, ByTask], best: ByTask, limit: float) -> str:
    if not best or not alone:
        return ""
    name = best_technique(found, limit)
    lines = [
        (
            f"SPACER({strategy})",
            *_speed_up(ratios(alone[strategy], found[name], limit)),
            *_speed_up(ratios(alone[strategy], best, limit)),
        )
        for strategy in PAPER
        if strategy in alone
    ]
    columns = [
        cell for one in (_title(name), "virtual best") for cell in ("both solve", f"{one}: mean", "geometric mean")
    ]
    heading = ("sequential strategy", *columns)
    return f"Table II: speed-up of the technique that solves most, and of the virtual best.\n\n{table(heading, lines)}"


def _speed_up(found: Sequence[float]) -> tuple[str, str, str]:
    if not found:
        return "0", "", ""
    return str(len(found)), times(mean(found)), times(geometric_mean(found))


# --- Table III ------------------------------------------------------------------------------------------------------


def _sharing(found: Mapping[str, ByTask]) -> str:
    lines = []
    for name in (*TECHNIQUES, ADAPTIVE):
        worked = [row for row in found.get(name, {}).values() if row.cost]
        if worked and any(row.number("lemmas_pushed") for row in worked):
            share = mean(row.number("sharing_cost") / row.cost for row in worked)
            counts = (
                mean(row.number("lemmas_pushed") for row in worked),
                mean(row.number("lemmas_pulled") for row in worked),
            )
            title = name if name == ADAPTIVE else _title(name)
            lines.append((title, str(len(worked)), f"{share:.2%}", *(f"{count:.0f}" for count in counts)))
    if not lines:
        return ""
    heading = ("technique", "runs", "share of cost", "lemmas told", "lemmas given to others")
    return f"Table III: sharing, means over the runs.\n\n{table(heading, lines)}"


# --- cost -----------------------------------------------------------------------------------------------------------


def cost_ratios(without: ByTask, sharing: ByTask, limit: float) -> list[float]:
    """The total cost with sharing by that without, for each task that one solves and that the other's is known of."""
    found = []
    for task in sorted(without.keys() & sharing.keys()):
        plain, shared = without[task], sharing[task]
        if plain.in_time(limit) and shared.in_time(limit):
            found.append(shared.cost / max(1, plain.cost))
        elif shared.in_time(limit) and plain.missed(limit):
            found.append(0.0)
        elif plain.in_time(limit) and shared.missed(limit):
            found.append(inf)
    return found


def _costs(found: Mapping[str, ByTask], limit: float) -> str:
    lines = []
    for name in TECHNIQUES:
        base, plus, _ = name.partition("+")
        if plus and base in found and name in found:
            compared = cost_ratios(found[base], found[name], limit)
            lines.append((_title(name), *_cost_cells(compared)))
    lines = [line for line in lines if line[1] != "0"]
    if not lines:
        return ""
    heading = ("technique", "tasks", "median", "geometric mean where both solve", "less : more", "p")
    return (
        f"Total solver cost of all workers, by that of the same technique without sharing.\n\n{table(heading, lines)}"
    )


def _cost_cells(compared: Sequence[float]) -> tuple[str, ...]:
    if not compared:
        return "0", "", "", "", ""
    both = [ratio for ratio in compared if 0 < ratio < inf]
    middle = median(compared)
    sides = f"{sum(ratio < 1 for ratio in compared)} : {sum(ratio > 1 for ratio in compared)}"
    p = f"{signed_rank(map(log, both)):.2g}" if both else ""
    geometric = times(geometric_mean(both)) if both else ""
    return str(len(compared)), "∞" if middle == inf else times(middle), geometric, sides, p
