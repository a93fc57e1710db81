"""Maps with several indices are arrays of arrays.

m[i, j]             (select (select m i) j)
m[i, j := e]        (store m i (store (select m i) j e))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.floats.types import canonical
from cleave.frontends.boogie.lambdas import Lambdas
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.polymorphism import index_count, instance, is_map, map_of, with_map
from cleave.frontends.boogie.types import type_name, type_names
from cleave.logic import terms as t
from cleave.logic.terms import Term


def select_all(source: Source, at: int, found: Term, indices: Sequence[Term]) -> Term:
    if is_map(found.sort):
        own, rest = _own_indices(source, at, found, indices)
        return select_all(
            source, at, select_all(source, at, map_of(found, _instance(source, at, found, own)), own), rest
        )
    for index in indices:
        _check_index(source, at, found, index)
        found = t.select(found, _place(source, at, index))
    return found


def _own_indices(source: Source, at: int, found: Term, indices: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """Those of a polymorphic map, and those of its elements."""
    count = index_count(found.sort)
    if len(indices) < count:
        raise source.error(at, f"the map has {count} indices, not {len(indices)}")
    return list(indices[:count]), list(indices[count:])


def _instance(source: Source, at: int, found: Term, indices: Sequence[Term]) -> int:
    number = instance(found, indices)
    if number is None:
        raise source.error(at, f"the map takes no indices of types {type_names([i.sort for i in indices])}")
    return number


def store_at(source: Source, at: int, changed: Term, indices: Sequence[Term], value: Term) -> Term:
    """``changed`` with ``value`` at ``indices``, one for each level of nesting."""
    if is_map(changed.sort):
        own, rest = _own_indices(source, at, changed, indices)
        number = _instance(source, at, changed, own)
        if rest:
            value = store_at(source, at, select_all(source, at, changed, own), rest, value)
        return with_map(changed, number, store_at(source, at, map_of(changed, number), own, value))
    if not indices and changed.sort is not value.sort:
        raise source.error(at, f"the map holds '{type_name(changed.sort)}', not '{type_name(value.sort)}'")
    indices = [_place(source, at, index) for index in indices]
    if not indices:
        return value
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


def pointwise(name: str, lambdas: Lambdas, names: Names) -> Callable[..., Term] | None:
    """Z3's operators on whole maps: ``MapAnd(a, b)`` is ``(lambda x :: a[x] && b[x])``."""
    operator = _POINTWISE.get(name)
    if operator is None:
        return None

    def build(*maps: Term) -> Term:
        if not maps[0].sort.is_array:
            raise t.SortError(f"{name} takes maps")
        index = t.var(names.fresh("x", "?"), maps[0].sort.index)
        return lambdas.map_of((index,), operator(*(t.select(one, index) for one in maps)))

    return build


_POINTWISE: dict[str, Callable[..., Term]] = {
    "MapAnd": t.conj,
    "MapOr": t.disj,
    "MapNot": t.neg,
    "MapImp": t.implies,
    "MapIff": t.eq,
    "MapEq": t.eq,
    "MapIte": t.ite,
    "MapAdd": t.add,
    "MapSub": t.sub,
    "MapMul": t.mul,
    "MapDiv": t.div,
    "MapMod": t.mod,
    "MapGt": t.gt,
    "MapGe": t.ge,
    "MapLt": t.lt,
    "MapLe": t.le,
}


def _place(source: Source, at: int, index: Term) -> Term:
    try:
        return canonical(index)
    except UnsupportedError as error:
        raise source.unsupported(at, error.message) from None


def _check_index(source: Source, at: int, found: Term, index: Term) -> None:
    if not found.sort.is_array:
        raise source.error(at, f"expected a map before '[', not '{type_name(found.sort)}'")
    if found.sort.index is not index.sort:
        wanted = type_name(found.sort.index)
        raise source.error(at, f"the map's index has type '{wanted}', not '{type_name(index.sort)}'")
