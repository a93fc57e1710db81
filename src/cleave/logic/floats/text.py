"""Operators on floating-point numbers as SMT-LIB-like text, which SMT-LIB itself has only for a sort of its own.

    ((_ fp.add.rne 8 24) a b)          the sum of two bit vectors, as numbers with 8 bits of exponent, 24 of significand
    ((_ fp.lt 8 24) a b)
    ((_ fp.to_fp.rne 8 24 11 53) a)    from one format to another
    ((_ fp.to_sbv.rtz 8 24 32) a)      to an integer of 32 bits

`without_floats` writes a term with SMT-LIB's own operators.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.formats import MODE_WORDS, Floating, Format, Rounding
from cleave.logic.floats.operations import COMPARISONS, FLOATING, TO_INTEGERS, floating
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import Op, SortError, Term
from cleave.logic.walk import fold, rebuild

_MOST_BITS = 1 << 16


def float_head(node: Term) -> str:
    """What stands before the arguments."""
    value: Floating = node.value
    word = node.op.value if node.op in COMPARISONS else f"{node.op.value}.{MODE_WORDS[value.mode]}"
    more = value.to or ((node.sort.width,) if node.op in TO_INTEGERS else ())
    return f"(_ {word} {' '.join(map(str, (*value.format, *more)))})"


_WORDS: dict[str, tuple[Op, Rounding]] = {
    **{op.value: (op, Rounding.NEAREST_EVEN) for op in COMPARISONS},
    **{f"{op.value}.{MODE_WORDS[mode]}": (op, mode) for op in FLOATING.difference(COMPARISONS) for mode in Rounding},
}


def is_float_word(word: str) -> bool:
    return word in _WORDS


def read_float(word: str, indices: Sequence[int], args: Sequence[Term]) -> Term:
    """Raises `SortError` if it does not fit."""
    op, mode = _WORDS[word]
    want = {Op.FP_CONVERT: 4, **dict.fromkeys(TO_INTEGERS, 3)}.get(op, 2)
    if len(indices) != want or any(not 0 < index <= _MOST_BITS for index in indices):
        raise SortError(f"(_ {word} ...) takes {want} indices: the bits of an exponent, of a significand, ...")
    form = Format(*indices[:2])
    to = Format(*indices[2:]) if op is Op.FP_CONVERT else None
    width = indices[2] if op in TO_INTEGERS else (to or form).width
    return floating(op, Floating(form, mode, to), tuple(args), BOOL if op in COMPARISONS else bitvec(width))


def without_floats(term: Term, memo: dict[Term, Term] | None = None) -> Term:
    """The term without operators on floating-point numbers."""
    return fold(term, _plain, memo)


def _plain(node: Term, args: list[Term]) -> Term:
    made = rebuild(node, tuple(args))
    return circuit(made) if made.op in FLOATING else made
