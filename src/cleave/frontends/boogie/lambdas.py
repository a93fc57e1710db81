"""Lambda expressions as maps that a function gives, as Boogie lifts them.

    (lambda x: int :: x + g * 2)        (F (* g 2))    with    (forall h, x :: (F h)[x] == x + h)

The function has what does not depend on ``x`` for its arguments, so that equal expressions are equal maps. An
expression that does not depend on its variables is a constant map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from cleave.frontends.boogie.names import Names
from cleave.logic import terms as t
from cleave.logic.sorts import Sort, array
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import fold, free_variables, postorder, rebuild, substitute
from cleave.records import dataclass


@dataclass(slots=True, eq=False)
class Lambdas:
    """``declare`` takes a function with its axiom."""

    names: Names
    declare: Callable[[Function, Term], None]
    _known: dict[tuple[Term, ...], Function] = field(default_factory=dict)

    def map_of(self, variables: tuple[Term, ...], body: Term) -> Term:
        if free_variables(body).isdisjoint(variables):
            for variable in reversed(variables):
                body = t.const_array(variable.sort, body)
            return body
        canonical = {v: t.var(f"lambda?{n}", v.sort) for n, v in enumerate(variables)}
        inner = {v for node in postorder((body,)) if node.op in (Op.FORALL, Op.EXISTS) for v in node.value.variables}
        holes: dict[Term, Term] = {}

        def combine(node: Term, made: list[tuple[Term, bool]]) -> tuple[Term, bool]:
            """The node, and whether it depends on what is bound; if not, a hole takes its place further up."""
            if node.is_var:
                return canonical.get(node, node), node in canonical or node in inner
            if not any(depends for _, depends in made):
                return node, False
            return rebuild(node, tuple(one if depends else self._hole(one, holes) for one, depends in made)), True

        shape, _ = fold(body, combine)
        key = (shape, *canonical.values())
        if key not in self._known:
            self._known[key] = self._lifted(shape, tuple(canonical.values()), tuple(holes.values()))
        function = self._known[key]
        return t.apply(function, *holes)

    def _hole(self, term: Term, holes: dict[Term, Term]) -> Term:
        if term.is_value:
            return term
        return holes.setdefault(term, t.var(f"hole?{len(holes)}", term.sort))

    def _lifted(self, shape: Term, variables: tuple[Term, ...], holes: tuple[Term, ...]) -> Function:
        result: Sort = shape.sort
        for variable in reversed(variables):
            result = array(variable.sort, result)
        function = Function(self.names.fresh("lambda"), tuple(h.sort for h in holes), result)
        fresh = {v: t.var(self.names.fresh("x", "?"), v.sort) for v in (*holes, *variables)}
        body = substitute(shape, fresh)
        element = t.apply(function, *(fresh[h] for h in holes))
        for variable in variables:
            element = t.select(element, fresh[variable])
        self.declare(function, t.forall(tuple(fresh.values()), t.eq(element, body), ((element,),)))
        return function
