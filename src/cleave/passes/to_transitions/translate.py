"""Linear Horn clauses as a transition system with control locations, and the evidence back.

    Inv(0)      :- true                         start -> Inv: assume true; x := 0
    Inv(x + 1)  :- Inv(x), x < 10 or x = 20     Inv -> Inv:   assume x < 10; x := x + 1
                                                Inv -> Inv:   assume x = 20; x := x + 1
    false       :- Inv(x), x > 10               Inv -> error: assume 10 < x

A predicate is a location, and a clause a transition for each way in which its constraint can hold (`cases`), so that
most guards are conjunctions. The variables that a clause has besides those of its body become inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cleave.errors import UnsupportedError
from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Interpretation, Relation, Step
from cleave.ir.transition_system import ERROR, START, ControlLocation, Transition, TransitionSystem
from cleave.logic.terms import Op, Term, conj_all, eq, var
from cleave.logic.walk import postorder, substitute
from cleave.passes.fresh import FreshNames
from cleave.passes.horn.equations import conjuncts, solve
from cleave.passes.to_transitions.cases import cases
from cleave.records import dataclass

_MOST_CASES = 64  # that a clause is split into


@dataclass(frozen=True, slots=True)
class Located:
    """A transition system, and the clauses that it came from: for each transition the number of its clause."""

    system: TransitionSystem
    clauses: tuple[int, ...]

    def interpretation(self, invariants: Sequence[Term]) -> Interpretation:
        """From a formula for each location, over its variables, that holds whenever control is there."""
        located = zip(self.system.locations, invariants, strict=True)
        return {place.name: Relation(place.variables, formula) for place, formula in list(located)[ERROR + 1 :]}

    def derivation(self, path: Sequence[int], states: Sequence[tuple[Term, ...]]) -> Derivation:
        """From transitions, the last one to the error, and the values of the variables after each of them."""
        steps: list[Step] = []
        for number, state in zip(path, states, strict=True):
            target = self.system.transitions[number].target
            name = None if target == ERROR else self.system.locations[target].name
            premises = (len(steps) - 1,) if steps else ()
            steps.append(Step(self.clauses[number], name, state, premises))
        return Derivation(tuple(steps))


def horn_to_transitions(horn: HornSystem, most_cases: int = _MOST_CASES) -> Located:
    """Raises `UnsupportedError` for clauses that are not linear, or use functions without a meaning."""
    _check(horn)
    locations = (ControlLocation("start"), ControlLocation("error"), *_locations(horn))
    numbers = {location.name: number for number, location in enumerate(locations) if number > ERROR}
    transitions: list[Transition] = []
    clauses: list[int] = []
    for number, clause in enumerate(horn.clauses):
        for transition in _transitions(clause, locations, numbers, most_cases):
            transitions.append(transition)
            clauses.append(number)
    return Located(TransitionSystem(locations, tuple(transitions)), tuple(clauses))


def _check(horn: HornSystem) -> None:
    if horn.functions:
        raise UnsupportedError(f"the function {horn.functions[0].name} has no meaning: only pdr takes such clauses")
    for clause in horn.clauses:
        if len(clause.body) > 1:
            where = f"{clause.location}: " if clause.location is not None else ""
            called = " and ".join(atom.predicate for atom in clause.body)
            raise UnsupportedError(
                f"{where}a step from {called} at once: predicate abstraction needs linear clauses, and programs without"
                " recursion; the pdr engine takes this"
            )


def _locations(horn: HornSystem) -> Iterator[ControlLocation]:
    """With the names of variables that the clauses use, where they do."""
    named: dict[str, tuple[Term, ...]] = {}
    for clause in horn.clauses:
        for atom in clause.body:
            arguments = atom.arguments
            if len(set(arguments)) == len(arguments) and all(a.op is Op.VAR for a in arguments):
                named.setdefault(atom.predicate, arguments)
    for name, predicate in horn.predicates.items():
        unnamed = tuple(var(f"x{number}", sort) for number, sort in enumerate(predicate.sorts))
        yield ControlLocation(name, named.get(name, unnamed))


def _transitions(
    clause: Clause, locations: Sequence[ControlLocation], numbers: Mapping[str, int], most_cases: int
) -> Iterator[Transition]:
    source = numbers[clause.body[0].predicate] if clause.body else START
    target = numbers[clause.head.predicate] if clause.head is not None else ERROR
    own = locations[source].variables
    guard, updates = over(own, clause)
    for case in cases(guard, updates, most_cases):
        made, after = solve(case.guard, case.updates, lambda variable: variable not in own)
        if not made.is_false:
            yield Transition(source, target, made, tuple(after), clause.location)


def over(own: tuple[Term, ...], clause: Clause) -> tuple[Term, list[Term]]:
    """The constraint and the arguments of the head, over the variables of the source and inputs."""
    body = clause.body[0].arguments if clause.body else ()
    arguments = clause.head.arguments if clause.head is not None else ()
    taken = FreshNames({variable.name for variable in (*own, *clause.variables())})
    renamed: dict[Term, Term] = {}
    equations: list[tuple[Term, Term]] = []
    for variable, argument in zip(own, body, strict=True):
        if argument.op is Op.VAR and argument not in renamed:
            renamed[argument] = variable
        else:
            equations.append((variable, argument))
    for variable in _in_order(clause):
        if variable not in renamed and variable in own:
            renamed[variable] = var(taken.like(variable.name), variable.sort)
    memo: dict[Term, Term] = {}
    parts = [eq(variable, substitute(argument, renamed, memo)) for variable, argument in equations]
    guard = conj_all((*parts, *conjuncts(substitute(clause.constraint, renamed, memo))))
    return guard, [substitute(argument, renamed, memo) for argument in arguments]


def _in_order(clause: Clause) -> Iterator[Term]:
    """The variables of a clause, in an order that its text alone decides."""
    terms = [argument for atom in (*clause.body, *_head(clause)) for argument in atom.arguments]
    bound = clause.variables()
    return (node for node in postorder((*terms, clause.constraint)) if node.op is Op.VAR and node in bound)


def _head(clause: Clause) -> tuple[Atom, ...]:
    return () if clause.head is None else (clause.head,)
