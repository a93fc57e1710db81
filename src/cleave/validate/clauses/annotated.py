"""Checks that conditions hold at places of a sequential program, and assertions with them, block by block (Floyd).

    main at h:   x <= 10          h:  assume x < 10; x := x + 1; goto h
    asked as     x <= 10 and x < 10 and not (x + 1 <= 10)          no model: the condition holds at h again

A block starts where its own conditions hold. What it passes on has to follow: the conditions of its successors, those
at the entry of a procedure that it calls, those at its procedure's return. After a call the conditions at the callee's
return hold, and what the callee may write has any value otherwise. At the start of the program nothing holds. So by
induction over the steps of an execution all conditions hold whenever it comes there, loops and recursion included.

An assertion that is claimed has to follow where it stands. Others are assumed after it: an execution that violates one
ends there. Nothing is trusted of the engine that made the conditions, and the solvers share no code with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field

from cleave.ir.program import Assert, Assign, Assume, Call, Havoc, Procedure, Program, Statement
from cleave.logic.signatures import fits
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj_all, disj_all, neg, var
from cleave.logic.walk import free_variables, has_quantifier, postorder, substitute
from cleave.passes.effects import effects
from cleave.records import dataclass
from cleave.smt.solver import Answer
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.confirmation import Confirmation, named, rejected

Conditions = Mapping[tuple[str, str | None], tuple[Term, ...]]
"""By procedure and block; None: at the procedure's return. A place that is not there has none."""

_TOGETHER = 4_000  # nodes of terms in one question


def check_annotated(
    program: Program,
    entry: str,
    conditions: Conditions,
    claimed: Collection[tuple[str, str, int]],
    solvers: InTurn,
) -> Confirmation:
    """``claimed`` are assertions: procedure, block, and number of the statement in it. Contracts have to be statements,
    as `passes.contracts` writes them."""
    wrong = _ill_formed(program, entry, conditions, claimed)
    if wrong:
        return rejected(wrong)
    blocks = _Blocks(program, entry, conditions, frozenset(claimed))
    by: Counter[str] = Counter()
    for places, ruling in solvers.decide_each(_together(blocks.questions())):
        if ruling.answer is not Answer.UNSAT:
            where = places[0] if len(places) == 1 else f"one of {len(places)} blocks from {places[0]} on"
            why = f"could not be decided ({ruling.reason})" if ruling.answer is Answer.UNKNOWN else "does not hold"
            return rejected(f"what {where} passes on {why}", undecided=ruling.answer is Answer.UNKNOWN)
        by[ruling.by] += len(places)
    return Confirmation(True, f"conditions of blocks checked block by block {named(by, 'block')}", by)


def _together(asked: Iterable[tuple[str, Term]]) -> Iterator[tuple[tuple[str, ...], Term]]:
    """Some questions at once: there is a model if one of them has one."""
    places: list[str] = []
    parts: list[Term] = []
    seen: set[Term] = set()
    for place, question in asked:
        places.append(place)
        parts.append(question)
        for _ in postorder((question,), seen):
            pass
        if len(seen) >= _TOGETHER:
            yield tuple(places), disj_all(parts)
            places, parts, seen = [], [], set()
    if places:
        yield tuple(places), disj_all(parts)


@dataclass(slots=True)
class _Walk:
    """Symbolic execution of one block: what variables hold, what is so on the way, and what would be a mistake."""

    now: dict[Term, Term] = field(default_factory=dict)
    holds: dict[Term, None] = field(default_factory=dict)
    mistakes: list[Term] = field(default_factory=list)

    def value(self, term: Term) -> Term:
        return substitute(term, self.now)

    def require(self, conditions: Iterable[Term]) -> None:
        """All of them follow from what holds here."""
        open_ones = [one for one in conditions if not one.is_true and one not in self.holds]
        if open_ones:
            self.mistakes.append(conj_all((*self.holds, neg(conj_all(open_ones)))))

    def note(self, condition: Term) -> None:
        if not condition.is_true:
            self.holds[condition] = None


class _Blocks:
    def __init__(
        self, program: Program, entry: str, conditions: Conditions, claimed: frozenset[tuple[str, str, int]]
    ) -> None:
        self._program = program
        self._entry = entry
        self._conditions = conditions
        self._claimed = claimed
        self._writes = {name: found.writes for name, found in effects(program).items()}
        self._taken = {variable.name for variable in _variables(program)}
        self._made = 0

    def questions(self) -> Iterator[tuple[str, Term]]:
        """What has a model if something does not follow, with the place of it."""
        start = _Walk()
        start.require(self._at(self._entry, self._program.procedures[self._entry].entry.label))
        yield f"the start of {self._entry}", disj_all(start.mistakes)
        for procedure in self._program.procedures.values():
            for label in procedure.blocks:
                question = self._block(procedure, label)
                if not question.is_false:
                    yield f"block {label} of {procedure.name}", question

    def _at(self, procedure: str, label: str | None) -> tuple[Term, ...]:
        return self._conditions.get((procedure, label), ())

    def _block(self, procedure: Procedure, label: str) -> Term:
        walk, block = _Walk(), procedure.blocks[label]
        for condition in self._at(procedure.name, label):
            walk.note(condition)
        if any(condition.is_false for condition in walk.holds):
            return conj_all(walk.holds)
        for number, statement in enumerate(block.statements):
            if isinstance(statement, Assert) and (procedure.name, label, number) in self._claimed:
                walk.require((walk.value(statement.condition),))
            self._execute(walk, statement)
        for following in block.successors or (None,):
            walk.require(map(walk.value, self._at(procedure.name, following)))
        return disj_all(walk.mistakes)

    def _execute(self, walk: _Walk, statement: Statement) -> None:
        match statement:
            case Assume(condition) | Assert(condition):
                walk.note(walk.value(condition))
            case Assign(targets, values):
                walk.now |= dict(zip(targets, [walk.value(value) for value in values], strict=True))
            case Havoc(targets):
                walk.now |= {target: self._any(target) for target in targets}
            case Call():
                self._call(walk, statement)

    def _call(self, walk: _Walk, call: Call) -> None:
        callee = self._program.procedures[call.procedure]
        passed = dict(zip(callee.parameters, map(walk.value, call.arguments), strict=True))
        shared = {one: walk.value(one) for one in self._program.globals}
        if callee.has_body:
            entering = self._at(callee.name, callee.entry.label)
            walk.require(substitute(condition, shared | passed) for condition in entering)
        written = {one: self._any(one) for one in self._writes[callee.name]}
        results = [self._any(one) for one in callee.returns]
        after = shared | written | dict(zip(callee.returns, results, strict=True))
        if callee.has_body:
            for condition in self._at(callee.name, None):
                walk.note(substitute(condition, after))
        walk.now |= written | dict(zip(call.results, results, strict=True))

    def _any(self, variable: Term) -> Term:
        """A variable that occurs nowhere else."""
        while (name := f"{variable.name}~{self._made}") in self._taken:
            self._made += 1
        self._made += 1
        return var(name, variable.sort)


def _ill_formed(
    program: Program, entry: str, conditions: Conditions, claimed: Collection[tuple[str, str, int]]
) -> str | None:
    """What is wrong with the claim, or not taken of the program."""
    procedures = program.procedures
    if entry not in procedures or not procedures[entry].has_body:
        return f"there is no procedure {entry} to start from"
    for procedure in procedures.values():
        for statement in procedure.statements():
            if not isinstance(statement, Assume | Assert | Assign | Havoc | Call):
                return f"{procedure.name} has threads"
            if any(has_quantifier(term) for term in _terms(statement)):
                return f"{procedure.name} has quantifiers"
        if procedure.requires or procedure.ensures:
            return f"{procedure.name} has a contract"
    for name, label, number in claimed:
        block = procedures[name].blocks.get(label) if name in procedures else None
        if block is None or number >= len(block.statements) or not isinstance(block.statements[number], Assert):
            return f"there is no assertion {number} in block {label} of {name}"
    return _ill_formed_conditions(program, conditions)


def _ill_formed_conditions(program: Program, conditions: Conditions) -> str | None:
    for (name, label), found in conditions.items():
        if name not in program.procedures or (label is not None and label not in program.procedures[name].blocks):
            return f"there is no block {label} of {name}"
        scope = _scope(program, program.procedures[name], label)
        for condition in found:
            if condition.sort is not BOOL or has_quantifier(condition) or not _well_sorted(condition):
                return f"a condition of block {label} of {name} is no formula"
            if not free_variables(condition) <= scope:
                return f"a condition of block {label} of {name} speaks of what is not known there"
    return None


def _scope(program: Program, procedure: Procedure, label: str | None) -> set[Term]:
    """At an entry locals have any values; at a return they are gone."""
    found = {*program.globals, *program.constants}
    if label is None:
        return found | {*procedure.returns}
    found |= {*procedure.parameters}
    return found if label == procedure.entry.label else found | {*procedure.returns, *procedure.locals}


def _variables(program: Program) -> Iterator[Term]:
    yield from (*program.globals, *program.constants)
    for procedure in program.procedures.values():
        yield from (*procedure.parameters, *procedure.returns, *procedure.locals)


def _terms(statement: Statement) -> tuple[Term, ...]:
    match statement:
        case Assume(condition) | Assert(condition):
            return (condition,)
        case Assign(_, values):
            return values
        case Call(_, arguments, _):
            return arguments
    return ()


def _well_sorted(formula: Term) -> bool:
    return all(fits(node.op, node.args, node.sort, node.value) for node in postorder((formula,)))
