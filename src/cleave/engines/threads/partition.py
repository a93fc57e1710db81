"""Parts of the search: schedules in which certain bits are fixed.

    Space(threads=3, positions=5)         of four contexts: bit 0 of the thread in contexts 2, 3, 4; bit 1 of these;
                                          then how far each context runs, the highest bit first
    "10"                                  bit 0 of the thread in context 2 is set, bit 0 of that in context 3 is not

The paper fixes the least significant bit of the thread of each context from the second on (section 3.3). A part can be
split further by the next bit; where threads are few, how far they run distinguishes more schedules than which one runs.
The name of a part is its path in the tree of splits.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from cleave.engines.unfolding.instances import Unfolded


class What(Enum):
    """What a bit is of, in one context: the number of the thread that runs, or of the position where it stops."""

    THREAD = "thread"
    UNTIL = "until"


class Decision(NamedTuple):
    """Contexts are counted from 0."""

    what: What
    context: int
    bit: int

    @property
    def variable(self) -> str:
        """The name of the Boolean variable in the formula."""
        return f"{self.what.value}:{self.context}:{self.bit}"

    @property
    def meaning(self) -> bytes:
        """What the coverage check knows it by."""
        of = "the thread" if self.what is What.THREAD else "the end"
        return f"bit {self.bit} of {of} in context {self.context + 1}".encode()


class Space(NamedTuple):
    """How many threads there are, and positions in the longest of them."""

    threads: int
    positions: int

    @staticmethod
    def of(unfolded: Unfolded) -> Space:
        return Space(len(unfolded.threads), max(thread.positions for thread in unfolded.threads))

    @property
    def thread_bits(self) -> int:
        return max(1, (self.threads - 1).bit_length())

    @property
    def until_bits(self) -> int:
        return max(1, self.positions.bit_length())

    def decisions(self, contexts: int) -> tuple[Decision, ...]:
        """All that can be decided, in the order in which it is."""
        if self.threads < 2:
            return ()
        threads = [Decision(What.THREAD, c, bit) for bit in range(self.thread_bits) for c in range(1, contexts)]
        high_first = range(self.until_bits - 1, -1, -1)
        return (*threads, *(Decision(What.UNTIL, c, bit) for bit in high_first for c in range(contexts)))

    def facts(self, name: str, contexts: int) -> dict[Decision, bool]:
        """What is decided in the part of that name."""
        return {one: way == "1" for one, way in zip(self.decisions(contexts), name, strict=False)}

    def path(self, name: str, contexts: int) -> tuple[tuple[bytes, bool], ...]:
        """The meanings of a part's decisions, from the whole search down to it."""
        return tuple((decision.meaning, value) for decision, value in self.facts(name, contexts).items())
