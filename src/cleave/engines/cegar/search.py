"""The cegar engine as a plan sees it: read or make linear clauses, explore their abstraction, and check the
invariant or the path.

The evidence is that of Horn clauses, and so are its checks: the covered tree is an invariant for each predicate, a
violation a derivation; a program's violation is also replayed as an execution of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from cleave.engines.cegar import messages
from cleave.engines.cegar.alone import search_alone
from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.interruption import InterruptedSearchError
from cleave.engines.cegar.messages import Learned, Task, unpack
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.cegar.pictures import pictures
from cleave.engines.cegar.task import CegarProblem, problem_of
from cleave.engines.cegar.worker import CegarWorker
from cleave.engines.confirming import checking, confirm_derivation
from cleave.engines.desk import Desk
from cleave.engines.engine import Setting, Team, solved
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.review.drawings import encode_drawings
from cleave.frontends.input import Input
from cleave.ir.horn_text import print_interpretation
from cleave.logic import encoding
from cleave.logic.terms import Term, conj_all, disj_all
from cleave.records import dataclass
from cleave.validate.clauses.invariant import check_interpretation
from cleave.verdict import Reason, Safe, Unknown, Verdict
from cleave.watch import Watch

_REASONS = {"memory": Reason.MEMORY, "iterations": Reason.ITERATIONS, "interrupted": Reason.INTERRUPTED}

Predicates = Mapping[int, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class Steps:
    """A path of transitions to the error, and the values of the variables after each of them."""

    path: tuple[int, ...]
    states: tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """The states of the covered tree: for each location, sets of its predicates, by number."""

    states: Mapping[int, tuple[int, ...]]
    predicates: Predicates

    def invariant(self, location: int) -> Term:
        """What holds whenever control is there."""
        own = self.predicates.get(location, ())
        return disj_all(
            conj_all(predicate for number, predicate in enumerate(own) if bits >> number & 1)
            for bits in self.states.get(location, ())
        )


@dataclass(frozen=True, slots=True)
class CegarSearch:
    input: Input
    task: Task
    setting: Setting
    worker: ClassVar[str] = "cleave.engines.cegar.worker:work"
    begins_alone: ClassVar[bool] = False

    @staticmethod
    def make(input: Input, options: CegarOptions, setting: Setting) -> CegarSearch:
        task = Task(
            input.file,
            input.source,
            input.entry,
            input.asked,
            options,
            setting.workers,
            integers=setting.integers,
            known=setting.facts.data if setting.facts is not None else b"",
        )
        return CegarSearch(input, task, setting)

    def assignment(self) -> bytes:
        return msgspec.msgpack.encode(self.task)

    def coordinator(self) -> CegarCoordinator:
        return CegarCoordinator(self.task)

    def alone(self, desk: Desk) -> Verdict:
        problem = self._read(desk)
        coordinator = self.coordinator()
        worker = CegarWorker(problem.system, self.task.options, problem.known, is_alone=True)
        claim: Finding[Steps | Tree]
        try:
            with desk.watch.guarding(worker.interrupt):
                claim = found(search_alone(coordinator, worker, desk.note), coordinator.counters())
        except InterruptedSearchError:
            claim = GaveUp(desk.watch.reason or Reason.INTERRUPTED, how_far(coordinator.counters()))
        return self._confirm(desk, problem, claim, coordinator)

    def together(self, desk: Desk, team: Team) -> Verdict:
        problem = self._read(desk)
        return self._confirm(desk, problem, solved(team, desk, found, how_far), team.coordinator)

    def _read(self, desk: Desk) -> CegarProblem:
        started = desk.watch.seconds()
        if self.input.kind.is_program:
            desk.program(self.input, self.task.integers)
        problem = problem_of(self.input, self.task.integers, self.task.known)
        transitions, locations = len(problem.system.transitions), len(problem.system.locations)
        seconds = round(desk.watch.seconds() - started, 3)
        desk.note({"read_seconds": seconds, "transitions": transitions, "locations": locations})
        desk.watch.check()
        return problem

    def _confirm(
        self, desk: Desk, problem: CegarProblem, claim: Finding[Steps | Tree], coordinator: CegarCoordinator
    ) -> Verdict:
        started = desk.watch.seconds()
        learned = by_location(coordinator.learned())
        desk.drawings = encode_drawings(tuple(pictures(coordinator.diary(), problem.system, learned)))
        verdict: Verdict
        match claim:
            case Violation(Steps(path, states)):
                derivation = problem.derivation(path, states)
                verdict = confirm_derivation(problem.given, derivation, desk.watch, problem.program, problem.horn)
            case Proof(Tree() as tree):
                _note_predicates(desk, problem, tree.predicates)
                verdict = self._confirm_proof(problem, tree, desk.watch)
            case GaveUp(reason, detail):
                _note_predicates(desk, problem, learned)
                verdict = Unknown(desk.watch.reason or reason, detail)
        desk.note({"validate_seconds": round(desk.watch.seconds() - started, 3)})
        return verdict

    def _confirm_proof(self, problem: CegarProblem, tree: Tree, watch: Watch) -> Verdict:
        invariants = [tree.invariant(number) for number in range(len(problem.system.locations))]
        interpretation = problem.interpretation(invariants)
        unfold, tells = problem.unfolded(interpretation), self.setting.tells_invariant
        with checking(watch, self.setting.workers) as solvers:
            judged = check_interpretation(
                problem.given, interpretation, unfold=unfold, spell_out=tells, solvers=solvers
            )
        if not judged.holds:
            watch.check()
            return Unknown(Reason.UNCONFIRMED, f"the invariant that was found is not confirmed: {judged.text}")
        lifted = judged.interpretation or interpretation
        solution = print_interpretation(problem.given, lifted) if tells else ""
        if problem.program is None or not self.setting.tells_loops:
            return Safe(judged.text, solution=solution)
        from cleave.engines.loop_invariants import loop_invariants  # large, and for programs only

        return Safe(judged.text, loop_invariants(problem.program, problem.horn, lifted, unfold), solution)


def found(outcome: bytes, counters: Mapping[str, Any]) -> Finding[Steps | Tree]:
    match messages.decode_finding(outcome).answer:
        case Violation(messages.SentSteps(path, states)):
            return Violation(Steps(path, tuple(tuple(encoding.decode(state)) for state in states)))
        case messages.Covered(states=sets, predicates=predicates):
            unpacked = {location: tuple(map(unpack, own)) for location, own in sets.items()}
            return Proof(Tree(unpacked, by_location(predicates)))
        case GivenUp(reason=reason, detail=detail):
            return GaveUp(_REASONS.get(reason, Reason.SOLVER), detail)


def how_far(counters: Mapping[str, Any]) -> str:
    return f"no verdict in {counters['iterations']} iterations with {counters['predicates']} predicates"


def by_location(predicates: Sequence[Learned]) -> dict[int, tuple[Term, ...]]:
    grouped: dict[int, tuple[Term, ...]] = {}
    for one in predicates:
        grouped[one.location] = (*grouped.get(one.location, ()), *encoding.decode(one.formula))
    return grouped


def _note_predicates(desk: Desk, problem: CegarProblem, predicates: Predicates) -> None:
    """What was found, for people: the proof's building blocks, or as far as it got."""
    names = [location.name for location in problem.system.locations]
    desk.predicates = {names[number]: tuple(map(str, own)) for number, own in sorted(predicates.items())}
