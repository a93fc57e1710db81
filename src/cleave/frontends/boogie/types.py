"""Boogie's types to sorts, each resolved when something first uses it.

[int, bool]T               (Array Int (Array Bool T))
type Field a; Field int    the uninterpreted sort "Field int"
type Ref = int; Ref        Int
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.floats.literals import known_format
from cleave.frontends.boogie.floats.types import FLOAT, RMODE, float_sort
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.polymorphism import MOST_INSTANCES, Bindings, Instances, map_sort
from cleave.frontends.boogie.syntax import Datatype, MapType, NamedType, RecordType, Type, TypeDeclaration
from cleave.logic.datatypes import ArrayOf, Declaration, FieldSort, declare
from cleave.logic.sorts import BOOL, INT, MAX_WIDTH, REAL, Sort, SortKind, array, bitvec, uninterpreted

_Instance = tuple[str, tuple[Sort, ...]]
_MAX_DEPTH = 100
WHOLE = 200  # levels of a type, where its name has to be like no other's
_BITVECTOR = re.compile(r"bv(\d+)")
_UNSUPPORTED = re.compile(r"string|regex")
_RESERVED = frozenset(("Bool", "Int", "Real", "Array", "BitVec", "String", "RegLan", "RoundingMode", "FloatingPoint"))


class TypeTable:
    def __init__(
        self,
        source: Source,
        declarations: list[TypeDeclaration],
        data: Sequence[Datatype] = (),
        seen: Sequence[Type] = (),
        more: Sequence[Sort] = (),
    ) -> None:
        """``seen`` are the types that are written anywhere, ``more`` those that are not."""
        self._source = source
        self._declared: dict[str, TypeDeclaration] = {}
        self._known: dict[str, Sort] = {"int": INT, "bool": BOOL, "real": REAL}
        self._array_depth: dict[Sort, int] = {}
        self._applied: dict[Sort, tuple[str, tuple[Sort, ...]]] = {}
        synonyms = {one.name: (one.parameters, one.synonym) for one in declarations if one.synonym is not None}
        self.instances = Instances(seen, self._whole, self._without_maps, self._applied, synonyms, more)
        self._data: dict[str, Datatype] = {}
        self._made: dict[_Instance, Sort] = {}  # the data types, with what their parameters are
        self._opened: dict[_Instance, Sort] = {}  # those that are being declared, with what stands for them
        self.bound: Bindings = {}  # what type parameters are, where they are something
        self.is_quantified = False  # whether what is looked at is an instance of a quantifier over types
        self._collects = False
        for declaration in declarations:
            if declaration.name in self._declared or declaration.name in self._known:
                raise source.error(declaration.at, f"type '{declaration.name}' is declared twice")
            self._declared[declaration.name] = declaration
        self._declare_data(data)

    def _declare_data(self, data: Sequence[Datatype]) -> None:
        """All data types without parameters are one group, as each may need the others."""
        for one in data:
            if one.name in self._declared or one.name in self._known or one.name in self._data:
                raise self._source.error(one.at, f"type '{one.name}' is declared twice")
            self._data[one.name] = one
        self._declare_group([(one.name, ()) for one in data if not one.type_parameters])

    def _declare_group(self, instances: Sequence[_Instance]) -> None:
        """Declares instances of data types, and others that their fields need, together."""
        self._opened = {one: uninterpreted(_applied_name(*one)) for one in instances}
        opened, fields = self._opened, dict[_Instance, list[tuple[str, list[tuple[str, Sort]]]]]()
        while waiting := [one for one in opened if one not in fields]:
            name, arguments = waiting[0]
            declared = self._data[name]
            bound = dict(zip(declared.type_parameters, arguments, strict=True))
            fields[waiting[0]] = [
                (made, [(f.name, self._resolve(f.type, bound, 0)) for f in parts])
                for made, parts in declared.constructors
            ]
        self._opened = {}
        stands_for = {sort: number for number, sort in enumerate(opened.values())}
        group = declare(
            tuple(
                Declaration(
                    sort.name,
                    tuple(
                        (made, tuple((f, _in_group(of, stands_for)) for f, of in parts)) for made, parts in fields[one]
                    ),
                )
                for one, sort in opened.items()
            )
        )
        real = dict(zip(opened.values(), group, strict=True))
        for (name, arguments), sort in zip(opened, group, strict=True):
            arguments = tuple(_replaced(argument, real) for argument in arguments)
            self._made[name, arguments] = sort
            if arguments:
                self._applied[sort] = (name, arguments)

    def data_sort(self, name: str, arguments: tuple[Sort, ...]) -> Sort:
        """An instance of a data type; while its group is being declared, what stands for it."""
        one = (name, arguments)
        if one not in self._made and not self._opened:
            self._declare_group([one])
        if one in self._made:
            return self._made[one]
        if one not in self._opened and len(self._opened) == MOST_INSTANCES:
            at = self._data[name].at
            raise self._source.unsupported(at, f"the data type '{name}' has more than {MOST_INSTANCES} instances")
        return self._opened.setdefault(one, uninterpreted(_applied_name(*one)))

    @contextmanager
    def inside(self, bound: Mapping[str, Sort]) -> Iterator[None]:
        """While a procedure is looked at, with type parameters that are ``bound``."""
        before, self.bound = self.bound, dict(bound)
        try:
            yield
        finally:
            self.bound = before

    def is_instance(self, sort: Sort, name: str) -> bool:
        return sort in self._applied and self._applied[sort][0] == name

    def sort(self, written: Type) -> Sort:
        if self.bound:
            return self._resolve(written, self.bound, 0)
        if isinstance(written, NamedType) and not written.arguments:
            found = self._known.get(written.name)
            if found is None:
                found = self._known[written.name] = self._resolve(written, {}, 0)
            return found
        return self._resolve(written, {}, 0)

    def _whole(self, written: Type, bound: Bindings) -> Sort:
        return self._resolve(written, bound, 0)

    def _without_maps(self, written: Type, bound: Bindings) -> Sort:
        """Types that stand for parameters have no polymorphic maps in them."""
        before, self._collects = self._collects, True
        try:
            return self._resolve(written, bound, 0)
        finally:
            self._collects = before

    def _resolve(self, written: Type, bound: dict[str, Sort], depth: int) -> Sort:
        if depth > _MAX_DEPTH:
            message = f"the type is nested deeper than {_MAX_DEPTH}, or a synonym is defined by itself"
            raise self._source.error(written.at, message)
        if isinstance(written, MapType):
            return self._map(written, bound, depth)
        if isinstance(written, RecordType):
            from cleave.frontends.boogie.datatypes import record_sort

            return record_sort([(name, self._resolve(one, bound, depth + 1)) for name, one in written.fields])
        if written.name in bound and not written.arguments:
            return bound[written.name]
        declaration = self._declared.get(written.name)
        if declaration is not None:
            return self._user_type(written, declaration, bound, depth)
        if written.name in self._data:
            arguments = tuple(self._resolve(argument, bound, depth + 1) for argument in written.arguments)
            self._check_count(written, len(self._data[written.name].type_parameters))
            return self.data_sort(written.name, arguments)
        if written.name in self._known and not written.arguments:
            return self._known[written.name]
        return self._builtin(written)

    def _map(self, written: MapType, bound: dict[str, Sort], depth: int) -> Sort:
        if written.parameters:
            return self._polymorphic_map(written, bound, depth)
        found = self._resolve(written.element, bound, depth + 1)  # a map without indices is its one element
        for index in reversed(written.indices):
            found = self._array(written, self._resolve(index, bound, depth + 1), found)
        return found

    def _polymorphic_map(self, written: MapType, bound: dict[str, Sort], depth: int) -> Sort:
        unknown = self._collects or not written.indices
        instances = None if unknown else self.instances.of(written.parameters, written.indices, bound)
        if instances is None:
            what = "that has more instances than 64" if not unknown else "in such a place"
            raise self._source.unsupported(written.at, f"a polymorphic map {what} is not supported")
        made: dict[tuple[tuple[Sort, ...], Sort], None] = {}
        for one in instances:
            inner = {**bound, **one}
            indices = tuple(self._resolve(index, inner, depth + 1) for index in written.indices)
            made[indices, self._resolve(written.element, inner, depth + 1)] = None
        return map_sort(list(made))

    def _array(self, written: MapType, index: Sort, element: Sort) -> Sort:
        depth = 1 + max(self._array_depth.get(index, 0), self._array_depth.get(element, 0))
        if depth > _MAX_DEPTH:
            raise self._source.error(written.at, f"the type is nested deeper than {_MAX_DEPTH}")
        found = array(index, element)
        self._array_depth[found] = depth
        return found

    def _user_type(self, written: NamedType, declaration: TypeDeclaration, bound: dict[str, Sort], depth: int) -> Sort:
        arguments = [self._resolve(argument, bound, depth + 1) for argument in written.arguments]
        self._check_count(written, len(declaration.parameters))
        if declaration.synonym is not None:
            inner = dict(zip(declaration.parameters, arguments, strict=True))
            return self._resolve(declaration.synonym, inner, depth + 1)
        if any(_is_large(argument) for argument in arguments):
            raise self._source.unsupported(written.at, f"the arguments of type '{written.name}' are too large")
        name = f"{written.name}#" if written.name in _RESERVED else written.name
        found = uninterpreted(_applied_name(name, arguments))
        if arguments:
            self._applied[found] = (written.name, tuple(arguments))
        return found

    def _check_count(self, written: NamedType, expected: int) -> None:
        if len(written.arguments) != expected:
            message = f"type '{written.name}' takes {expected} arguments, not {len(written.arguments)}"
            raise self._source.error(written.at, message)

    def _builtin(self, written: NamedType) -> Sort:
        name = written.name
        match = _BITVECTOR.fullmatch(name)
        if match is not None and not written.arguments:
            return bitvec(self.width(match[1], written.at))
        if name == "rmode" and not written.arguments:
            return RMODE
        match = FLOAT.fullmatch(name)
        if match is not None and not written.arguments:
            try:
                return float_sort(known_format(match[2], match[1]))
            except UnsupportedError as error:
                raise self._source.unsupported(written.at, error.message) from None
        if _UNSUPPORTED.fullmatch(name):
            raise self._source.unsupported(written.at, f"the type '{name}' is not supported")
        raise self._source.error(written.at, f"type '{name}' is not declared")

    def width(self, digits: str, at: int) -> int:
        """The width of a bit-vector type from its digits."""
        width = int(digits) if len(digits) < 10 else MAX_WIDTH + 1
        self.check_width(width, at)
        return width

    def check_width(self, width: int, at: int) -> None:
        if not 1 <= width <= MAX_WIDTH:
            message = f"bit vectors have between 1 and {MAX_WIDTH} bits here"
            raise self._source.unsupported(at, message)


def _in_group(sort: Sort, stands_for: dict[Sort, int]) -> FieldSort:
    if sort in stands_for:
        return stands_for[sort]
    if not sort.is_array:
        return sort
    index, element = _in_group(sort.index, stands_for), _in_group(sort.element, stands_for)
    return sort if index is sort.index and element is sort.element else ArrayOf(index, element)


def _replaced(sort: Sort, real: dict[Sort, Sort]) -> Sort:
    if sort.is_array:
        return array(_replaced(sort.index, real), _replaced(sort.element, real))
    return real.get(sort, sort)


def _applied_name(name: str, arguments: Sequence[Sort]) -> str:
    return " ".join([name, *map(_argument_name, arguments)])


def _is_large(sort: Sort, limit: int = 200) -> bool:
    """Whether the sort, written out, has more than ``limit`` parts: synonyms can make it exponentially large."""
    stack = [sort]
    while stack and limit:
        limit -= 1
        top = stack.pop()
        if top.is_array:
            stack += (top.index, top.element)
    return bool(stack) or len(sort.name) > 10_000


def _argument_name(sort: Sort) -> str:
    name = type_name(sort, WHOLE)
    return f"({name})" if " " in name else name


def type_name(sort: Sort, depth: int = 6) -> str:
    """A sort as Boogie writes it; what is nested deeper than ``depth`` is cut."""
    match sort.kind:
        case SortKind.BITVEC:
            return f"bv{sort.width}"
        case SortKind.ARRAY if depth == 0:
            return "..."
        case SortKind.ARRAY:
            return f"[{type_name(sort.index, depth - 1)}]{type_name(sort.element, depth - 1)}"
        case SortKind.UNINTERPRETED | SortKind.DATATYPE:
            return sort.name
        case _:
            return str(sort.kind.value).lower()


def type_names(sorts: list[Sort]) -> str:
    return " and ".join(f"'{type_name(sort)}'" for sort in sorts) or "nothing"
