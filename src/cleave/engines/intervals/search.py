"""Intervals and congruences as a plan sees them: one pass over the program proves what it can.

All checks proved: `safe`. Otherwise the checks that are, and the invariants of loops, are for the stages that
follow. Both count only after `validate.clauses.annotated` has confirmed the conditions of all blocks together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NoReturn

from cleave.engines.confirming import checking
from cleave.engines.desk import Desk, Facts
from cleave.engines.engine import Setting, Team
from cleave.engines.intervals.options import IntervalsOptions
from cleave.engines.known import encode_known
from cleave.engines.loop_invariants import invariant_at
from cleave.errors import InternalError
from cleave.frontends.input import Input
from cleave.ir.integers import Integers
from cleave.ir.program import Assert, Program, Property
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables
from cleave.passes.contracts import contracts_to_statements
from cleave.passes.entries import choose_entries, single_entry
from cleave.passes.known import Known
from cleave.passes.prepare import only_reachable, refuse_threads
from cleave.passes.ranges import Ranges, ranges_of
from cleave.passes.to_integers import to_integers
from cleave.records import dataclass
from cleave.validate.clauses.annotated import check_annotated
from cleave.validate.confirmation import Confirmation, named
from cleave.verdict import Invariant, Reason, Safe, Unknown, Verdict

_WHAT = "intervals and congruences of variables"


@dataclass(frozen=True, slots=True)
class IntervalsSearch:
    input: Input
    options: IntervalsOptions
    integers: Integers
    tells_loops: bool
    worker: ClassVar[str] = ""
    begins_alone: ClassVar[bool] = True

    @staticmethod
    def make(input: Input, options: IntervalsOptions, setting: Setting) -> IntervalsSearch:
        return IntervalsSearch(input, options, setting.integers, setting.tells_loops)

    def alone(self, desk: Desk) -> Verdict:
        given = to_integers(desk.program(self.input, self.integers), self.integers)
        program, entry = _prepared(given, self.input.entry)
        checks = _checks(program)
        found = ranges_of(program, entry, desk.watch.check)
        proved = [place for place in checks if place in found.proved]
        desk.note({"checks": len(checks), "proved": len(proved), "blocks": len(found.states)})
        facts = _facts(given, found, self.options.most_facts)
        if checks and not facts and not proved and (entry, None) in found.states:
            return Unknown(Reason.BUDGET, "intervals prove no check")
        judged = self._check(program, entry, found, desk)
        if not judged.holds:
            desk.watch.check()
            return Unknown(Reason.BUDGET, f"intervals prove {len(proved)} checks, not confirmed: {judged.text}")
        if _settles(program, entry, found, proved == checks):
            loops = _loops(given, facts) if self.tells_loops else ()
            return Safe(f"{_WHAT} checked block by block {named(judged.by, 'block')}", loops)
        desk.note({"invariants": len(facts), "invariants_of": len({fact.procedure for fact in facts})})
        text = f"{len(facts)} {_WHAT} checked {named(judged.by, 'block')}"
        desk.facts = Facts(encode_known(facts), text) if facts else None
        desk.decided = _decided(program, found.proved)
        return Unknown(Reason.BUDGET, f"intervals prove {len(proved)} of {len(checks)} checks")

    def _check(self, program: Program, entry: str, found: Ranges, desk: Desk) -> Confirmation:
        started = desk.watch.seconds()
        places = [(one.name, label) for one in program.procedures.values() for label in (*one.blocks, None)]
        conditions = {place: found.conditions(*place) for place in places}
        with checking(desk.watch) as solvers:
            solvers.limit(self.options.check_seconds)
            judged = check_annotated(program, entry, conditions, found.proved, solvers)
        desk.note({"validate_seconds": round(desk.watch.seconds() - started, 3)})
        return judged

    def together(self, desk: Desk, team: Team) -> Verdict:
        return self.alone(desk)

    def assignment(self) -> bytes:
        self.coordinator()

    def coordinator(self) -> NoReturn:
        raise InternalError("intervals have no workers")


def _prepared(program: Program, entry: str | None) -> tuple[Program, str]:
    entries = choose_entries(program, entry)
    program = only_reachable(program, entries)
    refuse_threads(program)
    program, _ = contracts_to_statements(program)
    program, start, _ = single_entry(program, entries)
    return only_reachable(program, (start,)), start


def _checks(program: Program) -> list[tuple[str, str, int]]:
    return [
        (procedure.name, label, number)
        for procedure in program.procedures.values()
        for label, block in procedure.blocks.items()
        for number, statement in enumerate(block.statements)
        if isinstance(statement, Assert)
    ]


def _settles(program: Program, entry: str, found: Ranges, are_all_proved: bool) -> bool:
    if program.property is Property.END_REACHABLE:
        return (entry, None) not in found.states
    return are_all_proved


def _decided(program: Program, proved: frozenset[tuple[str, str, int]]) -> tuple[str, ...]:
    """The names of checks all of whose places are proved."""
    holds: dict[str, bool] = {}
    for name, label, number in _checks(program):
        statement = program.procedures[name].blocks[label].statements[number]
        if isinstance(statement, Assert) and statement.check is not None:
            holds[statement.check.name] = holds.get(statement.check.name, True) and (name, label, number) in proved
    return tuple(name for name, all_hold in holds.items() if all_hold)


def _facts(given: Program, found: Ranges, most: int) -> tuple[Known, ...]:
    """What is known at loops, in the variables that the program has."""
    facts: list[Known] = []
    for name, label in sorted(found.heads):
        if (
            name not in given.procedures
            or label not in given.procedures[name].blocks
            or (name, label) not in found.states
        ):
            continue
        own = _own(given, name)
        sayable = [one for one in found.conditions(name, label) if free_variables(one) <= own.keys()]
        facts += (Known(name, label, condition) for condition in sayable[:most])
    return tuple(facts)


def _loops(program: Program, facts: Sequence[Known]) -> tuple[Invariant, ...]:
    places: dict[tuple[str, str], list[Term]] = {}
    for fact in facts:
        if fact.label is not None:
            places.setdefault((fact.procedure, fact.label), []).append(fact.condition)
    return tuple(invariant_at(program, *place, tuple(found), {}) for place, found in places.items())


def _own(program: Program, name: str) -> Mapping[Term, None]:
    procedure = program.procedures[name]
    variables = (*program.globals, *procedure.parameters, *procedure.returns, *procedure.locals)
    return dict.fromkeys(variables)
