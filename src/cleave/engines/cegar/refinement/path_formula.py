"""A path of a transition system as constraints, with a copy of each variable for each of its values.

    0 start -> loop: assume true; x := 0, y := 0, z := 0        step 0:  x@1 = 0,  y@1 = 0
    1 loop -> loop: assume x < 10; x := x + n, y := y, z := x   step 1:  x@1 < 10,  x@2 = x@1 + n@1.
    2 loop -> error: assume x > y                               step 2:  x@2 > y@1

State ``k`` is the one before step ``k``; the inputs of a step have a dot behind its number. What no later guard depends
on is left out (``z``), what is copied keeps its name (``y``). What the steps before ``k`` say about the others is said
by the variables of state ``k`` alone, which is what makes interpolants predicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from cleave.ir.transition_system import Transition, TransitionSystem
from cleave.logic.terms import TRUE, Op, Term, eq, neg, var
from cleave.logic.walk import free_variables, substitute
from cleave.records import dataclass


@dataclass(frozen=True)
class PathFormula:
    """``guards`` and ``updates`` hold the constraints of each step; ``states`` has the names of the variables in each
    state, in the order of the location's; ``backs`` leads from these to the location's own. ``others`` are the
    equations that no guard depends on."""

    transitions: tuple[Transition, ...]
    states: tuple[tuple[Term, ...], ...]
    guards: tuple[tuple[Term, ...], ...]
    updates: tuple[tuple[Term, ...], ...]
    others: tuple[Term, ...]
    backs: tuple[Mapping[Term, Term], ...]

    @cached_property
    def steps(self) -> tuple[tuple[Term, ...], ...]:
        return tuple((*guard, *update) for guard, update in zip(self.guards, self.updates, strict=True))

    @cached_property
    def orders(self) -> tuple[Mapping[Term, int], ...]:
        """For each state, the places of its location's variables."""
        return tuple({variable: place for place, variable in enumerate(back.values())} for back in self.backs)

    @cached_property
    def constraints(self) -> tuple[tuple[int, Term], ...]:
        """All of them with the number of their step, in order."""
        return tuple((number, part) for number, step in enumerate(self.steps) for part in step)

    def at_location(self, state: int, formula: Term) -> Term:
        """A formula about a state, over the variables of its location."""
        return substitute(formula, self.backs[state])


def path_formula(system: TransitionSystem, path: Sequence[int]) -> PathFormula:
    transitions = tuple(system.transitions[number] for number in path)
    needed = _needed(system, transitions)
    state: tuple[Term, ...] = ()
    states, guards, updates, others = [state], [], [], []
    for number, transition in enumerate(transitions):
        names = dict(zip(system.locations[transition.source].variables, state, strict=True))
        names.update((v, var(f"{v.name}@{number}.", v.sort)) for v in system.inputs(transition))
        guards.append(tuple(conjuncts(substitute(transition.guard, names))))
        state, defined = _after(system, transition, names, number + 1)
        states.append(state)
        equations = [
            (v, eq(name, substitute(update, names)))
            for v, name, update in zip(
                system.locations[transition.target].variables, state, transition.updates, strict=True
            )
            if name in defined
        ]
        updates.append(tuple(equation for v, equation in equations if v in needed[number + 1]))
        others += [equation for v, equation in equations if v not in needed[number + 1]]
    places = [system.locations[t.source] for t in transitions] + [system.locations[transitions[-1].target]]
    backs = [dict(zip(names, place.variables, strict=True)) for names, place in zip(states, places, strict=True)]
    return PathFormula(transitions, tuple(states), tuple(guards), tuple(updates), tuple(others), tuple(backs))


def _needed(system: TransitionSystem, transitions: Sequence[Transition]) -> list[frozenset[Term]]:
    """The variables of each state that a guard from there on depends on."""
    needed = [frozenset[Term]()]
    for transition in reversed(transitions):
        variables = system.locations[transition.target].variables
        used = [u for v, u in zip(variables, transition.updates, strict=True) if v in needed[-1]]
        own = frozenset(system.locations[transition.source].variables)
        needed.append(free_variables(transition.guard, *used) & own)
    return needed[::-1]


def _after(
    system: TransitionSystem, transition: Transition, names: Mapping[Term, Term], state: int
) -> tuple[tuple[Term, ...], set[Term]]:
    """The names of the variables after a step, and which of them are new. Of several copies of a variable, one keeps
    its name, so that a name stands for one variable in each state."""
    source = frozenset(system.locations[transition.source].variables)
    targets = system.locations[transition.target].variables
    keeps: dict[Term, Term] = {}
    for target, update in zip(targets, transition.updates, strict=True):
        if update in source and (update not in keeps or target is update):
            keeps[update] = target
    after, defined = [], set()
    for target, update in zip(targets, transition.updates, strict=True):
        if keeps.get(update) is target:
            after.append(names[update])
        else:
            after.append(var(f"{target.name}@{state}", target.sort))
            defined.add(after[-1])
    return tuple(after), defined


def conjuncts(formula: Term) -> list[Term]:
    """What a formula says, in parts; negations are pushed inwards as far as this makes more of them."""
    found: list[Term] = []
    stack = [formula]
    while stack:
        part = stack.pop()
        inner = part.args[0] if part.op is Op.NOT else part
        if part.op is Op.AND:
            stack += reversed(part.args)
        elif part is not inner and inner.op is Op.OR:
            stack += [neg(arg) for arg in reversed(inner.args)]
        elif part is not inner and inner.op is Op.IMPLIES:
            stack += [neg(inner.args[1]), inner.args[0]]
        elif part is not TRUE:
            found.append(part)
    return list(dict.fromkeys(found))
