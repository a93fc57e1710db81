"""Names and types of expressions: a stack machine from postfix code to terms.

    NAME x, NUMBER 1, BINARY +        with x an int variable        (+ x 1)

One pass over the code, no recursion. What does not type-check is an `InputError` at the operator's token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.datatypes import Datatypes
from cleave.frontends.boogie.floats.operators import negated_or, with_floats
from cleave.frontends.boogie.floats.types import MODES, mode_term
from cleave.frontends.boogie.lambdas import Lambdas
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.literals import BadLiteralError, literal
from cleave.frontends.boogie.maps import select_all, store_at
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.operators import BINARY_OPERATORS, UNARY_OPERATORS, extract, junction, trigger_is_usable
from cleave.frontends.boogie.polymorphism import MOST_INSTANCES, all_of, in_type, map_of_all
from cleave.frontends.boogie.syntax import BINARY, NAME, NUMBER
from cleave.frontends.boogie.types import TypeTable, type_name, type_names
from cleave.frontends.boogie.unknown_types import Unknown
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import SortError, Term
from cleave.records import dataclass


@dataclass(slots=True, eq=False)
class Scope:
    """What names mean: ``locals`` first, then ``shared``; inside ``old`` the latter is replaced by ``old``."""

    locals: dict[str, Term]
    shared: Mapping[str, Term]
    old: Mapping[str, Term] | None = None  # None: old is not allowed here


@dataclass(slots=True, eq=False)
class _Binding:
    hidden: list[tuple[str, Term | None]]
    variables: tuple[Term, ...] = ()
    triggers: list[tuple[Term, ...]] = field(default_factory=list)


class Evaluator:
    """Turns code into terms. ``apply`` (set by the function table) applies a function by name."""

    apply: Callable[[str, tuple[Term, ...], int, Sort | None], Term]
    lambdas: Lambdas
    candidate: Callable[[s.Code], str | None]
    code_value: Callable[[s.CodeExpression, Scope], Term]

    def __init__(self, source: Source, types: TypeTable, names: Names) -> None:
        self.source = source
        self.types = types
        self.names = names
        self.literals: dict[str, Term] = {}
        self.unknown = Unknown(source, names)
        self.datatypes = Datatypes(source, types, self.unknown)
        self.operators = BINARY_OPERATORS
        self.unary_operators = UNARY_OPERATORS

    def take_floats(self) -> None:
        """From now on the operators take floating-point numbers, too."""
        self.operators = with_floats(self.operators, self.names)
        self.unary_operators = {**UNARY_OPERATORS, "-": negated_or(UNARY_OPERATORS["-"])}

    def term(self, code: s.Code, scope: Scope) -> Term:
        """Names, numbers and binary operators, which most expressions are made of, are evaluated here."""
        if any(operation == s.BIND and detail.type_parameters for operation, _, detail in code):
            return self._with_types(code, scope)
        stack: list[Term] = []
        variables, shared, literals, operators = scope.locals, scope.shared, self.literals, self.operators
        rest: _Rest | None = None
        for operation, at, detail in code:
            if operation == NAME:
                stack.append(variables.get(detail) or shared.get(detail) or self.undeclared(detail, at))
            elif operation == BINARY:
                right = stack.pop()
                left = stack.pop()
                try:
                    stack.append(operators[detail](left, right))
                except (SortError, UnsupportedError) as error:
                    stack.append(self._again(at, detail, error, left, right))
            elif operation == NUMBER and detail in literals:
                stack.append(literals[detail])
            else:
                rest = rest or _Rest(self, scope, stack)
                _OPERATIONS[operation](rest, at, detail)
                shared = rest.shared
        (result,) = stack
        return result

    def _with_types(self, code: s.Code, scope: Scope) -> Term:
        """Code with quantifiers over types in it: each of these is all its instances."""
        stack: list[Term] = []
        rest = _Rest(self, scope, stack)
        place = 0
        while place < len(code):
            operation, at, detail = code[place]
            if operation == s.BIND and detail.type_parameters:
                end = next(n for n in range(place, len(code)) if code[n][0] == s.QUANTIFY and code[n][2] is detail)
                inner = Scope(dict(rest.locals), rest.shared, scope.old)
                stack.append(self._instances(code[place + 1 : end], detail, at, inner))
                place = end + 1
                continue
            if operation == NAME:
                stack.append(rest.locals.get(detail) or rest.shared.get(detail) or self.undeclared(detail, at))
            elif operation == BINARY:
                right, left = stack.pop(), stack.pop()
                try:
                    stack.append(self.operators[detail](left, right))
                except (SortError, UnsupportedError) as error:
                    stack.append(self._again(at, detail, error, left, right))
            else:
                _OPERATIONS[operation](rest, at, detail)
            place += 1
        (result,) = stack
        return result

    def _instances(self, code: s.Code, quantifier: s.Quantifier, at: int, scope: Scope) -> Term:
        parameters, types = quantifier.type_parameters, self.types
        found = types.instances.of(parameters, [v.type for v in quantifier.variables], types.bound)
        if found is None:
            what = "lambda expression" if quantifier.kind == "lambda" else "quantifier"
            raise self.source.unsupported(at, f"a {what} over types has more than {MOST_INSTANCES} instances")
        plain = s.Quantifier(quantifier.kind, quantifier.variables)
        whole: s.Code = [(s.BIND, at, plain), *code, (s.QUANTIFY, at, plain)]
        outer, operators, made, was_quantified = types.bound, self.operators, [], types.is_quantified
        types.is_quantified = True
        for bindings in found:
            types.bound = {**outer, **bindings}
            self.operators = in_type(operators, self.unknown.alike)
            try:
                made.append(self.term(whole, scope))
            finally:
                types.bound, self.operators = outer, operators
        types.is_quantified = was_quantified
        if quantifier.kind == "lambda":
            return map_of_all(made, len(quantifier.variables))
        return all_of(quantifier.kind, made)

    def condition(self, code: s.Code, scope: Scope) -> Term:
        return self.term_of_sort(code, scope, BOOL, "a condition")

    def term_of_sort(self, code: s.Code, scope: Scope, sort: Sort, what: str) -> Term:
        found = self.unknown.fit(self.term(code, scope), sort)
        if found.sort is not sort:
            message = f"{what} has type '{type_name(sort)}', not '{type_name(found.sort)}'"
            raise self.source.error(min(at for _, at, _ in code), message)
        return found

    def undeclared(self, name: str, at: int) -> Term:
        if name in MODES:
            return mode_term(MODES[name])
        raise self.source.error(at, f"'{name}' is not declared here")

    def _again(self, at: int, operator: str, error: Exception, left: Term, right: Term) -> Term:
        """The operator, where one operand tells the type of the other."""
        first, second = self.unknown.alike(left, right)
        if first is left and second is right:
            raise self.refuse(at, operator, error, left, right) from None
        try:
            return self.operators[operator](first, second)
        except (SortError, UnsupportedError) as other:
            raise self.refuse(at, operator, other, first, second) from None

    def refuse(self, at: int, operator: str, error: Exception, *operands: Term) -> InputError:
        """The error for an operator that does not take these operands."""
        self.unknown.refuse(*operands)
        if isinstance(error, UnsupportedError):
            return self.source.unsupported(at, error.message)
        return self.source.error(at, f"'{operator}' does not take {type_names([a.sort for a in operands])}")


class _Rest:
    """The other operations, with what one evaluation has to remember for them."""

    __slots__ = ("bindings", "evaluator", "locals", "old_depth", "scope", "shared", "stack")

    def __init__(self, evaluator: Evaluator, scope: Scope, stack: list[Term]) -> None:
        self.evaluator = evaluator
        self.scope = scope
        self.locals = scope.locals
        self.shared = scope.shared
        self.stack = stack
        self.bindings: list[_Binding] = []
        self.old_depth = 0

    def _take(self, count: int) -> list[Term]:
        taken = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return taken

    # --- leaves and operators ---------------------------------------------------------------------------------------

    def number(self, at: int, text: str) -> None:
        try:
            value = literal(text)
        except ValueError as error:
            source, is_known = self.evaluator.source, not isinstance(error, BadLiteralError) or error.supported
            raise (source.error if is_known else source.unsupported)(at, str(error)) from None
        self.evaluator.literals[text] = value
        self.stack.append(value)

    def boolean(self, at: int, value: bool) -> None:
        self.stack.append(t.boolean(value))

    def nary(self, at: int, detail: tuple[str, int]) -> None:
        operator, count = detail
        operands = self._take(count)
        try:
            self.stack.append(junction(operator, operands))
        except SortError as error:
            wrong = next(a for a in operands if a.sort is not BOOL)
            raise self.evaluator.refuse(at, operator, error, wrong) from None

    def unary(self, at: int, operator: str) -> None:
        operand = self.stack.pop()
        try:
            self.stack.append(self.evaluator.unary_operators[operator](operand))
        except SortError as error:
            raise self.evaluator.refuse(at, operator, error, operand) from None

    def call(self, at: int, detail: tuple[str, int] | tuple[str, int, s.Type]) -> None:
        name, count, *said = detail
        expected = self.evaluator.types.sort(said[0]) if said else None
        self.stack.append(self.evaluator.apply(name, tuple(self._take(count)), at, expected))

    def if_then_else(self, at: int, _: None) -> None:
        condition, then, other = self._take(3)
        try:
            then, other = self.evaluator.unknown.alike(then, other)
            self.stack.append(t.ite(condition, then, other))
        except SortError as error:
            raise self.evaluator.refuse(at, "if-then-else", error, condition, then, other) from None

    def cast(self, at: int, target: str) -> None:
        operand = self.stack.pop()
        try:
            self.stack.append(t.to_int(operand) if target == "int" else t.to_real(operand))
        except SortError as error:
            raise self.evaluator.refuse(at, f"{target}()", error, operand) from None

    def coerce(self, at: int, written: s.Type) -> None:
        sort = self.evaluator.types.sort(written)
        self.stack[-1] = self.evaluator.unknown.fit(self.stack[-1], sort)
        if self.stack[-1].sort is not sort:
            message = f"the expression has type '{type_name(self.stack[-1].sort)}', not '{type_name(sort)}'"
            raise self.evaluator.source.error(at, message)

    # --- maps and bit vectors ---------------------------------------------------------------------------------------

    def select(self, at: int, count: int) -> None:
        indices = self._take(count)
        found = self.evaluator.unknown.as_map(self.stack.pop(), indices)
        indices, _ = self.evaluator.unknown.indices(found.sort, indices)
        self.stack.append(select_all(self.evaluator.source, at, found, indices))

    def store(self, at: int, count: int) -> None:
        value = self.stack.pop()
        indices = self._take(count)
        changed = self.evaluator.unknown.as_map(self.stack.pop(), indices)
        indices, element = self.evaluator.unknown.indices(changed.sort, indices)
        value = self.evaluator.unknown.fit(value, element)
        self.stack.append(store_at(self.evaluator.source, at, changed, indices, value))

    def extract(self, at: int, bounds: tuple[str, str]) -> None:
        operand = self.stack.pop()
        try:
            self.stack.append(extract(operand, *bounds))
        except SortError as error:
            raise self.evaluator.refuse(at, f"[{bounds[0][:9]}:{bounds[1][:9]}]", error, operand) from None

    # --- records, data types and code -------------------------------------------------------------------------------

    def record(self, at: int, names: list[str]) -> None:
        values = self._take(len(names))
        self.stack.append(self.evaluator.datatypes.record(names, values, at))

    def field(self, at: int, name: str) -> None:
        self.stack.append(self.evaluator.datatypes.get(self.stack.pop(), name, at))

    def changed(self, at: int, name: str) -> None:
        value, new = self._take(2)
        self.stack.append(self.evaluator.datatypes.changed(value, name, new, at))

    def is_made_by(self, at: int, name: str) -> None:
        self.stack.append(self.evaluator.datatypes.test(self.stack.pop(), name, at))

    def code(self, at: int, expression: s.CodeExpression) -> None:
        scope = Scope(dict(self.locals), self.shared, self.scope.old)
        self.stack.append(self.evaluator.code_value(expression, scope))

    # --- what changes the meaning of names --------------------------------------------------------------------------

    def old_begin(self, at: int, _: None) -> None:
        if self.scope.old is None:
            raise self.evaluator.source.error(at, "'old' means nothing here: only in ensures and in bodies")
        self.shared = self.scope.old
        self.old_depth += 1

    def old_end(self, at: int, _: None) -> None:
        self.old_depth -= 1
        if not self.old_depth:
            self.shared = self.scope.shared

    def _bind(self, names: list[str], values: list[Term]) -> _Binding:
        binding = _Binding([(name, self.locals.get(name)) for name in names], tuple(values))
        self.locals.update(zip(names, values, strict=True))
        self.bindings.append(binding)
        return binding

    def _unbind(self) -> _Binding:
        binding = self.bindings.pop()
        for name, hidden in binding.hidden:
            if hidden is None:
                del self.locals[name]
            else:
                self.locals[name] = hidden
        return binding

    def bind(self, at: int, quantifier: s.Quantifier) -> None:
        names = [v.name for v in quantifier.variables]
        if len(set(names)) < len(names):
            raise self.evaluator.source.error(at, "a quantifier binds the same name twice")
        fresh = self.evaluator.names.fresh
        sort = self.evaluator.types.sort
        self._bind(names, [t.var(fresh(v.name, "?"), sort(v.type)) for v in quantifier.variables])

    def trigger(self, at: int, count: int) -> None:
        self.bindings[-1].triggers.append(tuple(self._take(count)))

    def quantify(self, at: int, quantifier: s.Quantifier) -> None:
        binding = self._unbind()
        body = self.stack.pop()
        if quantifier.kind == "lambda":
            self.stack.append(self._lambda(binding.variables, body, at))
            return
        if body.sort is not BOOL:
            raise self.evaluator.refuse(at, quantifier.kind, SortError(), body)
        if not binding.variables:  # it was over types
            self.stack.append(body)
            return
        triggers = tuple(g for g in binding.triggers if trigger_is_usable(g, binding.variables))
        build = t.forall if quantifier.kind == "forall" else t.exists
        self.stack.append(build(binding.variables, body, triggers))

    def _lambda(self, variables: tuple[Term, ...], body: Term, at: int) -> Term:
        """If nothing tells yet what the elements are, the surroundings tell what the map is."""
        evaluator, unknown = self.evaluator, self.evaluator.unknown
        if not unknown.holds(body):
            return evaluator.lambdas.map_of(variables, body)

        def of(sort: Sort) -> Term:
            for variable in variables:
                if not sort.is_array or sort.index is not variable.sort:
                    raise evaluator.source.error(at, "the lambda expression is another map")
                sort = sort.element
            return evaluator.lambdas.map_of(variables, unknown.fit(body, sort))

        return unknown.until(of, "lambda", "the type of its elements", at)

    def let_begin(self, at: int, names: list[str]) -> None:
        if len(set(names)) < len(names):
            raise self.evaluator.source.error(at, "the same name is bound twice")
        self._bind(names, self._take(len(names)))

    def let_end(self, at: int, _: int) -> None:
        self._unbind()


_OPERATIONS: dict[int, Callable[[_Rest, int, Any], None]] = {
    s.NUMBER: _Rest.number,
    s.BOOLEAN: _Rest.boolean,
    s.NARY: _Rest.nary,
    s.UNARY: _Rest.unary,
    s.CALL: _Rest.call,
    s.SELECT: _Rest.select,
    s.STORE: _Rest.store,
    s.EXTRACT: _Rest.extract,
    s.ITE: _Rest.if_then_else,
    s.OLD_BEGIN: _Rest.old_begin,
    s.OLD_END: _Rest.old_end,
    s.CAST: _Rest.cast,
    s.COERCE: _Rest.coerce,
    s.BIND: _Rest.bind,
    s.TRIGGER: _Rest.trigger,
    s.QUANTIFY: _Rest.quantify,
    s.LET_BEGIN: _Rest.let_begin,
    s.LET_END: _Rest.let_end,
    s.RECORD: _Rest.record,
    s.FIELD: _Rest.field,
    s.CHANGED: _Rest.changed,
    s.IS: _Rest.is_made_by,
    s.CODE: _Rest.code,
}
