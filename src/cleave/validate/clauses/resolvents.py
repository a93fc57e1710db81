"""Checks that closed partitions of Horn queries leave nothing out, with resolution of its own.

    the query                       false :- P(x), Q(x), c
    split on atom 0, P has two rules   false :- B1, Q(x), c1       false :- B2, Q(x), c2

A partition is covered if it is closed itself, if its constraint has no solution, or if there is an atom of its body
such that the resolvents with *all* rules of that atom's predicate are covered; where there are no rules, nothing has to
be. Engines leave out resolvents without solutions: each one left out is proved here again to have none.

`ir.horn_partition` says what a partition means; the resolution here is written a second time, and keeps everything as
equations between variables that no two copies of a clause share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack

from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.ir.horn_partition import Partition
from cleave.logic.binding import own_binders
from cleave.logic.terms import Term, conj_all, eq, var
from cleave.logic.walk import free_variables, substitute
from cleave.smt.solver import Answer
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.confirmation import Confirmation, rejected


def covered(
    system: HornSystem, closed: Iterable[Partition], *, seconds: float = 0.0, solvers: InTurn | None = None
) -> Confirmation:
    """Whether the ``closed`` partitions leave nothing out of the system's queries."""
    found = frozenset(closed)
    for partition in sorted(found):
        wrong = meaningless(system, partition)
        if wrong is not None:
            return rejected(wrong)
    with ExitStack() as stack:
        asked = solvers if solvers is not None else stack.enter_context(InTurn(seconds=seconds))
        for number, clause in enumerate(system.clauses):
            if clause.head is None:
                gap = _gap(system, Partition(number), found, asked)
                if gap is not None:
                    return rejected(gap, undecided="decided" in gap)
    return Confirmation(True, "the closed partitions cover all queries")


def meaningless(system: HornSystem, partition: Partition) -> str | None:
    """Why there is no such partition, if there is none."""
    if not 0 <= partition.query < len(system.clauses) or system.clauses[partition.query].head is not None:
        return f"{partition}: clause {partition.query} is no query"
    body = [atom.predicate for atom in system.clauses[partition.query].body]
    for atom, rule in partition.path:
        if not 0 <= atom < len(body):
            return f"{partition}: there is no atom {atom}"
        if rule not in _rules(system, body[atom]):
            return f"{partition}: clause {rule} does not derive {body[atom]}"
        body[atom : atom + 1] = [one.predicate for one in system.clauses[rule].body]
    return None


def _gap(system: HornSystem, root: Partition, closed: Collection[Partition], solvers: InTurn) -> str | None:
    """The first partition below ``root`` that is not covered, in words. Depth first, without recursion: the ways to
    split a partition are tried in turn, and it is left open when none of them covers it."""
    needed = {prefix for partition in closed for prefix in _prefixes(partition)}
    verdicts: dict[Partition, str | None] = {}
    stack = [root]
    while stack:
        partition = stack[-1]
        if partition in verdicts:
            stack.pop()
            continue
        if partition in closed:
            verdicts[partition] = None
            continue
        if partition not in needed:
            verdicts[partition] = _without_solution(system, partition, solvers)
            continue
        waiting = _next_children(system, partition, closed, verdicts)
        if waiting is None:
            verdicts[partition] = None
        elif isinstance(waiting, str):
            verdicts[partition] = waiting
        else:
            stack.extend(waiting)
    return verdicts[root]


def _next_children(
    system: HornSystem, partition: Partition, closed: Collection[Partition], verdicts: dict[Partition, str | None]
) -> list[Partition] | str | None:
    """What has to be known next about a partition that was split: children, or None (covered), or its gap."""
    gap = ""
    for children in splits(system, partition, closed):
        unknown = [child for child in children if child not in verdicts]
        if unknown:
            return unknown[:1]
        gaps = [found for found in (verdicts[child] for child in children) if found is not None]
        if not gaps:
            return None
        gap = gap or gaps[0]
    return gap


def splits(system: HornSystem, partition: Partition, closed: Iterable[Partition]) -> list[list[Partition]]:
    """The children of ``partition`` on each atom that the partitions below it were split on."""
    length = len(partition.path)
    atoms = sorted({other.path[length][0] for other in closed if _is_below(other, partition)})
    body = resolved(system, partition).body
    return [[partition.child(atom, rule) for rule in _rules(system, body[atom].predicate)] for atom in atoms]


def _is_below(other: Partition, partition: Partition) -> bool:
    length = len(partition.path)
    return other.query == partition.query and len(other.path) > length and other.path[:length] == partition.path


def _prefixes(partition: Partition) -> list[Partition]:
    return [Partition(partition.query, partition.path[:length]) for length in range(len(partition.path))]


def _without_solution(system: HornSystem, partition: Partition, solvers: InTurn) -> str | None:
    query = resolved(system, partition)
    if not all(_rules(system, atom.predicate) for atom in query.body):
        return None
    ruling = solvers.decide(query.constraint)
    if ruling.answer is Answer.UNSAT:
        return None
    if ruling.answer is Answer.UNKNOWN:
        return f"{partition} is missing, and whether it has solutions could not be decided ({ruling.reason})"
    return f"{partition} is missing, and has solutions"


# --- resolution -----------------------------------------------------------------------------------------------------


def _rules(system: HornSystem, predicate: str) -> list[int]:
    return [
        number for number, clause in enumerate(system.clauses) if clause.head and clause.head.predicate == predicate
    ]


def resolved(system: HornSystem, partition: Partition) -> Clause:
    """The query that a partition stands for; see `meaningless` for those that stand for none."""
    atoms, constraint = _copy(system.clauses[partition.query], 0)
    parts = [constraint]
    for number, (place, rule) in enumerate(partition.path, start=1):
        (head, *body), constraint = _copy(system.clauses[rule], number)
        parts.extend(eq(left, right) for left, right in zip(atoms[place].arguments, head.arguments, strict=True))
        parts.append(constraint)
        atoms[place : place + 1] = body
    return Clause(None, tuple(atoms), conj_all(parts), system.clauses[partition.query].location)


def _copy(clause: Clause, number: int) -> tuple[list[Atom], Term]:
    """The atoms of the clause, its head first, and its constraint, over variables whose names begin with ``number``, so
    that no other copy has them."""
    bound = 0

    def fresh(variable: Term) -> Term:
        nonlocal bound
        bound += 1
        return var(f"{number}?{bound}", variable.sort)

    def apart(term: Term) -> Term:
        own = own_binders(term, fresh)
        return substitute(own, {one: var(f"{number}!{one.name}", one.sort) for one in free_variables(own)})

    atoms = [Atom(atom.predicate, tuple(map(apart, atom.arguments))) for atom in clause.atoms()]
    return atoms, apart(clause.constraint)
