"""How far a program was unfolded: the copies of its blocks, and which jumps, calls and threads were cut off.

    Body("f", [Node("a", {"h": 1}), Node("h", {"b": 2, "x": 4}), Node("b", {"h": 3}), Node("h", {"x": 4, "b": CUT}), …])

A proof about a bounded program says with this which program that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Final

from cleave.records import dataclass

CUT: Final = -1
"""Instead of a node or a thread: it is beyond the bound."""


@dataclass(slots=True)
class Node:
    """One copy of a block. ``ways``: for each successor that was followed its copy; ``calls`` and ``spawns``: by the
    number of the statement. A copy that is itself ``cut`` is beyond the bound."""

    label: str
    ways: dict[str, int] = field(default_factory=dict)
    calls: dict[int, Body | None] = field(default_factory=dict)  # None: cut
    spawns: dict[int, int] = field(default_factory=dict)
    cut: bool = False


@dataclass(slots=True)
class Body:
    """One activation of a procedure: the copies of its blocks, the entry first, in an order in which jumps go
    forwards."""

    procedure: str
    nodes: list[Node] = field(default_factory=list)


Shape = Sequence[Body]
"""Of all threads: the first one runs the entry."""


def is_cut(shape: Shape) -> bool:
    """Whether the bound was met anywhere."""
    pending = list(shape)
    while pending:
        for node in pending.pop().nodes:
            called = node.calls.values()
            if node.cut or CUT in node.ways.values() or CUT in node.spawns.values() or None in called:
                return True
            pending += [body for body in called if body is not None]
    return False
