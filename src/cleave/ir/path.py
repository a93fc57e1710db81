"""Control paths: which blocks an execution visits, with its calls and returns, and nothing about values.

    Enter("main") Visit("b0") Enter("f") Visit("fb") Leave() Visit("b1")

An engine that finds a violation gives its path; passes carry the path back to the program they were given; the
validator finds values for it and replays it. A call to a procedure without a body leaves no step.

A path to a violation ends with the visit of the block that holds the failing assertion, or with the call or return that
breaks a checked contract; `Leave` steps after that may be left out.
A path to the end of the entry procedure ends with its `Leave`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Enter:
    """Execution enters a procedure: the entry, or the callee of the call being executed."""

    procedure: str


@dataclass(frozen=True, slots=True)
class Visit:
    """Execution reaches a block of the procedure on top of the stack."""

    block: str


@dataclass(frozen=True, slots=True)
class Leave:
    """The procedure on top of the stack returns."""


PathStep = Enter | Visit | Leave
Path = tuple[PathStep, ...]


class IllegalPathError(Exception):
    """A path takes a step that the program does not allow; the message says which."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """How a path of a pass's output becomes a path of its input.

    ``blocks`` maps (procedure, block) of the output to the block of the input that starts there, None where the
    output's block is the pass's own or continues one already visited. Blocks that are not in it kept their label.
    The visits in a procedure of ``transparent`` belong to its caller: it did not exist before. At the first visit of a
    block in ``ends`` the path is over: what follows only carries a failure to the end of the entry procedure.
    """

    blocks: Mapping[tuple[str, str], str | None] = field(default_factory=dict)
    transparent: frozenset[str] = frozenset()
    ends: frozenset[tuple[str, str]] = frozenset()

    def __call__(self, path: Path) -> Path:
        lifted: list[PathStep] = []
        stack: list[str] = []
        for step in path:
            match step:
                case Enter(procedure):
                    stack.append(procedure)
                    if procedure not in self.transparent:
                        lifted.append(step)
                case Visit(block):
                    if (stack[-1], block) in self.ends:
                        break
                    label = self.blocks.get((stack[-1], block), block)
                    if label is not None:
                        lifted.append(Visit(label))
                case Leave():
                    if stack.pop() not in self.transparent:
                        lifted.append(step)
        return tuple(lifted)
