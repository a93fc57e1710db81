"""Checks the evidence of `safe`: that an interpretation of the predicates makes every clause hold.

    0  Inv(x)      :- x = 0              Inv(p) := p <= 10
    1  Inv(x + 1)  :- Inv(x), x < 10
    2  false       :- Inv(x), x > 10

    1 is asked as     x <= 10 and x < 10 and not (x + 1 <= 10)      no model: the clause holds

Nothing is taken from the engine but the relations, and those are not trusted either: a relation that is not
well-sorted, or that speaks about other variables than its parameters, is rejected. Uninterpreted functions in clauses
and relations are universal: a clause has to hold whatever they are.

Predicates that do not depend on themselves need no relation: see `defined`. Where the caller wants some of them
unfolded, what it says about them is not looked at, and what is confirmed has other relations for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack

from cleave.ir.horn import Clause, HornSystem, Interpretation, Relation
from cleave.logic.binding import fresh_variables, names, own_binders
from cleave.logic.signatures import fits
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, Term, conj_all, neg
from cleave.logic.walk import free_variables, has_quantifier, postorder
from cleave.smt.solver import Answer
from cleave.validate.clauses.defined import Defined, instance
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.instances import instances
from cleave.validate.confirmation import Confirmation, Ruling, named, rejected

_SHOWN_VALUES = 8


def check_interpretation(
    system: HornSystem,
    interpretation: Interpretation,
    *,
    unfold: Collection[str] = (),
    spell_out: bool = False,
    seconds: float = 0.0,
    solvers: InTurn | None = None,
) -> Confirmation:
    """Clause by clause, within ``seconds`` (0: no limit). Predicates to ``unfold`` get their meaning from their
    clauses, if these allow it; the relations that this gives are told only if asked to ``spell_out``.
    A caller that wants to interrupt brings the ``solvers``, with their own time limit; they stay open."""
    with ExitStack() as stack:
        asked = solvers if solvers is not None else stack.enter_context(InTurn(seconds=seconds))
        wrong = ill_formed(system, interpretation)
        if wrong is not None:
            return wrong
        relations = prepared(system, interpretation)
        defined = Defined(system, unfold, relations)
        by = check_clauses(enumerate(system.clauses), relations, asked, defined)
    if isinstance(by, Confirmation):
        return by
    checked: Interpretation | None = interpretation
    if defined:
        checked = defined.all_relations() if spell_out else None
    return Confirmation(True, f"invariant checked clause by clause {named(by, 'clause')}", by, interpretation=checked)


def check_clauses(
    clauses: Iterable[tuple[int, Clause]], relations: Interpretation, solvers: InTurn, defined: Defined | None = None
) -> Counter[str] | Confirmation:
    """Who confirmed how many of the numbered ``clauses``. ``relations`` come from `prepared`. Those that are
    ``defined`` are not asked for."""
    by: Counter[str] = Counter()
    too_large: list[tuple[int, Clause]] = []
    weaker: dict[int, Term] = {}  # what was asked less than, by the numbers of their clauses
    again: list[tuple[tuple[int, Clause], Term]] = []

    def questions() -> Iterator[tuple[tuple[int, Clause], Term]]:
        for number, clause in clauses:
            question = _question(clause, relations, defined)
            if question is None:
                too_large.append((number, clause))
                return
            some = instances(question, clause.variables()) if has_quantifier(question) else None
            if some is not None:
                weaker[number] = question
            yield (number, clause), question if some is None else some

    for (number, clause), ruling in solvers.decide_each(questions()):
        if ruling.answer is Answer.UNSAT:
            by[ruling.by] += 1
        elif number in weaker:
            again.append(((number, clause), weaker[number]))
        else:
            return _rejected(number, clause, ruling)
    for (number, clause), ruling in solvers.decide_each(again):
        if ruling.answer is not Answer.UNSAT:
            return _rejected(number, clause, ruling)
        by[ruling.by] += 1
    for number, clause in too_large:
        return rejected(f"{described(number, clause)} is too large", undecided=True, clause=number)
    return by


def _question(clause: Clause, relations: Interpretation, defined: Defined | None) -> Term | None:
    """What has no model if the clause holds; None if it is too large."""
    if defined is not None and defined.hold_for(clause):
        return FALSE
    return defined.violation(clause) if defined else violation(clause, relations)


def ill_formed(system: HornSystem, interpretation: Interpretation) -> Confirmation | None:
    """What is wrong with the form of a relation, if anything is."""
    for name, relation in interpretation.items():
        predicate = system.predicates.get(name)
        if predicate is None:
            return rejected(f"there is no predicate {name}, but a relation for it")
        parameters = relation.parameters
        if len(set(parameters)) < len(parameters) or not all(one.is_var for one in parameters):
            return rejected(f"the parameters of the relation for {name} are not different variables")
        if tuple(one.sort for one in parameters) != predicate.sorts:
            return rejected(f"the parameters of the relation for {name} do not have the sorts of the predicate")
        if relation.formula.sort is not BOOL or not _well_sorted(relation.formula):
            return rejected(f"the relation for {name} is not well-sorted")
        foreign = _free(relation.formula) - set(parameters)
        if foreign:
            shown = ", ".join(sorted(variable.name for variable in foreign)[:_SHOWN_VALUES])
            return rejected(f"the relation for {name} depends on what is no parameter of it: {shown}")
    return None


def _well_sorted(formula: Term) -> bool:
    return all(fits(node.op, node.args, node.sort, node.value) for node in postorder((formula,)))


def _free(formula: Term) -> frozenset[Term]:
    return free_variables(own_binders(formula, fresh_variables(names((formula,)))))


def prepared(system: HornSystem, interpretation: Interpretation) -> Interpretation:
    """The relations with bound variables that occur nowhere in the system, so that substituting captures nothing."""
    if not any(has_quantifier(relation.formula) for relation in interpretation.values()):
        return interpretation
    taken = names(term for clause in system.clauses for term in clause_terms(clause))
    taken |= names(term for one in interpretation.values() for term in (one.formula, *one.parameters))
    fresh = fresh_variables(taken)
    return {
        name: Relation(relation.parameters, own_binders(relation.formula, fresh))
        for name, relation in interpretation.items()
    }


def clause_terms(clause: Clause) -> list[Term]:
    return [clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments)]


def violation(clause: Clause, relations: Interpretation) -> Term:
    """What has a model if and only if the clause does not hold: its body and its constraint, but not its head."""
    head = () if clause.head is None else (neg(instance(clause.head, relations)),)
    return conj_all([clause.constraint, *(instance(atom, relations) for atom in clause.body), *head])


def _rejected(number: int, clause: Clause, ruling: Ruling) -> Confirmation:
    where = described(number, clause)
    if ruling.answer is Answer.UNKNOWN:
        return rejected(f"{where} could not be decided ({ruling.reason})", undecided=True, clause=number)
    values = ", ".join(f"{name} = {value}" for name, value in list(ruling.values.items())[:_SHOWN_VALUES])
    example = f", for instance with {values}" if values else ""
    return rejected(f"{where} does not hold{example} (found by {ruling.by})", clause=number)


def described(number: int, clause: Clause) -> str:
    """The clause, for a reader of the file; clauses are counted from 0."""
    kind = "query" if clause.is_query else "clause"
    return f"{kind} {number}" if clause.location is None else f"{kind} {number} ({clause.location})"
