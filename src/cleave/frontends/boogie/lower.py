"""From `syntax.File` to `ir.Program`: names and types are resolved, structure becomes blocks.

    var g: int where g > 0;
    procedure main() { havoc g; }        proc main: free requires (< 0 g); { havoc g; assume (< 0 g); return }

A file whose entry holds ``assume {:OldAssert}``, or that marks an entry and asserts nothing anywhere, was compiled (by
SDV, Corral or for Boogie's stratified inlining) so that a violation is reaching the entry's end; in all others a
violation is a failing assertion.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.attributes import extra_recursion, is_entry, message, user_location
from cleave.frontends.boogie.bodies import BodyLowering
from cleave.frontends.boogie.definitions import define_functions, defined_constant
from cleave.frontends.boogie.evaluator import Evaluator, Scope
from cleave.frontends.boogie.functions import FunctionTable
from cleave.frontends.boogie.headers import Header, HeaderTable
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.types import TypeTable
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import Sort
from cleave.logic.terms import Term


def lower(file: s.File, source: Source) -> ir.Program:
    """The program that ``file`` means."""
    return _Lowering(file, source).program()


class _Lowering:
    def __init__(self, file: s.File, source: Source) -> None:
        self._file = file
        self._source = source
        self._names = Names(source.distinct)
        self._types = TypeTable(source, file.types)
        self._evaluator = Evaluator(source, self._types, self._names)
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

    def program(self) -> ir.Program:
        headers = self._header_table.headers(self._file)
        self._require_one_meaning(headers)
        marked = _entries(headers)
        axioms = self._axioms()
        self._global_wheres = self._wheres(self._file.globals, Scope({}, self._shared))
        procedures = {
            name: self._procedure(header, headers, name in marked)
            for name, header in headers.items()
            if not header.declaration.signature.type_parameters
        }
        self._functions.check_unused()
        return ir.Program(
            globals=tuple(self._globals.values()),
            constants=tuple(self._constants.values()),
            functions=tuple(self._functions.uninterpreted),
            axioms=(*axioms, *self._functions.definitions),
            procedures=procedures,
            property=_property([headers[name] for name in marked], procedures.values()),
            assumptions=_about_inference(self._file.constants),
        )

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
        parameter_wheres = self._wheres(signature.parameters, scope)
        return_wheres = self._wheres(signature.returns, scope)
        requires = [_assumed(where) for where in parameter_wheres.values()]
        ensures: list[ir.Clause] = []
        blocks: dict[str, ir.Block] = {}
        variables: list[Term] = []
        modifies = self._modifies(header)
        if header.body is not None:
            requires += [_assumed(where) for where in self._global_wheres.values()]
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
            requires=(*requires, *self._clauses(header.declaration.requires, scope)),
            ensures=(*ensures, *self._clauses(header.declaration.ensures, two_states)),
            modifies=modifies,
            blocks=blocks,
            is_entry=entry,
            is_loop="LoopProcedure" in attributes,
            extra_recursion=extra_recursion(attributes),
            location=self._source.location(header.signature.at),
        )

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
            if not condition.is_true:
                place = user_location(clause.attributes) or self._source.location(clause.at)
                found.append(ir.Clause(condition, clause.free, message(clause.attributes, ""), place))
        return found

    def _body(
        self, header: Header, body: s.Body, headers: dict[str, Header], return_wheres: dict[Term, Term]
    ) -> tuple[dict[str, ir.Block], list[Term]]:
        """The blocks, and the variables that only the body knows."""
        names = dict(header.implemented)
        variables = list(self._header_table.variables(body.locals, names))
        scope = Scope(names, self._shared, self._old)
        wheres = {**return_wheres, **self._wheres(body.locals, scope)}
        changed = {v.name for v in (*header.signature.returns, *body.locals)}
        assignable = {name: variable for name, variable in names.items() if name in changed}
        lowering = BodyLowering(self._evaluator, scope, assignable, {**wheres, **self._global_wheres}, headers)
        blocks = lowering.lower([ir.Assume(where) for where in wheres.values()], body.statements)
        return blocks, variables + lowering.extra_locals


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
