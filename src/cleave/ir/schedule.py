"""An execution of several threads, as an engine claims it and a validator replays it.

    Schedule((Context(0, 4), Context(1, 2), Context(0, 1)), values, successors)

A schedule says which thread runs in each context, and for how many steps; for each thread it holds the values that the
program leaves open and the successors of blocks, in the order in which the thread needs them. With store buffers, it
says which stores commit before a context:

    Context(2, 3, commits=((1, 5),))        # what thread 1 stored in its fifth step; then thread 2 runs for three
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from cleave.logic.values import Value
from cleave.records import dataclass

ALL_STORES = 0
"""Instead of the number of a step: everything that the thread has stored commits."""


class Context(NamedTuple):
    """``thread`` runs for at most ``steps``; it may be blocked before. First, stores commit: each is named by a thread
    and the number of the step that made it; those that have to commit before it do, and one that has committed already
    is left out."""

    thread: int
    steps: int
    commits: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    """``values``, each with the name of the variable it is for, and ``successors`` are by thread."""

    contexts: tuple[Context, ...]
    values: Mapping[int, Sequence[tuple[str, Value]]] = field(default_factory=dict)
    successors: Mapping[int, Sequence[str]] = field(default_factory=dict)
