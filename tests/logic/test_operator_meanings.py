"""`logic.operators` against two solvers that share no code with it: each operator on random values of its sorts.

Engines and validators rely on the table, so a mistake in it would be confirmed instead of found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cleave.errors import UnsupportedError
from cleave.logic import terms as t
from cleave.logic.datatypes import Declaration, construct, declare, field
from cleave.logic.datatypes import test as is_made_by
from cleave.logic.floats.operations import FLOATING
from cleave.logic.operators import DIVISIONS, OPERATORS
from cleave.logic.sorts import BOOL, INT, REAL, Sort, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.logic.values import MapValue, Value, map_value
from cleave.smt.cvc5.solver import Cvc5
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver

WIDTH = 4
BITS = bitvec(WIDTH)
MEMORY, FLAGS = array(INT, REAL), array(bitvec(2), BOOL)
UNARY = (Op.BV_NOT, Op.BV_NEG)
COMPARED = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)
OF_BITS = tuple(op for op in OPERATORS if op.name.startswith("BV_") and op is not Op.BV_TO_INT)

Node: TypeAlias = tuple[Term, tuple[Value, ...]]  # an application to constants, and their values
Shape: TypeAlias = tuple[tuple[Sort, ...], Sort, object]  # the sorts of the arguments and of the result; the index


def _shapes() -> dict[Op, tuple[Shape, ...]]:
    numbers, maps = (INT, REAL), (MEMORY, FLAGS)
    of_any = (BOOL, INT, REAL, BITS, MEMORY, FLAGS)
    return {
        Op.EQ: tuple(((sort, sort), BOOL, None) for sort in of_any),
        Op.DISTINCT: tuple(((sort,) * 3, BOOL, None) for sort in of_any),
        **{op: tuple(((sort, sort), sort, None) for sort in numbers) for op in (Op.ADD, Op.SUB, Op.MUL)},
        **{op: tuple(((sort, sort), BOOL, None) for sort in numbers) for op in (Op.LE, Op.LT)},
        Op.NEG: tuple(((sort,), sort, None) for sort in numbers),
        Op.DIV: (((INT, INT), INT, None),),
        Op.MOD: (((INT, INT), INT, None),),
        Op.REAL_DIV: (((REAL, REAL), REAL, None),),
        Op.TO_REAL: (((INT,), REAL, None),),
        Op.TO_INT: (((REAL,), INT, None),),
        Op.SELECT: tuple(((sort, sort.index), sort.element, None) for sort in maps),
        Op.STORE: tuple(((sort, sort.index, sort.element), sort, None) for sort in maps),
        Op.CONST_ARRAY: tuple(((sort.element,), sort, None) for sort in maps),
        Op.CONCAT: (((BITS, bitvec(3)), bitvec(7), None),),
        Op.EXTRACT: tuple(((BITS,), bitvec(high - low + 1), (high, low)) for high in range(4) for low in range(high)),
        Op.ZERO_EXTEND: (((BITS,), bitvec(7), 3),),
        Op.SIGN_EXTEND: (((BITS,), bitvec(7), 3),),
        **{op: (((BITS,) * (1 if op in UNARY else 2), BOOL if op in COMPARED else BITS, None),) for op in OF_BITS},
        Op.BV_TO_INT: (((BITS,), INT, None),),
        Op.INT_TO_BV: (((INT,), bitvec(3), None),),
    }


SHAPES = _shapes()


def values(sort: Sort) -> st.SearchStrategy[Value]:
    if sort.is_array:
        entries = st.dictionaries(values(sort.index), values(sort.element), max_size=3)
        return st.builds(lambda default, own: map_value(sort.index, default, own), values(sort.element), entries)
    if sort.is_bitvec:
        return st.integers(0, (1 << sort.width) - 1)
    if sort is REAL:
        return st.fractions(-5, 5, max_denominator=6)
    return st.booleans() if sort is BOOL else st.integers(-20, 20)


def constant(value: Value, sort: Sort) -> Term:
    if not isinstance(value, MapValue):
        return t.value_of(value, sort)
    made = t.const_array(sort.index, constant(value.default, sort.element))
    for key, element in value.entries.items():
        made = t.store(made, constant(key, sort.index), constant(element, sort.element))
    return made


def applications(op: Op) -> st.SearchStrategy[Node]:
    return st.sampled_from(SHAPES[op]).flatmap(lambda shape: _applications(op, *shape))


def _applications(op: Op, sorts: tuple[Sort, ...], result: Sort, index: object) -> st.SearchStrategy[Node]:
    def node(arguments: tuple[Value, ...]) -> Node:
        if op in DIVISIONS and arguments[1] == 0:
            arguments = (arguments[0], 3)
        terms = tuple(constant(value, sort) for value, sort in zip(arguments, sorts, strict=True))
        return t.make(op, terms, result, index), arguments

    return st.tuples(*map(values, sorts)).map(node)


@pytest.fixture(scope="module")
def cvc5() -> Iterator[Cvc5]:
    with Cvc5() as solver:
        yield solver


OF_OTHERS = {Op.CONSTRUCT, Op.FIELD, Op.TEST, *FLOATING}  # which have tests of their own


@pytest.mark.parametrize("op", [op for op in OPERATORS if op not in OF_OTHERS], ids=lambda op: op.value)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_two_solvers_agree(cvc5: Cvc5, op: Op, data: st.DataObject) -> None:
    """All applications of an example are one question, as a question to cvc5 takes some milliseconds."""
    nodes = data.draw(st.lists(applications(op), min_size=20, max_size=20))
    claims = [t.make(Op.EQ, (node, constant(OPERATORS[op](node, *own), node.sort)), BOOL) for node, own in nodes]
    wrong = t.make(Op.NOT, (t.make(Op.AND, tuple(claims), BOOL),), BOOL)
    z3 = Z3Solver(profile=DEFAULT)
    z3.add(wrong)
    assert z3.check() is Answer.UNSAT
    assert cvc5.decide(wrong, seconds=20).answer is Answer.UNSAT


def test_every_operator_has_a_meaning() -> None:
    leaves = {Op.VAR, Op.VALUE, Op.APPLY, Op.FORALL, Op.EXISTS}
    connectives = {Op.AND, Op.OR, Op.NOT, Op.IMPLIES, Op.ITE}  # evaluated where a part may be left out
    assert set(Op) - leaves - connectives == set(OPERATORS)


def test_what_operators_on_data_types_mean() -> None:
    """Each makes, takes apart or tests what another one made: their laws decide."""
    (lists,) = declare((Declaration("L", (("nil", ()), ("cons", (("head", INT), ("tail", 0))))),))
    nil = OPERATORS[Op.CONSTRUCT](construct(lists, 0))
    variable = t.var("l", lists)
    made = OPERATORS[Op.CONSTRUCT](t.make(Op.CONSTRUCT, (t.integer(1), variable), lists, 1), 7, nil)
    assert OPERATORS[Op.FIELD](field(variable, 1, 0), made) == 7
    assert OPERATORS[Op.FIELD](field(variable, 1, 1), made) == nil != made
    assert [OPERATORS[Op.TEST](is_made_by(variable, number), made) for number in (0, 1)] == [False, True]
    with pytest.raises(UnsupportedError, match="read from a value of nil"):
        OPERATORS[Op.FIELD](field(variable, 1, 0), nil)
