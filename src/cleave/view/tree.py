"""A split tree as an icicle: the whole search on top, its parts below it, each as wide as what it and its parts cost.

    ┌──────────────── whole search ────────────────┐
    ├──── avoiding Dispatch ────┬ reaching Dispatch┤
    ├── avoiding C ─┬reaching C─┘

At most `MOST` parts are drawn, the dearest; the others are one block under their parent. Positions are percentages: the
picture fits any width, and the script that zooms needs no layout of its own.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import field

from cleave.engines.review.drawings import Node, Tree
from cleave.engines.text import amount, count
from cleave.records import dataclass
from cleave.view.markup import Html, h, join

MOST = 600
_TALL, _LOW, _HIGH = 640, 8, 26  # pixels: of the picture, and of a row
_STATES = (
    *("open", "in work", "split", "closed", "violated", "given up"),  # of parts of a search
    *("false", "fact", "fact again"),  # of a derivation
    "reached",  # of locations
    *("expanded", "covered", "at the error"),  # of abstract states
    *("inlined", "shared", "must reach", "must avoid"),  # of an unfolding
)


_TELLING = ("violated", "in work", "open", "given up", "closed")
"""What parts that are drawn as one look like: as the first of these states that some of them have."""


@dataclass(slots=True)
class _Place:
    node: Node
    weight: float = 0.0
    children: list[_Place] = field(default_factory=list)
    x: float = 0.0
    width: float = 100.0
    depth: int = 0


def draw_tree(tree: Tree) -> Html:
    """A figure, with a legend and a place for what is said of a part that was chosen."""
    root = _weighed(tree.nodes)
    if root is None:
        return Html("")
    shown, hidden = _chosen(root)
    depth = max(place.depth for place in shown) + 1 + bool(hidden)
    row = max(_LOW, min(_HIGH, _TALL / depth))
    blocks = [_block(place, row) for place in shown]
    blocks += [_rest(parent, rest, row) for parent, rest in hidden]
    picture = h(
        "svg", *blocks, class_="tree", width="100%", height=row * depth + 1, role="group", aria_label=tree.title
    )
    hint = "Choose a part with the mouse or the arrow keys. Enter zooms, Escape goes back."
    first = [h("p" if at else "b", line) for at, line in enumerate(_lines(root.node))]
    return join(
        (
            legend(Counter(node.state for node in tree.nodes)),
            _replay(tree.nodes),
            h("div", picture, class_="scroll tree-frame", data_tree=True),
            h("p", hint, class_="hint quiet") if len(tree.nodes) > 1 else None,
            h("div", *first, class_="chosen", aria_live="polite"),
        )
    )


def _replay(nodes: Iterable[Node]) -> Html | None:
    """Of a search whose times are known: how its tree was at a moment that the reader chooses."""
    last = max((max(node.begin or 0.0, node.end or 0.0) for node in nodes), default=0.0)
    if not last or sum(node.begin is not None for node in nodes) < 3:
        return None
    slider = h("input", type="range", min=0, max=1000, value=1000, aria_label="moment of the search", data_moment=last)
    return h("label", "as it was", slider, h("output", "latest"), class_="replay")


def _lines(node: Node) -> tuple[str, ...]:
    return (node.label, f"state: {node.state}", *node.details)


def legend(states: Counter[str]) -> Html:
    """The states and how many there are of each, with the colour and in words."""
    items = [
        h("li", h("span", class_=f"key s-{_slug(state)}"), f"{states[state]:,} {state}")
        for state in _STATES
        if states[state]
    ]
    return h("ul", *items, class_="legend")


def _slug(state: str) -> str:
    return state.replace(" ", "-")


def _weighed(nodes: Iterable[Node]) -> _Place | None:
    """Cost, and a little for each part: one that costs nothing yet can be seen, too."""
    places = {node.id: _Place(node) for node in nodes}
    if not places:
        return None
    ordered = list(places.values())
    total = sum(place.node.cost for place in ordered)
    least = max(1.0, total / (2 * len(ordered)))
    for place in ordered:
        parent = places.get(place.node.parent) if place.node.parent is not None else None
        if parent is not None:
            parent.children.append(place)
    for place in reversed(ordered):  # parents come before their children
        own = place.node.cost + (0 if place.children else least)
        place.weight = own + sum(child.weight for child in place.children)
    return ordered[0]


def _chosen(root: _Place) -> tuple[list[_Place], list[tuple[_Place, list[_Place]]]]:
    """The dearest, each with its place, and by parent those that are left out."""
    shown: list[_Place] = []
    waiting = [(-root.weight, root.node.id, root)]
    while waiting and len(shown) < MOST:
        _, _, place = heapq.heappop(waiting)
        shown.append(place)
        x = place.x
        for child in place.children:
            child.x, child.depth = x, place.depth + 1
            child.width = place.width * child.weight / max(1e-9, sum(one.weight for one in place.children))
            x += child.width
            heapq.heappush(waiting, (-child.weight, child.node.id, child))
    left = {id(place) for _, _, place in waiting}
    hidden = []
    for place in shown:
        rest = [child for child in place.children if id(child) in left]
        if rest:
            hidden.append((place, rest))
    return shown, hidden


def _block(place: _Place, row: float) -> Html:
    node = place.node
    told = "\n".join(_lines(node))
    label = None
    if row >= 14:  # cut off where it does not fit, also after zooming
        inside = h("div", h("span", node.label), class_="label")
        label = h("foreignObject", inside, width="100%", height=row - 1)
    shape = h("rect", width="100%", height=row - 1, rx=2)
    return h(
        "svg",
        h("title", told),
        shape,
        label,
        x=f"{place.x:.3f}%",
        y=row * place.depth,
        width=f"{max(place.width, 0.05):.3f}%",
        height=row,
        class_=f"part s-{_slug(node.state)}",
        data_id=node.id,
        data_x=f"{place.x:.4f}",
        data_w=f"{place.width:.4f}",
        data_begin=_moment(node.begin),
        data_end=_moment(node.end),
        tabindex=0 if place.depth == 0 else -1,
        role="button",
    )


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.2f}"


def _rest(parent: _Place, rest: list[_Place], row: float) -> Html:
    """The parts of a part that are too small to be drawn."""
    states: Counter[str] = Counter()
    cost, pending = 0, list(rest)
    while pending:
        place = pending.pop()
        states[place.node.state] += 1
        cost += place.node.cost
        pending += place.children
    told = ", ".join(f"{number:,} {state}" for state, number in states.items())
    kind = next((state for state in _TELLING if states[state]), next(iter(states)))
    width, x = sum(place.width for place in rest), min(place.x for place in rest)
    return h(
        "svg",
        h("title", f"{count(sum(states.values()), 'smaller part')}: {told}\ncost {amount(cost)}"),
        h("rect", width="100%", height=row - 1, rx=2),
        x=f"{x:.3f}%",
        y=row * (parent.depth + 1),
        width=f"{max(width, 0.05):.3f}%",
        height=row,
        class_=f"part rest s-{_slug(kind)}",
        data_x=f"{x:.4f}",
        data_w=f"{width:.4f}",
        data_id=f"{parent.node.id}…",
        tabindex=-1,
        role="button",
    )
