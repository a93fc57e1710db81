"""A proof by inlining, as an engine writes it and a validator checks it: an unfolding of the call graph.

    UnfoldedProof([UnfoldedInstance("main", {("b", 0): 1}), UnfoldedInstance("f", {})], bound=1)

The instances and what each of their calls is bound to are named; calls that are not bound are open. The proof of a
*partition* (HYDRA, section III) is about the executions that pass some of the instances and avoid others.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.records import dataclass

CallPlace = tuple[str, int]
"""A call: its block, and which of the block's calls it is."""


@dataclass(frozen=True, slots=True)
class UnfoldedInstance:
    """``callees`` gives the instance's number for each bound call: (block, which call in that block). An ``exclusive``
    instance serves one call only, for good, of an instance with a smaller number."""

    procedure: str
    callees: dict[CallPlace, int]
    exclusive: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Of the executions, those that pass the instance (``reach``), or those that do not."""

    instance: int
    reach: bool


@dataclass(frozen=True, slots=True)
class UnfoldedProof:
    """``instances[0]`` is the entry. ``bound`` is the recursion bound that took part, None if none did.

    Proofs of one search may share their ``instances``, a list that grows: a later unfolding proves what an earlier one
    did, because calls beyond the bound count as never made even if they have been bound since.
    """

    instances: Sequence[UnfoldedInstance]
    bound: int | None
    decisions: tuple[Decision, ...] = ()
