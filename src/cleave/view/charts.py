"""Drawings of reviews as SVG and tables. Horizontal positions are percentages, so that a picture fits any width."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from cleave.engines.review.drawings import (
    Arrow,
    Block,
    Drawing,
    Graph,
    Lane,
    Lanes,
    Line,
    Lines,
    Matrix,
    Rows,
    Series,
    Tree,
)
from cleave.view.markup import Html, h, join
from cleave.view.tree import draw_tree

_ROW = 22  # pixels of a lane
_TALL_ROW = 36  # where arrows go from lane to lane
_HEIGHT = 220  # of a chart with lines
_MOST_BLOCKS = 3000  # of all lanes, beyond which lanes are drawn in cells
_KINDS = ("setup", "search", "checking", "in work", "waiting", "lost", "running", "planned")
_ARROWS = ("start", "join", "lock", "signal")
_MOST_ROWS = 16  # of a table; a longer one has a frame of its own
_SHADES = 10
_LEAST_CELLS = 40  # of a lane, however many there are


def figure(drawing: Drawing) -> Html:
    """A drawing with its title and what is to be said of it."""
    body = _BODIES[type(drawing)](drawing)
    note = getattr(drawing, "note", "")
    return h(
        "figure",
        h("figcaption", h("h3", drawing.title), h("p", note, class_="quiet") if note else None),
        body,
        class_=f"drawing {type(drawing).__name__.lower()}",
    )


# --- lanes ----------------------------------------------------------------------------------------------------------


def lanes(drawing: Lanes) -> Html:
    blocks = [block for lane in drawing.lanes for block in lane.blocks]
    end = max((block.end for block in blocks), default=0.0) or 1.0
    kinds = sorted({block.kind for block in blocks}, key=lambda kind: _KINDS.index(kind) if kind in _KINDS else 99)
    in_steps = drawing.unit != "s"
    row = _TALL_ROW if in_steps else _ROW
    height = row * len(drawing.lanes)
    rows = [_lane(number, lane, end, len(blocks), len(drawing.lanes), row) for number, lane in enumerate(drawing.lanes)]
    arrows = [_arrow(arrow, end, row) for arrow in drawing.arrows]
    ticks = _ticks(end, height, whole=in_steps)
    cursor = h("rect", x=0, y=0, width=f"{100 / end:.3f}%", height=height, class_="cursor", data_cursor=f"{end:g}")
    picture = h(
        "svg", ticks, *rows, *arrows, cursor if in_steps else None, class_="chart", width="100%", height=height + 20
    )
    names = [
        h("li", h("b", lane.name), h("span", lane.note, class_="quiet") if lane.note else None)
        for lane in drawing.lanes
    ]
    keys = [h("li", h("span", class_=f"key k-{_slug(kind)}"), kind) for kind in kinds if not kind.startswith("thread")]
    told = {arrow.kind for arrow in drawing.arrows}
    keys += [h("li", h("span", class_=f"key line a-{kind}"), kind) for kind in _ARROWS if kind in told]
    unit = "seconds" if drawing.unit == "s" else drawing.unit
    return join(
        (
            h("ul", *keys, h("li", f"across: {unit}", class_="quiet"), class_="legend"),
            h(
                "div",
                h("ul", *names, class_="lane-names"),
                h("div", picture, class_="lane-chart"),
                class_=f"lanes-frame{' tall' if in_steps else ''}",
            ),
        )
    )


def _lane(number: int, lane: Lane, end: float, all_blocks: int, lanes: int, row: int) -> Html:
    blocks: Sequence[Block] = lane.blocks
    if all_blocks > _MOST_BLOCKS:
        blocks = _merged(blocks, end, max(_LEAST_CELLS, _MOST_BLOCKS // lanes))
    return h("g", *(_block(number, block, end, row) for block in blocks))


def _merged(blocks: Sequence[Block], end: float, cells: int) -> list[Block]:
    """The lane in cells, each of the kind that it has most of; cells of one kind next to each other are one block."""
    width = end / cells
    shares: list[dict[str, float]] = [{} for _ in range(cells + 1)]
    numbers = [0] * (cells + 1)
    for block in blocks:
        first, last = int(block.begin / width), min(cells, int(block.end / width))
        numbers[first] += 1
        for cell in range(first, last + 1):
            own = min(block.end, (cell + 1) * width) - max(block.begin, cell * width)
            shares[cell][block.kind] = shares[cell].get(block.kind, 0.0) + own
    found: list[Block] = []
    for cell, share in enumerate(shares):
        kind = max(share, key=lambda kind: share[kind], default="")
        if not kind or share[kind] < width / 10:
            continue
        begin, until = cell * width, min(end, (cell + 1) * width)
        if found and found[-1].kind == kind and found[-1].end >= begin - width / 10:
            found[-1] = Block(found[-1].begin, until, kind, "several pieces of work")
        else:
            found.append(Block(begin, until, kind, f"{numbers[cell]} pieces of work" if numbers[cell] else ""))
    return found


def _block(number: int, block: Block, end: float, row: int) -> Html:
    width = max(0.15, 100 * (block.end - block.begin) / end)
    span = f"{block.begin:.1f} to {block.end:.1f}"
    return h(
        "rect",
        h("title", f"{block.kind}: {block.label}\n{span}" if block.label else f"{block.kind}\n{span}"),
        x=f"{100 * block.begin / end:.3f}%",
        y=number * row + (row - _ROW) / 2 + 3,
        width=f"{width:.3f}%",
        height=_ROW - 6,
        rx=2,
        class_=f"k-{_slug(block.kind)}",
    )


def _arrow(arrow: Arrow, last: float, row: int) -> Html:
    """From the rim of a block to that of another one, with a head that the width does not stretch."""
    down = arrow.target > arrow.source
    half = _ROW / 2 - 3
    y1 = arrow.source * row + row / 2 + (half if down else -half)
    y2 = arrow.target * row + row / 2 - (half if down else -half)
    x1, x2 = (f"{100 * (moment + 0.5) / last:.3f}%" for moment in (arrow.begin, arrow.end))
    head = h("path", d="M-4 -7L0 0L4 -7z" if down else "M-4 7L0 0L4 7z")
    return h(
        "g",
        h("title", arrow.label),
        h("line", x1=x1, y1=y1, x2=x2, y2=y2),
        h("svg", head, x=x2, y=y2, class_="head"),
        class_=f"arrow a-{arrow.kind}",
    )


def _ticks(end: float, height: float, *, whole: bool = False) -> Html:
    """``whole``: of what is counted, and has no halves."""
    step = max(_nice(end / 6), 1.0 if whole else 0.0)
    marks = []
    moment = 0.0
    while moment <= end + 1e-9:
        x = f"{100 * moment / end:.3f}%"
        marks.append(h("line", x1=x, x2=x, y1=0, y2=height, class_="grid"))
        anchor = "start" if moment == 0 else "end" if moment > 0.96 * end else "middle"
        marks.append(h("text", f"{moment:g}", x=x, y=height + 14, text_anchor=anchor, class_="tick"))
        moment = round(moment + step, 6)
    return h("g", *marks, aria_hidden="true")


def _nice(step: float) -> float:
    """
    >>> _nice(0.7), _nice(13), _nice(4)
    (1.0, 20.0, 5.0)
    """
    if step <= 0:
        return 1.0
    base = 10.0 ** math.floor(math.log10(step))
    return next(base * factor for factor in (1, 2, 5, 10) if base * factor >= step - 1e-12)


# --- lines ----------------------------------------------------------------------------------------------------------


def lines(drawing: Lines) -> Html:
    points = [point for line in drawing.lines for point in line.points]
    if not points:
        return h("p", "nothing to draw yet", class_="quiet")
    right, top = max(x for x, _ in points) or 1.0, max(y for _, y in points) or 1.0
    counted = all(float(x).is_integer() for x, _ in points)
    grid = _ticks(right, _HEIGHT, whole=counted)
    shown = [_line(number, line, right, top, stepped=drawing.stepped) for number, line in enumerate(drawing.lines)]
    # The lines are stretched to the width; what is written is not.
    stretched = h(
        "svg", *shown, viewBox="0 0 1000 200", preserveAspectRatio="none", width="100%", height=_HEIGHT, class_="plot"
    )
    picture = h(
        "svg",
        grid,
        _levels(top, whole=all(float(y).is_integer() for _, y in points)),
        stretched,
        class_="chart",
        width="100%",
        height=_HEIGHT + 20,
    )
    keys = [h("li", h("span", class_=f"key line l-{n % 8}"), line.name) for n, line in enumerate(drawing.lines)]
    axes = h("li", f"across: {drawing.x}; up: {drawing.y}", class_="quiet")
    return join((h("ul", *keys, axes, class_="legend"), h("div", picture, class_="line-chart")))


def _levels(top: float, *, whole: bool) -> Html:
    step = max(_nice(top / 4), 1.0 if whole else 0.0)
    marks, value = [], step
    while value <= top + 1e-9:
        y = _HEIGHT - (_HEIGHT - 12) * value / top
        marks.append(h("line", x1=0, x2="100%", y1=y, y2=y, class_="grid"))
        marks.append(h("text", f"{value:g}", x=2, y=y - 3, class_="tick"))
        value = round(value + step, 6)
    return h("g", *marks, aria_hidden="true")


def _line(number: int, line: Line, right: float, top: float, *, stepped: bool) -> Html:
    scale = 200 * (_HEIGHT - 12) / _HEIGHT
    path, before = [], 0.0
    for position, (x, y) in enumerate(line.points):
        at, up = 1000 * x / right, 200 - scale * y / top
        if stepped and position:
            path.append(f"L{at:.1f} {before:.1f}")
        path.append(f"{'L' if position else 'M'}{at:.1f} {up:.1f}")
        before = up
    kind = f"l-{number % 8}"
    if len(line.points) == 1:  # a line without length, whose round ends are a dot
        path.append("h0")
        kind += " dot"
    return h("path", h("title", line.name), d="".join(path), class_=kind, vector_effect="non-scaling-stroke")


# --- matrices, tables, graphs ---------------------------------------------------------------------------------------


def matrix(drawing: Matrix) -> Html:
    head = h("tr", h("th", ""), *(h("th", name, scope="col") for name in drawing.columns))
    body = [
        h("tr", h("th", name, scope="row"), *map(_cell, own))
        for name, own in zip(drawing.rows, drawing.values, strict=True)
    ]
    dense = " dense" if len(drawing.columns) > 16 else ""
    return h("div", h("table", h("thead", head), h("tbody", *body), class_=f"heat{dense}"), class_="scroll")


def _cell(value: float | None) -> Html:
    if value is None:
        return h("td", "")
    return h("td", f"{value:.2f}".removeprefix("0") if value < 1 else "1", class_=f"heat-{int(value * _SHADES)}")


def rows(drawing: Rows) -> Html:
    return table(drawing.columns, drawing.rows, numbers=drawing.numbers, further=drawing.further, framed=True)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Html | str]],
    *,
    numbers: Iterable[str] = (),
    further: int = 0,
    sortable: bool = True,
    framed: bool = False,
) -> Html:
    """``framed``: a long one is scrolled by itself."""
    right = [name in set(numbers) for name in columns]
    head = h(
        "tr",
        *(
            h("th", name, scope="col", class_="number" if own else None, tabindex=0 if sortable and name else None)
            for name, own in zip(columns, right, strict=True)
        ),
    )
    body = [
        h(
            "tr",
            *(
                h("td", cell, class_="number" if own else None, data_label=name or None)
                for name, cell, own in zip(columns, row, right, strict=True)
            ),
        )
        for row in rows
    ]
    left = h("p", f"{further:,} further rows are not shown; the JSON object has them all", class_="quiet")
    whole = h("table", h("thead", head), h("tbody", *body), class_="rows", data_sortable=True if sortable else None)
    frame = "scroll tall" if framed and len(body) > _MOST_ROWS else "scroll"
    return join((h("div", whole, class_=frame, tabindex=0), left if further else None))


def filled(columns: Sequence[str], rows: Sequence[Sequence[Html | str]], *, numbers: Iterable[str] = ()) -> Html:
    """A table without the columns that nothing is in, as where nothing is expected."""
    kept = [at for at in range(len(columns)) if at == 0 or any(row[at] for row in rows)]
    return table([columns[at] for at in kept], [tuple(row[at] for at in kept) for row in rows], numbers=numbers)


def graph(drawing: Graph) -> Html:
    """The first node in the middle, the others around it."""
    others = max(1, len(drawing.nodes) - 1)
    radius = max(90, round(64 * others / (2 * math.pi)))
    middle = radius + 40
    size = 2 * middle
    places = [(middle, middle)] + [
        (
            round(middle + radius * math.cos(2 * math.pi * n / others)),
            round(middle - radius * math.sin(2 * math.pi * n / others)),
        )
        for n in range(len(drawing.nodes) - 1)
    ]
    low, high = min(y for _, y in places) - 40, max(y for _, y in places) + 40
    most = max((amount for _, _, amount in drawing.edges), default=1.0)
    edges = [
        _edge(places[a], places[b], value, most, drawing.nodes[a], drawing.nodes[b]) for a, b, value in drawing.edges
    ]
    nodes = [
        h(
            "g",
            h("circle", cx=x, cy=y, r=22),
            h("text", _short(name), x=x, y=y + 4, text_anchor="middle"),
            class_="node",
        )
        for name, (x, y) in zip(drawing.nodes, places, strict=True)
    ]
    picture = h(
        "svg",
        *edges,
        *nodes,
        class_="graph",
        viewBox=f"0 {low} {size} {high - low}",
        width=size,
        role="img",
        aria_label=drawing.title,
    )
    told = [(drawing.nodes[a], drawing.nodes[b], f"{value:,.0f}") for a, b, value in drawing.edges]
    return h("div", picture, table(("from", "to", "number"), told, numbers=("number",)), class_="graph-frame")


def _edge(a: tuple[int, int], b: tuple[int, int], value: float, most: float, source: str, target: str) -> Html:
    """Bent, so that both directions can be seen; it ends at the rim of its node."""
    (x1, y1), (x2, y2) = a, b
    length = math.dist(a, b) or 1.0
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    x1, y1, x2, y2 = round(x1 + 22 * dx), round(y1 + 22 * dy), round(x2 - 22 * dx), round(y2 - 22 * dy)
    bend_x, bend_y = (x1 + x2) / 2 - 18 * dy, (y1 + y2) / 2 + 18 * dx
    width = 1 + 5 * value / most
    return h(
        "path",
        h("title", f"{source} to {target}: {value:,.0f}"),
        d=f"M{x1} {y1}Q{bend_x:.0f} {bend_y:.0f} {x2} {y2}",
        stroke_width=width,
        class_="edge",
    )


def _short(name: str) -> str:
    return name.replace("worker ", "w ").replace("coordinator", "coord.")


def _slug(kind: str) -> str:
    return kind.replace(" ", "-")


def _tree(drawing: Tree) -> Html:
    return draw_tree(drawing)


def _series(drawing: Series) -> Html:
    last = len(drawing.members) - 1
    return join(
        h(
            "details",
            h("summary", name),
            h("p", tree.note, class_="quiet") if tree.note else None,
            draw_tree(tree),
            open=True if at == last else None,
        )
        for at, (name, tree) in enumerate(drawing.members)
    )


_BODIES: dict[type, Callable[..., Html]] = {
    Tree: _tree,
    Lanes: lanes,
    Lines: lines,
    Matrix: matrix,
    Rows: rows,
    Graph: graph,
    Series: _series,
}
