"""Procedure conditions: what a procedure's body says about its inputs and outputs, with calls left open (pVC).

Follows HYDRA's section II-A. Each block ``l`` has a Boolean control variable ``b_l``; the condition is

    b_l  =>  assumptions of l  and  (some edge to a successor)        for a block that jumps
    b_l  =>  assumptions of l  and  outputs = their values            for a block that returns

Instead of the paper's control-flow function, an edge into a block with several predecessors has a Boolean that equates
the block's merged variables with the predecessor's values: its own, or that of the predecessor if it has no other edge.
Any path of true blocks and edges in a model is an execution; the solver may make more blocks true than it needs.

Assignments cost nothing: variables are replaced by the terms they hold, so only inputs, havocs, results of calls and
merges at joins are variables of the condition. A call is a `CallSite`: control variable, input terms, output variables.

What is said about background variables is kept apart: assumptions that mention one, and equations that pass its value
on. The rest is a condition, too, with any values for them.

A call to a straight-line procedure, one block that calls only such procedures, is no call site: executing it here costs
less than any summary of it. Half of a driver's calls are of this kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from cleave.engines.inline.condition import CallSite, Condition, Interface
from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
from cleave.ir.program import Assert, Assign, Assume, Block, Call, Havoc, Procedure, Statement
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Term, conj_all, disj_all, eq, implies, var
from cleave.logic.walk import free_variables, substitute
from cleave.passes.flow import live_at_entry, predecessors, topological
from cleave.records import dataclass

State = dict[Term, Term]
"""The term that each program variable holds."""


def condition_of(
    procedure: Procedure,
    interfaces: Mapping[str, Interface],
    constants: frozenset[Term],
    background: frozenset[Term],
    straight: Mapping[str, Procedure],
) -> Condition:
    """``straight`` are the procedures that are executed where they are called."""
    return _Encoder(procedure, interfaces, constants, background, straight).condition()


@dataclass(slots=True)
class _Assumed:
    """What is assumed somewhere, apart from what can wait because it is about background variables."""

    now: list[Term] = field(default_factory=list)
    later: list[Term] = field(default_factory=list)

    def add(self, formula: Term, *, later: bool) -> None:
        (self.later if later else self.now).append(formula)


class _Encoder:
    """Encodes one procedure. Its blocks have no cycle."""

    def __init__(
        self,
        procedure: Procedure,
        interfaces: Mapping[str, Interface],
        constants: frozenset[Term],
        background: frozenset[Term],
        straight: Mapping[str, Procedure],
    ) -> None:
        self._procedure = procedure
        self._straight = straight
        self._interfaces = interfaces
        self._constants = constants
        self._background = background
        self._interface = interfaces[procedure.name]
        self._variables: list[Term] = []
        self._formulas: list[Term] = []
        self._deferred: list[Term] = []
        self._calls: list[CallSite] = []
        self._order = topological(procedure.blocks, procedure.entry.label)
        self._before = predecessors(procedure.blocks, self._order)
        self._live = self._liveness()
        self._controls: dict[str, Term] = {}
        self._edges: dict[str, tuple[tuple[str, Term], ...]] = {}
        self._calls_of_block: dict[str, tuple[int | Path, ...]] = {}
        self._exit: dict[str, State] = {}
        self._merged: dict[str, dict[Term, Term]] = {}

    def condition(self) -> Condition:
        inputs = tuple(self._fresh(v.name, v.sort) for v in self._interface.inputs)
        outputs = tuple(self._fresh(v.name, v.sort) for v in self._interface.outputs)
        for label in self._order:
            self._controls[label] = self._fresh(label, BOOL)
        for label in self._order:
            self._block(self._procedure.blocks[label], inputs, outputs)
        for label in self._order:
            self._jumps(self._procedure.blocks[label])
        entry = self._procedure.entry.label
        interface = zip((*self._interface.inputs, *self._interface.outputs), (*inputs, *outputs), strict=True)
        return Condition(
            procedure=self._procedure.name,
            control=self._controls[entry],
            inputs=inputs,
            outputs=outputs,
            variables=tuple(self._variables),
            formulas=tuple(f for f in self._formulas if not f.is_true),
            deferred=tuple(f for f in self._deferred if not f.is_true),
            background=frozenset(made for variable, made in interface if variable in self._background),
            calls=tuple(self._calls),
            entry=entry,
            controls=self._controls,
            edges=self._edges,
            calls_of_block=self._calls_of_block,
            conflicts=(conflicts := self._conflicts()),
            passes_on=not any(conflicts) and self._passes_on(),
        )

    def _block(self, block: Block, inputs: tuple[Term, ...], outputs: tuple[Term, ...]) -> None:
        state = self._entry_state(block.label, inputs)
        control = self._controls[block.label]
        assumed = _Assumed()
        calls: list[int | Path] = []
        for statement in block.statements:
            if not isinstance(statement, Call):
                self._execute(statement, state, assumed)
            elif statement.procedure in self._straight:
                calls.append(self._straight_call(statement, state, assumed))
            else:
                calls.append(self._call(statement, state, block.label, control))
        if not block.successors:
            for output, variable in zip(outputs, self._interface.outputs, strict=True):
                assumed.add(eq(output, self._read(variable, state)), later=variable in self._background)
        self._calls_of_block[block.label] = tuple(calls)
        self._exit[block.label] = state
        self._imply(control, assumed)

    def _execute(self, statement: Statement, state: State, assumed: _Assumed) -> None:
        match statement:
            case Assume(condition):
                later = not self._background.isdisjoint(free_variables(condition))
                assumed.add(self._evaluate(condition, state), later=later)
            case Assign(targets, values):
                state.update(zip(targets, [self._evaluate(v, state) for v in values], strict=True))
            case Havoc(targets):
                state.update({v: self._fresh(v.name, v.sort) for v in targets})
            case Call() | Assert():
                raise AssertionError("calls are not for here and assertions are compiled away before inlining")

    def _straight_call(self, call: Call, state: State, assumed: _Assumed) -> Path:
        """Executes the callee's only block in a state of its own that shares the globals."""
        callee = self._straight[call.procedure]
        arguments = [self._evaluate(a, state) for a in call.arguments]
        shared = self._interfaces[call.procedure].inputs[len(arguments) :]
        local: State = {g: self._read(g, state) for g in shared}
        local.update(zip(callee.parameters, arguments, strict=True))
        path: list[PathStep] = [Enter(callee.name), Visit(callee.entry.label)]
        for statement in callee.entry.statements:
            if isinstance(statement, Call):
                path.extend(self._straight_call(statement, local, assumed))
            else:
                self._execute(statement, local, assumed)
        # Results are assigned after the callee has written its globals: a result that is such a global wins.
        state.update({g: local[g] for g in shared if g in local})
        state.update(zip(call.results, [self._read(r, local) for r in callee.returns], strict=True))
        return (*path, Leave())

    def _call(self, call: Call, state: State, label: str, control: Term) -> int:
        callee = self._interfaces[call.procedure]
        arguments = [self._evaluate(a, state) for a in call.arguments]
        shared = callee.inputs[len(arguments) :]
        inputs = (*arguments, *(self._read(g, state) for g in shared))
        written = callee.outputs[len(call.results) :]
        outputs = tuple(self._fresh(v.name, v.sort) for v in callee.outputs)
        state.update(zip(written, outputs[len(call.results) :], strict=True))
        state.update(zip(call.results, outputs, strict=False))
        self._calls.append(CallSite(len(self._calls), call.procedure, label, control, inputs, outputs, call.location))
        return len(self._calls) - 1

    def _entry_state(self, label: str, inputs: tuple[Term, ...]) -> State:
        sources = self._before[label]
        if not sources:
            return dict(zip(self._interface.inputs, inputs, strict=True))
        if len(sources) == 1:
            return dict(self._exit[sources[0]])
        states = [self._exit[source] for source in sources]
        merged: State = {}
        fresh: dict[Term, Term] = {}
        for variable in self._live[label]:
            held = {self._read(variable, state) for state in states}
            if len(held) == 1:
                merged[variable] = held.pop()
            else:
                merged[variable] = fresh[variable] = self._fresh(variable.name, variable.sort)
        self._merged[label] = fresh
        return merged

    def _jumps(self, block: Block) -> None:
        """The edges out of ``block``, and that one of them is taken."""
        edges: list[tuple[str, Term]] = []
        for successor in block.successors:
            state, assumed = self._exit[block.label], _Assumed([self._controls[successor]])
            for variable, v in self._merged.get(successor, {}).items():
                assumed.add(eq(v, self._read(variable, state)), later=variable in self._background)
            if len(self._before[successor]) == 1:
                taken = self._controls[successor]
            else:
                only = len(block.successors) == 1
                taken = self._controls[block.label] if only else self._fresh(f"{block.label}->{successor}", BOOL)
                self._imply(taken, assumed)
            edges.append((successor, taken))
        self._edges[block.label] = tuple(edges)
        if edges:
            self._formulas.append(implies(self._controls[block.label], disj_all(taken for _, taken in edges)))

    def _imply(self, control: Term, assumed: _Assumed) -> None:
        self._formulas.append(implies(control, conj_all(assumed.now)))
        self._deferred.append(implies(control, conj_all(assumed.later)))

    def _evaluate(self, term: Term, state: State) -> Term:
        # In a fixed order, because reading may make variables: the same input gives the same formula.
        free = sorted(free_variables(term), key=lambda v: v.name)
        return substitute(term, {v: self._read(v, state) for v in free})

    def _read(self, variable: Term, state: State) -> Term:
        """The value of ``variable``; a local that nothing has assigned yet has any."""
        if variable in self._constants:
            return variable
        held = state.get(variable)
        if held is None:
            held = state[variable] = self._fresh(variable.name, variable.sort)
        return held

    def _fresh(self, like: str, sort: Sort) -> Term:
        """A variable of the condition: a name made of the program's, and a number that makes it unique here."""
        made = var(f"{like}#{len(self._variables)}", sort)
        self._variables.append(made)
        return made

    def _liveness(self) -> dict[str, list[Term]]:
        """Live variables at each block, in a fixed order, with the globals that calls read."""
        blocks = {label: self._with_callee_reads(self._procedure.blocks[label]) for label in self._order}
        at_return = frozenset(self._interface.outputs)
        live = live_at_entry(blocks, at_return)
        return {
            label: sorted((v for v in found if v not in self._constants), key=lambda v: v.name)
            for label, found in live.items()
        }

    def _with_callee_reads(self, block: Block) -> Block:
        """The block with calls whose hidden reads and writes of globals are spelled out."""
        statements = []
        for statement in block.statements:
            if isinstance(statement, Call):
                callee = self._interfaces[statement.procedure]
                shared_inputs = callee.inputs[len(statement.arguments) :]
                shared_outputs = callee.outputs[len(statement.results) :]
                statement = Call(
                    statement.procedure,
                    (*statement.arguments, *shared_inputs),
                    (*statement.results, *shared_outputs),
                )
            statements.append(statement)
        return Block(block.label, tuple(statements), block.successors)

    def _passes_on(self) -> bool:
        if not 1 <= len(self._calls) <= 2:
            return False
        calling = {call.block for call in self._calls}
        without: set[str] = set()  # blocks from which a path to the end makes no call
        for label in reversed(self._order):
            successors = self._procedure.blocks[label].successors
            if label not in calling and (not successors or any(s in without for s in successors)):
                without.add(label)
        return self._order[0] not in without

    def _conflicts(self) -> tuple[tuple[int, ...], ...]:
        """For each call, the other calls in blocks that reach its block or are reached from it."""
        reach: dict[str, int] = {}
        position = {label: number for number, label in enumerate(self._order)}
        for label in reversed(self._order):
            mask = 1 << position[label]
            for successor in self._procedure.blocks[label].successors:
                mask |= reach[successor]
            reach[label] = mask
        found: list[tuple[int, ...]] = []
        for call in self._calls:
            own = position[call.block]
            found.append(
                tuple(
                    other.index
                    for other in self._calls
                    if other is not call
                    and (reach[call.block] >> position[other.block] & 1 or reach[other.block] >> own & 1)
                )
            )
        return tuple(found)
