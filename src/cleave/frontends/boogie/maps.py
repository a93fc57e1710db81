"""Maps with several indices are arrays of arrays.

m[i, j]             (select (select m i) j)
m[i, j := e]        (store m i (store (select m i) j e))
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.types import type_name
from cleave.logic import terms as t
from cleave.logic.terms import Term


def select_all(source: Source, at: int, found: Term, indices: Sequence[Term]) -> Term:
    for index in indices:
        _check_index(source, at, found, index)
        found = t.select(found, index)
    return found


def store_at(source: Source, at: int, changed: Term, indices: Sequence[Term], value: Term) -> Term:
    """``changed`` with ``value`` at ``indices``, one for each level of nesting."""
    levels = [changed]
    for index in indices[:-1]:
        levels.append(select_all(source, at, levels[-1], [index]))
    for level, index in zip(reversed(levels), reversed(indices), strict=True):
        _check_index(source, at, level, index)
        if level.sort.element is not value.sort:
            message = f"the map holds '{type_name(level.sort.element)}', not '{type_name(value.sort)}'"
            raise source.error(at, message)
        value = t.store(level, index, value)
    return value


def _check_index(source: Source, at: int, found: Term, index: Term) -> None:
    if not found.sort.is_array:
        raise source.error(at, f"expected a map before '[', not '{type_name(found.sort)}'")
    if found.sort.index is not index.sort:
        wanted = type_name(found.sort.index)
        raise source.error(at, f"the map's index has type '{wanted}', not '{type_name(index.sort)}'")
