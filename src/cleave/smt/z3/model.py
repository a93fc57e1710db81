"""Z3's models, read as Python values.

    model.value(add(x, integer(1)))     # 4
    model.value(memory)                 # MapValue(0, {3: 7})

Entries of arrays and functions that only repeat the default are left out, so that equal maps are equal values, as far
as Z3 presents them with equal defaults.

A model may hold what has no finite form here: irrational numbers (non-linear arithmetic over the reals), and functions
or arrays given by a formula rather than a table (quantifiers with Z3's model-based instantiation). Reading such a value
raises `UnsupportedError`; the rest of the model can be read.
"""

from __future__ import annotations

import ctypes
from fractions import Fraction
from itertools import count
from typing import Any

from cleave.errors import InternalError, UnsupportedError
from cleave.logic.sorts import BOOL, Sort, SortKind
from cleave.logic.terms import FALSE, Function, Op, Term, value_of
from cleave.logic.values import DatatypeValue, FunctionTable, MapValue, UninterpretedValue
from cleave.smt.z3.native import array, lib, text
from cleave.smt.z3.terms import Translator, number

# Enumerations of z3_api.h, as far as they are used.
_AST_NUMERAL, _AST_APP, _AST_VAR = 0, 1, 2
_TRUE, _FALSE = 1, -1
_OP_EQ, _OP_STORE, _OP_CONST_ARRAY = 0x102, 0x300, 0x302


class Z3Model:
    """A model, or the candidate for one; it stays readable whatever the solver does next."""

    def __init__(self, translator: Translator, model: int | None) -> None:
        self._context = translator.context
        if model is None:
            raise self._context.error()
        self._pointer = self._context.pointer
        self._translator = translator
        self._model = model
        lib.Z3_model_inc_ref(self._pointer, model)

    def __del__(self) -> None:
        if hasattr(self, "_model") and self._context.usable():
            lib.Z3_model_dec_ref(self._pointer, self._model)

    def value(self, term: Term) -> Any:
        return self._read(self._translator.ast(term), term.sort)

    def digits(self, term: Term) -> str:
        """The value of a number, or 0 or 1 for that of a truth, as text. Of a variable, this takes half as long as to
        read its value; it is 0 if any would do."""
        if term.op is Op.VAR and not term.sort.is_bool:
            declaration = lib.Z3_get_app_decl(self._pointer, self._translator.ast(term))
            known = lib.Z3_model_get_const_interp(self._pointer, self._model, declaration)
            return "0" if known is None else self._numeral(known)
        value = term.value if term.is_value else self.value(term)
        return str(int(value) if term.sort.is_bool else value)

    def is_true(self, term: Term) -> bool:
        if term.op is Op.VAR:
            declaration = lib.Z3_get_app_decl(self._pointer, self._translator.ast(term))
            known = lib.Z3_model_get_const_interp(self._pointer, self._model, declaration)
            if known is not None:
                return bool(lib.Z3_get_bool_value(self._pointer, known) == _TRUE)
        elif term.op is Op.NOT:
            return not self.is_true(term.args[0])
        return self.value(term) is True

    def function(self, function: Function) -> FunctionTable:
        declaration = self._translator.function(function)
        if not function.arguments:
            return FunctionTable(self._read(self._apply(declaration, []), function.result))
        interpretation = lib.Z3_model_get_func_interp(self._pointer, self._model, declaration)
        if interpretation is None:
            self._complete(declaration, function)
            interpretation = lib.Z3_model_get_func_interp(self._pointer, self._model, declaration)
        if interpretation is None:
            raise InternalError(f"Z3's model has no interpretation of {function.name}")
        default, entries = self._table(interpretation, function.arguments, function.result)
        return FunctionTable(default, entries)

    def _complete(self, declaration: int, function: Function) -> None:
        """Makes the model choose an interpretation, by evaluating an application."""
        arguments = []
        for sort in function.arguments:
            made = lib.Z3_mk_fresh_const(self._pointer, b"any", self._translator.sort(sort))
            arguments.append(self._context.own(made))
        self._read(self._apply(declaration, arguments), function.result)

    def _apply(self, declaration: int, arguments: list[int]) -> int:
        return self._context.own(lib.Z3_mk_app(self._pointer, declaration, len(arguments), array(arguments)))

    def _read(self, ast: int, sort: Sort) -> Any:
        """The value of a native term."""
        place = (ctypes.c_void_p * 1)()
        if not lib.Z3_model_eval(self._pointer, self._model, ast, True, place):
            raise self._context.error()
        result = self._context.keep(place[0])
        try:
            return self._python(result, sort)
        finally:
            self._context.release(result)

    def _python(self, ast: int, sort: Sort) -> Any:
        """A native value as Python's. Recursion is as deep as the sort is nested."""
        match sort.kind:
            case SortKind.BOOL:
                value = lib.Z3_get_bool_value(self._pointer, ast)
                if value not in (_TRUE, _FALSE):
                    raise self._no_value(ast)
                return value == _TRUE
            case SortKind.INT | SortKind.BITVEC:
                return number(self._numeral(ast))
            case SortKind.REAL:
                above, _, below = self._numeral(ast).partition("/")
                return Fraction(number(above), number(below or "1"))
            case SortKind.ARRAY:
                return self._array(ast, sort)
            case SortKind.UNINTERPRETED:
                return UninterpretedValue(sort, self._constant_name(ast))
            case SortKind.DATATYPE:
                return self._datatype(ast, sort)

    def _datatype(self, root: int, root_sort: Sort) -> DatatypeValue:
        """Built from the fields upwards, without recursion: lists may be long."""
        done: list[Any] = []
        todo: list[tuple[int, Sort, int]] = [(root, root_sort, -1)]  # a value to open, or to close with its constructor
        while todo:
            ast, sort, number = todo.pop()
            if number >= 0:
                count = len(sort.constructors[number].fields)
                fields = tuple(done[len(done) - count :])
                del done[len(done) - count :]
                done.append(DatatypeValue(sort, number, fields))
            elif not sort.is_datatype:
                done.append(self._python(ast, sort))
            else:
                number = self._constructor_number(ast, sort)
                todo.append((ast, sort, number))
                parts = enumerate(sort.constructors[number].fields)
                todo += reversed([(lib.Z3_get_app_arg(self._pointer, ast, i), s, -1) for i, s in parts])
        found: DatatypeValue = done[0]
        return found

    def _constructor_number(self, ast: int, sort: Sort) -> int:
        if lib.Z3_get_ast_kind(self._pointer, ast) == _AST_APP:
            declaration = lib.Z3_get_app_decl(self._pointer, ast)
            for number in range(len(sort.constructors)):
                if self._translator.datatypes.constructor(sort, number) == declaration:
                    return number
        raise self._no_value(ast)

    def _numeral(self, ast: int) -> str:
        if lib.Z3_get_ast_kind(self._pointer, ast) != _AST_NUMERAL:
            if lib.Z3_is_algebraic_number(self._pointer, ast):
                raise UnsupportedError("the solver's model holds an irrational number")
            raise self._no_value(ast)
        return text(lib.Z3_get_numeral_string(self._pointer, ast))

    def _constant_name(self, ast: int) -> str:
        if lib.Z3_get_ast_kind(self._pointer, ast) != _AST_APP or lib.Z3_get_app_num_args(self._pointer, ast):
            raise self._no_value(ast)
        name = lib.Z3_get_decl_name(self._pointer, lib.Z3_get_app_decl(self._pointer, ast))
        return text(lib.Z3_get_symbol_string(self._pointer, name))

    def _array(self, ast: int, sort: Sort) -> MapValue:
        """Stores over a constant array, or a function's table."""
        pointer = self._pointer
        stores: list[tuple[Any, Any]] = []
        while lib.Z3_get_ast_kind(pointer, ast) == _AST_APP:
            declaration = lib.Z3_get_app_decl(pointer, ast)
            kind = lib.Z3_get_decl_kind(pointer, declaration)
            if kind == _OP_STORE:
                index, element = (lib.Z3_get_app_arg(pointer, ast, place) for place in (1, 2))
                stores.append((self._python(index, sort.index), self._python(element, sort.element)))
                ast = lib.Z3_get_app_arg(pointer, ast, 0)
            elif kind == _OP_CONST_ARRAY:
                default = self._python(lib.Z3_get_app_arg(pointer, ast, 0), sort.element)
                return _array_value(default, {}, stores)
            elif lib.Z3_is_as_array(pointer, ast):
                function = lib.Z3_get_as_array_func_decl(pointer, ast)
                interpretation = lib.Z3_model_get_func_interp(pointer, self._model, function)
                if interpretation is None:
                    break
                default, table = self._table(interpretation, (sort.index,), sort.element)
                return _array_value(default, {key: value for (key,), value in table.items()}, stores)
            else:
                break
        if lib.Z3_is_lambda(pointer, ast):
            return self._lambda(ast, sort, stores)
        raise self._no_value(ast)

    def _lambda(self, ast: int, sort: Sort, stores: list[tuple[Any, Any]]) -> MapValue:
        """An array given as a function of its index, which is only ever compared with values: evaluated at each of
        them, and at one more index for the default."""
        keys = {True} if sort.index is BOOL else self._compared_values(ast, sort.index)
        default = self._element(ast, _index_outside(keys, sort.index), sort)
        entries = {key: self._element(ast, value_of(key, sort.index), sort) for key in keys}
        return _array_value(default, entries, stores)

    def _compared_values(self, ast: int, sort: Sort) -> set[Any]:
        pointer = self._pointer
        found = set()
        waiting = [lib.Z3_get_quantifier_body(pointer, ast)]
        while waiting:
            part = waiting.pop()
            kind = lib.Z3_get_ast_kind(pointer, part)
            if kind == _AST_NUMERAL:
                continue
            if kind != _AST_APP:
                raise self._no_value(ast)
            args = [lib.Z3_get_app_arg(pointer, part, i) for i in range(lib.Z3_get_app_num_args(pointer, part))]
            is_equation = lib.Z3_get_decl_kind(pointer, lib.Z3_get_app_decl(pointer, part)) == _OP_EQ
            others = [a for a in args if lib.Z3_get_ast_kind(pointer, a) != _AST_VAR]
            if is_equation and len(others) == 1:
                found.add(self._python(others[0], sort))
            else:
                waiting += args
        return found

    def _element(self, ast: int, index: Term, sort: Sort) -> Any:
        made = lib.Z3_mk_select(self._pointer, ast, self._translator.ast(index))
        return self._read(self._context.own(made), sort.element)

    def _table(self, interpretation: int, arguments: tuple[Sort, ...], result: Sort) -> tuple[Any, dict[Any, Any]]:
        """The default and the entries of a function interpretation."""
        pointer = self._pointer
        lib.Z3_func_interp_inc_ref(pointer, interpretation)
        try:
            default = self._else(lib.Z3_func_interp_get_else(pointer, interpretation), result)
            entries = {}
            for place in range(lib.Z3_func_interp_get_num_entries(pointer, interpretation)):
                entry = lib.Z3_func_interp_get_entry(pointer, interpretation, place)
                lib.Z3_func_entry_inc_ref(pointer, entry)
                try:
                    key = tuple(
                        self._python(lib.Z3_func_entry_get_arg(pointer, entry, i), sort)
                        for i, sort in enumerate(arguments)
                    )
                    value = self._python(lib.Z3_func_entry_get_value(pointer, entry), result)
                finally:
                    lib.Z3_func_entry_dec_ref(pointer, entry)
                if value != default:
                    entries[key] = value
            return default, entries
        finally:
            lib.Z3_func_interp_dec_ref(pointer, interpretation)

    def _else(self, ast: int | None, sort: Sort) -> Any:
        """The default of a table: a value, or a closed term that evaluates to one."""
        if ast is None:
            raise InternalError("Z3's model has a function without a default")
        self._context.keep(ast)
        try:
            return self._read(ast, sort)
        finally:
            self._context.release(ast)

    def _no_value(self, ast: int) -> UnsupportedError:
        shown = text(lib.Z3_ast_to_string(self._pointer, ast))
        return UnsupportedError(f"the solver's model gives no plain value: {shown[:200]}")


def _index_outside(keys: set[Any], sort: Sort) -> Term:
    """A constant that is none of ``keys``; any one if they are all there are."""
    match sort.kind:
        case SortKind.BOOL:
            return FALSE
        case SortKind.INT | SortKind.REAL:
            return value_of(max(keys, default=0) + 1, sort)
        case SortKind.BITVEC:
            return value_of(next(number for number in count() if number not in keys), sort)
        case _:
            raise UnsupportedError(f"the solver's model holds an array over {sort!r} as a formula")


def _array_value(default: Any, entries: dict[Any, Any], stores: list[tuple[Any, Any]]) -> MapValue:
    """``stores``, the outermost first, over a table."""
    entries.update(reversed(stores))
    return MapValue(default, {index: element for index, element in entries.items() if element != default})
