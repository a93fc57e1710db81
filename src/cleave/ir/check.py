"""Well-formedness of programs: what every front end and pass must leave true.

check_program(program)   # returns None, or raises InternalError with one line for each thing that is wrong:

proc main, block b0: (+ y 1) uses y, which is not declared
proc main, block b0: goes to nowhere, which is no block
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from cleave.errors import InternalError
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Call,
    Fence,
    Havoc,
    Join,
    Procedure,
    Program,
    Self,
    Spawn,
    Statement,
    is_old,
    old,
)
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import fold, functions, postorder


def check_program(program: Program) -> None:
    """Raises `InternalError` with everything that is ill-formed in ``program``."""
    problems = list(_problems(program))
    if problems:
        raise InternalError("the program is ill-formed:\n" + "\n".join(f"  {problem}" for problem in problems))


def _problems(program: Program) -> Iterator[str]:
    shared = (*program.globals, *program.constants)
    yield from _declarations("the program", shared)
    yield from _repeated("the program", "function", (function.name for function in program.functions))
    if program.store_buffers is not None:
        buffered = program.store_buffers.variables
        yield from (f"the program: buffers {v!r}, which is no global" for v in buffered if v not in program.globals)
    declared = set(program.functions)
    checker = _Scope("the program", set(program.constants), declared)
    for axiom in program.axioms:
        yield from checker.condition(axiom, "an axiom")
    for key, procedure in program.procedures.items():
        if key != procedure.name:
            yield f"proc {procedure.name} is filed under the name {key}"
        yield from _procedure(program, procedure)


def _procedure(program: Program, procedure: Procedure) -> Iterator[str]:
    where = f"proc {procedure.name}"
    own = (*procedure.parameters, *procedure.returns, *procedure.locals)
    yield from _declarations(where, own)
    taken = {variable.name for variable in (*program.globals, *program.constants)}
    yield from (f"{where}: {v.name} is also a global or a constant" for v in own if v.is_var and v.name in taken)
    yield from (f"{where}: modifies {v!r}, which is no global" for v in procedure.modifies if v not in program.globals)
    yield from _contract(program, procedure, where)
    olds = {old(variable) for variable in program.globals}
    readable = {*program.globals, *program.constants, *own, *olds}
    writable = {*program.globals, *procedure.returns, *procedure.locals}
    scope = _Scope(where, readable, set(program.functions))
    for key, block in procedure.blocks.items():
        scope.place = place = f"{where}, block {block.label}"
        if key != block.label:
            yield f"{place} is filed under the label {key}"
        yield from (f"{place}: goes to {s}, which is no block" for s in block.successors if s not in procedure.blocks)
        for statement in block.statements:
            yield from _statement(program, scope, writable, statement)
    yield from _atomicity(procedure, where)


def _contract(program: Program, procedure: Procedure, where: str) -> Iterator[str]:
    before = {*program.globals, *program.constants, *procedure.parameters}
    after = {*before, *procedure.returns, *(old(variable) for variable in program.globals)}
    declared = set(program.functions)
    for clause in procedure.requires:
        yield from _Scope(where, before, declared).condition(clause.condition, "a requires")
    for clause in procedure.ensures:
        yield from _Scope(where, after, declared).condition(clause.condition, "an ensures")


def _statement(program: Program, scope: _Scope, writable: set[Term], statement: Statement) -> Iterator[str]:
    match statement:
        case Assume():
            yield from scope.condition(statement.condition, "an assume")
        case Assert():
            yield from scope.condition(statement.condition, "an assert")
            for value in statement.values:
                yield from scope.term(value)
        case Assign():
            for value in statement.values:
                yield from scope.term(value)
            yield from scope.targets(statement.targets, writable)
            yield from scope.fits("the assignment", statement.targets, statement.values)
        case Havoc():
            yield from scope.targets(statement.targets, writable)
        case Call():
            yield from _call(program, scope, writable, statement)
        case Spawn():
            yield from _spawn(program, scope, writable, statement)
        case Join(thread):
            yield from scope.term(thread)
            yield from scope.number(thread)
        case Self(target):
            yield from scope.targets((target,), writable)
            yield from scope.number(target)
        case AtomicBegin() | AtomicEnd() | Fence():
            pass  # see _atomicity


def _call(program: Program, scope: _Scope, writable: set[Term], call: Call) -> Iterator[str]:
    for argument in call.arguments:
        yield from scope.term(argument)
    yield from scope.targets(call.results, writable)
    callee = program.procedures.get(call.procedure)
    if callee is None:
        yield f"{scope.place}: calls {call.procedure}, which does not exist"
        return
    yield from scope.fits(f"the arguments of {callee.name}", callee.parameters, call.arguments)
    yield from scope.fits(f"the results of {callee.name}", call.results, callee.returns)


def _spawn(program: Program, scope: _Scope, writable: set[Term], spawn: Spawn) -> Iterator[str]:
    for argument in spawn.arguments:
        yield from scope.term(argument)
    if spawn.result is not None:
        yield from scope.targets((spawn.result,), writable)
        yield from scope.number(spawn.result)
    started = program.procedures.get(spawn.procedure)
    if started is None:
        yield f"{scope.place}: spawns {spawn.procedure}, which does not exist"
        return
    if not started.has_body or started.requires or started.ensures:
        yield f"{scope.place}: spawns {started.name}, which has no body, or a contract"
    yield from scope.fits(f"the arguments of {started.name}", started.parameters, spawn.arguments)


def _atomicity(procedure: Procedure, where: str) -> Iterator[str]:
    """On every way through the procedure, atomic blocks are closed as often as opened, never before."""
    if not any(isinstance(statement, AtomicBegin | AtomicEnd) for statement in procedure.statements()):
        return
    depths = {procedure.entry.label: 0}
    pending = [procedure.entry.label]
    while pending:
        block = procedure.blocks[pending.pop()]
        depth = depths[block.label]
        for statement in block.statements:
            depth += isinstance(statement, AtomicBegin) - isinstance(statement, AtomicEnd)
            if depth < 0:
                yield f"{where}, block {block.label}: closes an atomic block that is not open"
                return
        if not block.successors and depth:
            yield f"{where}, block {block.label}: returns inside an atomic block"
        for label in block.successors:
            if label not in depths and label in procedure.blocks:
                depths[label] = depth
                pending.append(label)
            elif depths.get(label, depth) != depth:
                yield f"{where}, block {label}: is reached both inside and outside of an atomic block"
                return


class _Scope:
    """What may be read at one place, and the checks that need to know it."""

    def __init__(self, place: str, readable: set[Term], declared: set[Function]) -> None:
        self.place = place
        self.readable = readable
        self.names = {variable.name for variable in readable if variable.is_var}
        self.functions = declared

    def condition(self, term: Term, what: str) -> Iterator[str]:
        if term.sort is not BOOL:
            yield f"{self.place}: {what} is no Bool: {term!r}"
        yield from self.term(term)

    def term(self, term: Term) -> Iterator[str]:
        """Free variables and functions are declared; bound variables have names of their own."""
        quantifiers = _quantifiers(term)
        for variable in sorted(_free(term, quantifiers) - self.readable, key=lambda v: v.name):
            why = "is not the old value of a global" if is_old(variable) else "is not declared"
            yield f"{self.place}: {term!r} uses {variable.name}: {variable.sort!r}, which {why} here"
        for function in functions(term):
            if function not in self.functions:
                yield f"{self.place}: {term!r} applies {function.name}, which is not declared with these sorts"
        for quantifier in quantifiers:
            yield from self._binder(quantifier)

    def _binder(self, quantifier: Term) -> Iterator[str]:
        bound = [variable.name for variable in quantifier.value.variables]
        yield from _repeated(self.place, "bound variable", bound)
        yield from (f"{self.place}: {name} is bound and also declared" for name in bound if name in self.names)
        inner = {v.name for body in quantifier.args for other in _quantifiers(body) for v in other.value.variables}
        yield from (f"{self.place}: {name} is bound again inside {quantifier!r}" for name in bound if name in inner)

    def targets(self, targets: Sequence[Term], writable: set[Term]) -> Iterator[str]:
        yield from _repeated(self.place, "target", (str(target.value) for target in targets))
        for target in targets:
            if target not in writable:
                yield f"{self.place}: {target!r} is assigned, but is no global, return or local"

    def number(self, term: Term) -> Iterator[str]:
        if term.sort is not INT and not term.sort.is_bitvec:
            yield f"{self.place}: {term!r} numbers a thread, but is no Int and no bit vector"

    def fits(self, what: str, targets: Sequence[Term], values: Sequence[Term]) -> Iterator[str]:
        if len(targets) != len(values):
            yield f"{self.place}: {what}: {len(values)} values for {len(targets)} targets"
        for target, value in zip(targets, values, strict=False):
            if target.sort is not value.sort:
                yield f"{self.place}: {what}: {target!r} has sort {target.sort!r} but gets {value.sort!r}"


def _declarations(where: str, variables: Iterable[Term]) -> Iterator[str]:
    variables = tuple(variables)
    for variable in variables:
        if not variable.is_var:
            yield f"{where}: declares {variable!r}, which is no variable"
        elif is_old(variable):
            yield f"{where}: declares {variable.name}: that name is kept for old values"
    yield from _repeated(where, "variable", (variable.name for variable in variables if variable.is_var))


def _repeated(where: str, what: str, names: Iterable[str]) -> Iterator[str]:
    return (f"{where}: the {what} {name} appears {count} times" for name, count in Counter(names).items() if count > 1)


def _quantifiers(term: Term) -> list[Term]:
    return [node for node in postorder((term,)) if node.op is Op.FORALL or node.op is Op.EXISTS]


def _free(term: Term, quantifiers: list[Term]) -> set[Term]:
    """The variables that occur outside every quantifier that binds them (`free_variables` takes that for granted)."""
    if not quantifiers:
        return {node for node in postorder((term,)) if node.is_var}
    free: frozenset[Term] = fold(term, _free_at)
    return set(free)


def _free_at(node: Term, below: list[frozenset[Term]]) -> frozenset[Term]:
    if node.is_var:
        return frozenset((node,))
    free: frozenset[Term] = frozenset().union(*below)
    return free - set(node.value.variables) if node.op in (Op.FORALL, Op.EXISTS) else free
