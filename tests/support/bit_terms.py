"""Random terms over bit vectors of three bits: small enough to try all values."""

from __future__ import annotations

from hypothesis import strategies as st

from cleave.logic.sorts import array, bitvec
from cleave.logic.terms import (
    Op,
    Term,
    bv,
    bv_binary,
    bv_compare,
    bv_unary,
    concat,
    distinct,
    eq,
    extract,
    ite,
    select,
    sign_extend,
    store,
    var,
    zero_extend,
)

WIDTH = 3
SORT = bitvec(WIDTH)
VARIABLES = tuple(var(name, SORT) for name in "xyz")
TABLE = var("table", array(SORT, SORT))

_COMPARISONS = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)
_BINARY = [op for op in Op if op.value.startswith("bv") and op not in (Op.BV_NOT, Op.BV_NEG, *_COMPARISONS)]
_LEAVES = st.one_of(st.sampled_from(VARIABLES), st.integers(0, 7).map(lambda n: bv(n, WIDTH)))


def _condition(of: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(bv_compare, st.sampled_from(_COMPARISONS), of, of),
        st.tuples(of, of).map(lambda pair: eq(*pair)),
        st.tuples(of, of, of).map(lambda three: distinct(*three)),
    )


def _without_memory(smaller: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pair = st.tuples(smaller, smaller)
    return st.one_of(
        st.builds(bv_binary, st.sampled_from(_BINARY), smaller, smaller),
        st.builds(bv_unary, st.sampled_from((Op.BV_NOT, Op.BV_NEG)), smaller),
        st.builds(ite, _condition(smaller), smaller, smaller),
        pair.map(lambda p: extract(concat(*p), 4, 2)),
        pair.map(lambda p: extract(bv_binary(Op.BV_MUL, zero_extend(p[0], 3), sign_extend(p[1], 3)), 3, 1)),
        pair.map(lambda p: extract(bv_binary(Op.BV_SDIV, sign_extend(p[0], 2), sign_extend(p[1], 2)), 2, 0)),
    )


def _with_memory(smaller: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        _without_memory(smaller),
        smaller.map(lambda index: select(TABLE, index)),
        st.tuples(smaller, smaller, smaller).map(lambda p: select(store(TABLE, p[0], p[1]), p[2])),
    )


TERMS = st.recursive(_LEAVES, _with_memory, max_leaves=6)
SMALL_TERMS = st.recursive(_LEAVES, _without_memory, max_leaves=3)
CONDITIONS = _condition(SMALL_TERMS)
