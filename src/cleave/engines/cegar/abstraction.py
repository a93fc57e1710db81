"""Cartesian predicate abstraction: which predicates hold after a transition from an abstract state.

    state      x = 0 holds, y > 5 does not              {x = 0}
    guard      x < 10, and then x := x + 1
    after it   x > 0 follows, x = 0 does not            {x > 0}

A predicate holds after the transition if the state and the guard imply it. What follows from the predicates that the
solver needed follows from every state that has these; and a solver's model refutes what it refutes for every state that
it belongs to. Both are kept, and told to other workers, so that later questions are often answered without the solver;
they say nothing that a solver would not, so the answers do not depend on what was asked before.

A question that the solver leaves open is put once more to a fresh one, with a larger limit on the cost; if that one
can't tell either, the predicate does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cleave.engines.cegar.interruption import InterruptedSearchError
from cleave.engines.cegar.messages import Fact, Implied, Witnessed, pack, unpack
from cleave.engines.cegar.points import LocationPredicates, Numbers, Point, Step, read_numbers, written
from cleave.engines.cegar.witnesses import Side, Truth, Witness, members
from cleave.ir.transition_system import TransitionSystem
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj_all, implies, neg, var
from cleave.logic.walk import substitute
from cleave.smt.solver import Answer
from cleave.smt.z3 import DEFAULT, PLAIN, Z3Solver
from cleave.smt.z3_model import Z3Model

INFEASIBLE = None
"""What there is after a transition that can't be taken."""

_COST = 2_000_000  # of a question to the solver that has answered others before, ...
_FRESH_COST = 50_000_000  # ... and to one that has not
_BLOCKED_COST = 5  # of a transition that is known to be impossible, in the solver's units, which are microseconds, ...
_LOOKUP_COST = 30  # ... of another one, ...
_ASK_COST = 150  # ... of one that the solver is asked about, besides what that costs, ...
_FIRST_COST = 150  # ... and when that is done for the first time, as its terms are new to the solver, ...
_TRUTH_COST = 4  # ... of a predicate that is looked up in the values of a model, ...
_MODEL_COST = 15  # ... or in the model itself, ...
_WRITING_COST = 120  # ... of a model that is written down for others, ...
_READING_COST = 12  # ... and read by one of them, ...
_STEP_COST = 10  # ... of working out what comes after a transition from that, ...
_LEARN_COST = 100  # ... of a predicate that is learned, ...
_CORE_COST = 4  # ... of a fact that another worker found, ...
_WITNESS_COST = 13  # ... and of a witness, ...
_ORDER_COST = 40  # ... and of being told what to look at
_MOST_MODELS = 48  # kept for each transition, the latest


def _unknown(_one: int) -> None:
    return None


@dataclass(slots=True)
class _Known:
    """What is known of a transition: sets of the source's predicates with which it can't be taken, those that imply a
    predicate of the target, and witnesses."""

    blocking: list[int] = field(default_factory=list)
    implying: dict[int, list[int]] = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)


class Abstraction:
    """``queries`` counts the solver's answers. Whoever ``is_alone`` has no news for others."""

    def __init__(self, system: TransitionSystem, *, is_alone: bool = False) -> None:
        self._system = system
        self._is_alone = is_alone
        self._predicates = [LocationPredicates(location.variables) for location in system.locations]
        self._steps: dict[int, Step] = {}
        self._after: list[list[Term]] = [[] for _ in system.transitions]  # the target's predicates, in the source
        self._known = [_Known() for _ in system.transitions]
        self._solver = Z3Solver(profile=PLAIN)
        self._fresh: Z3Solver | None = None
        self._fresh_cost = 0
        self._own_cost = 0
        self._news: list[Fact] = []
        self.queries = 0

    def learn(self, location: int, predicate: Term) -> None:
        self._own_cost += _LEARN_COST
        self._predicates[location].learn(predicate)

    def news(self) -> tuple[Fact, ...]:
        """What the solver said since the last time."""
        news, self._news = tuple(self._news), []
        return news

    def tell(self, facts: Iterable[Fact]) -> None:
        """Takes in what other workers found, before an order is looked at."""
        self._own_cost += _ORDER_COST
        for fact in facts:
            match fact:
                case Implied(transition=number, predicate=predicate, core=core):
                    self._own_cost += _CORE_COST
                    self._note_core(number, predicate, unpack(core))
                case Witnessed():
                    self._own_cost += _WITNESS_COST
                    before, after = self._told_truths(fact)
                    before_side = Side(before, unpack(fact.before), unpack(fact.before_known))
                    after_side = Side(after, unpack(fact.after), unpack(fact.after_known))
                    self._keep(fact.transition, Witness(before_side, after_side))

    def close(self) -> None:
        self._solver.close()

    def interrupt(self) -> None:
        """From any thread."""
        self._solver.interrupt()
        fresh = self._fresh
        if fresh is not None:
            fresh.interrupt()

    def cost(self) -> int:
        return self._solver.cost() + self._fresh_cost + self._own_cost

    def post(self, number: int, bits: int, since: int = 0) -> int | None:
        """The predicates of the target, from number ``since`` on, that hold after transition ``number`` from a state
        with ``bits``; `INFEASIBLE` if it can't be taken."""
        known = self._known[number]
        self._own_cost += _BLOCKED_COST
        if any(bits & block == block for block in known.blocking):
            return INFEASIBLE
        self._own_cost += _LOOKUP_COST
        wanted = range(since, len(self._predicates[self._system.transitions[number].target]))
        held = self._held(known, bits, wanted)
        open_ = [one for one in wanted if not held >> one & 1]
        is_possible = False
        for witness in known.witnesses:
            if witness.belongs(bits):
                is_possible = True
                open_ = [one for one in open_ if not witness.refutes(one)]
                if not open_:
                    break
        if is_possible and not open_:
            return held
        return self._ask(number, bits, held, open_, is_possible)

    def _held(self, known: _Known, bits: int, wanted: Sequence[int]) -> int:
        held = 0
        for one in wanted:
            if any(bits & core == core for core in known.implying.get(one, ())):
                held |= 1 << one
        return held

    # --- the solver ---------------------------------------------------------------------------------------------------

    def _ask(self, number: int, bits: int, held: int, open_: list[int], is_possible: bool) -> int | None:
        self._own_cost += _ASK_COST if self._after[number] else _ASK_COST + _FIRST_COST
        transition = self._system.transitions[number]
        after = self._after_terms(number)
        names = {one: var(f"holds.{one}", BOOL) for one in members(bits)}
        broken = {one: var(f"broken.{one}", BOOL) for one in open_}
        source = self._predicates[transition.source].terms
        self._solver.push()
        try:
            self._solver.add(transition.guard)
            for one, name in names.items():
                self._solver.add(implies(name, source[one]))
            for one, name in broken.items():
                self._solver.add(implies(name, neg(after[one])))
            if not is_possible:
                found = self._refute(number, names, bits, None)
                if isinstance(found, int):
                    self._report_core(number, None, found)
                    return INFEASIBLE
                open_ = _still_open(found, open_)
            while open_:
                one, *open_ = open_
                found = self._refute(number, {**names, -1: broken[one]}, bits, after[one])
                if isinstance(found, int):
                    self._report_core(number, one, found)
                    held |= 1 << one
                else:
                    open_ = _still_open(found, open_)
            return held
        finally:
            self._solver.pop()

    def _refute(self, number: int, assumed: dict[int, Term], bits: int, after: Term | None) -> int | Witness | None:
        """The predicates of the source with which the transition can't be taken so that ``after`` fails; or a witness
        that it can; or None, for nobody knows."""
        self.queries += 1
        answer = self._solver.check(tuple(assumed.values()), cost_limit=_COST)
        if answer is Answer.SAT:
            return self._report_witness(number, bits, self._solver.model())
        if answer is Answer.UNKNOWN:
            return bits if self._refuted_afresh(number, bits, after) else None
        core = set(self._solver.core())
        return sum(1 << one for one, name in assumed.items() if one >= 0 and name in core)

    def _refuted_afresh(self, number: int, bits: int, after: Term | None) -> bool:
        if self._solver.reason_unknown() == "interrupted":
            raise InterruptedSearchError
        transition = self._system.transitions[number]
        source = self._predicates[transition.source].terms
        self._fresh = Z3Solver(profile=DEFAULT)
        try:
            failing = [] if after is None else [neg(after)]
            self._fresh.add(conj_all((transition.guard, *(source[one] for one in members(bits)), *failing)))
            answer = self._fresh.check(cost_limit=_FRESH_COST)
            self._fresh_cost += self._fresh.cost()
            if answer is Answer.UNKNOWN and self._fresh.reason_unknown() == "interrupted":
                raise InterruptedSearchError
            return answer is Answer.UNSAT
        finally:
            self._fresh.close()
            self._fresh = None

    # --- facts --------------------------------------------------------------------------------------------------------

    def _report_core(self, number: int, predicate: int | None, core: int) -> None:
        self._note_core(number, predicate, core)
        if not self._is_alone:
            self._news.append(Implied(number, predicate, pack(core)))

    def _note_core(self, number: int, predicate: int | None, core: int) -> None:
        """Those that are larger for nothing go."""
        known = self._known[number]
        cores = known.blocking if predicate is None else known.implying.setdefault(predicate, [])
        if not any(core & other == other for other in cores):
            cores[:] = [other for other in cores if core & other != core]
            cores.append(core)

    def _report_witness(self, number: int, bits: int, model: Z3Model) -> Witness:
        """Others who don't get its values are told of all predicates that there are."""
        told = None if self._is_alone else self._values(number, model)
        before, after = self._truths(number, model, told)
        witness = Witness(Side(before, bits, bits), Side(after))
        self._keep(number, witness)
        if self._is_alone:
            return witness
        if told is None:
            transition = self._system.transitions[number]
            witness.before.look_up(len(self._predicates[transition.source]))
            witness.after.look_up(len(self._predicates[transition.target]))
        sides = (witness.before.holding, witness.before.known, witness.after.holding, witness.after.known)
        before_holding, before_known, after_holding, after_known = map(pack, sides)
        self._news.append(Witnessed(number, before_holding, before_known, after_holding, after_known, told))
        return witness

    def _values(self, number: int, model: Z3Model) -> tuple[str, ...] | None:
        self._own_cost += _WRITING_COST
        return written(model, self._step(number).terms)

    def _step(self, number: int) -> Step:
        found = self._steps.get(number)
        if found is None:
            transition = self._system.transitions[number]
            variables = self._system.locations[transition.source].variables
            found = self._steps[number] = Step(variables, self._system.inputs(transition), transition.updates)
        return found

    def _keep(self, number: int, witness: Witness) -> None:
        witnesses = self._known[number].witnesses
        witnesses.append(witness)
        del witnesses[:-_MOST_MODELS]

    def _truths(self, number: int, model: Z3Model, told: Sequence[str] | None) -> tuple[Truth, Truth]:
        """By the values if there are any, else by the model."""
        transition = self._system.transitions[number]
        source, after = self._predicates[transition.source].terms, self._after_terms

        def before_by_model(one: int) -> bool:
            return model.is_true(source[one])

        def after_by_model(one: int) -> bool:
            return model.is_true(after(number)[one])

        if told is None:
            return self._charged(before_by_model), self._charged(after_by_model)
        return self._by_values(number, told, before_by_model, after_by_model)

    def _told_truths(self, fact: Witnessed) -> tuple[Truth, Truth]:
        if fact.values is None:
            return _unknown, _unknown
        return self._by_values(fact.transition, fact.values, _unknown, _unknown)

    def _by_values(
        self, number: int, values: Sequence[str], otherwise: Truth, otherwise_after: Truth
    ) -> tuple[Truth, Truth]:
        transition = self._system.transitions[number]

        def read() -> Numbers:
            self._own_cost += _READING_COST
            return read_numbers(values)

        def taken() -> Numbers:
            self._own_cost += _STEP_COST
            return self._step(number).taken(*before.numbers())

        before, after = Point(read), Point(taken)
        return self._at(transition.source, before, otherwise), self._at(transition.target, after, otherwise_after)

    def _at(self, location: int, point: Point, otherwise: Truth) -> Truth:
        predicates = self._predicates[location]

        def truth(one: int) -> bool | None:
            self._own_cost += _TRUTH_COST
            found = predicates.holds(one, point)
            return otherwise(one) if found is None else found

        return truth

    def _charged(self, truth: Truth) -> Truth:
        def charged(one: int) -> bool | None:
            self._own_cost += _MODEL_COST
            return truth(one)

        return charged

    # --- terms --------------------------------------------------------------------------------------------------------

    def _after_terms(self, number: int) -> list[Term]:
        """The target's predicates as the source sees them: the updates in place of the target's variables."""
        transition = self._system.transitions[number]
        made, predicates = self._after[number], self._predicates[transition.target].terms
        if len(made) < len(predicates):
            replaced = dict(zip(self._system.locations[transition.target].variables, transition.updates, strict=True))
            made += (substitute(predicate, replaced) for predicate in predicates[len(made) :])
        return made


def _still_open(witness: Witness | None, open_: list[int]) -> list[int]:
    """Without what a witness of the state refutes."""
    return open_ if witness is None else [one for one in open_ if not witness.refutes(one)]
