"""Code expressions: whether all executions of a piece of code return true.

    |{ var a: bool; S: a := x < 3; goto X, Y;  X: assume a; return r;  Y: assume !a; return true; }|
    (x < 3 ==> r) && (!(x < 3) ==> true)

That is the weakest precondition of the code, computed backwards over its blocks. Calls are of procedures with a body,
in whose place the body stands. Loops and recursion are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.names import Names
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables, substitute
from cleave.records import dataclass

_MOST_CALLS = 50  # inside of each other


@dataclass(frozen=True, slots=True)
class Code:
    """Blocks, and the variables of their own."""

    blocks: Mapping[str, ir.Block]
    own: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Callee:
    code: Code
    parameters: tuple[Term, ...]
    returns: tuple[Term, ...]


class WeakestPrecondition:
    """``callee`` gives the code of a procedure, or None if it has no body."""

    def __init__(self, source: Source, names: Names, at: int, callee: Callable[[str], Callee | None]) -> None:
        self._source = source
        self._names = names
        self._at = at
        self._callee = callee

    def of(self, code: Code, post: Term, depth: int = 0) -> Term:
        """What has to hold before the code, so that ``post`` holds wherever it returns."""
        fresh = {v: t.var(self._names.fresh(v.name, "?"), v.sort) for v in code.own}
        post = substitute(post, dict(fresh))
        before: dict[str, Term] = {}
        for label in self._backwards(code.blocks):
            block = code.blocks[label]
            after = t.conj_all(before[s] for s in block.successors) if block.successors else post
            for statement in reversed(block.statements):
                after = self._before(statement, after, fresh, depth)
            before[label] = after
        first = before[next(iter(code.blocks))]
        unset = tuple(v for v in fresh.values() if v in free_variables(first))
        return t.forall(unset, first) if unset else first

    def _before(self, statement: ir.Statement, after: Term, own: Mapping[Term, Term], depth: int) -> Term:
        def here(term: Term) -> Term:
            return substitute(term, dict(own))

        match statement:
            case ir.Assume(condition):
                return t.implies(here(condition), after)
            case ir.Assert(condition):
                return t.conj(here(condition), after)
            case ir.Assign(targets, values):
                return substitute(after, {here(v): here(e) for v, e in zip(targets, values, strict=True)})
            case ir.Havoc(targets):
                chosen = {here(v): t.var(self._names.fresh(v.name, "?"), v.sort) for v in targets}
                bound = tuple(chosen[v] for v in chosen if v in free_variables(after))
                return t.forall(bound, substitute(after, chosen)) if bound else after
            case ir.Call(procedure, arguments, results):
                return self._called(procedure, [here(a) for a in arguments], [here(r) for r in results], after, depth)
        raise self._source.unsupported(self._at, "threads in a code expression are not supported")

    def _called(self, name: str, arguments: list[Term], results: list[Term], after: Term, depth: int) -> Term:
        callee = self._callee(name)
        if callee is None or depth > _MOST_CALLS:
            why = "has no body" if callee is None else "calls itself"
            raise self._source.unsupported(self._at, f"a code expression calls '{name}', which {why}")
        copies = {v: t.var(self._names.fresh(v.name, "?"), v.sort) for v in (*callee.parameters, *callee.returns)}
        returned = [copies[v] for v in callee.returns]
        blocks = {label: _renamed(block, copies) for label, block in callee.code.blocks.items()}
        post = substitute(after, dict(zip(results, returned, strict=True)))
        found = self.of(Code(blocks, (*callee.code.own, *returned)), post, depth + 1)
        return substitute(found, {copies[p]: a for p, a in zip(callee.parameters, arguments, strict=True)})

    def _backwards(self, blocks: Mapping[str, ir.Block]) -> list[str]:
        """Each block after those that it leads to."""
        found: dict[str, None] = {}
        started: set[str] = set()
        stack = [next(iter(blocks))]
        while stack:
            label = stack[-1]
            if label in found:
                stack.pop()
                continue
            waiting = [s for s in blocks[label].successors if s not in found]
            if not waiting:
                found[label] = None
                stack.pop()
            elif label in started:
                raise self._source.unsupported(self._at, "loops in code expressions are not supported")
            else:
                started.add(label)
                stack += waiting
        return list(found)


def _renamed(block: ir.Block, copies: Mapping[Term, Term]) -> ir.Block:
    def change(term: Term) -> Term:
        return substitute(term, dict(copies))

    made: list[ir.Statement] = []
    for statement in block.statements:
        match statement:
            case ir.Assume() | ir.Assert():
                made.append(type(statement)(change(statement.condition)))
            case ir.Assign():
                made.append(ir.Assign(tuple(map(change, statement.targets)), tuple(map(change, statement.values))))
            case ir.Havoc():
                made.append(ir.Havoc(tuple(map(change, statement.targets))))
            case ir.Call():
                arguments, results = tuple(map(change, statement.arguments)), tuple(map(change, statement.results))
                made.append(ir.Call(statement.procedure, arguments, results))
            case _:
                made.append(statement)
    return ir.Block(block.label, tuple(made), block.successors)
