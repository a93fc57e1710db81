"""A program as one formula: its calls and loops are unfolded as far as the evidence says.

    Unfolding(program, ["main"], instances, bound, invariants).encode()        # Formula(conditions, bad, opens)

An *instance* is an activation of a procedure, or one iteration of a loop. ``instances[n]`` is ``(parent, place)``:

| place | the instance is |
| --- | --- |
| ``main`` (parent -1) | an entry |
| ``b:2`` | what statement 2 of block ``b`` of the parent calls |
| ``h`` | the first iteration of the loop with head ``h`` in the parent, or the iteration after the parent |

The formula ``bad`` is true of an execution that violates the property or reaches an *open* place, whose instance is not
there. So if it has no model, nothing within the bound is violated. A call may also stay open if its callee has nothing
to violate: it may do anything then. With a ``bound`` N, an execution that has more than N activations of a procedure on
the stack (and as many as its mark ``extra_recursion`` allows besides), or begins an iteration beyond the N-th of a
loop, is none that the claim is about.

A loop with an *invariant* is not unfolded: that the invariant holds when the loop is entered and after each iteration
becomes a part of ``bad``, and one iteration begins with any values that the invariant allows.

Executions are followed forwards. Each copy of a block has a condition under which it is reached, the disjunction over
its incoming jumps; where jumps meet, values are chosen by if-then-else; a free Boolean picks among successors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from cleave_check.loops import Loop, nest
from cleave_check.program import Block, Procedure, Program, Statement
from cleave_check.refusal import Refusal, Undecided, Unreadable
from cleave_check.sorts import BOOL
from cleave_check.terms import FALSE, TRUE, Term, choice, conj, disj, neg, rebuilt, value, var
from cleave_check.values import operate

State = dict[Term, Term]
Edge = tuple[Term, State]
MOST_BLOCKS = 400_000


@dataclass(slots=True)
class Formula:
    """``assumed`` holds in every execution. ``opens``: open places and the condition under which each is reached.
    ``reached``: the condition under which each instance is. ``blocked``: whether the bound keeps anything out.
    ``broken``: what says that an invariant's condition does not hold where it has to, by its number."""

    assumed: list[Term]
    bad: list[Term]
    opens: dict[tuple[int, str], Term]
    reached: dict[int, Term]
    blocked: bool
    broken: list[tuple[int, Term]]


@dataclass(slots=True)
class Context:
    """A copy of some blocks: of a procedure, or of one iteration of a loop, to which jumps are directed."""

    number: int
    procedure: Procedure
    items: Sequence[str | Loop]
    blocks: frozenset[str]
    head: str | None
    parent: Context | None
    incoming: dict[str, list[Edge]] = field(default_factory=dict)
    back: list[Edge] = field(default_factory=list)
    was_left: bool = False  # something may leave the loop in this iteration
    exits: list[Edge] = field(default_factory=list)

    def jump(self, label: str, edge: Edge) -> None:
        context: Context | None = self
        while context is not None:
            if label == context.head:
                context.back.append(edge)
                return
            if label in context.blocks:
                context.incoming.setdefault(label, []).append(edge)
                return
            context.was_left = context.was_left or edge[0] is not FALSE
            context = context.parent
        raise AssertionError("a block is in its procedure")

    def leave(self, edge: Edge) -> None:
        """The procedure returns."""
        self.was_left = True
        if self.parent is None:
            self.exits.append(edge)
        else:
            self.parent.leave(edge)


class Unfolding:
    def __init__(
        self,
        program: Program,
        entries: Sequence[str],
        instances: Sequence[tuple[int, str]],
        bound: int | None = None,
        invariants: Mapping[tuple[str, str], Sequence[tuple[int, Term]]] | None = None,
        grow: int = 0,
        counts_all: bool = True,
    ) -> None:
        """``invariants`` by procedure and head: conditions, each with a number. Without ``counts_all``, the bound does
        not count iterations of a loop which constants let nobody leave. With ``grow``, so many instances are
        added where they are missing: that is for whoever looks for a proof, never for a check."""
        self._program = program
        self._entries = entries
        self._bound = bound
        self._counts_all = counts_all
        self._invariants = invariants or {}
        self._children: dict[tuple[int, str], int] = {}
        self.instances = list(instances)
        self._grow = grow
        for number, (parent, place) in enumerate(instances):
            if not -1 <= parent < number or self._children.setdefault((parent, place), number) != number:
                raise Unreadable("an instance comes before its parent, or is there twice")
        self._globals = frozenset(program.globals)
        self._carried: list[Term] = [*program.constants, *program.globals]  # what calls hand over and give back
        self._formula = Formula([], [], {}, {}, False, [])
        self._copies = 0
        self._nest = cache(lambda name: nest(program.procedures[name]))
        self._fails = _fixpoint(program, _may_fail)
        self._writes = _written(program)

    def encode(self) -> Formula:
        shared = {v: var(str(v.data), v.sort) for v in (*self._program.constants, *self._program.globals)}
        made = self._formula
        made.assumed += [value_in(axiom, shared) for axiom in self._program.axioms]
        choices = self._choices(len(self._entries))
        for entry, here in zip(self._entries, choices, strict=True):
            procedure = self._program.procedures[entry]
            state = dict(shared) | {v: fresh(v) for v in procedure.parameters}
            state |= {old: shared[variable] for variable, old in self._program.old.items()}
            for clause in procedure.requires:
                here = conj(here, value_in(clause.condition, state))
            number = self._instance(-1, entry)
            if number is None:
                made.opens[-1, entry] = here
                made.bad.append(here)
                continue
            after = self._activation(number, procedure, here, state, {entry: 1})
            if after is not None and self._program.ends:
                made.bad.append(after[0])
        return made

    def _instance(self, parent: int, place: str) -> int | None:
        number = self._children.get((parent, place))
        if number is None and self._grow > 0:
            self._grow -= 1
            number = self._children[parent, place] = len(self.instances)
            self.instances.append((parent, place))
        return number

    # --- procedures -------------------------------------------------------------------------------------------------

    def _activation(
        self, number: int, procedure: Procedure, here: Term, state: State, stack: dict[str, int]
    ) -> Edge | None:
        """How control comes back, and in which state; None: it never does. ``state`` has globals and parameters."""
        self._formula.reached[number] = here
        state = state | {v: fresh(v) for v in (*procedure.returns, *procedure.locals)}
        context = Context(number, procedure, self._nest(procedure.name), frozenset(procedure.blocks), None, None)
        context.incoming[procedure.first.label] = [(here, state)]
        self._run(context, stack)
        if not context.exits:
            return None
        here, state = joined(context.exits)
        for clause in procedure.ensures:
            if not clause.free:
                here = self._check(here, clause.condition, state)
        return here, state

    def _run(self, context: Context, stack: dict[str, int]) -> None:
        for item in context.items:
            if isinstance(item, Loop):
                self._loop(context, item, stack)
                continue
            edges = [edge for edge in context.incoming.pop(item, []) if edge[0] is not FALSE]
            if edges:
                self._block(context, context.procedure.blocks[item], joined(edges), stack)

    def _block(self, context: Context, block: Block, edge: Edge, stack: dict[str, int]) -> None:
        self._copies += 1
        if self._copies > MOST_BLOCKS:
            raise Undecided(f"the unfolding has more than {MOST_BLOCKS} blocks")
        here, state = edge[0], dict(edge[1])
        for position, statement in enumerate(block.statements):
            here = self._execute(context, f"{block.label}:{position}", statement, here, state, stack)
            if here is FALSE:
                return
        if not block.successors:
            context.leave((here, state))
        for label, picked in zip(block.successors, self._choices(len(block.successors)), strict=True):
            context.jump(label, (conj(here, picked), state))

    def _choices(self, count: int) -> list[Term]:
        """One of so many conditions is true."""
        found: list[Term] = []
        rest = TRUE
        for _ in range(count - 1):
            free = var("choice", BOOL)
            found.append(conj(rest, free))
            rest = conj(rest, neg(free))
        return [*found, rest] if count else []

    # --- loops ------------------------------------------------------------------------------------------------------

    def _loop(self, outer: Context, loop: Loop, stack: dict[str, int]) -> None:
        incoming: dict[str, list[Edge]] = {}
        for label in loop.blocks:
            edges = [edge for edge in outer.incoming.pop(label, []) if edge[0] is not FALSE]
            if edges:
                incoming[label] = edges
        conditions = self._invariants.get((outer.procedure.name, loop.head))
        if incoming and conditions is not None:
            self._cut(outer, loop, incoming, conditions, stack)
            return
        parent, iteration = outer.number, 0
        while incoming:
            here = disj(*(guard for edges in incoming.values() for guard, _ in edges))
            edges = [edge for found in incoming.values() for edge in found]
            if self._bound is not None and iteration >= self._bound:
                self._beyond(edges)
                return
            number = self._instance(parent, loop.head)
            if number is None:
                self._open(parent, loop.head, edges)
                return
            self._formula.reached[number] = here
            inner = Context(number, outer.procedure, loop.items, loop.blocks, loop.head, outer, incoming)
            self._run(inner, stack)
            back = [edge for edge in inner.back if edge[0] is not FALSE]
            incoming = {loop.head: [joined(back)]} if back else {}
            parent, iteration = number, iteration + (self._counts_all or inner.was_left)

    def _cut(
        self,
        outer: Context,
        loop: Loop,
        incoming: dict[str, list[Edge]],
        conditions: Sequence[tuple[int, Term]],
        stack: dict[str, int],
    ) -> None:
        if incoming.keys() != {loop.head}:
            raise Refusal("a loop with an invariant is entered elsewhere than at its head")
        here, before = joined(incoming[loop.head])
        self._holds(here, before, conditions)
        written = self._written_in(outer.procedure, loop)
        state = {v: fresh(v) if v in written else term for v, term in before.items()}
        here = conj(here, *(value_in(condition, state) for _, condition in conditions))
        number = self._instance(outer.number, loop.head)
        if number is None:
            self._open(outer.number, loop.head, [(here, state)])
            return
        self._formula.reached[number] = here
        inner = Context(number, outer.procedure, loop.items, loop.blocks, loop.head, outer)
        inner.incoming[loop.head] = [(here, state)]
        self._run(inner, stack)
        for guard, after in inner.back:
            self._holds(guard, after, conditions)

    def _holds(self, here: Term, state: State, conditions: Sequence[tuple[int, Term]]) -> None:
        for number, condition in conditions:
            broken = conj(here, neg(value_in(condition, state)))
            if broken is not FALSE:
                self._formula.bad.append(broken)
                self._formula.broken.append((number, broken))

    def _written_in(self, procedure: Procedure, loop: Loop) -> set[Term]:
        found: set[Term] = set()
        for label in loop.blocks:
            for statement in procedure.blocks[label].statements:
                found.update(statement.targets)
                if statement.kind == "call":
                    found |= self._writes[statement.procedure]
        return found

    # --- statements -------------------------------------------------------------------------------------------------

    def _execute(
        self, context: Context, place: str, statement: Statement, here: Term, state: State, stack: dict[str, int]
    ) -> Term:
        """The condition under which the next statement is reached; ``state`` is changed."""
        match statement.kind:
            case "assume":
                return self._assume(here, value_in(statement.terms[0], state), state)
            case "assert":
                return self._check(here, statement.terms[0], state)
            case "assign":
                values = [value_in(term, state) for term in statement.terms]
                state.update(zip(statement.targets, values, strict=True))
            case "havoc":
                state.update((v, fresh(v)) for v in statement.targets)
            case "call":
                return self._call(context, place, statement, here, state, stack)
            case _:
                raise Undecided("threads are not unfolded")
        return here

    def _assume(self, here: Term, holds: Term, state: State) -> Term:
        return conj(here, holds)

    def _check(self, here: Term, condition: Term, state: State) -> Term:
        holds = value_in(condition, state)
        if not self._program.ends:
            self._formula.bad.append(conj(here, neg(holds)))
        return conj(here, holds)

    def _call(
        self, context: Context, place: str, call: Statement, here: Term, state: State, stack: dict[str, int]
    ) -> Term:
        callee = self._program.procedures[call.procedure]
        inner = {v: state[v] for v in self._carried}
        inner |= {old: state[variable] for variable, old in self._program.old.items()}
        inner |= dict(zip(callee.parameters, (value_in(term, state) for term in call.terms), strict=True))
        for clause in callee.requires:
            if clause.free:
                here = conj(here, value_in(clause.condition, inner))
            else:
                here = self._check(here, clause.condition, inner)
        after = self._body(context, place, callee, here, inner, stack)
        if after is None:
            return FALSE
        here, inner = after
        for clause in callee.ensures:
            here = conj(here, value_in(clause.condition, inner))
        state.update((v, inner[v]) for v in self._carried)
        state.update(zip(call.targets, (inner[v] for v in callee.returns), strict=True))
        return here

    def _body(
        self, context: Context, place: str, callee: Procedure, here: Term, inner: State, stack: dict[str, int]
    ) -> Edge | None:
        if here is FALSE:
            return None
        if not callee.blocks:
            return here, inner | {v: fresh(v) for v in (*callee.modifies, *callee.returns)}
        depth = stack.get(callee.name, 0) + 1
        if self._bound is not None and depth > self._bound + callee.extra_recursion:
            self._beyond([(here, inner)])
            return None
        number = self._instance(context.number, place)
        if number is not None:
            return self._activation(number, callee, here, inner, stack | {callee.name: depth})
        if self._program.ends or not self._fails[callee.name]:
            self._formula.opens[context.number, place] = here
            return here, inner | {v: fresh(v) for v in (*self._writes[callee.name], *callee.returns)}
        self._open(context.number, place, [(here, inner)])
        return None

    def _open(self, parent: int, place: str, edges: Sequence[Edge]) -> None:
        here = disj(*(guard for guard, _ in edges))
        self._formula.opens[parent, place] = here
        self._formula.bad.append(here)

    def _beyond(self, edges: Sequence[Edge]) -> None:
        """Executions that come here are none that the claim is about."""
        self._formula.blocked = True


# --- values ----------------------------------------------------------------------------------------------------------


def fresh(variable: Term) -> Term:
    return var(str(variable.data), variable.sort)


def value_in(term: Term, state: State) -> Term:
    return rebuilt(term, state.get, _folded)


def _folded(term: Term) -> Term:
    """Operators of literals are computed; so what constants decide needs no solver."""
    if not term.args:
        return term
    if term.op == "select" and term.args[0].op == "store":
        where, index, element = term.args[0].args
        if index is term.args[1]:
            return element
        if index.op == term.args[1].op == "value":
            same = index.data == term.args[1].data
            return element if same else _folded(Term("select", (where, term.args[1]), term.sort))
    if term.op == "=" and term.args[0] is term.args[1]:
        return TRUE
    if term.op == "=>":
        return disj(neg(term.args[0]), term.args[1])
    if term.op in ("forall", "exists", "apply", "store", "const", "select"):
        return term
    if not all(a.op == "value" for a in term.args):
        return term
    if term.op in ("div", "mod", "/") and term.args[1].data == 0:
        return term
    return value(operate(term, [a.data for a in term.args]), term.sort)


def joined(edges: Sequence[Edge]) -> Edge:
    if len(edges) == 1:
        return edges[0]
    here = disj(*(guard for guard, _ in edges))
    state = dict(edges[-1][1])
    for guard, other in reversed(edges[:-1]):
        for variable, term in other.items():
            mine = state[variable]
            if mine is not term:
                state[variable] = choice(guard, term, mine)
    return here, state


# --- what procedures do ----------------------------------------------------------------------------------------------


def _may_fail(procedure: Procedure, program: Program) -> bool:
    if any(not clause.free for clause in (*procedure.ensures, *procedure.requires)):
        return True
    return any(statement.kind == "assert" for statement in procedure.statements())


def _fixpoint(program: Program, own: Callable[[Procedure, Program], bool]) -> dict[str, bool]:
    """Of which procedures it is true, or of one that they call."""
    callers: dict[str, list[str]] = {}
    found = {name: own(procedure, program) for name, procedure in program.procedures.items()}
    for name, procedure in program.procedures.items():
        for statement in procedure.statements():
            if statement.kind == "call":
                callers.setdefault(statement.procedure, []).append(name)
    pending = [name for name, is_so in found.items() if is_so]
    while pending:
        for caller in callers.get(pending.pop(), ()):
            if not found[caller]:
                found[caller] = True
                pending.append(caller)
    return found


def _written(program: Program) -> dict[str, set[Term]]:
    """The globals that a procedure, or one that it calls, may write."""
    shared = set(program.globals)
    found: dict[str, set[Term]] = {}
    for name, procedure in program.procedures.items():
        targets = {v for s in procedure.statements() for v in s.targets if v in shared}
        found[name] = targets if procedure.blocks else set(procedure.modifies)
    changed = True
    while changed:
        changed = False
        for name, procedure in program.procedures.items():
            for statement in procedure.statements():
                if statement.kind == "call" and not found[statement.procedure] <= found[name]:
                    found[name] |= found[statement.procedure]
                    changed = True
    return found
