"""From a derivation that was checked to the trace that a user reads: the facts in order, and what each comes from.

     3 0: Inv by clause 0    [x = 0]
     5 1: Inv by clause 1    [x = 1]
     7 2: false by query 2

A fact that comes from other facts than the one just before it says so: ``by clause 4 from 0, 2``. Arguments are named
like the variables that the clauses use for them.
"""

from __future__ import annotations

from collections import Counter

from cleave.explain.infix import infix
from cleave.ir.horn import Derivation, HornSystem, Step
from cleave.logic.smtlib import print_term
from cleave.logic.terms import Op, Term
from cleave.logic.values import show
from cleave.logic.walk import postorder
from cleave.validate.semantics.evaluate import UNDETERMINED, World, evaluate
from cleave.validate.semantics.ground import EVALUATED
from cleave.verdict import Trace, TraceStep

_SHOWN_CHARACTERS = 100
_SHOWN_AT_END = 30  # facts, of a long derivation, at each end


def derivation_trace(system: HornSystem, derivation: Derivation) -> Trace:
    """The trace of a derivation that `check_derivation` confirmed."""
    names = {name: _argument_names(system, name) for name in {step.predicate or "" for step in derivation.steps}}
    used, last = _used(derivation), len(derivation.steps) - 1
    steps = []
    for number, step in enumerate(derivation.steps):
        relevant = number in used and min(number, last - number) < _SHOWN_AT_END
        steps.append(_step(system, step, number, names[step.predicate or ""], relevant))
    query = system.clauses[derivation.steps[-1].clause]
    atoms = [f"{atom.predicate}({', '.join(infix(argument) for argument in atom.arguments)})" for atom in query.body]
    constraint = [] if query.constraint.is_true else [infix(query.constraint)]
    return Trace(tuple(steps), f"false is derived by {' && '.join([*atoms, *constraint]) or 'true'}", query.location)


def _step(system: HornSystem, step: Step, number: int, names: list[str], relevant: bool) -> TraceStep:
    clause = system.clauses[step.clause]
    kind = "fact" if step.predicate is not None else "violation"
    word = "query" if clause.is_query else "clause"
    origin = f"by {word} {step.clause}"
    if step.premises and step.premises != (number - 1,):
        origin += f" from {', '.join(map(str, step.premises))}"
    values = {name: value_text(argument) for name, argument in zip(names, step.arguments, strict=True)}
    fact = step.predicate or "false"
    return TraceStep(
        kind, fact, 0, clause.location, f"{number}: {fact} {origin}", values, relevant, premises=step.premises
    )


def value_text(argument: Term) -> str:
    """A ground term for people: ``cons(2, nil)``; long ones are cut."""
    text = ""
    stack: list[Term | str] = [argument]
    while stack and len(text) <= _SHOWN_CHARACTERS:
        top = stack.pop()
        if isinstance(top, str):
            text += top
        elif top.op is Op.CONSTRUCT:
            parts = [part for field in top.args for part in (", ", field)][1:]
            stack.extend(reversed([top.sort.constructors[top.value].name, *(["(", *parts, ")"] if parts else [])]))
        else:
            text += _evaluated_text(top)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _evaluated_text(argument: Term) -> str:
    if all(node.op in EVALUATED for node in postorder((argument,))):
        value = evaluate(argument, _no_variable, World())
        if value is not UNDETERMINED:
            return show(value, argument.sort)
    return print_term(argument)


def _no_variable(variable: Term) -> bool:
    raise AssertionError(f"{variable.name} is not ground")


def _used(derivation: Derivation) -> set[int]:
    """The steps that the last one needs."""
    used = {len(derivation.steps) - 1}
    for number in range(len(derivation.steps) - 1, -1, -1):
        if number in used:
            used.update(derivation.steps[number].premises)
    return used


def _argument_names(system: HornSystem, predicate: str) -> list[str]:
    """For each argument the variable that most atoms have in its place, heads counting first; else its number."""
    if predicate not in system.predicates:
        return []
    votes: list[Counter[str]] = [Counter() for _ in system.predicates[predicate].sorts]
    for clause in system.clauses:
        for atom in clause.atoms():
            if atom.predicate == predicate:
                for place, argument in enumerate(atom.arguments):
                    if argument.op is Op.VAR:
                        votes[place][argument.name] += 2 if atom is clause.head else 1
    found: list[str] = []
    for place, vote in enumerate(votes):
        names = (name for name, _ in vote.most_common() if name not in found)
        found.append(next(names, f"argument {place}"))
    return found
