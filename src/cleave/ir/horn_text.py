"""Horn clauses, and interpretations of their predicates, as SMT-LIB text.

    (set-logic HORN)
    (declare-fun Inv (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (Inv x))))
    (assert (forall ((x Int)) (=> (and (Inv x) (< x 10)) (Inv (+ x 1)))))
    (assert (forall ((x Int)) (=> (and (Inv x) (< 10 x)) false)))
    (check-sat)

The clauses are in CHC-COMP's form, one assertion each, as far as the system is: heads may have any terms as arguments,
and a predicate may occur with the same variable twice. Z3, cvc5, Golem and Eldarica read it, and so does the Horn front
end, which gives the same system again. An interpretation is a list of definitions:

    (define-fun Inv ((x Int)) Bool (<= x 10))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Predicate
from cleave.logic import terms as t
from cleave.logic.smtlib import print_sort, print_term, sort_declarations, used_sorts
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.symbols import Symbols
from cleave.logic.terms import Binder, Function, Op, Term
from cleave.logic.walk import postorder

_STATUS = {"safe": "sat", "unsafe": "unsat"}


def print_horn(system: HornSystem) -> str:
    """A whole script that asks whether the clauses have a solution."""
    formulas = [clause_formula(system, clause) for clause in system.clauses]
    symbols = Symbols()
    lines = ["(set-logic HORN)"]
    if system.expected in _STATUS:
        lines.append(f"(set-info :status {_STATUS[system.expected]})")
    lines += sort_declarations(_sorts(system, formulas), symbols)
    for function in (*system.functions, *map(_function, system.predicates.values())):
        sorts = " ".join(print_sort(sort) for sort in function.arguments)
        lines.append(f"(declare-fun {symbols.function(function)} ({sorts}) {print_sort(function.result)})")
    lines += [f"(assert {print_term(formula, Symbols(symbols))})" for formula in formulas]
    return "\n".join([*lines, "(check-sat)", ""])


def print_interpretation(system: HornSystem, interpretation: Interpretation) -> str:
    """A definition for each predicate of the system; sorts and functions are those of `print_horn`."""
    symbols = Symbols()
    for _ in sort_declarations(_sorts(system, [r.formula for r in interpretation.values()]), symbols):
        pass  # the names of constructors are taken first, as in print_horn
    for function in (*system.functions, *map(_function, system.predicates.values())):
        symbols.function(function)
    return "".join(f"{line}\n" for line in _definitions(system, interpretation, symbols))


def _definitions(system: HornSystem, interpretation: Interpretation, symbols: Symbols) -> Iterator[str]:
    for predicate in system.predicates.values():
        relation = interpretation.get(predicate.name)
        if relation is None:
            parameters = tuple(t.var(f"x{place}", sort) for place, sort in enumerate(predicate.sorts))
            formula = t.TRUE
        else:
            parameters, formula = relation.parameters, relation.formula
        inner = Symbols(symbols)
        shown = " ".join(f"({inner.variable(v)} {print_sort(v.sort)})" for v in parameters)
        yield f"(define-fun {symbols.function(_function(predicate))} ({shown}) Bool {print_term(formula, inner)})"


def clause_formula(system: HornSystem, clause: Clause) -> Term:
    """``(forall variables (=> (and body constraint) head))``, exactly so: nothing is simplified."""
    conjuncts = [_application(system, atom) for atom in clause.body]
    constraint = clause.constraint
    if constraint.op is Op.AND:
        conjuncts += constraint.args
    elif constraint is not t.TRUE or not conjuncts:
        conjuncts.append(constraint)
    body = conjuncts[0] if len(conjuncts) == 1 else t.make(Op.AND, tuple(conjuncts), BOOL)
    head = t.FALSE if clause.head is None else _application(system, clause.head)
    implication = t.make(Op.IMPLIES, (body, head), BOOL)
    free = clause.variables()
    variables = tuple(node for node in postorder((implication,)) if node in free)
    return t.make(Op.FORALL, (implication,), BOOL, Binder(variables, ())) if variables else implication


def _application(system: HornSystem, atom: Atom) -> Term:
    return t.apply(_function(system.predicates[atom.predicate]), *atom.arguments)


def _function(predicate: Predicate) -> Function:
    return Function(predicate.name, predicate.sorts, BOOL)


def _sorts(system: HornSystem, formulas: Iterable[Term]) -> dict[Sort, None]:
    found = {sort: None for predicate in system.predicates.values() for sort in predicate.sorts}
    for function in system.functions:
        found.update(dict.fromkeys((*function.arguments, function.result)))
    found.update(used_sorts(postorder(formulas)))
    return found
