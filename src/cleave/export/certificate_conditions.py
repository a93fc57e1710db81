"""Loop invariants in the sorts of the program as it was read: what a proof over integers says of bit vectors.

    i <= n + 1, over Int            (bvsle (sign_extend i) (bvadd (sign_extend n) 1)), in as many bits as it takes

Sums, differences and products are computed in so many bits that nothing wraps around; so the condition means the same.
What can't be said so is left out: every user of the conditions proves them again.
"""

from __future__ import annotations

from collections.abc import Mapping

from cleave.logic import terms as t
from cleave.logic.smtlib import print_term
from cleave.logic.sorts import INT, bitvec
from cleave.logic.terms import Op, Term, var
from cleave.logic.walk import free_variables
from cleave.verdict import Invariant
from cleave_check.program import Program

_MOST_BITS = 512


class _UnsayableError(Exception):
    pass


def condition_texts(one: Invariant, program: Program) -> list[str]:
    """The conditions that can be said, as text."""
    procedure = program.procedures[one.procedure]
    own = (*program.globals, *program.constants, *procedure.parameters, *procedure.returns, *procedure.locals)
    widths = {str(v.data): int(v.sort[1]) for v in own if v.sort[0] == "BitVec"}
    found: list[str] = []
    for condition in one.conditions:
        try:
            found.append(print_term(_translated(condition, widths, one.signed)))
        except _UnsayableError:
            continue
    return found


def _translated(condition: Term, widths: Mapping[str, int], signed: Mapping[str, bool]) -> Term:
    if not any(v.sort is INT and v.name in widths for v in free_variables(condition)):
        return condition
    return _formula(condition, widths, signed)


def _formula(term: Term, widths: Mapping[str, int], signed: Mapping[str, bool]) -> Term:
    match term.op:
        case Op.AND:
            return t.conj_all([_formula(a, widths, signed) for a in term.args])
        case Op.OR:
            return t.disj_all([_formula(a, widths, signed) for a in term.args])
        case Op.NOT:
            return t.neg(_formula(term.args[0], widths, signed))
        case Op.IMPLIES:
            return t.implies(_formula(term.args[0], widths, signed), _formula(term.args[1], widths, signed))
        case Op.LE | Op.LT | Op.EQ if term.args[0].sort is INT:
            a, b = (_number(a, widths, signed) for a in term.args)
            width = max(a.sort.width, b.sort.width)
            a, b = _extended(a, width), _extended(b, width)
            if term.op is Op.EQ:
                return t.eq(a, b)
            return t.bv_compare(Op.BV_SLE if term.op is Op.LE else Op.BV_SLT, a, b)
        case Op.EQ if term.args[0].sort.is_bool:
            return t.eq(_formula(term.args[0], widths, signed), _formula(term.args[1], widths, signed))
        case Op.VALUE:
            return term
        case Op.VAR if term.sort.is_bool:
            return term
    raise _UnsayableError


def _number(term: Term, widths: Mapping[str, int], signed: Mapping[str, bool]) -> Term:
    """A bit vector whose value as a signed number is the term's."""
    match term.op:
        case Op.VALUE:
            width = term.value.bit_length() + 1
            return t.bv(term.value % (1 << width), width)
        case Op.VAR if term.name in widths:
            own = var(term.name, bitvec(widths[term.name]))
            return own if signed.get(term.name, True) else t.zero_extend(own, 1)
        case Op.ADD | Op.SUB:
            parts = [_number(a, widths, signed) for a in term.args]
            width = _limited(max(p.sort.width for p in parts) + len(parts) - 1)
            op = Op.BV_ADD if term.op is Op.ADD else Op.BV_SUB
            return t.bv_binary(op, _extended(parts[0], width), _extended(parts[1], width))
        case Op.NEG:
            part = _number(term.args[0], widths, signed)
            return t.bv_unary(Op.BV_NEG, _extended(part, _limited(part.sort.width + 1)))
        case Op.MUL:
            parts = [_number(a, widths, signed) for a in term.args]
            width = _limited(sum(p.sort.width for p in parts))
            return t.bv_binary(Op.BV_MUL, _extended(parts[0], width), _extended(parts[1], width))
    raise _UnsayableError


def _extended(term: Term, width: int) -> Term:
    return t.sign_extend(term, width - term.sort.width) if width > term.sort.width else term


def _limited(width: int) -> int:
    if width > _MOST_BITS:
        raise _UnsayableError
    return width
