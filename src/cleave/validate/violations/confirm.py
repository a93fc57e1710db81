"""Confirms a violation that an engine reports, trusting nothing of the engine but the control path.

    path ──symbolic──▶ query ──Z3──▶ values ──interpreter──▶ a Confirmation

The symbolic step and the solver only *propose* values; that these values take the path to a violation is decided by
the concrete interpreter, on the original program. When an axiom turns out false on an instance, that instance is added
to the query and the solver is asked again: with quantifiers its models are only candidates.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field
from math import inf
from typing import NamedTuple

from cleave.errors import InputError, UnsupportedError
from cleave.ir.path import IllegalPathError, Path
from cleave.ir.program import Location, Program, Property
from cleave.logic.sorts import BOOL, REAL
from cleave.logic.terms import Op, Term, integer, make, real, value_of, var
from cleave.logic.values import Value
from cleave.logic.walk import functions, has_quantifier
from cleave.records import dataclass
from cleave.smt.solver import Answer, Model
from cleave.smt.z3.solver import BOOGIE, DEFAULT, Profile, Z3Solver
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.semantics.evaluate import World
from cleave.validate.semantics.events import Blocked, Run, Violated
from cleave.validate.semantics.interpreter import run
from cleave.validate.violations.evidence import execution_evidence
from cleave.validate.violations.pointwise import PointwiseMaps
from cleave.validate.violations.proposals import function_in, value_in
from cleave.validate.violations.replay import Follower, PathEndedError
from cleave.validate.violations.symbolic import Query, violation_query

CANDIDATE_NOTE = "the axioms were only taken where the run applies their functions"


class _Turn(NamedTuple):
    """One way to look for values, with its share of the time that is left and at most so many seconds.

    Without the ``axioms`` that are quantified, only the instances that a replay found false are given to the solver,
    in at most so many ``rounds``.
    """

    profile: Profile
    share: float
    limit: float = inf
    axioms: bool = True
    rounds: int = 40


# With quantifiers, instantiating triggers usually gives a candidate that replays at once; the defaults either find a
# model at once or search for one that is infinite.
_TURNS = (_Turn(DEFAULT, 0.5), _Turn(BOOGIE, 1.0))
_TURNS_WITH_QUANTIFIERS = (
    _Turn(DEFAULT, 0.1, limit=0.1),
    _Turn(BOOGIE, 0.2, rounds=5),
    _Turn(BOOGIE, 0.2, axioms=False),
    _Turn(DEFAULT, 0.1, limit=0.5),
    _Turn(DEFAULT, 0.2, axioms=False),
    _Turn(BOOGIE, 0.5),
    _Turn(DEFAULT, 1.0),
)
_CANDIDATE = ("quantifiers", "incomplete")  # reasons for not knowing that leave a model worth trying
_EXPLAIN_SECONDS = 5.0


def validate_trace(program: Program, entry: str, path: Path, *, seconds: float = 30) -> Confirmation:
    """Whether ``path``, from procedure ``entry`` of ``program``, can end in a violation of the program's property."""
    deadline = time.monotonic() + seconds
    if entry not in program.procedures:
        return rejected(f"there is no procedure {entry}")
    try:
        query = violation_query(program, entry, path)
    except IllegalPathError as error:
        return rejected(f"{error}")
    if query.violation.is_false:
        return rejected("nothing that could be violated lies at the end of the path")
    try:
        return _Attempt(program, entry, path, query, deadline).run()
    except UnsupportedError as error:
        return rejected(f"{error}")


@dataclass(slots=True)
class _Attempt:
    program: Program
    entry: str
    path: Path
    query: Query
    deadline: float
    maps: PointwiseMaps = field(init=False)
    instances: list[Term] = field(init=False)  # of the rules of maps

    def __post_init__(self) -> None:
        terms = [one.term for one in self.query.conditions]
        self.maps = PointwiseMaps(terms, [symbol for _, symbol in self.query.choices])
        self.instances = self.maps.instances(term for term in self._path() if term not in self.maps.replaced)

    def run(self) -> Confirmation:
        result = rejected("no time was left to look for values")
        quantified = any(has_quantifier(term) for term in self._formulas())
        for turn in _TURNS_WITH_QUANTIFIERS if quantified else _TURNS:
            if self._seconds_left() <= 0:
                break
            solver = Z3Solver(profile=turn.profile)
            for term in self._formulas(turn.axioms):
                solver.add(term)
            seconds = min(turn.limit, turn.share * self._seconds_left())
            found = self._with_solver(solver, time.monotonic() + seconds, turn)
            if found is None:
                return rejected(self._why_infeasible())
            if found.holds:
                return found
            result = found
        return result

    def _with_solver(self, solver: Z3Solver, deadline: float, turn: _Turn) -> Confirmation | None:
        """None: there are no values."""
        result = rejected("the values found break an axiom, again and again")
        for _ in range(turn.rounds):
            left = deadline - time.monotonic()
            answer = solver.check(seconds=left) if left > 0 else Answer.UNKNOWN
            if answer is Answer.UNSAT:
                return None
            if answer is Answer.UNKNOWN and (left <= 0 or not solver.reason_unknown().startswith(_CANDIDATE)):
                return rejected("the solver did not find values for the path in time")
            found, instance = self._replay(solver.model(), candidate=answer is Answer.UNKNOWN or not turn.axioms)
            if instance is None or found.holds:
                return found
            result = found
            solver.add(instance)
        return result

    def _replay(self, model: Model, *, candidate: bool) -> tuple[Confirmation, Term | None]:
        """Executes the path with the model's values; the second is an axiom's instance that the model breaks."""
        try:
            world = self._world(model, candidate)
            values = self.maps.values(model, [symbol for _, symbol in self.query.choices], world)
            choices = [(variable, values[symbol]) for variable, symbol in self.query.choices]
            follower = Follower(self.path, choices, self.program.property is Property.ASSERTIONS)
            done = run(self.program, self.entry, follower, max_steps=self._step_limit(), world=world)
        except PathEndedError:
            return rejected("nothing was violated at the end of the path"), None
        except IllegalPathError as error:
            return rejected(str(error)), None
        except InputError as error:
            return rejected(f"the solver's values can't be read: {error}"), None
        except RecursionError:
            return rejected("maps are defined by too many others"), None
        if isinstance(done.outcome, Blocked):
            return rejected(_at(done.outcome.what, done.outcome.location)), done.outcome.instance
        if not isinstance(done.outcome, Violated):
            return rejected("the run ended without a violation"), None
        if not follower.at_end:
            return rejected(_at(f"{done.outcome.what} is violated before the path ends", done.outcome.location)), None
        return self._confirmed(done, choices, candidate, world), None

    def _confirmed(
        self, done: Run, choices: Sequence[tuple[Term, Value]], candidate: bool, world: World
    ) -> Confirmation:
        procedure = self.program.procedures[self.entry]
        inputs = len(self.program.constants) + len(self.program.globals) + len(procedure.parameters)
        notes = (*done.notes, CANDIDATE_NOTE) if candidate and self.program.axioms else done.notes
        from cleave.explain.trace import trace_of  # large, and only for violations

        trace = trace_of(self.program, done, choices[:inputs])
        evidence = execution_evidence(self.program, self.entry, done.path, choices, world.functions)
        return Confirmation(True, "replayed", trace=trace, notes=notes, evidence=evidence)

    def _world(self, model: Model, candidate: bool) -> World:
        used = functions(*self._formulas())
        world = World(
            functions={function: function_in(model, function) for function in used},
            divide_by_zero=lambda op, dividend: _divided_by_zero(model, op, dividend),
            only_triggered=candidate,
        )
        for witness in self.query.witnesses:
            world.met(value_in(model, witness), witness.sort)
        return world

    def _path(self) -> list[Term]:
        return [*(one.term for one in self.query.conditions), self.query.violation]

    def _formulas(self, axioms: bool = True) -> list[Term]:
        """What values have to satisfy, with instances instead of the rules of maps."""
        left_out = self.maps.replaced
        if not axioms:
            left_out = left_out | {one.term for one in self.query.conditions if one.is_quantified_axiom}
        return [*(term for term in self._path() if term not in left_out), *self.instances]

    def _step_limit(self) -> int:
        """More than any run along the path can take."""
        longest = max(
            (len(block.statements) for p in self.program.procedures.values() for block in p.blocks.values()), default=0
        )
        return (len(self.path) + 1) * (longest + 2)

    def _seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def _why_infeasible(self) -> str:
        """The last condition of the path that the contradiction needs."""
        solver = Z3Solver(profile=DEFAULT)
        labels = [var(f"condition({number})", BOOL) for number in range(len(self.query.conditions) + 1)]
        for label, term in zip(labels, self._path(), strict=True):
            solver.add(make(Op.IMPLIES, (label, term), BOOL))
        general = "no values take this path to a violation"
        if solver.check(labels, seconds=min(_EXPLAIN_SECONDS, max(0.1, self._seconds_left()))) is not Answer.UNSAT:
            return general
        core = set(solver.core())
        needed = [number for number, label in enumerate(labels) if label in core]
        if not needed or needed[-1] == len(self.query.conditions):
            return "every check at the end of the path holds whenever the path is taken"
        last = self.query.conditions[needed[-1]]
        return _at(f"the path can't be taken: {last.what} is false", last.location)


def _divided_by_zero(model: Model, op: Op, dividend: Value) -> Value:
    """The model's own choice for ``dividend op 0``."""
    sort = REAL if op is Op.REAL_DIV else integer(0).sort
    zero = real(0) if op is Op.REAL_DIV else integer(0)
    return value_in(model, make(op, (value_of(dividend, sort), zero), sort))


def _at(what: str, location: Location | None) -> str:
    return what if location is None else f"{what}, at {location}"
