"""Bit-blasting: what is folded, what is shared, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cleave.errors import UnsupportedError
from cleave.logic import terms as t
from cleave.logic.sorts import INT, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.smt.sat import bits as b
from cleave.smt.sat.blasting import Blasting
from cleave.smt.sat.gates import FALSE, TRUE, Gates

BYTE = bitvec(8)
X, Y = t.var("x", BYTE), t.var("y", BYTE)
MEMORY = t.var("memory", array(BYTE, BYTE))


def clauses_of(*terms: Term) -> int:
    gates = Gates()
    blasting = Blasting(gates)
    for term in terms:
        blasting.bits(term)
    return gates.made


@pytest.mark.parametrize(
    ("gate", "inputs"),
    [
        (Gates.xor, 2),
        (Gates.ite, 3),
        (Gates.majority, 3),
        (lambda gates, *inputs: gates.conj(inputs), 3),
        (lambda gates, *inputs: gates.disj(inputs), 3),
    ],
)
def test_gates_mean_what_their_clauses_say(gate: Callable[..., int], inputs: int) -> None:
    """For all inputs, also negated and equal ones: folding constants gives the value that the clauses allow."""
    for negated in range(1 << inputs):
        for equal in (False, True):
            gates = Gates()
            variables = [gates.fresh() for _ in range(inputs)]
            chosen = [variables[0] if equal else v for v in variables]
            chosen = [-v if negated >> place & 1 else v for place, v in enumerate(chosen)]
            output = gate(gates, *chosen)
            clauses = gates.take()
            for values in range(1 << inputs):
                state = {v: bool(values >> place & 1) for place, v in enumerate(variables)} | {TRUE: True}
                constants = [TRUE if state[abs(literal)] == (literal > 0) else FALSE for literal in chosen]
                expected = gate(Gates(), *constants) == TRUE
                hidden = [v for v in range(2, gates.variables + 1) if v not in state]
                allowed = set()
                for guess in range(1 << len(hidden)):
                    full = state | {v: bool(guess >> place & 1) for place, v in enumerate(hidden)}
                    if all(any(full[abs(literal)] == (literal > 0) for literal in clause) for clause in clauses):
                        allowed.add(full[abs(output)] == (output > 0))
                assert allowed == {expected}


@pytest.mark.parametrize("width", [1, 3, 5])
def test_division_by_constants(width: int) -> None:
    for a in range(1 << width):
        for divisor in range(1 << width):
            quotient, rest = b.divide(Gates(), b.constant(a, width), b.constant(divisor, width))
            expected = divmod(a, divisor) if divisor else ((1 << width) - 1, a)
            assert (b.number(quotient), b.number(rest)) == expected
            assert len(quotient) == len(rest) == width


def test_division_by_a_power_of_two_takes_no_clauses() -> None:
    eight = t.bv(8, 8)
    assert clauses_of(t.bv_binary(Op.BV_UREM, X, eight), t.bv_binary(Op.BV_UDIV, X, eight)) == clauses_of()


def test_constants_leave_no_clauses() -> None:
    blasting = Blasting(gates := Gates(), variable=lambda v: b.constant({"x": 5, "y": 3}[v.value], 8))
    for op, value in ((Op.BV_MUL, 15), (Op.BV_UDIV, 1), (Op.BV_SREM, 2), (Op.BV_SHL, 40), (Op.BV_SUB, 2)):
        assert b.number(blasting.bits(t.bv_binary(op, X, Y))) == value
    assert blasting.literal(t.bv_compare(Op.BV_ULT, X, Y)) == FALSE
    assert gates.take() == [[TRUE]]


def test_what_is_equal_is_made_once() -> None:
    total, other = t.bv_binary(Op.BV_ADD, X, Y), t.bv_binary(Op.BV_ADD, Y, X)
    assert clauses_of(total) == clauses_of(total, other)


def test_a_definition_costs_nothing() -> None:
    gates = Gates()
    blasting = Blasting(gates)
    total = t.bv_binary(Op.BV_ADD, X, X)
    assert blasting.define(Y, total)
    made = gates.made
    assert blasting.literal(t.eq(Y, total)) == TRUE
    assert gates.made == made


def test_no_definition_in_terms_of_itself() -> None:
    blasting = Blasting(Gates())
    assert not blasting.define(X, t.bv_binary(Op.BV_ADD, X, Y))
    assert not blasting.define(Y, t.bv(1, 8))  # it has been used


def test_known_indices_need_no_comparison() -> None:
    stored = t.store(t.store(MEMORY, t.bv(1, 8), X), t.bv(2, 8), Y)
    blasting = Blasting(gates := Gates())
    assert blasting.bits(t.select(stored, t.bv(1, 8))) == blasting.bits(X)
    assert gates.take() == [[TRUE]]


@pytest.mark.parametrize(
    "term",
    [
        t.lt(t.var("n", INT), t.integer(3)),
        t.eq(MEMORY, t.var("other", array(BYTE, BYTE))),
        t.forall((X,), t.eq(X, Y)),
        t.select(t.select(t.var("table", array(BYTE, array(BYTE, BYTE))), X), Y),
    ],
    ids=["numbers", "arrays", "quantifiers", "tables"],
)
def test_refused(term: Term) -> None:
    blasting = Blasting(Gates())
    for _ in range(2):
        with pytest.raises(UnsupportedError):
            blasting.bits(term)


def test_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cleave.smt.sat.gates.MOST_CLAUSES", 100)
    with pytest.raises(UnsupportedError, match="more than 100 clauses"):
        Blasting(Gates()).bits(t.bv_binary(Op.BV_MUL, X, Y))
