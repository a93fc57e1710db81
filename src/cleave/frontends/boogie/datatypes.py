"""Records and data types as data types of the logic.

    type P = { base: int, offset: int };  p!base          one constructor; the first field of it
    datatype L { Nil(), Cons(h: int, t: L) }              e is Cons, e->h, e->(h := 1), Cons(1, Nil())
    type {:datatype} L; function {:constructor} Nil(): L;           is#Nil(e), h#Cons(e)

A field that several constructors have is that of the one that made the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.floats.types import is_wrapper
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.types import TypeTable, type_name
from cleave.frontends.boogie.unknown_types import Unknown
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.sorts import Sort
from cleave.logic.terms import Term
from cleave.records import dataclass

RECORD = "record"


def take_old_style(file: s.File, source: Source) -> None:
    """Data types that are written as types and functions with attributes become declarations of data types."""
    marked = {one.name: one for one in file.types if one.is_datatype}
    if not marked:
        return
    made: dict[str, list[tuple[str, list[s.Variable]]]] = {name: [] for name in marked}
    functions: list[s.Function] = []
    for function in file.functions:
        result = function.result
        if "constructor" in function.attributes and isinstance(result, s.NamedType) and result.name in made:
            made[result.name].append((function.name, function.parameters))
        else:
            functions.append(function)
    file.functions = functions
    file.types = [one for one in file.types if one.name not in marked]
    for name, constructors in made.items():
        if not constructors:
            raise source.error(marked[name].at, f"the data type '{name}' has no constructor")
        file.datatypes.append(s.Datatype(marked[name].at, name, constructors))


class Unpacked(NamedTuple):
    """The fields that a constructor gave a value, and whether it was that constructor."""

    test: Term
    fields: tuple[Term, ...]


@dataclass(slots=True, eq=False)
class Datatypes:
    """The constructors of a file, and what can be done with values."""

    source: Source
    types: TypeTable
    unknown: Unknown
    constructors: dict[str, tuple[Sort, int]] = field(default_factory=dict)
    generic: dict[str, tuple[s.Datatype, int]] = field(default_factory=dict)  # constructors of types with parameters

    def declare(self, declared: Sequence[s.Datatype]) -> None:
        for one in declared:
            for number, (name, _) in enumerate(one.constructors):
                if name in self.constructors or name in self.generic:
                    raise self.source.error(one.at, f"the constructor '{name}' is declared twice")
                if one.type_parameters:
                    self.generic[name] = (one, number)
                else:
                    self.constructors[name] = (self.types.data_sort(one.name, ()), number)

    def apply(self, name: str, arguments: tuple[Term, ...], at: int, expected: Sort | None) -> Term | None:
        """A constructor, or in the old style a test or a field; None: it is none of them."""
        if name in self.generic:
            return self._of_instance(name, arguments, at, expected)
        if name in self.constructors:
            sort, number = self.constructors[name]
            wanted = sort.constructors[number].fields
            if len(arguments) == len(wanted):
                arguments = tuple(self.unknown.fit(a, of) for a, of in zip(arguments, wanted, strict=True))
            if tuple(a.sort for a in arguments) != wanted:
                shown = ", ".join(type_name(f) for f in wanted)
                raise self.source.error(at, f"constructor '{name}' takes ({shown})")
            return d.construct(sort, number, *arguments)
        what, mark, constructor = name.partition("#")
        if not mark or constructor not in self.constructors or len(arguments) != 1:
            return None
        sort, number = self.constructors[constructor]
        if arguments[0].sort is not sort:
            raise self.source.error(at, f"'{name}' takes '{type_name(sort)}', not '{type_name(arguments[0].sort)}'")
        if what == "is":
            return d.test(arguments[0], number)
        selectors = sort.constructors[number].selectors
        return d.field(arguments[0], number, selectors.index(what)) if what in selectors else None

    def _of_instance(self, name: str, arguments: tuple[Term, ...], at: int, expected: Sort | None) -> Term:
        """The type's parameters are what the arguments tell, or what is expected."""
        declared, number = self.generic[name]
        free, found = set(declared.type_parameters), dict[str, Sort]()
        fields = [one.type for one in declared.constructors[number][1]]
        unify = self.types.instances.unify
        known = [(f, a.sort) for f, a in zip(fields, arguments, strict=False) if not self.unknown.holds(a)]
        if expected is not None:
            whole = s.NamedType(at, declared.name, tuple(s.NamedType(at, one) for one in declared.type_parameters))
            known.insert(0, (whole, expected))
        if len(arguments) != len(fields) or not all(unify(of, sort, free, found) for of, sort in known):
            raise self.source.error(at, f"constructor '{name}' does not take these arguments")
        missing = [one for one in declared.type_parameters if one not in found]
        if missing:
            return self.unknown.until(lambda sort: self._of_instance(name, arguments, at, sort), name, missing[0], at)
        sort = self.types.data_sort(declared.name, tuple(found[one] for one in declared.type_parameters))
        if not self.types.is_quantified:
            self.types.instances.require(sort, name)
        wanted = sort.constructors[number].fields
        fitting = [self.unknown.fit(a, of) for a, of in zip(arguments, wanted, strict=True)]
        if any(one.sort is not of for one, of in zip(fitting, wanted, strict=True)):
            raise self.source.error(at, f"constructor '{name}' does not take these arguments")
        return d.construct(sort, number, *fitting)

    def test(self, value: Term, name: str, at: int) -> Term:
        return d.test(value, self._number(value, name, at))

    def _number(self, value: Term, name: str, at: int) -> int:
        """Which of the constructors of a value's type that is."""
        if name in self.generic:
            declared, number = self.generic[name]
            if self.types.is_instance(value.sort, declared.name):
                return number
        sort, number = self.constructors.get(name, (None, 0))
        if sort is None or value.sort is not sort:
            raise self.source.error(at, f"'{type_name(value.sort)}' has no constructor '{name}'")
        return number

    def unpacked(self, value: Term, name: str, count: int, at: int) -> Unpacked:
        number = self._number(value, name, at)
        expected = len(value.sort.constructors[number].fields)
        if count != expected:
            raise self.source.error(at, f"constructor '{name}' has {expected} fields, not {count}")
        return Unpacked(d.test(value, number), tuple(d.field(value, number, place) for place in range(count)))

    def record(self, names: list[str], values: list[Term], at: int) -> Term:
        if len(set(names)) < len(names):
            raise self.source.error(at, "a record has two fields of one name")
        sort = record_sort([(name, value.sort) for name, value in zip(names, values, strict=True)])
        by_name = dict(zip(names, values, strict=True))
        return d.construct(sort, 0, *(by_name[name] for name in sort.constructors[0].selectors))

    def get(self, value: Term, name: str, at: int) -> Term:
        places = self._places(value, name, at)
        found = d.field(value, *places[-1])
        for number, place in reversed(places[:-1]):
            found = t.ite(d.test(value, number), d.field(value, number, place), found)
        return found

    def changed(self, value: Term, name: str, new: Term, at: int) -> Term:
        """The value with another field."""
        places = self._places(value, name, at)
        new = self.unknown.fit(new, value.sort.constructors[places[0][0]].fields[places[0][1]])
        found: Term | None = None
        for number, place in reversed(places):
            constructor = value.sort.constructors[number]
            if constructor.fields[place] is not new.sort:
                wanted = type_name(constructor.fields[place])
                raise self.source.error(at, f"the field '{name}' has type '{wanted}', not '{type_name(new.sort)}'")
            fields = [d.field(value, number, other) for other in range(len(constructor.fields))]
            fields[place] = new
            made = d.construct(value.sort, number, *fields)
            found = made if found is None else t.ite(d.test(value, number), made, found)
        assert found is not None
        return found

    def _places(self, value: Term, name: str, at: int) -> list[tuple[int, int]]:
        constructors = value.sort.constructors if value.sort.is_datatype and not is_wrapper(value.sort) else ()
        found = [(n, one.selectors.index(name)) for n, one in enumerate(constructors) if name in one.selectors]
        if not found:
            raise self.source.error(at, f"'{type_name(value.sort)}' has no field '{name}'")
        sorts = {value.sort.constructors[n].fields[place] for n, place in found}
        if len(sorts) > 1:
            raise self.source.error(at, f"the field '{name}' has several types")
        return found


def record_sort(fields: list[tuple[str, Sort]]) -> Sort:
    """Records with the same fields have one type, in whatever order they are written."""
    ordered = sorted(fields, key=lambda one: one[0])
    name = "{" + ", ".join(f"{one}: {type_name(sort)}" for one, sort in ordered) + "}"
    (sort,) = d.declare((d.Declaration(name, ((RECORD, tuple(ordered)),)),))
    return sort
