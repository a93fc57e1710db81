"""When a place in a thread is reached: a chain of conditions, each added to the one before.

    g            after  assume c       (and g c)
    (and g c) and (and g (not c)) meet:       g        and what differs is  (ite c ..., ...)

Keeping the chains apart, and not flattening them, makes guards share all that they have in common.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Op, Term, conj_all, disj, make, neg

_RECENT = 8  # conditions that are looked at for repetitions


def restricted(guard: Term, condition: Term) -> Term:
    """``guard`` where ``condition`` holds, too."""
    if condition is TRUE or guard is FALSE:
        return guard
    if condition is FALSE:
        return FALSE
    if guard is TRUE:
        return condition if condition.op is not Op.AND else make(Op.AND, (TRUE, condition), BOOL)
    opposite, here = neg(condition), guard
    for _ in range(_RECENT):
        last = _last(here)
        if last is condition:
            return guard
        if last is opposite:
            return FALSE
        if here.op is not Op.AND:
            break
        here = here.args[0]
    return make(Op.AND, (guard, condition), BOOL)


def joined(one: Term, other: Term) -> tuple[Term, Term]:
    """The guard where one of two ways is taken, and the condition that tells, there, that it is the first."""
    common, mine, its = _apart(one, other)
    if len(mine) == 1 and len(its) == 1 and mine[0] is neg(its[0]):
        return common, mine[0]
    is_mine = neg(conj_all(its)) if len(its) == 1 else conj_all(mine)
    return restricted(common, disj(conj_all(mine), conj_all(its))), is_mine


def depth_in_common(one: Sequence[Term], other: Sequence[Term]) -> int:
    """Of two chains. A guard tells all before it, so where they part is found by halves."""
    low, high = 1, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[middle - 1] is other[middle - 1]:
            low = middle
        else:
            high = middle - 1
    return low


def _last(guard: Term) -> Term:
    return guard.args[1] if guard.op is Op.AND else guard


def chain(guard: Term) -> list[Term]:
    """The guard and all that it was made from, itself last."""
    found = [guard]
    while guard.op is Op.AND:
        guard = guard.args[0]
        found.append(guard)
    if found[-1] is not TRUE:
        found.append(TRUE)
    return found[::-1]


def _apart(one: Term, other: Term) -> tuple[Term, list[Term], list[Term]]:
    """The last guard that both come from, and what each has added since."""
    mine, its = chain(one), chain(other)
    length = depth_in_common(mine, its)
    return mine[length - 1], [_last(g) for g in mine[length:]], [_last(g) for g in its[length:]]
