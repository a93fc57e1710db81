"""Tables in Markdown.

>>> print(table(("task", "time"), [("a", times(2.5))]))
| task | time |
| --- | --: |
| a | 2.50× |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from bench.rows import Row


def table(heading: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """The first column is text, the others are numbers."""
    rule = ["---" if not column else "--:" for column in range(len(heading))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heading, rule, *lines))


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}×"


def versions(rows: Iterable[Row]) -> str:
    found = Counter(row.version or "unknown" for row in rows)
    return "Versions measured: " + ", ".join(f"{version} ({count} runs)" for version, count in sorted(found.items()))


def notes(rows: Iterable[Row], what: str, is_odd: Callable[[Row], bool]) -> str:
    """How many verdicts are wrong, and ``what`` did not go as it should, each run in a line."""
    rows = list(rows)
    odd = [row for row in rows if row.wrong or is_odd(row)]
    wrong = f"{sum(row.wrong for row in rows)} wrong verdicts."
    return (
        "\n".join([f"{wrong} {what}:", "", *(f"- {row}" for row in sorted(odd, key=lambda row: row.key))])
        if odd
        else wrong
    )


def is_unconfirmed(row: Row) -> bool:
    return row.answer in ("error", "memory") or "unconfirmed" in row.note
