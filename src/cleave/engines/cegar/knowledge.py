"""Answers about transitions without a solver, from its earlier answers and from those of other workers.

    blocking       {x = 0}                          with x = 0 the transition can't be taken
    implying       {y > 5}: 3                       after it, predicate 3 holds if y > 5 does before it
    witnesses      x = 3, y = 7                     it can be taken like this

What follows from some predicates follows from every state that has these; and a witness refutes what it refutes for
every state that it belongs to. Both say nothing that a solver would not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from cleave.engines.cegar import costs
from cleave.engines.cegar.messages import Fact, Implied, Witnessed, pack, unpack
from cleave.engines.cegar.points import LocationPredicates, Numbers, Point, Step, read_numbers, written
from cleave.engines.cegar.witnesses import Side, Truth, Witness
from cleave.ir.transition_system import TransitionSystem
from cleave.logic.terms import Term
from cleave.logic.walk import substitute
from cleave.records import dataclass
from cleave.smt.z3.model import Z3Model


def _unknown(_one: int) -> None:
    return None


@dataclass(slots=True)
class _Known:
    """Of a transition. Sets of the source's predicates are bits."""

    blocking: list[int] = field(default_factory=list)
    implying: dict[int, list[int]] = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)
    told: list[Fact] = field(default_factory=list)  # by others, and not needed until now


@dataclass(frozen=True, slots=True)
class Found:
    """Of the predicates asked for, those that are known to hold after a transition, and those of which nobody knows;
    and whether it is known that it can be taken."""

    held: int
    open: list[int]
    is_possible: bool


class Knowledge:
    """Whoever ``is_alone`` has no news for others. It must not refer to whoever owns it: a solver's memory is only
    given back at once if it is in no cycle."""

    def __init__(self, system: TransitionSystem, account: costs.Account, witnesses: int, *, is_alone: bool) -> None:
        self._system = system
        self._account = account
        self._most_witnesses = witnesses  # kept for each transition, the latest
        self._after: list[list[Term]] = [[] for _ in system.transitions]  # the target's predicates, in the source
        self._is_alone = is_alone
        self.predicates = [LocationPredicates(location.variables) for location in system.locations]
        self._steps: dict[int, Step] = {}
        self._known = [_Known() for _ in system.transitions]
        self._news: list[Fact] = []

    def learn(self, location: int, predicate: Term) -> None:
        self._account.spent += costs.LEARN
        self.predicates[location].learn(predicate)

    def is_met(self, number: int) -> bool:
        """Whether the terms after the transition were asked for before."""
        return bool(self._after[number])

    def after_terms(self, number: int) -> list[Term]:
        """The target's predicates as the source sees them: the updates in place of the target's variables."""
        transition = self._system.transitions[number]
        made, predicates = self._after[number], self.predicates[transition.target].terms
        if len(made) < len(predicates):
            replaced = dict(zip(self._system.locations[transition.target].variables, transition.updates, strict=True))
            made += (substitute(predicate, replaced) for predicate in predicates[len(made) :])
        return made

    # --- questions ----------------------------------------------------------------------------------------------------

    def is_blocked(self, number: int, bits: int) -> bool:
        """Whether the transition is known to be impossible from a state with ``bits``."""
        self._account.spent += costs.BLOCKED
        return any(bits & block == block for block in self._known[number].blocking)

    def look_up(self, number: int, bits: int, wanted: Sequence[int]) -> Found:
        """What is known of the ``wanted`` predicates after the transition from such a state."""
        self._account.spent += costs.LOOKUP
        self._read(number)
        known = self._known[number]
        held = 0
        for one in wanted:
            if any(bits & core == core for core in known.implying.get(one, ())):
                held |= 1 << one
        open_ = [one for one in wanted if not held >> one & 1]
        is_possible = False
        for witness in known.witnesses:
            if witness.belongs(bits):
                is_possible = True
                open_ = [one for one in open_ if not witness.refutes(one)]
                if not open_:
                    break
        return Found(held, open_, is_possible)

    # --- answers ------------------------------------------------------------------------------------------------------

    def add_core(self, number: int, predicate: int | None, core: int) -> None:
        """``core`` implies the predicate after the transition; or, without one, that it can't be taken."""
        self._note_core(number, predicate, core)
        if not self._is_alone:
            self._news.append(Implied(number, predicate, pack(core)))

    def add_witness(self, number: int, bits: int, model: Z3Model) -> Witness:
        """From a state with ``bits``. Others who don't get its values are told of all predicates that there are."""
        told = None if self._is_alone else self._values(number, model)
        before, after = self._truths(number, model, told)
        witness = Witness(Side(before, bits, bits), Side(after))
        self._keep(number, witness)
        if self._is_alone:
            return witness
        if told is None:
            transition = self._system.transitions[number]
            witness.before.look_up(len(self.predicates[transition.source]))
            witness.after.look_up(len(self.predicates[transition.target]))
        sides = (witness.before.holding, witness.before.known, witness.after.holding, witness.after.known)
        before_holding, before_known, after_holding, after_known = map(pack, sides)
        self._news.append(Witnessed(number, before_holding, before_known, after_holding, after_known, told))
        return witness

    def news(self) -> tuple[Fact, ...]:
        """What was added since the last time."""
        news, self._news = tuple(self._news), []
        return news

    def tell(self, facts: Iterable[Fact]) -> None:
        """Takes in what other workers found. Most of it need not be read: the transition is known to be impossible."""
        for fact in facts:
            if isinstance(fact, Implied) and fact.predicate is None:
                self._account.spent += costs.CORE
                self._note_core(fact.transition, None, unpack(fact.core))
            else:
                self._account.spent += costs.TOLD
                self._known[fact.transition].told.append(fact)

    def _read(self, number: int) -> None:
        """What others told about a transition."""
        known = self._known[number]
        told, known.told = known.told, []
        for fact in told:
            match fact:
                case Implied(predicate=predicate, core=core):
                    self._account.spent += costs.CORE
                    self._note_core(number, predicate, unpack(core))
                case Witnessed(values=values):
                    self._account.spent += costs.WITNESS
                    before, after = (_unknown, _unknown) if values is None else self._by_values(number, values)
                    before_side = Side(before, unpack(fact.before), unpack(fact.before_known))
                    after_side = Side(after, unpack(fact.after), unpack(fact.after_known))
                    self._keep(number, Witness(before_side, after_side))

    def _note_core(self, number: int, predicate: int | None, core: int) -> None:
        """Those that are larger for nothing go."""
        known = self._known[number]
        cores = known.blocking if predicate is None else known.implying.setdefault(predicate, [])
        if not any(core & other == other for other in cores):
            cores[:] = [other for other in cores if core & other != core]
            cores.append(core)

    def _keep(self, number: int, witness: Witness) -> None:
        witnesses = self._known[number].witnesses
        witnesses.append(witness)
        del witnesses[: -self._most_witnesses]

    # --- truths -------------------------------------------------------------------------------------------------------

    def _values(self, number: int, model: Z3Model) -> tuple[str, ...] | None:
        self._account.spent += costs.WRITING
        return written(model, self._step(number).terms)

    def _truths(self, number: int, model: Z3Model, told: Sequence[str] | None) -> tuple[Truth, Truth]:
        """By the values if there are any, else by the model."""
        source = self.predicates[self._system.transitions[number].source].terms

        def before(one: int) -> bool:
            return model.is_true(source[one])

        def after(one: int) -> bool:
            return model.is_true(self.after_terms(number)[one])

        if told is None:
            return self._charged(before), self._charged(after)
        return self._by_values(number, told, before, after)

    def _charged(self, truth: Truth) -> Truth:
        def charged(one: int) -> bool | None:
            self._account.spent += costs.MODEL
            return truth(one)

        return charged

    def _by_values(
        self, number: int, values: Sequence[str], otherwise: Truth = _unknown, otherwise_after: Truth = _unknown
    ) -> tuple[Truth, Truth]:
        transition = self._system.transitions[number]

        def read() -> Numbers:
            self._account.spent += costs.READING
            return read_numbers(values)

        def taken() -> Numbers:
            self._account.spent += costs.STEP
            return self._step(number).taken(*before.numbers())

        before, after = Point(read), Point(taken)
        return self._at(transition.source, before, otherwise), self._at(transition.target, after, otherwise_after)

    def _at(self, location: int, point: Point, otherwise: Truth) -> Truth:
        predicates = self.predicates[location]

        def truth(one: int) -> bool | None:
            self._account.spent += costs.TRUTH
            found = predicates.holds(one, point)
            return otherwise(one) if found is None else found

        return truth

    def _step(self, number: int) -> Step:
        found = self._steps.get(number)
        if found is None:
            transition = self._system.transitions[number]
            variables = self._system.locations[transition.source].variables
            found = self._steps[number] = Step(variables, self._system.inputs(transition), transition.updates)
        return found
