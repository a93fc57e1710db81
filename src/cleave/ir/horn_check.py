"""Well-formedness of Horn clauses: what every front end and pass must leave true.

check_horn(system)   # returns None, or raises InternalError with one line for each thing that is wrong:

clause 3: Inv takes (Int), not (Int, Bool)
clause 4: the predicate Inv occurs in the constraint
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.errors import InternalError
from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import free_variables, postorder

_EXPECTED = (None, "safe", "unsafe")


def check_horn(system: HornSystem) -> None:
    """Raises `InternalError` with everything that is ill-formed in ``system``."""
    problems = list(_problems(system))
    if problems:
        raise InternalError("the Horn clauses are ill-formed:\n" + "\n".join(f"  {problem}" for problem in problems))


def check_interpretation_sorts(system: HornSystem, interpretation: Interpretation) -> None:
    """Raises `InternalError` if ``interpretation`` does not fit the predicates; says nothing about whether it holds."""
    problems = list(_interpretation_problems(system, interpretation))
    if problems:
        raise InternalError("the interpretation is ill-formed:\n" + "\n".join(f"  {problem}" for problem in problems))


def _problems(system: HornSystem) -> Iterator[str]:
    for key, predicate in system.predicates.items():
        if key != predicate.name:
            yield f"the predicate {predicate.name} is filed under the name {key}"
    if system.expected not in _EXPECTED:
        yield f"the expected verdict is {system.expected!r}"
    checker = _Clauses(system)
    for number, clause in enumerate(system.clauses):
        yield from (f"clause {number}: {problem}" for problem in checker.problems(clause))


class _Clauses:
    """Terms that were found to be well-formed are not looked at again."""

    def __init__(self, system: HornSystem) -> None:
        self._system = system
        self._functions = set(system.functions)
        self._seen: set[Term] = set()

    def problems(self, clause: Clause) -> Iterator[str]:
        if clause.constraint.sort is not BOOL:
            yield f"the constraint is of sort {clause.constraint.sort!r}"
        yield from self._terms([clause.constraint], "the constraint")
        for atom in clause.atoms():
            yield from self._atom(atom)
        yield from _binding_problems(clause)

    def _atom(self, atom: Atom) -> Iterator[str]:
        predicate = self._system.predicates.get(atom.predicate)
        if predicate is None:
            yield f"{atom.predicate} is not declared"
            return
        sorts = tuple(argument.sort for argument in atom.arguments)
        if sorts != predicate.sorts:
            yield f"{atom.predicate} takes {_list(predicate.sorts)}, not {_list(sorts)}"
        yield from self._terms(list(atom.arguments), f"an argument of {atom.predicate}")

    def _terms(self, roots: list[Term], where: str) -> Iterator[str]:
        for node in postorder(roots, self._seen):
            if node.op is Op.APPLY and node.value not in self._functions:
                function: Function = node.value
                if function.result is BOOL and function.name in self._system.predicates:
                    yield f"the predicate {function.name} occurs in {where}"
                else:
                    yield f"the function {function.name} of {where} is not declared"


def _binding_problems(clause: Clause) -> Iterator[str]:
    """A name is free in a clause, or bound by quantifiers, but not both."""
    roots = [clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments)]
    bound = {v for node in postorder(roots) if node.op in (Op.FORALL, Op.EXISTS) for v in node.value.variables}
    if not bound:
        return
    quantified = {node for node in postorder(roots) if node.op in (Op.FORALL, Op.EXISTS)}
    outside: set[Term] = set()
    stack = list(roots)
    seen: set[Term] = set(quantified)
    while stack:
        node = stack.pop()
        if node.op is Op.VAR:
            outside.add(node)
        elif node not in seen:
            seen.add(node)
            stack += node.args
    for variable in sorted(v.name for v in outside & bound):
        yield f"{variable} is both free and bound"


def _interpretation_problems(system: HornSystem, interpretation: Interpretation) -> Iterator[str]:
    functions = set(system.functions)
    for name, relation in interpretation.items():
        predicate = system.predicates.get(name)
        if predicate is None:
            yield f"{name} is no predicate"
            continue
        if tuple(v.sort for v in relation.parameters) != predicate.sorts:
            yield f"{name} takes {_list(predicate.sorts)}, not {_list(tuple(v.sort for v in relation.parameters))}"
        if not all(v.is_var for v in relation.parameters) or len(set(relation.parameters)) < len(relation.parameters):
            yield f"the parameters of {name} are not distinct variables"
        if relation.formula.sort is not BOOL:
            yield f"the formula of {name} is of sort {relation.formula.sort!r}"
        for variable in sorted(v.name for v in free_variables(relation.formula) - set(relation.parameters)):
            yield f"the formula of {name} uses {variable}, which is no parameter"
        for node in postorder((relation.formula,)):
            if node.op is Op.APPLY and node.value not in functions:
                yield f"the formula of {name} uses {node.value.name}, which is not declared"


def _list(sorts: tuple[object, ...]) -> str:
    return f"({', '.join(map(repr, sorts))})"
