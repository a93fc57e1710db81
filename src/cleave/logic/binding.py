"""Terms whose quantifiers bind names of their own, so that `walk.substitute` captures nothing.

    (and (< x 3) (forall ((x Int)) (< x y)))        (and (< x 3) (forall ((x?0 Int)) (< x?0 y)))

The front ends give bound variables names of their own. Terms from elsewhere, such as a solver's invariants, may bind a
name twice, or one that is also free: they come through here first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import field
from itertools import count

from cleave.logic.terms import Binder, Op, Term, make, var
from cleave.logic.walk import has_quantifier, postorder, rebuild
from cleave.records import dataclass

_QUANTIFIERS = (Op.FORALL, Op.EXISTS)


def names(roots: Iterable[Term]) -> set[str]:
    """The names of all variables in ``roots``, free and bound."""
    found: set[str] = set()
    for node in postorder(roots):
        if node.op is Op.VAR:
            found.add(node.name)
        elif node.op in _QUANTIFIERS:
            found.update(variable.name for variable in node.value.variables)
    return found


def fresh_variables(taken: set[str]) -> Callable[[Term], Term]:
    """Makes variables like a given one: ``x?0``, ``x?1``, ... for ``x`` and for ``x?7``, none of them in ``taken``."""
    numbers = count()

    def fresh(variable: Term) -> Term:
        like = original_name(variable)
        name = next(name for name in (f"{like}?{number}" for number in numbers) if name not in taken)
        return var(name, variable.sort)

    return fresh


def original_name(variable: Term) -> str:
    """What it was called before it was renamed, however often."""
    return re.sub(r"(\?\d+)+$", "", variable.name)


@dataclass(slots=True)
class _Scope:
    """The inside of a quantifier: what its variables are called now, and the terms that were rebuilt there."""

    renamed: dict[Term, Term] = field(default_factory=dict)
    made: dict[Term, Term] = field(default_factory=dict)
    inner: dict[Term, _Scope] = field(default_factory=dict)


def own_binders(root: Term, fresh: Callable[[Term], Term]) -> Term:
    """``root`` with each quantifier binding variables that ``fresh`` made for it alone."""
    if not has_quantifier(root):
        return root
    outermost = _Scope()
    stack = [(root, outermost)]
    while stack:
        node, scope = stack[-1]
        if node in scope.made:
            stack.pop()
            continue
        inside = _inside(node, scope, fresh)
        waiting = [(argument, inside) for argument in node.args if argument not in inside.made]
        if waiting:
            stack.extend(reversed(waiting))
        else:
            stack.pop()
            scope.made[node] = _remade(node, inside)
    return outermost.made[root]


def _inside(node: Term, scope: _Scope, fresh: Callable[[Term], Term]) -> _Scope:
    """The scope of the arguments of ``node``."""
    if node.op not in _QUANTIFIERS:
        return scope
    found = scope.inner.get(node)
    if found is None:
        own = {variable: fresh(variable) for variable in node.value.variables}
        found = scope.inner[node] = _Scope({**scope.renamed, **own})
    return found


def _remade(node: Term, inside: _Scope) -> Term:
    args = tuple(inside.made[argument] for argument in node.args)
    if node.op is Op.VAR:
        return inside.renamed.get(node, node)
    if node.op not in _QUANTIFIERS:
        return rebuild(node, args)
    if args[0].is_value:
        return args[0]
    variables = tuple(inside.renamed[variable] for variable in node.value.variables)
    return make(node.op, args, node.sort, Binder(variables, node.value.trigger_sizes))
