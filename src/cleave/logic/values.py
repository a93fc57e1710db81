"""The values of terms, in a concrete run and in a solver's model: Python's own, and maps.

    Bool bool, Int int, Real Fraction, bit vectors int (unsigned), arrays `MapValue`, uninterpreted sorts
    `UninterpretedValue`, data types `DatatypeValue`

Equal values compare equal and can be keys: a map is kept in a normal form that depends on what it maps, not on how
it was made.

    >>> map_value(BOOL, 1, {False: 2, True: 2}) == map_value(BOOL, 2, {})
    True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Any

from cleave.errors import UnsupportedError
from cleave.logic.datatypes import construct
from cleave.logic.sorts import BOOL, Sort, SortKind
from cleave.logic.terms import Term, value_of
from cleave.records import dataclass

_SMALL_DOMAIN = 256
_SHOWN_ENTRIES = 4


@dataclass(frozen=True)
class UninterpretedValue:
    """An element of an uninterpreted sort, known only by its name."""

    sort: Sort
    name: str


@dataclass(frozen=True)
class DatatypeValue:
    """A value of a data type: its constructor's number and the values of the fields."""

    sort: Sort
    constructor: int
    fields: tuple[Any, ...]


class MapValue:
    """A total map: ``default`` everywhere but at the keys of ``entries``. Never changed.

    `map_value` makes normal forms; those in a solver's model may not be in normal form before `from_model`.
    """

    __slots__ = ("_hash", "default", "entries")

    def __init__(self, default: Value, entries: dict[Value, Value] | None = None) -> None:
        self.default = default
        self.entries = entries or {}
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapValue) and self.default == other.default and self.entries == other.entries

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.default, frozenset(self.entries.items())))
        return self._hash

    def __repr__(self) -> str:
        return f"MapValue({self.default!r}, {self.entries!r})"

    def __getitem__(self, key: Value) -> Value:
        return self.entries.get(key, self.default)


class FormulaMap(MapValue):
    """A map that a solver gives by a formula, which is evaluated at each key that is asked for.

    Two of them with different formulas can't be compared: nobody knows all keys at which they might differ.
    """

    __slots__ = ("at",)

    def __init__(self, at: Callable[[Value], Value], default: Value, entries: dict[Value, Value]) -> None:
        super().__init__(default, entries)
        self.at = at

    def __getitem__(self, key: Value) -> Value:
        if key not in self.entries:
            self.entries[key] = self.at(key)
        return self.entries[key]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, FormulaMap) or self.at is not other.at:
            raise UnsupportedError("maps that the solver gives by formulas can't be compared")
        return all(self[key] == other[key] for key in [*self.entries, *other.entries])

    def __hash__(self) -> int:
        return id(self.at)


Value = bool | int | Fraction | MapValue | UninterpretedValue | DatatypeValue


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """The interpretation of an uninterpreted function."""

    default: Value
    entries: Mapping[tuple[Value, ...], Value] = field(default_factory=dict)

    def __call__(self, arguments: tuple[Value, ...]) -> Value:
        return self.entries.get(arguments, self.default)


def map_value(index: Sort, default: Value, entries: Mapping[Value, Value]) -> MapValue:
    """The normal form: no entry repeats the default; over a small domain the default is the first element's value."""
    size = domain_size(index)
    if size is not None and size <= _SMALL_DOMAIN:
        everywhere = {key: entries.get(key, default) for key in domain(index)}
        default = next(iter(everywhere.values()))
        entries = everywhere
    return MapValue(default, {key: value for key, value in entries.items() if value != default})


def map_store(index: Sort, old: MapValue, key: Value, value: Value) -> MapValue:
    if old[key] == value:
        return old
    if isinstance(old, FormulaMap):
        return FormulaMap(old.at, old.default, {**old.entries, key: value})
    size = domain_size(index)
    if size is not None and size <= _SMALL_DOMAIN:
        return map_value(index, old.default, {**old.entries, key: value})
    entries = dict(old.entries)
    entries.pop(key, None)
    if value != old.default:
        entries[key] = value
    return MapValue(old.default, entries)


def domain_size(sort: Sort) -> int | None:
    """How many values a sort has, where that is a known, finite number."""
    match sort.kind:
        case SortKind.BOOL:
            return 2
        case SortKind.BITVEC:
            return 1 << sort.width
        case _:
            return None


def domain(sort: Sort) -> Iterable[Value]:
    """All values of a sort with a `domain_size`."""
    if sort is BOOL:
        return (False, True)
    assert sort.kind is SortKind.BITVEC
    return range(1 << sort.width)


def default_value(sort: Sort) -> Value:
    """Some value of the sort, always the same."""
    match sort.kind:
        case SortKind.BOOL:
            return False
        case SortKind.REAL:
            return Fraction(0)
        case SortKind.ARRAY:
            return map_value(sort.index, default_value(sort.element), {})
        case SortKind.UNINTERPRETED:
            return UninterpretedValue(sort, f"{sort.name}!0")
        case SortKind.DATATYPE:
            return _smallest(sort)
        case _:
            return 0


def _smallest(sort: Sort) -> DatatypeValue:
    """A value of a data type that is made of as few others as possible: each type is tried when its parts are known."""
    known: dict[Sort, DatatypeValue] = {}
    changed = True
    while sort not in known and changed:
        changed = False
        for member in sort.group:
            for number, made in enumerate(member.constructors):
                if member not in known and all(f in known or f not in sort.group for f in made.fields):
                    fields = tuple(known[f] if f in known else default_value(f) for f in made.fields)
                    known[member] = DatatypeValue(member, number, fields)
                    changed = True
    if sort not in known:
        raise UnsupportedError(f"the data type {sort.name} has no value that could be shown")
    return known[sort]


def from_model(value: Any, sort: Sort) -> Value:
    """A solver's value as one of ours."""
    match sort.kind:
        case SortKind.BOOL:
            return bool(value)
        case SortKind.REAL:
            return Fraction(value)
        case SortKind.BITVEC:
            return int(value) % (1 << sort.width)
        case SortKind.INT:
            return int(value)
        case SortKind.UNINTERPRETED:
            assert isinstance(value, UninterpretedValue)
            return value
        case SortKind.DATATYPE:
            assert isinstance(value, DatatypeValue)
            made = sort.constructors[value.constructor]
            try:
                fields = tuple(from_model(one, inner) for one, inner in zip(value.fields, made.fields, strict=True))
            except RecursionError:
                raise UnsupportedError(f"a value of the data type {sort.name} is too large to be replayed") from None
            return DatatypeValue(sort, value.constructor, fields)
        case SortKind.ARRAY:
            assert isinstance(value, MapValue)
            entries = {
                from_model(key, sort.index): from_model(element, sort.element) for key, element in value.entries.items()
            }
            return map_value(sort.index, from_model(value.default, sort.element), entries)


def as_term(value: Value, sort: Sort) -> Term | None:
    """The value as a constant; None for values that have none (maps, elements of uninterpreted sorts)."""
    if not isinstance(value, DatatypeValue):
        return None if isinstance(value, MapValue | UninterpretedValue) else value_of(value, sort)
    made: list[Term] = []  # of the fields of what is open, without recursion: lists may be long
    waiting: list[tuple[Value, Sort, bool]] = [(value, sort, False)]
    while waiting:
        found, of, is_ready = waiting.pop()
        if is_ready and isinstance(found, DatatypeValue):
            first = len(made) - len(found.fields)
            made[first:] = [construct(of, found.constructor, *made[first:])]
        elif isinstance(found, DatatypeValue):
            waiting.append((found, of, True))
            fields = zip(found.fields, of.constructors[found.constructor].fields, strict=True)
            waiting += [(field, its_sort, False) for field, its_sort in reversed(list(fields))]
        else:
            constant = as_term(found, of)
            if constant is None:
                return None
            made.append(constant)
    return made[0]


def parts(value: Value, sort: Sort) -> Iterator[tuple[Sort, Value]]:
    """The value and, for a map, the keys and values in it, all the way down."""
    stack = [(sort, value)]
    while stack:
        where, found = stack.pop()
        yield where, found
        if isinstance(found, MapValue):
            stack.append((where.element, found.default))
            stack.extend((where.index, key) for key in found.entries)
            stack.extend((where.element, element) for element in found.entries.values())
        elif isinstance(found, DatatypeValue):
            stack.extend(zip(where.constructors[found.constructor].fields, found.fields, strict=True))


def show(value: Value, sort: Sort) -> str:
    """The value for people, in Boogie's way; large maps are cut.

    >>> from cleave.logic.sorts import INT, array
    >>> show(map_value(INT, 0, {1: 5}), array(INT, INT))
    '[1 := 5, else 0]'
    """
    match value:
        case bool():
            return "true" if value else "false"
        case MapValue():
            entries = list(value.entries.items())
            shown = [f"{show(k, sort.index)} := {show(v, sort.element)}" for k, v in entries[:_SHOWN_ENTRIES]]
            if len(entries) > _SHOWN_ENTRIES:
                shown.append(f"… {len(entries) - _SHOWN_ENTRIES} more")
            other = "a formula" if isinstance(value, FormulaMap) else show(value.default, sort.element)
            return f"[{', '.join([*shown, f'else {other}'])}]"
        case UninterpretedValue():
            return value.name
        case DatatypeValue():
            made = value.sort.constructors[value.constructor]
            fields = [show(one, inner) for one, inner in zip(value.fields, made.fields, strict=True)]
            if value.sort.name.startswith("{"):  # a record, which has no name
                return "{" + ", ".join(map("{}: {}".format, made.selectors, fields)) + "}"
            return f"{made.name}({', '.join(fields)})"
        case int() if sort.kind is SortKind.BITVEC:
            return f"{value}bv{sort.width}"
        case _:
            return str(value)
