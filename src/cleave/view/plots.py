"""Plots of many results: how many are solved within which time, and two ways to solve the same tasks compared.

Both axes of time are logarithmic, from the power of ten below the least time on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from cleave.view.markup import Html, h, join

_SIZE, _EDGE = 400, 40  # of the field that is drawn in, and of the space around it
_LEAST = 0.01  # seconds

Scale: TypeAlias = tuple[float, float]
"""The least and the greatest time of an axis."""


class Point(NamedTuple):
    """A task with its times; ``agrees``: both verdicts are the same."""

    name: str
    across: float
    up: float
    agrees: bool


def cactus(solved: Mapping[str, Sequence[float]]) -> Html:
    """By label, the times of what was solved: a line goes up by one for each task, at its time."""
    most = max((len(times) for times in solved.values()), default=0)
    if not most:
        return h("p", "nothing is solved yet", class_="quiet")
    scale = _scale(time for times in solved.values() for time in times)
    lines = []
    for number, (label, times) in enumerate(solved.items()):
        points = [(_EDGE + _SIZE * position / most, _y(time, scale)) for position, time in enumerate(sorted(times), 1)]
        path = "".join(f"{'L' if at else 'M'}{x:.1f} {y:.1f}" for at, (x, y) in enumerate(points))
        dots = [h("circle", cx=x, cy=y, r=2.5, class_=f"l-{number % 8}") for x, y in points]
        lines.append(h("g", h("title", f"{label}: {len(times)}"), h("path", d=path, class_=f"l-{number % 8}"), *dots))
    keys = [
        h("li", h("span", class_=f"key line l-{number % 8}"), f"{label}: {len(times)}")
        for number, (label, times) in enumerate(solved.items())
    ]
    marks = [_mark(_EDGE + _SIZE * n / most, str(n)) for n in sorted({1, most, max(1, most // 2)})]
    picture = _picture(join((_grid(scale), *marks, h("g", *lines, class_="plot"))), "Solved within a time")
    return join((h("ul", *keys, h("li", "across: solved; up: seconds", class_="quiet"), class_="legend"), picture))


def scatter(points: Sequence[Point], across: str, up: str) -> Html:
    """Below the diagonal: ``up`` is faster."""
    if not points:
        return h("p", "no task is in both", class_="quiet")
    scale = _scale(time for point in points for time in (point.across, point.up))
    drawn = [
        h(
            "circle",
            h("title", f"{point.name}\n{across}: {point.across:.2f} s\n{up}: {point.up:.2f} s"),
            cx=_EDGE + _SIZE - (_y(point.across, scale) - 10),
            cy=_y(point.up, scale),
            r=4,
            class_="" if point.agrees else "differs",
        )
        for point in points
    ]
    low, high = _y(scale[0], scale), _y(scale[1], scale)
    diagonal = h("line", x1=_EDGE, y1=low, x2=_EDGE + _SIZE, y2=high, class_="grid")
    marks = [_mark(_EDGE + _SIZE - (_y(time, scale) - 10), f"{time:g}") for time in _times(scale)]
    body = join((_grid(scale), diagonal, *marks, h("g", *drawn, class_="scatter")))
    told = f"across: {across}; up: {up}; seconds. Orange and hollow: the verdicts differ"
    return join((h("ul", h("li", told, class_="quiet"), class_="legend"), _picture(body, f"{across} against {up}")))


def _picture(body: Html, title: str) -> Html:
    width, height = _SIZE + 2 * _EDGE, _SIZE + 10 + _EDGE
    return h(
        "svg", body, class_="chart square", viewBox=f"0 0 {width} {height}", role="img", aria_label=title, width="100%"
    )


def _grid(scale: Scale) -> Html:
    lines = []
    for time in _times(scale):
        y = _y(time, scale)
        lines.append(h("line", x1=_EDGE, x2=_EDGE + _SIZE, y1=y, y2=y, class_="grid"))
        lines.append(h("text", f"{time:g}", x=_EDGE - 6, y=y + 4, text_anchor="end", class_="tick"))
    return h("g", *lines, aria_hidden="true")


def _mark(x: float, told: str) -> Html:
    return h("text", told, x=x, y=_SIZE + 28, text_anchor="middle", class_="tick")


def _times(scale: Scale) -> list[float]:
    """Powers of ten and, of a short axis, what is between them."""
    low, high = (round(math.log10(time)) for time in scale)
    between = (1, 2, 5) if high - low <= 2 else (1,)
    return [factor * 10.0**power for power in range(low, high) for factor in between] + [10.0**high]


def _scale(times: Iterable[float]) -> Scale:
    """The powers of ten that all times are between."""
    known = [max(time, _LEAST) for time in times] or [1.0]
    low = math.floor(math.log10(min(known)))
    return 10.0**low, 10.0 ** max(low + 1, math.ceil(math.log10(max(known))))


def _y(time: float, scale: Scale) -> float:
    low, high = scale
    return 10 + _SIZE * (1 - math.log10(max(time, low) / low) / math.log10(high / low))
