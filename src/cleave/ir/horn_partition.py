"""Partitions of a Horn query: the paths that lead to ``false``, separated by the rules of their last steps.

    0  Inv(x)      :- x = 0
    1  Inv(x + 1)  :- Inv(x), x < 10
    2  false       :- Inv(y), y > 10

    Partition(2, ())           false :- Inv(y), y > 10                       the query itself
    Partition(2, ((0, 0),))    false :- y > 10, y = x!1, x!1 = 0             its first atom came from rule 0
    Partition(2, ((0, 1),))    false :- Inv(x!1), y > 10, y = x!1 + 1, x!1 < 10

Splitting a partition on one atom of its body gives one partition for each rule of that atom's predicate (P3, section
IV-B: the pre-images of the bad states). The partition is safe if and only if all of these are. One whose constraint has
no solution needs no search, and `validate.clauses.resolvents` checks what was left out; but a split of which nothing is
left leaves no record: then the partition itself is to be closed, or one of its parts to be kept.

A partition is plain data, numbers of clauses and of atoms, and means the same in every process that has the system.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.errors import InternalError
from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.binding import fresh_variables, names, own_binders
from cleave.logic.terms import Term, conj_all, eq, var
from cleave.logic.walk import free_variables, substitute
from cleave.records import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """Clause number ``query``, and for each resolution the number of the atom in the body as it was by then, and the
    number of the rule's clause. The rule's body takes the atom's place."""

    query: int
    path: tuple[tuple[int, int], ...] = ()

    def child(self, atom: int, rule: int) -> Partition:
        return Partition(self.query, (*self.path, (atom, rule)))

    def __str__(self) -> str:
        steps = "".join(f", atom {atom} by clause {rule}" for atom, rule in self.path)
        return f"query {self.query}{steps}"


def whole(system: HornSystem) -> tuple[Partition, ...]:
    """One partition for each query: all that there is to search."""
    return tuple(Partition(number) for number, clause in enumerate(system.clauses) if clause.is_query)


def rules_for(system: HornSystem, predicate: str) -> tuple[int, ...]:
    """The numbers of the clauses that derive facts of ``predicate``."""
    return tuple(
        number
        for number, clause in enumerate(system.clauses)
        if clause.head is not None and clause.head.predicate == predicate
    )


def split(system: HornSystem, partition: Partition, atom: int) -> tuple[Partition, ...]:
    """The partitions that together are ``partition``, one for each way to derive its ``atom``."""
    predicate = resolve(system, partition).body[atom].predicate
    return tuple(partition.child(atom, rule) for rule in rules_for(system, predicate))


def resolve(system: HornSystem, partition: Partition) -> Clause:
    """The query that the partition stands for."""
    query = system.clauses[partition.query]
    if not query.is_query:
        raise InternalError(f"clause {partition.query} is no query")
    for number, (atom, rule) in enumerate(partition.path, start=1):
        query = resolvent(query, atom, system.clauses[rule], number)
    return query


def resolvent(query: Clause, atom: int, rule: Clause, number: int) -> Clause:
    """``query`` with ``rule`` in the place of an atom. ``number``, that of the resolution, tells the rule's variables
    from those of other copies."""
    resolved = query.body[atom]
    if rule.head is None or rule.head.predicate != resolved.predicate:
        raise InternalError(f"the rule does not derive {resolved.predicate}")
    own = _apart(rule, names(_terms(query)), number)
    assert own.head is not None
    unified = [eq(given, derived) for given, derived in zip(resolved.arguments, own.head.arguments, strict=True)]
    body = (*query.body[:atom], *own.body, *query.body[atom + 1 :])
    return replace(query, body=body, constraint=conj_all([query.constraint, *unified, own.constraint]))


def _apart(rule: Clause, taken: set[str], number: int) -> Clause:
    """``rule`` with other variables: ``x!1`` for ``x`` in the first resolution."""
    suffix = f"!{number}"
    while any(name.endswith(suffix) for name in taken):
        suffix += "!"
    fresh = fresh_variables(taken | names(_terms(rule)))
    terms = [own_binders(term, fresh) for term in _terms(rule)]
    apart = {variable: var(variable.name + suffix, variable.sort) for variable in free_variables(*terms)}
    memo: dict[Term, Term] = {}
    return _mapped(rule, [substitute(term, apart, memo) for term in terms])


def _terms(clause: Clause) -> list[Term]:
    return [clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments)]


def _mapped(clause: Clause, terms: list[Term]) -> Clause:
    """``clause`` with other terms, in the order of `_terms`."""
    rest = iter(terms)
    constraint = next(rest)
    atoms = [Atom(atom.predicate, tuple(next(rest) for _ in atom.arguments)) for atom in clause.atoms()]
    head = None if clause.head is None else atoms.pop(0)
    return replace(clause, head=head, body=tuple(atoms), constraint=constraint)
