"""Terms over arrays as terms over the cells that they read, for `cells`.

    select(store(a, i, v), k)       becomes     ite(k = i, v, c), where c is a new variable: a's cell at k
    a = store(b, i, v)              becomes     a Boolean e: if e, all cells that are read are equal, else one is not

What two cells of one array have to do with each other is said by `Reads.facts`: they are the same if their indices are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, Op, Term, conj_all, eq, implies, ite, neg, var
from cleave.logic.walk import postorder, rebuild
from cleave.passes.fresh import FreshNames
from cleave.passes.horn.addresses import Address
from cleave.passes.horn.numbering import bases, element_sort, index_sorts, is_flat

Point = tuple[Term, bool]
"""One index: the number of a cell (True), or an index that has no number (False)."""

Key = tuple[Point, ...]
"""An index for each dimension."""

_DEEPEST = 100  # arrays chosen by conditions, inside of each other
_MOST_COMPARED = 8  # cells of two arrays that are equal


class Reads:
    """The cells that a clause reads, each a new variable. ``addresses`` are those of its variables."""

    def __init__(self, addresses: Mapping[Term, Address], names: FreshNames) -> None:
        self._addresses = addresses
        self._names = names
        self._cells: dict[Term, dict[Key, Term]] = {}  # of the variables that are arrays
        self._plain: dict[Term, Term] = {}
        self._compared: list[tuple[Term, Term, Term]] = []  # two arrays, and the Boolean that says they are equal
        self._facts: list[Term] = []

    def plain(self, term: Term) -> Term:
        """A term that is no array, by the cells that it reads."""
        for node in postorder((term,), done=set(self._plain)):
            if not node.sort.is_array:
                self._plain[node] = self._without_arrays(node)
        return self._plain[term]

    def _without_arrays(self, node: Term) -> Term:
        if node.op is Op.SELECT:
            return self._selected(node)
        if node.op is Op.EQ and node.args[0].sort.is_array:
            return self._equal(*node.args)
        if node.op is Op.DISTINCT and node.args[0].sort.is_array:
            return conj_all(neg(self._equal(a, b)) for a, b in combinations(node.args, 2))
        if any(argument.sort.is_array for argument in node.args):
            raise UnsupportedError(f"an array in {node.op.value}")
        return rebuild(node, tuple(self._plain[argument] for argument in node.args)) if node.args else node

    def _selected(self, node: Term) -> Term:
        indices: list[Term] = []
        while node.op is Op.SELECT:
            indices.append(self._plain[node.args[1]])
            node = node.args[0]
        address = self._address(node)
        return self.cell(node, tuple(_point(address, index) for index in reversed(indices)), address)

    def _address(self, *arrays: Term) -> Address | None:
        """That of arrays of one class; None if their indices are their cells' numbers."""
        if not is_flat(arrays[0].sort):
            return None
        found = (base for array in arrays for base in bases(array))
        return next((self._addresses[base] for base in found if base in self._addresses), None)

    def cell(self, array: Term, key: Key, address: Address | None, depth: int = 0) -> Term:
        """What an array holds at ``key``, which is in terms of ``address``."""
        written: list[tuple[Term, Term]] = []
        while array.op is Op.STORE:
            array, index, value = array.args
            condition = _same(_point(address, self.plain(index)), key[0], address)
            written.append((condition, self._element(value, key, depth)))
            if condition.is_true:
                break
        if written and written[-1][0].is_true:
            made = written.pop()[1]
        else:
            made = self._unwritten(array, key, address, depth)
        for condition, held in reversed(written):
            made = ite(condition, held, made)
        return made

    def _element(self, value: Term, key: Key, depth: int) -> Term:
        """What an element holds at what is left of a key."""
        return self.plain(value) if len(key) == 1 else self.cell(value, key[1:], None, depth + 1)

    def _unwritten(self, array: Term, key: Key, address: Address | None, depth: int) -> Term:
        if depth > _DEEPEST:
            raise UnsupportedError("arrays that are chosen too deep inside of each other")
        match array.op:
            case Op.VAR:
                cells = self._cells.setdefault(array, {})
                if key not in cells:
                    cells[key] = var(self._names.like(array.name), element_sort(array.sort))
                return cells[key]
            case Op.CONST_ARRAY:
                return self._element(array.args[0], key, depth)
            case Op.ITE:
                then, other = (self.cell(one, key, address, depth + 1) for one in array.args[1:])
                return ite(self.plain(array.args[0]), then, other)
            case Op.SELECT:
                whole, index = array.args
                return self.cell(whole, ((self.plain(index), True), *key), None, depth + 1)
        raise UnsupportedError(f"an array from {array.op.value}")

    def _equal(self, one: Term, other: Term) -> Term:
        """A Boolean. What follows if it is false is said here, and the rest by `compare_arrays`."""
        if one is other:
            return conj_all(())
        equal = var(self._names.like("equal"), BOOL)
        self._compared.append((one, other, equal))
        address = self._address(one, other)
        is_number = address is None or address.is_plain
        key: Key = tuple((var(self._names.like("differ"), sort), is_number) for sort in index_sorts(one.sort))
        self._facts.append(implies(neg(equal), neg(self._same_cell(one, other, key))))
        return equal

    def _same_cell(self, one: Term, other: Term, key: Key) -> Term:
        address = self._address(one, other)
        return eq(self.cell(one, key, address), self.cell(other, key, address))

    def compare_arrays(self) -> None:
        """Arrays that are equal are so in each cell that is read of one of them."""
        for _ in self._compared:  # what is read of one may be handed on to another
            for one, other, equal in self._compared:
                keys = dict.fromkeys((*self.keys(one), *self.keys(other)))
                for key in list(keys)[:_MOST_COMPARED]:
                    self._facts.append(implies(equal, self._same_cell(one, other, key)))

    def keys(self, array: Term) -> list[Key]:
        """Where the clause reads what the array is made of."""
        return [key for base in bases(array) for key in self._cells.get(base, {})]

    def facts(self) -> Iterator[Term]:
        yield from dict.fromkeys(self._facts)
        for array, cells in self._cells.items():
            address = self._address(array)
            for (key, cell), (other, held) in combinations(cells.items(), 2):
                same = conj_all(_same(a, b, address) for a, b in zip(key, other, strict=True))
                if same is not FALSE:
                    yield implies(same, eq(cell, held))


def _point(address: Address | None, index: Term) -> Point:
    number = address.number(index) if address is not None else index
    return (index, False) if number is None else (number, True)


def _same(one: Point, other: Point, address: Address | None) -> Term:
    """Whether two indices are the same. Different numbers are at different indices."""
    terms = [one[0], other[0]]
    if not (one[1] and other[1]):
        terms = [address.index(term) if is_number and address else term for term, is_number in (one, other)]
    return eq(*sorted(terms, key=repr))  # the same term, whichever comes first
