"""The state of an execution: threads, their frames, and the notes from which it can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple

from cleave.engines.executions.code import Code, Stretch, Target
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.records import dataclass

MAIN = 0


@dataclass(slots=True)
class Frame:
    """``results`` is None for the first frame of a thread. A return that others can see, since it assigns to a global
    or ends the program, is a step of its own."""

    own: list[Value]
    code: Code
    stretch: Stretch
    position: int
    results: tuple[Target, ...] | None
    returns_in_a_step: bool

    def copy(self) -> Frame:
        return Frame(list(self.own), self.code, self.stretch, self.position, self.results, self.returns_in_a_step)


@dataclass(slots=True)
class Thread:
    """``begin`` holds what a thread starts with, until it takes its first step; ``values`` and ``successors`` what was
    chosen for it."""

    number: int
    begin: tuple[Code, list[Value]] | None
    frames: list[Frame] = field(default_factory=list)
    atomic: int = 0  # blocks that are open
    values: list[tuple[tuple[Term, ...], Sequence[Value]]] = field(default_factory=list)
    successors: list[str] = field(default_factory=list)
    saved: Saved | None = None
    tries: int = 0  # to go on from there with other values

    @property
    def has_ended(self) -> bool:
        return self.begin is None and not self.frames

    @property
    def is_at_its_end(self) -> bool:
        """Whether it is about to return from its first frame, which others can see."""
        if len(self.frames) != 1 or not self.frames[0].returns_in_a_step:
            return False
        frame = self.frames[0]
        return frame.position == len(frame.stretch.instructions) and not frame.stretch.successors

    def named_values(self) -> list[tuple[str, Value]]:
        return [
            (variable.name, value)
            for variables, chosen in self.values
            for variable, value in zip(variables, chosen, strict=True)
        ]


class Saved(NamedTuple):
    """What a thread goes back to when it gets stuck, as long as no other one has done anything since."""

    frames: list[Frame]
    shared: list[Value]
    threads: int
    values: int
    successors: int
    steps: int
    switches: int  # how often another thread had gone on
