"""A region as a Horn clause: all its paths in one constraint (large blocks).

    h: goto a, b                          h(x'1, y) :- h(x, y), a => x > 0 and x'1 = x - 1,
    a: assume x > 0; x := x - 1; goto h                          b => x < 0 and x'1 = x + 1,  a or b
    b: assume x < 0; x := x + 1; goto h

Assignments cost nothing: variables are replaced by the terms they hold. A block that not every path passes has a
Boolean; where paths with different values meet, the value is a variable that the edge taken gives. Every path of true
blocks and edges in a model of the constraint is an execution: the solver may make more of them true than it needs.

In a clause, the variables of its source predicate have the names that they have in the program.
"""

from __future__ import annotations

from collections.abc import Mapping

from cleave.ir.horn import Atom, Clause
from cleave.ir.program import Assign, Assume, Block, Call, Havoc, Location, Procedure, Statement, old
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import TRUE, Term, conj_all, disj_all, eq, implies, var
from cleave.logic.walk import free_variables, substitute
from cleave.passes.to_horn.calls import leading_call
from cleave.passes.to_horn.cuts import END, Region
from cleave.passes.to_horn.interfaces import Facts
from cleave.records import dataclass

State = dict[Term, Term]
"""The term that each program variable holds."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """``edges`` gives for each block of the region, in the order of its successors, what is true if the edge is
    taken. ``calls`` is whether the last atom of the body is the summary of a callee."""

    clause: Clause
    edges: Mapping[str, tuple[tuple[str, Term], ...]]
    calls: bool


@dataclass(frozen=True, slots=True)
class Names:
    """The predicates: of procedures, and of (procedure, cut point)."""

    summaries: Mapping[str, str]
    cuts: Mapping[tuple[str, str], str]


def encode(
    region: Region,
    procedure: Procedure,
    facts: Mapping[str, Facts],
    names: Names,
    taken: frozenset[str],
    *,
    tracked: bool = False,
) -> Encoded:
    """``taken`` are the names of program variables, which no other variable of the clause may have. If ``tracked``,
    every branch has a Boolean."""
    return _Encoder(region, procedure, facts, names, taken, tracked).encoded()


class _Encoder:
    def __init__(
        self,
        region: Region,
        procedure: Procedure,
        facts: Mapping[str, Facts],
        names: Names,
        taken: frozenset[str],
        tracked: bool,
    ) -> None:
        self._tracked = tracked
        self._region = region
        self._procedure = procedure
        self._all_facts = facts
        self._facts = facts[procedure.name]
        self._names = names
        self._taken = taken
        self._numbers: dict[str, int] = {}
        self._body: list[Atom] = []
        self._formulas: list[Term] = []
        self._before = _predecessors(region)
        self._live = self._liveness()
        self._nested: set[str] = set()
        self._controls = self._control_variables()
        self._exit: dict[str, State] = {}
        self._merged: dict[str, dict[Term, Term]] = {}
        self._edges: dict[str, tuple[tuple[str, Term], ...]] = {}
        self._assumed: dict[str, Term] = {}
        self._inside: dict[str, Term] = {}  # what blocks without a Boolean say

    def encoded(self) -> Encoded:
        state = self._source_state()
        calls = False
        for label in self._region.blocks:
            state = self._entry_state(label) if self._before[label] else state
            calls |= self._block(self._procedure.blocks[label], state)
        last = self._entry_state(END) if self._before[END] else state
        head = self._head(last)
        for label in reversed(self._region.blocks):
            self._jumps(label)
        clause = Clause(head, tuple(self._body), conj_all(self._formulas), self._location())
        edges = {label: self._edges[label] for label in self._region.blocks}
        return Encoded(clause, edges, calls)

    # --- both ends --------------------------------------------------------------------------------------------------

    def _source_state(self) -> State:
        interface, source = self._facts.interface, self._region.source
        if source is None:
            held = dict(zip(interface.inputs, interface.inputs, strict=True))
            return held | {old(v): v for v in interface.inputs}
        known = self._facts.state[source]
        self._body.append(Atom(self._names.cuts[self._procedure.name, source], known))
        kept = self._facts.kept[source]
        return dict(zip(known, known, strict=True)) | {old(v): v for v in interface.inputs if v in kept}

    def _target_variables(self) -> tuple[Term, ...]:
        target, interface = self._region.target, self._facts.interface
        if target is None:
            return (*(old(v) for v in interface.inputs), *interface.outputs)
        return self._facts.state[target]

    def _head(self, state: State) -> Atom | None:
        target, name = self._region.target, self._procedure.name
        arguments = tuple(self._read(v, state) for v in self._target_variables())
        if target is not None:
            return Atom(self._names.cuts[name, target], arguments)
        return Atom(self._names.summaries[name], arguments) if name in self._names.summaries else None

    def _location(self) -> Location | None:
        blocks = self._region.blocks
        return self._procedure.blocks[blocks[0]].location if blocks else self._procedure.location

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _block(self, block: Block, state: State) -> bool:
        """Executes a block; whether it calls."""
        call = leading_call(block)
        if call is not None:
            self._call(call, state)
        assumed: list[Term] = []
        for statement in block.statements[1 if call is not None else 0 :]:
            self._execute(statement, state, assumed)
        self._exit[block.label] = state
        self._assumed[block.label] = conj_all(assumed)
        return call is not None

    def _execute(self, statement: Statement, state: State, assumed: list[Term]) -> None:
        match statement:
            case Assume(condition):
                assumed.append(self._evaluate(condition, state))
            case Assign(targets, values):
                state.update(zip(targets, [self._evaluate(v, state) for v in values], strict=True))
            case Havoc(targets):
                state.update({v: self._fresh(v.name, v.sort) for v in targets})
            case _:
                raise AssertionError("calls stand first in their blocks, assertions are compiled away, threads refused")

    def _call(self, call: Call, state: State) -> None:
        interface = self._all_facts[call.procedure].interface
        arguments = [self._evaluate(call.arguments[place], state) for place in interface.parameters]
        arguments += [self._read(v, state) for v in interface.read]
        outputs = tuple(self._fresh(v.name, v.sort) for v in interface.outputs)
        self._body.append(Atom(self._names.summaries[call.procedure], (*arguments, *outputs)))
        # What the callee gives and nobody reads is not in its summary.
        for result in call.results:
            state.pop(result, None)
        state.update(zip(interface.written, outputs[len(interface.returns) :], strict=True))
        state.update(zip((call.results[place] for place in interface.returns), outputs, strict=False))

    def _entry_state(self, label: str) -> State:
        states = [self._exit[source] for source in self._before[label]]
        if len(states) == 1:
            return dict(states[0])
        merged: State = {}
        fresh: dict[Term, Term] = {}
        for variable in sorted(self._live[label], key=lambda v: v.name):
            held = {self._read(variable, state) for state in states}
            if len(held) == 1:
                merged[variable] = held.pop()
            else:
                merged[variable] = fresh[variable] = self._fresh(variable.name, variable.sort)
        self._merged[label] = fresh
        return merged

    def _jumps(self, label: str) -> None:
        """What a block says: its assumptions, and that one of its edges is taken."""
        edges: list[tuple[str, Term]] = []
        following = self._region.successors[label]
        for successor in following:
            taken = self._inside.get(successor, self._controls[successor])
            merged = self._merged.get(successor)
            if merged:
                state = self._exit[label]
                values = [eq(v, self._read(variable, state)) for variable, v in merged.items()]
                taken = conj_all((taken, *values))
                if self._tracked and len(following) > 1:
                    edge = self._fresh(f"{label}->{successor or 'end'}", BOOL)
                    self._formulas.append(implies(edge, taken))
                    taken = edge
            edges.append((successor, taken))
        self._edges[label] = tuple(edges)
        says = conj_all((self._assumed[label], disj_all(taken for _, taken in edges)))
        if label in self._nested:
            self._inside[label] = says
        else:
            self._formulas.append(implies(self._controls[label], says))

    # --- values -----------------------------------------------------------------------------------------------------

    def _evaluate(self, term: Term, state: State) -> Term:
        # In a fixed order, because reading may make variables: the same input gives the same clauses.
        free = sorted(free_variables(term), key=lambda v: v.name)
        return substitute(term, {v: self._read(v, state) for v in free})

    def _read(self, variable: Term, state: State) -> Term:
        """The value of ``variable``; one that nothing has assigned yet has any."""
        held = state.get(variable)
        if held is None:
            held = state[variable] = self._fresh(variable.name, variable.sort)
        return held

    def _fresh(self, like: str, sort: Sort) -> Term:
        while True:
            number = self._numbers[like] = self._numbers.get(like, 0) + 1
            name = f"{like}'{number}"
            if name not in self._taken:
                return var(name, sort)

    # --- facts about the region -------------------------------------------------------------------------------------

    def _control_variables(self) -> dict[str, Term]:
        """True for blocks on every path. A block with one predecessor needs no Boolean: what it says can stand where
        its predecessor jumps to it. When tracked, it shares one with a predecessor that jumps nowhere else."""
        through = _paths_through(self._region, self._before)
        controls: dict[str, Term] = {}
        for label in (*self._region.blocks, END):
            sources = self._before[label]
            if label == END or through[label] == through[END]:
                controls[label] = TRUE
            elif len(sources) == 1 and not self._tracked:
                self._nested.add(label)
                controls[label] = TRUE
            elif len(sources) == 1 and len(self._region.successors[sources[0]]) == 1:
                controls[label] = controls[sources[0]]
            else:
                controls[label] = self._fresh(label, BOOL)
        return controls

    def _liveness(self) -> dict[str, set[Term]]:
        """What each block reads, or another one or the head behind it."""
        live = {END: set(self._target_variables())}
        for label in reversed(self._region.blocks):
            behind = [live[s] for s in self._region.successors[label]]
            found = behind[0].union(*behind[1:])
            body = self._facts.bodies[label]
            # A call is in the first block, where nothing is merged.
            live[label] = found if body.call is not None else body.live_before(found)
        return live


def _predecessors(region: Region) -> dict[str, list[str]]:
    before: dict[str, list[str]] = {label: [] for label in (*region.blocks, END)}
    for label, following in region.successors.items():
        for successor in following:
            before[successor].append(label)
    return before


def _paths_through(region: Region, before: Mapping[str, list[str]]) -> dict[str, int]:
    """How many paths of the region pass each block; at its end, how many there are."""
    to: dict[str, int] = {}
    for label in (*region.blocks, END):
        to[label] = sum(to[p] for p in before[label]) or 1
    back = {END: 1}
    for label in reversed(region.blocks):
        back[label] = sum(back[s] for s in region.successors[label])
    return {label: to[label] * back[label] for label in to}
