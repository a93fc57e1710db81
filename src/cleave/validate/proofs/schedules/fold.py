"""Terms with what constants decide decided, and nothing else.

(bvadd #x02 #x03)                               #x05
(select (store a #x01 v) #x02)                  (select a #x02)
(select (ite c (store a #x01 v) a) #x01)        (ite c v (select a #x01))
(= (ite c #x01 #x02) #x01)                      c
(select a (ite c #x01 #x02))                    (ite c (select a #x01) (select a #x02))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cleave.logic.sorts import bitvec
from cleave.logic.terms import TRUE, Op, Term, conj, disj, eq, ite, neg, select, store, var
from cleave.logic.walk import postorder, rebuild
from cleave.validate.semantics.ground import computed

_EQUAL = eq(var("a", bitvec(1)), var("b", bitvec(1)))
_CHOICES = 16  # constants of an `ite` that an operator is applied to one by one


def folded(term: Term, environment: Mapping[Term, Term]) -> Term:
    """``term`` with the variables of ``environment`` replaced."""
    made: dict[Term, Term] = {}
    for node in postorder((term,)):
        if not node.args:
            made[node] = environment.get(node, node)
        else:
            made[node] = operation(node, tuple(made[argument] for argument in node.args))
    return made[term]


def operation(node: Term, arguments: tuple[Term, ...]) -> Term:
    """The operator of ``node`` on other arguments."""
    if node.op is Op.SELECT:
        return element(*arguments)
    if node.op is Op.STORE:
        return written(*arguments)
    if node.op is Op.ITE:
        return choice(*arguments)
    spread = _spread(node, arguments)
    return computed(rebuild(node, arguments)) if spread is None else spread


def choice(condition: Term, then: Term, other: Term) -> Term:
    if condition.op is Op.NOT:
        condition, then, other = condition.args[0], other, then
    if then.sort.is_bool:
        if then.is_value:
            return disj(condition, other) if then.is_true else conj(neg(condition), other)
        if other.is_value:
            return disj(neg(condition), then) if other.is_true else conj(condition, then)
    return ite(condition, then, other)


_ELEMENTS: dict[Term, dict[Term, Term]] = {}
"""Of arrays, by index, as long as a program is unfolded: the same part of an array is asked about again and again."""


def forget_elements() -> None:
    _ELEMENTS.clear()


def element(array: Term, index: Term) -> Term:
    """A read passes over writes at other constants, and goes into both sides of a choice."""
    cases = None if index.is_value else constants(index)
    if cases is not None:
        return chosen([(when, element(array, constant)) for when, constant in cases])
    made = _ELEMENTS.setdefault(index, {})
    stack = [array]
    while stack:
        node = stack[-1]
        if node in made:
            stack.pop()
            continue
        if node.op is Op.ITE:
            waiting = [side for side in node.args[1:] if side not in made]
            if waiting:
                stack += waiting
                continue
            made[node] = choice(node.args[0], made[node.args[1]], made[node.args[2]])
        elif node.op is Op.STORE and node.args[1] is not index and node.args[1].is_value and index.is_value:
            if node.args[0] not in made:
                stack.append(node.args[0])
                continue
            made[node] = made[node.args[0]]
        else:
            made[node] = select(node, index)
        stack.pop()
    return made[array]


def written(array: Term, index: Term, value: Term) -> Term:
    """A write at one of a few constants is one at each of them, which perhaps leaves what is there."""
    cases = None if index.is_value else constants(index)
    if cases is None:
        return store(array, index, value)
    for when, constant in cases:
        array = store(array, constant, choice(when, value, element(array, constant)))
    return array


def chosen(values: Sequence[tuple[Term, Term]]) -> Term:
    """The value of which the condition holds, as exactly one does."""
    made = values[-1][1]
    for when, value in reversed(values[:-1]):
        made = choice(when, value, made)
    return made


def _spread(node: Term, arguments: tuple[Term, ...]) -> Term | None:
    """An operator on a choice of constants and otherwise constants, for each of them."""
    places = [number for number, argument in enumerate(arguments) if argument.op is Op.ITE]
    if len(places) != 1 or not (node.sort.is_bool or node.sort.is_bitvec):
        return None
    (place,) = places
    if any(not argument.is_value for number, argument in enumerate(arguments) if number != place):
        return None
    cases = constants(arguments[place])
    if cases is None:
        return None
    values = [
        (when, computed(rebuild(node, (*arguments[:place], one, *arguments[place + 1 :])))) for when, one in cases
    ]
    if any(not value.is_value for _, value in values):
        return None
    return chosen(values)


def constants(term: Term) -> list[tuple[Term, Term]] | None:
    """The constants that a choice is among, each with its condition; None if it is no such term."""
    found: list[tuple[Term, Term]] = []
    pending = [(TRUE, term)]
    while pending:
        when, node = pending.pop()
        if node.is_value:
            found.append((when, node))
        elif node.op is not Op.ITE or len(found) + len(pending) >= _CHOICES:
            return None
        else:
            condition, then, other = node.args
            pending.append((conj(when, neg(condition)), other))
            pending.append((conj(when, condition), then))
    return found


def same(a: Term, b: Term) -> Term:
    return operation(_EQUAL, (a, b)) if a.sort.is_bitvec and b.sort.is_bitvec else eq(a, b)
