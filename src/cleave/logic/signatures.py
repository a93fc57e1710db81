"""Which arguments each operator takes, for terms that come from outside and not from the constructors.

>>> from cleave.logic.terms import TRUE, integer
>>> fits(Op.NOT, (TRUE,), BOOL, None), fits(Op.NOT, (integer(1),), BOOL, None)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from cleave.logic.floats.operations import FLOATING, is_well_sorted
from cleave.logic.sorts import BOOL, INT, REAL, Sort, SortKind
from cleave.logic.terms import Binder, Function, Op, Term

_Check = Callable[[Sequence[Sort], Sort], bool]


def fits(op: Op, args: Sequence[Term], sort: Sort, value: Any) -> bool:
    """Whether a term of these parts is well-sorted, with a value of the right type."""
    if op in FLOATING:
        return is_well_sorted(op, [a.sort for a in args], sort, value)
    check = _CHECKS.get(op)
    if check is not None:
        return value is None and check([a.sort for a in args], sort)
    with_value = _CHECKS_WITH_VALUE[op]
    return with_value(args, sort, value)


def _numbers(count: int) -> _Check:
    return lambda args, sort: (sort is INT or sort is REAL) and list(args) == [sort] * count


def _exactly(*signature: Sort) -> _Check:
    return lambda args, sort: (*args, sort) == signature


def _several_booleans(args: Sequence[Sort], sort: Sort) -> bool:
    return len(args) > 1 and {*args, sort} == {BOOL}


def _alike(args: Sequence[Sort], sort: Sort) -> bool:
    return sort is BOOL and len(args) > 1 and len(set(args)) == 1


def _compared_numbers(args: Sequence[Sort], sort: Sort) -> bool:
    return sort is BOOL and len(args) == 2 and args[0] is args[1] and args[0] in (INT, REAL)


def _bitvectors(count: int) -> _Check:
    return lambda args, sort: sort.is_bitvec and list(args) == [sort] * count


def _compared_bitvectors(args: Sequence[Sort], sort: Sort) -> bool:
    return sort is BOOL and len(args) == 2 and args[0] is args[1] and args[0].is_bitvec


def _concat(args: Sequence[Sort], sort: Sort) -> bool:
    both = len(args) == 2 and all(a.is_bitvec for a in args)
    return both and sort.is_bitvec and sort.width == args[0].width + args[1].width


_CHECKS: dict[Op, _Check] = {
    Op.NOT: _exactly(BOOL, BOOL),
    Op.AND: _several_booleans,
    Op.OR: _several_booleans,
    Op.IMPLIES: _exactly(BOOL, BOOL, BOOL),
    Op.ITE: lambda args, sort: list(args) == [BOOL, sort, sort],
    Op.EQ: lambda args, sort: len(args) == 2 and _alike(args, sort),
    Op.DISTINCT: _alike,
    Op.ADD: _numbers(2),
    Op.SUB: _numbers(2),
    Op.MUL: _numbers(2),
    Op.NEG: _numbers(1),
    Op.DIV: _exactly(INT, INT, INT),
    Op.MOD: _exactly(INT, INT, INT),
    Op.REAL_DIV: _exactly(REAL, REAL, REAL),
    Op.LE: _compared_numbers,
    Op.LT: _compared_numbers,
    Op.TO_REAL: _exactly(INT, REAL),
    Op.TO_INT: _exactly(REAL, INT),
    Op.SELECT: lambda args, sort: (
        len(args) == 2 and args[0].is_array and [args[0].index, sort] == [args[1], args[0].element]
    ),
    Op.STORE: lambda args, sort: sort.is_array and list(args) == [sort, sort.index, sort.element],
    Op.CONST_ARRAY: lambda args, sort: sort.is_array and list(args) == [sort.element],
    Op.CONCAT: _concat,
    Op.BV_TO_INT: lambda args, sort: sort is INT and len(args) == 1 and args[0].is_bitvec,
    Op.INT_TO_BV: lambda args, sort: sort.is_bitvec and list(args) == [INT],
    **dict.fromkeys((Op.BV_NOT, Op.BV_NEG), _bitvectors(1)),
    **dict.fromkeys((Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE), _compared_bitvectors),
    **dict.fromkeys((Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_ADD, Op.BV_SUB, Op.BV_MUL), _bitvectors(2)),
    **dict.fromkeys((Op.BV_UDIV, Op.BV_UREM, Op.BV_SDIV, Op.BV_SREM, Op.BV_SMOD), _bitvectors(2)),
    **dict.fromkeys((Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR), _bitvectors(2)),
}


def _variable(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    return not args and isinstance(value, str)


def _value(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    if args:
        return False
    match sort.kind:
        case SortKind.BOOL:
            return isinstance(value, bool)
        case SortKind.INT:
            return type(value) is int
        case SortKind.REAL:
            return isinstance(value, Fraction)
        case SortKind.BITVEC:
            return type(value) is int and value >= 0 and value.bit_length() <= sort.width
        case _:
            return False


def _application(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    known = isinstance(value, Function)
    return known and tuple(a.sort for a in args) == value.arguments and sort is value.result


def _quantifier(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    if not isinstance(value, Binder) or not args or args[0].sort is not BOOL or sort is not BOOL:
        return False
    bound = bool(value.variables) and all(v.op is Op.VAR for v in value.variables)
    return bound and all(size > 0 for size in value.trigger_sizes) and len(args) == 1 + sum(value.trigger_sizes)


def _extract(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    if not isinstance(value, tuple) or len(value) != 2 or len(args) != 1:
        return False
    high, low = value
    inside = args[0].sort.is_bitvec and 0 <= low <= high < args[0].sort.width
    return inside and sort.is_bitvec and sort.width == high - low + 1


def _extend(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    one = type(value) is int and value > 0 and len(args) == 1 and args[0].sort.is_bitvec
    return one and sort.is_bitvec and sort.width == args[0].sort.width + value


def _construct(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    known = type(value) is int and 0 <= value < len(sort.constructors)
    return known and tuple(a.sort for a in args) == sort.constructors[value].fields


def _field(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    if not isinstance(value, tuple) or len(value) != 2 or len(args) != 1:
        return False
    number, place = value
    if not 0 <= number < len(args[0].sort.constructors):
        return False
    fields = args[0].sort.constructors[number].fields
    return 0 <= place < len(fields) and fields[place] is sort


def _test(args: Sequence[Term], sort: Sort, value: Any) -> bool:
    return len(args) == 1 and sort is BOOL and type(value) is int and 0 <= value < len(args[0].sort.constructors)


_CHECKS_WITH_VALUE: dict[Op, Callable[[Sequence[Term], Sort, Any], bool]] = {
    Op.VAR: _variable,
    Op.VALUE: _value,
    Op.APPLY: _application,
    Op.FORALL: _quantifier,
    Op.EXISTS: _quantifier,
    Op.EXTRACT: _extract,
    Op.ZERO_EXTEND: _extend,
    Op.SIGN_EXTEND: _extend,
    Op.CONSTRUCT: _construct,
    Op.FIELD: _field,
    Op.TEST: _test,
}
