"""Terms with known parts made smaller: constants folded, and what an ``ite`` of constants decides.

    (bvadd #x02 #x03)                       #x05
    (= (ite c #x01 #x02) #x01)              c
    (select (store a #x01 v) #x02)          (select a #x02)

An unfolded thread is full of such terms: loop counters, addresses, flags. What is decided here is never encoded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Op, Term, signed
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
    match node.op:
        case Op.EQ:
            return equal(args[0], args[1])
        case Op.ITE:
            return choice(*args)
        case Op.SELECT:
            return element(*args)
        case Op.STORE:
            return stored(*args)
        case Op.NOT:
            return negated(args[0])
    if node.op in _FOLDED and all(a.op is Op.VALUE for a in args):
        return _fold(node, args)
    if node.op in _NEUTRAL and len(args) == 2:
        known = _neutral(node.op, *args)
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


def element(array: Term, index: Term) -> Term:
    """A read that passes over writes at other constants."""
    return _element(array, index, {}, _DEPTH)


def _element(array: Term, index: Term, memo: dict[Term, Term], depth: int) -> Term:
    start = array
    if start in memo:
        return memo[start]
    while array.op is Op.STORE and array.args[1].op is Op.VALUE and index.op is Op.VALUE:
        if array.args[1] is index:
            break
        array = array.args[0]
    if array.op is Op.ITE and index.op is Op.VALUE and depth:
        then, other = (_element(one, index, memo, depth - 1) for one in array.args[1:])
        memo[start] = choice(array.args[0], then, other)
    else:
        memo[start] = t.select(array, index)
    return memo[start]


def stored(array: Term, index: Term, value: Term) -> Term:
    if array.op is Op.STORE and array.args[1] is index:
        array = array.args[0]
    return t.store(array, index, value)


# --- constants ------------------------------------------------------------------------------------------------------


def _fold(node: Term, args: tuple[Term, ...]) -> Term:
    width = args[0].sort.width
    result = _FOLDED[node.op](width, *(a.value for a in args))
    return t.boolean(bool(result)) if node.sort is BOOL else t.bv(result, node.sort.width)


def _divided(width: int, a: int, b: int) -> int:
    return (1 << width) - 1 if b == 0 else a // b


def _remainder(width: int, a: int, b: int) -> int:
    return a if b == 0 else a % b


def _signed_divided(width: int, a: int, b: int) -> int:
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return 1 if x < 0 else -1
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _signed_remainder(width: int, a: int, b: int) -> int:
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return a
    return abs(x) % abs(y) if x >= 0 else -(abs(x) % abs(y))


def _shifted_right(width: int, a: int, b: int) -> int:
    return signed(a, width) >> min(b, width)


_FOLDED: dict[Op, Callable[..., int]] = {
    Op.BV_NOT: lambda w, a: ~a,
    Op.BV_NEG: lambda w, a: -a,
    Op.BV_AND: lambda w, a, b: a & b,
    Op.BV_OR: lambda w, a, b: a | b,
    Op.BV_XOR: lambda w, a, b: a ^ b,
    Op.BV_ADD: lambda w, a, b: a + b,
    Op.BV_SUB: lambda w, a, b: a - b,
    Op.BV_MUL: lambda w, a, b: a * b,
    Op.BV_UDIV: _divided,
    Op.BV_UREM: _remainder,
    Op.BV_SDIV: _signed_divided,
    Op.BV_SREM: _signed_remainder,
    Op.BV_SHL: lambda w, a, b: a << b if b < w else 0,
    Op.BV_LSHR: lambda w, a, b: a >> b,
    Op.BV_ASHR: _shifted_right,
    Op.BV_ULT: lambda w, a, b: a < b,
    Op.BV_ULE: lambda w, a, b: a <= b,
    Op.BV_SLT: lambda w, a, b: signed(a, w) < signed(b, w),
    Op.BV_SLE: lambda w, a, b: signed(a, w) <= signed(b, w),
}
_NEUTRAL = frozenset(
    (Op.BV_ADD, Op.BV_SUB, Op.BV_OR, Op.BV_XOR, Op.BV_AND, Op.BV_MUL, Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR)
)
_COMMUTE = frozenset((Op.BV_ADD, Op.BV_OR, Op.BV_XOR, Op.BV_AND, Op.BV_MUL))


def _neutral(op: Op, a: Term, b: Term) -> Term | None:
    """What zero, one or all ones leaves of the other argument."""
    if a.op is Op.VALUE and op in _COMMUTE:
        a, b = b, a
    if b.op is not Op.VALUE:
        return None
    if op is Op.BV_ADD and a.op is Op.BV_ADD and a.args[1].op is Op.VALUE:  # offsets of addresses
        return _sum(a.args[0], a.args[1].value + b.value)
    if b.value == 0:
        return b if op in (Op.BV_AND, Op.BV_MUL) else a
    if op is Op.BV_MUL and b.value == 1:
        return a
    if op is Op.BV_AND and b.value == (1 << b.sort.width) - 1:
        return a
    return t.bv_binary(op, a, b) if op in _COMMUTE and a.op is not Op.ITE else None


def _sum(a: Term, offset: int) -> Term:
    constant = t.bv(offset, a.sort.width)
    return a if constant.value == 0 else t.bv_binary(Op.BV_ADD, a, constant)


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
    if node.op not in _MOVED:
        return None
    open_args = [number for number, arg in enumerate(args) if arg.op is not Op.VALUE]
    if len(open_args) != 1:
        return None
    number = open_args[0]
    if args[number].op is not Op.ITE or _leaf_count(args[number]) > _LEAVES:
        return None
    return _map_leaves(args[number], lambda leaf: simplified(node, (*args[:number], leaf, *args[number + 1 :])))


def cases(term: Term) -> list[tuple[Term, Term]] | None:
    """The constants that an ite of constants chooses from, each with the condition under which; None for other terms.

    (ite c 1 (ite d 2 1))          [((or c (not d)), 1), ((and (not c) d), 2)]
    """
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


def _map_leaves(term: Term, build: Callable[[Term], Term]) -> Term:
    """As deep as `_leaf_count` allows."""
    if term.op is Op.ITE:
        return choice(term.args[0], _map_leaves(term.args[1], build), _map_leaves(term.args[2], build))
    return build(term)
