"""One interpretation of the whole system from those of its partitions, and the check of a partitioned proof.

    0  P(x)   :- x = 0                         2 by 0    false :- y > 9, y = x, x = 0
    1  P(x+1) :- P(x), x < 5                   2 by 1    false :- P(x), y > 9, y = x + 1, x < 5
    2  false  :- P(y), y > 9

    P(p) := p >= 0   and   P(p) := true        joined:   P(p) := p >= 0 and not (p > 9)

The conjunction of interpretations that satisfy the rules satisfies the rules, and each partition's query is satisfied
by its own interpretation. From the resolvents back to the query that was split: let ``Bad(p)`` be the facts of the atom
with which the query derives ``false`` (its other atoms being facts of the conjunction). No rule derives a fact in Bad:
that is what the resolvents say. So ``not Bad`` can be added to the relation of the atom's predicate, and then the query
itself is satisfied. This goes up the tree of splits.

That is an argument, and not yet a check: `check_partitions` checks the joined interpretation on the original clauses,
like any other. Where it can't be confirmed, which quantifiers over the query's other variables may cause, every
partition is checked by itself, and that they cover the queries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial

from cleave.ir.horn import Clause, HornSystem, Interpretation, Relation
from cleave.ir.horn_partition import Partition
from cleave.logic.binding import fresh_variables, names, own_binders
from cleave.logic.terms import FALSE, Op, Term, add, bv_binary, conj, conj_all, eq, forall, neg, sub, var
from cleave.logic.walk import free_variables, rebuild, substitute
from cleave.validate.clauses.defined import instance
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_clauses, check_interpretation, clause_terms, ill_formed, prepared
from cleave.validate.clauses.resolvents import covered, meaningless, resolved, splits
from cleave.validate.confirmation import Confirmation, named, rejected

Interpretations = Mapping[Partition, Interpretation]
_Fresh = Callable[[Term], Term]

_JOINED_SHARE = 0.5  # of the time that is left, for the joined interpretation


def check_partitions(
    system: HornSystem, closed: Interpretations, *, seconds: float = 0.0, solvers: InTurn | None = None
) -> Confirmation:
    """Whether the interpretations of the ``closed`` partitions prove the system safe."""
    for partition, interpretation in closed.items():
        wrong = meaningless(system, partition)
        if wrong is not None:
            return rejected(wrong)
        ill = ill_formed(system, interpretation)
        if ill is not None:
            return rejected(f"{partition}: {ill.text}")
    with ExitStack() as stack:
        asked = solvers if solvers is not None else stack.enter_context(InTurn(seconds=seconds))
        with asked.share(_JOINED_SHARE):
            joined = check_interpretation(system, combine(system, closed), solvers=asked)
        if joined.holds:
            return joined
        return _one_by_one(system, closed, asked)


def _one_by_one(system: HornSystem, closed: Interpretations, solvers: InTurn) -> Confirmation:
    by: Counter[str] = Counter()
    rules = [(number, clause) for number, clause in enumerate(system.clauses) if clause.head is not None]
    for partition, interpretation in closed.items():
        query = resolved(system, partition)
        whole = HornSystem(predicates=system.predicates, clauses=(*system.clauses, query))
        clauses = [*rules, (partition.query, query)]
        found = check_clauses(clauses, prepared(whole, interpretation), solvers)
        if isinstance(found, Confirmation):
            return rejected(f"{partition}: {found.text}", undecided=found.undecided, clause=found.clause)
        by += found
    cover = covered(system, closed, solvers=solvers)
    if not cover.holds:
        return rejected(f"the closed partitions do not cover the queries: {cover}", undecided=cover.undecided)
    text = f"{len(closed)} invariants checked clause by clause {named(by, 'clause')}, and that they cover all queries"
    return Confirmation(True, text, by)


# --- joining --------------------------------------------------------------------------------------------------------


def combine(system: HornSystem, closed: Interpretations) -> Interpretation:
    """One interpretation for the whole system; nothing is checked here. Variables are renamed: parameters to ``p!0``,
    ``p!1``, ... and bound ones to others than any copy of a clause uses (see `resolvents`)."""
    fresh = fresh_variables(names(term for clause in system.clauses for term in clause_terms(clause)))
    joined = {name: _conjunction(system, name, closed, fresh) for name in system.predicates}
    for partition in _inner(closed):
        choices = splits(system, partition, closed)
        atom = choices[0][0].path[-1][0]
        query = resolved(system, partition)
        predicate = query.body[atom].predicate
        relation = joined[predicate]
        good = _not_bad(query, atom, relation.parameters, joined, fresh)
        joined[predicate] = Relation(relation.parameters, conj(relation.formula, good))
    return joined


def _conjunction(system: HornSystem, name: str, closed: Interpretations, fresh: _Fresh) -> Relation:
    parameters = tuple(var(f"p!{place}", sort) for place, sort in enumerate(system.predicates[name].sorts))
    if not any(clause.head is not None and clause.head.predicate == name for clause in system.clauses):
        return Relation(parameters, FALSE)  # whatever else was said of it: there are no facts
    relations = (interpretation[name] for interpretation in closed.values() if name in interpretation)
    return Relation(parameters, conj_all(_canonical(relation, parameters, fresh) for relation in relations))


def _inner(closed: Interpretations) -> list[Partition]:
    """The partitions that were split, the deepest first."""
    found = {
        Partition(leaf.query, leaf.path[:length]) for leaf in closed for length in range(len(leaf.path))
    } - closed.keys()
    return sorted(found, key=lambda one: (-len(one.path), one))


def _canonical(relation: Relation, parameters: tuple[Term, ...], fresh: _Fresh) -> Term:
    formula = own_binders(relation.formula, fresh)
    return substitute(formula, dict(zip(relation.parameters, parameters, strict=True)))


def _not_bad(query: Clause, atom: int, parameters: tuple[Term, ...], relations: Interpretation, fresh: _Fresh) -> Term:
    """That with the fact that the atom's predicate has of ``parameters``, the query does not derive ``false``."""
    equations = [eq(*pair) for pair in zip(parameters, query.body[atom].arguments, strict=True)]
    others = [instance(one, relations) for place, one in enumerate(query.body) if place != atom]
    bad = _without_solved(conj_all([*equations, query.constraint, *others]), frozenset(parameters))
    local = tuple(sorted(free_variables(bad) - set(parameters), key=str))
    return own_binders(forall(local, neg(bad)), fresh)


def _without_solved(formula: Term, kept: frozenset[Term]) -> Term:
    """An equivalent of "``formula`` for some values of the variables that are not ``kept``", with fewer of these: where
    an equation says what a variable is equal to, that takes its place."""
    while True:
        found = _solved(formula, kept)
        if found is None:
            return formula
        formula = substitute(formula, dict([found]))


def _solved(formula: Term, kept: frozenset[Term]) -> tuple[Term, Term] | None:
    for one in formula.args if formula.op is Op.AND else (formula,):
        if one.op is not Op.EQ:
            continue
        for left, right in (one.args, one.args[::-1]):
            found = _isolated(left, right, kept)
            if found is not None:
                return found
    return None


def _isolated(sum_: Term, other: Term, kept: frozenset[Term]) -> tuple[Term, Term] | None:
    """A variable and what it is by ``sum_ = other``: the variable itself, or a summand, however deep in the sum."""
    while not sum_.is_var:
        if sum_.op not in _INVERSE or not free_variables(sum_) - kept:
            return None
        first, second = sum_.args
        if free_variables(first) - kept:
            sum_, other = first, _INVERSE[sum_.op](other, second)
        elif sum_.op in (Op.ADD, Op.BV_ADD):
            sum_, other = second, _INVERSE[sum_.op](other, first)
        else:
            sum_, other = second, rebuild(sum_, (first, other))  # first - second = other
    return (sum_, other) if sum_ not in kept and sum_ not in free_variables(other) else None


_INVERSE: dict[Op, Callable[[Term, Term], Term]] = {
    Op.ADD: sub,
    Op.SUB: add,
    Op.BV_ADD: partial(bv_binary, Op.BV_SUB),
    Op.BV_SUB: partial(bv_binary, Op.BV_ADD),
}
