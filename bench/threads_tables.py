"""The tables of `bench.threads`, in Markdown, from the rows of its runs.

Seconds are processor time, from the unfolded program to the answer; what a solver with several threads took is divided
by their number, which is the least that it can take. What parts take on two cores is computed from what each takes
alone: a core that is free takes the next part, and a violation ends all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from bench.markdown import table, times, versions
from bench.rows import Row
from bench.threads_paper import TABLE
from bench.threads_run import CRYPTOMINISAT, Z3

Formula = tuple[str, int, int]
"""Program, unwind, contexts."""

_CORES = 2
_OTHERS = (CRYPTOMINISAT, Z3)
_MILLION = 1_000_000
_PAPER = {(one.program, one.unwind, one.contexts): one for one in TABLE}


def tables(rows: Iterable[Row]) -> str:
    """All tables that the rows have something for."""
    rows = sorted(rows, key=lambda row: row.key)
    parts = [_sizes(rows), _scaling(rows), _each_part(rows), _against(rows), _notes(rows), versions(rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


def is_slower(rows: Iterable[Row]) -> bool:
    """Whether a parallel solver solved a formula sooner than Cleave on as many cores."""
    return any(ratio < 1 for found in _ratios(rows).values() for ratio in found.values() if ratio is not None)


# --- on two cores ---------------------------------------------------------------------------------------------------


def on_cores(parts: Sequence[Row], cores: int) -> float | None:
    """How long it takes until the answer is known; None if it never is."""
    busy = [0.0] * cores
    violated: list[float] = []
    for row in parts:
        core = busy.index(min(busy))
        if violated and min(violated) <= busy[core]:
            break
        busy[core] += row.cpu_seconds
        if row.answer == "unsafe":
            violated.append(busy[core])
        elif not row.solved and not violated:
            busy[core] = float("inf")
    found = min(violated, default=max(busy))
    return None if found == float("inf") else found


def _splits(rows: Iterable[Row]) -> dict[tuple[Formula, str], dict[int, list[Row]]]:
    """Complete sets of parts, by formula and solver and then by their number."""
    found: defaultdict[tuple[Formula, str], defaultdict[int, list[Row]]]
    found = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.workers == 1 and row.option("solver") not in _OTHERS:
            found[_formula(row), row.option("solver")][_partitions(row)].append(row)
    return {
        key: {
            count: sorted(parts, key=lambda row: row.option("part"))
            for count, parts in own.items()
            if len(parts) == count
        }
        for key, own in found.items()
    }


def _formula(row: Row) -> Formula:
    return row.task, int(row.option("unwind")), int(row.option("contexts"))


def _partitions(row: Row) -> int:
    return int(row.option("partitions") or 1)


def least_seconds(row: Row) -> float:
    """On a machine with as many processors as the solver has threads, if none of them ever waits: what other processes
    do meanwhile makes no difference to it."""
    made = row.number("make_seconds")
    return made + (row.cpu_seconds - made) / row.workers


def _best(rows: Iterable[Row]) -> dict[Formula, dict[str, float]]:
    """Cleave's seconds on two cores, with as many parts as there are cores, by solver."""
    found: defaultdict[Formula, dict[str, float]] = defaultdict(dict)
    for (formula, solver), splits in _splits(rows).items():
        seconds = on_cores(splits[_CORES], _CORES) if _CORES in splits else None
        if seconds is not None:
            found[formula][solver] = seconds
    return dict(found)


def _ratios(rows: Iterable[Row]) -> dict[Formula, dict[str, float | None]]:
    """How many times as long another solver took as Cleave's quickest, by formula and solver."""
    rows = list(rows)
    best = _best(rows)
    found: defaultdict[Formula, dict[str, float | None]] = defaultdict(dict)
    for row in rows:
        if row.workers > 1 and _formula(row) in best:
            mine = min(best[_formula(row)].values())
            ratio = least_seconds(row) / max(mine, 1e-6) if row.solved else None
            found[_formula(row)][row.option("solver")] = ratio
    return dict(found)


# --- tables ---------------------------------------------------------------------------------------------------------


def _sizes(rows: Sequence[Row]) -> str:
    lines = []
    for row in rows:
        if _partitions(row) == row.workers == 1 and row.number("clauses"):
            paper = _PAPER.get(_formula(row))
            clauses = row.number("clauses") / _MILLION
            lines.append(
                (
                    _name(_formula(row)),
                    row.option("solver"),
                    row.answer,
                    f"{row.number('variables'):,.0f}",
                    f"{clauses:.2f} M",
                    f"{paper.clauses:.2f} M" if paper else "",
                    f"{clauses / paper.clauses:.1%}" if paper else "",
                    f"{row.number('make_seconds'):.1f}",
                    f"{row.cpu_seconds:.1f}" if row.solved else f"> {row.cpu_seconds:.0f}",
                )
            )
    heading = ("formula", "solver", "answer", "variables", "clauses", "paper's", "of these", "made in s", "s in all")
    return f"One formula for all schedules, one thread:\n\n{table(heading, lines)}" if lines else ""


def _scaling(rows: Sequence[Row]) -> str:
    lines = []
    for (formula, solver), splits in _splits(rows).items():
        if len(splits) < 2:
            continue
        found = {count: on_cores(parts, _CORES) for count, parts in splits.items()}
        alone = found.get(1)
        paper = _PAPER.get(formula)
        lines.append(
            (
                _name(formula),
                solver,
                *(_seconds(found.get(count)) for count in (1, 2, 4, 8)),
                *(times(alone / s if alone and (s := found.get(count)) else None) for count in (2, 4, 8)),
                ", ".join(map(str, paper.seconds)) if paper else "",
            )
        )
    heading = ("formula", "solver", "1 part", "2", "4", "8", "speed-up 2", "4", "8", "paper, 1 to 8 cores")
    return f"Seconds on two cores, by the number of parts:\n\n{table(heading, lines)}" if lines else ""


def _each_part(rows: Sequence[Row]) -> str:
    lines = []
    for (formula, solver), splits in _splits(rows).items():
        for count, parts in sorted(splits.items()):
            if count > 1:
                whole = splits.get(1)
                largest = max(row.number("clauses") for row in parts)
                clauses = whole[0].number("clauses") if whole else 0
                share = f"{largest / clauses:.0%}" if clauses else ""
                seconds = ", ".join(_part(row) for row in parts)
                lines.append((_name(formula), solver, str(count), share, seconds))
    heading = ("formula", "solver", "parts", "clauses of the largest", "seconds of each part (!: a violation)")
    return f"Each part by itself:\n\n{table(heading, lines)}" if lines else ""


def _against(rows: Sequence[Row]) -> str:
    best, ratios = _best(rows), _ratios(rows)
    whole = {(_formula(row), row.option("solver"), row.workers): row for row in rows if _partitions(row) == 1}
    lines = []
    for formula in sorted({_formula(row) for row in rows if row.workers > 1}):
        others = [whole.get((formula, other, _CORES)) for other in _OTHERS]
        lines.append(
            (
                _name(formula),
                ", ".join(f"{solver} {s:.1f}" for solver, s in sorted(best.get(formula, {}).items())),
                *(_least(row) for row in others),
                *(times(ratios.get(formula, {}).get(other)) for other in _OTHERS),
            )
        )
    heading = ("formula", "Cleave, 2 parts", *(f"{o}, 2 threads" for o in _OTHERS), *(f"{o} / Cleave" for o in _OTHERS))
    title = "The same formula on two cores, seconds; CryptoMiniSat gets Cleave's clauses, Z3 makes its own:"
    return f"{title}\n\n{table(heading, lines)}" if lines else ""


def _notes(rows: Sequence[Row]) -> str:
    wrong = [str(row) for row in rows if row.wrong]
    open_ = [str(row) for row in rows if not row.solved]
    told = [
        f"Not as in the paper: {'; '.join(wrong)}" if wrong else "",
        f"No answer: {'; '.join(open_)}" if open_ else "",
    ]
    return "\n\n".join(filter(None, told))


def _name(formula: Formula) -> str:
    program, unwind, contexts = formula
    return f"{program.replace('_', ' ')} {unwind}, {contexts}"


def _seconds(found: float | None) -> str:
    return "" if found is None else f"{found:.1f}"


def _part(row: Row) -> str:
    return f"{row.cpu_seconds:.1f}{'!' if row.answer == 'unsafe' else '' if row.solved else ' (no answer)'}"


def _least(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{least_seconds(row):.1f}" if row.solved else f"> {least_seconds(row):.0f} ({row.answer})"
