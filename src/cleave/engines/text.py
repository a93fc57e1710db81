"""Numbers and tables as plain text, for reports about engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(rows: Sequence[Sequence[str]], *, right: Iterable[str] = (), indent: str = "") -> Iterable[str]:
    """The first row has the names of the columns; those in ``right`` are aligned so.

    >>> print("\\n".join(table([("worker", "cost"), ("1", "12.3M"), ("2", "7")], right=["cost"])))
    worker   cost
    1       12.3M
    2           7
    """
    numbers = set(right)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if name in numbers else cell.ljust(width)
            for name, cell, width in zip(rows[0], row, widths, strict=True)
        )
        yield indent + "  ".join(cells).rstrip()


def amount(number: float) -> str:
    """
    >>> amount(999), amount(12_345), amount(12_345_678), amount(3_200_000_000)
    ('999', '12.3k', '12.3M', '3.2G')
    """
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.1f}{unit}"
    return f"{number:.0f}"


def count(number: int, thing: str) -> str:
    """
    >>> count(1, "worker"), count(2, "worker")
    ('1 worker', '2 workers')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
