"""Small random Horn systems over bit vectors of two bits, and what is true of them, by enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from hypothesis import strategies as st

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Interpretation, Predicate, Relation, Step
from cleave.logic import terms as t
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, Term
from cleave.validate.semantics.evaluate import World, evaluate

WIDTH = 2
SORT = bitvec(WIDTH)
VALUES = tuple(range(1 << WIDTH))
VARIABLES = tuple(t.var(name, SORT) for name in "xyz")
ARITIES = {"P": 1, "Q": 2}
PREDICATES = {name: Predicate(name, (SORT,) * arity) for name, arity in ARITIES.items()}

Fact = tuple[int, ...]
Facts = Mapping[str, frozenset[Fact]]


def value(number: int) -> Term:
    return t.bv(number, WIDTH)


def arguments() -> st.SearchStrategy[Term]:
    plain = st.sampled_from(VARIABLES)
    return st.one_of(
        plain,
        plain,
        st.sampled_from(VALUES).map(value),
        st.builds(lambda a, b: t.bv_binary(Op.BV_ADD, a, value(b)), plain, st.sampled_from(VALUES)),
    )


def atoms() -> st.SearchStrategy[Atom]:
    def of(name: str) -> st.SearchStrategy[Atom]:
        return st.tuples(*[arguments()] * ARITIES[name]).map(lambda found: Atom(name, found))

    return st.sampled_from(sorted(ARITIES)).flatmap(of)


def constraints() -> st.SearchStrategy[Term]:
    compared = st.one_of(
        st.builds(t.eq, arguments(), arguments()),
        st.builds(t.bv_compare, st.sampled_from([Op.BV_ULT, Op.BV_SLE]), arguments(), arguments()),
    )
    literals = st.one_of(compared, compared.map(t.neg))
    bound = st.builds(lambda body: t.exists((VARIABLES[2],), body), compared)  # z may be free elsewhere
    return st.lists(st.one_of(literals, literals, literals, bound), max_size=2).map(t.conj_all)


def clauses(*, query: bool) -> st.SearchStrategy[Clause]:
    head = st.none() if query else atoms()
    return st.builds(Clause, head, st.lists(atoms(), min_size=int(query), max_size=2).map(tuple), constraints())


def systems() -> st.SearchStrategy[HornSystem]:
    rules = st.lists(clauses(query=False), min_size=1, max_size=4)
    queries = st.lists(clauses(query=True), min_size=1, max_size=2)
    return st.builds(lambda a, b: HornSystem(predicates=PREDICATES, clauses=(*a, *b)), rules, queries)


# --- what is true ---------------------------------------------------------------------------------------------------


def instances(clause: Clause) -> Iterator[tuple[tuple[str, Fact] | None, tuple[tuple[str, Fact], ...]]]:
    """The head and the body for all values that satisfy the constraint."""
    for row in product(VALUES, repeat=len(VARIABLES)):
        state = dict(zip(VARIABLES, row, strict=True))

        def computed(term: Term, state: dict[Term, int] = state) -> int:
            found = evaluate(term, state.__getitem__, World())
            assert isinstance(found, int)
            return found

        if computed(clause.constraint):
            facts = [(atom.predicate, tuple(map(computed, atom.arguments))) for atom in clause.atoms()]
            yield (None, tuple(facts)) if clause.head is None else (facts[0], tuple(facts[1:]))


def satisfies(clause: Clause, facts: Facts) -> bool:
    return not any(
        all(fact in facts[name] for name, fact in body) and (head is None or head[1] not in facts[head[0]])
        for head, body in instances(clause)
    )


def derivation(system: HornSystem) -> tuple[dict[str, frozenset[Fact]], Derivation | None]:
    """All facts that follow, and a derivation of ``false`` if there is one."""
    steps: list[Step] = []
    known: dict[tuple[str, Fact], int] = {}
    rows = [(number, *row) for number, clause in enumerate(system.clauses) for row in instances(clause)]
    grew, wrong = True, None
    while grew:
        grew = False
        for number, head, body in rows:
            if head is not None and head not in known and all(fact in known for fact in body):
                known[head] = len(steps)
                premises = tuple(known[fact] for fact in body)
                steps.append(Step(number, head[0], tuple(map(value, head[1])), premises))
                grew = True
    for number, head, body in rows:
        if head is None and wrong is None and all(fact in known for fact in body):
            wrong = Derivation((*steps, Step(number, None, (), tuple(known[fact] for fact in body))))
    return {name: frozenset(fact for one, fact in known if one == name) for name in ARITIES}, wrong


def relation(facts: frozenset[Fact], arity: int, *, names: str = "xy", quantified: bool = False) -> Relation:
    """Exactly these facts; ``quantified`` says it in a roundabout way, with bound variables named like others."""
    parameters = tuple(t.var(names[place], SORT) for place in range(arity))
    rows = [t.conj_all(t.eq(p, value(v)) for p, v in zip(parameters, fact, strict=True)) for fact in sorted(facts)]
    formula = t.disj_all(rows)
    if quantified:
        other = VARIABLES[2]
        formula = t.conj(
            formula, t.forall((other,), t.disj(t.eq(other, parameters[0]), t.neg(t.eq(other, parameters[0]))))
        )
        formula = t.conj(formula, t.exists((other,), t.eq(other, parameters[0])))
    return Relation(parameters, formula)


def interpretation(facts: Facts, *, quantified: bool = False) -> Interpretation:
    return {name: relation(facts[name], arity, quantified=quantified) for name, arity in ARITIES.items()}
