"""Algebraic data types in Z3: sorts of a group made together, and the native functions of their parts.

declared = Datatypes(context, translator.sort)
declared.sort(lists)                  # the native sort; all of its group are made with it
declared.constructor(lists, 1)        # the native function cons
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

from cleave.errors import InternalError
from cleave.logic.sorts import Sort
from cleave.smt.z3.native import Context, array, lib


class Datatypes:
    """The data types of one context, each made once. ``sort_of``, a method, translates the other sorts; it is held
    weakly, as its object holds this one: a cycle would keep the context's memory until a collection."""

    def __init__(self, context: Context, sort_of: Callable[[Sort], int]) -> None:
        self._context = context
        self._sort_of = WeakMethod(sort_of)
        self._sorts: dict[Sort, int] = {}
        self._names: dict[str, Sort] = {}
        self._functions: dict[tuple[Sort, int, int | str], int] = {}

    def sort(self, sort: Sort) -> int:
        if sort not in self._sorts:
            self._declare(sort.group)
        return self._sorts[sort]

    def constructor(self, sort: Sort, number: int) -> int:
        return self._function(sort, number, "make", lib.Z3_get_datatype_sort_constructor, number)

    def tester(self, sort: Sort, number: int) -> int:
        return self._function(sort, number, "test", lib.Z3_get_datatype_sort_recognizer, number)

    def selector(self, sort: Sort, number: int, place: int) -> int:
        return self._function(sort, number, place, lib.Z3_get_datatype_sort_constructor_accessor, number, place)

    def _function(self, sort: Sort, number: int, part: int | str, get: Any, *places: int) -> int:
        found = self._functions.get((sort, number, part))
        if found is None:
            made = get(self._context.pointer, self.sort(sort), *places)
            found = self._functions[sort, number, part] = self._context.own(made)
        return found

    def _declare(self, group: tuple[Sort, ...]) -> None:
        """Z3 knows data types by name: another one of the same name would replace the first."""
        pointer = self._context.pointer
        for sort in group:
            if self._names.setdefault(sort.name, sort) is not sort:
                raise InternalError(f"two different data types named {sort.name} in one solver")
        ahead = {
            sort: self._context.own(lib.Z3_mk_datatype_sort(pointer, self._context.symbol(sort.name), 0, None))
            for sort in group
        }
        made: list[int] = []
        lists: list[int] = []
        try:
            for sort in group:
                of_sort = [self._make_constructor(sort, number, ahead) for number in range(len(sort.constructors))]
                made += of_sort
                lists.append(lib.Z3_mk_constructor_list(pointer, len(of_sort), array(of_sort)))
            names = array([self._context.symbol(sort.name) or 0 for sort in group])
            results = (ctypes.c_void_p * len(group))()
            lib.Z3_mk_datatypes(pointer, len(group), names, results, array(lists))
            self._context.check()
        finally:
            for one in lists:
                lib.Z3_del_constructor_list(pointer, one)
            for one in made:
                lib.Z3_del_constructor(pointer, one)
        for sort, native in zip(group, results, strict=True):
            self._sorts[sort] = self._context.own(native)

    def _make_constructor(self, sort: Sort, number: int, ahead: dict[Sort, int]) -> int:
        constructor = sort.constructors[number]
        symbol, count = self._context.symbol, len(constructor.fields)
        selectors = array([symbol(selector) or 0 for selector in constructor.selectors])
        fields = array([self._field(f, ahead) for f in constructor.fields])
        made: int | None = lib.Z3_mk_constructor(
            self._context.pointer, symbol(constructor.name), symbol(f"is-{constructor.name}"), count, selectors, fields,
            array([0] * count),
        )  # fmt: skip
        if made is None:
            raise self._context.error()
        return made

    def _field(self, sort: Sort, ahead: dict[Sort, int]) -> int:
        """A field's sort, which may be an array of members of the group; as deep as arrays are nested."""
        if sort in ahead:
            return ahead[sort]
        if sort.is_array:
            index, element = self._field(sort.index, ahead), self._field(sort.element, ahead)
            return self._context.own(lib.Z3_mk_array_sort(self._context.pointer, index, element))
        return self._translated(sort)

    def _translated(self, sort: Sort) -> int:
        sort_of = self._sort_of()
        assert sort_of is not None, "a translator outlives its data types"
        return sort_of(sort)
