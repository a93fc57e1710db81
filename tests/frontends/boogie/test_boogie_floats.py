"""Floating-point numbers in Boogie: what its notation means, on all engines' common ground, bit vectors."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleave import Options, verify
from cleave.errors import InputError, UnsupportedError
from cleave.frontends.boogie import read_boogie, read_boogie_bytes
from cleave.frontends.boogie.floats.conversions import to_float
from cleave.frontends.boogie.floats.literals import nearest, value_of
from cleave.frontends.boogie.floats.types import bits_of, mode_term
from cleave.ir.program import Assert
from cleave.logic.floats import exact
from cleave.logic.floats.formats import Format, Rounding
from cleave.logic.sorts import REAL
from cleave.logic.terms import TRUE, var
from cleave.validate.semantics.evaluate import World, evaluate
from cleave.verdict import Safe, Unsafe, Verdict

DECLARED = """
type float = float24e8;
function {:builtin "fp.add"} add(rmode, float, float): float;
function {:builtin "fp.div RTP"} up(float, float): float;
function {:builtin "fp.isNaN"} nan(float): bool;
function {:builtin "fp.eq"} same(float, float): bool;
function {:builtin "fp.min"} least(float, float): float;
function {:builtin "(_ to_fp 8 24)"} real(rmode, real): float;
function {:builtin "(_ to_fp 8 24) RNE"} int(int): float;
function {:builtin "(_ to_fp 3 4) RNE"} small(int): float4e3;
function {:builtin "(_ to_fp 8 24)"} bits(bv32): float;
function {:builtin "(_ to_fp 11 53) RNE"} wider(float): float53e11;
function {:builtin "(_ fp.to_sbv 8)"} byte(rmode, float): bv8;
function {:builtin "fp.to_real"} value(float): real;
function f(float): int;
""".replace("real(", "of_real(").replace("int(int)", "of_int(int)")

HOLDS = {
    "a literal": "assert 0x1.8e0f24e8 + 0x0.8e0f24e8 == 0x2.0e0f24e8 && -0x0.4e1f24e8 < 0x0.0e0f24e8;",
    "operators round to the nearest": "assert x + 0x1.0e0f24e8 == add(RNE, x, 0x1.0e0f24e8);",
    "equality is identity": "assert x == x && 0NaN24e8 == 0nan24e8 && 0x0.0e0f24e8 != -0x0.0e0f24e8;",
    "fp.eq is not": "assert same(0x0.0e0f24e8, -0x0.0e0f24e8) && !same(0NaN24e8, 0NaN24e8);",
    "there is one NaN": "assume nan(x) && nan(y); assert x == y && f(x) == f(y);",
    "also as an index": "assume nan(x) && nan(y); m[x] := 7; assert m[y] == 7;",
    "also in maps and data types": "assume nan(x) && nan(y); a[1] := x; b := a[1 := y]; assert a == b && P(x) == P(y);",
    "infinities": "assert 0x1.0e0f24e8 / 0x0.0e0f24e8 == 0+oo24e8; assert 0-oo24e8 < x || nan(x) || x == 0-oo24e8;",
    "a rounding mode is a value": "r := RTZ; assert add(r, x, y) == add(roundTowardZero, x, y) && r != RNE;",
    "a mode in the name": "assert up(0x1.0e0f24e8, 0x3.0e0f24e8) > 0x1.0e0f24e8 / 0x3.0e0f24e8 - 0x0.00002e0f24e8;",
    "conversions": "assert of_real(RNE, 0.5) == 0x0.8e0f24e8 && of_int(-3) == -0x3.0e0f24e8 && wider(x) == wider(x);",
    "of bits": "assert bits(1065353216bv32) == 0x1.0e0f24e8;",
    "to integers": "assert byte(RTZ, -0x1.8e0f24e8) == 255bv8 && byte(RTN, -0x1.8e0f24e8) == 254bv8;",
    "to reals": "assume 0x1.0e0f24e8 <= x && x <= 0x4.0e0f24e8; assert value(x) >= 1.0;",
    "of variables": "assume 0 <= i && i <= 3; assert small(i) + 0x1.0e0f4e3 == small(i + 1);",
}
FAILS = {
    "rounding": "assume x > 0x0.0e0f24e8; assert x + 0x1.0e0f24e8 > x;",
    "a NaN compares to nothing": "assert x <= x;",
    "what is left open": "assert byte(RTZ, 0NaN24e8) == 128bv8;",
    "either zero": "assert least(0x0.0e0f24e8, -0x0.0e0f24e8) == 0x0.0e0f24e8;",
    "maps differ": "a[1] := x; b := a[1 := y]; assert a == b;",
}


def program(body: str) -> str:
    variables = "var x, y: float; var i: int; var r: rmode; var m: [float]int; var a, b: [int]float;"
    return f"{DECLARED} datatype D {{ P(p: float) }} procedure main() {{ {variables} {body} }}"


def verdict(body: str, folder: Path) -> Verdict:
    file = folder / "x.bpl"
    file.write_text(program(body))
    return verify(str(file), Options(workers=1, journal=None, timelimit=60)).verdict


@pytest.mark.parametrize("name", HOLDS)
def test_holds(name: str, tmp_path: Path) -> None:
    assert isinstance(verdict(HOLDS[name], tmp_path), Safe)


@pytest.mark.parametrize("name", FAILS)
def test_fails(name: str, tmp_path: Path) -> None:
    assert isinstance(verdict(FAILS[name], tmp_path), Unsafe)


def test_the_program_has_bit_vectors_only() -> None:
    text = "type O = { v: float24e8 }; var h: [int]O; procedure main() { assert h[1]!v == h[1]!v; }"
    found = read_boogie(text, "x.bpl")
    (heap,) = found.globals
    assert heap.sort.element.constructors[0].fields[0].width == 32
    (check,) = (one for one in found.procedures["main"].statements() if isinstance(one, Assert))
    assert check.condition is TRUE or check.condition.sort.is_bool


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("var x: float2e2; procedure main() { assert x == x; }", "3 to 256 bits of significand"),
        ("function {:builtin \"fp.rem\"} f(x: float24e8, y: float24e8): float24e8;"
         " procedure main(x: float24e8) { assert f(x, x) == x; }", 'needs the operator "fp.rem"'),
    ],
)  # fmt: skip
def test_refused(text: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        read_boogie_bytes(text.encode(), "x.bpl")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("x + 1.0 == x", "'\\+' does not take 'float24e8' and 'real'"),
        ("x + 0x1.0e0f53e11 == x", "'\\+' does not take 'float24e8' and 'float53e11'"),
        ("x == 0x1.0e32f24e8", "outside of its format"),
        ("x == 0x1.ffffffe0f24e8", "outside of its format"),
        ("r < r", "'<' does not take 'rmode' and 'rmode'"),
        ("x->bits == x->bits", "'float24e8' has no field 'bits'"),
    ],
)
def test_wrong(expression: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_boogie_bytes(program(f"assert {expression};").encode(), "x.bpl")


TINY = Format(3, 4)


@given(st.fractions(-40, 40, max_denominator=1000), st.sampled_from(Rounding))
def test_reals_are_rounded_as_constants_are(value: Fraction, mode: Rounding) -> None:
    x = var("x", REAL)
    rounded = bits_of(to_float(TINY, True, mode_term(mode), x))
    assert evaluate(rounded, {x: value}.__getitem__, World()) == nearest(TINY, mode, value)


@given(st.integers(0, 2**TINY.width - 1), st.sampled_from(Rounding))
def test_a_number_is_the_nearest_to_itself(bits: int, mode: Rounding) -> None:
    if not exact.is_nan(TINY, bits) and not exact.is_infinite(TINY, bits) and bits != TINY.sign:
        assert nearest(TINY, mode, value_of(TINY, bits)) == bits
