"""Type parameters, replaced by the types that a file has for them.

    type Field a; const f: Field int;                        var h: <a>[ref, Field a]a;
    a map for a = int, and one for all other types:          { [ref][Field int]int, [ref][Field other]other }

The types are those that occur in the file, in the form in which the parameter is used, and one more, which stands for
all others: nothing in the file can distinguish these. So a quantifier over types is a conjunction, or a disjunction, of
its instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.boogie.syntax import MapType, NamedType, RecordType, Type
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, Sort, array, uninterpreted
from cleave.logic.terms import Term

MOST_INSTANCES = 64
_MOST_SYNONYMS = 100  # inside of each other
_MOST_AT_ONCE = 16  # types that no declaration has, before all is done again with these
OTHER = "other type"
Bindings = dict[str, Sort]
Binary = Callable[[Term, Term], Term]


class MoreTypesError(UnsupportedError):
    """Types were found that have to be known from the beginning."""


class Instances:
    """``resolve`` gives the sort of a type, ``resolve_plain`` only of one without polymorphic maps in it. ``applied``
    tells how a sort was made of others."""

    def __init__(
        self,
        seen: Iterable[Type],
        resolve: Callable[[Type, Bindings], Sort],
        resolve_plain: Callable[[Type, Bindings], Sort],
        applied: Mapping[Sort, tuple[str, tuple[Sort, ...]]],
        synonyms: Mapping[str, tuple[tuple[str, ...], Type]],
        more: Iterable[Sort],
    ) -> None:
        self._seen = seen
        self._resolve = resolve
        self._resolve_plain = resolve_plain
        self._applied = applied
        self._synonyms = synonyms
        self._ground: list[Sort] | None = None
        self._more: list[tuple[Type, Bindings]] = []
        self._made = tuple(more)
        self.missing: dict[Sort, None] = {}
        self._is_used = False

    def of(self, parameters: Sequence[str], patterns: Sequence[Type], outer: Bindings) -> list[Bindings] | None:
        """What the parameters can be, where ``patterns`` use them; None: more than there should be."""
        self._is_used = True
        found: dict[str, dict[Sort, None]] = {name: {} for name in parameters}
        for name in parameters:
            if not any(_mentions(pattern, name) for pattern in patterns):
                found[name].update(dict.fromkeys(self._all_ground()))
        for pattern in patterns:
            for sort in self._all_ground():
                bindings = dict(outer)
                if self.unify(pattern, sort, set(parameters), bindings):
                    for name in parameters:
                        if name in bindings:
                            found[name][bindings[name]] = None
        choices = [(*found[name], uninterpreted(f"{OTHER} {place}")) for place, name in enumerate(parameters, 1)]
        size = 1
        for one in choices:
            size *= len(one)
        if size > MOST_INSTANCES:
            return None
        return [dict(zip(parameters, row, strict=True)) for row in product(*choices)]

    def also(self, written: Iterable[tuple[Type, Bindings]]) -> None:
        """Before anything is asked: more types, with what their parameters are."""
        assert self._ground is None
        self._more += written

    def require(self, sort: Sort, name: str) -> None:
        """Notes a type that no declaration has and that so was in no instance: then all is done again with it."""
        if not self.knows(sort):
            self.missing[sort] = None
        if len(self.missing) > _MOST_AT_ONCE:
            raise MoreTypesError(f"'{name}' is used with more than {MOST_INSTANCES} types that no declaration has")

    def knows(self, sort: Sort) -> bool:
        """Whether the sort has taken part in all instances so far, and will in others."""
        ground = self._all_ground()
        if sort not in ground and not self._is_used:
            ground.append(sort)
        return sort in ground or sort.name.startswith(OTHER) or is_map(sort) or self._is_of_others(sort)

    def _is_of_others(self, sort: Sort) -> bool:
        """Made of a type that stands for all others."""
        stack = [sort]
        while stack:
            one = stack.pop()
            if one.name.startswith(OTHER):
                return True
            stack += self._applied[one][1] if one in self._applied else ()
            stack += (one.index, one.element) if one.is_array else ()
        return False

    def _all_ground(self) -> list[Sort]:
        if self._ground is None:
            found: dict[Sort, None] = dict.fromkeys((INT, BOOL, *self._made))
            for written, bindings in [*((one, {}) for one in self._seen), *self._more]:
                try:
                    stack = [self._resolve_plain(written, bindings)]
                except InputError:  # has parameters itself, or is wrong, which somebody else will say
                    continue
                while stack:
                    sort = stack.pop()
                    if sort not in found:
                        found[sort] = None
                        stack += self._applied[sort][1] if sort in self._applied else ()
                        stack += (sort.index, sort.element) if sort.is_array else ()
            self._ground = list(found)
        return self._ground

    def unify(self, pattern: Type, sort: Sort, free: set[str], bindings: Bindings) -> bool:
        """Whether ``pattern`` can be ``sort``; what its parameters are then is added to ``bindings``."""
        if isinstance(pattern, NamedType) and not pattern.arguments and pattern.name in free:
            return bindings.setdefault(pattern.name, sort) is sort
        if isinstance(pattern, NamedType) and pattern.name in self._synonyms and pattern.name not in bindings:
            return self.unify(self.expanded(pattern), sort, free, bindings)
        if isinstance(pattern, NamedType) and pattern.arguments and sort in self._applied:
            name, arguments = self._applied[sort]
            if name == pattern.name and len(arguments) == len(pattern.arguments):
                pairs = zip(pattern.arguments, arguments, strict=True)
                return all(self.unify(one, of, free, bindings) for one, of in pairs)
        if isinstance(pattern, MapType) and not pattern.parameters:
            for index in pattern.indices:
                if not sort.is_array or not self.unify(index, sort.index, free, bindings):
                    return False
                sort = sort.element
            return self.unify(pattern.element, sort, free, bindings)
        try:
            return self._resolve(pattern, bindings) is sort
        except InputError:
            return False

    def expanded(self, pattern: Type) -> Type:
        """The type, with what a synonym stands for in its place."""
        for _ in range(_MOST_SYNONYMS):
            if not isinstance(pattern, NamedType) or pattern.name not in self._synonyms:
                break
            parameters, meaning = self._synonyms[pattern.name]
            if len(parameters) != len(pattern.arguments):
                break
            pattern = _substituted(meaning, dict(zip(parameters, pattern.arguments, strict=True)))
        return pattern


def _substituted(written: Type, meaning: Mapping[str, Type]) -> Type:
    if not meaning:
        return written
    if isinstance(written, NamedType):
        if not written.arguments:
            return meaning.get(written.name, written)
        return replace(written, arguments=tuple(_substituted(one, meaning) for one in written.arguments))
    if isinstance(written, RecordType):
        return replace(written, fields=tuple((name, _substituted(one, meaning)) for name, one in written.fields))
    inner = {name: one for name, one in meaning.items() if name not in written.parameters}
    indices = tuple(_substituted(one, inner) for one in written.indices)
    return replace(written, indices=indices, element=_substituted(written.element, inner))


def _mentions(pattern: Type, name: str) -> bool:
    stack = [pattern]
    while stack:
        one = stack.pop()
        if isinstance(one, NamedType):
            if one.name == name:
                return True
            stack += one.arguments
        elif isinstance(one, RecordType):
            stack += [written for _, written in one.fields]
        else:
            stack += (*one.indices, one.element)
    return False


# --- polymorphic maps, as records of maps ---------------------------------------------------------------------------


def map_sort(instances: Sequence[tuple[tuple[Sort, ...], Sort]]) -> Sort:
    """The sort of a map that has these instances: the sorts of its indices, and that of its elements."""
    fields: list[tuple[str, Sort]] = []
    for number, (indices, element) in enumerate(instances):
        sort = element
        for index in reversed(indices):
            sort = array(index, sort)
        fields.append((f"instance{number}", sort))
    name = f"<{len(instances[0][0])}>" + " ".join(f"{sort!r}" for _, sort in fields)
    (made,) = d.declare((d.Declaration(name, (("maps", tuple(fields)),)),))
    return made


def map_of_all(maps: Sequence[Term], count: int) -> Term:
    """The map whose instances, each with so many indices, these are."""
    found: dict[tuple[tuple[Sort, ...], Sort], Term] = {}
    for one in maps:
        indices: list[Sort] = []
        sort = one.sort
        for _ in range(count):
            indices.append(sort.index)
            sort = sort.element
        found.setdefault((tuple(indices), sort), one)
    return d.construct(map_sort(list(found)), 0, *found.values())


def is_map(sort: Sort) -> bool:
    return sort.is_datatype and sort.name.startswith("<")


def index_count(sort: Sort) -> int:
    return int(sort.name[1 : sort.name.index(">")])


def instance(value: Term, indices: Sequence[Term]) -> int | None:
    """The number of the map that these indices are for."""
    for number, sort in enumerate(value.sort.constructors[0].fields):
        for index in indices:
            if not sort.is_array or sort.index is not index.sort:
                break
            sort = sort.element
        else:
            return number
    return None


def with_map(value: Term, number: int, changed: Term) -> Term:
    fields = [d.field(value, 0, place) for place in range(len(value.sort.constructors[0].fields))]
    fields[number] = changed
    return d.construct(value.sort, 0, *fields)


def map_of(value: Term, number: int) -> Term:
    return d.field(value, 0, number)


def all_of(kind: str, found: Iterable[Term]) -> Term:
    return t.conj_all(found) if kind == "forall" else t.disj_all(found)


def in_type(operators: Mapping[str, Binary], alike: Callable[[Term, Term], tuple[Term, Term]]) -> dict[str, Binary]:
    """Values of different types are not equal; only where type parameters are something can that be asked."""
    equal = operators["=="]

    def equal_in_type(a: Term, b: Term) -> Term:
        a, b = alike(a, b)
        return equal(a, b) if a.sort is b.sort else t.FALSE

    return {**operators, "==": equal_in_type, "!=": lambda a, b: t.neg(equal_in_type(a, b))}
