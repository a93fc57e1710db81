"""The tables of `bench.pdr`, in Markdown, from the rows of its runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from bench.markdown import is_unconfirmed, notes, table, versions
from bench.pdr_paper_tables import paper_tables
from bench.pdr_real import STOCK
from bench.pdr_run import ADAPTIVE
from bench.rows import Row

Solver = tuple[str, int]
"""How, and with how many workers."""

_MOST_NAMES = 12


def tables(rows: Iterable[Row], virtual_limit: float) -> str:
    """All tables that the rows have something for."""
    rows = list(rows)
    parts = [
        real_tables([row for row in rows if row.kind == "real"]),
        paper_tables([row for row in rows if row.kind == "simulated"], virtual_limit),
        notes(rows, "Errors, and answers that were not confirmed", is_unconfirmed),
        versions(rows),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def real_tables(rows: list[Row]) -> str:
    by_solver: defaultdict[Solver, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_solver[row.how, row.workers][row.task] = row
    if not by_solver:
        return ""
    order = sorted(by_solver, key=lambda solver: (solver[0] != ADAPTIVE, solver[0] != STOCK, -solver[1]))
    common = set.intersection(*(set(found) for found in by_solver.values()))
    limits = ", ".join(f"{limit:g}" for limit in sorted({row.real_limit for row in rows}))
    heading = ("solver", "tasks", "solved", "safe", "unsafe", "unknown", "wrong", "with checked evidence", "seconds")
    lines = [_solved_line(_name(solver), by_solver[solver].values()) for solver in order]
    parts = [
        f"Wall time, limit {limits} s. Seconds: of all runs, solved or not.\n\n{table(heading, lines)}",
        _on_common(order, by_solver, common),
        _differences(order, by_solver),
    ]
    return "\n\n".join(part for part in parts if part)


def _name(solver: Solver) -> str:
    how, workers = solver
    if how == STOCK:
        return "stock SPACER"
    return f"`cleave verify --workers {workers}`" if how == ADAPTIVE else how


def _solved_line(name: str, group: Iterable[Row]) -> Sequence[str]:
    found = list(group)
    solved = [row for row in found if row.solved]
    answers = Counter(row.answer for row in solved)
    return (
        name,
        str(len(found)),
        str(len(solved)),
        *(str(answers[word]) for word in ("safe", "unsafe")),
        str(len(found) - len(solved)),
        str(sum(row.wrong for row in found)),
        "-" if name == "stock SPACER" else str(sum(bool(row.evidence) for row in solved)),
        f"{sum(row.real_seconds for row in found):.0f}",
    )


def _on_common(order: Sequence[Solver], by_solver: dict[Solver, dict[str, Row]], common: set[str]) -> str:
    """Who was given different tasks can't be compared by the table above."""
    if not common or all(set(by_solver[solver]) == common for solver in order):
        return ""
    solved = [f"{_name(one)} {sum(by_solver[one][task].solved for task in common)}" for one in order]
    return f"Of the {len(common)} tasks that all of them were given, solved: {', '.join(solved)}."


def _differences(order: Sequence[Solver], by_solver: dict[Solver, dict[str, Row]]) -> str:
    """The first solver against each other one."""
    first, *others = order
    lines = []
    for other in others:
        both = by_solver[first].keys() & by_solver[other].keys()
        mine = {task for task in both if by_solver[first][task].solved}
        theirs = {task for task in both if by_solver[other][task].solved}
        lines.append((_name(other), str(len(both)), str(len(mine - theirs)), str(len(theirs - mine))))
    if not lines:
        return ""
    name = _name(first)
    shown = table(("against", "tasks", f"only {name} solves", "only the other solves"), lines)
    named = [f"- only {_name(b)} solves: {_names(lost)}" for b in others if (lost := _only(by_solver, b, first))]
    return "\n".join([shown, "", *named]).rstrip()


def _only(by_solver: dict[Solver, dict[str, Row]], one: Solver, other: Solver) -> list[str]:
    """What one solves and the other does not, although it was given it."""
    there = by_solver[other]
    return sorted(t for t, row in by_solver[one].items() if row.solved and t in there and not there[t].solved)


def _names(found: Sequence[str]) -> str:
    shown = ", ".join(task.rpartition("/")[2].removesuffix(".smt2") for task in found[:_MOST_NAMES])
    return shown if len(found) <= _MOST_NAMES else f"{shown} and {len(found) - _MOST_NAMES} more"
