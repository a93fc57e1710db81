"""Building the blocks of one body, and what may be done with them whatever the statements are.

open("L"); add(...); close(("M",))        L: ...; goto M
"""

from __future__ import annotations

from collections.abc import Mapping

from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.names import Names
from cleave.ir.program import Block, Location, Statement


class BlockBuilder:
    """One block is open at a time, or none after a jump. What follows a jump gets a label nobody jumps to."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._names = Names(source.distinct)
        self._blocks: dict[str, Block] = {}
        self._label: str | None = None
        self._location: Location | None = None
        self._statements: list[Statement] = []
        self._jumps: list[tuple[int, str]] = []
        self._first = self.fresh("entry")
        self.open(self._first)

    @property
    def is_open(self) -> bool:
        return self._label is not None

    def fresh(self, hint: str) -> str:
        return self._names.fresh(hint)

    def open(self, label: str, location: Location | None = None) -> None:
        """Starts a block; the one that was open, if any, goes on to it."""
        if self._label is not None:
            if self._label == self._first and not self._statements:
                self._label = None  # nothing stood before the first label
            else:
                self.close((label,))
        self._label = label
        self._location = location
        self._statements = []

    def add(self, statement: Statement) -> None:
        if self._label is None:
            self.open(self.fresh("dead"))
        self._statements.append(statement)

    def close(self, successors: tuple[str, ...]) -> None:
        if self._label is None:
            self.open(self.fresh("dead"))
        assert self._label is not None
        self._blocks[self._label] = Block(self._label, tuple(self._statements), successors, self._location)
        self._label = None
        self._statements = []

    def declare(self, label: str, at: int) -> None:
        """Opens the block of a label that stands in the file."""
        if label in self._blocks or label == self._label:
            raise self._source.error(at, f"label '{label}' is used twice in this body")
        self.open(label, self._source.location(at))

    def jump(self, labels: list[tuple[int, str]]) -> None:
        self._jumps += labels
        self.close(tuple(dict.fromkeys(label for _, label in labels)))

    def finish(self) -> dict[str, Block]:
        """All blocks that can be reached, in the order of the file; nothing jumps to the first."""
        if self._label is not None:
            self.close(())
        for at, label in self._jumps:
            if label not in self._blocks:
                raise self._source.error(at, f"label '{label}' does not exist in this body")
        reached = _reached(self._blocks)
        blocks = {label: block for label, block in self._blocks.items() if label in reached}
        first = next(iter(blocks))
        if any(first in block.successors for block in blocks.values()):
            entry = self.fresh("entry")  # the entry has no predecessors
            blocks = {entry: Block(entry, (), (first,)), **blocks}
        return blocks


def _reached(blocks: Mapping[str, Block]) -> set[str]:
    stack = [next(iter(blocks))]
    reached = set(stack)
    while stack:
        for successor in blocks[stack.pop()].successors:
            if successor not in reached:
                reached.add(successor)
                stack.append(successor)
    return reached
