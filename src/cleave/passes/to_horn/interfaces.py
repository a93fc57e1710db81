"""The arguments of the predicates: for each procedure its inputs and outputs, for each cut point the values that
matter.

    var g, h
    proc f(p, q) -> (r, s) { b: r := p; g := r; return }       ... call f(1, 2) -> (x, y); assert x > g

The summary of ``f`` is over the inputs (p) and the outputs (r, g): nobody reads q, h, s or what g was before.

This is liveness across procedures, without contexts: an output is needed if it is live after some call, an input if it
is live at the entry. Every argument that is saved is one that the solver can't generalise wrongly.

At a cut point of a procedure with a summary, the values of its inputs at the entry are needed until the return. For
an input that nothing has changed on the way its current value is that value, else the variable ``old(v)`` stands for
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cleave.ir.program import Assign, Block, Call, Procedure, Program, Statement, old
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables
from cleave.passes.effects import callees, effects
from cleave.passes.flow import reads, strongly_connected, writes
from cleave.passes.to_horn.calls import leading_call
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Interface:
    """``parameters`` are the places of the parameters that are inputs, ``returns`` of the returns that are outputs."""

    parameters: tuple[int, ...]
    returns: tuple[int, ...]
    read: tuple[Term, ...]  # the globals that are inputs
    written: tuple[Term, ...]  # the globals that are outputs
    inputs: tuple[Term, ...]
    outputs: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class _Flow:
    """A statement as liveness sees it: what it reads at all, and what it reads for the sake of each target."""

    reads: frozenset[Term]
    targets: tuple[tuple[Term, frozenset[Term]], ...]


@dataclass(frozen=True, slots=True)
class Body:
    """A block as liveness sees it: a call first, or not, and then the other statements."""

    call: Call | None
    flows: tuple[_Flow, ...]
    written: frozenset[Term]

    def live_before(self, after: Iterable[Term]) -> set[Term]:
        """What is live behind the call, given what is live at the end. Nothing is read for a target that is dead."""
        live = set(after)
        for flow in reversed(self.flows):
            found = [read for target, read in flow.targets if target in live]
            live.difference_update(target for target, _ in flow.targets)
            live.update(flow.reads, *found)
        return live


@dataclass(frozen=True, slots=True)
class Facts:
    """``state[label]`` are the variables that a predicate at the block needs, in a fixed order; ``kept[label]`` those
    of the inputs whose current value is still what it was at the entry; ``bodies[label]`` what it reads and writes."""

    interface: Interface
    bodies: Mapping[str, Body]
    state: Mapping[str, tuple[Term, ...]]
    kept: Mapping[str, frozenset[Term]]


def facts_of(program: Program, entry: str) -> dict[str, Facts]:
    analysis = _Analysis(program)
    analysis.run()
    return {name: analysis.facts(name, is_entry=name == entry) for name in program.procedures}


class _Analysis:
    """Two sets for each procedure, grown to the least fixed point: outputs that are needed, variables live at entry."""

    def __init__(self, program: Program) -> None:
        self._procedures = program.procedures
        self._globals = frozenset(program.globals)
        self._writes = {name: found.writes for name, found in effects(program).items()}
        self._needed: dict[str, set[Term]] = {name: set() for name in program.procedures}
        self._live = {name: {label: set[Term]() for label in p.blocks} for name, p in program.procedures.items()}
        self._orders = {name: _successors_first(procedure.blocks) for name, procedure in program.procedures.items()}
        self._inputs: dict[str, set[Term]] = {name: set() for name in program.procedures}
        self._bodies = {
            name: {label: _body(block) for label, block in procedure.blocks.items()}
            for name, procedure in program.procedures.items()
        }
        self._callers: dict[str, set[str]] = {name: set() for name in program.procedures}
        for name, bodies in self._bodies.items():
            for body in bodies.values():
                if body.call is not None:
                    self._callers[body.call.procedure].add(name)

    def run(self) -> None:
        """Inputs are learned from callees and needs from callers, so both directions are swept in turn."""
        graph = {name: list(callees(procedure)) for name, procedure in self._procedures.items()}
        order = [name for component in strongly_connected(graph) for name in component]
        waiting = set(order)
        while waiting:
            for name in order:
                if name in waiting:
                    waiting.discard(name)
                    waiting |= self._update(name)
            order.reverse()

    def _update(self, name: str) -> set[str]:
        """Looks at one procedure again; those that have to be looked at after it."""
        procedure = self._procedures[name]
        live = self._liveness(procedure)
        changed: set[str] = set()
        for label, body in self._bodies[name].items():
            if body.call is not None and self._need(body.call, self._behind_call(procedure, label, live)):
                changed.add(body.call.procedure)
        inputs = live[procedure.entry.label] & {*procedure.parameters, *self._globals}
        if not inputs <= self._inputs[name]:
            self._inputs[name] |= inputs
            changed |= self._callers[name]
        return changed

    def _need(self, call: Call, live: set[Term]) -> bool:
        """Notes which outputs of the callee are live behind a call; whether that is new."""
        callee, needed = self._procedures[call.procedure], self._needed[call.procedure]
        found = {r for r, result in zip(callee.returns, call.results, strict=True) if result in live}
        # A result that is a global hides what the callee left there.
        found |= (live & self._writes[call.procedure]) - set(call.results)
        if found <= needed:
            return False
        needed |= found
        return True

    def _liveness(self, procedure: Procedure) -> dict[str, set[Term]]:
        """Goes on from what was found before: the sets only grow."""
        bodies, order = self._bodies[procedure.name], self._orders[procedure.name]
        live = self._live[procedure.name]
        grown = True
        while grown:
            grown = False
            for label in order:
                found = self._behind_call(procedure, label, live)
                call = bodies[label].call
                if call is not None:
                    found = self._read_by(call) | (found - self._written_by(call))
                if len(found) > len(live[label]):
                    live[label] = found
                    grown = True
        return live

    def _behind_call(self, procedure: Procedure, label: str, live: Mapping[str, set[Term]]) -> set[Term]:
        """What is live in a block behind its call, or at its start if it has none."""
        body, successors = self._bodies[procedure.name][label], procedure.blocks[label].successors
        out = set().union(*(live[s] for s in successors)) if successors else self._needed[procedure.name]
        return body.live_before(out)

    def _read_by(self, call: Call) -> set[Term]:
        inputs, callee = self._inputs[call.procedure], self._procedures[call.procedure]
        read = [a for p, a in zip(callee.parameters, call.arguments, strict=True) if p in inputs]
        return set(free_variables(*read)) | (inputs & self._globals)

    def _written_by(self, call: Call) -> set[Term]:
        return {*call.results, *self._writes[call.procedure]}

    # --- what was found ---------------------------------------------------------------------------------------------

    def facts(self, name: str, *, is_entry: bool) -> Facts:
        procedure, live = self._procedures[name], self._live[name]
        interface = self._interface(procedure) if not is_entry else _NOTHING
        changed = self._changed(procedure, frozenset(interface.inputs))
        state: dict[str, tuple[Term, ...]] = {}
        kept: dict[str, frozenset[Term]] = {}
        for label in procedure.blocks:
            kept[label] = frozenset(v for v in interface.inputs if v not in changed[label])
            entered = [v if v in kept[label] else old(v) for v in interface.inputs]
            state[label] = tuple(dict.fromkeys((*entered, *sorted(live[label], key=_name))))
        return Facts(interface, self._bodies[name], state, kept)

    def _interface(self, procedure: Procedure) -> Interface:
        inputs, needed = self._inputs[procedure.name], self._needed[procedure.name]
        parameters = tuple(place for place, v in enumerate(procedure.parameters) if v in inputs)
        returns = tuple(place for place, v in enumerate(procedure.returns) if v in needed)
        read = tuple(sorted(inputs & self._globals, key=_name))
        written = tuple(sorted(needed & self._globals, key=_name))
        return Interface(
            parameters=parameters,
            returns=returns,
            read=read,
            written=written,
            inputs=(*(procedure.parameters[place] for place in parameters), *read),
            outputs=(*(procedure.returns[place] for place in returns), *written),
        )

    def _changed(self, procedure: Procedure, inputs: frozenset[Term]) -> dict[str, set[Term]]:
        """For each block, the inputs that some path to it from the entry has written."""
        changed: dict[str, set[Term]] = {label: set() for label in procedure.blocks}
        if not inputs:
            return changed
        pending = list(procedure.blocks)[::-1]
        while pending:
            label = pending.pop()
            body = self._bodies[procedure.name][label]
            out = changed[label] | (body.written & inputs)
            if body.call is not None:
                out |= self._written_by(body.call) & inputs
            for successor in procedure.blocks[label].successors:
                if not out <= changed[successor]:
                    changed[successor] |= out
                    pending.append(successor)
        return changed


_NOTHING = Interface((), (), (), (), (), ())


def _successors_first(blocks: Mapping[str, Block]) -> list[str]:
    """All blocks, each after those that it jumps to, as far as cycles allow."""
    graph = {label: block.successors for label, block in blocks.items()}
    return [label for component in strongly_connected(graph) for label in component]


def _name(variable: Term) -> str:
    return variable.name


def _body(block: Block) -> Body:
    call = leading_call(block)
    rest = block.statements[1 if call is not None else 0 :]
    return Body(call, tuple(_flow(s) for s in rest), frozenset(v for s in rest for v in writes(s)))


def _flow(statement: Statement) -> _Flow:
    match statement:
        case Assign(targets, values):
            return _Flow(frozenset(), tuple(zip(targets, map(free_variables, values), strict=True)))
        case _:
            return _Flow(free_variables(*reads(statement)), tuple((v, frozenset()) for v in writes(statement)))
