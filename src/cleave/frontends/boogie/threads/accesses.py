"""Which variables a statement accesses, and of maps, at which indices.

m[i] := m[j] + x        writes m at i; reads m at j, i, j and x
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder


class Access(NamedTuple):
    """A variable, or what it holds at indices; ``path`` may be shorter than the map is deep."""

    variable: Term
    path: tuple[Term, ...] = ()


def reads_of(statement: ir.Statement, watched: frozenset[Term]) -> Iterator[Access]:
    match statement:
        case ir.Assume():
            terms: Iterable[Term] = (statement.condition,)
        case ir.Assign(targets, values):
            terms = [part for pair in zip(targets, values, strict=True) for part in _computed(*pair)]
        case ir.Call() | ir.Spawn():
            terms = statement.arguments
        case ir.Join():
            terms = (statement.thread,)
        case _:
            return
    yield from accessed(terms, watched)


def accessed(terms: Iterable[Term], watched: frozenset[Term]) -> Iterator[Access]:
    """What selections read, each with its indices, which are read as well."""
    pending, seen = list(terms), set[Term]()
    while pending:
        term = pending.pop()
        if term in seen:
            continue
        seen.add(term)
        path: list[Term] = []
        base = term
        while base.op is Op.SELECT:
            path.insert(0, base.args[1])
            base = base.args[0]
        bound = {v for one in postorder((term,)) if one.op in (Op.FORALL, Op.EXISTS) for v in one.value.variables}
        if base in watched:
            yield Access(base, tuple(path))
            pending += path
        elif not bound:
            pending += term.args
        else:  # indices that a quantifier binds are not known
            yield from (Access(one) for one in postorder((term,)) if one in watched)


def _computed(target: Term, value: Term) -> Iterable[Term]:
    """What an assignment reads: of ``m := m[i := v]`` only the index and the value."""
    changes = _changes(target, value)
    return (value,) if changes is None else [term for one in changes for term in one.reads]


def stored(target: Term, value: Term) -> Iterator[Access]:
    changes = _changes(target, value)
    yield from (Access(target),) if changes is None else (Access(target, one.path) for one in changes)


class _Change(NamedTuple):
    path: tuple[Term, ...]
    reads: tuple[Term, ...]


def _changes(old: Term, new: Term) -> list[_Change] | None:
    """The elements in which a map differs from the old one; None: it is made otherwise. As deep as maps are nested."""
    found: list[_Change] = []
    while new is not old:
        if new.op is not Op.STORE:
            return None
        before, index, element = new.args
        inner = _changes(t.select(before, index), element) if element.sort.is_array else None
        deeper = [_Change((), (element,))] if inner is None else inner
        found += [_Change((index, *one.path), (index, *one.reads)) for one in deeper]
        new = before
    return found
