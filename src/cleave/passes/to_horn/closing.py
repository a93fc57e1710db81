"""A program without constants, axioms, uninterpreted functions and uninterpreted sorts.

    const c: T    fun f(T) -> Int    axiom f(c) > 0         var c: Int    var f: (Array Int Int)
    proc main() { a: assert f(c) > 1; return }              proc main() { a'1: assume f[c] > 0; goto a
                                                                          a: assert f[c] > 1; return }

Horn clauses have no constants: what is the same in all of them has to be an argument of the predicates. So

- a **constant** becomes a global that nobody writes;
- a **function** becomes such a global, too: an array, of arrays if it takes several arguments. Every function is an
  array and every array a function, so nothing is lost and nothing added;
- **axioms** are assumed once, where the execution starts. An axiom with quantifiers that shares no function with the
  program, not even through other such axioms, is left out. If it contradicts the rest, or says something about the
  constants by the way, then the clauses allow more than the program: a proof is still one, and the paths that they give
  are replayed on the whole program.
- an **uninterpreted sort** becomes Int. A violation is a model of quantifier-free formulas (the conditions along one
  path). If they hold in a domain of some size, they hold in every infinite one: add elements that no variable of the
  path holds, and let arrays have any values there; equalities between the old elements stay as they are. A quantifier
  over such a sort can tell a small domain from an infinite one, and so can an array that is constant over it (one store
  can change it into another constant array only if there is one index). Programs with these are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.ir.path import WayBack
from cleave.ir.program import Assert, Assign, Assume, Block, Call, Havoc, Location, Procedure, Program, Statement
from cleave.logic import datatypes
from cleave.logic.sorts import INT, Sort, SortKind, array
from cleave.logic.terms import Binder, Function, Op, Term, const_array, make, select, var
from cleave.logic.walk import functions, has_quantifier, postorder, rebuild
from cleave.passes.flow import reads
from cleave.passes.fresh import FreshNames, variable_names

_QUANTIFIERS = (Op.FORALL, Op.EXISTS)


def close_program(program: Program, entry: str) -> tuple[Program, WayBack]:
    axioms = _relevant(program)
    closer = _Closer(program, axioms)
    procedures = {name: closer.procedure(p) for name, p in program.procedures.items()}
    closed = Program(
        globals=(*closer.variables(program.globals), *closer.variables(program.constants), *closer.arrays.values()),
        procedures=procedures,
        property=program.property,
    )
    assumed = tuple(Assume(closer.term(axiom)) for axiom in axioms if not axiom.is_true)
    if not assumed:
        return closed, WayBack()
    first = procedures[entry].entry
    label = FreshNames(procedures[entry].blocks).like(first.label)
    blocks = {label: Block(label, assumed, (first.label,), first.location), **procedures[entry].blocks}
    procedures[entry] = replace(procedures[entry], blocks=blocks)
    return closed, WayBack({(entry, label): None})


def _relevant(program: Program) -> list[Term]:
    """The axioms to assume, in their order."""
    used = set(functions(*_terms(program)))
    pending = {axiom: set(functions(axiom)) for axiom in program.axioms if has_quantifier(axiom)}
    chosen = {axiom for axiom in program.axioms if axiom not in pending}
    used.update(functions(*chosen))
    while True:
        found = [axiom for axiom, applied in pending.items() if not applied or applied & used]
        if not found:
            return [axiom for axiom in program.axioms if axiom in chosen]
        for axiom in found:
            chosen.add(axiom)
            used |= pending.pop(axiom)


def _terms(program: Program) -> Iterator[Term]:
    for procedure in program.procedures.values():
        for statement in procedure.statements():
            yield from reads(statement)


class _Closer:
    def __init__(self, program: Program, axioms: list[Term]) -> None:
        terms = [*_terms(program), *axioms]
        names = variable_names(program)
        self._memo: dict[Term, Term] = {}
        self._done: set[Term] = set()  # its keys
        self._sorts: dict[Sort, Sort] = {}
        self.arrays: dict[Function, Term] = {f: var(names.like(f.name), self._array_sort(f)) for f in functions(*terms)}
        self._changes = bool(self.arrays) or any(_has_uninterpreted(v.sort) for v in _variables(program, terms))
        self._location: Location | None = None

    def _array_sort(self, function: Function) -> Sort:
        made = self._sort(function.result)
        for argument in reversed(function.arguments):
            made = array(self._sort(argument), made)
        return made

    def _sort(self, sort: Sort) -> Sort:
        if sort.kind is SortKind.UNINTERPRETED:
            return INT
        if sort.kind is not SortKind.ARRAY and not sort.is_datatype:
            return sort
        found = self._sorts.get(sort)
        if found is None and sort.is_datatype:
            for group in datatypes.groups((sort,)):
                self._sorts.update(zip(group, self._group(group), strict=True))
            found = self._sorts[sort]
        elif found is None:
            found = self._sorts[sort] = array(self._sort(sort.index), self._sort(sort.element))
        return found

    def _group(self, group: tuple[Sort, ...]) -> tuple[Sort, ...]:
        """Data types that need each other, with other sorts in their fields."""
        if not any(_has_uninterpreted(one) for one in group):
            return group
        made = tuple(datatypes.declaration(one) for one in group)
        return datatypes.declare(
            tuple(
                datatypes.Declaration(
                    one.name,
                    tuple((name, tuple((f, self._field(of)) for f, of in fields)) for name, fields in one.constructors),
                )
                for one in made
            )
        )

    def _field(self, sort: datatypes.FieldSort) -> datatypes.FieldSort:
        if isinstance(sort, datatypes.ArrayOf):
            return datatypes.ArrayOf(self._field(sort.index), self._field(sort.element))
        return sort if isinstance(sort, int) else self._sort(sort)

    def variables(self, variables: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(var(v.name, self._sort(v.sort)) for v in variables) if self._changes else variables

    def term(self, term: Term) -> Term:
        if not self._changes:
            return term
        for node in postorder((term,), self._done):
            self._memo[node] = self._node(node, [self._memo[a] for a in node.args])
        return self._memo[term]

    def _node(self, node: Term, args: list[Term]) -> Term:
        match node.op:
            case Op.VAR:
                return var(node.name, self._sort(node.sort))
            case Op.APPLY:
                made = self.arrays[node.value]
                for argument in args:
                    made = select(made, argument)
                return made
            case Op.CONST_ARRAY:
                if _has_uninterpreted(node.sort.index):
                    raise self._refusal(f"an array that is constant over the type {node.sort.index!r}")
                return const_array(self._sort(node.sort.index), args[0])
            case Op.FORALL | Op.EXISTS:
                return self._quantifier(node, args)
            case Op.CONSTRUCT:
                return datatypes.construct(self._sort(node.sort), node.value, *args)
            case _:
                return rebuild(node, tuple(args))

    def _quantifier(self, node: Term, args: list[Term]) -> Term:
        for variable in node.value.variables:
            if _has_uninterpreted(variable.sort):
                raise self._refusal(f"a quantifier over the type {variable.sort!r}")
        if args[0].is_value:
            return args[0]
        if not self.arrays:
            return make(node.op, tuple(args), node.sort, node.value)
        # The triggers spoke of functions; what became of them may not be a pattern.
        return make(node.op, (args[0],), node.sort, Binder(node.value.variables, ()))

    def _refusal(self, what: str) -> UnsupportedError:
        place = self._location
        message = (
            f"{what}, of which only equality is known, can't be written as Horn clauses; verify the program with the"
            " engine 'inline', or give that type a meaning (int, or a bit vector)"
        )
        if place is None:
            return UnsupportedError(message)
        return UnsupportedError(message, file=place.file, line=place.line, column=place.column)

    def procedure(self, procedure: Procedure) -> Procedure:
        if not self._changes:
            return procedure
        return replace(
            procedure,
            parameters=self.variables(procedure.parameters),
            returns=self.variables(procedure.returns),
            locals=self.variables(procedure.locals),
            blocks={
                label: replace(block, statements=tuple(self._statement(s) for s in block.statements))
                for label, block in procedure.blocks.items()
            },
        )

    def _statement(self, statement: Statement) -> Statement:
        self._location = statement.location
        match statement:
            case Assume(condition):
                return replace(statement, condition=self.term(condition))
            case Assert(condition):
                return replace(statement, condition=self.term(condition), values=())
            case Assign(targets, values):
                return replace(statement, targets=self._each(targets), values=self._each(values))
            case Havoc(targets):
                return replace(statement, targets=self._each(targets))
            case Call(_, arguments, results):
                return replace(statement, arguments=self._each(arguments), results=self._each(results))
            case _:
                raise AssertionError("programs with threads are refused before")

    def _each(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(self.term(term) for term in terms)


def _variables(program: Program, terms: list[Term]) -> Iterable[Term]:
    yield from (*program.globals, *program.constants)
    for procedure in program.procedures.values():
        yield from (*procedure.parameters, *procedure.returns, *procedure.locals)
    for node in postorder(terms):
        if node.op in _QUANTIFIERS:
            yield from node.value.variables


def _has_uninterpreted(sort: Sort) -> bool:
    stack = [sort]
    seen: set[Sort] = set()
    while stack:
        top = stack.pop()
        if top.kind is SortKind.UNINTERPRETED:
            return True
        if top.kind is SortKind.ARRAY:
            stack += [top.index, top.element]
        elif top.is_datatype and top not in seen:
            seen.add(top)
            stack += [field for made in top.constructors for field in made.fields]
    return False
