"""Variables replaced by what equations say that they are.

x' = x + 1 and y < x'      with x' to be replaced:   y < x + 1
a = x + 1 and y < x        with x to be replaced:    y < a - 1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleave.logic.terms import FALSE, TRUE, Op, Term, add, bv_binary, conj_all, minus, neg, sub
from cleave.logic.walk import free_variables, substitute


def conjuncts(formula: Term) -> list[Term]:
    found: list[Term] = []
    stack = [formula]
    while stack:
        part = stack.pop()
        if part.op is Op.AND:
            stack += reversed(part.args)
        elif part is not TRUE:
            found.append(part)
    return found


def solve(formula: Term, others: Sequence[Term], is_replaceable: Callable[[Term], bool]) -> tuple[Term, list[Term]]:
    """``formula`` and ``others`` without the replaceable variables that equations among the conjuncts define. Under an
    existential quantifier over those variables nothing changes."""
    parts = conjuncts(formula)
    rest = list(others)
    while True:
        chosen = _independent(parts, is_replaceable)
        if not chosen:
            return conj_all(parts), rest
        memo: dict[Term, Term] = {}
        parts = conjuncts(conj_all(substitute(part, chosen, memo) for part in parts))
        rest = [substitute(term, chosen, memo) for term in rest]


def _independent(parts: Sequence[Term], is_replaceable: Callable[[Term], bool]) -> dict[Term, Term]:
    """Definitions to be used at once: no defined variable occurs in one of them."""
    chosen: dict[Term, Term] = {}
    used: set[Term] = set()
    for part in parts:
        found = _definition(part, is_replaceable)
        if found is None:
            continue
        variable, value = found
        free = free_variables(value)
        if variable not in chosen and variable not in used and not any(v in chosen for v in free):
            chosen[variable] = value
            used |= free
    return chosen


def _definition(part: Term, is_replaceable: Callable[[Term], bool]) -> tuple[Term, Term] | None:
    if part.op is Op.VAR and is_replaceable(part):
        return part, TRUE
    if part.op is Op.NOT and part.args[0].op is Op.VAR and is_replaceable(part.args[0]):
        return part.args[0], FALSE
    if part.op is not Op.EQ:
        return None
    for left, right in (part.args, part.args[::-1]):
        found = _isolate(left, right, is_replaceable)
        if found is not None:
            return found
    return None


def _isolate(left: Term, right: Term, is_replaceable: Callable[[Term], bool]) -> tuple[Term, Term] | None:
    """A variable of ``left``, and its value by ``left = right``."""
    while True:
        match left.op:
            case Op.VAR:
                if is_replaceable(left) and left not in free_variables(right):
                    return left, right
                return None
            case Op.ADD | Op.BV_ADD:
                moved = _movable(left.args, is_replaceable)
                if moved is None:
                    return None
                kept, other = moved
                right = sub(right, other) if left.op is Op.ADD else bv_binary(Op.BV_SUB, right, other)
                left = kept
            case Op.SUB | Op.BV_SUB:
                if any(is_replaceable(v) for v in free_variables(left.args[1])):
                    return None
                left, other = left.args
                right = add(right, other) if right.sort.width == 0 else bv_binary(Op.BV_ADD, right, other)
            case Op.NEG:
                left, right = left.args[0], minus(right)
            case Op.NOT:
                left, right = left.args[0], neg(right)
            case _:
                return None


def _movable(args: tuple[Term, ...], is_replaceable: Callable[[Term], bool]) -> tuple[Term, Term] | None:
    """The summand to keep on the left, and the one that goes to the right: it has nothing to replace."""
    left, right = args
    if not any(is_replaceable(v) for v in free_variables(right)):
        return left, right
    if not any(is_replaceable(v) for v in free_variables(left)):
        return right, left
    return None
