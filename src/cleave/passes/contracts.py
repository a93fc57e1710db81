"""Contracts become statements, and procedures without a body disappear.

    proc f(p) -> (r)  requires p > 0  ensures r > old(g)  { b: r := g + p; g := r; return }
    ... call f(x) -> (y)

becomes

    proc f(p) -> (r)  { b: assume p > 0; g'1 := g; r := g + p; g := r; assert r > g'1; return }
    ... p'1 := x; assert p'1 > 0; g'2 := g; call f(p'1) -> (y); assume y > g'2

A call to a procedure without a body becomes a havoc of its results and of the globals it modifies. Afterwards ``old``
occurs nowhere and no procedure has a contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cleave.ir.path import WayBack
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Clause,
    Havoc,
    Procedure,
    Program,
    Statement,
    is_old,
)
from cleave.logic.terms import Term, var
from cleave.logic.walk import free_variables, substitute
from cleave.passes.fresh import FreshNames, variable_names
from cleave.records import dataclass


def contracts_to_statements(program: Program) -> tuple[Program, WayBack]:
    names = variable_names(program)
    contracts = {name: _Contract.of(procedure) for name, procedure in program.procedures.items()}
    procedures: dict[str, Procedure] = {}
    added: dict[tuple[str, str], str | None] = {}
    for procedure in program.procedures.values():
        if procedure.has_body:
            procedures[procedure.name] = _Rewriter(contracts, procedure, names).procedure()
            entry = procedures[procedure.name].entry.label
            if entry not in procedure.blocks:
                added[procedure.name, entry] = None
    return replace(program, procedures=procedures), WayBack(added)


@dataclass(frozen=True, slots=True)
class _Contract:
    """A procedure as its callers see it, with what each call needs to know."""

    procedure: Procedure
    olds: tuple[tuple[Term, Term], ...]  # the old variables of its ensures, each with the global
    spoken_of: frozenset[Term]  # the parameters and globals of its ensures
    ensures: tuple[tuple[Term, bool], ...]  # each with whether it says the same at all calls

    @staticmethod
    def of(procedure: Procedure) -> _Contract:
        conditions = [c.condition for c in procedure.ensures]
        used = free_variables(*conditions)
        olds = tuple((v, _current(v)) for v in _olds(used))
        of_a_call = {*procedure.parameters, *procedure.returns, *(v for v, _ in olds)}
        ensures = tuple((c, free_variables(c).isdisjoint(of_a_call)) for c in conditions)
        return _Contract(procedure, olds, used - set(procedure.returns), ensures)


def _olds(variables: Iterable[Term]) -> list[Term]:
    return sorted((v for v in variables if is_old(v)), key=lambda v: v.name)


def _current(variable: Term) -> Term:
    """The global that an old variable speaks of."""
    return var(variable.name[4:-1], variable.sort)


class _Rewriter:
    """Rewrites one procedure; collects the locals it makes up."""

    def __init__(self, contracts: dict[str, _Contract], procedure: Procedure, names: FreshNames) -> None:
        self._contracts = contracts
        self._procedure = procedure
        self._names = names
        self._locals: list[Term] = list(procedure.locals)
        self._entry_values: dict[Term, Term] = {}  # old(g) in the body: the local that keeps g's value at entry
        for variable in self._olds_in_body():
            self._entry_values[variable] = self._local(_current(variable))

    def procedure(self) -> Procedure:
        procedure = self._procedure
        blocks = {label: self._block(block) for label, block in procedure.blocks.items()}
        prologue = tuple(self._prologue())
        first = blocks[procedure.entry.label]
        if prologue and any(first.label in block.successors for block in blocks.values()):
            # The prologue runs once, so it needs a block that no jump reaches.
            label = FreshNames(blocks).like(first.label)
            blocks = {label: Block(label, prologue, (first.label,), first.location), **blocks}
        else:
            blocks[first.label] = replace(first, statements=(*prologue, *first.statements))
        return replace(procedure, blocks=blocks, locals=tuple(self._locals), requires=(), ensures=(), modifies=())

    def _olds_in_body(self) -> Iterable[Term]:
        conditions: list[Term] = [c.condition for c in self._procedure.ensures if not c.free]
        for statement in self._procedure.statements():
            match statement:
                case Assume(condition) | Assert(condition):
                    conditions.append(condition)
                case Assign(_, values):
                    conditions.extend(values)
                case Call(_, arguments, _):
                    conditions.extend(arguments)
                case Havoc():
                    pass
        return _olds(free_variables(*conditions))

    def _prologue(self) -> list[Statement]:
        entry: list[Statement] = [Assume(c.condition, c.location) for c in self._procedure.requires]
        for variable, local in self._entry_values.items():
            entry.append(Assign((local,), (_current(variable),)))
        return entry

    def _block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, Call):
                statements.extend(self._call(statement))
            else:
                statements.append(self._without_old(statement))
        if not block.successors:
            statements.extend(
                Assert(self._in_body(c.condition), c.message or "postcondition", c.location)
                for c in self._procedure.ensures
                if not c.free
            )
        return Block(block.label, tuple(statements), block.successors, block.location)

    def _without_old(self, statement: Statement) -> Statement:
        if not self._entry_values:
            return statement
        match statement:
            case Assume(condition, location):
                return Assume(self._in_body(condition), location)
            case Assert(condition):
                return replace(statement, condition=self._in_body(condition), values=())
            case Assign(targets, values, location):
                return Assign(targets, tuple(self._in_body(v) for v in values), location)
            case _:
                return statement

    def _in_body(self, term: Term) -> Term:
        return substitute(term, self._entry_values) if self._entry_values else term

    def _call(self, call: Call) -> list[Statement]:
        contract = self._contracts[call.procedure]
        callee = contract.procedure
        result: list[Statement] = []
        bindings = self._actuals(contract, call, result)
        result.extend(self._requires(clause, bindings, call) for clause in callee.requires)
        for variable, current in contract.olds:
            bindings[variable] = local = self._local(current)
            result.append(Assign((local,), (current,), call.location))
        returned, stored = self._results(contract, call)
        if callee.has_body:
            arguments = tuple(bindings[p] for p in callee.parameters)
            result.append(Call(call.procedure, arguments, returned, call.location))
        else:
            result.extend(self._havoc(callee, returned, call))
        bindings.update(zip(callee.returns, returned, strict=True))
        for condition, same in contract.ensures:
            result.append(Assume(condition if same else substitute(condition, bindings), call.location))
        result.extend(stored)
        return result

    def _results(self, contract: _Contract, call: Call) -> tuple[tuple[Term, ...], list[Statement]]:
        """Where the call's results go at first, and what then stores them. An ensures speaks of the globals as the
        body leaves them, so a result that is one of these waits until the ensures were assumed."""
        waiting = {v: self._local(v) for v in call.results if v in contract.spoken_of}
        stored: list[Statement] = [Assign(tuple(waiting), tuple(waiting.values()), call.location)] if waiting else []
        return tuple(waiting.get(v, v) for v in call.results), stored

    def _actuals(self, contract: _Contract, call: Call, before: list[Statement]) -> dict[Term, Term]:
        """The terms that stand for the parameters in the contract. The call may change what the arguments are made
        of, so an ensures that speaks of a parameter needs its value from ``before``."""
        actuals: dict[Term, Term] = {}
        for parameter, argument in zip(contract.procedure.parameters, call.arguments, strict=True):
            argument = self._in_body(argument)
            if parameter in contract.spoken_of and not argument.is_value:
                actuals[parameter] = self._local(parameter)
                before.append(Assign((actuals[parameter],), (argument,)))
            else:
                actuals[parameter] = argument
        return actuals

    def _requires(self, clause: Clause, actuals: dict[Term, Term], call: Call) -> Statement:
        condition = substitute(clause.condition, actuals)
        if clause.free:
            return Assume(condition, call.location)
        return Assert(condition, clause.message or f"precondition of {call.procedure}", call.location)

    def _havoc(self, callee: Procedure, results: tuple[Term, ...], call: Call) -> list[Statement]:
        targets = dict.fromkeys((*callee.modifies, *results))
        return [Havoc(tuple(targets), call.location)] if targets else []

    def _local(self, like: Term) -> Term:
        local = var(self._names.like(like.name), like.sort)
        self._locals.append(local)
        return local
