"""A program as Boogie 2, for Boogie, Corral and other tools; Cleave reads it back with the same verdict.

    proc main() { start: g := (+ g 1); assert (< 0 g); return }

        procedure {:entrypoint} main();  modifies g;
        implementation {:entrypoint} main() { start: g := (g + 1); assert (0 < g); return; }

Threads are written in Corral's notation. A thread that is joined notes its end in a map, which the join waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cleave.errors import UnsupportedError
from cleave.export.boogie_terms import Writer
from cleave.ir import program as ir
from cleave.logic.terms import Function, Term
from cleave.passes.effects import effects
from cleave.passes.floats import floats_to_bits

_ASSERTION = "assertion"


def print_boogie(program: ir.Program, entries: Sequence[str]) -> str:
    """The text of a program that starts in one of ``entries``."""
    return "\n".join(_Printer(floats_to_bits(program), tuple(entries)).lines()) + "\n"


def _with_threads(program: ir.Program, writes: dict[str, set[Term]]) -> dict[str, set[Term]]:
    """Boogie's ``modifies`` has what the started threads write, too."""
    uses = {
        p.name: {s.procedure for s in p.statements() if isinstance(s, ir.Call | ir.Spawn)}
        for p in program.procedures.values()
    }
    grows = True
    while grows:
        before = sum(map(len, writes.values()))
        for name, used in uses.items():
            writes[name].update(*(writes[one] for one in used))
        grows = sum(map(len, writes.values())) > before
    return writes


class _Printer:
    def __init__(self, program: ir.Program, entries: tuple[str, ...]) -> None:
        if program.store_buffers is not None:
            raise UnsupportedError("store buffers can't be written in Boogie: leave --memory-model out")
        self._program = program
        self._entries = entries
        self._writer = Writer()
        self._writes = _with_threads(program, {name: set(found.writes) for name, found in effects(program).items()})
        kinds = {type(s) for p in program.procedures.values() for s in p.statements()}
        self._has_threads = bool(kinds & {ir.Spawn, ir.Join, ir.Self, ir.AtomicBegin})
        self._joins = ir.Join in kinds
        self._asserts = any(_asserts(p) for p in program.procedures.values())

    def lines(self) -> Iterator[str]:
        body = [line for procedure in self._program.procedures.values() for line in self._procedure(procedure)]
        heads = [
            *(f"var {self._declared(v)};" for v in self._program.globals),
            *(f"const {self._declared(v)};" for v in self._program.constants),
            *(self._function(f) for f in self._program.functions),
            *(f"axiom {self._writer.term(axiom)};" for axiom in self._program.axioms),
        ]
        started = list(self._thread_procedures())
        yield from self._writer.declared_types()
        yield from self._writer.builtins.values()
        yield from (*heads, *started, *body)

    def _function(self, function: Function) -> str:
        arguments = ", ".join(self._writer.sort(sort) for sort in function.arguments)
        name = self._writer.names.of("function", function.name)
        return f"function {name}({arguments}): {self._writer.sort(function.result)};"

    def _declared(self, variable: Term) -> str:
        return f"{self._writer.variable(variable)}: {self._writer.sort(variable.sort)}"

    def _name(self, procedure: str) -> str:
        return self._writer.names.of("procedure", procedure)

    # --- procedures -------------------------------------------------------------------------------------------------

    def _procedure(self, procedure: ir.Procedure) -> Iterator[str]:
        writer = self._writer
        parameters = ", ".join(map(self._declared, procedure.parameters))
        returns = ", ".join(map(self._declared, procedure.returns))
        marks = "{:entrypoint} " if procedure.name in self._entries else ""
        if procedure.is_loop:
            marks += "{:LoopProcedure} "
        if procedure.extra_recursion:
            marks += f"{{:SIextraRecBound {procedure.extra_recursion}}} "
        head = f"{self._name(procedure.name)}({parameters}) returns ({returns})"
        yield f"procedure {marks}{head}{'' if procedure.has_body else ';'}"
        for word, clauses in (("requires", procedure.requires), ("ensures", procedure.ensures)):
            for clause in clauses:
                free = "free " if clause.free else ""
                yield f"  {free}{word} {_message(clause.message)}{writer.term(clause.condition)};"
        changed = list(procedure.modifies)
        if procedure.has_body:
            changed = [v for v in self._program.globals if v in self._writes[procedure.name]]
        names = [writer.variable(v) for v in changed]
        if self._joins and procedure.has_body:
            names.append(self._finished())
        if names:
            yield f"  modifies {', '.join(names)};"
        if procedure.has_body:
            yield from self._body(procedure)

    def _body(self, procedure: ir.Procedure) -> Iterator[str]:
        yield "{"
        yield from (f"  var {self._declared(v)};" for v in procedure.locals)
        if self._has_threads:
            yield f"  var {self._number()}: int;"
        for number, block in enumerate(procedure.blocks.values()):
            yield f" {self._label(block.label)}:"
            if not number and procedure.name in self._entries:
                yield from self._first()
            for statement in block.statements:
                yield from (f"  {line}" for line in self._statement(statement))
            following = ", ".join(map(self._label, block.successors))
            yield f"  goto {following};" if following else "  return;"
        yield "}"

    def _first(self) -> Iterator[str]:
        """What tells a reader of the entry which question is asked."""
        if self._program.property is ir.Property.END_REACHABLE:
            yield "  assume {:OldAssert} true;"
        elif not self._asserts:
            yield "  assert true;"
        if self._joins:
            some = self._writer.names.of("part", "some.thread")
            yield f"  {self._finished()} := (lambda {some}: int :: false);"

    def _label(self, label: str) -> str:
        return self._writer.names.of("label", label)

    # --- statements -------------------------------------------------------------------------------------------------

    def _statement(self, statement: ir.Statement) -> Iterable[str]:
        writer = self._writer
        match statement:
            case ir.Assume(condition):
                return (f"assume {writer.term(condition)};",)
            case ir.Assert(condition, message):
                return (f"assert {_message(message)}{writer.term(condition)};",)
            case ir.Assign(targets, values):
                left = ", ".join(map(writer.variable, targets))
                return (f"{left} := {', '.join(map(writer.term, values))};",)
            case ir.Havoc(targets):
                return (f"havoc {', '.join(map(writer.variable, targets))};",)
            case ir.Call(procedure, arguments, results):
                left = f"{', '.join(map(writer.variable, results))} := " if results else ""
                return (f"call {left}{self._name(procedure)}({', '.join(map(writer.term, arguments))});",)
            case _:
                return self._thread_statement(statement)

    # --- threads ----------------------------------------------------------------------------------------------------

    def _thread_statement(self, statement: ir.Statement) -> Iterator[str]:
        writer = self._writer
        match statement:
            case ir.Spawn(procedure, arguments, result):
                name = self._started(procedure) if self._is_wrapped(procedure) else self._name(procedure)
                yield f"async call {name}({', '.join(map(writer.term, arguments))});"
                if result is not None:
                    yield f"call {self._number()} := corral_getChildThreadID();"
                    yield f"{writer.variable(result)} := {self._as(result)};"
            case ir.Self(target):
                yield f"call {self._number()} := corral_getThreadID();"
                yield f"{writer.variable(target)} := {self._as(target)};"
            case ir.Join(thread):
                text = writer.term(thread)
                if thread.sort.is_bitvec:
                    text = f"{self._conversion('bv2nat', f'bv{thread.sort.width}', 'int')}({text})"
                yield f"assume {self._finished()}[{text} + 1];"
            case ir.AtomicBegin():
                yield "call corral_atomic_begin();"
            case ir.AtomicEnd():
                yield "call corral_atomic_end();"
            case _:
                raise UnsupportedError("a statement can't be written in Boogie")

    def _as(self, target: Term) -> str:
        """The number of a thread, which Corral counts from 1."""
        text = f"({self._number()} - 1)"
        if not target.sort.is_bitvec:
            return text
        width = target.sort.width
        return f"{self._conversion(f'(_ int2bv {width})', 'int', f'bv{width}')}({text})"

    def _conversion(self, operator: str, source: str, target: str) -> str:
        name = self._writer.names.of("builtin", f"{operator} {source}".replace(" ", "."))
        self._writer.builtins[name] = f'function {{:bvbuiltin "{operator}"}} {name}({source}): {target};'
        return name

    def _number(self) -> str:
        return self._writer.names.of("part", "number.of.thread")

    def _finished(self) -> str:
        return self._writer.names.of("part", "finished.threads")

    def _started(self, procedure: str) -> str:
        return self._writer.names.of("started", procedure)

    def _thread_procedures(self) -> Iterator[str]:
        if not self._has_threads:
            return
        yield "procedure corral_atomic_begin();"
        yield "procedure corral_atomic_end();"
        yield "procedure corral_getThreadID() returns (number: int);"
        yield "procedure corral_getChildThreadID() returns (number: int);"
        if self._joins:
            yield f"var {self._finished()}: [int]bool;"
        spawned = (
            s.procedure for p in self._program.procedures.values() for s in p.statements() if isinstance(s, ir.Spawn)
        )
        for name in filter(self._is_wrapped, dict.fromkeys(spawned)):
            yield from self._thread_procedure(self._program.procedures[name])

    def _is_wrapped(self, procedure: str) -> bool:
        """Whether a thread calls it: to say that it has ended, or because Boogie takes no results of a thread."""
        return self._joins or bool(self._program.procedures[procedure].returns)

    def _thread_procedure(self, started: ir.Procedure) -> Iterator[str]:
        writer = self._writer
        names = [writer.variable(v) for v in self._program.globals if v in self._writes[started.name]]
        results = [f"result.{n}: {writer.sort(v.sort)}" for n, v in enumerate(started.returns)]
        yield f"procedure {self._started(started.name)}({', '.join(map(self._declared, started.parameters))})"
        names += [self._finished()] if self._joins else []
        yield f"  modifies {', '.join(names)};" if names else ""
        yield "{"
        yield from (f"  var {result};" for result in results)
        yield f"  var {self._number()}: int;"
        left = f"{', '.join(r.split(':')[0] for r in results)} := " if results else ""
        yield f"  call {left}{self._name(started.name)}({', '.join(map(writer.variable, started.parameters))});"
        if self._joins:
            yield f"  call {self._number()} := corral_getThreadID();"
            yield f"  {self._finished()}[{self._number()}] := true;"
        yield "}"


def _message(message: str) -> str:
    if not message or message == _ASSERTION:
        return ""
    plain = message.replace("{", "").replace("}", "").replace("\\", "/").replace('"', "'").replace("\n", " ")
    return f'{{:msg "{plain}"}} '


def _asserts(procedure: ir.Procedure) -> bool:
    checked = any(not clause.free for clause in (*procedure.requires, *procedure.ensures))
    return checked or any(isinstance(s, ir.Assert) for s in procedure.statements())
