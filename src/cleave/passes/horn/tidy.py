"""Each clause on its own: variables that an equation defines are replaced, so that the clause means the same.

    P(x', y) :- P(x, y), x' = x + 1, y = 0      becomes      P(x + 1, 0) :- P(x, 0)

The facts that a clause gives stay the same, and so does all evidence.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.passes.horn.equations import solve
from cleave.passes.horn.step import Pass


def tidy(system: HornSystem) -> Pass:
    clauses = tuple(tidied(clause) for clause in system.clauses)
    return Pass(replace(system, clauses=clauses), lambda found: found, lambda found: found)


def tidied(clause: Clause) -> Clause:
    arguments = [argument for atom in clause.atoms() for argument in atom.arguments]
    constraint, solved = solve(clause.constraint, arguments, lambda variable: True)
    new = iter(solved)
    atoms = [Atom(atom.predicate, tuple(next(new) for _ in atom.arguments)) for atom in clause.atoms()]
    if clause.head is None:
        return replace(clause, body=tuple(atoms), constraint=constraint)
    return replace(clause, head=atoms[0], body=tuple(atoms[1:]), constraint=constraint)
