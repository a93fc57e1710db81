"""Rows as formulas that people can read.

-x - 2y + z + 4 <= 0             z + 4 <= x + 2 * y
b + c - 1 = 0  of Booleans       b = not c
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from cleave.engines.cegar.refinement.linear import ONE, ZERO, Relation, Row, compared, compares
from cleave.logic.sorts import BOOL, REAL
from cleave.logic.terms import FALSE, Term, add, boolean, conj_all, disj_all, eq, integer, ite, mul, neg, real, to_real

_SMALL_TABLE = 3  # variables


def as_formula(row: Row, order: Mapping[Term, int]) -> Term:
    """The row as people write it: what is subtracted on the right, variables by their number in ``order``."""
    if not row.coefficients:
        return boolean(row.holds_always)
    variables = sorted(row.coefficients, key=lambda v: order[v])
    if len(variables) <= _SMALL_TABLE and all(v.sort is BOOL for v in variables):
        return _about_truths(row, variables)
    is_integral = all(v.sort is not REAL for v in variables)
    flip = row.relation is Relation.EQUAL and row.coefficients[variables[0]] < 0
    sign = -ONE if flip else ONE
    left = [(v, sign * row.coefficients[v]) for v in variables if sign * row.coefficients[v] > 0]
    right = [(v, -sign * row.coefficients[v]) for v in variables if sign * row.coefficients[v] < 0]
    constant = -sign * row.constant
    if not left and row.relation is not Relation.EQUAL:  # 3 <= x rather than 0 <= x - 3
        return compared(_written([], -constant, is_integral), _written(right, ZERO, is_integral), row.relation)
    return compared(_written(left, ZERO, is_integral), _written(right, constant, is_integral), row.relation)


def _about_truths(row: Row, variables: list[Term]) -> Term:
    """Row by row of a truth table: what is excluded."""
    clauses = []
    for values in product((0, 1), repeat=len(variables)):
        total = row.constant + sum(row.coefficients[v] * value for v, value in zip(variables, values, strict=True))
        if not compares(total, row.relation):
            clauses.append([neg(v) if value else v for v, value in zip(variables, values, strict=True)])
    if len(clauses) == 2 ** len(variables):
        return FALSE
    if len(variables) == len(clauses) == 2 and all(a is neg(b) for a, b in zip(*clauses, strict=True)):
        return eq(clauses[0][0], neg(clauses[0][1]))
    return conj_all(disj_all(clause) for clause in clauses)


def _written(parts: list[tuple[Term, Fraction]], constant: Fraction, is_integral: bool) -> Term:
    number = (lambda value: integer(int(value))) if is_integral else real
    total: Term | None = None
    for variable, coefficient in parts:
        value = _as_number(variable, is_integral)
        summand = value if coefficient == 1 else mul(number(coefficient), value)
        total = summand if total is None else add(total, summand)
    if total is None:
        return number(constant)
    return add(total, number(constant))


def _as_number(variable: Term, is_integral: bool) -> Term:
    number = ite(variable, integer(1), integer(0)) if variable.sort is BOOL else variable
    return number if is_integral or number.sort is REAL else to_real(number)
