"""Small procedures, and those called from one place, are copied to where they are called.

    proc main() -> ()  { m: call f(1) -> (x); assert x > 0; return }
    proc f(p) -> (r)   { b: r := p + 1; return }

becomes

    proc main() -> ()  { m: goto m'1
                         m'1: havoc r'1; p'1 := 1; goto b'1       here the path enters f
                         b'1: r'1 := p'1 + 1; goto m'2
                         m'2: x := r'1; assert x > 0; return }    here it has left f

A call that stays is a second atom in the body of a Horn clause, and everything inside of its callee has to carry the
values that the callee was entered with. So a program whose calls are all gone gives linear clauses over fewer
arguments. Loops are copied like any other blocks. Recursive procedures stay.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
from cleave.ir.program import Assign, Block, Call, Havoc, Procedure, Program, Statement
from cleave.logic.terms import Term, var
from cleave.passes.effects import callees
from cleave.passes.flow import strongly_connected
from cleave.passes.fresh import FreshNames, variable_names
from cleave.passes.rename import rename_block
from cleave.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes count blocks and statements. A callee of at most ``small`` is copied wherever it is called, one that is
    called from one place whatever its size, as long as the caller does not grow beyond ``caller``."""

    small: int = 40
    caller: int = 2000


Steps = dict[tuple[str, str], tuple[PathStep, ...]]


class InlinedCalls:
    """The way back: what a visit of a block was before, a visit of the callee's block, its entry or its return."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def __call__(self, path: Path) -> Path:
        lifted: list[PathStep] = []
        stack: list[str] = []
        for step in path:
            match step:
                case Enter(procedure):
                    stack.append(procedure)
                    lifted.append(step)
                case Visit(block):
                    lifted.extend(self._steps.get((stack[-1], block), (step,)))
                case Leave():
                    stack.pop()
                    lifted.append(step)
        return tuple(lifted)


def inline_calls(program: Program, limits: Limits) -> tuple[Program, InlinedCalls]:
    graph = {name: list(callees(procedure)) for name, procedure in program.procedures.items()}
    sites = Counter(s.procedure for p in program.procedures.values() for s in p.statements() if isinstance(s, Call))
    names = variable_names(program)
    done = dict(program.procedures)
    steps: Steps = {}
    fitting: dict[str, int] = {}  # what may be copied, with its size
    for component in strongly_connected(graph):
        name = component[0]
        if len(component) > 1 or name in graph[name]:
            continue
        if any(callee in fitting for callee in graph[name]):
            copier = _Copier(done[name], done, fitting, limits, names, steps)
            done[name] = copier.procedure()
        size = _size(done[name])
        if size <= limits.small or sites[name] == 1:
            fitting[name] = size
    return replace(program, procedures=done), InlinedCalls(steps)


def _size(procedure: Procedure) -> int:
    return sum(1 + len(block.statements) for block in procedure.blocks.values())


class _Copier:
    """Copies callees into one procedure."""

    def __init__(
        self,
        procedure: Procedure,
        procedures: dict[str, Procedure],
        fitting: dict[str, int],
        limits: Limits,
        names: FreshNames,
        steps: Steps,
    ) -> None:
        self._procedure = procedure
        self._procedures = procedures
        self._fitting = fitting
        self._names = names
        self._steps = steps
        self._labels = FreshNames(procedure.blocks)
        self._locals = list(procedure.locals)
        self._blocks: dict[str, Block] = {}
        self._room = limits.caller - _size(procedure)

    def procedure(self) -> Procedure:
        for block in self._procedure.blocks.values():
            self._block(block)
        return replace(self._procedure, blocks=self._blocks, locals=tuple(self._locals))

    def _block(self, block: Block) -> None:
        label, done = block.label, list[Statement]()
        for statement in block.statements:
            size = self._fitting.get(statement.procedure) if isinstance(statement, Call) else None
            if not isinstance(statement, Call) or size is None or size > self._room:
                done.append(statement)
                continue
            self._room -= size
            entered, after = self._labels.like(block.label), self._labels.like(block.label)
            self._blocks[label] = Block(label, tuple(done), (entered,), block.location)
            done = [self._copy(statement, entered, after)]
            label = after
        self._blocks[label] = Block(label, tuple(done), block.successors, block.location)

    def _copy(self, call: Call, entered: str, after: str) -> Statement:
        """Copies the callee between the blocks ``entered`` and ``after``; what ``after`` has to begin with."""
        callee = self._procedures[call.procedure]
        fresh = {v: self._local(v) for v in (*callee.parameters, *callee.returns, *callee.locals)}
        labels = {label: self._labels.like(label) for label in callee.blocks}
        own = self._procedure.name
        # Whatever a local held after an earlier call is forgotten.
        unknown = tuple(fresh[v] for v in (*callee.returns, *callee.locals))
        begin: list[Statement] = [Havoc(unknown, call.location)] if unknown else []
        if callee.parameters:
            begin.append(Assign(tuple(fresh[p] for p in callee.parameters), call.arguments, call.location))
        self._blocks[entered] = Block(entered, tuple(begin), (labels[callee.entry.label],), call.location)
        self._steps[own, entered] = (Enter(callee.name),)
        for label, block in callee.blocks.items():
            successors = tuple(labels[s] for s in block.successors) or (after,)
            moved = rename_block(block, fresh)
            self._blocks[labels[label]] = replace(moved, label=labels[label], successors=successors)
            self._steps[own, labels[label]] = self._steps.get((callee.name, label), (Visit(label),))
        self._steps[own, after] = (Leave(),)
        return Assign(call.results, tuple(fresh[r] for r in callee.returns), call.location)

    def _local(self, like: Term) -> Term:
        local = var(self._names.like(like.name), like.sort)
        self._locals.append(local)
        return local
