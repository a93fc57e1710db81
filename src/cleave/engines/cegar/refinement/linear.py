"""Linear constraints as rows.

    3 < x + 2 * y   over Int        -x - 2y + 4 <= 0
    x@1 = 0                          x@1 = 0
    not b           a Boolean        b <= 0, where Booleans are the numbers 0 and 1

A row over integers has integral coefficients without a common divisor, and is never strict: its constant is rounded,
which makes it stronger than it is over rationals. Quotients and remainders by constants are numbers of their own, with
rows that say what they are. That a Boolean is between 0 and 1 need not be said: rows about Booleans alone are values
and equations between two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, lcm

from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import (
    Op,
    Term,
    add,
    eq,
    le,
    lt,
    mul,
    real,
    var,
)
from cleave.logic.walk import postorder
from cleave.records import dataclass


class Relation(IntEnum):
    """How a sum compares with zero, the strongest claim of a sum of rows being the greatest of theirs."""

    EQUAL = 0
    AT_MOST = 1
    BELOW = 2


@dataclass(frozen=True)
class Row:
    """The sum of ``coefficients`` times their variables, and ``constant``, is in ``relation`` to zero."""

    coefficients: Mapping[Term, Fraction]
    constant: Fraction
    relation: Relation

    @property
    def holds_always(self) -> bool:
        return not self.coefficients and compares(self.constant, self.relation)

    @cached_property
    def relaxed(self) -> Term:
        """The row over rationals, as a formula about real copies of its variables, with no more terms than need be."""
        left, right = real(max(ZERO, self.constant)), real(max(ZERO, -self.constant))
        for variable, coefficient in self.coefficients.items():
            if coefficient > 0:
                left = add(left, mul(real(coefficient), rational(variable)))
            else:
                right = add(right, mul(real(-coefficient), rational(variable)))
        return compared(left, right, self.relation)


def compares(constant: Fraction, relation: Relation) -> bool:
    return (constant == 0, constant <= 0, constant < 0)[relation]


ZERO, ONE = Fraction(0), Fraction(1)


class NonlinearError(Exception):
    """A term is not linear, or only by cases."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A linear term."""

    coefficients: Mapping[Term, Fraction]
    constant: Fraction

    def plus(self, other: Sum, factor: Fraction = ONE) -> Sum:
        scaled = other.times(factor)
        if not self.coefficients:
            return Sum(scaled.coefficients, self.constant + scaled.constant)
        made = dict(self.coefficients)
        for variable, coefficient in scaled.coefficients.items():
            total = made[variable] + coefficient if variable in made else coefficient
            if total:
                made[variable] = total
            else:
                del made[variable]
        return Sum(made, self.constant + scaled.constant)

    def times(self, factor: Fraction) -> Sum:
        if factor == 1:
            return self
        if factor == -1:  # much quicker than a product
            return Sum({v: -c for v, c in self.coefficients.items()}, -self.constant)
        if not factor:
            return NOTHING
        return Sum({v: c * factor for v, c in self.coefficients.items()}, self.constant * factor)


NOTHING = Sum({}, ZERO)


class Linearizer:
    """Turns terms into sums and rows. ``suffix`` makes the names of its own variables differ from those of others."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._sums: dict[Term, Sum] = {}
        self._done: set[Term] = set()  # the keys of _sums and what is no number, as `postorder` wants them
        self._own: dict[Term, Term] = {}
        self._extra: dict[Term, list[Row]] = {}
        self._rows: dict[Term, list[Row] | None] = {}

    def rows(self, literal: Term) -> list[Row] | None:
        """The rows that say what ``literal`` says; None if it is not linear, or only by cases. Rows about what stands
        for quotients are among them. The same literal gets the same rows."""
        if literal not in self._rows:
            self._rows[literal] = self._made(literal)
        return self._rows[literal]

    def _made(self, literal: Term) -> list[Row] | None:
        try:
            made = self._literal(literal)
        except NonlinearError:
            return None
        for node in postorder((literal,)):
            made += self._extra.get(node, [])
        return [row for row in made if not row.holds_always]

    def _literal(self, literal: Term) -> list[Row]:
        positive = literal.op is not Op.NOT
        atom = literal if positive else literal.args[0]
        if atom.op in (Op.LE, Op.LT):
            low, high = atom.args if positive else reversed(atom.args)
            is_strict = (atom.op is Op.LT) is positive
            difference = self.sum(low).plus(self.sum(high), -ONE)
            return [normal(difference, Relation.BELOW if is_strict else Relation.AT_MOST)]
        if atom.op is Op.EQ and atom.args[0].sort is BOOL:
            left, right = (self._truth(arg) for arg in atom.args)
            other = right if positive else Sum({}, ONE).plus(right, -ONE)
            return [normal(left.plus(other, -ONE), Relation.EQUAL)]
        if atom.op is Op.EQ and positive:
            left, right = (self.sum(arg) for arg in atom.args)
            return [normal(left.plus(right, -ONE), Relation.EQUAL)]
        truth = self._truth(literal)
        return [normal(Sum({}, ONE).plus(truth, -ONE), Relation.AT_MOST)]

    def _truth(self, formula: Term) -> Sum:
        """A Boolean variable or its negation as a number."""
        if formula.op is Op.VAR:
            return Sum({formula: ONE}, ZERO)
        if formula.op is Op.VALUE:
            return Sum({}, Fraction(int(formula.value)))
        if formula.op is Op.NOT and formula.args[0].op is Op.VAR:
            return Sum({formula.args[0]: -ONE}, ONE)
        raise NonlinearError

    def sum(self, term: Term) -> Sum:
        for node in postorder((term,), self._done):
            if node.sort is INT or node.sort is REAL:
                try:
                    self._sums[node] = self._sum(node)
                except NonlinearError:
                    self._done.discard(node)
                    raise
        found = self._sums.get(term)
        if found is None:
            raise NonlinearError
        return found

    def _sum(self, node: Term) -> Sum:
        sums = [self._sums[arg] for arg in node.args if arg in self._sums]
        match node.op:
            case Op.VAR:
                return Sum({node: ONE}, ZERO)
            case Op.VALUE:
                return Sum({}, Fraction(node.value))
            case Op.ADD:
                return sums[0].plus(sums[1])
            case Op.SUB:
                return sums[0].plus(sums[1], -ONE)
            case Op.NEG:
                return sums[0].times(-ONE)
            case Op.TO_REAL:
                return sums[0]
            case Op.MUL:
                for one, other in (sums, sums[::-1]):
                    if not one.coefficients:
                        return other.times(one.constant)
            case Op.REAL_DIV:
                if not sums[1].coefficients and sums[1].constant:
                    return sums[0].times(1 / sums[1].constant)
            case Op.DIV | Op.MOD:
                if not sums[1].coefficients and sums[1].constant:
                    return self._divided(node, sums[0], sums[1].constant)
            case Op.TO_INT:
                return self._divided(node, sums[0], ONE)
        raise NonlinearError

    def _divided(self, node: Term, dividend: Sum, divisor: Fraction) -> Sum:
        """The quotient is a number q of its own with ``q * divisor <= dividend < q * divisor + abs(divisor)``."""
        quotient = var(f"quotient{len(self._own)}{self._suffix}", INT)
        self._own[node] = quotient
        remainder = dividend.plus(Sum({quotient: divisor}, ZERO), -ONE)
        below = remainder.plus(Sum({}, abs(divisor)), -ONE)
        self._extra[node] = [normal(remainder.times(-ONE), Relation.AT_MOST), normal(below, Relation.BELOW)]
        return remainder if node.op is Op.MOD else Sum({quotient: ONE}, ZERO)


@lru_cache(maxsize=10_000)
def has_quotient(literal: Term) -> bool:
    """Whether its rows would have numbers of their own."""
    return any(node.op in (Op.DIV, Op.MOD, Op.TO_INT) for node in postorder((literal,)))


def is_linear(literal: Term) -> bool:
    return Linearizer("").rows(literal) is not None


def normal(total: Sum, relation: Relation) -> Row:
    """The row, with integral coefficients that have no common divisor; rounded if all its variables are integral."""
    coefficients = total.coefficients
    if not coefficients:
        return Row({}, total.constant, relation)
    common = lcm(*(c.denominator for c in coefficients.values()))
    divisor = gcd(*(c.numerator * (common // c.denominator) for c in coefficients.values()))
    scaled = total.times(Fraction(common, divisor))
    constant = scaled.constant
    if any(v.sort is REAL for v in coefficients):
        return Row(scaled.coefficients, constant, relation)
    if relation is Relation.EQUAL:
        return Row(scaled.coefficients, constant, relation) if constant.denominator == 1 else CONTRADICTION
    if relation is Relation.BELOW:
        return Row(scaled.coefficients, Fraction(constant.__floor__() + 1), Relation.AT_MOST)
    return Row(scaled.coefficients, Fraction(constant.__ceil__()), Relation.AT_MOST)


CONTRADICTION = Row({}, ONE, Relation.AT_MOST)


def added(rows: Iterable[tuple[Row, Fraction]]) -> Row:
    """The sum of rows, each times its factor; what all of them together imply."""
    total: dict[Term, Fraction] = {}
    constant, relation = ZERO, Relation.EQUAL
    for row, factor in rows:
        for variable, coefficient in row.coefficients.items():
            product = factor * coefficient
            total[variable] = total[variable] + product if variable in total else product
        constant += factor * row.constant
        relation = max(relation, row.relation)
    return normal(Sum({v: c for v, c in total.items() if c}, constant), relation)


def renamed(row: Row, names: Mapping[Term, Term]) -> Row:
    return Row({names[v]: c for v, c in row.coefficients.items()}, row.constant, row.relation)


def rational(variable: Term) -> Term:
    """The real copy of a variable."""
    return var(f"{variable.sort.kind.value} {variable.name}", REAL)


def compared(left: Term, right: Term, relation: Relation) -> Term:
    return (eq, le, lt)[relation](left, right)
