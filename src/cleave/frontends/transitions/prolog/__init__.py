"""The Prolog front end: Horn clauses and transition systems as Prolog clauses in, `ir.horn.HornSystem` out.

Two kinds of files have this ending, and differ in their content:

    false :- p(X), X > 3.                                                clauses: see `program`
    p(Y) :- p(X), Y = X + 1.

    start(pc(a)).  error(pc(b)).                                         transitions: see `transitions`
    r(p(pc(a), data(X)), p(pc(b), data(Y)), [X > 3], [Y = X], 1).
"""

from __future__ import annotations

from cleave.frontends.transitions.prolog.parser import read_terms
from cleave.frontends.transitions.prolog.program import program_clauses
from cleave.frontends.transitions.prolog.statements import read_statements
from cleave.frontends.transitions.prolog.tokens import Source
from cleave.frontends.transitions.prolog.transitions import holds_transitions, transition_clauses
from cleave.ir.horn import HornSystem
from cleave.logic.sexpr import decode_text

__all__ = ["read_prolog"]


def read_prolog(file: str, content: bytes) -> HornSystem:
    """The clauses of a file; ``file`` is its name in messages. Raises `InputError` with the place."""
    source = Source(decode_text(content, file), file)
    statements = read_statements(source, read_terms(source))
    if holds_transitions(statements):
        return transition_clauses(source, statements)
    return program_clauses(source, statements)
