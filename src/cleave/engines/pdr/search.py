"""The pdr engine as a plan sees it: read or make Horn clauses, solve them, and check the invariant or the derivation.

An invariant is checked on the clauses as they were given, whatever they were simplified to or partitioned into. A
derivation is checked on them, too; that of a program is also replayed as an execution of the program.

In the role ``invariants`` it finds facts about a program for other engines, and settles nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import msgspec

from cleave.engines.confirming import checking, confirm_derivation
from cleave.engines.desk import Desk, Facts, News
from cleave.engines.engine import Setting, Team, solved
from cleave.engines.findings import GaveUp, GivenUp, Proof, Violation
from cleave.engines.known import decode_known, encode_known
from cleave.engines.pdr import messages
from cleave.engines.pdr.alone import Found, solve_alone, solve_briefly
from cleave.engines.pdr.coordinator import P3Coordinator
from cleave.engines.pdr.evidence import REASONS, Invariants, decode_derivation, decode_interpretation
from cleave.engines.pdr.messages import Task
from cleave.engines.pdr.options import PdrOptions, for_programs
from cleave.engines.pdr.task import HornProblem, problem_of
from cleave.engines.text import count
from cleave.frontends.input import Input
from cleave.ir.horn import Derivation, Interpretation
from cleave.ir.horn_text import print_interpretation
from cleave.ir.integers import Integers
from cleave.logic.walk import has_quantifier
from cleave.records import dataclass
from cleave.validate.clauses.combine import check_partitions, combine
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation
from cleave.validate.confirmation import Confirmation
from cleave.verdict import Reason, Safe, Unknown, Verdict
from cleave.watch import Watch

_SMALL_COST = 100_000  # of what needs no workers, most likely: after that one is started beside the first try


@dataclass(frozen=True, slots=True)
class PdrSearch:
    input: Input
    task: Task
    setting: Setting
    worker: ClassVar[str] = "cleave.engines.pdr.worker:work"

    @staticmethod
    def make(input: Input, options: PdrOptions, setting: Setting) -> PdrSearch:
        if input.kind.is_program and options.strategies is None:
            options = replace(options, strategies=for_programs(setting.workers))
        task = Task(
            input.file,
            input.source,
            input.entry,
            input.asked,
            options,
            setting.workers,
            virtual=setting.runtime == "simulated",
            integers=setting.integers,
            known=_known(setting),
        )
        return PdrSearch(input, task, setting)

    @property
    def begins_alone(self) -> bool:
        return self._seconds_alone > 0

    @property
    def _seconds_alone(self) -> float:
        return self.task.options.seconds_alone(virtual=self.task.virtual)

    def assignment(self) -> bytes:
        return msgspec.msgpack.encode(self.task)

    def coordinator(self) -> P3Coordinator:
        return P3Coordinator(self.task)

    def alone(self, desk: Desk) -> Verdict:
        if self.setting.role == "invariants":
            return self._facts(desk)
        problem = self._read(desk)
        return self._confirm(desk, problem, solve_alone(problem, self.task.options, desk.watch, desk.note))

    def together(self, desk: Desk, team: Team) -> Verdict:
        problem = self._read(desk)
        if self.begins_alone:
            quickly = self._briefly(desk, problem, team)
            if quickly is not None:
                return self._confirm(desk, problem, quickly)
        return self._confirm(desk, problem, solved(team, desk, found, how_far))

    def _briefly(self, desk: Desk, problem: HornProblem, team: Team) -> Found | None:
        def note(news: News) -> None:
            desk.note(news)
            if news["cost"] >= _SMALL_COST:
                team.prepare()

        return solve_briefly(problem, self.task.options, self._seconds_alone, desk.watch, note)

    def _facts(self, desk: Desk) -> Verdict:
        from cleave.engines.pdr.invariants import facts_of  # what finds them is large

        started, before = desk.watch.seconds(), self.setting.facts
        desk.facts = before  # should there be no time for more
        program = desk.program(self.input, self.task.integers)
        found, facts = facts_of(program, self.input.entry, self.task.integers, desk.watch)
        if facts is not None and before is not None:
            both = encode_known((*decode_known(before.data), *found))
            facts = Facts(both, f"{before.text}, and {facts.text}")
        desk.facts = facts or before
        seconds = round(desk.watch.seconds() - started, 3)
        procedures = len({fact.procedure for fact in found})
        desk.note({"invariants": len(found), "invariants_of": procedures, "invariants_seconds": seconds})
        return Unknown(Reason.BUDGET, f"invariants: {len(found)}")

    def _read(self, desk: Desk) -> HornProblem:
        started = desk.watch.seconds()
        if self.input.kind.is_program:
            desk.program(self.input, self.task.integers)
        problem = problem_of(self.input, self.task.integers, self.task.known)
        clauses, prepared = len(problem.given.clauses), len(problem.prepared.clauses)
        seconds = round(desk.watch.seconds() - started, 3)
        desk.note({"read_seconds": seconds, "clauses": clauses, "prepared_clauses": prepared})
        desk.watch.check()
        return problem

    def _confirm(self, desk: Desk, problem: HornProblem, claim: Found) -> Verdict:
        started = desk.watch.seconds()
        verdict: Verdict
        match claim:
            case Violation(derivation):
                assert isinstance(derivation, Derivation)
                verdict = confirm_derivation(problem.given, derivation, desk.watch, problem.program, problem.horn)
            case Proof(evidence):
                assert isinstance(evidence, Invariants)
                verdict = self._confirm_invariants(problem, evidence, desk.watch)
            case GaveUp(reason, detail):
                verdict = Unknown(desk.watch.reason or reason, detail)
        desk.note({"validate_seconds": round(desk.watch.seconds() - started, 3)})
        return verdict

    def _confirm_invariants(self, problem: HornProblem, evidence: Invariants, watch: Watch) -> Verdict:
        tells = self.setting.tells_invariant
        judged = _check_invariants(problem, evidence, watch, to_write=tells)
        if not judged.holds:
            watch.check()
            return Unknown(Reason.UNCONFIRMED, f"the invariant that was found is not confirmed: {judged.text}")
        text = judged.text
        if self.task.known and self.setting.facts is not None:
            text = f"{text}; it uses {self.setting.facts.text}"
        whole = evidence.interpretations.get(None)
        lifted = judged.interpretation or (problem.interpretation(whole) if whole is not None else {})
        solution = ""
        if tells and judged.interpretation is not None:  # partitions' invariants may prove it without one of the whole
            solution = print_interpretation(problem.given, judged.interpretation)
        if problem.program is None or not self.setting.tells_loops:
            return Safe(text, solution=solution)
        from cleave.engines.loop_invariants import loop_invariants  # large, and for programs only

        loops = loop_invariants(problem.program, problem.horn, lifted, problem.inlined)
        return Safe(text, loops, solution)


def _known(setting: Setting) -> bytes:
    """Facts that another stage found, unless somebody wants an invariant that needs no others."""
    wanted = setting.tells_invariant or setting.tells_loops or setting.role == "invariants"
    usable = setting.facts is not None and setting.integers in (Integers.BITS, Integers.EXACT)
    return setting.facts.data if setting.facts is not None and usable and not wanted else b""


def found(outcome: bytes, counters: Mapping[str, Any]) -> Found:
    match messages.decode_finding(outcome).answer:
        case Violation(derivation):
            return Violation(decode_derivation(derivation))
        case messages.Proofs(proofs=proofs):
            parts = {proof.partition: decode_interpretation(proof.interpretation) for proof in proofs}
            return Proof(Invariants(parts))
        case GivenUp(reason=reason, detail=detail):
            why = REASONS.get(reason, Reason.SOLVER)
            return GaveUp(why, detail or (reason if why is Reason.SOLVER else ""))


def how_far(counters: Mapping[str, Any]) -> str:
    parts = f", {counters['closed']} of {counters['partitions']} partitions closed" if counters["partitions"] else ""
    return f"no violation within {count(counters['level'], 'level')}{parts}"


def _check_invariants(problem: HornProblem, evidence: Invariants, watch: Watch, *, to_write: bool) -> Confirmation:
    """What is ``to_write`` is checked as it will be written: predicates that were inlined are unfolded only where their
    relations would have quantifiers."""
    whole = evidence.interpretations.get(None)
    if evidence.checked and whole is not None and not to_write:
        return Confirmation(True, evidence.checked)

    def check(interpretation: Interpretation, solvers: InTurn) -> Confirmation:
        lifted = problem.interpretation(interpretation)
        unfold = [name for name in problem.inlined if not to_write or has_quantifier(lifted[name].formula)]
        return check_interpretation(problem.given, lifted, unfold=unfold, spell_out=to_write, solvers=solvers)

    with checking(watch) as solvers:
        if whole is not None:
            return check(whole, solvers)
        parts = {partition: one for partition, one in evidence.interpretations.items() if partition is not None}
        with solvers.share(0.5):
            judged = check(combine(problem.prepared, parts), solvers)
        if judged.holds:
            return judged
        return check_partitions(problem.prepared, parts, solvers=solvers)
