"""Walking terms: bottom-up, each shared node once, without recursion, so that depth never matters.

>>> from cleave.logic.terms import INT, integer, lt, var
>>> x, y = var("x", INT), var("y", INT)
>>> substitute(lt(x, y), {x: integer(3)})
(< 3 y)
>>> sorted(v.name for v in free_variables(lt(x, y)))
['x', 'y']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from cleave.logic import datatypes
from cleave.logic import terms as t
from cleave.logic.floats.operations import FLOATING, floating
from cleave.logic.terms import Binder, Op, Term


def postorder(roots: Iterable[Term], done: set[Term] | None = None) -> Iterator[Term]:
    """Every node below ``roots``, arguments before the terms that use them, each once.

    Nodes in ``done`` are neither visited nor entered; visited nodes are added to it.
    """
    seen = set() if done is None else done
    stack = list(roots)
    stack.reverse()
    while stack:
        node = stack[-1]
        if node in seen:
            stack.pop()
            continue
        waiting = [a for a in node.args if a not in seen]
        if waiting:
            stack.extend(reversed(waiting))
        else:
            stack.pop()
            seen.add(node)
            yield node


R = TypeVar("R")


def fold(root: Term, combine: Callable[[Term, list[R]], R], memo: dict[Term, R] | None = None) -> R:
    """``combine(node, results of its arguments)`` for every node, bottom-up; the result at the root."""
    results: dict[Term, R] = {} if memo is None else memo
    for node in postorder((root,), done=set(results)):
        results[node] = combine(node, [results[a] for a in node.args])
    return results[root]


def substitute(root: Term, replacements: Mapping[Term, Term], memo: dict[Term, Term] | None = None) -> Term:
    """``root`` with variables (or whole subterms) replaced, all at once.

    Bound variables have names of their own (the front ends see to that), so nothing is captured. A ``memo`` may be
    kept between calls with the same replacements.
    """
    results: dict[Term, Term] = {} if memo is None else memo
    try:
        return _substitute_shallow(root, replacements, results, _SHALLOW)
    except _TooDeepError:
        pass

    def combine(node: Term, args: list[Term]) -> Term:
        found = replacements.get(node)
        if found is not None:
            return found
        return rebuild(node, tuple(args))

    return fold(root, combine, results)


_SHALLOW = 60
"""Up to this depth recursion is used, which is several times faster; deeper terms take the general way."""


class _TooDeepError(Exception):
    pass


def _substitute_shallow(node: Term, replacements: Mapping[Term, Term], memo: dict[Term, Term], depth: int) -> Term:
    found = replacements.get(node)
    if found is not None:
        return found
    args = node.args
    if not args:
        return node
    found = memo.get(node)
    if found is not None:
        return found
    if not depth:
        raise _TooDeepError
    made_args = [
        _substitute_shallow(a, replacements, memo, depth - 1) if a.args else replacements.get(a, a) for a in args
    ]
    made = memo[node] = rebuild(node, tuple(made_args))
    return made


def free_variables(*roots: Term) -> frozenset[Term]:
    """The variables of ``roots`` that no quantifier binds (bound variables have names of their own)."""
    if len(roots) == 1:
        known = roots[0].free
        return known if known is not None else _collect_free(roots[0])
    found: set[Term] = set()
    for root in roots:
        if root.op is Op.VAR:
            found.add(root)
        else:
            known = root.free
            found |= known if known is not None else _collect_free(root)
    return frozenset(found)


def _collect_free(root: Term) -> frozenset[Term]:
    """Remembered at the root only: at every node, a deep term would need quadratic memory."""
    if root.op is Op.VAR:
        return frozenset((root,))
    found: set[Term] = set()
    bound: set[Term] = set()
    seen: set[Term] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.op is Op.VAR:
            found.add(node)
        elif node.free is not None:
            found |= node.free
        elif node.args and node not in seen:
            seen.add(node)
            if node.op is Op.FORALL or node.op is Op.EXISTS:
                bound.update(node.value.variables)
            stack.extend(node.args)
    root.free = frozenset(found - bound)
    return root.free


def functions(*roots: Term) -> dict[t.Function, None]:
    """The uninterpreted functions applied in ``roots``, in the order of first use."""
    return {node.value: None for node in postorder(roots) if node.op is Op.APPLY}


def has_quantifier(root: Term) -> bool:
    """Remembered at every node: formulas about a long execution have each other's terms inside."""
    if root.quantified is None:
        stack = [root]
        while stack:
            node = stack[-1]
            waiting = [arg for arg in node.args if arg.quantified is None]
            stack += waiting
            if not waiting:
                stack.pop()
                quantifier = node.op is Op.FORALL or node.op is Op.EXISTS
                node.quantified = quantifier or any(arg.quantified for arg in node.args)
    return bool(root.quantified)


def rebuild(node: Term, args: tuple[Term, ...]) -> Term:
    """``node`` with other arguments, through the simplifying constructor of its operator."""
    if args == node.args:
        return node
    build = _BUILDERS.get(node.op)
    if build is not None:
        return build(*args)
    match node.op:
        case Op.APPLY:
            return t.apply(node.value, *args)
        case Op.FORALL | Op.EXISTS:
            return _rebuild_quantifier(node, args)
        case Op.EXTRACT:
            return t.extract(args[0], *node.value)
        case Op.ZERO_EXTEND:
            return t.zero_extend(args[0], node.value)
        case Op.SIGN_EXTEND:
            return t.sign_extend(args[0], node.value)
        case Op.CONST_ARRAY:
            return t.const_array(node.sort.index, args[0])
        case Op.INT_TO_BV:
            return t.int_to_bv(args[0], node.sort.width)
        case Op.CONSTRUCT:
            return datatypes.construct(node.sort, node.value, *args)
        case Op.FIELD:
            return datatypes.field(args[0], *node.value)
        case Op.TEST:
            return datatypes.test(args[0], node.value)
        case _ if node.op in FLOATING:
            return floating(node.op, node.value, args, node.sort)
        case _:
            raise AssertionError(f"{node.op} has no arguments to rebuild")


def triggers(quantifier: Term) -> tuple[tuple[Term, ...], ...]:
    """The triggers of a quantifier, each a tuple of terms."""
    binder: Binder = quantifier.value
    found = []
    start = 1
    for size in binder.trigger_sizes:
        found.append(quantifier.args[start : start + size])
        start += size
    return tuple(found)


def _rebuild_quantifier(node: Term, args: tuple[Term, ...]) -> Term:
    if args[0].op is Op.VALUE:
        return args[0]
    return t.make(node.op, args, node.sort, node.value)


_BUILDERS: dict[Op, Callable[..., Term]] = {
    Op.NOT: t.neg,
    Op.AND: t.conj,
    Op.OR: t.disj,
    Op.IMPLIES: t.implies,
    Op.ITE: t.ite,
    Op.EQ: t.eq,
    Op.DISTINCT: t.distinct,
    Op.ADD: t.add,
    Op.SUB: t.sub,
    Op.NEG: t.minus,
    Op.MUL: t.mul,
    Op.DIV: t.div,
    Op.MOD: t.mod,
    Op.REAL_DIV: t.real_div,
    Op.LE: t.le,
    Op.LT: t.lt,
    Op.TO_REAL: t.to_real,
    Op.TO_INT: t.to_int,
    Op.SELECT: t.select,
    Op.STORE: t.store,
    Op.CONCAT: t.concat,
    Op.BV_TO_INT: t.bv_to_int,
    **{op: partial(t.bv_unary, op) for op in (Op.BV_NOT, Op.BV_NEG)},
    **{op: partial(t.bv_compare, op) for op in (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)},
    **{
        op: partial(t.bv_binary, op)
        for op in (
            *(Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR),
            *(Op.BV_UDIV, Op.BV_UREM, Op.BV_SDIV, Op.BV_SREM, Op.BV_SMOD),
        )
    },
}
