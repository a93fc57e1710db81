"""What bound variables that are indices are taken for, and that nothing is excluded that way."""

from __future__ import annotations

from cleave.logic.sorts import BOOL, INT, array, bitvec
from cleave.logic.terms import (
    Op,
    Term,
    add,
    bv,
    bv_binary,
    concat,
    conj,
    eq,
    forall,
    implies,
    integer,
    lt,
    mul,
    neg,
    select,
    sign_extend,
    store,
    var,
)
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.clauses.indices import choices, indices
from cleave.validate.clauses.instances import instances

X, J, K, L = (var(name, INT) for name in "xjkl")
A, B = var("a", array(INT, INT)), var("b", array(INT, INT))
ZERO, SEVEN = integer(0), integer(7)


def at(number: Term) -> Term:
    return add(mul(number, integer(4)), integer(8))


def taken(quantifier: Term, *formulas: Term) -> list[tuple[str, ...]]:
    return [tuple(map(repr, chosen.values())) for chosen in choices(quantifier, indices(formulas))]


def answer(formula: Term) -> Answer:
    some = instances(formula, ())
    assert some is not None
    solver = Z3Solver(profile=DEFAULT)
    solver.add(some)
    return solver.check(seconds=20)


def test_the_index_itself_or_what_it_is_made_of() -> None:
    assert taken(forall((K,), eq(select(A, K), ZERO)), eq(select(A, X), SEVEN)) == [("x",)]
    scaled = forall((K,), eq(select(A, at(K)), ZERO))
    assert taken(scaled, eq(select(B, at(add(X, J))), SEVEN)) == [("(+ j x)",)]
    assert taken(scaled, eq(store(A, J, SEVEN), A)) == [("(div (- j 8) 4)",)]


def test_of_bit_vectors() -> None:
    wide, byte = bitvec(16), bitvec(8)
    a, i, k = var("a", array(wide, BOOL)), var("i", byte), var("k", byte)

    def spread(number: Term) -> Term:
        return bv_binary(Op.BV_ADD, bv_binary(Op.BV_MUL, sign_extend(number, 8), bv(2, 16)), bv(512, 16))

    assert taken(forall((k,), select(a, spread(k))), select(a, spread(i))) == [("i",)]
    high = var("h", bitvec(14))
    joined = bv_binary(Op.BV_ADD, concat(high, bv(0, 2)), bv(512, 16))
    index = var("x", wide)
    (chosen,) = taken(forall((high,), select(a, joined)), select(a, index))
    assert chosen == ("((_ extract 15 2) (bvadd x (_ bv65024 16)))",)


def test_two_variables_are_taken_for_all_pairs() -> None:
    ordered = forall((K, L), implies(lt(K, L), lt(select(A, K), select(A, L))))
    assert set(taken(ordered, lt(select(A, X), select(A, J)))) == {("x", "x"), ("x", "j"), ("j", "x"), ("j", "j")}


def test_what_all_cells_hold_is_known_of_those_that_are_read() -> None:
    all_zero = forall((K,), eq(select(A, at(K)), ZERO))
    assert answer(conj(all_zero, eq(select(A, at(X)), SEVEN))) is Answer.UNSAT
    written = forall((L,), eq(select(store(A, at(X), SEVEN), at(L)), ZERO))
    assert answer(conj(all_zero, neg(written))) is Answer.SAT
    kept = forall((L,), eq(select(store(A, at(X), ZERO), at(L)), ZERO))
    assert answer(conj(all_zero, neg(kept))) is Answer.UNSAT


def test_nothing_is_excluded() -> None:
    all_zero = forall((K,), eq(select(A, at(K)), ZERO))
    assert answer(conj(all_zero, eq(select(A, X), SEVEN))) is Answer.SAT  # between two cells
    assert answer(conj(neg(all_zero), eq(select(A, at(X)), ZERO))) is Answer.SAT
