"""One procedure's executions as a formula that runs forwards, for checking proofs.

    { a: goto b, c;   b: x := 1; goto d;   c: x := 2; goto d;   d: assume x > 1; return }

    entered(d) = (entered and choice) or (entered and not choice)
    x at d     = ite(entered and choice, 1, 2)
    entered(d) => x at d > 1

Exactly one path is chosen, so nothing here resembles the engine's conditions, in which several may be true at once.

A variable that nothing reads after a join is forgotten there. If it were read all the same, it would hold any value: a
mistake in that could lose a proof, but never accept a wrong one.
"""

from __future__ import annotations

from collections.abc import Mapping

from cleave.ir.program import Assert, Assign, Assume, Block, Call, Havoc, Procedure, Program
from cleave.ir.unfolded import CallPlace
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Term, conj, disj_all, eq, implies, ite, neg, var
from cleave.logic.walk import free_variables, substitute
from cleave.passes.effects import Effects
from cleave.passes.flow import reachable, reads, writes
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class BodyCall:
    """``made`` says that the execution makes the call; all of these are variables of the body."""

    callee: str
    made: Term
    inputs: tuple[Term, ...]
    outputs: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Body:
    name: str
    entered: Term
    inputs: tuple[Term, ...]
    outputs: tuple[Term, ...]
    variables: tuple[Term, ...]
    formulas: tuple[Term, ...]
    calls: Mapping[CallPlace, BodyCall]
    reach: Mapping[str, set[str]]

    def exclude_each_other(self, one: CallPlace, other: CallPlace) -> bool:
        """Whether no path through the procedure makes both calls."""
        return other[0] not in self.reach[one[0]] and one[0] not in self.reach[other[0]]


def body_of(procedure: Procedure, program: Program, effects: Mapping[str, Effects]) -> Body:
    return _Forwards(procedure, program, effects).body()


class _Forwards:
    def __init__(self, procedure: Procedure, program: Program, effects: Mapping[str, Effects]) -> None:
        self._procedure = procedure
        self._program = program
        self._effects = effects
        self._constants = frozenset(program.constants)
        self._variables: list[Term] = []
        self._formulas: list[Term] = []
        self._calls: dict[CallPlace, BodyCall] = {}
        self._edges: dict[str, list[tuple[Term, dict[Term, Term]]]] = {label: [] for label in procedure.blocks}

    def body(self) -> Body:
        name = self._procedure.name
        before, after = self._interface(name)
        entered = self._fresh("entered", BOOL)
        inputs = tuple(self._fresh(v.name, v.sort) for v in before)
        outputs = tuple(self._fresh(v.name, v.sort) for v in after)
        first = self._procedure.entry.label
        self._edges[first].append((entered, dict(zip(before, inputs, strict=True))))
        reach = {label: reachable(self._procedure.blocks, label) for label in self._procedure.blocks}
        reached = [label for label in self._procedure.blocks if label in reach[first]]
        # A block reaches strictly more blocks than any block it reaches. Of others the order is the program's: the
        # cost of a check should not depend on how strings are hashed.
        blocks = [self._procedure.blocks[label] for label in sorted(reached, key=lambda label: -len(reach[label]))]
        live = self._live(blocks, after)
        for block in blocks:
            self._block(block, live[block.label], dict(zip(after, outputs, strict=True)))
        variables, formulas = tuple(self._variables), tuple(self._formulas)
        return Body(name, entered, inputs, outputs, variables, formulas, self._calls, reach)

    def _interface(self, name: str) -> tuple[list[Term], list[Term]]:
        procedure, touched = self._program.procedures[name], self._effects[name]
        before = [*procedure.parameters, *(g for g in self._program.globals if g in touched.reads | touched.writes)]
        after = [*procedure.returns, *(g for g in self._program.globals if g in touched.writes)]
        return before, after

    def _live(self, blocks: list[Block], outputs: list[Term]) -> dict[str, set[Term]]:
        """By block, the variables that it or a later one reads before they are written; blocks before successors."""
        found: dict[str, set[Term]] = {}
        for block in reversed(blocks):
            live = set(outputs) if not block.successors else set()
            live.update(*(found[successor] for successor in block.successors))
            for statement in reversed(block.statements):
                if isinstance(statement, Call):
                    before, after = self._interface(statement.procedure)
                    live.difference_update(after[len(statement.results) :])
                live.difference_update(writes(statement))
                live.update(free_variables(*reads(statement)))
                if isinstance(statement, Call):
                    live.update(before[len(statement.arguments) :])
            found[block.label] = live
        return found

    def _block(self, block: Block, live: set[Term], outputs: dict[Term, Term]) -> None:
        here = self._fresh(f"at {block.label}", BOOL)
        self._formulas.append(eq(here, disj_all(edge for edge, _ in self._edges[block.label])))
        state = self._joined(self._edges[block.label], live)
        calls = 0
        for statement in block.statements:
            match statement:
                case Assume(condition):
                    self._formulas.append(implies(here, self._value(condition, state)))
                case Assign(targets, values):
                    state |= dict(zip(targets, [self._value(v, state) for v in values], strict=True))
                case Havoc(targets):
                    state |= {v: self._fresh(v.name, v.sort) for v in targets}
                case Call():
                    self._calls[block.label, calls] = self._call(statement, here, state)
                    calls += 1
                case Assert():
                    raise AssertionError("assertions are compiled away before inlining")
        self._leave(block, here, state, outputs)

    def _leave(self, block: Block, here: Term, state: dict[Term, Term], outputs: dict[Term, Term]) -> None:
        for variable, output in outputs.items() if not block.successors else ():
            self._formulas.append(implies(here, eq(output, self._value(variable, state))))
        rest = here
        for successor in block.successors[:-1]:
            choice = self._fresh(f"to {successor}", BOOL)
            self._edges[successor].append((conj(rest, choice), dict(state)))
            rest = conj(rest, neg(choice))
        if block.successors:
            self._edges[block.successors[-1]].append((rest, dict(state)))

    def _joined(self, edges: list[tuple[Term, dict[Term, Term]]], live: set[Term]) -> dict[Term, Term]:
        state = {variable: value for variable, value in edges[-1][1].items() if variable in live}
        for edge, other in reversed(edges[:-1]):
            for variable in (v for v in {**state, **other} if v in live):
                # A variable that one of the ways has not assigned holds any value there.
                mine = state.get(variable) or self._fresh(variable.name, variable.sort)
                its = other.get(variable) or self._fresh(variable.name, variable.sort)
                state[variable] = ite(edge, its, mine)
        return state

    def _call(self, call: Call, here: Term, state: dict[Term, Term]) -> BodyCall:
        before, after = self._interface(call.procedure)
        shared_in, shared_out = before[len(call.arguments) :], after[len(call.results) :]
        values = [self._value(t, state) for t in (*call.arguments, *shared_in)]
        inputs = tuple(self._fresh("in", v.sort) for v in values)
        self._formulas.extend(implies(here, eq(i, v)) for i, v in zip(inputs, values, strict=True))
        outputs = tuple(self._fresh("out", v.sort) for v in after)
        state |= dict(zip(shared_out, outputs[len(call.results) :], strict=True))
        state |= dict(zip(call.results, outputs, strict=False))
        return BodyCall(call.procedure, here, inputs, outputs)

    def _value(self, term: Term, state: dict[Term, Term]) -> Term:
        for variable in sorted(free_variables(term), key=lambda v: v.name):
            if variable not in self._constants and variable not in state:
                state[variable] = self._fresh(variable.name, variable.sort)
        return substitute(term, state)

    def _fresh(self, like: str, sort: Sort) -> Term:
        made = var(f"{like}~{len(self._variables)}", sort)
        self._variables.append(made)
        return made
