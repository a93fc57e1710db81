"""Sorts are tuples: ``("Bool",)``, ``("BitVec", 8)``, ``("Array", index, element)``, ``("Sort", name)``."""

from __future__ import annotations

from typing import Any, TypeAlias

from cleave_check.refusal import Unreadable

Sort: TypeAlias = tuple[Any, ...]

BOOL: Sort = ("Bool",)
INT: Sort = ("Int",)
REAL: Sort = ("Real",)
MOST_BITS = 1 << 16
MOST_NESTED = 50


def bits(width: int) -> Sort:
    if not 1 <= width <= MOST_BITS:
        raise Unreadable(f"a bit vector has 1 to {MOST_BITS} bits")
    return ("BitVec", width)


def array(index: Sort, element: Sort) -> Sort:
    if nesting(index) + nesting(element) > MOST_NESTED:
        raise Unreadable(f"arrays are nested more than {MOST_NESTED} deep")
    return ("Array", index, element)


def nesting(sort: Sort) -> int:
    return 1 + nesting(sort[1]) + nesting(sort[2]) if sort[0] == "Array" else 0


def show(sort: Sort) -> str:
    """As SMT-LIB writes it; names of uninterpreted sorts are made harmless by whoever declares them."""
    match sort[0]:
        case "BitVec":
            return f"(_ BitVec {sort[1]})"
        case "Array":
            return f"(Array {show(sort[1])} {show(sort[2])})"
        case "Sort":
            return f"s!{sort[1].encode().hex()}"
        case _:
            return str(sort[0])
