"""Floating-point numbers and rounding modes replaced by their bits, in a whole program.

var x: float24e8          var x: (_ BitVec 32)
(float24e8.bits b)        b
(bits x)                  x
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from cleave.frontends.boogie.floats.types import holds_floats, is_wrapper
from cleave.ir import program as ir
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.datatypes import ArrayOf, Declaration, FieldSort
from cleave.logic.sorts import Sort, array
from cleave.logic.terms import Binder, Op, Term
from cleave.logic.walk import postorder, rebuild


def floats_as_bits(program: ir.Program) -> ir.Program:
    erased = _Erasing()
    made = replace(program, functions=tuple(map(erased.function, program.functions)))
    return replace(
        made,
        globals=erased.terms(program.globals),
        constants=erased.terms(program.constants),
        axioms=erased.terms(program.axioms),
        procedures={name: erased.procedure(one) for name, one in program.procedures.items()},
    )


class _Erasing:
    def __init__(self) -> None:
        self._sorts: dict[Sort, Sort] = {}
        self._terms: dict[Term, Term] = {}
        self._done: set[Term] = set()

    # --- sorts ------------------------------------------------------------------------------------------------------

    def sort(self, sort: Sort) -> Sort:
        """Recursion is as deep as types are nested."""
        if sort not in self._sorts:
            self._sorts[sort] = self._made(sort) if holds_floats(sort) else sort
        return self._sorts[sort]

    def _made(self, sort: Sort) -> Sort:
        if is_wrapper(sort):
            return sort.constructors[0].fields[0]
        if sort.is_array:
            return array(self.sort(sort.index), self.sort(sort.element))
        group = tuple(self._declaration(d.declaration(one)) for one in sort.group)
        return d.declare(group)[sort.group.index(sort)]

    def _declaration(self, declared: Declaration) -> Declaration:
        return Declaration(
            declared.name,
            tuple(
                (name, tuple((selector, self._field(sort)) for selector, sort in selectors))
                for name, selectors in declared.constructors
            ),
        )

    def _field(self, sort: FieldSort) -> FieldSort:
        if isinstance(sort, int):
            return sort
        if isinstance(sort, ArrayOf):
            return ArrayOf(self._field(sort.index), self._field(sort.element))
        return self.sort(sort)

    # --- terms ------------------------------------------------------------------------------------------------------

    def function(self, function: t.Function) -> t.Function:
        return t.Function(function.name, tuple(map(self.sort, function.arguments)), self.sort(function.result))

    def terms(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        for node in postorder(terms, done=self._done):
            self._terms[node] = self._term(node, [self._terms[one] for one in node.args])
        return tuple(self._terms[term] for term in terms)

    def _term(self, node: Term, args: list[Term]) -> Term:
        match node.op:
            case Op.VAR:
                return t.var(node.value, self.sort(node.sort))
            case Op.CONSTRUCT | Op.FIELD if is_wrapper(node.sort if node.op is Op.CONSTRUCT else node.args[0].sort):
                return args[0]
            case Op.CONSTRUCT:
                return d.construct(self.sort(node.sort), node.value, *args)
            case Op.APPLY:
                return t.apply(self.function(node.value), *args)
            case Op.CONST_ARRAY:
                return t.const_array(self.sort(node.sort.index), args[0])
            case Op.FORALL | Op.EXISTS if not args[0].is_value:
                variables = tuple(t.var(v.name, self.sort(v.sort)) for v in node.value.variables)
                return t.make(node.op, tuple(args), node.sort, Binder(variables, node.value.trigger_sizes))
            case _:
                return rebuild(node, tuple(args))

    # --- programs ---------------------------------------------------------------------------------------------------

    def procedure(self, procedure: ir.Procedure) -> ir.Procedure:
        blocks = {
            label: replace(block, statements=tuple(map(self._fields, block.statements)))
            for label, block in procedure.blocks.items()
        }
        return replace(
            procedure,
            parameters=self.terms(procedure.parameters),
            returns=self.terms(procedure.returns),
            locals=self.terms(procedure.locals),
            modifies=self.terms(procedure.modifies),
            requires=tuple(map(self._fields, procedure.requires)),
            ensures=tuple(map(self._fields, procedure.ensures)),
            blocks=blocks,
        )

    def _fields(self, one: Any) -> Any:
        """A statement or a clause, with other terms in it."""
        changed: dict[str, Any] = {}
        for each in fields(one):
            value = getattr(one, each.name)
            if isinstance(value, Term):
                changed[each.name] = self.terms((value,))[0]
            elif isinstance(value, tuple) and value and isinstance(value[0], Term):
                changed[each.name] = self.terms(value)
        return replace(one, **changed) if changed else one
