"""Reads terms in SMT-LIB's syntax, without recursion: as deep as they come.

(forall ((i Int)) (! (<= 0 (f i)) :pattern ((f i))))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from typing import Any

from cleave.errors import InputError
from cleave.ir.tokens import Cursor, Token
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, REAL, Sort, array, bitvec, uninterpreted
from cleave.logic.terms import Function, Op, SortError, Term

# An s-expression: a token, or a list of them that starts with its opening parenthesis.
Expression = Token | list[Any]
Scope = Mapping[str, Term]

_SORTS = {"Bool": BOOL, "Int": INT, "Real": REAL}


def _chain(build: Callable[[Term, Term], Term]) -> Callable[..., Term]:
    return lambda first, *rest: reduce(build, rest, first)


_BUILDERS: dict[str, Callable[..., Term]] = {
    "not": t.neg,
    "and": t.conj,
    "or": t.disj,
    "=>": t.implies,
    "ite": t.ite,
    "=": t.eq,
    "distinct": t.distinct,
    "+": _chain(t.add),
    "-": lambda first, *rest: _chain(t.sub)(first, *rest) if rest else t.minus(first),
    "*": _chain(t.mul),
    "div": t.div,
    "mod": t.mod,
    "/": t.real_div,
    "<=": t.le,
    "<": t.lt,
    ">=": t.ge,
    ">": t.gt,
    "to_real": t.to_real,
    "to_int": t.to_int,
    "select": t.select,
    "store": t.store,
    "concat": t.concat,
    "ubv_to_int": t.bv_to_int,
    "bv2nat": t.bv_to_int,
    **{op.value: partial(t.bv_unary, op) for op in (Op.BV_NOT, Op.BV_NEG)},
    **{op.value: partial(t.bv_compare, op) for op in (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)},
    **{
        op.value: partial(t.bv_binary, op)
        for op in (Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_UDIV, Op.BV_UREM)
    },
    **{
        op.value: partial(t.bv_binary, op)
        for op in (Op.BV_SDIV, Op.BV_SREM, Op.BV_SMOD, Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR)
    },
}
_INDEXED: dict[str, Callable[..., Term]] = {
    "extract": lambda indices, a: t.extract(a, *indices),
    "zero_extend": lambda indices, a: t.zero_extend(a, *indices),
    "sign_extend": lambda indices, a: t.sign_extend(a, *indices),
    "int_to_bv": lambda indices, a: t.int_to_bv(a, *indices),
    "int2bv": lambda indices, a: t.int_to_bv(a, *indices),
}


def read_expression(cursor: Cursor) -> Expression:
    """The next s-expression."""
    open_lists: list[list[Any]] = []
    while True:
        token = cursor.take()
        if token.kind in ("newline", "end"):
            raise token.error("a term is cut off")
        if _opens(token):
            open_lists.append([token])
            continue
        done: Expression = token
        if token.kind == "mark":
            if token.text != ")" or not open_lists:
                raise token.error(f"a term expected, not {token.text!r}")
            done = open_lists.pop()
        if not open_lists:
            return done
        open_lists[-1].append(done)


def _opens(token: Token) -> bool:
    return token.kind == "mark" and token.text == "("


def read_sort(expression: Expression) -> Sort:
    """A sort; unknown names are uninterpreted sorts. Sorts are shallow: this recurses."""
    if isinstance(expression, Token):
        return _SORTS.get(expression.text) or uninterpreted(expression.name)
    match [_text(part) for part in expression[1:]]:
        case ["_", "BitVec", width]:
            return bitvec(int(width))
        case ["Array", _, _]:
            return array(read_sort(expression[2]), read_sort(expression[3]))
    raise expression[0].error("no sort")


class _LetScope(dict[str, Term]):
    """A scope that a let made. Lets nest in thousands with names of their own, so that an inner one adds to the scope
    of the outer one; outside of its body no term uses its name."""


@dataclass(frozen=True, slots=True)
class TermReader:
    """Reads terms over the given functions; variables come from the scope of each."""

    functions: Mapping[str, Function]

    def read(self, cursor: Cursor, scope: Scope) -> Term:
        """The next term."""
        return self.build(read_expression(cursor), scope)

    def build(self, root: Expression, scope: Scope) -> Term:
        """Works off a stack of things to do: an expression to build in a scope, or a function of the results so far."""
        results: list[Term] = []
        todo: list[Any] = [(root, scope)]
        while todo:
            item = todo.pop()
            if callable(item):
                item()
                continue
            expression, inner = item
            if isinstance(expression, Token):
                results.append(self._leaf(expression, inner))
            else:
                self._open(expression, inner, todo, results)
        return results[0]

    def _open(self, expression: list[Any], scope: Scope, todo: list[Any], results: list[Term]) -> None:
        if len(expression) < 2:
            raise expression[0].error("an empty term")
        head = expression[1]
        word = head.text if isinstance(head, Token) else ""
        if word in ("forall", "exists"):
            self._open_quantifier(expression, scope, todo, results)
        elif word == "let":
            self._open_let(expression, scope, todo, results)
        elif word == "_":
            results.append(_bit_vector(expression))
        else:
            arguments = expression[2:]
            todo.append(lambda: results.append(self._apply(head, _pop(results, len(arguments)), expression[0])))
            todo.extend((argument, scope) for argument in reversed(arguments))

    def _open_let(self, expression: list[Any], scope: Scope, todo: list[Any], results: list[Term]) -> None:
        bindings = expression[2][1:]

        def bind() -> None:
            names = [binding[1].text for binding in bindings]  # with its mark: apart from the variable of that name
            values = _pop(results, len(bindings))
            can_grow = isinstance(scope, _LetScope) and scope.keys().isdisjoint(names)
            inner = scope if can_grow and isinstance(scope, _LetScope) else _LetScope(scope)
            inner.update(zip(names, values, strict=True))
            todo.append((expression[3], inner))

        todo.append(bind)
        todo.extend((binding[2], scope) for binding in reversed(bindings))

    def _open_quantifier(self, expression: list[Any], scope: Scope, todo: list[Any], results: list[Term]) -> None:
        build = t.forall if expression[1].text == "forall" else t.exists
        bound = tuple(t.var(pair[1].name, read_sort(pair[2])) for pair in expression[2][1:])
        body, patterns = expression[3], []
        if isinstance(body, list) and _text(body[1]) == "!":
            patterns = [body[i + 1][1:] for i in range(3, len(body), 2) if body[i].text == ":pattern"]
            body = body[2]
        parts = [body, *(term for pattern in patterns for term in pattern)]

        def close() -> None:
            formula, *flat = _pop(results, len(parts))
            triggers = []
            for pattern in patterns:
                triggers.append(tuple(flat[: len(pattern)]))
                del flat[: len(pattern)]
            results.append(build(bound, formula, tuple(triggers)))

        inner = {**scope, **{variable.name: variable for variable in bound}}
        todo.append(close)
        todo.extend((part, inner) for part in reversed(parts))

    def _leaf(self, token: Token, scope: Scope) -> Term:
        match token.kind:
            case "number":
                return t.real(Fraction(token.text)) if "." in token.text else t.integer(int(token.text))
            case "bits":
                digits, base, size = token.text[2:], *((2, 1) if token.text[1] == "b" else (16, 4))
                return t.bv(int(digits, base), len(digits) * size)
        found = scope.get(token.text) or scope.get(token.name)
        if found is not None:
            return found
        if token.text in ("true", "false"):
            return t.boolean(token.text == "true")
        if token.name in self.functions:
            return t.apply(self.functions[token.name])
        raise token.error(f"{token.name} is not declared")

    def _apply(self, head: Expression, args: list[Term], place: Token) -> Term:
        try:
            if isinstance(head, Token):
                return self._apply_named(head, args)
            if _text(head[1]) == "as" and _text(head[2]) == "const":
                return t.const_array(read_sort(head[3]).index, *args)
            return _INDEXED[_text(head[2])]([int(_text(index)) for index in head[3:]], *args)
        except (SortError, TypeError, KeyError) as error:
            raise place.error(f"no term: {error}") from error

    def _apply_named(self, head: Token, args: list[Term]) -> Term:
        function = self.functions.get(head.name)
        if function is not None and (head.text not in _BUILDERS or function.arguments == tuple(a.sort for a in args)):
            return t.apply(function, *args)
        return _BUILDERS[head.text](*args)


def _bit_vector(expression: list[Any]) -> Term:
    value, width = _text(expression[2]), _text(expression[3])
    if not value.startswith("bv"):
        raise InputError(f"no constant: {value}", line=expression[0].line, column=expression[0].column)
    return t.bv(int(value[2:]), int(width))


def _pop(results: list[Term], count: int) -> list[Term]:
    found = results[len(results) - count :]
    del results[len(results) - count :]
    return found


def _text(expression: Expression) -> str:
    return expression.text if isinstance(expression, Token) else "("
