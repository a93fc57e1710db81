"""Assertions become reachability of the end of the entry procedure.

    proc f() -> ()       { b: g := g + 1; assert g > 0; g := 2; return }
    proc main() -> ()    { m: call f() -> (); return }

becomes

    proc f() -> (failed) { b: g := g + 1; goto b'1, b'2
                           b'1: assume not (g > 0); failed := true; return
                           b'2: assume g > 0; g := 2; failed := false; return }
    proc main() -> ()    { m: call f() -> (failed); goto m'1, m'2
                           m'1: assume failed; return
                           m'2: assume not failed; assume false; return }

A failing execution goes straight to the end of the entry; one that doesn't fail never gets there. Procedures that
can't fail keep their shape. This is the transformation that DAG inlining's section 3 takes for granted.

Where the question is already whether the end is reached, an execution that fails does not get there: assertions become
assumptions.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.path import WayBack
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Location,
    Procedure,
    Program,
    Property,
    Statement,
)
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Term, neg, var
from cleave.passes.effects import callees
from cleave.passes.fresh import FreshNames, variable_names


def failures_to_end(program: Program, entry: str) -> tuple[Program, WayBack]:
    if program.property is Property.END_REACHABLE:
        procedures = {name: _assertions_to_assumptions(p) for name, p in program.procedures.items()}
        return replace(program, procedures=procedures), WayBack()
    failing = _may_fail(program)
    names = variable_names(program)
    flags = {name: var(names.like("failed"), BOOL) for name in failing}
    blocks: dict[tuple[str, str], str | None] = {}
    ends: set[tuple[str, str]] = set()
    # What is asserted in a procedure that can't fail is true.
    procedures = {name: _assertions_to_assumptions(p) for name, p in program.procedures.items()}
    for name in {*failing, entry}:
        splitter = _Splitter(program.procedures[name], flags, is_entry=name == entry)
        procedures[name] = splitter.procedure()
        blocks.update({(name, label): None for label in splitter.added})
        ends.update((name, label) for label in splitter.failures)
    changed = replace(program, procedures=procedures, property=Property.END_REACHABLE)
    return changed, WayBack(blocks, ends=frozenset(ends))


def _assertions_to_assumptions(procedure: Procedure) -> Procedure:
    if not any(isinstance(statement, Assert) for statement in procedure.statements()):
        return procedure
    blocks = {
        label: replace(block, statements=tuple(_assumed(s) for s in block.statements))
        for label, block in procedure.blocks.items()
    }
    return replace(procedure, blocks=blocks)


def _assumed(statement: Statement) -> Statement:
    return Assume(statement.condition, statement.location) if isinstance(statement, Assert) else statement


def _may_fail(program: Program) -> list[str]:
    """Procedures with an assertion, or that call one that may fail."""
    callers: dict[str, list[str]] = {}
    pending: list[str] = []
    for procedure in program.procedures.values():
        for callee in callees(procedure):
            callers.setdefault(callee, []).append(procedure.name)
        if any(isinstance(s, Assert) and not s.condition.is_true for s in procedure.statements()):
            pending.append(procedure.name)
    found = dict.fromkeys(pending)
    while pending:
        for caller in callers.get(pending.pop(), ()):
            if caller not in found:
                found[caller] = None
                pending.append(caller)
    return list(found)


class _Splitter:
    """Splits the blocks of one procedure after each statement that may fail."""

    def __init__(self, procedure: Procedure, flags: dict[str, Term], *, is_entry: bool) -> None:
        self._procedure = procedure
        self._flags = flags
        self._is_entry = is_entry
        self._flag = flags.get(procedure.name)
        self._names = FreshNames(procedure.blocks)
        self._blocks: dict[str, Block] = {}
        self._locals = list(procedure.locals)
        self.added: list[str] = []
        self.failures: list[str] = []

    def procedure(self) -> Procedure:
        for block in self._procedure.blocks.values():
            self._split(block)
        returns = self._procedure.returns
        if self._flag is not None and not self._is_entry:
            returns = (*returns, self._flag)
        return replace(self._procedure, blocks=self._blocks, returns=returns, locals=tuple(self._locals))

    def _split(self, block: Block) -> None:
        label, done = block.label, list[Statement]()
        for statement in block.statements:
            match statement:
                case Assert(condition, _, location):
                    passed: Term = condition
                    if condition.is_true:
                        continue
                case Call(procedure=callee, location=location) if callee in self._flags:
                    flag = self._callee_flag()
                    done.append(replace(statement, results=(*statement.results, flag)))
                    passed = neg(flag)
                case _:
                    done.append(statement)
                    continue
            label = self._branch(label, done, passed, location)
            done = [Assume(passed, location)]
        done.extend(self._epilogue(block))
        self._blocks[label] = Block(label, tuple(done), block.successors, block.location)

    def _branch(self, label: str, done: list[Statement], passed: Term, location: Location | None) -> str:
        """Ends block ``label`` with a choice between failing and going on; the label of what goes on."""
        failed, rest = self._names.like(label), self._names.like(label)
        self.added += [failed, rest]
        self.failures.append(failed)
        self._blocks[label] = Block(label, tuple(done), (failed, rest), location)
        failure: list[Statement] = [Assume(neg(passed), location)]
        if self._flag is not None and not self._is_entry:
            failure.append(Assign((self._flag,), (TRUE,)))
        self._blocks[failed] = Block(failed, tuple(failure), (), location)
        return rest

    def _epilogue(self, block: Block) -> list[Statement]:
        if block.successors:
            return []
        if self._is_entry:
            return [Assume(FALSE)]
        assert self._flag is not None
        return [Assign((self._flag,), (FALSE,))]

    def _callee_flag(self) -> Term:
        flag = var(f"failed@{len(self._locals)}@{self._procedure.name}", BOOL)
        self._locals.append(flag)
        return flag
