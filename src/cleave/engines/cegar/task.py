"""From a task to the problem that is solved, the same wherever it is done: here, in a worker, after a crash.

    problem = read_problem(task)
    problem.given                 # the clauses of the file, or of the program in it
    problem.system                # the transition system that is explored

Procedures of a program are copied to where they are called, so that its clauses are linear; recursive ones can't be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from cleave.engines.cegar.messages import Task
from cleave.engines.known import decode_known
from cleave.frontends.input import Input
from cleave.ir.horn import Derivation, HornSystem, Interpretation, Relation
from cleave.ir.integers import Integers
from cleave.ir.program import Program
from cleave.ir.transition_system import TransitionSystem
from cleave.logic.terms import Term, conj_all, var
from cleave.logic.walk import free_variables, has_quantifier, substitute
from cleave.passes.entries import choose_entries
from cleave.passes.horn import SimplifiedHorn, simplify_horn
from cleave.passes.horn.equations import conjuncts
from cleave.passes.known import Known
from cleave.passes.to_horn import HornProgram, Limits, program_to_horn
from cleave.passes.to_integers import to_integers
from cleave.passes.to_transitions import Located, horn_to_transitions
from cleave.records import dataclass

_ALL_CALLS = Limits(small=1_000_000, caller=1_000_000)


@dataclass(frozen=True, slots=True)
class CegarProblem:
    """``program`` and ``horn`` are there if the clauses are those of a program."""

    given: HornSystem
    simplified: SimplifiedHorn
    located: Located
    program: Program | None = None
    horn: HornProgram | None = None
    known: tuple[tuple[int, Term], ...] = ()  # predicates of locations to begin with

    @property
    def system(self) -> TransitionSystem:
        return self.located.system

    def interpretation(self, invariants: Sequence[Term]) -> Interpretation:
        """Of the given clauses, from a formula for each location."""
        return self.simplified.interpretation(self.located.interpretation(invariants))

    def unfolded(self, interpretation: Interpretation) -> list[str]:
        """The predicates that were inlined and have a quantifier now: a check does better to unfold them."""
        return [name for name in self.simplified.inlined if has_quantifier(interpretation[name].formula)]

    def derivation(self, path: Sequence[int], states: Sequence[tuple[Term, ...]]) -> Derivation:
        """From the given clauses, by a path and the values along it."""
        return self.simplified.derivation(self.located.derivation(path, states))


def read_problem(task: Task) -> CegarProblem:
    return problem_of(Input.of(task.file, task.source, task.entry, task.property), task.integers, task.known)


def problem_of(input: Input, integers: Integers, known: bytes = b"") -> CegarProblem:
    """``known`` are facts about the program, as `engines.known` encodes them."""
    if not input.kind.is_program:
        return _problem(input.clauses)
    program = input.program
    horn = program_to_horn(to_integers(program, integers), choose_entries(program, input.entry), _ALL_CALLS)
    problem = replace(_problem(horn.system), program=program, horn=horn)
    return replace(problem, known=tuple(_predicates(problem, horn, decode_known(known)))) if known else problem


def _problem(given: HornSystem) -> CegarProblem:
    simplified = simplify_horn(given)
    return CegarProblem(given, simplified, horn_to_transitions(simplified.system))


def _predicates(problem: CegarProblem, horn: HornProgram, facts: Iterable[Known]) -> Iterator[tuple[int, Term]]:
    """What the facts say, as predicates of locations. Nothing is assumed: where they hold, the abstraction proves it.

    A fact about a place that the clauses do not have is left out: a loop in a procedure that was copied to its calls.
    """
    said: dict[tuple[str, str | None], list[Term]] = {}
    for fact in facts:
        said.setdefault((fact.procedure, fact.label), []).append(fact.condition)
    relations: dict[str, Relation] = {}
    for name, predicate in problem.given.predicates.items():
        parameters = tuple(var(f"a{number}", sort) for number, sort in enumerate(predicate.sorts))
        place = horn.places.get(name)
        conditions = said.get((place.procedure, place.label), ()) if place is not None else ()
        arguments = place.arguments if place is not None else ()
        values = {a: p for a, p in zip(arguments, parameters, strict=False) if a is not None and a.sort is p.sort}
        sayable = [substitute(one, values) for one in conditions if free_variables(one) <= values.keys()]
        relations[name] = Relation(parameters, conj_all(sayable))
    forward = problem.simplified.forward(relations)
    for number, location in enumerate(problem.system.locations):
        relation = forward.get(location.name)
        if relation is not None:
            own = dict(zip(relation.parameters, location.variables, strict=True))
            yield from ((number, one) for one in conjuncts(substitute(relation.formula, own)) if _says(one))


def _says(fact: Term) -> bool:
    return not fact.is_true and not has_quantifier(fact)
