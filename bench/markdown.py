"""Tables in Markdown.

>>> print(table(("task", "time"), [("a", times(2.5))]))
| task | time |
| --- | --: |
| a | 2.50× |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heading: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """The first column is text, the others are numbers."""
    rule = ["---" if not column else "--:" for column in range(len(heading))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heading, rule, *lines))


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}×"
