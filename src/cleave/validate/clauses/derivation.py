"""Checks the evidence of `unsafe`: a derivation of ``false``, step by step.

    0  Inv(x)      :- x = 0              Step(0, "Inv", (0,), ())
    1  Inv(x + 1)  :- Inv(x), x < 10     Step(1, "Inv", (1,), (0,))
    2  false       :- Inv(x), x > 0      Step(2, None, (), (1,))

Each step must use a clause that derives its predicate, from earlier steps, one for each atom of the body and in that
order. The facts are put into the clause; what is left has to be true for some values of the clause's other variables:
variables that an equation determines are computed, and where everything is computed the concrete evaluator decides.
What is left over goes to solvers, all of it as one question, since one answer `sat` is enough.

**Functions.** An uninterpreted function, a division by zero and a field of a value that another constructor made have
some fixed meaning, the same in all steps: steps that contain any of these are decided together, never one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import field

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Step
from cleave.logic.binding import fresh_variables, names, own_binders
from cleave.logic.signatures import fits
from cleave.logic.smtlib import print_term
from cleave.logic.terms import Op, Term, conj_all, eq, var
from cleave.logic.walk import free_variables, postorder, substitute
from cleave.records import dataclass
from cleave.smt.solver import Answer
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import described
from cleave.validate.confirmation import BY_VALUES, Confirmation, named, rejected
from cleave.validate.semantics.ground import constant, determined, holds

_DIVISIONS = (Op.DIV, Op.MOD, Op.REAL_DIV)


def check_derivation(
    system: HornSystem, derivation: Derivation, *, seconds: float = 0.0, solvers: InTurn | None = None
) -> Confirmation:
    """Within ``seconds`` (0: no limit). A caller that wants to interrupt brings the ``solvers``; they stay open."""
    wrong = _misshapen(system, derivation)
    if wrong is not None:
        return wrong
    with ExitStack() as stack:
        asked = solvers if solvers is not None else stack.enter_context(InTurn(seconds=seconds))
        checker = _Checker(system, derivation, asked)
        by = checker.check()
    if isinstance(by, Confirmation):
        return by
    return Confirmation(True, f"derivation checked step by step {named(by, 'step')}", by, chosen=checker.chosen)


# --- the shape ------------------------------------------------------------------------------------------------------


def _misshapen(system: HornSystem, derivation: Derivation) -> Confirmation | None:
    if not derivation.steps or derivation.steps[-1].predicate is not None:
        return rejected("the derivation does not end with false")
    for number, step in enumerate(derivation.steps):
        what = _wrong_step(system, derivation.steps, number, step)
        if what is not None:
            return rejected(f"step {number} of the derivation {what}")
    return None


def _wrong_step(system: HornSystem, steps: tuple[Step, ...], number: int, step: Step) -> str | None:
    if not 0 <= step.clause < len(system.clauses):
        return f"uses clause {step.clause}, which does not exist"
    clause = system.clauses[step.clause]
    if step.predicate != (None if clause.head is None else clause.head.predicate):
        return f"derives {step.predicate or 'false'}, but its {described(step.clause, clause)} does not"
    if step.predicate is None and number + 1 < len(steps):
        return "derives false, but is not the last one"
    if len(step.premises) != len(clause.body):
        return f"has {len(step.premises)} premises, but {len(clause.body)} atoms in its body"
    for place, premise in enumerate(step.premises):
        if not 0 <= premise < number:
            return f"has a premise, {premise}, that is no earlier step"
        if steps[premise].predicate != clause.body[place].predicate:
            return f"takes step {premise} for a fact of {clause.body[place].predicate}"
    return _wrong_arguments(system, step)


def _wrong_arguments(system: HornSystem, step: Step) -> str | None:
    sorts = () if step.predicate is None else system.predicates[step.predicate].sorts
    if tuple(argument.sort for argument in step.arguments) != sorts:
        return "has arguments of the wrong number or sorts"
    for node in postorder(step.arguments):
        if not fits(node.op, node.args, node.sort, node.value):
            return "has an argument that is not well-sorted"
    if free_variables(*step.arguments):
        return "has an argument that is not ground"
    return None


# --- the constraints ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Checker:
    system: HornSystem
    derivation: Derivation
    solvers: InTurn
    by: Counter[str] = field(default_factory=Counter)
    chosen: str = ""

    def check(self) -> Counter[str] | Confirmation:
        alone: dict[int, Term] = {}  # what solvers have to decide, by step
        together: dict[int, Term] = {}
        for number, step in enumerate(self.derivation.steps):
            left = determined(self._condition(step))
            partial = next((node for node in postorder((left,)) if _is_partial(node)), None)
            if partial is not None:
                self.chosen = self.chosen or _named(partial)
                together[number] = left
                continue
            truth = holds(left)
            if truth is False:
                return self._rejected(number, "its constraint is false of these facts")
            if truth is None:
                alone[number] = left
            else:
                self.by[BY_VALUES] += 1
        return self._decided(together, alone) or self.by

    def _condition(self, step: Step) -> Term:
        """What must be true for some values of the variables that are left in it."""
        clause = _own_binders(self.system.clauses[step.clause])
        facts = [self.derivation.steps[premise].arguments for premise in step.premises]
        atoms: list[tuple[Atom, tuple[Term, ...]]] = list(zip(clause.body, facts, strict=True))
        if clause.head is not None:
            atoms.append((clause.head, step.arguments))
        known: dict[Term, Term] = {}
        equations = []
        for atom, arguments in atoms:
            for pattern, argument in zip(atom.arguments, arguments, strict=True):
                if pattern.is_var and pattern not in known:
                    known[pattern] = argument
                else:
                    equations.append(eq(pattern, argument))
        memo: dict[Term, Term] = {}
        return conj_all(constant(substitute(term, known, memo)) for term in (*equations, clause.constraint))

    def _decided(self, together: dict[int, Term], alone: dict[int, Term]) -> Confirmation | None:
        """All at once; where that is not satisfiable, one after the other to tell which step is wrong."""
        conditions = {number: _apart(term, number) for number, term in sorted({**together, **alone}.items())}
        if not conditions:
            return None
        ruling = self.solvers.decide(conj_all(conditions.values()))
        if ruling.answer is Answer.SAT:
            self.by[ruling.by] += len(conditions)
            return None
        for number in alone:
            rejected = self._decided_alone(number, conditions[number])
            if rejected is not None:
                return rejected
        if not together:
            return None
        return self._decided_together({number: conditions[number] for number in together})

    def _decided_alone(self, number: int, condition: Term) -> Confirmation | None:
        ruling = self.solvers.decide(condition)
        if ruling.answer is Answer.SAT:
            self.by[ruling.by] += 1
            return None
        if ruling.answer is Answer.UNSAT:
            return self._rejected(number, f"no values satisfy its constraint (found by {ruling.by})")
        return self._rejected(number, f"its constraint could not be decided ({ruling.reason})", undecided=True)

    def _decided_together(self, conditions: dict[int, Term]) -> Confirmation | None:
        ruling = self.solvers.decide(conj_all(conditions.values()))
        if ruling.answer is Answer.SAT:
            self.by[ruling.by] += len(conditions)
            return None
        first = min(conditions)
        if ruling.answer is Answer.UNKNOWN:
            return self._rejected(first, f"it could not be decided with the others ({ruling.reason})", undecided=True)
        for number, condition in conditions.items():
            rejected = self._decided_alone(number, condition)
            if rejected is not None and not rejected.undecided:
                return rejected
        return self._rejected(first, "no functions satisfy the constraints of all steps that use them")

    def _rejected(self, number: int, why: str, *, undecided: bool = False) -> Confirmation:
        index = self.derivation.steps[number].clause
        where = described(index, self.system.clauses[index])
        return rejected(f"step {number} of the derivation, by {where}: {why}", undecided=undecided, clause=index)


def _named(node: Term) -> str:
    return str(node.value.name) if node.op is Op.APPLY else f"{print_term(node)}"


def _is_partial(node: Term) -> bool:
    """Whether the node's value depends on what functions mean where nothing defines them."""
    if node.op in _DIVISIONS:
        return not node.args[1].is_value or node.args[1].value == 0
    if node.op is Op.FIELD:  # every value of a type with one constructor has all its fields
        return len(node.args[0].sort.constructors) > 1
    return node.op is Op.APPLY


def _own_binders(clause: Clause) -> Clause:
    """A bound variable that is also free would be replaced with it."""
    terms = (clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments))
    if not any(node.op in (Op.FORALL, Op.EXISTS) for node in postorder(terms)):
        return clause
    fresh = fresh_variables(names(terms))

    def own(atom: Atom) -> Atom:
        return Atom(atom.predicate, tuple(own_binders(argument, fresh) for argument in atom.arguments))

    head = None if clause.head is None else own(clause.head)
    return Clause(head, tuple(map(own, clause.body)), own_binders(clause.constraint, fresh), clause.location)


def _apart(condition: Term, number: int) -> Term:
    """With variables that no other step's condition has."""
    return substitute(condition, _renaming(free_variables(condition), number))


def _renaming(variables: Iterable[Term], number: int) -> dict[Term, Term]:
    return {variable: var(f"{number}!{variable.name}", variable.sort) for variable in variables}
