"""Interpolants in several parts instead of one sum.

    step 0:  x@1 = 0,  y@1 = 0                  one sum:  0 <= x + 2 * y       in parts:  0 <= x,  0 <= y
    step 1:  x@2 = x@1 + y@1,  y@2 = y@1 + 1              1 <= x + y                      0 <= x,  1 <= y
    step 2:  x@3 = x@2 + y@2                              1 <= x                          1 <= x
    step 3:  x@3 < 0

The sum of the rows before a cut has no variable that occurs before it only. Often it is a sum of several sums that have
none either; then all these are kept. They are closer to invariants, as their coefficients don't depend on the number of
steps behind the cut. The parts after a step come from the parts before it and the step's rows.

Constants that depend on the number of steps are *levelled*: of parts that differ by their constants only, at several
visits of a location, the weakest is taken at each visit, and what follows is computed from these. The result may not
exclude the path any more, which the caller finds out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from cleave.engines.cegar.refinement.farkas import Weighted, eliminate
from cleave.engines.cegar.refinement.linear import ONE, ZERO, Relation, Row, added, renamed
from cleave.engines.cegar.refinement.path_formula import PathFormula
from cleave.logic.terms import Term
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class _Part:
    row: Row
    weight: Fraction  # positive


Form = tuple[int, frozenset[tuple[Term, Fraction]]]
"""A location, and the coefficients of its variables."""


def decomposed(found: Sequence[Weighted], formula: PathFormula) -> Iterator[list[list[Row]]]:
    """The parts at each cut but the first and the last, where nothing and everything is known, over the variables of
    the locations: as they are, then levelled, then with the constants levelled that came out of that."""
    levels: dict[Form, Fraction] = {}
    for _ in range(3):
        sequence = _parts_at_cuts(found, formula, levels)
        yield sequence
        if not _level(sequence, formula, levels):
            return


def _parts_at_cuts(found: Sequence[Weighted], formula: PathFormula, levels: Mapping[Form, Fraction]) -> list[list[Row]]:
    sequence = []
    parts: list[_Part] = []
    for cut in range(1, len(formula.steps)):
        parts += [_part(w) for w in found if w.step == cut - 1]
        place, back = formula.transitions[cut - 1].target, formula.backs[cut]
        parts = [_weakened(part, place, back, levels) for part in _projected(parts, back.keys())]
        sequence.append([renamed(part.row, back) for part in parts])
    return sequence


def _form(place: int, row: Row) -> Form:
    return place, frozenset(row.coefficients.items())


def _weakened(part: _Part, place: int, back: Mapping[Term, Term], levels: Mapping[Form, Fraction]) -> _Part:
    row = part.row
    level = levels.get(_form(place, renamed(row, back)))
    if level is None or level > row.constant:
        return part
    return _Part(Row(row.coefficients, level, Relation.AT_MOST), part.weight)


def _level(sequence: Sequence[Sequence[Row]], formula: PathFormula, levels: dict[Form, Fraction]) -> bool:
    """Lowers the ``levels`` to the weakest constants of the forms that occur more than once; whether that changes
    any of them."""
    constants: dict[Form, list[Fraction]] = {}
    for transition, rows in zip(formula.transitions, sequence, strict=False):
        for row in rows:
            constants.setdefault(_form(transition.target, row), []).append(row.constant)
    repeated = {form: min(found) for form, found in constants.items() if len(found) > 1}
    changed = any(levels.get(form) != level for form, level in repeated.items())
    levels.update(repeated)
    return changed


def _part(weighted: Weighted) -> _Part:
    if weighted.factor >= 0:
        return _Part(weighted.row, weighted.factor)
    row = weighted.row
    negated = Row({v: -c for v, c in row.coefficients.items()}, -row.constant, row.relation)
    return _Part(negated, -weighted.factor)


def _projected(parts: list[_Part], kept: Container[Term]) -> list[_Part]:
    """Sums of ``parts`` over the variables ``kept``, as many as possible, that together give the sum of all."""
    equations: dict[Term, dict[int, Fraction]] = {}
    for number, part in enumerate(parts):
        for variable, coefficient in part.row.coefficients.items():
            if variable not in kept:
                equations.setdefault(variable, {})[number] = coefficient
    if not equations:
        return _without_trivial(parts)
    late = frozenset(n for n, part in enumerate(parts) if any(v in kept for v in part.row.coefficients))
    solved = eliminate(list(equations.values()), late)
    made: list[_Part] = []
    for free in (number for number in range(len(parts)) if number not in solved):
        factors = {free: ONE}
        for number in reversed(solved):
            total = -sum((c * factors.get(other, ZERO) for other, c in solved[number].items()), ZERO)
            if total:
                factors[number] = total
        if any(f < 0 and parts[n].row.relation is not Relation.EQUAL for n, f in factors.items()):
            return _without_trivial([_summed([(p.row, p.weight) for p in parts], ONE)])
        made.append(_summed([(parts[n].row, f) for n, f in sorted(factors.items())], parts[free].weight))
    return _without_trivial(made)


def _summed(rows: list[tuple[Row, Fraction]], weight: Fraction) -> _Part:
    """The sum of rows with ``weight``, which grows by as much as the sum is divided."""
    total = added(rows)
    for variable, coefficient in total.coefficients.items():
        weight *= sum((factor * row.coefficients.get(variable, ZERO) for row, factor in rows), ZERO) / coefficient
        break
    return _Part(total, weight)


def _without_trivial(parts: Iterable[_Part]) -> list[_Part]:
    return [part for part in parts if not part.row.holds_always]
