"""The result of one pass over a Horn system: the new system, and the two ways back.

Passes are composed in `simplify`; each knows only the system before it and the one it made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cleave.errors import UnsupportedError
from cleave.ir.horn import Derivation, HornSystem, Interpretation
from cleave.logic.datatypes import construct
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Term, conj_all, const_array, eq, store, value_of
from cleave.logic.values import DatatypeValue, MapValue
from cleave.logic.walk import free_variables
from cleave.passes.horn.equations import solve
from cleave.records import dataclass
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver


@dataclass(frozen=True)
class Pass:
    """``system``, and functions that turn evidence about it into evidence about the system before. ``forward`` goes the
    other way: from an interpretation of the system before to one of this system."""

    system: HornSystem
    interpretation: Callable[[Interpretation], Interpretation]
    derivation: Callable[[Derivation], Derivation]
    forward: Callable[[Interpretation], Interpretation] = lambda found: found


_PLAIN = frozenset({SortKind.BOOL, SortKind.INT, SortKind.REAL, SortKind.BITVEC})


def has_values(sort: Sort) -> bool:
    """Whether any value of the sort that a model gives can be written as a term."""
    seen: set[Sort] = set()
    waiting = [sort]
    while waiting:
        part = waiting.pop()
        if part in seen or part.kind in _PLAIN:
            continue
        seen.add(part)
        if part.is_array and part.index.kind in _PLAIN:
            waiting.append(part.element)
        elif part.is_datatype:
            waiting += (field for constructor in part.constructors for field in constructor.fields)
        else:
            return False
    return True


def as_term(value: Any, sort: Sort) -> Term:
    """A model's value as a ground term."""
    waiting: list[tuple[Any, Sort, bool]] = [(value, sort, False)]
    made: list[Term] = []  # the parts of what waits, the latest last
    while waiting:
        whole, its_sort, is_ready = waiting.pop()
        parts = _parts(whole, its_sort)
        if is_ready:
            cut = len(made) - len(parts)
            made, args = made[:cut], made[cut:]
            made.append(_assembled(whole, its_sort, args))
        else:
            waiting.append((whole, its_sort, True))
            waiting += [(part, part_sort, False) for part, part_sort in reversed(parts)]
    return made[0]


def _parts(value: Any, sort: Sort) -> list[tuple[Any, Sort]]:
    if isinstance(value, MapValue):
        entries = sorted(value.entries.items(), key=lambda entry: repr(entry[0]))
        pairs = [part for index, element in entries for part in ((index, sort.index), (element, sort.element))]
        return [(value.default, sort.element), *pairs]
    if isinstance(value, DatatypeValue):
        return list(zip(value.fields, sort.constructors[value.constructor].fields, strict=True))
    return []


def _assembled(value: Any, sort: Sort, parts: list[Term]) -> Term:
    if isinstance(value, DatatypeValue):
        return construct(sort, value.constructor, *parts)
    if not isinstance(value, MapValue):
        return value_of(value, sort)
    made = const_array(sort.index, parts[0])
    for index, element in zip(parts[1::2], parts[2::2], strict=True):
        made = store(made, index, element)
    return made


def ground_values(formula: Term, wanted: list[Term]) -> list[Term]:
    """Ground terms for ``wanted`` in one model of ``formula``, which has one: by the formula's equations where they say
    enough, else by a solver's model."""
    _, solved = solve(formula, wanted, lambda variable: True)
    is_open = [not t.is_value and (has_values(t.sort) or bool(free_variables(t))) for t in solved]
    if not any(is_open):
        return solved
    solver = Z3Solver(profile=DEFAULT)
    try:
        solver.add(formula)
        if solver.check() is not Answer.SAT:
            raise UnsupportedError("a step of a derivation can't be filled in")
        model = solver.model()
        return [
            as_term(model.value(term), term.sort) if open_ else known
            for term, known, open_ in zip(wanted, solved, is_open, strict=True)
        ]
    finally:
        solver.close()


def equations(left: tuple[Term, ...], right: tuple[Term, ...]) -> Term:
    return conj_all(eq(a, b) for a, b in zip(left, right, strict=True))
