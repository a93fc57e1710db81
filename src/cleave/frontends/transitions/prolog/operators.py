"""Prolog's operators: how tightly each binds, and to which side it groups.

a - b - c   is  (a - b) - c      yfx: the left side may have the same priority
a :- b, c   is  a :- (b, c)      the smaller priority binds tighter
"""

from __future__ import annotations

from typing import NamedTuple


class Operator(NamedTuple):
    """``left_same`` and ``right_same``: whether that side may have the operator's own priority."""

    priority: int
    left_same: bool = False
    right_same: bool = False

    @property
    def left(self) -> int:
        return self.priority if self.left_same else self.priority - 1

    @property
    def right(self) -> int:
        return self.priority if self.right_same else self.priority - 1


def _table(kind: str, groups: dict[int, str]) -> dict[str, Operator]:
    """``kind`` as in ``op/3``: x is a side of smaller priority, y one of the same."""
    left, right = kind[0] == "y", kind[-1] == "y"
    return {name: Operator(priority, left, right) for priority, names in groups.items() for name in names.split()}


INFIX = {
    **_table("xfx", {1200: ":- -->"}),
    **_table("xfy", {1100: ";", 1050: "-> *->", 1000: ","}),
    **_table("xfx", {700: r"= \= == \== @< @> @=< @>= =.. is =:= =\= < > =< >="}),
    **_table("xfx", {700: r"#= #\= #< #> #=< #>="}),  # of constraints over integers
    **_table("xfy", {200: "^"}),
    **_table("xfx", {200: "**"}),
    **_table("yfx", {500: r"+ - /\ \/ xor", 400: "* / // mod rem div rdiv << >>"}),
    **_table("xfy", {600: ":"}),
}
PREFIX = {
    **_table("fx", {1200: ":- ?-", 1150: "dynamic discontiguous multifile initialization table mode"}),
    **_table("fy", {900: r"\+", 200: r"- + \ "}),
}
