"""Loops that count can make many rounds in one step: a rule is added for each of them, and nothing is left out.

    Inv(x + 2, y) :- Inv(x, y), x < y               the loop, and what is added for any number of further rounds j:
    Inv(x + 2*j + 2, y) :- Inv(x, y), j >= 1, x + 2*j < y

What takes a loop a thousand rounds is one step away then, for a proof and for a derivation alike. The facts stay
the same, so an interpretation of the one system is one of the other; a derivation has its rounds filled in.

A loop is a rule from a predicate to itself, case by case. In a case a variable grows by a constant, or is set to what
depends on such variables only, and read by nobody. A literal of the guard is needed in the first round only if it stays
true from then on, and in the last round only if it was true before whenever it is; cases with other literals are left
alone, once an inequality of numbers (`x != y`) in the guard was read as ``<`` and as ``>``, which makes a loop of
each. Inputs are the same in all rounds: that is fewer derivations, and sound. Remainders are written with
cases in which they are linear (`quotients`). Bit vectors count as far as they do not wrap around (`counting`).

Nothing rests on the added rules: what is found with them is checked for the clauses that were given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from cleave.errors import UnsupportedError
from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Step
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Op, Term, bv_compare, conj, conj_all, disj_all, eq, lt, neg, var
from cleave.logic.walk import free_variables, has_quantifier, postorder, substitute
from cleave.passes.fresh import FreshNames
from cleave.passes.horn.counting import (
    Straight,
    at_least_one,
    can_count,
    constant,
    difference,
    grown,
    later,
    sort_of_rounds,
)
from cleave.passes.horn.equations import conjuncts, solve
from cleave.passes.horn.quotients import has_division, with_cases, with_names
from cleave.passes.horn.step import Pass, equations, ground_values
from cleave.passes.to_transitions.cases import Case, first_cases
from cleave.passes.to_transitions.translate import over
from cleave.records import dataclass
from cleave.smt.solver import Answer, Model
from cleave.smt.z3.solver import PLAIN, Z3Solver

_MOST_LOOPS = 50  # that are looked at
_MOST_CASES = 16  # of a loop
_MOST_NODES = 2_000  # of a loop
_MOST_INEQUALITIES = 3  # of a case that are read in two ways
_COST, _MOST_COST = 200_000, 3_000_000  # of the solver, for a question and for all
_MOST_STEPS = 50_000  # of a derivation with its rounds filled in


@dataclass(frozen=True, slots=True)
class _Loop:
    """A case of clause number ``clause``. ``growth`` is by how much a variable grows in a round, for those that grow;
    ``first`` has to hold in the first round and ``last`` in the last one; ``straight`` says which bit vectors must not
    wrap around for that to be enough; ``rounds`` is the number of rounds but one."""

    clause: int
    predicate: str
    variables: tuple[Term, ...]
    updates: tuple[Term, ...]
    growth: Mapping[Term, int]
    first: Term
    last: Term
    straight: tuple[Straight, ...]
    rounds: Term

    def later(self, rounds: Term) -> dict[Term, Term]:
        """The variables that grow, after a number of rounds."""
        return later(self.growth, rounds)

    def rule(self) -> Clause:
        shift = self.later(self.rounds)
        straight = (one.condition(self.rounds) for one in self.straight)
        constraint = conj_all((at_least_one(self.rounds), *straight, self.first, substitute(self.last, shift)))
        head = Atom(self.predicate, tuple(substitute(update, shift) for update in self.updates))
        return Clause(head, (Atom(self.predicate, self.variables),), constraint)


def accelerate(system: HornSystem) -> Pass | None:
    """None if there is nothing to be done."""
    loops = list(_loops(system))
    split = tuple(map(_with_cases, system.clauses))
    if not loops and split == system.clauses:
        return None
    faster = replace(system, clauses=(*split, *(loop.rule() for loop in loops)))
    return Pass(faster, lambda found: found, lambda found: _filled(found, loops, len(split)))


def _with_cases(clause: Clause) -> Clause:
    head = None if clause.head is None else _atom_with_cases(clause.head)
    return replace(
        clause, head=head, body=tuple(map(_atom_with_cases, clause.body)), constraint=with_cases(clause.constraint)
    )


def _atom_with_cases(atom: Atom) -> Atom:
    return replace(atom, arguments=tuple(map(with_cases, atom.arguments)))


# --- loops ------------------------------------------------------------------------------------------------------------


def _loops(system: HornSystem) -> Iterator[_Loop]:
    numbers = [number for number, clause in enumerate(system.clauses) if _is_loop(clause)]
    if not numbers:
        return
    solver = Z3Solver(profile=PLAIN)
    try:
        for number in numbers[:_MOST_LOOPS]:
            clause = system.clauses[number]
            name = clause.body[0].predicate
            names = FreshNames({variable.name for variable in clause.variables()})
            variables = tuple(var(names.like("x"), sort) for sort in system.predicates[name].sorts)
            for case in _cases(clause, variables, names):
                yield from _found(solver, case, number, name, variables)
    finally:
        solver.close()


def _is_loop(clause: Clause) -> bool:
    head, body = clause.head, clause.body
    if head is None or len(body) != 1 or body[0].predicate != head.predicate or has_quantifier(clause.constraint):
        return False
    terms = (clause.constraint, *body[0].arguments, *head.arguments)
    return any(can_count(a.sort) for a in head.arguments) and sum(1 for _ in postorder(terms)) <= _MOST_NODES


def _cases(clause: Clause, variables: tuple[Term, ...], names: FreshNames) -> Iterator[Case]:
    """Those that may count, which leave Booleans as they are: these tell where a program is, often. Where something is
    divided, also with quotients that stay what they are."""
    guard, given = over(variables, clause)
    updates = [with_cases(update) for update in given]
    stay = (eq(update, v) for v, update in zip(variables, given, strict=True) if v.sort is BOOL and update is not v)
    guard = conj(guard, *stay)
    yield from _solved(guard, updates, variables)
    if has_division((guard, *updates)):
        (guard, *updates), meaning = with_names((guard, *updates), names)
        yield from _solved(conj(guard, meaning), updates, variables)


def _solved(guard: Term, updates: Sequence[Term], variables: Sequence[Term]) -> Iterator[Case]:
    """Without inputs that equations define."""
    for case in first_cases(guard, updates, _MOST_CASES):
        held, after = solve(case.guard, case.updates, lambda variable: variable not in variables)
        yield Case(held, tuple(after))


def _found(solver: Z3Solver, case: Case, clause: int, name: str, variables: tuple[Term, ...]) -> Iterator[_Loop]:
    for ways in ((case,), _ordered(case)):
        loops = [_loop(solver, way, clause, name, variables) for way in ways if solver.cost() < _MOST_COST]
        yield from (loop for loop in loops if loop is not None)
        if any(loops):
            return


def _ordered(case: Case) -> Iterator[Case]:
    """The case with each way to read its inequalities of numbers; none if it has none, or too many."""
    literals = conjuncts(case.guard)
    unequal = [literal for literal in literals if _is_inequality(literal)]
    if 0 < len(unequal) <= _MOST_INEQUALITIES:
        others = [literal for literal in literals if not _is_inequality(literal)]
        pairs = [literal.args[0].args for literal in unequal]
        for chosen in product(*((_below(a, b), _below(b, a)) for a, b in pairs)):
            yield Case(conj_all((*others, *chosen)), case.updates)


def _is_inequality(literal: Term) -> bool:
    return literal.op is Op.NOT and literal.args[0].op is Op.EQ and can_count(literal.args[0].args[0].sort)


def _below(a: Term, b: Term) -> Term:
    return lt(a, b) if a.sort is INT else bv_compare(Op.BV_ULT, a, b)


def _loop(solver: Z3Solver, case: Case, clause: int, name: str, variables: tuple[Term, ...]) -> _Loop | None:
    growth = _growth(solver, variables, case)
    sort = None if growth is None else sort_of_rounds(growth)
    if growth is None or sort is None:
        return None
    one = constant(1, sort)
    shift = later(growth, one)
    first, last, straight = list[Term](), list[Term](), dict[Straight, None]()
    for literal in conjuncts(case.guard):
        after = substitute(literal, shift)
        for needed in _ways(literal, growth):
            given = [step.condition(one) for step in needed]
            if after is literal or _implies(solver, (*given, literal), after):
                first.append(literal)
            elif _implies(solver, (*given, after), literal):
                last.append(literal)
            else:
                continue
            straight.update(dict.fromkeys(needed))
            break
        else:
            return None
    again = (case.guard, substitute(case.guard, shift), *(step.condition(one) for step in straight))
    if _answer(solver, again) is Answer.UNSAT:
        return None  # there is no second round
    names = FreshNames({variable.name for variable in free_variables(case.guard, *case.updates, *variables)})
    rounds = var(names.like("rounds"), sort)
    return _Loop(clause, name, variables, case.updates, growth, conj_all(first), conj_all(last), (*straight,), rounds)


def _ways(literal: Term, growth: Mapping[Term, int]) -> Iterator[tuple[Straight, ...]]:
    """What bit vectors may have to do for the literal to hold in all rounds between: nothing, or not wrap around."""
    yield ()
    read = free_variables(literal)
    grow = [(variable, by) for variable, by in growth.items() if variable in read and variable.sort.is_bitvec]
    if grow:
        for with_sign in (False, True):
            yield tuple(Straight(variable, by, with_sign) for variable, by in grow)


def _growth(solver: Z3Solver, variables: tuple[Term, ...], case: Case) -> dict[Term, int] | None:
    """By how much each variable grows, but for those that do not. None if no variable grows, or one is read that is
    set to something else."""
    after = {v: update for v, update in zip(variables, case.updates, strict=True) if update is not v}
    solver.push()
    try:
        growth = _differences(solver, case.guard, after)
    finally:
        solver.pop()
    if growth is None:
        return None
    others = after.keys() - growth.keys()
    read = free_variables(case.guard, *(after[variable] for variable in others))
    growth = {variable: by for variable, by in growth.items() if by}
    return growth if growth and others.isdisjoint(read) else None


def _differences(solver: Z3Solver, guard: Term, after: Mapping[Term, Term]) -> dict[Term, int] | None:
    """What is added to a variable whenever the guard holds, where that is always the same: what it is in one model,
    unless another model tells otherwise. None if that is a variable that the guard reads."""
    solver.add(guard)
    if solver.check(cost_limit=_COST) is not Answer.SAT:
        return None
    model = solver.model()
    growth = {v: _in_model(model, v, update) for v, update in after.items() if can_count(v.sort) or v.sort is BOOL}
    read = free_variables(guard)
    while read.isdisjoint(after.keys() - growth.keys()):
        same = {v: eq(after[v], grown(v, by, constant(1, v.sort)) if by else v) for v, by in growth.items()}
        solver.push()
        solver.add(disj_all(neg(one) for one in same.values()))
        answer = solver.check(cost_limit=_COST)
        other = solver.model() if answer is Answer.SAT else None
        kept = {v: by for v, by in growth.items() if other is None or other.is_true(same[v])}
        solver.pop()
        if kept == growth:
            return growth if answer is Answer.UNSAT else None
        growth = kept
    return None


def _in_model(model: Model, variable: Term, update: Term) -> int:
    if variable.sort is BOOL:
        return 0
    return difference(int(model.value(update)), int(model.value(variable)), variable.sort)


def _implies(solver: Z3Solver, given: Sequence[Term], formula: Term) -> bool:
    return _answer(solver, (*given, neg(formula))) is Answer.UNSAT


def _answer(solver: Z3Solver, formulas: Sequence[Term]) -> Answer:
    solver.push()
    try:
        for formula in formulas:
            solver.add(formula)
        return solver.check(cost_limit=_COST)
    finally:
        solver.pop()


# --- derivations ------------------------------------------------------------------------------------------------------


def _filled(derivation: Derivation, loops: Sequence[_Loop], before: int) -> Derivation:
    """With all rounds of the steps by rules that were added, which are numbered from ``before`` on."""
    steps: list[Step] = []
    places: list[int] = []  # where the steps of the given derivation are now
    for step in derivation.steps:
        premises = tuple(places[number] for number in step.premises)
        if step.clause < before:
            steps.append(replace(step, premises=premises))
        else:
            loop, start = loops[step.clause - before], steps[premises[0]].arguments
            for facts in _rounds(loop, start, step.arguments, _MOST_STEPS - len(steps)):
                steps.append(Step(loop.clause, loop.predicate, facts, premises))
                premises = (len(steps) - 1,)
        places.append(len(steps) - 1)
    return Derivation(tuple(steps))


def _rounds(loop: _Loop, start: tuple[Term, ...], end: tuple[Term, ...], most: int) -> Iterator[tuple[Term, ...]]:
    """The facts after each round."""
    rule = loop.rule()
    assert rule.head is not None
    inputs = sorted(rule.variables().difference(loop.variables), key=lambda variable: variable.name)
    held = conj_all((equations(loop.variables, start), rule.constraint, equations(rule.head.arguments, end)))
    values = dict(zip(inputs, ground_values(held, inputs), strict=True))
    count = int(values[loop.rounds].value)
    if count >= most:
        raise UnsupportedError(f"the derivation takes more than {_MOST_STEPS} steps")
    known = dict(zip(loop.variables, start, strict=True))
    for done in range(count + 1):
        grown = {v: substitute(term, known) for v, term in loop.later(constant(done, loop.rounds.sort)).items()}
        facts = tuple(substitute(update, values | known | grown) for update in loop.updates)
        yield end if done == count else facts
