"""What a front end made of a text: its clauses in short, and what Z3's Horn solver says about them."""

from __future__ import annotations

import importlib
from typing import Any

from cleave.ir.horn import Atom, HornSystem
from cleave.ir.horn_check import check_horn
from cleave.ir.horn_text import print_horn

z3: Any = importlib.import_module("z3")


def verdict(system: HornSystem) -> str:
    check_horn(system)
    solver = z3.SolverFor("HORN", ctx=z3.Context())
    solver.set("timeout", 20_000)
    solver.from_string(print_horn(system))
    return {"sat": "safe", "unsat": "unsafe"}.get(str(solver.check()), "unknown")


def shown(system: HornSystem) -> list[str]:
    """One line for each clause: ``(p x) :- (q x y), (< x y)``."""
    check_horn(system)
    lines = []
    for clause in system.clauses:
        head = "false" if clause.head is None else _atom(clause.head)
        lines.append(f"{head} :- {', '.join([*map(_atom, clause.body), repr(clause.constraint)])}")
    return lines


def _atom(atom: Atom) -> str:
    return f"({' '.join([atom.predicate, *map(repr, atom.arguments)])})"
