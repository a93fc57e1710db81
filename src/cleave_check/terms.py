"""Terms: a DAG of operators applied to terms. Variables differ by identity, not by name.

Nothing is rewritten, with one exception: the connectives drop what is plainly true or false, so that paths which can't
be taken disappear from a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cleave_check.sorts import BOOL, INT, Sort


class Term:
    """``data`` is a literal's value, the name of a variable or function, the indices of an operator, or the variables
    that a quantifier binds."""

    __slots__ = ("args", "data", "op", "sort")

    def __init__(self, op: str, args: tuple[Term, ...], sort: Sort, data: Any = None) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.data = data


TRUE = Term("value", (), BOOL, True)
FALSE = Term("value", (), BOOL, False)


def var(name: str, sort: Sort) -> Term:
    return Term("var", (), sort, name)


def value(data: Any, sort: Sort) -> Term:
    if sort == BOOL:
        return TRUE if data else FALSE
    return Term("value", (), sort, data)


def integer(number: int) -> Term:
    return value(number, INT)


def conj(*args: Term) -> Term:
    kept = list(dict.fromkeys(a for a in args if a is not TRUE))
    if FALSE in kept:
        return FALSE
    if len(kept) < 2:
        return kept[0] if kept else TRUE
    return Term("and", tuple(kept), BOOL)


def disj(*args: Term) -> Term:
    kept = list(dict.fromkeys(a for a in args if a is not FALSE))
    if TRUE in kept:
        return TRUE
    if len(kept) < 2:
        return kept[0] if kept else FALSE
    return Term("or", tuple(kept), BOOL)


def neg(a: Term) -> Term:
    if a is TRUE:
        return FALSE
    if a is FALSE:
        return TRUE
    return a.args[0] if a.op == "not" else Term("not", (a,), BOOL)


def equal(a: Term, b: Term) -> Term:
    return TRUE if a is b else Term("=", (a, b), BOOL)


def choice(condition: Term, then: Term, other: Term) -> Term:
    if condition is TRUE or then is other:
        return then
    if condition is FALSE:
        return other
    return Term("ite", (condition, then, other), then.sort)


def below(roots: Iterable[Term]) -> Iterator[Term]:
    """All terms below the roots, each once, arguments first."""
    seen: set[int] = set()
    stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(list(roots))]
    while stack:
        term, ready = stack.pop()
        if ready:
            yield term
        elif id(term) not in seen:
            seen.add(id(term))
            stack.append((term, True))
            stack.extend((a, False) for a in reversed(term.args) if id(a) not in seen)


def rebuilt(root: Term, leaf: Callable[[Term], Term | None], fold: Callable[[Term], Term] | None = None) -> Term:
    """``root`` with each variable replaced by what ``leaf`` gives for it; ``fold`` may compute new terms."""
    done: dict[int, Term] = {}
    for term in below((root,)):
        if term.op == "var":
            done[id(term)] = leaf(term) or term
            continue
        args = tuple(done[id(a)] for a in term.args)
        if all(a is b for a, b in zip(args, term.args, strict=True)):
            new = term
        else:
            new = _with(term, args)
        done[id(term)] = fold(new) if fold is not None and args else new
    return done[id(root)]


def substituted(root: Term, values: Mapping[Term, Term]) -> Term:
    return rebuilt(root, values.get)


def _with(term: Term, args: tuple[Term, ...]) -> Term:
    match term.op:
        case "and":
            return conj(*args)
        case "or":
            return disj(*args)
        case "not":
            return neg(args[0])
        case "ite":
            return choice(*args)
        case _:
            return Term(term.op, args, term.sort, term.data)
