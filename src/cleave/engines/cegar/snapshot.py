"""The abstract reachability tree of one iteration, for people: every state that was reached, and what became of it.

    expanded         its successors are in the tree
    covered          another node includes it
    at the error     the end of a counterexample
    open             its successors were not needed, or are not known

`tree` leaves out the states that another one includes; they are found again here, among the successors of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from cleave.engines.cegar.exploration import Post, Reached, State, includes

Mark: TypeAlias = Literal["expanded", "covered", "at the error", "open"]


class TreeNode(NamedTuple):
    """``parent`` and ``by``, the node that covers it, are positions in the tree; -1: none."""

    state: State
    parent: int
    transition: int
    mark: Mark
    by: int = -1


def snapshot(reached: Iterable[Reached], post: Post, most: int) -> tuple[TreeNode, ...] | None:
    """Parents come before their children. None if there are more than ``most`` nodes."""
    own = list(reached)
    known = [post(one.state) for one in own]
    places: dict[int, list[int]] = {}  # by location, those of `own`
    ways = {(one.parent, one.transition) for one in own}
    nodes: list[TreeNode] = []
    for number, one in enumerate(own):
        places.setdefault(one.state.location, []).append(number)
        mark: Mark = "open" if known[number] is None else "expanded"
        nodes.append(TreeNode(one.state, one.parent, one.transition, mark))
    for number, successors in enumerate(known):
        for transition, state in successors or ():
            if (number, transition) not in ways:
                nodes.append(_left_out(state, number, transition, own, places))
        if len(nodes) > most:
            return None
    return tuple(nodes)


def _left_out(state: State, parent: int, transition: int, own: list[Reached], places: dict[int, list[int]]) -> TreeNode:
    if state.is_error:
        return TreeNode(state, parent, transition, "at the error")
    larger = (at for at in places.get(state.location, ()) if includes(own[at].state.bits, state.bits))
    by = next(larger, -1)
    return TreeNode(state, parent, transition, "open" if by < 0 else "covered", by)
