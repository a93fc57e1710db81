"""The checker names what is ill-formed, and accepts what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cleave.errors import InternalError
from cleave.ir.check import check_program
from cleave.ir.program import Assert, Assign, Assume, Block, Call, Clause, Havoc, Procedure, Program, Statement, old
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import Function, Op

G = t.var("g", INT)
C = t.var("c", INT)
P = t.var("p", INT)
R = t.var("r", INT)
X = t.var("x", INT)
B = t.var("b", BOOL)
I = t.var("i", INT)  # noqa: E741
F = Function("f", (INT,), INT)
ONE = t.integer(1)
POSITIVE = t.forall((I,), t.lt(t.integer(0), t.apply(F, I)))


def program(*statements: Statement, successors: tuple[str, ...] = ()) -> Program:
    main = Procedure(
        name="main",
        parameters=(P,),
        returns=(R,),
        locals=(X, B),
        requires=(Clause(t.lt(P, G)),),
        ensures=(Clause(t.lt(R, old(G))),),
        modifies=(G,),
        blocks={"b0": Block("b0", statements, successors)},
    )
    return Program(globals=(G,), constants=(C,), functions=(F,), axioms=(POSITIVE,), procedures={"main": main})


def change(**parts: object) -> Program:
    whole = program()
    return replace(whole, procedures={"main": replace(whole.procedures["main"], **parts)})  # type: ignore[arg-type]


def problems(ill: Program) -> str:
    with pytest.raises(InternalError) as error:
        check_program(ill)
    return str(error.value)


def test_a_well_formed_program_is_accepted() -> None:
    check_program(
        program(
            Assign((X, G), (t.add(P, old(G)), t.apply(F, C))),
            Havoc((R,)),
            Call("main", (X,), (X,)),
            Assume(t.exists((I,), t.eq(I, X))),
            Assert(B),
            successors=("b0",),
        )
    )


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (Assume(t.lt(t.var("z", INT), X)), "uses z: Int, which is not declared"),
        (Assume(t.lt(t.var("x", REAL), t.real(0))), "uses x: Real"),
        (Assume(t.make(Op.VAR, (), INT, "x")), "is no Bool"),
        (Assert(B, values=(t.lt(I, X),)), "uses i: Int, which is not declared"),
        (Assert(t.lt(old(X), X)), "old(x): Int, which is not the old value of a global"),
        (Assert(t.conj(B, t.lt(I, X), t.exists((I,), t.eq(I, X)))), "uses i: Int, which is not declared"),
        (Assert(t.exists((X,), t.eq(X, P))), "x is bound and also declared"),
        (Assert(t.exists((I, I), t.eq(I, P))), "bound variable i appears 2 times"),
        (Assert(t.exists((I,), t.conj(t.lt(I, X), t.exists((I,), t.eq(I, P))))), "i is bound again"),
        (Assert(t.lt(t.apply(Function("h", (), INT)), X)), "applies h, which is not declared"),
        (Assign((P,), (ONE,)), "p is assigned"),
        (Assign((C,), (ONE,)), "c is assigned"),
        (Assign((old(G),), (ONE,)), "is assigned"),
        (Assign((X, X), (ONE, ONE)), "target x appears 2 times"),
        (Assign((X, G), (ONE,)), "1 values for 2 targets"),
        (Assign((B,), (ONE,)), "b has sort Bool but gets Int"),
        (Havoc((C,)), "c is assigned"),
        (Call("nobody", (), ()), "calls nobody, which does not exist"),
        (Call("main", (), (X,)), "the arguments of main: 0 values for 1 targets"),
        (Call("main", (B,), (X,)), "p has sort Int but gets Bool"),
        (Call("main", (X,), (B,)), "b has sort Bool but gets Int"),
        (Call("main", (X,), (P,)), "p is assigned"),
    ],
)
def test_ill_formed_statements(statement: Statement, message: str) -> None:
    assert message in problems(program(statement))


@pytest.mark.parametrize(
    ("ill", "message"),
    [
        (program(successors=("nowhere",)), "goes to nowhere"),
        (change(locals=(X, P)), "variable p appears 2 times"),
        (change(locals=(X, B, G)), "g is also a global"),
        (change(locals=(X, B, old(G))), "kept for old values"),
        (change(locals=(X, B, ONE)), "is no variable"),
        (change(modifies=(X,)), "modifies x, which is no global"),
        (change(requires=(Clause(t.lt(R, P)),)), "uses r"),
        (change(requires=(Clause(t.lt(old(G), P)),)), "old(g)"),
        (change(ensures=(Clause(t.lt(X, P)),)), "uses x"),
        (change(ensures=(Clause(ONE),)), "an ensures is no Bool"),
        (change(name="other"), "filed under the name main"),
        (change(blocks={"b0": Block("b1", (), ())}), "filed under the label b0"),
        (replace(program(), globals=(G, C)), "variable c appears 2 times"),
        (replace(program(), axioms=(t.lt(G, ONE),)), "uses g"),
        (replace(program(), functions=(F, F)), "function f appears 2 times"),
    ],
)
def test_ill_formed_declarations(ill: Program, message: str) -> None:
    assert message in problems(ill)


def test_all_problems_are_listed() -> None:
    text = problems(program(Havoc((C,)), Call("nobody", (), ()), successors=("nowhere",)))
    assert len(text.splitlines()) == 4
