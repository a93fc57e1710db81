"""Operators on floating-point numbers as terms: sorts, text, bytes, folding."""

from __future__ import annotations

import pytest

from cleave.errors import InputError
from cleave.logic.encoding import decode, encode
from cleave.logic.floats.formats import DOUBLE, SINGLE, Format, Rounding
from cleave.logic.floats.operations import FLOATING, arithmetic, compare, convert, from_integer, to_integer
from cleave.logic.floats.text import without_floats
from cleave.logic.smtlib import print_script, print_term
from cleave.logic.smtlib_operators import indexed
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, SortError, Term, bv, var
from cleave.logic.walk import postorder

A, B = var("a", bitvec(32)), var("b", bitvec(32))
TERMS = {
    "((_ fp.add.rne 8 24) a b)": arithmetic(Op.FP_ADD, SINGLE, A, B),
    "((_ fp.sqrt.rtp 8 24) a)": arithmetic(Op.FP_SQRT, SINGLE, A, mode=Rounding.UPWARD),
    "((_ fp.leq 8 24) a b)": compare(Op.FP_LE, SINGLE, A, B),
    "((_ fp.to_fp.rne 8 24 11 53) a)": convert(A, SINGLE, DOUBLE),
    "((_ fp.to_ubv.rtz 8 24 7) a)": to_integer(A, SINGLE, 7, is_signed=False),
    "((_ fp.from_sbv.rna 11 53) a)": from_integer(A, DOUBLE, is_signed=True, mode=Rounding.NEAREST_AWAY),
}


@pytest.mark.parametrize(("text", "term"), TERMS.items(), ids=TERMS.keys())
def test_text_and_bytes(text: str, term: Term) -> None:
    assert print_term(term) == text
    word, *indices = text[4 : text.index(")")].split()
    assert indexed(word, [int(index) for index in indices], term.args) is term
    assert decode(encode([term])) == [term]


def test_scripts_have_none_of_them() -> None:
    script = print_script([TERMS["((_ fp.leq 8 24) a b)"]])
    assert "fp." not in script
    assert "bvult" in script
    nested = arithmetic(Op.FP_MUL, SINGLE, TERMS["((_ fp.add.rne 8 24) a b)"], B)
    assert not any(node.op in FLOATING for node in postorder((without_floats(nested),)))


def test_constants_are_folded() -> None:
    one = bv(0x3F800000, 32)
    assert arithmetic(Op.FP_ADD, SINGLE, one, one) is bv(0x40000000, 32)
    assert compare(Op.FP_LT, SINGLE, bv(0, 32), one).is_true
    assert to_integer(arithmetic(Op.FP_DIV, SINGLE, one, bv(0x40000000, 32)), SINGLE, 8, is_signed=True) is bv(0, 8)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(SortError):
        arithmetic(Op.FP_ADD, DOUBLE, A, B)
    with pytest.raises(SortError):
        compare(Op.FP_EQ, Format(2, 30), A, B)
    with pytest.raises(SortError, match="takes 2 indices"):
        indexed("fp.lt", [8], (A, B))
    good = encode([TERMS["((_ fp.add.rne 8 24) a b)"]])
    for bad in (good.replace(bytes([8, 24, 0]), bytes([8, 25, 0])), good.replace(bytes([8, 24, 0]), bytes([8, 24, 5]))):
        with pytest.raises(InputError):
            decode(bad)
