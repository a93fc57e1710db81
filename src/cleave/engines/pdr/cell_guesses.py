"""What may hold of cells of arrays (`passes.horn.cells`), read off the clauses: ranges of keys, and what is there.

    Inv(0, n, k, c)                                         ranges     0 <= k < i,  i <= k < n,  ...
    Inv(i+1, n, k, ite(k = i, 7, c)) :- Inv(i, n, k, c)     cells      c = 7,  c != 0
    false :- Inv(i, n, q, c), i >= n, 0 <= q < n, c = 0     guesses    0 <= k < i implies c = 7,  ...

Ends of ranges are the numbers of the predicate, indices that clauses read and write, the last of these, and constants.
Of cells, it is guessed that they are what clauses write, that they are not what a query wants, and how they compare
with each other, with numbers and constants. What the clauses of a predicate ask for is handed back to the predicates in
their premises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations

from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.sorts import INT
from cleave.logic.terms import Op, Term, conj, conj_all, eq, implies, integer, le, lt, mod, neg, sub
from cleave.logic.walk import free_variables, postorder, substitute
from cleave.passes.horn.cells import Layout
from cleave.passes.horn.equations import conjuncts
from cleave.passes.horn.relevant import parameters
from cleave.passes.horn.unwrap import range_of

_MOST_ENDS = 8
_MOST_SAYINGS = 24
_MOST_RANGES = 40
_MOST_GUESSES = 1_200  # of a predicate
_MOST_CONSTANTS = 6
_MOST_STEPS = 2
_LARGEST_STEP = 8
_LARGEST = 1 << 30  # constant
_ROUNDS = 4  # in which what is asked for is handed back


class CellGuesses:
    """Of a system about cells, by predicates."""

    def __init__(self, system: HornSystem, layouts: Mapping[str, Layout]) -> None:
        self._system = system
        self._layouts = layouts
        self._parameters = {name: parameters(system, name) for name in system.predicates}
        self._ends: dict[str, dict[Term, None]] = {name: {} for name in system.predicates}
        self._sayings: dict[str, dict[Term, None]] = {name: {} for name in system.predicates}
        self._constants = _constants(system)
        self._lasts: dict[Term, None] = {}
        for clause in system.clauses:
            self._read(clause)
        for _ in range(_ROUNDS):
            for clause in system.clauses:
                self._hand_back(clause)

    def candidates(self) -> dict[str, list[Term]]:
        return {name: list(islice(dict.fromkeys(self._of(name)), _MOST_GUESSES)) for name in self._system.predicates}

    # --- what clauses say ---------------------------------------------------------------------------------------------

    def _read(self, clause: Clause) -> None:
        for atom in clause.body:
            own = self._as_parameters(atom)
            layout = self._layouts[atom.predicate]
            for group in layout.keys:
                for place in group:  # where something is read
                    self._note_last(atom.arguments[place], clause)
                    self._note(self._ends, atom.predicate, _said(atom.arguments[place], self._plain(atom)))
            if clause.head is None:
                self._deny(clause, atom, own)
        if clause.head is not None:
            self._read_head(clause, clause.head)

    def _note_last(self, index: Term, clause: Clause) -> None:
        """The end of all that a clause can read: of `row * width + column`, for one."""
        if index.sort is INT and not index.is_var and len(self._lasts) < _MOST_ENDS:
            _, most = range_of(index, clause.constraint)
            if abs(most) < _LARGEST:
                self._lasts[integer(int(most) + 1)] = None

    def _deny(self, clause: Clause, atom: Atom, own: Mapping[Term, Term]) -> None:
        """The opposite of what a query wants of the cells that it reads, for any key and for the one that it has."""
        layout, mine = self._layouts[atom.predicate], self._parameters[atom.predicate]
        cells = {atom.arguments[place] for place, _ in layout.cells}
        keys: dict[Term, Term] = {}
        for group in layout.keys:
            for place in group if len(group) == 1 else ():
                keys |= _solved(atom.arguments[place], mine[place])
        parts = conjuncts(clause.constraint)
        for subjects, names in ((cells, own), (cells | keys.keys(), {**own, **keys})):
            about = [part for part in parts if not subjects.isdisjoint(free_variables(part))]
            if any(not cells.isdisjoint(free_variables(part)) for part in about):
                self._note(self._sayings, atom.predicate, _said(neg(conj_all(about)), names), _MOST_SAYINGS)

    def _read_head(self, clause: Clause, head: Atom) -> None:
        """What is written where: of a loop, in terms of what it has at the same key."""
        layout = self._layouts[head.predicate]
        mine = self._parameters[head.predicate]
        for place, group in layout.cells:
            for index, value in _written(head.arguments[place], [head.arguments[n] for n in layout.keys[group]]):
                for atom in clause.body:
                    self._note(self._ends, atom.predicate, _said(index, self._plain(atom)))
                    if atom.predicate != head.predicate:
                        continue
                    own = self._as_parameters(atom)
                    if len(layout.keys[group]) == 1:
                        own |= _solved(index, mine[layout.keys[group][0]])
                    self._note(self._sayings, head.predicate, _equals(mine[place], _said(value, own)), _MOST_SAYINGS)

    def _hand_back(self, clause: Clause) -> None:
        """What the head's predicate asks for, in terms of the premises."""
        if clause.head is None:
            return
        name = clause.head.predicate
        given = dict(zip(self._parameters[name], clause.head.arguments, strict=True))
        for atom in clause.body:
            if atom.predicate == name:  # one more round would ask for one more than that
                continue
            own, plain = self._as_parameters(atom), self._plain(atom)
            for end in list(self._ends[name]):
                self._note(self._ends, atom.predicate, _said(substitute(end, given), plain))
            flags = conj_all(part for part in conjuncts(clause.constraint) if _is_flag(part))
            for saying in list(self._sayings[name]):
                said = substitute(saying, given)
                self._note(self._sayings, atom.predicate, _said(said, own), _MOST_SAYINGS)
                self._note(self._sayings, atom.predicate, _said(implies(flags, said), own), _MOST_SAYINGS)

    def _note(self, notes: dict[str, dict[Term, None]], name: str, term: Term | None, most: int = _MOST_ENDS) -> None:
        if term is not None and not term.is_value and len(notes[name]) < most:
            notes[name][term] = None

    def _as_parameters(self, atom: Atom) -> dict[Term, Term]:
        """What the variables that are its arguments are to the predicate."""
        pairs = zip(atom.arguments, self._parameters[atom.predicate], strict=True)
        return {argument: parameter for argument, parameter in pairs if argument.is_var}

    def _plain(self, atom: Atom) -> dict[Term, Term]:
        numbers = self._parameters[atom.predicate][: self._layouts[atom.predicate].plain]
        return {a: p for a, p in zip(atom.arguments, numbers, strict=False) if a.is_var}

    # --- what is guessed ----------------------------------------------------------------------------------------------

    def _of(self, name: str) -> Iterator[Term]:
        layout, mine = self._layouts[name], self._parameters[name]
        numbers = [one for one in mine[: layout.plain] if one.sort is INT]
        yield from _about_numbers(numbers, self._constants)
        ends = [*dict.fromkeys((*numbers[:_MOST_ENDS], *self._ends[name])), *self._lasts, *self._constants]
        for number, group in enumerate(layout.keys):
            cells = [mine[place] for place, of_group in layout.cells if of_group == number]
            keys = [mine[place] for place in group if mine[place].sort is INT]
            own = {*cells, *keys}
            sayings = [one for one in self._sayings[name] if not own.isdisjoint(free_variables(one))]
            sayings += self._comparisons([cell for cell in cells if cell.sort is INT], numbers, keys)
            ranges = [conj_all(())]
            for key in keys:
                found = list(islice(_ranges(key, ends), _MOST_RANGES))
                steps = dict.fromkeys(step for end in self._ends[name] for step in _steps(end))
                some = [
                    conj(eq(mod(key, integer(step)), integer(rest)), one)
                    for step in islice(steps, _MOST_STEPS)
                    for rest in range(step)
                    for one in found[:_MOST_ENDS]
                ]
                ranges += [*some, *found]
            for inside in ranges:
                yield from (implies(inside, saying) for saying in sayings)

    def _comparisons(self, cells: Sequence[Term], numbers: Sequence[Term], keys: Sequence[Term]) -> list[Term]:
        found: list[Term] = []
        for cell in cells:
            found += (eq(cell, other) for other in (*self._constants, *numbers, *keys))
        for one, other in permutations(cells, 2):
            found += (eq(one, other), le(one, other))
        for cell in cells:
            for other in (*numbers, *self._constants):
                found += (le(cell, other), le(other, cell))
        return found


def _about_numbers(numbers: Sequence[Term], constants: Sequence[Term]) -> Iterator[Term]:
    for one in numbers:
        for other in constants:
            yield from (le(one, other), le(other, one))
    for one, other in permutations(numbers, 2):
        yield from (le(one, other), eq(one, other))


def _ranges(key: Term, ends: Sequence[Term]) -> Iterator[Term]:
    for end in ends:
        if end is not integer(0):
            yield conj(le(integer(0), key), lt(key, end))
    for low, high in permutations(ends, 2):
        if not (low.is_value and high.is_value):
            yield conj(le(low, key), lt(key, high))
    for low, high in permutations(ends, 2):
        if not low.is_value:
            yield conj(lt(low, key), lt(key, high))
    yield from (eq(key, end) for end in ends)


def _said(term: Term, own: Mapping[Term, Term]) -> Term | None:
    """The term in other variables, if there is one for each of its own."""
    return substitute(term, own) if free_variables(term) <= own.keys() else None


def _steps(end: Term) -> Iterator[int]:
    """The small numbers by which variables are multiplied in it."""
    for node in postorder((end,)):
        if node.op is Op.MUL:
            yield from (one.value for one in node.args if one.is_value and 1 < one.value <= _LARGEST_STEP)


def _is_flag(part: Term) -> bool:
    """Whether it says that a variable is a constant, or that it is not."""
    part = part.args[0] if part.op is Op.NOT else part
    return part.is_var or (
        part.op is Op.EQ and any(one.is_var for one in part.args) and any(one.is_value for one in part.args)
    )


def _equals(cell: Term, value: Term | None) -> Term | None:
    return None if value is None else eq(cell, value)


def _written(held: Term, keys: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """The index and the value of each case in which a cell is one that is written to."""
    while held.op is Op.ITE:
        condition, value, held = held.args
        if condition.op is Op.EQ:
            for key, index in (condition.args, condition.args[::-1]):
                if key in keys:
                    yield index, value


def _solved(index: Term, key: Term) -> dict[Term, Term]:
    """The variable of an index, by the key."""
    if index.is_var:
        return {index: key}
    if index.op is Op.ADD and len(index.args) == 2:
        for one, other in (index.args, index.args[::-1]):
            if one.is_var and other.is_value:
                return {one: sub(key, other)}
    return {}


def _constants(system: HornSystem) -> list[Term]:
    """Those that are compared or written most often."""
    count: dict[Term, int] = {}
    for clause in system.clauses:
        terms = [clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments)]
        for node in postorder(terms):
            if node.op in (Op.LE, Op.LT, Op.EQ, Op.ITE):
                for one in node.args:
                    if one.is_value and one.sort is INT and abs(one.value) < _LARGEST:
                        count[one] = count.get(one, 0) + 1
    ordered = sorted(count, key=lambda one: -count[one])[:_MOST_CONSTANTS]
    return list(dict.fromkeys((integer(0), *ordered)))
