"""Functions: expanded where they have a body, tied to an operator where an attribute says so, else uninterpreted.

    function f(x: int): int { x + 1 }             f(a) becomes (+ a 1)
    function g(x: int): int { g(x - 1) }          recursive: stays g, with an axiom for its body, triggered by g(x)
    function h(x: int): int;                      stays h

A function is looked at when something first uses it, so that one nobody uses may have any type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field

from cleave.errors import UnsupportedError
from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.builtins import Builder, builtin
from cleave.frontends.boogie.evaluator import Evaluator, Scope
from cleave.frontends.boogie.floats.conversions import OPEN
from cleave.frontends.boogie.floats.types import canonical
from cleave.frontends.boogie.lambdas import Lambdas
from cleave.frontends.boogie.maps import pointwise
from cleave.frontends.boogie.smt_definitions import DEFINED, definition
from cleave.frontends.boogie.types import WHOLE, type_name
from cleave.logic import terms as t
from cleave.logic.sorts import MAX_WIDTH, Sort
from cleave.logic.terms import Binder, Op, SortError, Term
from cleave.logic.walk import fold, functions, postorder, rebuild
from cleave.records import dataclass

_MOST_INNER = 20  # bodies of polymorphic functions that need each other
_MAX_EXPANDED = 500  # nodes; a larger body is stated once, by an axiom, instead of at every use


@dataclass(slots=True, eq=False)
class _Symbol:
    """What is known of a function that is used."""

    declaration: s.Function
    arguments: tuple[Sort, ...]
    result: Sort
    parameters: tuple[Term, ...] = ()
    operator: Builder | None = None  # an operator of the logic
    body: Term | None = None  # to be expanded
    function: t.Function | None = None  # uninterpreted
    has_quantifier: bool = False
    expanded: dict[tuple[Term, ...], Term] = field(default_factory=dict)


class FunctionTable:
    """Applies functions by name. ``uninterpreted`` and ``definitions`` grow as functions are used."""

    def __init__(
        self, evaluator: Evaluator, functions: list[s.Function], kept: set[str], constants: dict[str, Term]
    ) -> None:
        self.uninterpreted: list[t.Function] = []
        self.definitions: list[Term] = []
        self._evaluator = evaluator
        self._source = evaluator.source
        self._kept = kept
        self._constants = constants
        self._symbols: dict[str, _Symbol] = {}
        self._depth = 0
        self._declared: dict[str, s.Function] = {}
        self._bindings: dict[str, dict[str, Sort]] = {}  # of instances of polymorphic functions
        for declaration in functions:
            if declaration.name in self._declared:
                raise self._source.error(declaration.at, f"function '{declaration.name}' is declared twice")
            self._declared[declaration.name] = declaration
        evaluator.apply = self.apply
        evaluator.lambdas = Lambdas(evaluator.names, self._declare_lambda)

    def _declare_lambda(self, function: t.Function, definition: Term) -> None:
        self.uninterpreted.append(function)
        self.definitions.append(definition)

    def __contains__(self, name: str) -> bool:
        return name in self._declared

    def apply(self, name: str, arguments: tuple[Term, ...], at: int, expected: Sort | None = None) -> Term:
        """``expected`` is the sort that the result is said to have, if it is."""
        if name in self._declared and self._declared[name].type_parameters:
            found = self._instance(self._declared[name], arguments, at, expected)
            if isinstance(found, Term):
                return found
            name = found
        symbol = self._symbols.get(name)
        if symbol is None:
            made = self._evaluator.datatypes.apply(name, arguments, at, expected)
            if made is not None:
                return made
            symbol = self._prepare(name, at)
        if len(arguments) != len(symbol.arguments):
            message = f"function '{name}' takes {len(symbol.arguments)} arguments, not {len(arguments)}"
            raise self._source.error(at, message)
        fit = self._evaluator.unknown.fit
        arguments = tuple(fit(argument, sort) for argument, sort in zip(arguments, symbol.arguments, strict=True))
        for number, (argument, sort) in enumerate(zip(arguments, symbol.arguments, strict=True), 1):
            if argument.sort is not sort:
                found = type_name(argument.sort)
                message = f"argument {number} of '{name}' has type '{type_name(sort)}', not '{found}'"
                raise self._source.error(at, message)
        if symbol.body is not None:
            return self._expand(symbol, symbol.body, arguments)
        if symbol.function is not None:
            return t.apply(symbol.function, *self._canonical(arguments, at))
        return self._operator(symbol, arguments, at)

    def _canonical(self, arguments: tuple[Term, ...], at: int) -> list[Term]:
        try:
            return [canonical(argument) for argument in arguments]
        except UnsupportedError as error:
            raise self._source.unsupported(at, error.message) from None

    def _instance(self, generic: s.Function, arguments: tuple[Term, ...], at: int, expected: Sort | None) -> str | Term:
        """The name of the function that a polymorphic one is for these arguments, declared if it is new; or what stands
        for the application until it is known what its type is."""
        unknown = self._evaluator.unknown
        types, found = self._evaluator.types, dict[str, Sort]()
        free = set(generic.type_parameters)
        pairs = [(p.type, a.sort) for p, a in zip(generic.parameters, arguments, strict=False)]
        pairs = [pair for pair, a in zip(pairs, arguments, strict=False) if not unknown.holds(a)]
        pairs += [(generic.result, expected)] if expected is not None else []
        fits = all(types.instances.unify(written, sort, free, found) for written, sort in pairs)
        if not fits or len(arguments) != len(generic.parameters):
            raise self._source.error(at, f"function '{generic.name}' does not take these arguments")
        missing = [p for p in generic.type_parameters if p not in found]
        if missing and expected is not None:
            unknown.refuse(unknown.until(lambda _: t.TRUE, generic.name, missing[0], at))
        if missing:
            waiting = unknown.until(
                lambda sort: self.apply(generic.name, arguments, at, sort), generic.name, missing[0], at
            )
            return unknown.told_by_indices(waiting, lambda sorts: self._indexed(generic, sorts, dict(found)))
        before, types.bound = types.bound, found
        result = types.sort(generic.result)
        types.bound = before
        for sort in (*found.values(), *(a.sort for a in arguments if not unknown.holds(a)), result):
            if not types.is_quantified:
                types.instances.require(sort, generic.name)
        shown = ", ".join(type_name(found[p], WHOLE) for p in generic.type_parameters)
        name = f"{generic.name}<{shown}>"
        if name not in self._declared:
            plain = s.Function(
                generic.at, name, (), generic.parameters, generic.result, generic.attributes, generic.body
            )
            self._declared[name] = plain
            self._bindings[name] = found
            self._kept.add(name)  # its body may need the function itself
        return name

    def _indexed(self, generic: s.Function, indices: Sequence[Sort], found: dict[str, Sort]) -> Sort | None:
        """The sort of the result if the indices that it takes, being a map, tell it."""
        types = self._evaluator.types
        written, free = types.instances.expanded(generic.result), set(generic.type_parameters)
        if not isinstance(written, s.MapType) or written.parameters or len(written.indices) != len(indices):
            return None
        if not all(types.instances.unify(p, s, free, found) for p, s in zip(written.indices, indices, strict=True)):
            return None
        before, types.bound = types.bound, found
        try:
            return types.sort(written) if all(one in found for one in free) else None
        finally:
            types.bound = before

    def check_unused(self) -> None:
        """Type-checks the bodies that nothing used; what is merely not supported does no harm there."""
        uninterpreted, definitions = len(self.uninterpreted), len(self.definitions)
        for name, declaration in list(self._declared.items()):
            if name not in self._symbols and declaration.body is not None and not declaration.type_parameters:
                with suppress(UnsupportedError):
                    self._prepare(name, declaration.at)
        del self.uninterpreted[uninterpreted:], self.definitions[definitions:]

    # --- looking at a function for the first time -------------------------------------------------------------------

    def _prepare(self, name: str, at: int) -> _Symbol:
        """The symbol of ``name``, after those of every function that its body needs."""
        if self._depth >= _MOST_INNER:  # each is a call of this function within itself
            raise self._source.unsupported(at, f"'{name[:60]}' is used within itself with ever other types")
        path = [(name, self._open(name, at))]
        active = {name}
        self._depth += 1
        try:
            while path:
                current, needed = path[-1]
                if not needed:
                    path.pop()
                    self._finish(self._symbols[current])
                    active.discard(current)
                elif (callee := needed.pop()) in active:
                    self._keep(self._symbols[callee])
                elif callee not in self._symbols:
                    path.append((callee, self._open(callee, self._declared[callee].at)))
                    active.add(callee)
        except UnsupportedError:
            for unfinished in active:
                del self._symbols[unfinished]
            raise
        finally:
            self._depth -= 1
        return self._symbols[name]

    def _open(self, name: str, at: int) -> list[str]:
        """Declares the symbol, its body still unknown; the functions that have to be known before."""
        declaration = self._declared.get(name)
        if declaration is None:
            raise self._source.error(at, f"function '{name}' is not declared")
        if "constructor" in declaration.attributes:
            raise self._source.unsupported(at, f"'{name}' constructs no data type")
        with self._bound(name):
            sort = self._evaluator.types.sort
            arguments = tuple(sort(p.type) for p in declaration.parameters)
            symbol = _Symbol(declaration, arguments, sort(declaration.result))
        text = declaration.attributes.get("bvbuiltin") or declaration.attributes.get("builtin")
        defined = declaration.attributes.get("smtdefined")  # Ultimate's
        if defined is not None:
            is_constant = len(arguments) == 1 and " ".join(defined).lstrip('"( ').startswith("as const")
            text = ["MapConst"] if is_constant else defined
        if text is not None:
            symbol.operator = self._find_operator(symbol, " ".join(text).strip('"'), at)
        self._symbols[name] = symbol
        if text is not None:
            return []
        if declaration.body is None or self._is_kept(declaration):
            self._keep(symbol)
        if declaration.body is None:
            return []
        called = (detail[0] for operation, _, detail in declaration.body if operation == s.CALL)
        needed = [c for c in dict.fromkeys(called) if c in self._declared and self._declared[c].body is not None]
        return [c for c in needed if not self._declared[c].type_parameters]

    @contextmanager
    def _bound(self, name: str) -> Iterator[None]:
        """What the type parameters of a function are, while it is looked at; elsewhere those of others are nothing."""
        types = self._evaluator.types
        before, types.bound = types.bound, self._bindings.get(name, {})
        try:
            yield
        finally:
            types.bound = before

    def _is_kept(self, declaration: s.Function) -> bool:
        """A function that a trigger names has to stay, for the trigger to mean anything."""
        return declaration.name in self._kept and "inline" not in declaration.attributes

    def _keep(self, symbol: _Symbol) -> None:
        if symbol.function is None:
            symbol.function = t.Function(symbol.declaration.name, symbol.arguments, symbol.result)
            self.uninterpreted.append(symbol.function)

    def _find_operator(self, symbol: _Symbol, text: str, at: int) -> Builder:
        try:
            found = builtin(text, symbol.result)
        except UnsupportedError as error:
            raise self._source.unsupported(at, error.message) from None
        found = found or pointwise(text, self._evaluator.lambdas, self._evaluator.names)
        if found is None and DEFINED in symbol.declaration.attributes:
            names = [p.name for p in symbol.declaration.parameters]
            found = definition(symbol.declaration.attributes, names, symbol.arguments, symbol.result)
        if found is None:
            message = f"function '{symbol.declaration.name}' needs the operator \"{text[:60]}\", which is not supported"
            raise self._source.unsupported(at, message)
        return found

    def _finish(self, symbol: _Symbol) -> None:
        declaration = symbol.declaration
        if declaration.body is None or symbol.operator is not None:
            return
        names = [p.name for p in declaration.parameters]
        if len(set(names)) < len(names) and any(names):
            raise self._source.error(declaration.at, f"function '{declaration.name}' has two parameters of one name")
        fresh = self._evaluator.names.fresh
        symbol.parameters = tuple(t.var(fresh(n, "?"), a) for n, a in zip(names, symbol.arguments, strict=True))
        scope = Scope(dict(zip(names, symbol.parameters, strict=True)), self._constants)
        what = f"the body of '{declaration.name}'"
        with self._bound(declaration.name):
            body = self._evaluator.term_of_sort(declaration.body, scope, symbol.result, what)
        nodes = list(postorder((body,)))
        if symbol.function is None and len(nodes) <= _MAX_EXPANDED:
            symbol.body = body
            symbol.has_quantifier = any(n.op is Op.FORALL or n.op is Op.EXISTS for n in nodes)
        else:
            self._define(symbol, body)

    def _define(self, symbol: _Symbol, body: Term) -> None:
        self._keep(symbol)
        assert symbol.function is not None
        head = t.apply(symbol.function, *symbol.parameters)
        self.definitions.append(t.forall(symbol.parameters, t.eq(head, body), ((head,),)))

    # --- applying ---------------------------------------------------------------------------------------------------

    def _operator(self, symbol: _Symbol, arguments: tuple[Term, ...], at: int) -> Term:
        assert symbol.operator is not None
        name = symbol.declaration.name
        try:
            found = symbol.operator(*arguments)
        except UnsupportedError as error:
            raise self._source.unsupported(at, error.message) from None
        except (SortError, TypeError):
            raise self._source.error(at, f"the operator behind '{name}' does not take its arguments") from None
        if found.sort is not symbol.result:
            message = f"the operator behind '{name}' gives '{type_name(found.sort)}', not '{type_name(symbol.result)}'"
            raise self._source.error(at, message)
        self.uninterpreted += [one for one in functions(found) if OPEN in one.name and one not in self.uninterpreted]
        if found.sort.width > MAX_WIDTH:
            raise self._source.unsupported(at, f"bit vectors have at most {MAX_WIDTH} bits here")
        return found

    def _expand(self, symbol: _Symbol, body: Term, arguments: tuple[Term, ...]) -> Term:
        found = symbol.expanded.get(arguments)
        if found is None:
            replaced = dict(zip(symbol.parameters, arguments, strict=True))
            found = self._renamed(body, replaced) if symbol.has_quantifier else _instance(body, replaced)
            symbol.expanded[arguments] = found
        return found

    def _renamed(self, body: Term, replaced: dict[Term, Term]) -> Term:
        """An instance whose bound variables are new, so that each keeps a name of its own."""
        fresh = self._evaluator.names.fresh

        def combine(node: Term, args: list[Term]) -> Term:
            if node.op is Op.VAR:
                return replaced.get(node, node)
            if node.op is not Op.FORALL and node.op is not Op.EXISTS:
                return rebuild(node, tuple(args))
            if args[0].is_value:
                return args[0]
            variables = tuple(replaced[v] for v in node.value.variables)
            return t.make(node.op, tuple(args), node.sort, Binder(variables, node.value.trigger_sizes))

        for variable in _bound_variables(body):
            replaced[variable] = t.var(fresh(variable.name.rpartition("?")[0], "?"), variable.sort)
        return fold(body, combine)


def _bound_variables(body: Term) -> dict[Term, None]:
    found: dict[Term, None] = {}

    def collect(node: Term, _: list[None]) -> None:
        if node.op is Op.FORALL or node.op is Op.EXISTS:
            found.update(dict.fromkeys(node.value.variables))

    fold(body, collect)
    return found


def _instance(body: Term, replaced: dict[Term, Term]) -> Term:
    """``body`` with its parameters replaced; bodies are mostly small, and one level deep is done without a walk."""
    if not body.args:
        return replaced.get(body, body)
    if all(not a.args for a in body.args):
        return rebuild(body, tuple([replaced.get(a, a) for a in body.args]))

    def combine(node: Term, args: list[Term]) -> Term:
        return rebuild(node, tuple(args)) if args else replaced.get(node, node)

    return fold(body, combine)
