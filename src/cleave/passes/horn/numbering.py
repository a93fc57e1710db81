"""The numbering of the cells of every array in a Horn system (see `addresses`): the same for arrays that are handed on.

    P(store(a, 4*i, v)) :- Q(a)         one class: P's argument, Q's argument and a; indices 4*i: cell n is at 4*n

Arrays of arrays, and arrays that are elements of others, are indexed as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder
from cleave.passes.horn.addresses import Address, address_of
from cleave.records import dataclass


class Place(NamedTuple):
    """An argument of a predicate."""

    predicate: str
    number: int


class Local(NamedTuple):
    """A variable of a clause."""

    clause: int
    variable: Term


_Node: TypeAlias = Place | Local


@dataclass(frozen=True, slots=True)
class Numbering:
    """Of arrays with one index."""

    places: Mapping[Place, Address]
    variables: Mapping[int, Mapping[Term, Address]]  # by clauses


def numbering(system: HornSystem) -> Numbering:
    classes = _Classes()
    for number, clause in enumerate(system.clauses):
        classes.see(number, clause)
    places = {
        Place(name, number): classes.address(Place(name, number), sort.index)
        for name, predicate in system.predicates.items()
        for number, sort in enumerate(predicate.sorts)
        if is_flat(sort)
    }
    variables: dict[int, dict[Term, Address]] = {}
    for number, clause in enumerate(system.clauses):
        flat = [variable for variable in clause.variables() if is_flat(variable.sort)]
        variables[number] = {v: classes.address(Local(number, v), v.sort.index) for v in flat}
    return Numbering(places, variables)


def is_flat(sort: Sort) -> bool:
    """Whether it is the sort of arrays whose elements are no arrays."""
    return sort.is_array and not sort.element.is_array


def index_sorts(sort: Sort) -> tuple[Sort, ...]:
    """Of an array, outermost first; none of anything else."""
    found: list[Sort] = []
    while sort.is_array:
        found.append(sort.index)
        sort = sort.element
    return tuple(found)


def element_sort(sort: Sort) -> Sort:
    """Of an array's innermost elements."""
    while sort.is_array:
        sort = sort.element
    return sort


def bases(array: Term) -> list[Term]:
    """What is left of an array without what is written to it: variables, and whatever else it is made of."""
    found: dict[Term, None] = {}
    waiting, seen = [array], set[Term]()
    while waiting:
        term = waiting.pop()
        if term in seen:
            continue
        seen.add(term)
        match term.op:
            case Op.STORE:
                waiting.append(term.args[0])
            case Op.ITE:
                waiting += reversed(term.args[1:])
            case Op.CONST_ARRAY:
                pass
            case _:
                found[term] = None
    return list(found)


class _Classes:
    """Classes of arrays, with the indices of each, and whether they are elements of other arrays."""

    def __init__(self) -> None:
        self._parents: dict[_Node, _Node] = {}
        self._indices: dict[_Node, dict[Term, None]] = {}
        self._elements: set[_Node] = set()
        self._addresses: dict[_Node, Address] = {}

    def address(self, node: _Node, sort: Sort) -> Address:
        root = self._find(node)
        if root not in self._addresses:
            indices = self._indices.get(root, {})
            is_element = any(self._find(one) == root for one in self._elements)
            self._addresses[root] = Address(sort) if is_element else address_of(sort, indices)
        return self._addresses[root]

    def see(self, number: int, clause: Clause) -> None:
        for atom in clause.atoms():
            self._see_atom(number, atom)
        roots = (clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments))
        for node in postorder(roots):
            if node.op is Op.EQ and is_flat(node.args[0].sort):
                self._join(number, (*bases(node.args[0]), *bases(node.args[1])))
            elif node.op is Op.ITE and is_flat(node.sort):
                self._join(number, bases(node))
            elif node.op in (Op.SELECT, Op.STORE) and is_flat(node.args[0].sort):
                for found in self._join(number, bases(node.args[0])):
                    self._indices.setdefault(self._find(found), {})[node.args[1]] = None
            elif any(is_flat(argument.sort) for argument in node.args):
                self._inside(number, node)

    def _see_atom(self, number: int, atom: Atom) -> None:
        for place, argument in enumerate(atom.arguments):
            if is_flat(argument.sort):
                for found in self._join(number, bases(argument)):
                    self._unite(Place(atom.predicate, place), found)

    def _inside(self, number: int, node: Term) -> None:
        """Arrays that something else is made of."""
        for argument in node.args:
            if is_flat(argument.sort):
                self._elements.update(self._join(number, bases(argument)))

    def _join(self, number: int, arrays: Iterable[Term]) -> list[_Node]:
        nodes: list[_Node] = [Local(number, array) for array in arrays]
        for one, other in pairwise(nodes):
            self._unite(one, other)
        self._elements.update(node for node in nodes if isinstance(node, Local) and not node.variable.is_var)
        return nodes

    def _find(self, node: _Node) -> _Node:
        while (above := self._parents.get(node, node)) != node:
            node = above
        return node

    def _unite(self, one: _Node, other: _Node) -> None:
        kept, gone = self._find(one), self._find(other)
        if kept != gone:
            self._parents[gone] = kept
            self._indices.setdefault(kept, {}).update(self._indices.pop(gone, {}))
