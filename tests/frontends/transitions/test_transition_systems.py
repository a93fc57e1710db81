"""VMT and BTOR2: what they say, decided by Z3's Horn solver, and the words for what is refused."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.frontends.clauses import read_clauses
from cleave.frontends.transitions.btor2 import read_btor2
from cleave.frontends.transitions.btor2.operators import BINARY, UNARY, truth
from cleave.frontends.transitions.vmt import read_vmt
from cleave.ir.horn_check import check_horn
from cleave.logic import terms as t
from cleave.logic.sorts import bitvec
from cleave.logic.terms import signed
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import Z3Solver
from support.horn_reading import verdict

VMT = """
(declare-fun x () Int) (declare-fun x_next () Int) (declare-fun in () Int)
(declare-fun b () Bool) (declare-fun b_next () Bool)
(define-fun sv0 () Int (! x :next x_next)) (define-fun sv1 () Bool (! b :next b_next))
(define-fun start () Bool (! (and (= x 0) (not b)) :init true))
(define-fun step () Bool (! (and (> in 0) (= x_next (+ x in)) (= b_next (not b))) :trans true))
(define-fun good () Bool (! PROPERTY :invar-property 0))
"""


@pytest.mark.parametrize(
    ("condition", "expected"), [("(>= x 0)", "safe"), ("(< x 3)", "unsafe"), ("(not b)", "unsafe")]
)
def test_vmt(condition: str, expected: str) -> None:
    text = VMT.replace("PROPERTY", condition).encode()
    system = read_clauses("f.smt2", text)
    assert len(system.clauses) == 3
    assert verdict(system) == expected


def test_several_properties() -> None:
    second = "(define-fun also () Bool (! (or b (= x 0) (> x 0)) :invar-property 1))"
    assert len(read_vmt("f", (VMT.replace("PROPERTY", "true") + second).encode()).queries()) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(declare-fun x () Int)", "f: the system has no :invar-property, so there is nothing to check"),
        ("(declare-fun x () Int)\n(define-fun s () Int (! 1 :next x))",
         "f:2:22: a declared constant with the constant of its next value expected"),
        ("(define-fun s () Bool (! true :live-property 0))",
         "f:1:31: :live-property is about infinite runs, which are not supported"),
        ("(define-fun s () Int (! 1 :init true))", "f:1:22: a formula expected, not a term of sort Int"),
        ("(push 1)", "f:1:1: the command push is not supported in a VMT file"),
    ],
)  # fmt: skip
def test_vmt_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_vmt("f", text.encode())
    assert str(caught.value).split("\n")[0] == expected


COUNTER = """
; a counter with a reset
1 sort bitvec 8
2 sort bitvec 1
3 zero 1
4 state 1 counter
5 init 1 4 3
6 input 2 reset
7 inc 1 4
8 ite 1 6 3 7
9 constd 1 LIMIT
10 ugte 2 4 9
11 ite 1 10 4 8
12 next 1 4 11
13 constd 1 20
14 eq 2 4 13
15 bad 14 reached
"""


@pytest.mark.parametrize(("limit", "expected"), [("10", "safe"), ("20", "unsafe")])
def test_btor2(limit: str, expected: str) -> None:
    system = read_btor2("f.btor2", COUNTER.replace("LIMIT", limit).encode())
    assert verdict(system) == expected
    assert str(system.clauses[-1].location) == "f.btor2:17:1"


MEMORY = """
1 sort bitvec 2
2 sort bitvec 4
3 sort array 1 2
4 state 3 memory
5 zero 2
6 init 3 4 5
7 input 1 address
8 input 2 data
9 write 3 4 7 8
10 next 3 4 9
11 read 2 4 7
12 const 2 1010
13 sort bitvec 1
14 eq 13 11 12
15 eq 13 8 12
16 constraint CONSTRAINT
17 bad 14
"""


@pytest.mark.parametrize(("constraint", "expected"), [("15", "unsafe"), ("-15", "safe")])
def test_btor2_arrays_and_constraints(constraint: str, expected: str) -> None:
    """The constraint is that 1010 is always, or (with a minus) never, what is written."""
    assert verdict(read_btor2("f", MEMORY.replace("CONSTRAINT", constraint).encode())) == expected


def test_a_state_without_a_next_value_takes_any() -> None:
    text = "1 sort bitvec 1\n2 zero 1\n3 state 1 s\n4 init 1 3 2\n5 bad 3"
    assert verdict(read_btor2("f", text.encode())) == "unsafe"


def reference(word: str, a: int, b: int, width: int) -> int | None:
    """What an operator of BTOR2 gives, as its description says."""
    low, high, least = 1 << width, 1 << (width - 1), -(1 << (width - 1))
    x, y = signed(a, width), signed(b, width)

    def outside(value: int) -> int:
        return int(not least <= value < high)

    table: dict[str, int] = {
        "inc": a + 1, "dec": a - 1, "neg": -a, "not": ~a,
        "redand": int(a == low - 1), "redor": int(a != 0), "redxor": a.bit_count() % 2,
        "iff": int(a == b), "eq": int(a == b), "neq": int(a != b),
        "ugt": int(a > b), "ugte": int(a >= b), "ult": int(a < b), "ulte": int(a <= b),
        "sgt": int(x > y), "sgte": int(x >= y), "slt": int(x < y), "slte": int(x <= y),
        "and": a & b, "nand": ~(a & b), "or": a | b, "nor": ~(a | b), "xor": a ^ b, "xnor": ~(a ^ b),
        "add": a + b, "sub": a - b, "mul": a * b, "sll": a << b, "srl": a >> b, "sra": x >> b,
        "udiv": a // b if b else -1, "urem": a % b if b else a,
        "saddo": outside(x + y), "ssubo": outside(x - y), "smulo": outside(x * y),
        "uaddo": int(a + b >= low), "usubo": int(a < b), "umulo": int(a * b >= low),
        "sdivo": int(x == least and y == -1), "udivo": 0,
        "rol": a << b % width | a >> (width - b % width), "ror": a >> b % width | a << (width - b % width),
        "concat": a << width | b,
    }  # fmt: skip
    return table.get(word)


@pytest.mark.parametrize("word", [w for w in (*UNARY, *BINARY) if reference(w, 1, 1, 4) is not None])
def test_btor2_operators(word: str) -> None:
    pick = random.Random(word)
    for width in (1, 2, 3, 8):
        x, y = t.var("x", bitvec(width)), t.var("y", bitvec(width))
        made = UNARY[word](x) if word in UNARY else BINARY[word](x, y)
        solver = Z3Solver()
        for _ in range(8):
            a, b = pick.randrange(1 << width), pick.randrange(1 << width)
            expected = reference(word, a, b, width)
            assert expected is not None
            solver.push()
            for fact in (t.eq(x, t.bv(a, width)), t.eq(y, t.bv(b, width))):
                solver.add(fact)
            solver.add(t.neg(t.eq(made, t.bv(expected, made.sort.width))))
            assert solver.check() is Answer.UNSAT, (word, width, a, b)
            solver.pop()


def test_implication_is_on_bits() -> None:
    one, zero = t.bv(1, 1), t.bv(0, 1)
    assert [truth(BINARY["implies"](a, b)) for a in (zero, one) for b in (zero, one)] == [
        t.TRUE,
        t.TRUE,
        t.FALSE,
        t.TRUE,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 sort bitvec 8", "f: the model has no bad state, so there is nothing to check"),
        ("1 sort bitvec 0", "f:1:15: bit vectors have between 1 and 65536 bits here"),
        ("1 sort bitvec 1000000000", "f:1:15: bit vectors have between 1 and 65536 bits here"),
        ("1 var 8", "f:1:3: var belongs to BTOR version 1; BTOR2 is supported"),
        ("1 foo 8", "f:1:3: foo is no operator of BTOR2"),
        ("x", "f:1:1: the number of a node expected, not x"),
        ("1", "f:1:1: an operator expected after the number"),
        ("1 sort bitvec 8\n2 add 1 3 4", "f:2:9: node 3 is not there"),
        ("1 sort bitvec 8\n2 one 1\n3 bad 2", "f:3:7: one bit expected, not (_ BitVec 8)"),
        ("1 sort bitvec 8\n2 one 1\n3 sort bitvec 4\n4 add 3 2 2",
         "f:4:7: the result is of sort (_ BitVec 8), not (_ BitVec 4)"),
        ("1 sort bitvec 8\n2 one 1\n3 init 1 2 2", "f:3:10: node 2 is no state"),
        ("1 sort bitvec 8\n2 state 1\n3 justice 1 2", "f:3:3: justice is about infinite runs, which are not supported"),
        ("1 sort bitvec 8\n2 state 1\n2 state 1", "f:3:1: node 2 is there twice"),
        ("1 sort bitvec 8\n2 const 1 12", "f:2:11: digits of base 2 expected"),
        ("1 sort bitvec 8\n2 state 1\n3 slice 1 2 9 0", "f:3:3: extract does not take (_ BitVec 8)"),
    ],
)  # fmt: skip
def test_btor2_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_btor2("f", text.encode())
    assert str(caught.value).split("\n")[0] == expected


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_btor2_is_refused_or_well_formed(data: st.DataObject) -> None:
    words = data.draw(st.sampled_from([COUNTER.replace("LIMIT", "9"), MEMORY.replace("CONSTRAINT", "15")])).split(" ")
    place = data.draw(st.integers(0, len(words) - 1))
    words[place] = data.draw(st.sampled_from(["", "0", "-1", "3", "4", "99", "x", "sort", "state", "\n", "9" * 40]))
    with contextlib.suppress(InputError):
        check_horn(read_btor2("f", " ".join(words).encode()))
