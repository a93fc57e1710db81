"""Horn clauses: an interpretation of the predicates that makes every clause true, or a derivation of ``false``.

    (declare-fun Inv (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (Inv x))))

The clauses are SMT-LIB text. They are safe if the predicates can be given a meaning under which all assertions hold; so
an interpretation is checked by asking, for each assertion, whether it can be false under the definitions. A derivation
has steps: each gives a fact by one clause from facts of earlier steps, and a solver finds values for the variables of
the clause that the facts leave open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cleave_check.data import listed, number, only, text
from cleave_check.refusal import Refusal, Unreadable
from cleave_check.sexpr import Node, expressions, name_of, one, words
from cleave_check.sorts import BOOL
from cleave_check.term_reader import Function, TermReader
from cleave_check.terms import FALSE, Term, below, conj, equal, neg, substituted


@dataclass(frozen=True, slots=True)
class Clause:
    """``head`` None: the clause derives ``false``. ``whole`` is the assertion without its outer quantifier."""

    head: Term | None
    body: list[Term]
    constraint: Term
    whole: Term


@dataclass(slots=True)
class System:
    predicates: dict[str, Function] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    clauses: list[Clause] = field(default_factory=list)


def read_clauses(source: str) -> System:
    system = System()
    known: dict[str, Function] = {}
    reader = TermReader({}, known)
    for command in expressions(words(source)):
        match command:
            case ["set-logic", "HORN"] | ["check-sat"] | ["declare-sort", _, "0"] | ["set-info", _, _]:
                pass
            case ["declare-fun", name, list(arguments), result]:
                function = Function(name_of(name), tuple(map(reader.sort, arguments)), reader.sort(result))
                if known.setdefault(function.name, function) is not function:
                    raise Unreadable("a predicate is declared twice")
                (system.predicates if function.result == BOOL else system.functions)[function.name] = function
            case ["assert", formula]:
                system.clauses.append(_clause(reader.read(formula)))
            case _:
                raise Unreadable("the clauses have a command that is not known")
    return system


def _clause(formula: Term) -> Clause:
    if formula.sort != BOOL:
        raise Unreadable("a clause is not a Bool")
    whole = formula.args[0] if formula.op == "forall" else formula
    if whole.op != "=>":
        raise Unreadable("a clause is an implication")
    parts = whole.args[0].args if whole.args[0].op == "and" else (whole.args[0],)
    body = [part for part in parts if _is_atom(part)]
    constraint = conj(*(part for part in parts if not _is_atom(part)))
    head = whole.args[1]
    if head is not FALSE and not _is_atom(head):
        raise Unreadable("the head of a clause is a predicate or false")
    if any(_is_atom(term) for term in below([constraint, *(a for atom in (*body, head) for a in atom.args)])):
        raise Unreadable("a predicate occurs where a clause has none")
    return Clause(None if head is FALSE else head, body, constraint, whole)


def _is_atom(term: Term) -> bool:
    return term.op == "apply" and term.sort == BOOL


# --- interpretations --------------------------------------------------------------------------------------------------


def obligations(system: System, definitions: str) -> list[Term]:
    """For each clause, what must have no model."""
    meanings = _meanings(system, definitions)
    return [neg(_unfolded(clause.whole, meanings)) for clause in system.clauses]


def _meanings(system: System, definitions: str) -> dict[str, tuple[tuple[Term, ...], Term]]:
    found: dict[str, tuple[tuple[Term, ...], Term]] = {}
    for command in expressions(words(definitions)):
        match command:
            case ["define-fun", name, list(parameters), "Bool", formula]:
                found[name_of(name)] = _meaning(system, name_of(name), parameters, formula, name_of(name) in found)
            case _:
                raise Unreadable("an interpretation has definitions of predicates only")
    if found.keys() != system.predicates.keys():
        raise Refusal("a predicate has no definition")
    return found


def _meaning(
    system: System, name: str, parameters: list[Node], formula: Node, again: bool
) -> tuple[tuple[Term, ...], Term]:
    predicate = system.predicates.get(name)
    variables = TermReader({}, {}).declarations(parameters)
    if predicate is None or again or tuple(v.sort for v in variables) != predicate.arguments:
        raise Unreadable("a definition is of no predicate, of other sorts, or comes twice")
    body = TermReader({str(v.data): v for v in variables}, system.functions).read(formula)
    if body.sort != BOOL:
        raise Unreadable("the definition of a predicate is a Bool")
    return variables, body


def _unfolded(root: Term, meanings: dict[str, tuple[tuple[Term, ...], Term]]) -> Term:
    done: dict[int, Term] = {}
    for term in below((root,)):
        args = tuple(done[id(a)] for a in term.args)
        if _is_atom(term):
            variables, body = meanings[term.data.name]
            done[id(term)] = substituted(body, dict(zip(variables, args, strict=True)))
        else:
            done[id(term)] = Term(term.op, args, term.sort, term.data) if args else term
    return done[id(root)]


# --- derivations ------------------------------------------------------------------------------------------------------


def derivation(system: System, steps: list[Any]) -> list[Term]:
    """For each step, what must have a model."""
    if system.functions:
        raise Refusal("a derivation that uses uninterpreted functions is not checked")
    facts: list[tuple[str | None, tuple[Term, ...]]] = []
    asked: list[Term] = []
    reader = TermReader({}, {})
    for data in steps:
        step = only(data, "clause", "arguments", "premises")
        at = number(step["clause"])
        if at >= len(system.clauses):
            raise Refusal("a step uses a clause that is not there")
        clause = system.clauses[at]
        arguments = tuple(_ground(reader.read(one(text(a)))) for a in listed(step["arguments"]))
        premises = [_premise(facts, premise) for premise in listed(step["premises"])]
        asked.append(_step(clause, arguments, premises))
        facts.append((None if clause.head is None else clause.head.data.name, arguments))
    if not facts or facts[-1][0] is not None:
        raise Refusal("the derivation does not end with false")
    return asked


def _premise(facts: list[tuple[str | None, tuple[Term, ...]]], premise: Any) -> tuple[str | None, tuple[Term, ...]]:
    at = number(premise)
    if at >= len(facts):
        raise Refusal("a step uses a fact that comes later")
    return facts[at]


def _ground(term: Term) -> Term:
    if any(node.op in ("var", "apply", "forall", "exists") for node in below((term,))):
        raise Unreadable("a fact has an argument that is no value")
    return term


def _step(clause: Clause, arguments: tuple[Term, ...], premises: list[tuple[str | None, tuple[Term, ...]]]) -> Term:
    head = clause.head.args if clause.head is not None else ()
    if tuple(a.sort for a in arguments) != tuple(a.sort for a in head):
        raise Refusal("a fact has other arguments than its predicate")
    if [name for name, _ in premises] != [atom.data.name for atom in clause.body]:
        raise Refusal("a step uses facts of other predicates than its clause does")
    equations = [equal(a, b) for a, b in zip(head, arguments, strict=True)]
    for atom, (_, values) in zip(clause.body, premises, strict=True):
        equations += [equal(a, b) for a, b in zip(atom.args, values, strict=True)]
    return conj(clause.constraint, *equations)
