"""Normalised clauses mean what the formula meant: all interpretations of small predicates are tried."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.frontends.horn import normalise, read_horn
from cleave.frontends.horn.normalise import Normaliser, NotHornError
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.ir.horn_check import check_horn
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Function, Op, Term

P, Q, R = Function("P", (BOOL,), BOOL), Function("Q", (BOOL, BOOL), BOOL), Function("R", (), BOOL)
DECLARED = {f: Predicate(f.name, f.arguments) for f in (P, Q, R)}
Facts = Mapping[str, frozenset[tuple[bool, ...]]]


def evaluate(term: Term, values: Mapping[str, bool], facts: Facts) -> bool:
    if term.op is Op.VAR:
        return values[term.name]
    if term.op is Op.VALUE:
        return bool(term.value)
    if term.op in (Op.FORALL, Op.EXISTS):
        names = [v.name for v in term.value.variables]
        inner = (
            evaluate(term.args[0], {**values, **dict(zip(names, choice, strict=True))}, facts)
            for choice in product((False, True), repeat=len(names))
        )
        return all(inner) if term.op is Op.FORALL else any(inner)
    args = [evaluate(a, values, facts) for a in term.args]
    match term.op:
        case Op.APPLY:
            return tuple(args) in facts[term.value.name]
        case Op.NOT:
            return not args[0]
        case Op.AND:
            return all(args)
        case Op.OR:
            return any(args)
        case Op.IMPLIES:
            return not args[0] or args[1]
        case Op.ITE:
            return args[1] if args[0] else args[2]
        case Op.EQ:
            return args[0] == args[1]
    raise AssertionError(term.op)


def assignments(clause: Clause) -> Iterator[dict[str, bool]]:
    names = sorted(v.name for v in clause.variables())
    for choice in product((False, True), repeat=len(names)):
        yield dict(zip(names, choice, strict=True))


def holds(atom: Atom, values: Mapping[str, bool], facts: Facts) -> bool:
    return tuple(evaluate(a, values, facts) for a in atom.arguments) in facts[atom.predicate]


def clauses_hold(clauses: list[Clause], facts: Facts, new: list[Predicate]) -> bool:
    """With the least meaning of the new predicates, which is the best for all other clauses."""
    known = {**facts, **{p.name: frozenset() for p in new}}
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            for values in assignments(clause):
                if not evaluate(clause.constraint, values, known):
                    continue
                if not all(holds(atom, values, known) for atom in clause.body):
                    continue
                if clause.head is not None and holds(clause.head, values, known):
                    continue
                if clause.head is None or clause.head.predicate in facts:
                    return False
                fact = tuple(evaluate(a, values, known) for a in clause.head.arguments)
                known[clause.head.predicate] |= {fact}
                changed = True
    return True


def interpretations() -> Iterator[Facts]:
    def subsets(places: int) -> list[frozenset[tuple[bool, ...]]]:
        rows = list(product((False, True), repeat=places))
        return [
            frozenset(r for r, keep in zip(rows, k, strict=True) if keep) for k in product((0, 1), repeat=len(rows))
        ]

    for p, q, r in product(subsets(1), subsets(2)[::3], subsets(0)):
        yield {"P": p, "Q": q, "R": r}


class Formulas:
    """Random formulas over P, Q, R: Horn or nearly so."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def closed(self) -> Term:
        return t.forall((self.variable(0), self.variable(1)), self.formula(4, True, 2))

    def variable(self, number: int) -> Term:
        return t.var(f"b{number}", BOOL)

    def plain(self, known: int) -> Term:
        a, b = (self.variable(self.random.randrange(known)) for _ in range(2))
        return self.random.choice([a, t.neg(b), t.conj(a, b), t.disj(a, t.neg(b)), t.eq(a, b), t.TRUE])

    def formula(self, depth: int, head: bool, known: int) -> Term:
        """``head``: asserted, so that one predicate may be there; else denied, so that all may be."""
        pick = self.random

        def inner(asserted: bool = head) -> Term:
            return self.formula(depth - 1, asserted, known)

        if depth == 0 or pick.random() < 0.15:
            return pick.choice((self.plain(known), self.atom(known), self.atom(known)))
        match pick.randrange(8):
            case 0:
                return t.neg(inner(not head))
            case 1:
                return t.conj(inner(), inner())
            case 2 | 3:
                return t.disj(t.neg(inner(False)), inner()) if head else t.disj(inner(), inner())
            case 4 | 5:
                return t.implies(inner(False), inner()) if head else t.conj(inner(), self.plain(known))
            case 6:
                return t.ite(self.plain(known), inner(), inner())
            case _:
                number = pick.choice((known, 0))  # a new variable, or one that is known: it must be renamed
                variable = t.var(f"c{depth}{number}{pick.randrange(9)}", BOOL)
                body = t.conj(self.formula(depth - 1, head, known), t.disj(variable, self.plain(known)))
                return t.forall((variable,), body) if head else t.exists((variable,), body)

    def atom(self, known: int) -> Term:
        function = self.random.choice((P, Q, R))
        return t.apply(function, *(self.plain(known) for _ in function.arguments))


@pytest.mark.parametrize("wide", [0, 16])
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_clauses_mean_the_formula(wide: int, seed: int) -> None:
    formula = Formulas(seed).closed()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normalise, "_WIDE", wide)
        normaliser = Normaliser(DECLARED, set())
        try:
            clauses = normaliser.clauses(formula, None)
        except NotHornError:
            return
    new = normaliser.new_predicates
    check_horn(HornSystem(predicates={p.name: p for p in (*DECLARED.values(), *new)}, clauses=tuple(clauses)))
    for facts in interpretations():
        assert evaluate(formula, {}, facts) == clauses_hold(clauses, facts, new), (formula, clauses)


def test_enough_of_the_random_formulas_are_horn() -> None:
    """Else the test above promises more than it checks."""
    count = 0
    for seed in range(100):
        try:
            count += len(Normaliser(DECLARED, set()).clauses(Formulas(seed).closed(), None)) > 1
        except NotHornError:
            continue
    assert count > 25


def test_many_cases_stay_linear() -> None:
    """Forty disjunctions of two predicates: 2 ** 40 clauses, were they multiplied."""
    cases = " ".join(f"(or (P{i} x) (Q{i} x))" for i in range(40))
    declared = "".join(f"(declare-fun P{i} (Int) Bool)(declare-fun Q{i} (Int) Bool)" for i in range(40))
    text = f"{declared}(assert (forall ((x Int)) (=> (and {cases}) false)))"
    system = read_horn("f", text.encode())
    check_horn(system)
    assert len(system.clauses) == 81
    assert len(system.predicates) == 120


def test_constraints_stay_whole() -> None:
    cases = " ".join(f"(or (= x {i}) (= y {i}))" for i in range(40))
    text = f"(declare-fun P (Int Int) Bool)(assert (forall ((x Int) (y Int)) (=> (and {cases}) (P x y))))"
    assert len(read_horn("f", text.encode()).clauses) == 1


def test_shared_disjunctions_get_one_predicate() -> None:
    """Each level is used twice by the next: as a tree there are 2 ** 30 of them."""
    text = "(or (P x) (Q x))"
    for level in range(30):
        text = f"(let ((l{level} {text})) (or (and (P (+ x {level})) l{level}) (and (Q (+ x {level})) l{level})))"
    declared = "(declare-fun P (Int) Bool)(declare-fun Q (Int) Bool)"
    system = read_horn("f", f"{declared}(assert (forall ((x Int)) (not {text})))".encode())
    assert len(system.clauses) < 100
