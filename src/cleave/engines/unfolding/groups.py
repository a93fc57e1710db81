"""Cells that depend on each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cleave.engines.unfolding.code import Cell


def groups(cells: Iterable[Cell], dependences: Mapping[Cell, set[Cell]]) -> list[list[Cell]]:
    """Cells that depend on each other, after those that they depend on (Tarjan, without recursion)."""
    index: dict[Cell, int] = {}
    low: dict[Cell, int] = {}
    waiting: dict[Cell, None] = {}
    found: list[list[Cell]] = []
    for root in cells:
        stack = [] if root in index else [(root, iter(sorted(dependences.get(root, ()), key=str)))]
        if stack:
            index[root] = low[root] = len(index)
            waiting[root] = None
        while stack:
            cell, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[cell])
                if low[cell] == index[cell]:
                    found.append(_component(waiting, cell))
            elif following not in index:
                index[following] = low[following] = len(index)
                waiting[following] = None
                stack.append((following, iter(sorted(dependences.get(following, ()), key=str))))
            elif following in waiting:
                low[cell] = min(low[cell], index[following])
    return [[cell for cell in group if cell in dependences] for group in found]


def _component(waiting: dict[Cell, None], root: Cell) -> list[Cell]:
    component = []
    while True:
        cell, _ = waiting.popitem()
        component.append(cell)
        if cell == root:
            return component
