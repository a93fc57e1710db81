"""Which successors of a block can be taken, and under which conditions.

goto b1, b2    b1: assume c ...   b2: assume not c ...        c: b1, (not c): b2       no choice is left
goto b1, b2    b1: x := 1 ...     b2: ...                     w: b1, (not w): b2       w is free
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleave.logic.terms import FALSE, TRUE, Op, Term, conj, neg

Way = tuple[int, Term]


def ways_on(conditions: Sequence[Term | None], free: Callable[[], Term]) -> list[tuple[int, Term]]:
    """The successors that may be possible, each with its condition; of several, exactly one holds, or they are what the
    successors start by assuming. ``conditions`` are those assumptions, None where there is none."""
    possible = [(number, condition) for number, condition in enumerate(conditions) if condition is not FALSE]
    if len(possible) <= 1:
        return [(number, TRUE) for number, _ in possible]
    known = [condition for _, condition in possible if condition is not None]
    if len(known) == len(possible) and _exclude_each_other(known):
        return [(number, condition) for number, condition in possible if condition is not None]
    ways: list[Way] = []
    none_before: Term = TRUE
    for number, _ in possible[:-1]:
        choice = free()
        ways.append((number, conj(none_before, choice)))
        none_before = conj(none_before, neg(choice))
    return [*ways, (possible[-1][0], none_before)]


def _exclude_each_other(conditions: Sequence[Term]) -> bool:
    return all(_excludes(a, b) for number, a in enumerate(conditions) for b in conditions[:number])


def _excludes(one: Term, other: Term) -> bool:
    mine = set(one.args) if one.op is Op.AND else {one}
    its = other.args if other.op is Op.AND else (other,)
    if any(neg(part) in mine for part in its):
        return True
    return any(_differ(a, b) for a in mine for b in its)


def _differ(a: Term, b: Term) -> bool:
    """Two equations of one term with different constants."""
    if a.op is not Op.EQ or b.op is not Op.EQ:
        return False
    mine, its = set(a.args), set(b.args)
    apart = mine ^ its
    return len(mine & its) == 1 and len(apart) == 2 and all(term.op is Op.VALUE for term in apart)
