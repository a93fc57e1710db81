"""Formulas over bits as clauses, against their values; refutations, and what is no refutation."""

from __future__ import annotations

import base64
import random
import zlib
from collections.abc import Iterator

import pytest

from cleave.smt.sat.refuting import refutation
from cleave_check.bits import clauses_of
from cleave_check.refusal import Refusal, Unreadable
from cleave_check.refutation import check_refutation, packed, unpacked
from cleave_check.sorts import BOOL, INT, Sort
from cleave_check.terms import Term, conj, neg, value, var
from cleave_check.values import Map, evaluate

pysolvers = pytest.importorskip("pysat.solvers", reason="the extra 'sat' is not installed")

_ARRAY: Sort = ("Array", ("BitVec", 3), ("BitVec", 4))
_UNARY = ("bvnot", "bvneg")
_BINARY = (
    *("bvand", "bvor", "bvxor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"),
    *("bvshl", "bvlshr", "bvashr"),
)
_COMPARED = ("bvult", "bvule", "bvslt", "bvsle", "=", "distinct")


class _Terms:
    """Random ones, over two variables of each width, a Boolean and an array."""

    def __init__(self, pick: random.Random) -> None:
        self.pick = pick
        self.bits = {width: [var(f"x{n}", ("BitVec", width)) for n in (0, 1)] for width in (3, 4, 7)}
        self.truth, self.array = var("b", BOOL), var("a", _ARRAY)

    def number(self, depth: int, width: int) -> Term:
        pick, sort = self.pick, ("BitVec", width)
        draw = pick.random()
        if depth == 0 or draw < 0.15:
            return pick.choice(self.bits[width]) if draw < 0.1 else value(pick.randrange(1 << width), sort)
        if draw < 0.25:
            return Term(pick.choice(_UNARY), (self.number(depth - 1, width),), sort)
        if draw < 0.35:
            parts = (self.condition(depth - 1), self.number(depth - 1, width), self.number(depth - 1, width))
            return Term("ite", parts, sort)
        if draw < 0.45 and width == 4:
            return Term("extract", (self.number(depth - 1, 7),), sort, (5, 2))
        if draw < 0.55 and width == 4:
            return Term("select", (self.map(depth - 1), self.number(depth - 1, 3)), sort)
        if draw < 0.45 and width == 7:
            return Term("concat", (self.number(depth - 1, 3), self.number(depth - 1, 4)), sort)
        if draw < 0.55 and width == 7:
            return Term(pick.choice(("zero_extend", "sign_extend")), (self.number(depth - 1, 4),), sort, (3,))
        return Term(pick.choice(_BINARY), (self.number(depth - 1, width), self.number(depth - 1, width)), sort)

    def map(self, depth: int) -> Term:
        draw = self.pick.random()
        if depth <= 0 or draw < 0.3:
            return self.array
        if draw < 0.4:
            return Term("const", (self.number(depth - 1, 4),), _ARRAY)
        if draw < 0.6:
            return Term("ite", (self.condition(depth - 1), self.map(depth - 1), self.map(depth - 1)), _ARRAY)
        return Term("store", (self.map(depth - 1), self.number(depth - 1, 3), self.number(depth - 1, 4)), _ARRAY)

    def condition(self, depth: int) -> Term:
        draw = self.pick.random()
        if depth <= 0:
            return self.truth
        if draw < 0.6:
            width = self.pick.choice((3, 4, 7))
            return Term(
                self.pick.choice(_COMPARED), (self.number(depth - 1, width), self.number(depth - 1, width)), BOOL
            )
        if draw < 0.9:
            return Term(
                self.pick.choice(("and", "or", "=>")), (self.condition(depth - 1), self.condition(depth - 1)), BOOL
            )
        return Term("not", (self.condition(depth - 1),), BOOL)

    def fixed(self) -> tuple[dict[int, object], list[Term]]:
        """Values of all variables, and that they have them."""
        numbers = [v for group in self.bits.values() for v in group]
        values: dict[int, object] = {id(v): self.pick.randrange(1 << v.sort[1]) for v in numbers}
        entries = {key: self.pick.randrange(16) for key in range(8)}
        values |= {id(self.truth): self.pick.random() < 0.5, id(self.array): Map(0, entries)}
        told = [_equal(v, values[id(v)]) for v in numbers]
        told.append(self.truth if values[id(self.truth)] else neg(self.truth))
        for key, entry in entries.items():
            told.append(_equal(Term("select", (self.array, value(key, ("BitVec", 3))), ("BitVec", 4)), entry))
        return values, told


def _equal(term: Term, to: object) -> Term:
    return Term("=", (term, value(to, term.sort)), BOOL)


def _has_model(formula: Term) -> bool:
    clauses = clauses_of(formula)
    assert clauses is not None
    with pysolvers.Solver("cadical195", bootstrap_with=[list(clause) for clause in clauses]) as solver:
        return bool(solver.solve())


@pytest.mark.parametrize("seed", range(40))
def test_clauses_mean_what_the_formula_means(seed: int) -> None:
    terms = _Terms(random.Random(seed))
    root = terms.number(3, terms.pick.choice((3, 4, 7)))
    values, told = terms.fixed()
    found = evaluate(root, lambda v: values[id(v)], lambda *_: None)
    assert _has_model(conj(*told, _equal(root, found)))
    assert not _has_model(conj(*told, neg(_equal(root, found))))


def test_numbers_without_bits_and_quantifiers_have_no_clauses() -> None:
    x = var("x", INT)
    assert clauses_of(Term("<", (x, value(3, INT)), BOOL)) is None
    b = var("b", BOOL)
    assert clauses_of(Term("forall", (b,), BOOL, (b,))) is None


# --- refutations -----------------------------------------------------------------------------------------------------


def _pigeons(count: int) -> list[tuple[int, ...]]:
    """So many pigeons in one hole less."""
    holes = range(count - 1)
    number = {(pigeon, hole): pigeon * len(holes) + hole + 1 for pigeon in range(count) for hole in holes}
    somewhere = [tuple(number[pigeon, hole] for hole in holes) for pigeon in range(count)]
    alone = [(-number[p, hole], -number[q, hole]) for hole in holes for p in range(count) for q in range(p)]
    return somewhere + alone


def test_what_a_solver_finds_is_accepted() -> None:
    clauses = _pigeons(5)
    steps = refutation(clauses)
    assert steps is not None
    assert check_refutation(clauses, unpacked(packed(steps))) == len(steps) > 10


def test_clauses_with_a_model_have_none() -> None:
    assert refutation([(1, 2), (-1, 2)]) is None
    assert refutation(_pigeons(9), conflicts=10) is None


def _changed(steps: list[tuple[list[int], list[int]]], pick: random.Random) -> Iterator[int]:
    literals, hints = steps[pick.randrange(len(steps))]
    if literals and pick.random() < 0.5:
        literals[pick.randrange(len(literals))] *= -1
        yield 1
    elif hints:
        del hints[pick.randrange(len(hints))]
        yield 1


@pytest.mark.parametrize("seed", range(20))
def test_a_refutation_of_fewer_clauses_is_refused(seed: int) -> None:
    """Without one of its clauses the problem has a model, so nothing whatever refutes it."""
    pick, clauses = random.Random(seed), _pigeons(4)
    steps = refutation(clauses)
    assert steps is not None
    less = list(clauses)
    less[pick.randrange(len(less))] = (1, -1)
    for _ in range(20):
        forged = [(list(literals), list(hints)) for literals, hints in steps]
        for _ in range(pick.randrange(3)):
            list(_changed(forged, pick))
        with pytest.raises(Refusal):
            check_refutation(less, forged)


@pytest.mark.parametrize(
    "steps", [[], [([2], [1, 3])], [([], [9])], [([], [0])], [([], [-1])], [([], [])], [([], [1, 1])], [([], [4])]]
)
def test_what_does_not_follow_is_refused(steps: list[tuple[list[int], list[int]]]) -> None:
    with pytest.raises(Refusal):
        check_refutation([(1, 2), (-1, 2), (-2, 3)], steps)


def test_packed_texts_are_read_within_limits() -> None:
    for text in ("", "x", "AAAA", base64.b64encode(zlib.compress(b"1 2")).decode()):
        with pytest.raises(Unreadable):
            list(unpacked(text))
    for content in (b"1 0 2", b"1 0 x 0", b"0 0 0", b"1 0 " + b"9" * 50_000 + b" 0", b"0 0\n\n0 0"):
        with pytest.raises(Unreadable):
            list(unpacked(base64.b64encode(zlib.compress(content)).decode()))
    bomb = zlib.compress(b"1 " * 60_000_000)
    with pytest.raises(Unreadable, match="too long"):
        list(unpacked(base64.b64encode(bomb).decode()))
