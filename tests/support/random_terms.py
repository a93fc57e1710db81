"""Random well-sorted terms of every sort and operator, for the tests of everything that takes terms."""

from __future__ import annotations

import random
from fractions import Fraction

from hypothesis import strategies as st

from cleave.logic import datatypes
from cleave.logic import terms as t
from cleave.logic.floats.formats import Floating, Format, Rounding
from cleave.logic.floats.operations import ARITHMETIC, COMPARISONS, FLOATING
from cleave.logic.sorts import BOOL, INT, REAL, Sort, array, bitvec, uninterpreted
from cleave.logic.terms import Function, Op, Term

BYTE = bitvec(8)
THING = uninterpreted("Thing#'s")
MEMORY = array(INT, array(BYTE, BOOL))
(SHAPE, ROW) = datatypes.declare(
    (
        datatypes.Declaration("Shape", (("dot", ()), ("a box", (("side", INT), ("inside|", 0), ("row", 1))))),
        datatypes.Declaration("Row of", (("no shape", ()), ("more", (("here", 0), ("rest", 1))))),
    )
)
SORTS = (BOOL, INT, REAL, BYTE, THING, MEMORY, array(BYTE, BOOL), SHAPE, ROW)
NAMES = ("x", "a b", "m|n", "Mem_T.x#1", "select", "x'^$", "bvadd", "\\", "set.union", "_1")


class Builder:
    """Random well-sorted terms, made without the constructors' simplifications, sharing parts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made: dict[Sort, list[Term]] = {sort: [self.leaf(sort)] for sort in SORTS}
        self.bound = 0

    def leaf(self, sort: Sort) -> Term:
        pick = self.random
        if pick.random() < 0.6 or sort in (THING, MEMORY, SHAPE, ROW) or sort.is_array:
            return t.var(pick.choice(NAMES), sort)
        number = pick.choice([0, 1, -1, 7, 2**70, -(2**64), pick.randrange(-300, 300)])
        return t.value_of(
            Fraction(number, pick.choice([1, 3])) if sort is REAL else number % 2 if sort is BOOL else number, sort
        )

    def any(self, sort: Sort) -> Term:
        return self.random.choice(self.made[sort]) if self.random.random() < 0.8 else self.leaf(sort)

    def grow(self) -> Term:
        term = self.node(self.random.choice(list(Op)))
        self.made.setdefault(term.sort, []).append(term)
        return term

    def _floating(self, op: Op) -> Term:
        """Numbers of eight bits."""
        mode = Rounding.NEAREST_EVEN if op in COMPARISONS else self.random.choice(list(Rounding))
        to = Format(3, 5) if op is Op.FP_CONVERT else None
        count = 2 if op in COMPARISONS else ARITHMETIC.get(op, 1)
        args = tuple(self.any(BYTE) for _ in range(count))
        return t.make(op, args, BOOL if op in COMPARISONS else BYTE, Floating(Format(4, 4), mode, to))

    def node(self, op: Op) -> Term:
        pick, any_ = self.random, self.any
        sort = pick.choice(SORTS)
        number = pick.choice((INT, REAL))
        match op:
            case Op.VAR | Op.VALUE:
                return self.leaf(sort)
            case Op.APPLY:
                arguments = tuple(pick.choice(SORTS) for _ in range(pick.randrange(3)))
                return t.apply(Function(pick.choice(NAMES), arguments, sort), *map(any_, arguments))
            case Op.FORALL | Op.EXISTS:
                return self.quantifier(op)
            case Op.NOT:
                return t.make(op, (any_(BOOL),), BOOL)
            case Op.AND | Op.OR:
                return t.make(op, tuple(any_(BOOL) for _ in range(pick.randrange(2, 5))), BOOL)
            case Op.IMPLIES:
                return t.make(op, (any_(BOOL), any_(BOOL)), BOOL)
            case Op.ITE:
                return t.make(op, (any_(BOOL), any_(sort), any_(sort)), sort)
            case Op.EQ:
                return t.make(op, (any_(sort), any_(sort)), BOOL)
            case Op.DISTINCT:
                return t.make(op, tuple(any_(sort) for _ in range(pick.randrange(2, 4))), BOOL)
            case Op.ADD | Op.SUB:
                return t.make(op, (any_(number), any_(number)), number)
            case Op.MUL:
                return t.make(op, (t.value_of(pick.randrange(-3, 4), number), any_(number)), number)
            case Op.NEG:
                return t.make(op, (any_(number),), number)
            case Op.DIV | Op.MOD:
                return t.make(op, (any_(INT), t.integer(pick.choice([-3, 2, 5]))), INT)
            case Op.REAL_DIV:
                return t.make(op, (any_(REAL), t.real(pick.choice([-3, 2, 5]))), REAL)
            case Op.LE | Op.LT:
                return t.make(op, (any_(number), any_(number)), BOOL)
            case Op.TO_REAL:
                return t.make(op, (any_(INT),), REAL)
            case Op.TO_INT:
                return t.make(op, (any_(REAL),), INT)
            case Op.SELECT:
                source = pick.choice([s for s in SORTS if s.is_array])
                return t.make(op, (any_(source), any_(source.index)), source.element)
            case Op.STORE:
                target = pick.choice([s for s in SORTS if s.is_array])
                return t.make(op, (any_(target), any_(target.index), any_(target.element)), target)
            case Op.CONST_ARRAY:
                return t.make(op, (pick.choice((t.TRUE, t.FALSE)),), array(BYTE, BOOL))  # cvc5 takes values only
            case Op.CONCAT:
                return t.extract(t.make(op, (any_(BYTE), any_(BYTE)), bitvec(16)), 11, 4)
            case Op.EXTRACT:
                return t.zero_extend(t.make(op, (any_(BYTE),), bitvec(3), (5, 3)), 5)
            case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
                return t.extract(t.make(op, (any_(BYTE),), bitvec(11), 3), 9, 2)
            case Op.BV_NOT | Op.BV_NEG:
                return t.make(op, (any_(BYTE),), BYTE)
            case Op.BV_ULT | Op.BV_ULE | Op.BV_SLT | Op.BV_SLE:
                return t.make(op, (any_(BYTE), any_(BYTE)), BOOL)
            case _ if op in FLOATING:
                return self._floating(op)
            case Op.CONSTRUCT:
                shape, place = pick.choice((SHAPE, ROW)), pick.randrange(2)
                return t.make(op, tuple(map(any_, shape.constructors[place].fields)), shape, place)
            case Op.FIELD:
                shape = pick.choice((SHAPE, ROW))
                place = pick.randrange(len(shape.constructors[1].fields))
                return t.make(op, (any_(shape),), shape.constructors[1].fields[place], (1, place))
            case Op.TEST:
                return t.make(op, (any_(pick.choice((SHAPE, ROW))),), BOOL, pick.randrange(2))
            case Op.BV_TO_INT:
                return t.make(op, (any_(BYTE),), INT)
            case Op.INT_TO_BV:
                return t.make(op, (any_(INT),), BYTE)
            case _:
                return t.make(op, (any_(BYTE), any_(BYTE)), BYTE)

    def quantifier(self, op: Op) -> Term:
        """Its variable has a name of its own, and occurs in a shared part of the body."""
        self.bound += 1
        variable = t.var(f"bound {self.bound}", self.random.choice((INT, BYTE)))
        function = Function("f", (variable.sort,), BYTE)
        part = t.bv_binary(Op.BV_ADD, t.apply(function, variable), self.any(BYTE))
        body = t.implies(self.any(BOOL), t.bv_compare(Op.BV_ULT, part, t.bv_binary(Op.BV_MUL, part, part)))
        triggers = ((t.apply(function, variable),),) if self.random.random() < 0.5 else ()
        return t._quantifier(op, (variable,), body, triggers)


def random_terms(seed: int, size: int = 40) -> list[Term]:
    builder = Builder(seed)
    return [builder.grow() for _ in range(size)]


SEEDS = st.integers(0, 2**32)
