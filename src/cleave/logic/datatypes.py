"""Algebraic data types: declaring them, and the terms that make, take apart and test their values.

    >>> from cleave.logic.sorts import INT
    >>> from cleave.logic.terms import integer, var
    >>> (lists,) = declare((Declaration("List", (("nil", ()), ("cons", (("head", INT), ("tail", 0))))),))
    >>> one = construct(lists, 1, integer(7), construct(lists, 0))
    >>> one
    (cons 7 nil)
    >>> field(one, 1, 0), test(one, 0), test(var("l", lists), 1)
    (7, false, ((_ is cons) l))

Types that need each other are declared together, in a group. Within the declaration a number stands for a member of the
group, by position. Equal declarations give the same sorts, as everything here is interned; a type of the same name
that is declared otherwise is another sort.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL, Constructor, Sort, SortKind, array
from cleave.logic.terms import Op, SortError, Term, boolean, make
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An array of which a part belongs to the group."""

    index: FieldSort
    element: FieldSort


FieldSort: TypeAlias = "Sort | int | ArrayOf"
"""A sort from outside of the group, a member's number, or an array of such."""


class Declaration(NamedTuple):
    """A data type: its name, and for each constructor its name and its selectors with their sorts."""

    name: str
    constructors: tuple[tuple[str, tuple[tuple[str, FieldSort], ...]], ...]


_groups: dict[tuple[Declaration, ...], tuple[Sort, ...]] = {}


def declare(group: tuple[Declaration, ...]) -> tuple[Sort, ...]:
    """The sorts of a group of declarations, in order."""
    found = _groups.get(group)
    if found is not None:
        return found
    for declared in group:
        if not declared.constructors:
            raise SortError(f"the data type {declared.name} has no constructor")
    _check_values(group)
    members = tuple(Sort(SortKind.DATATYPE, name=declared.name) for declared in group)
    for member, declared in zip(members, group, strict=True):
        member.group = members
        member.constructors = tuple(
            Constructor(
                name, tuple(selector for selector, _ in fields), tuple(_resolve(sort, members) for _, sort in fields)
            )
            for name, fields in declared.constructors
        )
    return _groups.setdefault(group, members)


def _check_values(group: tuple[Declaration, ...]) -> None:
    """Each type has a value that is made without another one of its own type. Solvers refuse others."""
    left = set(range(len(group)))
    while True:
        made = {
            number
            for number in left
            if any(not any(_needs(sort, left) for _, sort in fields) for _, fields in group[number].constructors)
        }
        if not made:
            break
        left -= made
    if left:
        name = group[min(left)].name
        raise UnsupportedError(f"each value of the data type {name} holds another one of that type, so there is none")


def _needs(sort: FieldSort, members: Collection[int]) -> bool:
    if isinstance(sort, ArrayOf):
        return _needs(sort.index, members) or _needs(sort.element, members)
    return isinstance(sort, int) and sort in members


def declaration(sort: Sort) -> Declaration:
    """What a data type was declared as."""
    return Declaration(
        sort.name,
        tuple(
            (
                made.name,
                tuple((s, _abstract(f, sort.group)) for s, f in zip(made.selectors, made.fields, strict=True)),
            )
            for made in sort.constructors
        ),
    )


def _resolve(sort: FieldSort, members: tuple[Sort, ...]) -> Sort:
    """Recursion is as deep as arrays are nested in a field's sort."""
    if isinstance(sort, ArrayOf):
        return array(_resolve(sort.index, members), _resolve(sort.element, members))
    return members[sort] if isinstance(sort, int) else sort


def _abstract(sort: Sort, members: tuple[Sort, ...]) -> FieldSort:
    if sort in members:
        return members.index(sort)
    if sort.is_array:
        index, element = _abstract(sort.index, members), _abstract(sort.element, members)
        return sort if index is sort.index and element is sort.element else ArrayOf(index, element)
    return sort


def groups(sorts: Iterable[Sort]) -> Iterator[tuple[Sort, ...]]:
    """The groups of all data types below ``sorts``, each once, after those that its fields need."""
    order: dict[tuple[Sort, ...], None] = {}
    started: set[tuple[Sort, ...]] = set()
    stack: list[Sort | tuple[Sort, ...]] = [*reversed(list(sorts))]
    while stack:
        top = stack.pop()
        if isinstance(top, tuple):
            order[top] = None
        elif top.is_array:
            stack += [top.element, top.index]
        elif top.is_datatype and top.group not in started:
            started.add(top.group)
            stack.append(top.group)
            stack += [f for member in top.group for made in member.constructors for f in made.fields]
    return iter(order)


def construct(sort: Sort, number: int, *args: Term) -> Term:
    """The value that constructor ``number`` of ``sort`` makes of ``args``."""
    if not sort.is_datatype or not 0 <= number < len(sort.constructors):
        raise SortError(f"{sort!r} has no constructor number {number}")
    constructor = sort.constructors[number]
    if tuple(a.sort for a in args) != constructor.fields:
        raise SortError(f"{constructor.name} takes {constructor.fields}, not {tuple(a.sort for a in args)}")
    return make(Op.CONSTRUCT, args, sort, number)


def field(a: Term, number: int, place: int) -> Term:
    """Field ``place`` of a value that constructor ``number`` made; of another value, anything (but always the same)."""
    if not a.sort.is_datatype or number >= len(a.sort.constructors):
        raise SortError(f"{a.sort!r} has no constructor number {number}")
    if a.op is Op.CONSTRUCT and a.value == number:
        return a.args[place]
    return make(Op.FIELD, (a,), a.sort.constructors[number].fields[place], (number, place))


def test(a: Term, number: int) -> Term:
    """Whether constructor ``number`` made the value."""
    if not a.sort.is_datatype or number >= len(a.sort.constructors):
        raise SortError(f"{a.sort!r} has no constructor number {number}")
    if a.op is Op.CONSTRUCT:
        return boolean(a.value == number)
    if len(a.sort.constructors) == 1:
        return boolean(True)
    return make(Op.TEST, (a,), BOOL, number)
