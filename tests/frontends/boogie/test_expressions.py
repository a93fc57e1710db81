"""One example for each rule of expressions: Boogie in, SMT-LIB out."""

from __future__ import annotations

import pytest

from cleave.errors import InputError
from cleave.frontends.boogie import read_boogie
from cleave.ir.check import check_program
from cleave.ir.program import Assume
from cleave.logic.smtlib import print_term

PRELUDE = """
type E; type Box a; type Pair a b = [a]b;
const a, b, c: bool; const i, j: int; const r, s: real; const u, v: bv8; const m: [int]int; const e: E;
const z: Box int;
const n: Pair int (Pair bool real);
function {:bvbuiltin "bvadd"} ADD(x: bv8, y: bv8) returns (bv8);
function {:bvbuiltin "bvugt"} UGT(x: bv8, y: bv8) returns (z: bool);
function {:bvbuiltin "sign_extend 8"} SX(x: bv8): bv16;
function {:builtin "(_ zero_extend 8)"} ZX(x: bv8): bv16;
function {:builtin "rem"} REM(x: int, y: int): int;
function {:builtin "MapConst"} K(x: int): [int]int;
function {:bvbuiltin "(_ int2bv 8)"} I2B(x: int): bv8;
function {:bvbuiltin "bv2int"} B2I(x: bv8): int;
function {:builtin "fancy"} FANCY(x: int): int;
function POLY<T>(x: T): int;
function {:inline} inc(x: int): int { x + 1 }
var g: int;
procedure main() { assume %s; }
"""


def assumed(expression: str) -> str:
    program = read_boogie(PRELUDE % expression, "case.bpl")
    check_program(program)
    (statement,) = program.procedures["main"].statements()
    assert isinstance(statement, Assume)
    return print_term(statement.condition)


@pytest.mark.parametrize(
    ("boogie", "smtlib"),
    [
        ("a && b && c", "(and a b c)"),
        ("a || b ==> c", "(=> (or a b) c)"),
        ("a ==> b ==> c", "(=> a (=> b c))"),
        ("a <== b <== c", "(=> c (=> b a))"),
        ("a <==> b ==> c", "(= a (=> b c))"),
        ("a == b", "(= a b)"),
        ("a != !b", "(not (= a (not b)))"),
        ("i + j * 2 - 1 == 0", "(= (- (+ i (* j 2)) 1) 0)"),
        ("-i - -j > 3", "(< 3 (- (- i) (- j)))"),
        ("i div 2 >= j mod 3", "(<= (mod j 3) (div i 2))"),
        ("i % 2 == 0", "(= (mod i 2) 0)"),
        ("r / s <= 1.5", "(<= (/ r s) (/ 3.0 2.0))"),
        ("i / j == 1.0e1", "(= (/ (to_real i) (to_real j)) 10.0)"),
        ("2.0 ** 3.0 ** 2.0 == r", "(= 512.0 r)"),
        ("int(r) == i && real(i) == r", "(and (= (to_int r) i) (= (to_real i) r))"),
        ("u[4:0] ++ v[8:4] == 5bv8", "(= (concat ((_ extract 3 0) u) ((_ extract 7 4) v)) #b00000101)"),
        ("m[i := 1][j] == 2", "(= (select (store m i 1) j) 2)"),
        ("n[1][true] == r", "(= (select (select n 1) true) r)"),
        ("(if a then i else j) == 1", "(= (ite a i j) 1)"),
        ("i == if a then j else j + 1", "(= i (ite a j (+ j 1)))"),
        ("(forall x: int, y: bool :: {m[x], m[x + 1]} m[x] > 0 || y)", None),
        ("(∀ x: int • x ≥ 0 ∧ ¬a)", "(forall ((x?1 Int)) (and (<= 0 x?1) (not a)))"),
        ("(exists x: int :: (forall x: int :: x == i) && x == 1)", None),
        ("(var x, y := i + 1, j; x == y)", "(= (+ i 1) j)"),
        ("(var i := true; i)", "true"),
        ("e == e", "true"),
        ("z == z: Box int", "true"),
        ("inc(inc(i)) == 3", "(= (+ (+ i 1) 1) 3)"),
        ("ADD(u, v) == u", "(= (bvadd u v) u)"),
        ("UGT(u, v)", "(bvult v u)"),
        ("SX(u) == ZX(v)", "(= ((_ sign_extend 8) u) ((_ zero_extend 8) v))"),
        ("REM(i, 2) == 1", "(= (mod i 2) 1)"),
        ("K(7)[i] == j", "(= 7 j)"),
        ("I2B(i) == u && B2I(u) == i", None),
        ("old(g) == g", "(= |old(g)| g)"),
        ("old(g + old(g)) == g", "(= (+ |old(g)| |old(g)|) g)"),
        ("\\a", "a"),
    ],
)
def test_expression(boogie: str, smtlib: str | None) -> None:
    # `true` alone is dropped as a statement, so every case is joined to something that stays.
    found = assumed(f"c == ({boogie})")
    if smtlib is not None:
        expected = "c" if smtlib == "true" else f"(= c {smtlib})"
        assert found == expected


def test_bound_variables_have_names_of_their_own() -> None:
    found = assumed("(exists x: int :: (forall x: int :: x == i) && x == 1)")
    assert found == "(exists ((x?1 Int)) (and (forall ((x?2 Int)) (= x?2 i)) (= x?1 1)))"


def test_a_trigger_that_expansion_leaves_unusable_is_dropped() -> None:
    assert ":pattern" not in assumed("(forall x: int :: {inc(x)} m[x] > 0)")
    assert ":pattern" in assumed("(forall x: int :: {m[inc(x)]} m[x] > 0)")


@pytest.mark.parametrize(
    ("boogie", "message"),
    [
        ("a && b || c", "'&&' and '||' need parentheses"),
        ("i < j < 3", "comparisons do not chain"),
        ("a ==> b <== c", "need parentheses"),
        ("i + r == 1", "'+' does not take 'int' and 'real'"),
        ("i", "a condition has type 'bool', not 'int'"),
        ("i && a", "'&&' does not take 'int'"),
        ("!i", "'!' does not take 'int'"),
        ("m[a] == 1", "the map's index has type 'int', not 'bool'"),
        ("i[0] == 1", "expected a map before '['"),
        ("m[0 := true] == m", "the map holds 'int', not 'bool'"),
        ("u[9:0] == u", "'[9:0]' does not take 'bv8'"),
        ("(if i then a else b)", "'if-then-else' does not take"),
        ("nowhere == 1", "'nowhere' is not declared here"),
        ("nofun(1) == 1", "function 'nofun' is not declared"),
        ("inc() == 1", "function 'inc' takes 1 arguments, not 0"),
        ("inc(a) == 1", "argument 1 of 'inc' has type 'int', not 'bool'"),
        ("300bv8 == u", "does not fit into 8 bits"),
        ("(forall x, x: int :: true)", "binds the same name twice"),
        ("(forall x: NoType :: true)", "type 'NoType' is not declared"),
        ("z == z: Box", "type 'Box' takes 1 arguments, not 0"),
        ("a &&", "expected an expression, not ';'"),
        ("(a", "expected an operator or ')', not ';'"),
        ("if a then b", "expected an operator or 'else', not ';'"),
        ("i ** j == 1", "only supported between numbers"),
        ("i <: j", "'<:' is not supported"),
        ("FANCY(i) == 1", 'needs the operator "fancy", which is not supported'),
        ('i == "text"', "strings are not supported"),
        ("1bv0 == 1bv0", "between 1 and 65536 bits"),
        ("0x1.0e0f2e8 == r", "3 to 256 bits of significand"),
    ],
)
def test_refused_expression(boogie: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        assumed(boogie)
    assert message in caught.value.message
    assert caught.value.line > 0
    assert caught.value.column > 0
    assert caught.value.source_line is not None
