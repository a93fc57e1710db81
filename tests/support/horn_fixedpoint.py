"""Horn clauses decided by Z3's Fixedpoint through its Python package: another way than Cleave's to the same solver.

decide(system)    # ("unsafe", derivation), ("safe", None) or ("unknown", None)
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from itertools import permutations
from typing import Any

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Predicate, Step
from cleave.ir.horn_text import print_horn
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Term, boolean, eq, integer
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver

z3: Any = import_module("z3")  # it has no types

_PLAIN = ("slice", "inline_linear", "inline_eager", "subsumption_checker", "tail_simplifier_pve", "coi")


def decide(system: HornSystem, *, seconds: float = 3.0) -> tuple[str, Derivation | None]:
    """The derivation is there for clauses over Booleans and integers."""
    if not system.queries():
        return "safe", None
    names = {"goal": None, **{f"P{number}": name for number, name in enumerate(system.predicates)}}
    context = z3.Context()
    fixedpoint = z3.Fixedpoint(ctx=context)
    fixedpoint.set(engine="spacer", timeout=int(seconds * 1000), **{f"xform.{name}": False for name in _PLAIN})
    rules = list(z3.parse_smt2_string(print_horn(_renamed(system)), ctx=context))
    for rule in rules:
        for declaration in _predicates(rule, names):
            fixedpoint.register_relation(declaration)
    for rule in rules:
        fixedpoint.add_rule(rule)
    try:
        answer = fixedpoint.query(z3.Function("goal", z3.BoolSort(context))())
    except z3.Z3Exception:
        return "unknown", None
    if answer == z3.unsat:
        return "safe", None
    if answer != z3.sat:
        return "unknown", None
    return "unsafe", _derivation(system, names, fixedpoint.get_answer())


def _renamed(system: HornSystem) -> HornSystem:
    """With names that need no quotes, and a predicate in place of false."""
    places = {name: f"P{number}" for number, name in enumerate(system.predicates)}
    predicates = [Predicate("goal", ()), *(replace(p, name=places[p.name]) for p in system.predicates.values())]
    clauses = tuple(
        replace(
            clause,
            head=replace(clause.head, predicate=places[clause.head.predicate]) if clause.head else Atom("goal", ()),
            body=tuple(replace(atom, predicate=places[atom.predicate]) for atom in clause.body),
        )
        for clause in system.clauses
    )
    return HornSystem(predicates={p.name: p for p in predicates}, clauses=clauses)


def _predicates(rule: Any, names: dict[str, str | None]) -> list[Any]:
    pending = [rule.body() if z3.is_quantifier(rule) else rule]
    found = []
    while pending:
        node = pending.pop()
        if z3.is_app(node) and node.decl().name() in names:
            found.append(node.decl())
        elif z3.is_implies(node) or z3.is_and(node):
            pending += node.children()
    return found


def _derivation(system: HornSystem, names: dict[str, str | None], proof: Any) -> Derivation:
    """The hyper-resolution steps of Z3's proof, each matched with a clause that allows it."""
    steps: list[Step] = []
    known: dict[int, int] = {}
    work = [_stripped(proof)]
    while work:
        node = work[-1]
        premises = [_stripped(child) for child in node.children()[1:-1]]
        waiting = [premise for premise in premises if premise.get_id() not in known]
        if waiting:
            work += waiting
            continue
        work.pop()
        if node.get_id() in known:
            continue
        fact = node.children()[-1]
        name = names[fact.decl().name()]
        sorts = system.predicates[name].sorts if name is not None else ()
        arguments = tuple(_value(child, sort) for child, sort in zip(fact.children(), sorts, strict=True))
        before = [steps[known[premise.get_id()]] for premise in premises]
        clause, order = _clause(system, name, arguments, before)
        known[node.get_id()] = len(steps)
        steps.append(Step(clause, name, arguments, tuple(known[premises[place].get_id()] for place in order)))
    return Derivation(tuple(steps))


def _stripped(proof: Any) -> Any:
    """Without what Z3 puts around the derivation of the goal."""
    while True:
        if proof.decl().name() == "mp":
            proof = proof.children()[0]
        elif proof.children()[-1].decl().name().startswith("query!"):
            proof = proof.children()[1]
        else:
            return proof


def _value(found: Any, sort: Sort) -> Term:
    return boolean(z3.is_true(found)) if sort is BOOL else integer(z3.simplify(found).as_long())


def _clause(
    system: HornSystem, name: str | None, arguments: tuple[Term, ...], premises: list[Step]
) -> tuple[int, tuple[int, ...]]:
    """A clause that gives the fact from the premises, and the order in which it takes them."""
    for number, clause in enumerate(system.clauses):
        if (clause.head.predicate if clause.head else None) != name or len(clause.body) != len(premises):
            continue
        for order in permutations(range(len(premises))):
            if _allows(clause, arguments, [premises[place] for place in order]):
                return number, order
    raise AssertionError(f"no clause gives {name}{arguments}")


def _allows(clause: Clause, arguments: tuple[Term, ...], premises: list[Step]) -> bool:
    if any(atom.predicate != step.predicate for atom, step in zip(clause.body, premises, strict=True)):
        return False
    solver = Z3Solver(profile=DEFAULT)
    solver.add(clause.constraint)
    facts = [(atom, step.arguments) for atom, step in zip(clause.body, premises, strict=True)]
    for atom, values in (*facts, *(((clause.head, arguments),) if clause.head else ())):
        for argument, value in zip(atom.arguments, values, strict=True):
            solver.add(eq(argument, value))
    return solver.check(seconds=5) is Answer.SAT
