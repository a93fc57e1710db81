"""Terms as bytes, for messages and for the journal.

    >>> from cleave.logic.terms import add, integer, lt, var
    >>> x = var("x", INT)
    >>> term = lt(x, add(x, integer(1)))
    >>> decode(encode([term]))[0] is term
    True

MessagePack: a version, the tables of sorts, functions and nodes, and the roots. Entries refer to earlier entries by
position, so each shared node is there once:

    [1, sorts, functions, nodes, roots]
    sort:     [kind, width, index, element, name, group]
    function: [name, argument sorts, result sort]
    node:     [op, sort, arguments, value]

Of a group of data types, the first has the declaration of all in ``group``; ``width`` is each one's number in the group
and ``index`` the position of the first. In a declaration a field's sort is a position, or [number in the group], or a
pair for an array.

Decoding trusts nothing: an entry may only refer to earlier ones, and every node must be well-sorted. Anything else is
an `InputError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import msgspec

from cleave.errors import InputError
from cleave.logic import datatypes, sorts
from cleave.logic.datatypes import ArrayOf, Declaration, FieldSort
from cleave.logic.floats.formats import Floating, Format, Rounding
from cleave.logic.floats.operations import FLOATING
from cleave.logic.signatures import fits
from cleave.logic.sorts import BOOL, INT, REAL, Sort, SortKind
from cleave.logic.terms import Binder, Function, Op, SortError, Term, make
from cleave.logic.walk import postorder

VERSION = 1

# Positions in these are part of the format: append only.
_KINDS = tuple(SortKind)
_OPS = tuple(Op)

_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_OP_NUMBERS = {op: number for number, op in enumerate(_OPS)}
_QUANTIFIERS = (Op.FORALL, Op.EXISTS)
_MAX_WIDTH = 2**31 - 1
_MAX_FIELD_DEPTH = 100


class _SortRow(msgspec.Struct, array_like=True, omit_defaults=True):
    kind: int
    width: int = 0
    index: int = 0
    element: int = 0
    name: bytes = b""
    group: Any = None


class _FunctionRow(msgspec.Struct, array_like=True):
    name: bytes
    arguments: list[int]
    result: int


class _NodeRow(msgspec.Struct, array_like=True, omit_defaults=True):
    op: int
    sort: int
    arguments: list[int] = []
    value: Any = None


class _Message(msgspec.Struct, array_like=True):
    version: int
    sorts: list[_SortRow]
    functions: list[_FunctionRow]
    nodes: list[_NodeRow]
    roots: list[int]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Message)


def encode(terms: Sequence[Term]) -> bytes:
    """The terms, with what they share only once."""
    return _Encoding().message(terms)


def decode(data: bytes) -> list[Term]:
    """The very terms that were encoded. Raises `InputError` on any other bytes."""
    try:
        message = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError, MemoryError) as error:
        raise InputError(f"these bytes are no encoded terms: {error}") from error
    if message.version != VERSION:
        raise InputError(f"terms in version {message.version} of the encoding, not {VERSION}")
    return _Decoding().terms(message)


class _Encoding:
    def __init__(self) -> None:
        self._sorts: dict[Sort, int] = {}
        self._functions: dict[Function, int] = {}
        self._nodes: dict[Term, int] = {}
        self._message = _Message(VERSION, [], [], [], [])

    def message(self, terms: Sequence[Term]) -> bytes:
        for node in postorder(terms):
            self._node(node)
        self._message.roots = [self._nodes[term] for term in terms]
        return _encoder.encode(self._message)

    def _node(self, node: Term) -> int:
        found = self._nodes.get(node)
        if found is None:
            nodes = self._nodes
            value = self._value(node)
            row = _NodeRow(_OP_NUMBERS[node.op], self._sort(node.sort), [nodes[a] for a in node.args], value)
            found = nodes[node] = len(nodes)
            self._message.nodes.append(row)
        return found

    def _value(self, node: Term) -> Any:
        value = node.value
        if isinstance(value, str):
            return _name_bytes(value)
        if isinstance(value, Function):
            return self._function(value)
        if isinstance(value, Binder):
            return [[self._node(v) for v in value.variables], list(value.trigger_sizes)]
        if node.op is Op.FIELD:
            return list(value)
        if isinstance(value, Floating):
            return [*value.format, int(value.mode), *(value.to or ())]
        if isinstance(value, Fraction):
            return [_pack(value.numerator), _pack(value.denominator)]
        return _pack(value) if type(value) is int else value

    def _sort(self, sort: Sort) -> int:
        found = self._sorts.get(sort)
        if found is None:
            for part in _parts_first(sort, self._sorts):
                self._message.sorts.append(self._sort_row(part))
                self._sorts[part] = len(self._sorts)
            found = self._sorts[sort]
        return found

    def _sort_row(self, sort: Sort) -> _SortRow:
        number = _KIND_NUMBERS[sort.kind]
        if sort.is_array:
            return _SortRow(number, index=self._sorts[sort.index], element=self._sorts[sort.element])
        if sort.is_datatype:
            place = sort.group.index(sort)
            if place:
                return _SortRow(number, width=place, index=self._sorts[sort.group[0]])
            return _SortRow(number, index=len(self._sorts), group=[self._declaration(s) for s in sort.group])
        return _SortRow(number, width=sort.width, name=_name_bytes(sort.name))

    def _declaration(self, sort: Sort) -> list[Any]:
        declared = datatypes.declaration(sort)
        return [
            _name_bytes(declared.name),
            [
                [_name_bytes(name), [[_name_bytes(selector), self._field(f)] for selector, f in fields]]
                for name, fields in declared.constructors
            ],
        ]

    def _field(self, sort: FieldSort) -> Any:
        """Recursion is as deep as arrays are nested in a field's sort."""
        if isinstance(sort, ArrayOf):
            return [self._field(sort.index), self._field(sort.element)]
        return [sort] if isinstance(sort, int) else self._sorts[sort]

    def _function(self, function: Function) -> int:
        found = self._functions.get(function)
        if found is None:
            arguments = [self._sort(sort) for sort in function.arguments]
            row = _FunctionRow(_name_bytes(function.name), arguments, self._sort(function.result))
            found = self._functions[function] = len(self._functions)
            self._message.functions.append(row)
        return found


def _parts_first(sort: Sort, known: dict[Sort, int]) -> list[Sort]:
    """The parts of a sort that are not known yet, and the sort: each once, after its own parts."""
    order: dict[Sort, None] = {}
    stack = [sort]
    while stack:
        top = stack[-1]
        waiting = [part for part in _needed(top) if part not in order and part not in known]
        if waiting:
            stack += waiting
        else:
            order.update(dict.fromkeys(top.group or (top,)))
            stack.pop()
    return list(order)


def _needed(sort: Sort) -> Iterator[Sort]:
    if sort.is_array:
        yield from (sort.index, sort.element)
    for member in sort.group:
        for _, fields in datatypes.declaration(member).constructors:
            for _, field in fields:
                yield from _outside(field)


def _outside(field: FieldSort) -> Iterator[Sort]:
    """The sorts in a field's that do not belong to the group."""
    if isinstance(field, ArrayOf):
        yield from _outside(field.index)
        yield from _outside(field.element)
    elif isinstance(field, Sort):
        yield field


class _Decoding:
    def __init__(self) -> None:
        self._sorts: list[Sort] = []
        self._functions: list[Function] = []
        self._nodes: list[Term] = []

    def terms(self, message: _Message) -> list[Term]:
        self._sorts = []
        for row in message.sorts:
            self._sorts.append(self._sort(row))
        sorts_of = self._sorts
        self._functions = [
            Function(_name(f.name), tuple(_at(sorts_of, a) for a in f.arguments), _at(sorts_of, f.result))
            for f in message.functions
        ]
        for node in message.nodes:
            self._nodes.append(self._node(node))
        return [_at(self._nodes, root) for root in message.roots]

    def _sort(self, row: _SortRow) -> Sort:
        match _at(_KINDS, row.kind):
            case SortKind.BOOL:
                return BOOL
            case SortKind.INT:
                return INT
            case SortKind.REAL:
                return REAL
            case SortKind.BITVEC:
                if not 0 < row.width <= _MAX_WIDTH:
                    raise InputError(f"an encoded bit vector of {row.width} bits")
                return sorts.bitvec(row.width)
            case SortKind.ARRAY:
                return sorts.array(_at(self._sorts, row.index), _at(self._sorts, row.element))
            case SortKind.UNINTERPRETED:
                return sorts.uninterpreted(_name(row.name))
            case SortKind.DATATYPE:
                return self._datatype(row)

    def _datatype(self, row: _SortRow) -> Sort:
        if row.group is None:
            return _at(_at(self._sorts, row.index).group, row.width)
        group = tuple(self._declaration(raw, len(row.group)) for raw in _list(row.group))
        if not group:
            raise InputError("an encoded data type that is not declared")
        try:
            return datatypes.declare(group)[0]
        except SortError as error:
            raise InputError(f"a bad encoded data type: {error}") from error

    def _declaration(self, raw: Any, size: int) -> Declaration:
        name, constructors = _pair(raw)
        declared = []
        for constructor in _list(constructors):
            made, fields = _pair(constructor)
            pairs = [_pair(field) for field in _list(fields)]
            declared.append((_name(made), tuple((_name(s), self._field(f, size)) for s, f in pairs)))
        return Declaration(_name(name), tuple(declared))

    def _field(self, raw: Any, size: int, depth: int = 0) -> FieldSort:
        if not isinstance(raw, list):
            return _at(self._sorts, raw)
        if len(raw) == 1:
            return int(_at(range(size), raw[0]))
        if depth > _MAX_FIELD_DEPTH:
            raise InputError("an encoded data type with a field nested too deep")
        index, element = (self._field(part, size, depth + 1) for part in _pair(raw))
        return ArrayOf(index, element)

    def _node(self, row: _NodeRow) -> Term:
        op, sort = _at(_OPS, row.op), _at(self._sorts, row.sort)
        args = tuple(_at(self._nodes, a) for a in row.arguments)
        value = self._value(op, sort, row.value)
        if not fits(op, args, sort, value):
            raise InputError(f"an encoded term that is not well-sorted: {op.value}")
        return make(op, args, sort, value)

    def _value(self, op: Op, sort: Sort, raw: Any) -> Any:
        """What `_Encoding._value` wrote; whether it fits the operator is checked afterwards."""
        if op is Op.VAR:
            return _name(raw)
        if op is Op.APPLY:
            return _at(self._functions, raw)
        if op in _QUANTIFIERS:
            variables, sizes = _pair(raw)
            return Binder(tuple(_at(self._nodes, v) for v in _list(variables)), tuple(map(_unpack, _list(sizes))))
        if op is Op.EXTRACT or op is Op.FIELD:
            return tuple(map(_unpack, _pair(raw)))
        if op in FLOATING:
            return _floating([_unpack(part) for part in _list(raw)])
        if op is Op.VALUE and sort is REAL:
            numerator, denominator = map(_unpack, _pair(raw))
            if denominator < 1:
                raise InputError("an encoded fraction with a bad denominator")
            return Fraction(numerator, denominator)
        return raw if raw is None or isinstance(raw, bool) else _unpack(raw)


def _floating(parts: list[int]) -> Floating:
    if len(parts) not in (3, 5) or not 0 <= parts[2] < len(Rounding):
        raise InputError("an encoded term with a bad floating-point format")
    to = Format(*parts[3:]) if len(parts) == 5 else None
    return Floating(Format(*parts[:2]), Rounding(parts[2]), to)


def _pack(value: int) -> int | bytes:
    """MessagePack's integers end at 64 bits; larger ones are bytes, little end first, in two's complement."""
    return value if -(2**63) <= value < 2**63 else value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)


def _unpack(raw: Any) -> int:
    if isinstance(raw, bytes):
        return int.from_bytes(raw, "little", signed=True)
    if type(raw) is not int:
        raise InputError("an encoded term with a bad number")
    return raw


def _name_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _name(raw: Any) -> str:
    if not isinstance(raw, bytes):
        raise InputError("an encoded term with a bad name")
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise InputError("an encoded term with a bad name") from error


def _list(raw: Any) -> list[Any]:
    if not isinstance(raw, list):
        raise InputError("an encoded term with a bad value")
    return raw


def _pair(raw: Any) -> list[Any]:
    if len(_list(raw)) != 2:
        raise InputError("an encoded term with a bad value")
    return _list(raw)


_Entry = TypeVar("_Entry")


def _at(table: Sequence[_Entry], position: Any) -> _Entry:
    if type(position) is not int or not 0 <= position < len(table):
        raise InputError("an encoded term refers to what is not there")
    return table[position]
