"""Symbolic execution of the one straight line that a path names: what must hold for it to end in a violation.

    proc main() -> () { b0: havoc x  assume (< 0 x)  y := (+ x 1)  assert (< y 5) }       path: main, b0

    choices     x to |x(0)|, ...
    conditions  (< 0 |x(0)|)                          what was assumed, in the order of the path
    violation   (not (< (+ |x(0)| 1) 5))              one of the checks after the path's last step fails

Every value that the program leaves open becomes a fresh variable, in the order in which the interpreter will ask for
it. Checks that the path has passed count as assumed: they held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from cleave.ir.path import Enter, IllegalPathError, Leave, Path, PathStep, Visit
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Havoc,
    Location,
    Procedure,
    Program,
    Property,
    Statement,
    old,
)
from cleave.logic.terms import FALSE, TRUE, Term, conj_all, disj_all, neg, var
from cleave.logic.walk import has_quantifier, substitute
from cleave.records import dataclass
from cleave.validate.violations.witnesses import with_witnesses


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that the path assumes."""

    term: Term
    what: str
    location: Location | None
    is_quantified_axiom: bool = False


@dataclass(slots=True)
class Query:
    """The conditions of a path's violation. ``choices`` pairs each variable left open with its fresh variable;
    ``witnesses`` stand for what existential quantifiers claim."""

    conditions: list[Condition] = field(default_factory=list)
    violation: Term = FALSE
    choices: list[tuple[Term, Term]] = field(default_factory=list)
    witnesses: list[Term] = field(default_factory=list)


def violation_query(program: Program, entry: str, path: Path) -> Query:
    """The query of ``path``; raises `IllegalPathError` when it is no path of ``program`` from ``entry``."""
    walk = _Walk(program)
    walk.start(entry, path)
    for step in path[1:]:
        walk.step(step)
    walk.finish()
    return walk.query


@dataclass(slots=True)
class _Frame:
    procedure: Procedure
    state: dict[Term, Term]  # its own variables and the old values of the globals
    call: Call | None
    block: Block | None = None
    position: int = 0


@dataclass(slots=True)
class _Walk:
    program: Program
    query: Query = field(default_factory=Query)
    shared: dict[Term, Term] = field(default_factory=dict)  # the globals
    frames: list[_Frame] = field(default_factory=list)
    ending: bool = False  # all steps were taken: checks may fail now
    since: list[Term] = field(default_factory=list)  # what was assumed after the last step
    failures: list[Term] = field(default_factory=list)

    # --- steps ------------------------------------------------------------------------------------------------------

    def start(self, entry: str, path: Path) -> None:
        procedure = self.program.procedures[entry]
        if not path or path[0] != Enter(entry):
            raise IllegalPathError(f"the path does not start by entering {entry}")
        self.query.choices.extend((constant, constant) for constant in self.program.constants)
        for axiom in self.program.axioms:
            term = self._witnessed(axiom)
            self.query.conditions.append(Condition(term, "an axiom", None, has_quantifier(term)))
        self._choose(self.shared, self.program.globals)
        frame = self._activate(procedure, None)
        self._choose(frame.state, procedure.parameters)
        for clause in procedure.requires:
            self._assume(clause.condition, self._seen(frame), f"requires of {entry}", clause.location)
        self._enter(frame)

    def step(self, step: PathStep) -> None:
        if not self.frames:
            raise IllegalPathError("the path goes on after the entry procedure has returned")
        frame = self.frames[-1]
        match step:
            case Enter(name):
                call = self._run_to_call(frame)
                if call is None or call.procedure != name:
                    raise IllegalPathError(f"{_place(frame)} does not call {name} where the path enters it")
                self._enter(self._prepare_call(frame, call))
            case Visit(label):
                self._visit(frame, label)
            case Leave():
                self._run_to_end(frame, "the path leaves it")
                assert frame.block is not None
                if frame.block.successors:
                    raise IllegalPathError(f"{_place(frame)} does not return where the path leaves it")
                self._leave(frame)

    def finish(self) -> None:
        """Collects what may fail between the last step and the next."""
        if self.program.property is Property.END_REACHABLE:
            if self.frames:
                raise IllegalPathError(f"the path ends in {_place(self.frames[-1])}, before the end is reached")
            self.query.violation = TRUE
            return
        if not self.frames:
            raise IllegalPathError("the path ends after the entry procedure has returned, with nothing left to fail")
        if self.frames[-1].block is None:
            raise IllegalPathError(f"the path ends before it visits a block of {self.frames[-1].procedure.name}")
        self.ending = True
        while self._run_out(self.frames[-1]):
            pass
        self.query.violation = disj_all(self.failures)

    def _run_out(self, frame: _Frame) -> bool:
        """Runs up to the next step that is no return; whether it was one, so that the caller goes on."""
        assert frame.block is not None
        call = self._run_to_call(frame)
        if call is not None:
            self._prepare_call(frame, call)
        elif not frame.block.successors:
            self._leave(frame)
            return bool(self.frames)
        return False

    def _visit(self, frame: _Frame, label: str) -> None:
        if frame.block is None:
            if label != frame.procedure.entry.label:
                raise IllegalPathError(f"{frame.procedure.name} does not start in block {label}")
        else:
            self._run_to_end(frame, f"the path goes to block {label}")
            if label not in frame.block.successors:
                raise IllegalPathError(f"{_place(frame)} does not lead to block {label}")
        frame.block = frame.procedure.blocks[label]
        frame.position = 0

    def _run_to_end(self, frame: _Frame, wanted: str) -> None:
        if frame.block is None:
            raise IllegalPathError(f"{wanted} before it visits a block of {frame.procedure.name}")
        call = self._run_to_call(frame)
        if call is not None:
            raise IllegalPathError(f"{wanted} where {_place(frame)} calls {call.procedure}")

    def _run_to_call(self, frame: _Frame) -> Call | None:
        """Executes statements up to the next call of a procedure with a body, or to the end of the block."""
        if frame.block is None:
            raise IllegalPathError(f"the path goes on before it visits a block of {frame.procedure.name}")
        statements = frame.block.statements
        while frame.position < len(statements):
            statement = statements[frame.position]
            frame.position += 1
            if isinstance(statement, Call) and self.program.procedures[statement.procedure].has_body:
                return statement
            self._execute(frame, statement)
        return None

    # --- statements -------------------------------------------------------------------------------------------------

    def _execute(self, frame: _Frame, statement: Statement) -> None:
        seen = self._seen(frame)
        match statement:
            case Assume():
                self._assume(statement.condition, seen, f"the assume in {_place(frame)}", statement.location)
            case Assert():
                self._check(statement.condition, seen, f"the assert in {_place(frame)}", statement.location)
            case Assign():
                values = [substitute(value, seen) for value in statement.values]
                self._write(frame, statement.targets, values)
            case Havoc():
                fresh: dict[Term, Term] = {}
                self._choose(fresh, statement.targets)
                self._write(frame, statement.targets, fresh.values())
            case Call():
                callee = self._prepare_call(frame, statement)
                self._choose(self.shared, callee.procedure.modifies)
                self._choose(callee.state, callee.procedure.returns)
                self._return(callee, statement, frame)
            case _:
                raise IllegalPathError("a path of one thread says nothing about several")

    def _prepare_call(self, caller: _Frame, call: Call) -> _Frame:
        """The activation of the callee, after its requires."""
        seen = self._seen(caller)
        callee = self._activate(self.program.procedures[call.procedure], call)
        arguments = [substitute(argument, seen) for argument in call.arguments]
        callee.state.update(zip(callee.procedure.parameters, arguments, strict=True))
        for clause in callee.procedure.requires:
            handle = self._assume if clause.free else self._check
            handle(clause.condition, self._seen(callee), f"requires of {call.procedure}", clause.location)
        return callee

    def _activate(self, procedure: Procedure, call: Call | None) -> _Frame:
        return _Frame(procedure, {old(variable): value for variable, value in self.shared.items()}, call)

    def _enter(self, frame: _Frame) -> None:
        if not frame.procedure.has_body:
            raise IllegalPathError(f"{frame.procedure.name} has no body")
        self._choose(frame.state, (*frame.procedure.returns, *frame.procedure.locals))
        self.frames.append(frame)

    def _leave(self, frame: _Frame) -> None:
        self._check_ensures(frame)
        self.frames.pop()
        if frame.call is not None:
            self._return(frame, frame.call, self.frames[-1])

    def _return(self, frame: _Frame, call: Call, caller: _Frame) -> None:
        for clause in frame.procedure.ensures:
            what = f"ensures of {frame.procedure.name}"
            self._assume(clause.condition, self._seen(frame), what, clause.location)
        self._write(caller, call.results, [frame.state[variable] for variable in frame.procedure.returns])

    def _check_ensures(self, frame: _Frame) -> None:
        for clause in frame.procedure.ensures:
            if not clause.free:
                what = f"ensures of {frame.procedure.name}"
                self._check(clause.condition, self._seen(frame), what, clause.location)

    # --- state and conditions ---------------------------------------------------------------------------------------

    def _seen(self, frame: _Frame) -> Mapping[Term, Term]:
        return {**self.shared, **frame.state}

    def _write(self, frame: _Frame, targets: Iterable[Term], values: Iterable[Term]) -> None:
        for target, value in zip(targets, list(values), strict=True):
            (frame.state if target in frame.state else self.shared)[target] = value

    def _choose(self, into: dict[Term, Term], variables: Iterable[Term]) -> None:
        for variable in variables:
            into[variable] = self._fresh(variable)
            self.query.choices.append((variable, into[variable]))

    def _fresh(self, variable: Term) -> Term:
        """Parentheses keep the name apart from every variable of a program."""
        number = len(self.query.choices) + len(self.query.witnesses)
        return var(f"{variable.name}({number})", variable.sort)

    def _assume(self, condition: Term, seen: Mapping[Term, Term], what: str, location: Location | None) -> None:
        term = self._witnessed(substitute(condition, seen))
        if self.ending:
            self.since.append(term)
        elif term is not TRUE:
            self.query.conditions.append(Condition(term, what, location))

    def _check(self, condition: Term, seen: Mapping[Term, Term], what: str, location: Location | None) -> None:
        if self.ending:
            failure = self._witnessed(neg(substitute(condition, seen)))
            self.failures.append(conj_all((*self.since, failure)))
        self._assume(condition, seen, what, location)

    def _witnessed(self, term: Term) -> Term:
        if not has_quantifier(term):
            return term
        return with_witnesses(term, self._witness)

    def _witness(self, variable: Term) -> Term:
        fresh = self._fresh(variable)
        self.query.witnesses.append(fresh)
        return fresh


def _place(frame: _Frame) -> str:
    name = frame.procedure.name
    return f"block {frame.block.label} of {name}" if frame.block is not None else name
