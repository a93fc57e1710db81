"""Arguments that no derivation depends on are dropped.

    P(0, y, b)                                            P(0)
    P(x + 1, y + 1, b) :- P(x, y, b), x < 9   becomes     P(x + 1) :- P(x), x < 9
    Q(x, b[0 := x]) :- P(x, y, b)                         Q(x, b[0 := x]) :- P(x)

Of ``P`` nothing *reads* ``y``: its values go into no constraint, and into no argument that is read. And ``b`` may be
*any*: where ``P`` holds of one ``b``, it holds of all. In programs these are variables that are not needed any more,
and variables that were not written yet, such as whole arrays.

An interpretation says nothing of what was dropped. In a derivation, values that nothing reads are computed from those
of the premises. A value that may be any is the one that its use needs, so a fact may come back as several.

Redundant argument filtering: M. Leuschel, M. H. Sørensen, LOPSTR 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Interpretation, Predicate, Relation, Step
from cleave.logic.terms import Op, Term, conj_all, exists, forall, var
from cleave.logic.values import default_value
from cleave.logic.walk import free_variables, substitute
from cleave.passes.fresh import FreshNames
from cleave.passes.horn.equations import conjuncts, solve
from cleave.passes.horn.step import Pass, as_term, equations, ground_values, has_values
from cleave.records import dataclass

Place = tuple[str, int]  # an argument of a predicate
Item = TypeVar("Item")
Quantifier = Callable[[tuple[Term, ...], Term], Term]


def drop_unread(system: HornSystem) -> Pass:
    return _without(system, _kept(system, _readers), _Above, exists)


def drop_open(system: HornSystem) -> Pass:
    return _without(system, _kept(system, _fixers), _Below, forall)


# --- which ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Need:
    """The argument is needed if the other one is; if there is no other one, it is needed anyway."""

    place: Place
    by: Place | None = None


def _kept(system: HornSystem, needs: Callable[[Clause], Iterator[_Need]]) -> frozenset[Place]:
    known: dict[Place, None] = {}
    followed: dict[Place, list[Place]] = {}
    for name, predicate in system.predicates.items():
        known.update(((name, n), None) for n, sort in enumerate(predicate.sorts) if not has_values(sort))
    for clause in system.clauses:
        for need in needs(clause):
            if need.by is None:
                known[need.place] = None
            else:
                followed.setdefault(need.by, []).append(need.place)
    waiting = list(known)
    while waiting:
        for place in followed.get(waiting.pop(), ()):
            if place not in known:
                known[place] = None
                waiting.append(place)
    return frozenset(known)


def _readers(clause: Clause) -> Iterator[_Need]:
    """A premise's argument is read unless it is a variable that only arguments of the head mention, which are not."""
    times = _times([clause.constraint, *(argument for atom in clause.body for argument in atom.arguments)])
    users: dict[Term, list[Place]] = {}
    for place, argument in _places(clause.head):
        for variable in free_variables(argument):
            users.setdefault(variable, []).append(place)
    for atom in clause.body:
        for place, argument in _places(atom):
            if argument.op is not Op.VAR or times[argument] > 1:
                yield _Need(place)
            else:
                yield from (_Need(place, user) for user in users.get(argument, ()))


def _fixers(clause: Clause) -> Iterator[_Need]:
    """The head's argument is fixed unless it is a variable of its own, which premises allow to be anything."""
    head = () if clause.head is None else clause.head.arguments
    inner = [a for atom in clause.body for a in atom.arguments if a.op is not Op.VAR]
    times = _times([clause.constraint, *inner, *head])
    givers: dict[Term, list[Place]] = {}
    for atom in clause.body:
        for place, argument in _places(atom):
            givers.setdefault(argument, []).append(place)
    for place, argument in _places(clause.head):
        if argument.op is not Op.VAR or times[argument] > 1:
            yield _Need(place)
        else:
            yield from (_Need(place, giver) for giver in givers.get(argument, ()))


def _times(terms: Iterable[Term]) -> dict[Term, int]:
    """In how many of the terms each variable is."""
    found: dict[Term, int] = {}
    for term in terms:
        for variable in free_variables(term):
            found[variable] = found.get(variable, 0) + 1
    return found


def _places(atom: Atom | None) -> Iterator[tuple[Place, Term]]:
    if atom is not None:
        yield from (((atom.predicate, number), argument) for number, argument in enumerate(atom.arguments))


# --- without them -----------------------------------------------------------------------------------------------------


def _without(system: HornSystem, kept: frozenset[Place], way_back: type[_WayBack], quantified: Quantifier) -> Pass:
    places = {name: [(name, n) in kept for n in range(len(p.sorts))] for name, p in system.predicates.items()}
    if all(all(own) for own in places.values()):
        return Pass(system, lambda found: found, lambda found: found)

    def shorter(atom: Atom) -> Atom:
        return Atom(atom.predicate, _chosen(atom.arguments, places[atom.predicate]))

    clauses = tuple(
        replace(
            clause, head=None if clause.head is None else shorter(clause.head), body=tuple(map(shorter, clause.body))
        )
        for clause in system.clauses
    )
    predicates = {name: Predicate(name, _chosen(p.sorts, places[name])) for name, p in system.predicates.items()}

    def interpretation(found: Interpretation) -> Interpretation:
        return {name: _widened(system.predicates[name], relation, places[name]) for name, relation in found.items()}

    def derivation(found: Derivation) -> Derivation:
        return way_back(system, places, found).derivation()

    def forward(found: Interpretation) -> Interpretation:
        return {name: _narrowed(relation, places[name], quantified) for name, relation in found.items()}

    return Pass(replace(system, predicates=predicates, clauses=clauses), interpretation, derivation, forward)


def _chosen(items: Sequence[Item], kept: Sequence[bool]) -> tuple[Item, ...]:
    return tuple(item for item, is_kept in zip(items, kept, strict=True) if is_kept)


def _widened(predicate: Predicate, relation: Relation, kept: Sequence[bool]) -> Relation:
    own = iter(relation.parameters)
    names = FreshNames(parameter.name for parameter in relation.parameters)
    parameters = tuple(
        next(own) if is_kept else var(names.like("idle"), sort)
        for is_kept, sort in zip(kept, predicate.sorts, strict=True)
    )
    return Relation(parameters, relation.formula)


def _narrowed(relation: Relation, kept: Sequence[bool], quantified: Quantifier) -> Relation:
    """What it says of some value of an argument that is not read, or of all values of one that may be any."""
    own = _chosen(relation.parameters, kept)
    names = FreshNames(parameter.name for parameter in relation.parameters)
    others = {p: var(names.like("idle"), p.sort) for p in relation.parameters if p not in own}
    parts = conjuncts(relation.formula)
    about = [part for part in parts if not free_variables(part).isdisjoint(others)]
    rest = [part for part in parts if free_variables(part).isdisjoint(others)]
    if about:
        rest.append(quantified(tuple(others.values()), substitute(conj_all(about), others)))
    return Relation(own, conj_all(rest))


# --- the way back: derivations ----------------------------------------------------------------------------------------


class _WayBack:
    """From facts with the arguments that are kept to facts with all of them."""

    def __init__(self, system: HornSystem, kept: Mapping[str, Sequence[bool]], found: Derivation) -> None:
        self._system = system
        self._kept = kept
        self._found = found
        self._steps: list[Step] = []

    def derivation(self) -> Derivation:
        raise NotImplementedError

    def _of(self, atom: Atom, arguments: Sequence[Term]) -> Term:
        """That the atom is the fact with these arguments, as far as they are kept."""
        return equations(_chosen(atom.arguments, self._kept[atom.predicate]), tuple(arguments))

    def _whole(self, name: str, some: Sequence[Term], others: Iterator[Term]) -> tuple[Term, ...]:
        own = iter(some)
        return tuple(next(own) if is_kept else next(others) for is_kept in self._kept[name])

    def _dropped(self, atom: Atom) -> tuple[Term, ...]:
        return _chosen(atom.arguments, [not is_kept for is_kept in self._kept[atom.predicate]])


class _Above(_WayBack):
    """Values that are computed from those of the premises."""

    def derivation(self) -> Derivation:
        for step in self._found.steps:
            clause = self._system.clauses[step.clause]
            if clause.head is None or not self._dropped(clause.head):
                self._steps.append(step)
                continue
            facts = [clause.constraint, self._of(clause.head, step.arguments)]
            for atom, premise in zip(clause.body, step.premises, strict=True):
                facts.append(equations(atom.arguments, self._steps[premise].arguments))
            values = _values(facts, self._dropped(clause.head))
            arguments = self._whole(clause.head.predicate, step.arguments, iter(values))
            self._steps.append(replace(step, arguments=arguments))
        return Derivation(tuple(self._steps))


class _Below(_WayBack):
    """Values that the use of a fact needs."""

    def derivation(self) -> Derivation:
        made: dict[tuple[int, tuple[Term, ...]], int] = {}
        last = (len(self._found.steps) - 1, ())
        waiting: list[tuple[tuple[int, tuple[Term, ...]], list[tuple[int, tuple[Term, ...]]] | None]] = [(last, None)]
        while waiting:
            wanted, premises = waiting.pop()
            if wanted in made:
                continue
            if premises is None:
                premises = self._premises(*wanted)
                waiting.append((wanted, premises))
                waiting += ((premise, None) for premise in premises)
                continue
            step = self._found.steps[wanted[0]]
            made[wanted] = len(self._steps)
            self._steps.append(replace(step, arguments=wanted[1], premises=tuple(made[one] for one in premises)))
        return Derivation(tuple(self._steps))

    def _premises(self, number: int, arguments: tuple[Term, ...]) -> list[tuple[int, tuple[Term, ...]]]:
        """The steps that a fact with all these arguments needs, with all of theirs."""
        step = self._found.steps[number]
        clause = self._system.clauses[step.clause]
        facts = [clause.constraint]
        if clause.head is not None:
            facts.append(equations(clause.head.arguments, arguments))
        own = [self._found.steps[premise].arguments for premise in step.premises]
        facts += (self._of(atom, known) for atom, known in zip(clause.body, own, strict=True))
        wanted = [term for atom in clause.body for term in self._dropped(atom)]
        values = iter(_values(facts, wanted)) if wanted else iter(())
        return [
            (premise, self._whole(atom.predicate, known, values))
            for atom, premise, known in zip(clause.body, step.premises, own, strict=True)
        ]


def _values(facts: Sequence[Term], wanted: Sequence[Term]) -> list[Term]:
    """Ground terms, without a solver where equations tell them, or nothing is said of them."""
    formula, solved = solve(conj_all(facts), wanted, lambda variable: True)
    free = free_variables(*solved) - free_variables(formula)
    solved = [substitute(term, {v: as_term(default_value(v.sort), v.sort) for v in free}) for term in solved]
    if all(_is_written(term) for term in solved):
        return solved
    return ground_values(formula, solved)


def _is_written(term: Term) -> bool:
    """Whether it is a value as facts have them: a number, or an array with numbers in some cells."""
    while term.op is Op.STORE and term.args[1].is_value and term.args[2].is_value:
        term = term.args[0]
    return term.is_value or (term.op is Op.CONST_ARRAY and term.args[0].is_value)
