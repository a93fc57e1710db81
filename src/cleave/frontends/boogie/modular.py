"""One procedure against its contract, as Boogie verifies it.

    procedure p() { ...; while (c) invariant i; { x := x + 1; } ... }

        ...; assert i; havoc x; assume i; goto body, done
        body: assume c; x := x + 1; assert i; assume false
        done: assume !c; ...

Other procedures are what their contracts say, but those with ``{:inline n}``, whose bodies are used, n of them inside
of each other. The asserts and assumes that a loop's head begins with are the loop's invariants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.names import Names
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.terms import Term
from cleave.records import dataclass

_MOST_COPIES = 1000


@dataclass(frozen=True, slots=True)
class Modules:
    """What the transformation has to know besides: how deep procedures are inlined, and where clauses."""

    depths: Mapping[str, int]
    wheres: Mapping[str, Mapping[Term, Term]]
    names: Names


def modular_program(program: ir.Program, names: Sequence[str], known: Modules) -> ir.Program:
    """The program that starts in any of ``names`` and knows all procedures by their contracts."""
    copies = _Copies(program, known)
    bodies = {name: copies.rewritten(program.procedures[name], {}) for name in names}
    # What a procedure calls under its own name is its contract.
    own = {name: known.names.fresh(name) for name in names}
    made = {n: _declared(p) for n, p in program.procedures.items() if n not in own} | copies.made
    made |= {own[name]: replace(_declared(program.procedures[name]), name=own[name]) for name in names}
    procedures = {n: _calling(p, own) for n, p in made.items()}
    procedures |= {n: replace(_calling(body, own), is_entry=True) for n, body in bodies.items()}
    return replace(program, procedures=procedures, property=ir.Property.ASSERTIONS)


def _declared(procedure: ir.Procedure) -> ir.Procedure:
    return replace(procedure, blocks={}, locals=(), is_entry=False, requires=_checked(procedure.requires))


def _checked(clauses: tuple[ir.Clause, ...]) -> tuple[ir.Clause, ...]:
    """Boogie assumes a free precondition in the procedure's own body only, not where the procedure is called."""
    return tuple(clause for clause in clauses if not clause.free)


def _calling(procedure: ir.Procedure, others: Mapping[str, str]) -> ir.Procedure:
    def changed(statement: ir.Statement) -> ir.Statement:
        if isinstance(statement, ir.Call) and statement.procedure in others:
            return replace(statement, procedure=others[statement.procedure])
        return statement

    blocks = {
        label: replace(block, statements=tuple(map(changed, block.statements)))
        for label, block in procedure.blocks.items()
    }
    return replace(procedure, blocks=blocks)


@dataclass(slots=True)
class _Copies:
    """Copies of procedures that are inlined, one for each way in which they are inside of each other."""

    program: ir.Program
    known: Modules
    made: dict[str, ir.Procedure] = field(default_factory=dict)
    _by_depth: dict[tuple[str, tuple[tuple[str, int], ...]], str] = field(default_factory=dict)

    def rewritten(self, procedure: ir.Procedure, inside: Mapping[str, int]) -> ir.Procedure:
        cut = _Cut(self.program, procedure, self.known).result()
        blocks = {}
        for label, block in cut.blocks.items():
            statements = [self._call(s, inside) if isinstance(s, ir.Call) else s for s in block.statements]
            blocks[label] = replace(block, statements=tuple(statements))
        return replace(cut, blocks=blocks)

    def _call(self, call: ir.Call, inside: Mapping[str, int]) -> ir.Statement:
        depth = self.known.depths.get(call.procedure, 0)
        callee = self.program.procedures[call.procedure]
        if depth == 0 or not callee.has_body:
            return call
        if inside.get(call.procedure, 0) >= depth:
            return ir.Assume(t.FALSE, call.location)
        now = {**inside, call.procedure: inside.get(call.procedure, 0) + 1}
        key = (call.procedure, tuple(sorted(now.items())))
        if key not in self._by_depth:
            if len(self._by_depth) >= _MOST_COPIES:
                raise UnsupportedError(f"more than {_MOST_COPIES} copies of procedures would be inlined")
            self._by_depth[key] = self.known.names.fresh(call.procedure)
            body = self.rewritten(callee, now)
            requires, ensures = _checked(callee.requires), _checked(callee.ensures)
            copy = replace(body, name=self._by_depth[key], is_entry=False, requires=requires, ensures=ensures)
            self.made[copy.name] = copy
        return replace(call, procedure=self._by_depth[key])


class _Cut:
    """A procedure without loops."""

    def __init__(self, program: ir.Program, procedure: ir.Procedure, known: Modules) -> None:
        self._program = program
        self._procedure = procedure
        self._wheres = known.wheres.get(procedure.name, {})
        self._names = known.names
        self._depths = known.depths

    def result(self) -> ir.Procedure:
        blocks = dict(self._procedure.blocks)
        for head, back in self._back_edges(blocks).items():
            self._cut(blocks, head, back)
        return replace(self._procedure, blocks=blocks)

    def _cut(self, blocks: dict[str, ir.Block], head: str, back: list[str]) -> None:
        inside = _loop(blocks, head, back)
        block = blocks[head]
        invariants = _leading(block.statements)
        checked = tuple(s for s in invariants if isinstance(s, ir.Assert))
        changed = tuple(self._changed(blocks[label] for label in inside))
        allowed = tuple(ir.Assume(self._wheres[v]) for v in changed if v in self._wheres)
        assumed = tuple(ir.Assume(s.condition, s.location) for s in invariants)
        first = self._names.fresh(head)
        again = self._names.fresh(head)
        havoc = (ir.Havoc(changed, block.location),) if changed else ()
        start = ir.Block(first, (*checked, *havoc, *allowed), (head,), block.location)
        end = ir.Block(again, (*checked, ir.Assume(t.FALSE)), (), block.location)
        for label, other in list(blocks.items()):
            target = again if label in back else first
            ways = tuple(target if s == head else s for s in other.successors)
            blocks[label] = replace(other, successors=ways)
        rest = block.statements[len(invariants) :]
        blocks[head] = replace(blocks[head], statements=(*assumed, *rest))
        blocks[first], blocks[again] = start, end
        if next(iter(blocks)) == head:  # the entry of the body stays first
            ordered = {first: start, **{label: one for label, one in blocks.items() if label != first}}
            blocks.clear()
            blocks.update(ordered)

    def _changed(self, blocks: Iterable[ir.Block]) -> dict[Term, None]:
        found: dict[Term, None] = {}
        for block in blocks:
            for statement in block.statements:
                match statement:
                    case ir.Assign(targets) | ir.Havoc(targets):
                        found.update(dict.fromkeys(targets))
                    case ir.Call(procedure, _, results):
                        found.update(dict.fromkeys((*results, *self._effects(procedure, set()))))
        return found

    def _effects(self, name: str, seen: set[str]) -> dict[Term, None]:
        """The globals that a call may change: by its contract or, where it is inlined, by its body."""
        callee = self._program.procedures[name]
        if not self._depths.get(name, 0) or not callee.has_body or name in seen:
            return dict.fromkeys(callee.modifies)
        seen.add(name)
        found: dict[Term, None] = {}
        for statement in callee.statements():
            match statement:
                case ir.Assign(targets) | ir.Havoc(targets):
                    found.update(dict.fromkeys(v for v in targets if v in self._program.globals))
                case ir.Call(procedure, _, results):
                    found.update(dict.fromkeys(v for v in results if v in self._program.globals))
                    found.update(self._effects(procedure, seen))
        return found

    def _back_edges(self, blocks: Mapping[str, ir.Block]) -> dict[str, list[str]]:
        """The heads of loops, inner ones first, each with the blocks that jump back to it."""
        order: list[str] = []
        active: dict[str, None] = {}
        done: set[str] = set()
        found: dict[str, list[str]] = {}
        stack: list[tuple[str, list[str]]] = [(next(iter(blocks)), [])]
        active[stack[0][0]] = None
        stack[0][1].extend(blocks[stack[0][0]].successors)
        while stack:
            label, waiting = stack[-1]
            if not waiting:
                stack.pop()
                del active[label]
                done.add(label)
                order.append(label)
                continue
            following = waiting.pop(0)
            if following in active:
                found.setdefault(following, []).append(label)
            elif following not in done:
                active[following] = None
                stack.append((following, list(blocks[following].successors)))
        for head, back in found.items():
            if next(iter(blocks)) in _loop(blocks, head, back) and next(iter(blocks)) != head:
                text = f"{self._procedure.name} has a loop that is entered in several places, which is not supported"
                raise UnsupportedError(text)
        return {head: found[head] for head in order if head in found}


def _loop(blocks: Mapping[str, ir.Block], head: str, back: list[str]) -> set[str]:
    """The blocks from which ``back`` is reached without passing the head, and the head."""
    predecessors: dict[str, list[str]] = {}
    for block in blocks.values():
        for label in block.successors:
            predecessors.setdefault(label, []).append(block.label)
    found = {head, *back}
    pending = [label for label in back if label != head]
    while pending:
        for label in predecessors.get(pending.pop(), ()):
            if label not in found:
                found.add(label)
                pending.append(label)
    return found


def _leading(statements: tuple[ir.Statement, ...]) -> list[ir.Assert | ir.Assume]:
    found: list[ir.Assert | ir.Assume] = []
    for statement in statements:
        if not isinstance(statement, ir.Assert | ir.Assume):
            break
        found.append(statement)
    return found
