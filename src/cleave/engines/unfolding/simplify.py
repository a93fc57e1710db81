"""Terms with known parts made smaller: constants folded, and what an ``ite`` of constants decides.

    (bvadd #x02 #x03)                       #x05
    (= (ite c #x01 #x02) #x01)              c
    (select (store a #x01 v) #x02)          (select a #x02)
    (select a (ite c #x01 #x02))            (ite c (select a #x01) (select a #x02))

An unfolded thread is full of such terms: loop counters, addresses, flags. A condition that is decided here is never
encoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cleave.engines.unfolding.folding import FOLDED, NEUTRAL, fold, neutral
from cleave.logic import terms as t
from cleave.logic.floats.operations import FLOATING
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Op, Term
from cleave.logic.walk import postorder, rebuild

_DEPTH = 100  # of ites of arrays that a read is moved into
_VISITS = 400  # of nodes of an ite, to find its constants
_LEAVES = 16  # of an ite of constants that an operator is moved into


def evaluate(term: Term, environment: Mapping[Term, Term]) -> Term:
    """``term`` with the variables of ``environment`` replaced, simplified."""
    found = environment.get(term)
    if found is not None:
        return found
    if not term.args:
        return term
    made: dict[Term, Term] = {}
    for node in postorder((term,)):
        if not node.args:
            made[node] = environment.get(node, node)
        else:
            made[node] = simplified(node, tuple([made[arg] for arg in node.args]))
    return made[term]


def simplified(node: Term, args: tuple[Term, ...]) -> Term:
    """``node`` with other arguments, which are simplified already."""
    own = _OWN.get(node.op)
    if own is not None:
        return own(*args)
    if node.op in FOLDED and all(a.op is Op.VALUE for a in args):
        return fold(node, args)
    if node.op in NEUTRAL and len(args) == 2:
        known = neutral(node.op, *args)
        if known is not None:
            return known
    moved = _move_in(node, args) if node.sort.is_bool or node.sort.is_bitvec else None
    return moved if moved is not None else rebuild(node, args)


# --- single operators -----------------------------------------------------------------------------------------------


def negated(a: Term) -> Term:
    return t.neg(a)


def equal(a: Term, b: Term) -> Term:
    if a.op is Op.VALUE:
        a, b = b, a
    if b.op is Op.VALUE and a.op is Op.ITE and _leaf_count(a) <= _LEAVES:
        return _map_leaves(a, lambda leaf: t.eq(leaf, b))
    if b.op is Op.VALUE and a.op is Op.ZERO_EXTEND:
        inner = a.args[0]
        if b.value >> inner.sort.width:
            return FALSE
        return equal(inner, t.bv(b.value, inner.sort.width))
    return t.eq(a, b)


def choice(condition: Term, then: Term, other: Term) -> Term:
    if condition.op is Op.NOT:
        condition, then, other = condition.args[0], other, then
    if then.sort is BOOL:
        if then is TRUE:
            return t.disj(condition, other)
        if then is FALSE:
            return t.conj(t.neg(condition), other)
        if other is TRUE:
            return t.disj(t.neg(condition), then)
        if other is FALSE:
            return t.conj(condition, then)
    if then.op is Op.ITE and then.args[0] is condition:
        then = then.args[1]
    if other.op is Op.ITE and other.args[0] is condition:
        other = other.args[2]
    return t.ite(condition, then, other)


_READ: dict[Term, dict[Term, Term]] = {}
"""By constant index: what was read there from which array. Most of an array is as it was at the read before."""


_CASES: dict[Term, list[tuple[Term, Term]] | None] = {}


def forget_reads() -> None:
    """They keep terms alive that nobody needs once a program is unfolded."""
    _READ.clear()
    _CASES.clear()


def element(array: Term, index: Term) -> Term:
    """A read that passes over writes that are to other elements."""
    if index.op is Op.VALUE:
        return _constant_element(array, index, _READ.setdefault(index, {}))
    chosen = cases(index) if index.op is Op.ITE else None
    if chosen is not None:
        return one_of([(when, element(array, constant)) for when, constant in chosen])
    return _element(array, index, {}, _DEPTH)


def _constant_element(array: Term, index: Term, made: dict[Term, Term]) -> Term:
    stack = [array]
    while stack:
        node = stack[-1]
        if node in made:
            stack.pop()
            continue
        below: tuple[Term, ...] = ()
        if node.op is Op.ITE:
            below = node.args[1:]
        elif node.op is Op.STORE and node.args[1] is not index and _differ(node.args[1], index):
            below = node.args[:1]
        waiting = [one for one in below if one not in made]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        match [made[one] for one in below]:
            case [then, other]:
                made[node] = choice(node.args[0], then, other)
            case [passed]:
                made[node] = passed
            case _:
                made[node] = t.select(node, index)
    return made[array]


def _element(array: Term, index: Term, memo: dict[Term, Term], depth: int) -> Term:
    start = array
    if start in memo:
        return memo[start]
    while array.op is Op.STORE and array.args[1] is not index and _differ(array.args[1], index):
        array = array.args[0]
    if array.op is Op.ITE and depth:
        then, other = (_element(one, index, memo, depth - 1) for one in array.args[1:])
        memo[start] = choice(array.args[0], then, other)
    else:
        memo[start] = t.select(array, index)
    return memo[start]


def _differ(one: Term, other: Term) -> bool:
    """Whether two terms are never equal, as far as constants tell."""
    if one.op is Op.VALUE and other.op is Op.VALUE:
        return one is not other
    mine, its = _leaves(one), _leaves(other)
    return mine is not None and its is not None and mine.isdisjoint(its)


def stored(array: Term, index: Term, value: Term) -> Term:
    """A write to one of few elements is a write to each of them: what is read later passes over all others."""
    chosen = cases(index) if index.op is Op.ITE else None
    if chosen is not None:
        for when, constant in chosen:
            array = stored(array, constant, choice(when, value, element(array, constant)))
        return array
    if array.op is Op.STORE and array.args[1] is index:
        array = array.args[0]
    return t.store(array, index, value)


# --- ites of constants ----------------------------------------------------------------------------------------------

_MOVED = frozenset(
    (
        *(Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR),
        *(Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE, Op.EXTRACT, Op.ZERO_EXTEND, Op.SIGN_EXTEND, Op.BV_NOT),
        *(Op.BV_UDIV, Op.BV_UREM, Op.BV_SDIV, Op.BV_SREM, Op.LE, Op.LT, Op.ADD, Op.SUB),
    )
)


def _move_in(node: Term, args: tuple[Term, ...]) -> Term | None:
    """An operator over one ite of constants, its other arguments being constants, as an ite of constants."""
    if node.op not in _MOVED and node.op not in FLOATING:
        return None
    open_args = [number for number, arg in enumerate(args) if arg.op is not Op.VALUE]
    if len(open_args) != 1:
        return None
    number = open_args[0]
    if args[number].op is not Op.ITE:
        return None
    if _leaf_count(args[number]) > _LEAVES:
        chosen = cases(args[number])
        if chosen is None:
            return None
        return one_of([(when, simplified(node, (*args[:number], leaf, *args[number + 1 :]))) for when, leaf in chosen])
    return _map_leaves(args[number], lambda leaf: simplified(node, (*args[:number], leaf, *args[number + 1 :])))


def cases(term: Term) -> list[tuple[Term, Term]] | None:
    """The constants that an ite of constants chooses from, each with the condition under which; None for other terms.

    (ite c 1 (ite d 2 1))          [((or c (not d)), 1), ((and (not c) d), 2)]
    """
    if term not in _CASES:
        _CASES[term] = _cases(term)
    return _CASES[term]


def _cases(term: Term) -> list[tuple[Term, Term]] | None:
    found: dict[Term, Term] = {}
    stack, visits = [(term, t.TRUE)], 0
    while stack:
        node, condition = stack.pop()
        visits += 1
        if node.op is Op.ITE and visits <= _VISITS:
            stack.append((node.args[2], t.conj(condition, t.neg(node.args[0]))))
            stack.append((node.args[1], t.conj(condition, node.args[0])))
        elif node.op is Op.VALUE and (node in found or len(found) < _LEAVES):
            found[node] = t.disj(found.get(node, FALSE), condition)
        else:
            return None
    return [(condition, value) for value, condition in found.items()]


def one_of(chosen: Sequence[tuple[Term, Term]]) -> Term:
    """The value whose condition holds; each constant only once."""
    value = chosen[-1][1]
    for when, other in reversed(chosen[:-1]):
        value = choice(when, other, value)
    known = cases(value) if _leaf_count(value) > len(chosen) else None
    return value if known is None else one_of(known)


def _leaf_count(term: Term) -> int:
    """How many constants an ite of constants has; too many, if it is none."""
    count, stack = 0, [term]
    while stack and count <= _LEAVES:
        node = stack.pop()
        if node.op is Op.ITE:
            stack.extend(node.args[1:])
        elif node.op is Op.VALUE:
            count += 1
        else:
            return _LEAVES + 1
    return count


def _leaves(term: Term) -> set[Term] | None:
    """The constants of an ite of constants; None if it is none, or large."""
    found, stack, visits = set(), [term], 0
    while stack:
        node = stack.pop()
        visits += 1
        if node.op is Op.ITE and visits <= _VISITS:
            stack.extend(node.args[1:])
        elif node.op is Op.VALUE:
            found.add(node)
        else:
            return None
    return found


def _map_leaves(term: Term, build: Callable[[Term], Term]) -> Term:
    """As deep as `_leaf_count` allows."""
    if term.op is Op.ITE:
        return choice(term.args[0], _map_leaves(term.args[1], build), _map_leaves(term.args[2], build))
    return build(term)


_OWN: dict[Op, Callable[..., Term]] = {
    Op.EQ: equal,
    Op.ITE: choice,
    Op.SELECT: element,
    Op.STORE: stored,
    Op.NOT: negated,
}
