"""Heads and bodies: what the terms of a Prolog file say as clauses.

p(X) :- q, r.     Statement(p(X), (q, r))
p(1).             Statement(p(1), ())

Directives that only announce things are left out. Others could bring in clauses that are not in the file, or change how
it is to be read, and are refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.transitions.prolog.syntax import Compound, Prolog, show
from cleave.frontends.transitions.prolog.tokens import Source
from cleave.records import dataclass

_ANNOUNCING = frozenset(
    ("multifile", "dynamic", "discontiguous", "module", "table", "style_check", "set_prolog_flag", "mode", "use_module")
)


@dataclass(frozen=True, slots=True)
class Statement:
    """``head`` holds if all of ``body`` does."""

    head: Compound
    body: tuple[Prolog, ...]


def read_statements(source: Source, terms: Iterable[Prolog]) -> list[Statement]:
    statements = []
    for term in terms:
        if isinstance(term, Compound) and term.name in (":-", "?-") and len(term.arguments) == 1:
            _check_directive(source, term)
        elif isinstance(term, Compound) and term.has(":-", 2):
            statements.append(_statement(source, term.arguments[0], conjuncts(term.arguments[1])))
        else:
            statements.append(_statement(source, term, ()))
    return statements


def conjuncts(term: Prolog) -> tuple[Prolog, ...]:
    """The parts of ``a, b, c``."""
    found: list[Prolog] = []
    stack = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, Compound) and part.has(",", 2):
            stack.extend(reversed(part.arguments))
        elif isinstance(part, Compound) and part.has("{}", 1):
            stack.append(part.arguments[0])
        else:
            found.append(part)
    return tuple(found)


def _statement(source: Source, head: Prolog, body: tuple[Prolog, ...]) -> Statement:
    if not isinstance(head, Compound):
        raise source.error(head.offset, f"a clause starts with a predicate, not with {show(head)[:40]}")
    if head.has("-->", 2):
        raise source.unsupported(head.offset, "grammar rules (-->) are not supported")
    return Statement(head, body)


def _check_directive(source: Source, term: Compound) -> None:
    for part in conjuncts(term.arguments[0]):
        library = isinstance(part, Compound) and part.name == "use_module"
        if not isinstance(part, Compound) or part.name not in _ANNOUNCING:
            raise source.unsupported(term.offset, f"the directive {show(part)[:40]} is not supported")
        if library and not (isinstance(part.arguments[0], Compound) and part.arguments[0].name == "library"):
            raise source.unsupported(term.offset, "other files can't be read along with this one")
