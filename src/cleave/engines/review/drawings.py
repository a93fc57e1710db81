"""The drawings of an engine's review, as data: pages and reports draw it without knowing the engine.

    Tree        parts of a search, split again and again: their states, and what they cost
    Lanes       what each worker did when: blocks in rows, arrows between them
    Lines       numbers that change over time
    Matrix      numbers between 0 and 1 of pairs
    Rows        a table
    Graph       how much each worker sent to which
    Series      drawings of one kind, of which the last is shown first

A block's ``kind`` is one of those that pages have a colour for: search, setup, checking, waiting, lost, or a state.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """``state`` as `members.State` says, or "in work". ``details`` are lines for whoever looks at just this node. Of a
    search that can be watched again, it was there from second ``begin`` on, and has its state since ``end``."""

    id: str
    parent: str | None
    label: str
    state: str
    cost: int = 0
    details: tuple[str, ...] = ()
    begin: float | None = None
    end: float | None = None


class Tree(msgspec.Struct, frozen=True, kw_only=True, tag="tree"):
    """Parents come before their children."""

    title: str
    nodes: tuple[Node, ...]
    note: str = ""


class Block(msgspec.Struct, frozen=True, array_like=True):
    begin: float
    end: float
    kind: str
    label: str = ""


class Lane(msgspec.Struct, frozen=True, array_like=True):
    name: str
    blocks: tuple[Block, ...]
    note: str = ""


class Arrow(msgspec.Struct, frozen=True, array_like=True):
    """Between two lanes, by their positions, at a moment each. ``kind``: start, join, lock or signal."""

    source: int
    begin: float
    target: int
    end: float
    label: str
    kind: str = ""


class Lanes(msgspec.Struct, frozen=True, kw_only=True, tag="lanes"):
    """``unit`` is that of the times: seconds, or steps."""

    title: str
    lanes: tuple[Lane, ...]
    unit: str = "s"
    arrows: tuple[Arrow, ...] = ()
    note: str = ""


class Line(msgspec.Struct, frozen=True, array_like=True):
    name: str
    points: tuple[tuple[float, float], ...]


class Lines(msgspec.Struct, frozen=True, kw_only=True, tag="lines"):
    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    note: str = ""
    stepped: bool = False  # values hold until the next point


class Matrix(msgspec.Struct, frozen=True, kw_only=True, tag="matrix"):
    """``values`` are between 0 and 1, a row for each of the ``rows``; None: nothing to say."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    note: str = ""


class Rows(msgspec.Struct, frozen=True, kw_only=True, tag="rows"):
    """``numbers`` are the columns that are aligned right. ``further`` rows were left out."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[str, ...] = ()
    further: int = 0
    note: str = ""


class Graph(msgspec.Struct, frozen=True, kw_only=True, tag="graph"):
    """``edges``: from, to, and how much, by the positions of nodes."""

    title: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[int, int, float], ...]
    note: str = ""


class Series(msgspec.Struct, frozen=True, kw_only=True, tag="series"):
    """Trees with their names, in order: a person opens those to see."""

    title: str
    members: tuple[tuple[str, Tree], ...]
    note: str = ""


Drawing: TypeAlias = Tree | Lanes | Lines | Matrix | Rows | Graph | Series


def encode_drawings(drawings: tuple[Drawing, ...]) -> bytes:
    return msgspec.msgpack.encode(drawings)


def decode_drawings(data: bytes) -> tuple[Drawing, ...]:
    """None of a version that has other drawings: a page does without them."""
    try:
        return msgspec.msgpack.decode(data, type=tuple[Drawing, ...]) if data else ()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ()
