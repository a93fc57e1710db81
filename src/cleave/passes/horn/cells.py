"""Arrays abstracted to some of their cells, which may be any: predicates over numbers in place of those over arrays.

    Inv(0, n, a)                              Inv(0, n, k, c)
    Inv(i+1, n, a[i := 0]) :-                 Inv(i+1, n, k, ite(k = i, 0, c)) :-
        Inv(i, n, a), i < n                       Inv(i, n, k, c), Inv(i, n, i, d), (k = i implies c = d), i < n
    false :- Inv(i, n, a),                    false :- Inv(i, n, q, c),
        i >= n, 0 <= q < n, a[q] != 0             i >= n, 0 <= q < n, c != 0

The predicate on the right holds if cell k holds c in some array for which the one on the left holds. So the clauses on
the right derive more. An interpretation of them is one of the given clauses, with a quantifier for k:

    Inv(i, n, k, c) := 0 <= k < i implies c = 0
    Inv(i, n, a) := for all k: 0 <= k < i implies a[k] = 0

A derivation of ``false`` says nothing. All arrays of a predicate with indices of the same sort are looked at in the
same cells: what relates two arrays does so cell by cell, most often. With a ``count`` of two, a predicate has two cells
of each array, which may be any two: that is what an order of the elements takes.

A premise is needed for each cell that a clause reads, at most `_MOST_PREMISES` for an atom: fewer are sound and derive
more. Cells are numbered as the indices suggest (`addresses`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, product

from cleave.errors import UnsupportedError
from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Predicate, Relation
from cleave.logic.sorts import Sort
from cleave.logic.terms import Term, conj_all, forall, select, var
from cleave.logic.walk import has_quantifier, substitute
from cleave.passes.fresh import FreshNames
from cleave.passes.horn.addresses import Address
from cleave.passes.horn.cell_cases import split
from cleave.passes.horn.cell_reads import Key, Reads
from cleave.passes.horn.numbering import Place, element_sort, index_sorts, numbering
from cleave.passes.horn.relevant import parameters
from cleave.passes.horn.step import Pass
from cleave.passes.horn.unwrap import unwrap
from cleave.records import dataclass

_MOST_PREMISES = 9  # for an atom


Sorts = tuple[Sort, ...]


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a predicate looks in the new clauses: what is no array, then the keys of each group of arrays, then the cells
    of each array, for each key of its group. A key is as many terms as an array has indices."""

    predicate: Predicate
    addresses: tuple[Address | None, ...]  # of each argument: of arrays with one index
    groups: tuple[Sorts, ...]
    count: int

    @staticmethod
    def of(predicate: Predicate, addresses: Mapping[Place, Address], count: int) -> _Shape:
        found = tuple(addresses.get(Place(predicate.name, place)) for place in range(len(predicate.sorts)))
        shape = _Shape(predicate, found, (), count)
        groups = dict.fromkeys(shape.key_sorts(place) for place, sort in enumerate(predicate.sorts) if sort.is_array)
        return replace(shape, groups=tuple(groups))

    def key_sorts(self, place: int) -> Sorts:
        address = self.addresses[place]
        return (address.number_sort,) if address is not None else index_sorts(self.predicate.sorts[place])

    def arrays(self) -> Iterator[tuple[int, int]]:
        """The place of each array, and its group."""
        for place, sort in enumerate(self.predicate.sorts):
            if sort.is_array:
                yield place, self.groups.index(self.key_sorts(place))

    def sorts(self) -> Sorts:
        plain = [sort for sort in self.predicate.sorts if not sort.is_array]
        keys = [sort for group in self.groups for _ in range(self.count) for sort in group]
        cells = [element_sort(self.predicate.sorts[p]) for p, _ in self.arrays() for _ in range(self.count)]
        return (*plain, *keys, *cells)

    def new_keys(self, names: FreshNames) -> tuple[tuple[Key, ...], ...]:
        """For each group, as many keys as wanted."""
        return tuple(
            tuple(tuple((var(names.like("k"), sort), True) for sort in group) for _ in range(self.count))
            for group in self.groups
        )


def cells(system: HornSystem, count: int = 1, *, cases: bool = False, own: bool = False) -> Cells | None:
    """None if there are no arrays, or some are used for more than reading, writing and comparing. With ``cases``, there
    is a clause for each case (`cell_cases`). With ``own``, premises are only about cells of the head, if it has any:
    less can be proved, and sooner."""
    if not any(sort.is_array for predicate in system.predicates.values() for sort in predicate.sorts):
        return None
    if any(has_quantifier(clause.constraint) for clause in system.clauses):
        return None
    plain = unwrap(system)
    try:
        numbers = numbering(plain)
        shapes = {name: _Shape.of(one, numbers.places, count) for name, one in system.predicates.items()}
        clauses = tuple(
            one
            for number, clause in enumerate(plain.clauses)
            for one in _Abstraction(clause, shapes, numbers.variables[number], own=own).clauses(cases)
        )
    except UnsupportedError:
        return None
    predicates = {name: Predicate(name, shape.sorts()) for name, shape in shapes.items()}
    abstract = replace(system, predicates=predicates, clauses=clauses)

    def interpretation(found: Interpretation) -> Interpretation:
        names = FreshNames({variable.name for clause in system.clauses for variable in clause.variables()})
        return {name: _for_all_cells(system, shapes[name], relation, names) for name, relation in found.items()}

    layouts = {name: _layout(shape) for name, shape in shapes.items()}
    return Cells(abstract, interpretation, lambda found: found, layouts=layouts)


def _for_all_cells(system: HornSystem, shape: _Shape, relation: Relation, names: FreshNames) -> Relation:
    """The relation of a given predicate, by what holds of its cells."""
    given = parameters(system, shape.predicate.name)
    keys = shape.new_keys(names)
    arguments = [parameter for parameter in given if not parameter.sort.is_array]
    arguments += [term for group in keys for key in group for term, _ in key]
    for place, group in shape.arrays():
        for key in keys[group]:
            cell, address = given[place], shape.addresses[place]
            for term, _ in key:
                cell = select(cell, address.index(term) if address is not None else term)
            arguments.append(cell)
    told = substitute(relation.formula, dict(zip(relation.parameters, arguments, strict=True)))
    bound = tuple(term for group in keys for key in group for term, _ in key)
    return Relation(given, forall(bound, told))


@dataclass(frozen=True, slots=True)
class Layout:
    """Which arguments of a predicate about cells are what: numbers that were there before, the key of each group, an
    index for each dimension, and cells, with their groups. It is for one cell of each array."""

    plain: int  # so many, which come first
    keys: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Cells(Pass):
    layouts: Mapping[str, Layout] = field(default_factory=dict)


def _layout(shape: _Shape) -> Layout:
    place = plain = sum(not sort.is_array for sort in shape.predicate.sorts)
    keys: list[tuple[int, ...]] = []
    for group in shape.groups:
        keys.append(tuple(range(place, place + len(group))))
        place += len(group) * shape.count
    return Layout(plain, tuple(keys), tuple((place + n, group) for n, (_, group) in enumerate(shape.arrays())))


class _Abstraction:
    """Of one clause."""

    def __init__(
        self, given: Clause, shapes: Mapping[str, _Shape], addresses: Mapping[Term, Address], *, own: bool
    ) -> None:
        self._given = given
        self._shapes = shapes
        self._names = FreshNames({variable.name for variable in given.variables()})
        self._reads = Reads(addresses, self._names)
        self._own_only = own
        self._own: set[Term] = set()  # the numbers of the head's cells

    def clauses(self, cases: bool) -> Iterator[Clause]:
        given, reads = self._given, self._reads
        head = None if given.head is None else self._head(given.head)
        constraint = reads.plain(given.constraint)
        plain = [[reads.plain(a) for a in atom.arguments if not a.sort.is_array] for atom in given.body]
        reads.compare_arrays()
        body = [one for atom, known in zip(given.body, plain, strict=True) for one in self._premises(atom, known)]
        whole = Clause(head, tuple(body), conj_all([constraint, *reads.facts()]), given.location)
        yield from split(whole, self._own) if cases else (whole,)

    def _head(self, atom: Atom) -> Atom:
        shape = self._shapes[atom.predicate]
        plain = [self._reads.plain(a) for a in atom.arguments if not a.sort.is_array]
        keys = shape.new_keys(self._names)
        self._own = {term for group in keys for key in group for term, _ in key}
        return self._atom(atom, plain, keys)

    def _atom(self, atom: Atom, plain: Sequence[Term], keys: Sequence[Sequence[Key]]) -> Atom:
        shape = self._shapes[atom.predicate]
        numbers = [term for group in keys for key in group for term, _ in key]
        held = [
            self._reads.cell(atom.arguments[place], key, shape.addresses[place])
            for place, group in shape.arrays()
            for key in keys[group]
        ]
        return Atom(atom.predicate, (*plain, *numbers, *held))

    def _premises(self, atom: Atom, plain: Sequence[Term]) -> list[Atom]:
        """That the atom holds of all cells that the clause reads; of any, if it reads none."""
        shape = self._shapes[atom.predicate]
        choices: list[list[tuple[Key, ...]]] = []
        for number, (group, new) in enumerate(zip(shape.groups, shape.new_keys(self._names), strict=True)):
            keys = self._keys(atom, shape, number) or [tuple((var(self._names.like("k"), s), True) for s in group)]
            choices.append(list(_tuples(keys, len(new))))
        return [self._atom(atom, plain, chosen) for chosen in islice(product(*choices), _MOST_PREMISES)]

    def _keys(self, atom: Atom, shape: _Shape, group: int) -> list[Key]:
        """The cells of arrays of a group that the clause reads, those of the head first."""
        found: dict[Key, None] = {}
        for place, of_group in shape.arrays():
            if of_group == group:
                read = self._reads.keys(atom.arguments[place])
                found.update(dict.fromkeys(key for key in read if all(is_number for _, is_number in key)))
        own = [key for key in found if all(term in self._own for term, _ in key)]
        return own if own and self._own_only else list(found)


def _tuples(keys: Sequence[Key], count: int) -> Iterator[tuple[Key, ...]]:
    """All ways to choose ``count`` keys, different ones first if there are."""
    chosen = list(product(keys, repeat=count))
    chosen.sort(key=lambda one: (len(set(one)) < min(count, len(keys)), max(keys.index(key) for key in one)))
    yield from chosen
