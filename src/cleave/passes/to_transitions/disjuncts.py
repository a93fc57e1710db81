"""The ways in which a formula can hold, one conjunction each.

x > 0 and (y = 1 or z = 1)        x > 0 and y = 1
                                  x > 0 and z = 1

A formula that can hold in more ways than asked for stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.logic.terms import FALSE, TRUE, Op, Term, conj, conj_all, disj, neg

_DEEPEST = 50  # conjunctions and disjunctions inside of each other; deeper ones stay


def disjuncts(formula: Term, most: int) -> list[Term]:
    """At most ``most`` conjunctions whose disjunction is equivalent to ``formula``, or the formula alone."""
    return _disjuncts(formula, most, 0) or [formula]


def _disjuncts(formula: Term, most: int, depth: int) -> list[Term]:
    """None at all if there would be too many."""
    done: list[list[Term]] = [[]]
    for part in _conjuncts(formula):
        choices = _choices(part, most, depth + 1)
        if not choices or len(done) * len(choices) > most:
            return []
        done = [[*one, choice] for one in done for choice in choices]
    made = dict.fromkeys(conj_all(one) for one in done)
    return [one for one in made if not one.is_false] or [FALSE]


def _conjuncts(formula: Term) -> Iterator[Term]:
    """What has one choice only comes first."""
    waiting, later = [formula], list[Term]()
    while waiting:
        part = _outermost(waiting.pop())
        if part.op is Op.AND:
            waiting += reversed(part.args)
        elif part.op is Op.OR:
            later.append(part)
        elif part is not TRUE:
            yield part
    yield from later


def _choices(part: Term, most: int, depth: int) -> list[Term]:
    """The disjuncts of a disjunction, each a conjunction again; anything else is its own only choice."""
    if part.op is not Op.OR:
        return [part]
    found: list[Term] = []
    for argument in part.args:
        ways = _disjuncts(argument, most, depth) if depth <= _DEEPEST else []
        found += ways
        if not ways or len(found) > most:
            return []
    return found


def _outermost(formula: Term) -> Term:
    """With a conjunction, a disjunction or a literal on the outside."""
    match formula.op:
        case Op.IMPLIES:
            return disj(neg(formula.args[0]), formula.args[1])
        case Op.ITE:
            return _choice(*formula.args)
        case Op.EQ if formula.args[0].sort.is_bool:
            left, right = formula.args
            return _choice(left, right, neg(right))
        case Op.NOT:
            return _negated(formula.args[0])
    return formula


def _negated(formula: Term) -> Term:
    match formula.op:
        case Op.AND:
            return disj(*(neg(argument) for argument in formula.args))
        case Op.OR:
            return conj(*(neg(argument) for argument in formula.args))
        case Op.IMPLIES:
            return conj(formula.args[0], neg(formula.args[1]))
        case Op.ITE:
            condition, then, otherwise = formula.args
            return _choice(condition, neg(then), neg(otherwise))
        case Op.EQ if formula.args[0].sort.is_bool:
            left, right = formula.args
            return _choice(left, neg(right), right)
    return neg(formula)


def _choice(condition: Term, then: Term, otherwise: Term) -> Term:
    return disj(conj(condition, then), conj(neg(condition), otherwise))
