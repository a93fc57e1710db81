"""Sequences of interpolants by Bitwuzla: bit vectors and Booleans, arrays as far as Bitwuzla goes.

    interpolants([x1 = 0, x2 = x1 + 1, x2 > 5])     one formula after the first and one after the second part, such as
                                                    x1 < 4 and x2 < 5, as Cleave's own terms

The first follows from the first part, each from the one before and the part in between; the last one excludes the last
part. They are mostly about single bits. The same formulas give the same interpolants in any process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import bitwuzla
from bitwuzla import Kind, Option, Result

from cleave.errors import UnsupportedError
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, Sort, array, bitvec
from cleave.logic.terms import FALSE, TRUE, Op, Term
from cleave.logic.walk import free_variables
from cleave.records import dataclass
from cleave.smt.bitwuzla.managers import new_manager
from cleave.smt.bitwuzla.terms import Translator


@dataclass(frozen=True, slots=True)
class Interpolation:
    """``interpolants`` are None if the formulas don't exclude each other, or if nobody knows within the limit."""

    interpolants: tuple[Term, ...] | None
    cost: int


class _Limit:
    """Bitwuzla asks now and then whether to stop."""

    def __init__(self, most: int) -> None:
        self.questions = 0
        self._most = most

    def __call__(self) -> bool:
        self.questions += 1
        return self.questions >= self._most


def interpolants(formulas: Sequence[Term], *, cost_limit: int) -> Interpolation:
    """One less than there are ``formulas``. `UnsupportedError` for what Bitwuzla or Cleave has no word for."""
    limit = _Limit(cost_limit)
    manager = new_manager()
    try:
        return Interpolation(_compute(manager, formulas, limit), limit.questions)
    except bitwuzla.BitwuzlaException as error:
        raise UnsupportedError(f"Bitwuzla: {error}") from None


def _compute(manager: Any, formulas: Sequence[Term], limit: _Limit) -> tuple[Term, ...] | None:
    options = bitwuzla.Options()
    options.set(Option.PRODUCE_INTERPOLANTS, True)
    solver = bitwuzla.Bitwuzla(manager, options)
    solver.configure_terminator(limit)
    translator = Translator(manager)
    known: dict[Any, Term] = {}
    asserted: dict[Any, None] = {}
    groups: list[list[Any]] = []
    for formula in formulas:
        for variable in sorted(free_variables(formula), key=lambda v: v.name):
            known[translator.term(variable)] = variable
        native = translator.term(formula)
        groups.append([] if native in asserted or formula is TRUE else [native])
        asserted.update(dict.fromkeys(groups[-1]))
    for native in asserted:
        solver.assert_formula(native)
    if solver.check_sat() != Result.UNSAT:
        return None
    return _in_place(solver, groups, known)


def _in_place(solver: Any, groups: Sequence[list[Any]], known: dict[Any, Term]) -> tuple[Term, ...]:
    """Bitwuzla wants parts that say something, and some behind the last cut."""
    last = max((place for place, group in enumerate(groups) if group), default=0)
    wanted = [group for group in groups[:last] if group]
    found = iter(solver.get_interpolants(wanted) if wanted else ())
    sequence: list[Term] = []
    for place, group in enumerate(groups[:-1]):
        if place >= last:
            sequence.append(FALSE)
        elif group:
            sequence.append(read(next(found), known))
        else:
            sequence.append(sequence[-1] if sequence else TRUE)
    return tuple(sequence)


# --- from Bitwuzla's terms ------------------------------------------------------------------------------------------


def read(root: Any, known: Mapping[Any, Term]) -> Term:
    """A native term as Cleave's; ``known`` has the constants. Nothing recurses."""
    results: dict[Any, Term] = dict(known)
    stack = [root]
    while stack:
        node = stack[-1]
        if node in results:
            stack.pop()
            continue
        children = list(node.children())
        waiting = [child for child in children if child not in results]
        if waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        results[node] = _made(node, [results[child] for child in children])
    return results[root]


def _made(node: Any, args: list[Term]) -> Term:
    kind = node.kind()
    if kind == Kind.VALUE:
        return _value(node)
    build = _BUILDERS.get(kind)
    if build is not None:
        return build(args)
    indices = list(node.indices())
    if kind == Kind.BV_EXTRACT:
        return t.extract(args[0], *indices)
    if kind == Kind.BV_ZERO_EXTEND:
        return t.zero_extend(args[0], *indices)
    if kind == Kind.BV_SIGN_EXTEND:
        return t.sign_extend(args[0], *indices)
    if kind == Kind.CONST_ARRAY:
        return t.const_array(_sort(node.sort()).index, args[0])
    raise UnsupportedError(f"Bitwuzla's {kind} in an interpolant")


def _value(node: Any) -> Term:
    if node.sort().is_bool():
        return t.boolean(node.is_true())
    return t.bv(int(node.value(16), 16), node.sort().bv_size())


def _sort(native: Any) -> Sort:
    if native.is_array():
        return array(_sort(native.array_index()), _sort(native.array_element()))
    return BOOL if native.is_bool() else bitvec(native.bv_size())


_Build = Callable[[list[Term]], Term]


def _left(op: Op) -> _Build:
    return lambda args: reduce(lambda a, b: t.bv_binary(op, a, b), args)


def _negated(build: _Build) -> _Build:
    return lambda args: t.bv_unary(Op.BV_NOT, build(args))


def _compared(op: Op, is_swapped: bool = False) -> _Build:
    return lambda args: t.bv_compare(op, *(reversed(args) if is_swapped else args))


def _equal(args: list[Term]) -> Term:
    return t.conj_all(t.eq(args[0], other) for other in args[1:])


def _bit(formula: Term) -> Term:
    return t.ite(formula, t.bv(1, 1), t.bv(0, 1))


_BUILDERS: dict[Any, _Build] = {
    Kind.NOT: lambda args: t.neg(args[0]),
    Kind.AND: t.conj_all,
    Kind.OR: t.disj_all,
    Kind.XOR: lambda args: reduce(lambda a, b: t.neg(t.eq(a, b)), args),
    Kind.IFF: _equal,
    Kind.IMPLIES: lambda args: t.implies(*args),
    Kind.ITE: lambda args: t.ite(*args),
    Kind.EQUAL: _equal,
    Kind.DISTINCT: lambda args: t.distinct(*args),
    Kind.ARRAY_SELECT: lambda args: t.select(*args),
    Kind.ARRAY_STORE: lambda args: t.store(*args),
    Kind.BV_CONCAT: lambda args: reduce(t.concat, args),
    Kind.BV_NOT: lambda args: t.bv_unary(Op.BV_NOT, args[0]),
    Kind.BV_NEG: lambda args: t.bv_unary(Op.BV_NEG, args[0]),
    Kind.BV_INC: lambda args: t.bv_binary(Op.BV_ADD, args[0], t.bv(1, args[0].sort.width)),
    Kind.BV_DEC: lambda args: t.bv_binary(Op.BV_SUB, args[0], t.bv(1, args[0].sort.width)),
    Kind.BV_COMP: lambda args: _bit(t.eq(*args)),
    Kind.BV_REDOR: lambda args: _bit(t.neg(t.eq(args[0], t.bv(0, args[0].sort.width)))),
    Kind.BV_REDAND: lambda args: _bit(t.eq(args[0], t.bv(-1, args[0].sort.width))),
    Kind.BV_NAND: _negated(_left(Op.BV_AND)),
    Kind.BV_NOR: _negated(_left(Op.BV_OR)),
    Kind.BV_XNOR: _negated(_left(Op.BV_XOR)),
    Kind.BV_ULT: _compared(Op.BV_ULT),
    Kind.BV_ULE: _compared(Op.BV_ULE),
    Kind.BV_UGT: _compared(Op.BV_ULT, is_swapped=True),
    Kind.BV_UGE: _compared(Op.BV_ULE, is_swapped=True),
    Kind.BV_SLT: _compared(Op.BV_SLT),
    Kind.BV_SLE: _compared(Op.BV_SLE),
    Kind.BV_SGT: _compared(Op.BV_SLT, is_swapped=True),
    Kind.BV_SGE: _compared(Op.BV_SLE, is_swapped=True),
    Kind.BV_AND: _left(Op.BV_AND),
    Kind.BV_OR: _left(Op.BV_OR),
    Kind.BV_XOR: _left(Op.BV_XOR),
    Kind.BV_ADD: _left(Op.BV_ADD),
    Kind.BV_SUB: _left(Op.BV_SUB),
    Kind.BV_MUL: _left(Op.BV_MUL),
    Kind.BV_UDIV: _left(Op.BV_UDIV),
    Kind.BV_UREM: _left(Op.BV_UREM),
    Kind.BV_SDIV: _left(Op.BV_SDIV),
    Kind.BV_SREM: _left(Op.BV_SREM),
    Kind.BV_SMOD: _left(Op.BV_SMOD),
    Kind.BV_SHL: _left(Op.BV_SHL),
    Kind.BV_SHR: _left(Op.BV_LSHR),
    Kind.BV_ASHR: _left(Op.BV_ASHR),
}
