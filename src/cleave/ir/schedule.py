"""An execution of several threads, as an engine claims it and a validator replays it.

    Schedule((Context(0, 4), Context(1, 2), Context(0, 1)), values, successors)

A schedule says which thread runs in each context, and for how many steps; for each thread it holds the values that the
program leaves open and the successors of blocks, in the order in which the thread needs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cleave.logic.values import Value


class Context(NamedTuple):
    """``thread`` runs for at most ``steps``; it may be blocked before."""

    thread: int
    steps: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """``values``, each with the name of the variable it is for, and ``successors`` are by thread."""

    contexts: tuple[Context, ...]
    values: Mapping[int, Sequence[tuple[str, Value]]] = field(default_factory=dict)
    successors: Mapping[int, Sequence[str]] = field(default_factory=dict)
