"""Quantified formulas without their quantifiers: what follows from them about the terms that there are.

    for all s: (T(x, s) implies not bad(s))   and   T(x, x')   and   bad(x')          s is taken for x'

Of an invariant that says "whatever comes next is good", a solver has to guess what comes next; here it is tried: a
bound variable is taken for the variable of the same original name that is one quantifier further out; those of the
clause itself are the outermost. One that is an index of an array is also taken for the indices that there are
(`indices`). What is left has no model only if the given formula has none, whatever was taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from cleave.logic.binding import fresh_variables, names, original_name, own_binders
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term, conj_all, disj_all, implies, neg, var
from cleave.logic.walk import has_quantifier, substitute
from cleave.validate.clauses.indices import choices, indices

_MOST = 500  # quantifiers that are looked at
_DEEPEST = 200  # formulas inside of each other

_Block = Mapping[str, Term]  # variables by their original names


class _Quantifier(NamedTuple):
    """``formula`` holds for all values if ``stands_for_it`` is true, or is false for all if it ``holds`` not."""

    stands_for_it: Term
    formula: Term
    holds: bool
    depth: int


def instances(formula: Term, variables: Iterable[Term]) -> Term | None:
    """Something without quantifiers that has a model if ``formula`` has one; None if nothing useful can be said.
    ``variables`` are the outermost."""
    own = list(variables)
    fresh = fresh_variables(names((formula, *own)))
    return _Instances(own, fresh).all_of(own_binders(formula, fresh))  # so that nothing is captured


class _Instances:
    def __init__(self, variables: Iterable[Term], fresh: Callable[[Term], Term]) -> None:
        self._fresh = fresh
        self._blocks: dict[int, list[_Block]] = {0: [{original_name(v): v for v in variables}]}
        self._waiting: deque[_Quantifier] = deque()
        self._seen = 0
        self._nesting = 0
        self._is_possible = True

    def all_of(self, formula: Term) -> Term | None:
        parts = [self._weakened(formula, True, 0)]
        quantifiers: list[_Quantifier] = []
        while self._waiting and self._is_possible:
            one = self._waiting.popleft()
            quantifiers.append(one)
            taken = (_taken(one.formula, block) for block in self._blocks.get(one.depth, ()))
            parts += [self._told(one, values) for values in taken if values is not None]
        known = indices(parts) if self._is_possible else {}
        for one in quantifiers:
            parts += [self._told(one, values) for values in choices(one.formula, known)]
        return conj_all(parts) if self._is_possible else None

    def _told(self, one: _Quantifier, values: Mapping[Term, Term]) -> Term:
        """What follows if the quantifier's variables have these values."""
        body = substitute(one.formula.args[0], values)
        return implies(one.stands_for_it, self._weakened(body, one.holds, one.depth + 1))

    def _weakened(self, formula: Term, holds: bool, depth: int) -> Term:
        """What follows from the truth or falsity of a formula that is inside of ``depth`` quantifiers."""
        if not has_quantifier(formula):
            return formula if holds else neg(formula)
        self._nesting += 1
        self._is_possible = self._is_possible and self._nesting <= _DEEPEST
        made = self._quantified(formula, holds, depth) if self._is_possible else formula
        self._nesting -= 1
        return made

    def _quantified(self, formula: Term, holds: bool, depth: int) -> Term:
        match formula.op:
            case Op.NOT:
                return self._weakened(formula.args[0], not holds, depth)
            case Op.AND | Op.OR:
                parts = [self._weakened(part, holds, depth) for part in formula.args]
                return conj_all(parts) if (formula.op is Op.AND) is holds else disj_all(parts)
            case Op.IMPLIES:
                left = self._weakened(formula.args[0], not holds, depth)
                right = self._weakened(formula.args[1], holds, depth)
                return disj_all((left, right)) if holds else conj_all((left, right))
            case Op.FORALL | Op.EXISTS:
                return self._quantifier(formula, holds, depth)
        self._is_possible = False
        return formula

    def _quantifier(self, formula: Term, holds: bool, depth: int) -> Term:
        self._seen += 1
        if self._seen > _MOST:
            self._is_possible = False
            return formula
        if (formula.op is Op.FORALL) is holds:
            stands_for_it = self._fresh(var("all", BOOL))
            self._waiting.append(_Quantifier(stands_for_it, formula, holds, depth))
            return stands_for_it
        some = {v: self._fresh(v) for v in formula.value.variables}
        self._blocks.setdefault(depth + 1, []).append({original_name(v): some[v] for v in some})
        return self._weakened(substitute(formula.args[0], some), holds, depth + 1)


def _taken(quantifier: Term, block: _Block) -> dict[Term, Term] | None:
    taken = {v: block.get(original_name(v)) for v in quantifier.value.variables}
    found = {v: term for v, term in taken.items() if term is not None and term.sort is v.sort}
    return found if len(found) == len(taken) else None
