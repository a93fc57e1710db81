"""From `syntax.File` to `ir.Program`: names and types are resolved, structure becomes blocks.

    var g: int where g > 0;
    procedure main() { havoc g; }        proc main: free requires (< 0 g); { havoc g; assume (< 0 g); return }

A file whose entry holds ``assume {:OldAssert}``, or that marks an entry and asserts nothing anywhere, was compiled (by
SDV, Corral or for Boogie's stratified inlining) so that a violation is reaching the entry's end; in all others a
violation is a failing assertion.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.attributes import extra_recursion, inline_depth, is_entry, message, user_location
from cleave.frontends.boogie.bodies import BodyLowering
from cleave.frontends.boogie.code_expressions import Callee, Code, WeakestPrecondition
from cleave.frontends.boogie.datatypes import take_old_style
from cleave.frontends.boogie.definitions import define_functions, defined_constant
from cleave.frontends.boogie.evaluator import Evaluator, Scope
from cleave.frontends.boogie.floats.erasing import floats_as_bits
from cleave.frontends.boogie.floats.types import uses_floats
from cleave.frontends.boogie.functions import FunctionTable
from cleave.frontends.boogie.generics import Generics, own_types
from cleave.frontends.boogie.headers import Header, HeaderTable
from cleave.frontends.boogie.houdini import Candidates, candidate_text
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.literals import literal_types
from cleave.frontends.boogie.modular import Modules, modular_program
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.operators import BINARY_OPERATORS, integer_division
from cleave.frontends.boogie.polymorphism import MOST_INSTANCES, MoreTypesError
from cleave.frontends.boogie.threads.finish import Ways, finish
from cleave.frontends.boogie.threads.races import DATA_RACE, without_threads
from cleave.frontends.boogie.threads.starting import Threads
from cleave.frontends.boogie.types import TypeTable
from cleave.frontends.boogie_options import BoogieOptions
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Term, var

ULTIMATE = "ULTIMATE.start"
CONVENTIONAL_ENTRIES = ("main", ULTIMATE)


def lower(file: s.File, source: Source, options: BoogieOptions | None = None, entry: str | None = None) -> ir.Program:
    """The program that ``file`` means; ``entry`` is where it starts, if somebody says."""
    more: list[Sort] = []
    while True:
        lowering = _Lowering(file, source, options or BoogieOptions(), entry, more)
        try:
            program = lowering.program()
            if not lowering.missing:
                return floats_as_bits(program) if uses_floats(source.distinct) else program
        except MoreTypesError:
            if len(more) + len(lowering.missing) > MOST_INSTANCES:
                raise
        more += lowering.missing


class _Lowering:
    def __init__(
        self, file: s.File, source: Source, options: BoogieOptions, entry: str | None, more: Sequence[Sort]
    ) -> None:
        self._file = file
        self._entry = entry
        self._options = options
        self._wheres_of: dict[str, dict[Term, Term]] = {}
        self._source = source
        self._names = Names(source.distinct)
        take_old_style(file, source)
        seen = [*file.written_types, *literal_types(source.distinct)]
        self._types = TypeTable(source, file.types, file.datatypes, seen, more)
        self._types.instances.also(_types_of_generics(file))
        self._evaluator = Evaluator(source, self._types, self._names)
        self._evaluator.datatypes.declare(file.datatypes)
        self._evaluator.code_value = self._code_value
        self._evaluator.candidate = Candidates(file, options).of
        if any(procedure.signature.name == ULTIMATE for procedure in file.procedures):
            self._evaluator.operators = {**BINARY_OPERATORS, "/": integer_division}
        if uses_floats(source.distinct):
            self._evaluator.take_floats()
        self._headers: dict[str, Header] = {}
        self._constants = self._declare([c.variable for c in file.constants], {})
        self._globals = self._declare(file.globals, self._constants)
        define_functions(file, self._types)
        kept = {name for name, uses in file.trigger_functions.items() if uses}
        self._meanings = dict(self._constants)  # of constants: the variable, or a value that an axiom gives it
        self._functions = FunctionTable(self._evaluator, file.functions, kept, self._meanings)
        self._defining = self._define_constants()
        self._shared = {**self._meanings, **self._globals}
        self._old = {**self._meanings, **{name: ir.old(g) for name, g in self._globals.items()}}
        self._header_table = HeaderTable(source, self._types, self._names, self._shared)
        has_maps = any(isinstance(one, s.MapType) and one.parameters for one in _parts(file))
        self._generics = Generics(source, self._types, self._evaluator, self._header_table, self._headers, has_maps)
        self._threads = (
            Threads(self._names, options.cooperative, frozenset(self._globals.values()))
            if _starts_threads(file)
            else None
        )

    def _declare(self, variables: list[s.Variable], others: dict[str, Term]) -> dict[str, Term]:
        found: dict[str, Term] = {}
        for variable in variables:
            if variable.name in found or variable.name in others:
                raise self._source.error(variable.at, f"'{variable.name}' is declared twice")
            found[variable.name] = t.var(variable.name, self._types.sort(variable.type))
        return found

    def _define_constants(self) -> list[Term]:
        """Finds the values of constants. Functions may have been looked at before, so the equations are returned."""
        found: list[Term] = []
        for axiom in self._file.axioms:
            name, code = defined_constant(axiom) or ("", [])
            constant = self._constants.get(name)
            if constant is None or self._meanings[name] is not constant:
                continue
            value = self._evaluator.term(code, Scope({}, self._meanings))
            if value.is_value and value.sort is constant.sort:
                self._meanings[name] = value
                found.append(t.eq(constant, value))
        return found

    @property
    def missing(self) -> Collection[Sort]:
        """Types that quantifiers over types and polymorphic maps should have known."""
        return self._types.instances.missing

    def program(self) -> ir.Program:
        headers = self._headers
        headers.update(self._header_table.headers(self._file))
        self._require_one_meaning(headers)
        if self._options.procedure:
            depths = self._inlined(headers)
            for name, header in headers.items():
                if name != self._options.procedure and not depths.get(name):
                    header.body = None
        marked = _entries(headers)
        axioms = self._axioms()
        self._global_wheres = self._wheres(self._file.globals, Scope({}, self._shared))
        alone = self._polymorphic_alone(headers, marked)
        procedures = self._procedures(headers, {*marked, *alone})
        self._functions.check_unused()
        program = ir.Program(
            globals=tuple(self._globals.values()),
            constants=tuple(self._constants.values()),
            functions=tuple(self._functions.uninterpreted),
            axioms=(*axioms, *self._functions.definitions),
            procedures=procedures,
            property=_property([headers[name] for name in marked], procedures.values()),
            assumptions=() if self._options.candidates else _about_inference(self._file.constants),
        )
        if self._options.procedure:
            return self._one_procedure(program, self._inlined(headers), alone)
        if self._threads is None and DATA_RACE in self._options.checks:
            return without_threads(program, self._options.checks)
        return program if self._threads is None else self._with_threads(program, self._threads, marked)

    def _procedures(self, headers: dict[str, Header], entries: set[str]) -> dict[str, ir.Procedure]:
        """Calls add instances of polymorphic procedures to ``headers``."""
        found: dict[str, ir.Procedure] = {}
        while waiting := [one for one in headers.values() if not one.is_polymorphic and one.name not in found]:
            for header in waiting:
                found[header.name] = self._procedure(header, headers, header.name in entries)
        return found

    def _polymorphic_alone(self, headers: dict[str, Header], marked: list[str]) -> list[str]:
        """The instances of polymorphic procedures where execution may start."""
        conventional = any(name in headers for name in CONVENTIONAL_ENTRIES)
        if self._options.procedure:
            wanted = {self._options.procedure}
        elif self._entry or marked or conventional:
            wanted = {self._entry} if self._entry else set(marked) or {*CONVENTIONAL_ENTRIES}
        else:
            wanted = {name for name, header in headers.items() if header.body is not None}
        generic = [header for name, header in headers.items() if name in wanted and header.is_polymorphic]
        return [one.name for header in generic for one in self._generics.by_itself(header)]

    def _inlined(self, headers: dict[str, Header]) -> dict[str, int]:
        """The procedures whose bodies are used instead of their contracts, with how many inside of each other."""
        found = {}
        for name, header in headers.items():
            depth = inline_depth({**header.declaration.signature.attributes, **header.signature.attributes})
            if depth:
                found[name] = depth
        return found

    def _one_procedure(self, program: ir.Program, depths: dict[str, int], instances: list[str]) -> ir.Program:
        name = self._options.procedure
        if self._threads is not None:
            raise UnsupportedError("procedures of a program with threads are not verified one by one", file="")
        modules = Modules(depths, self._wheres_of, self._names)
        return modular_program(program, instances or [name], modules)

    def _with_threads(self, program: ir.Program, threads: Threads, marked: list[str]) -> ir.Program:
        """Where nobody says where to start, it is the only procedure that nothing calls or starts."""
        own = [self._globals[v.name] for v in self._file.globals if v.is_thread_local]
        entry = self._entry or (marked[0] if len(marked) == 1 else None)
        if entry is None and not marked:
            entry = next((name for name in CONVENTIONAL_ENTRIES if name in program.procedures), None)
            entry = entry or self._only_root(program, threads)
        ways = Ways(entry=entry, thread_locals=own, names=self._names, checks=self._options.checks)
        finished = finish(program, threads, ways)
        if entry is None or entry not in finished.procedures:
            return finished
        marked_entry = replace(finished.procedures[entry], is_entry=True)
        return replace(finished, procedures={**finished.procedures, entry: marked_entry})

    def _only_root(self, program: ir.Program, threads: Threads) -> str | None:
        procedures = (*program.procedures.values(), *threads.procedures.values())
        used = {x.procedure for p in procedures for x in p.statements() if isinstance(x, ir.Call | ir.Spawn)}
        used.update(site.header.name for site in threads.forks.values())
        roots = [p.name for p in program.procedures.values() if p.has_body and p.name not in used]
        return roots[0] if len(roots) == 1 else None

    def _require_one_meaning(self, headers: dict[str, Header]) -> None:
        for name, header in headers.items():
            if name in self._functions:
                at = header.declaration.signature.at
                raise self._source.error(at, f"'{name}' is declared both as a function and as a procedure")

    # --- axioms and where clauses -----------------------------------------------------------------------------------

    def _axioms(self) -> list[Term]:
        unique: dict[Sort, list[Term]] = {}
        for constant in self._file.constants:
            if constant.unique:
                variable = self._constants[constant.variable.name]
                unique.setdefault(variable.sort, []).append(variable)
        found = [*self._defining, *(t.distinct(*constants) for constants in unique.values())]
        if self._options.candidates:
            inferred = [c.variable.name for c in self._file.constants if c.inferred]
            found += [t.neg(self._constants[n]) if n in self._options.dropped else self._constants[n] for n in inferred]
        scope = Scope({}, self._meanings)
        found += [self._evaluator.condition(axiom.condition, scope) for axiom in self._file.axioms]
        return [axiom for axiom in found if not axiom.is_true]

    def _wheres(self, variables: list[s.Variable], scope: Scope) -> dict[Term, Term]:
        """The where clause of each variable that has one."""
        found: dict[Term, Term] = {}
        for variable in variables:
            if variable.where is not None:
                name = variable.name
                key = scope.locals.get(name) or scope.shared[name]
                found[key] = self._evaluator.condition(variable.where, scope)
        return found

    # --- procedures -------------------------------------------------------------------------------------------------

    def _procedure(self, header: Header, headers: dict[str, Header], entry: bool) -> ir.Procedure:
        signature = header.declaration.signature
        scope = Scope(header.declared, self._shared)
        two_states = Scope(header.declared, self._shared, self._old)
        with self._generics.declared(header):
            parameter_wheres = self._wheres(signature.parameters, scope)
            return_wheres = self._wheres(signature.returns, scope)
            required = self._clauses(header.declaration.requires, scope)
            ensured = self._clauses(header.declaration.ensures, two_states)
        requires = [_assumed(where) for where in parameter_wheres.values()]
        ensures: list[ir.Clause] = []
        blocks: dict[str, ir.Block] = {}
        variables: list[Term] = []
        modifies = self._modifies(header)
        if header.body is not None:
            requires += [_assumed(where) for where in self._global_wheres.values()]
            with self._generics.implemented(header):
                blocks, variables = self._body(header, header.body, headers, return_wheres)
        else:
            ensures += [_assumed(where) for where in return_wheres.values()]
            ensures += [_assumed(self._global_wheres[g]) for g in modifies if g in self._global_wheres]
        attributes = {**header.signature.attributes, **signature.attributes}
        return ir.Procedure(
            name=header.name,
            parameters=header.parameters,
            returns=header.returns,
            locals=tuple(variables),
            requires=(*requires, *required),
            ensures=(*ensures, *ensured),
            modifies=modifies,
            blocks=blocks,
            is_entry=entry,
            is_loop="LoopProcedure" in attributes,
            extra_recursion=extra_recursion(attributes),
            location=self._source.location(header.signature.at),
        )

    def _code_value(self, expression: s.CodeExpression, scope: Scope) -> Term:
        """Whether all executions of a code expression return true."""
        result = var(self._names.fresh("result"), BOOL)
        code = self._code(expression.body, scope, {}, result)
        find = WeakestPrecondition(self._source, self._names, expression.at, self._callee)
        return find.of(Code(code.blocks, (*code.own, result)), result)

    def _code(self, body: s.Body, scope: Scope, changed: dict[str, Term], result: Term | None) -> Code:
        own = {v.name: var(self._names.fresh(v.name), self._types.sort(v.type)) for v in body.locals}
        inner = Scope({**scope.locals, **own}, scope.shared, scope.old or self._old)
        assignable = {**changed, **own}
        lowering = BodyLowering(
            self._evaluator, inner, assignable, {}, self._headers, None, result, generics=self._generics
        )
        blocks = lowering.lower([], body.statements)
        return Code(blocks, (*own.values(), *lowering.extra_locals))

    def _callee(self, name: str) -> Callee | None:
        header = self._headers[name]
        if header.body is None:
            return None
        changed = {v.name: header.implemented[v.name] for v in header.signature.returns}
        scope = Scope(dict(header.implemented), self._shared, self._old)
        return Callee(self._code(header.body, scope, changed, None), header.parameters, header.returns)

    def _modifies(self, header: Header) -> tuple[Term, ...]:
        found: dict[Term, None] = {}
        for at, name in header.declaration.modifies:
            if name not in self._globals:
                raise self._source.error(at, f"'{name}' is not a global variable")
            found[self._globals[name]] = None
        return tuple(found)

    def _clauses(self, clauses: list[s.Specification], scope: Scope) -> list[ir.Clause]:
        found: list[ir.Clause] = []
        for clause in clauses:
            condition = self._evaluator.condition(clause.condition, scope)
            name = self._evaluator.candidate(clause.condition)
            if name in self._options.dropped:
                continue
            if not condition.is_true:
                place = user_location(clause.attributes) or self._source.location(clause.at)
                text = message(clause.attributes, "") if name is None else candidate_text(name)
                found.append(ir.Clause(condition, clause.free, text, place))
        return found

    def _body(
        self, header: Header, body: s.Body, headers: dict[str, Header], return_wheres: dict[Term, Term]
    ) -> tuple[dict[str, ir.Block], list[Term]]:
        """The blocks, and the variables that only the body knows."""
        names = dict(header.implemented)
        variables = list(self._header_table.variables(body.locals, names))
        scope = Scope(names, self._shared, self._old)
        wheres = {**return_wheres, **self._wheres(body.locals, scope)}
        first: list[ir.Statement] = [ir.Assume(where) for where in wheres.values()]
        self._wheres_of[header.name] = {**wheres, **self._global_wheres}
        changed = {v.name for v in (*header.signature.returns, *body.locals)}
        assignable = {name: variable for name, variable in names.items() if name in changed}
        wheres = {**wheres, **self._global_wheres}
        lowering = BodyLowering(
            self._evaluator, scope, assignable, wheres, headers, self._threads, generics=self._generics
        )
        attributes = {**header.signature.attributes, **header.declaration.signature.attributes}
        if self._threads is not None and "atomic" in attributes:
            first.insert(0, ir.AtomicBegin())
        blocks = lowering.lower(first, body.statements)
        return blocks, variables + lowering.extra_locals


def _types_of_generics(file: s.File) -> Iterator[tuple[s.Type, dict[str, Sort]]]:
    """The types in polymorphic procedures, where these are verified by themselves."""
    found = [(one.signature, one.body) for one in file.procedures]
    found += [(one.signature, one.body) for one in file.implementations]
    for signature, body in found:
        if not signature.type_parameters:
            continue
        variables = (*signature.parameters, *signature.returns, *(body.locals if body is not None else ()))
        own = own_types(signature)
        yield from ((variable.type, own) for variable in variables)
        yield from ((s.NamedType(signature.at, name), own) for name in own)


def _parts(file: s.File) -> Iterator[s.Type]:
    """All types that the file has, and their parts."""
    stack = [*file.written_types, *(one.synonym for one in file.types if one.synonym is not None)]
    while stack:
        one = stack.pop()
        yield one
        if isinstance(one, s.MapType):
            stack += (*one.indices, one.element)
        elif isinstance(one, s.NamedType):
            stack += one.arguments


def _starts_threads(file: s.File) -> bool:
    bodies = [*(p.body for p in file.procedures if p.body is not None), *(i.body for i in file.implementations)]
    return any(isinstance(one, s.ThreadStatement) for body in bodies for one in body.statements)


def _assumed(condition: Term) -> ir.Clause:
    return ir.Clause(condition, free=True)


def _entries(headers: dict[str, Header]) -> list[str]:
    """The marked implementations; a mark on a mere declaration counts only when no implementation has one."""
    with_body = [h for h in headers.values() if h.body is not None]
    marked = [h.name for h in with_body if is_entry(h.signature.attributes)]
    return marked or [h.name for h in with_body if is_entry(h.declaration.signature.attributes)]


def _property(entries: list[Header], procedures: Iterable[ir.Procedure]) -> ir.Property:
    for header in entries:
        statements = header.body.statements if header.body is not None else []
        if any(isinstance(x, s.Assume) and "OldAssert" in x.attributes for x in statements):
            return ir.Property.END_REACHABLE
    if entries and not any(_asserts(procedure) for procedure in procedures):
        return ir.Property.END_REACHABLE
    return ir.Property.ASSERTIONS


def _asserts(procedure: ir.Procedure) -> bool:
    checked = any(not clause.free for clause in (*procedure.requires, *procedure.ensures))
    return checked or any(isinstance(statement, ir.Assert) for statement in procedure.statements())


def _about_inference(constants: Iterable[s.Constant]) -> tuple[str, ...]:
    names = [constant.variable.name for constant in constants if constant.inferred]
    if not names:
        return ()
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return (f"constants that are marked as existential ({shown}) have any value: none is inferred",)
