r"""Prolog terms as numbers and conditions over numbers.

X + 2*Y =< 3        X =\= 0 ; X = Y        {X = 1, Y = 2}        rat(1,2)

``=``, ``==``, ``is`` and ``=:=`` all say that two numbers are equal: there is nothing but numbers here. All variables
of a file are of one sort, see `sort_of`. Negation is not known: Prolog's says of a variable that occurs nowhere else
that no value of it will do, which a clause can't say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from cleave.frontends.transitions.prolog.syntax import (
    CONS,
    NIL,
    Compound,
    Number,
    Prolog,
    Variable,
    elements,
    postorder,
    show,
)
from cleave.frontends.transitions.prolog.tokens import Source
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, REAL, Sort
from cleave.logic.terms import Op, Term
from cleave.records import dataclass

_NUMBERS: dict[tuple[str, int], Callable[..., Term]] = {
    ("+", 2): t.add,
    ("-", 2): t.sub,
    ("*", 2): t.mul,
    ("-", 1): t.minus,
    ("+", 1): lambda a: a,
}
_COMPARISONS: dict[tuple[str, int], Callable[..., Term]] = {
    **{(name, 2): t.eq for name in ("=", "==", "=:=", "is", "#=")},
    **{(name, 2): t.distinct for name in (r"\=", r"\==", r"=\=", r"#\=")},
    **{(name, 2): t.le for name in ("=<", "#=<")},
    **{(name, 2): t.ge for name in (">=", "#>=")},
    **{(name, 2): t.lt for name in ("<", "#<")},
    **{(name, 2): t.gt for name in (">", "#>")},
}
_JUNCTIONS: dict[tuple[str, int], Callable[..., Term]] = {
    (",", 2): t.conj,
    (";", 2): t.disj,
    ("{}", 1): lambda a: a,
    ("true", 0): lambda: t.TRUE,
    ("false", 0): lambda: t.FALSE,
    ("fail", 0): lambda: t.FALSE,
}


def is_condition(term: Prolog) -> bool:
    """Whether a goal is one of numbers, or made of such, and not a predicate."""
    key = (term.name, len(term.arguments)) if isinstance(term, Compound) else ("", 0)
    return key in _COMPARISONS or key in _JUNCTIONS


def sort_of(terms: Iterable[Prolog]) -> Sort:
    """Reals if a fraction is written anywhere in ``terms``; otherwise integers, which nearly all such files are about:
    they were made from programs."""
    for root in terms:
        for term in postorder(root):
            if isinstance(term, Number) and isinstance(term.value, Fraction):
                return REAL
            if isinstance(term, Compound) and (term.has("/", 2) or term.has("rdiv", 2)):
                return REAL
            value = _rational(term) if isinstance(term, Compound) and term.has("rat", 2) else None
            if value is not None and value.denominator != 1:
                return REAL
    return INT


@dataclass(frozen=True, slots=True)
class Conditions:
    """Makes terms of the variables' sort, and formulas over them."""

    source: Source
    sort: Sort

    def number(self, root: Prolog) -> Term:
        return self._wanted(root, self._term(root), self.sort)

    def condition(self, root: Prolog) -> Term:
        """A goal, or a list of goals that all hold."""
        goals = elements(root)
        if goals is None:
            return self._wanted(root, self._term(root), BOOL)
        return t.conj_all([self._wanted(goal, self._term(goal), BOOL) for goal in goals])

    def _term(self, root: Prolog) -> Term:
        done: list[tuple[Prolog, Term]] = []
        for term in postorder(root):
            if isinstance(term, Variable):
                made = t.var(term.name, self.sort)
            elif isinstance(term, Number):
                made = self._constant(term.value)
            else:
                count = len(term.arguments)
                arguments = done[len(done) - count :]
                del done[len(done) - count :]
                made = self._applied(term, arguments)
            done.append((term, made))
        return done[0][1]

    def _applied(self, term: Compound, arguments: list[tuple[Prolog, Term]]) -> Term:
        key = (term.name, len(arguments))
        if key in _JUNCTIONS:
            return _JUNCTIONS[key](*(self._wanted(part, made, BOOL) for part, made in arguments))
        if key == ("rat", 2):
            return self._constant(self._fraction(term))
        if key in (("/", 2), ("rdiv", 2)):
            return self._quotient(term, arguments)
        build = _NUMBERS.get(key) or _COMPARISONS.get(key)
        if build is None:
            raise self.source.unsupported(term.offset, f"{_shown(term)} is neither a number nor a condition on numbers")
        return build(*(self._wanted(part, made, self.sort) for part, made in arguments))

    def _wanted(self, term: Prolog, made: Term, sort: Sort) -> Term:
        if made.sort is sort:
            return made
        what = "a condition" if sort is BOOL else "a number"
        raise self.source.error(term.offset, f"{what} expected, not {_shown(term)}")

    def _constant(self, value: int | Fraction) -> Term:
        return t.integer(int(value)) if self.sort is INT else t.real(value)

    def _fraction(self, term: Compound) -> Fraction:
        value = _rational(term)
        if value is None:
            raise self.source.error(term.offset, "two integers expected in rat, the second one not 0")
        return value

    def _quotient(self, term: Compound, arguments: list[tuple[Prolog, Term]]) -> Term:
        left, right = (self._wanted(part, made, self.sort) for part, made in arguments)
        if right.op is not Op.VALUE or not right.value:
            raise self.source.unsupported(term.offset, "a division by what is no number other than 0 is not supported")
        return t.mul(t.real(1 / Fraction(right.value)), left)


def _rational(term: Compound) -> Fraction | None:
    """The value of ``rat(1,2)``."""
    above, below = term.arguments
    if not (isinstance(above, Number) and isinstance(below, Number) and below.value):
        return None
    return Fraction(above.value) / Fraction(below.value)


def _shown(term: Prolog) -> str:
    if isinstance(term, Compound) and term.name in (NIL, CONS):
        return "a list"
    text = show(term) if not isinstance(term, Compound) or not term.arguments else f"{term.name}/{len(term.arguments)}"
    return text if len(text) < 60 else f"{text[:60]}..."
