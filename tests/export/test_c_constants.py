"""Bits of a trace as constants of C, each the value that its function returned."""

from __future__ import annotations

import pytest

from cleave.export.c_constants import comparison, constant


@pytest.mark.parametrize(
    ("value", "function", "expected"),
    [
        ("7bv32", "__VERIFIER_nondet_int", "7"),
        ("4294967293bv32", "__VERIFIER_nondet_int", "-3"),
        ("4294967293bv32", "__VERIFIER_nondet_uint", "4294967293U"),
        ("249bv8", "__VERIFIER_nondet_char", "-7"),
        ("249bv8", "__VERIFIER_nondet_uchar", "249"),
        ("true", "__VERIFIER_nondet_bool", "1"),
        ("1bv8", "__VERIFIER_nondet__Bool", "1"),
        ("9223372036854775808bv64", "__VERIFIER_nondet_long", "(-9223372036854775807 - 1)"),
        ("18446744073709551615bv64", "__VERIFIER_nondet_ulong", "18446744073709551615U"),
        ("1070596096bv32", "__VERIFIER_nondet_float", "0x1.a000000000000p+0"),
        ("4611686018427387904bv64", "__VERIFIER_nondet_double", "0x1.0000000000000p+1"),
        ("0bv64", "__VERIFIER_nondet_pointer", "0"),
        ("4294967295bv32", "read_sensor", "-1"),  # equal to an unsigned result, too
        ("100bv8", "read_byte", "100"),
        ("-12", "__VERIFIER_nondet_int", "-12"),
        ("4000000000", "__VERIFIER_nondet_uint", "4000000000U"),
    ],
)
def test_values_that_c_can_write(value: str, function: str, expected: str) -> None:
    assert constant(value, function) == expected


@pytest.mark.parametrize(
    ("value", "function"),
    [
        ("2143289344bv32", "__VERIFIER_nondet_float"),  # not a number: equal to nothing
        ("4096bv64", "__VERIFIER_nondet_pointer"),
        ("200bv8", "read_byte"),  # 200 or -56?
        ("1bv128", "__VERIFIER_nondet_int128"),
        ("[0 := 1]", "__VERIFIER_nondet_int"),
    ],
)
def test_values_that_it_can_not(value: str, function: str) -> None:
    assert constant(value, function) is None


@pytest.mark.parametrize(
    ("value", "function", "expected"),
    [
        ("13835058055282163713bv64", "__VERIFIER_nondet_pointer", "!= 0"),
        ("4096", "__VERIFIER_nondet_charp", "!= 0"),
        ("0bv64", "__VERIFIER_nondet_pointer", "== 0"),
        ("7bv32", "__VERIFIER_nondet_int", "== 7"),
        ("[0 := 1]", "__VERIFIER_nondet_pointer", None),
        ("2143289344bv32", "__VERIFIER_nondet_float", None),
    ],
)
def test_an_address_is_null_or_not(value: str, function: str, expected: str | None) -> None:
    assert comparison(value, function) == expected
