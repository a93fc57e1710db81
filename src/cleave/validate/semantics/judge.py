"""Decides the conditions of a concrete run: an assumption that is false blocks it, a failed check ends it.

A condition that no instance of its quantifiers decides is taken to hold for now, kept with the state it is about, and
tried again at the end of the run, when more values are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from cleave.ir.program import Assert, Clause, Location, Program
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value, as_term
from cleave.logic.walk import substitute
from cleave.records import dataclass
from cleave.validate.semantics.evaluate import UNDETERMINED, World, evaluate
from cleave.validate.semantics.events import Blocked, Finished, Outcome, Violated


class Ended(Exception):  # noqa: N818 (no error)
    """The run is over."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class View:
    """The variables that a term may read: a procedure's own first, then the globals and constants."""

    own: Mapping[Term, Value]
    shared: Mapping[Term, Value]

    def __call__(self, variable: Term) -> Value:
        return self.own[variable] if variable in self.own else self.shared[variable]

    def frozen(self) -> View:
        return View(dict(self.own), dict(self.shared))


INSTANCES_NOTE = "quantified assumptions were checked on instances only"


@dataclass(frozen=True, slots=True)
class _Open:
    condition: Term
    view: View
    what: str
    location: Location | None


@dataclass(slots=True)
class Judge:
    program: Program
    world: World
    undecided: list[_Open] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a run takes for granted."""
        return (INSTANCES_NOTE,) if self.undecided else ()

    def assume(self, condition: Term, view: View, what: str, location: Location | None) -> None:
        """Ends the run when ``condition`` is false."""
        if not self.holds(condition, view, what, location):
            raise Ended(Blocked(f"{what} is false", location, self._instance(condition)))

    def holds(self, condition: Term, view: View, what: str, location: Location | None) -> bool:
        """Whether nothing shows that ``condition`` is false."""
        value = evaluate(condition, view, self.world)
        if value is UNDETERMINED:
            self.undecided.append(_Open(condition, view.frozen(), what, location))
            return True
        return bool(value)

    def value(self, term: Term, view: View) -> Value:
        value = evaluate(term, view, self.world)
        if value is UNDETERMINED:
            raise Ended(Blocked("the instances tried of a quantifier leave an assigned value open", None))
        return value

    def last_look(self, outcome: Outcome) -> Outcome:
        """The outcome, unless something taken to hold turns out false now that all values of the run are known."""
        if isinstance(outcome, Violated | Finished):
            for one in self.undecided:
                if evaluate(one.condition, one.view, self.world, in_run=False) is False:
                    return Blocked(f"{one.what} is false", one.location, self._instance(one.condition))
        return outcome

    def _instance(self, condition: Term) -> Term | None:
        """The instance that made an axiom false, where it can be written as a term."""
        found = self.world.false_instance
        if condition.op is not Op.FORALL or found is None or found[0] is not condition:
            return None
        if condition not in self.program.axioms:
            return None
        variables: tuple[Term, ...] = condition.value.variables
        known: dict[Term, Term] = {}
        for variable, value in zip(variables, found[1], strict=True):
            constant = as_term(value, variable.sort)
            if constant is not None:
                known[variable] = constant
        return substitute(condition.args[0], known) if len(known) == len(variables) else None


def check_text(subject: Assert | Clause, kind: str, procedure: str) -> str:
    """What a condition is called when it fails."""
    if isinstance(subject, Assert):
        return subject.message
    return subject.message or f"{kind} of {procedure}"
