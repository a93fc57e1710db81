"""The meaning of the words and heads of SMT-LIB terms: literals, operators, and what a scope has declared.

5    #x1F    (_ bv5 8)    (f x)    (cons 1 nil)    ((_ is cons) l)    ((_ extract 3 0) v)    ((as const A) 0)
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from cleave.errors import UnsupportedError
from cleave.logic import datatypes
from cleave.logic import terms as t
from cleave.logic.floats.text import is_float_word
from cleave.logic.sexpr import Node, Script
from cleave.logic.smtlib_operators import INDEXED, OPERATORS, as_real, indexed, operator
from cleave.logic.smtlib_scope import Construct, Macro, Meaning, Scope, Select, Test
from cleave.logic.sorts import INT, REAL, Sort
from cleave.logic.terms import Function, SortError, Term
from cleave.logic.walk import substitute

_MOST_DIGITS = 100_000
_UNSUPPORTED = {
    "lambda": "functions as values",
    "as-array": "functions as arrays",
    "map": "functions mapped over arrays",
    "par": "parameters of data types",
}


class Applications:
    """Builds the terms of a script's atoms, and of its lists once their arguments are there."""

    def __init__(self, script: Script, scope: Scope) -> None:
        self.script = script
        self.scope = scope
        self._literals: dict[str, Term] = {"true": t.TRUE, "false": t.FALSE}

    def refuse(self, node: Node, word: str) -> None:
        """Raises if ``word`` stands for something that is known not to be supported."""
        if word in _UNSUPPORTED:
            raise self.script.unsupported(node, f"{_UNSUPPORTED[word]} ({word}) are not supported")

    def leaf(self, node: int) -> Term:
        word = self.script.tokens[node]
        found = self._literals.get(word)
        if found is not None:
            return found
        meaning = self.scope.table.get(word)
        if meaning is None:
            literal = _literal(word)
            if literal is not None:
                self._literals[word] = literal
                return literal
            meaning = self.scope.meaning(word)
        if meaning is None:
            if word in OPERATORS:
                return self._applied(node, word, [])
            raise self.script.error(node, f"{word} is not declared")
        return meaning if isinstance(meaning, Term) else self._use(node, word, meaning, [])

    def application(self, node: list[Node], args: list[Term]) -> Term:
        head = node[1]
        if isinstance(head, int):
            word = self.script.tokens[head]
            meaning = self.scope.applied(word)
            if meaning is None:
                return self._applied(node, word, args)
            return self._use(node, word, meaning, args)
        match self.script.words(head):
            case ["_", "is", _]:
                return self._test(node, head[3], args)
            case ["_", word, *_]:
                self.refuse(node, word)
                return self._applied(node, word, args, [self._index(part) for part in head[3:]])
            case ["as", _, _]:
                return self.qualified(node, head, args)
        raise self.script.error(head, f"no function: {self.script.show(head)}")

    def _applied(self, node: Node, word: str, args: list[Term], indices: list[int] | None = None) -> Term:
        """An operator of a theory."""
        try:
            return operator(word, args) if indices is None else indexed(word, indices, args)
        except SortError as error:
            known = word in OPERATORS if indices is None else word in INDEXED or is_float_word(word)
            raise self.script.error(node, str(error) if known else f"{word} is not declared") from None

    def _use(self, node: Node, word: str, meaning: Meaning, args: list[Term]) -> Term:
        """What was declared or defined, applied."""
        try:
            match meaning:
                case Function():
                    return t.apply(meaning, *_fitted(args, meaning.arguments))
                case Macro():
                    return self._expand(word, meaning, args)
                case Construct():
                    fields = meaning.sort.constructors[meaning.number].fields
                    return datatypes.construct(meaning.sort, meaning.number, *_fitted(args, fields))
                case Select():
                    return datatypes.field(_only_of(word, args, meaning.sort), meaning.number, meaning.place)
                case Test():
                    return datatypes.test(_only_of(word, args, meaning.sort), meaning.number)
                case Term():
                    raise SortError(f"{word} is no function")
        except SortError as error:
            raise self.script.error(node, str(error)) from None

    def _expand(self, word: str, macro: Macro, args: list[Term]) -> Term:
        wanted = tuple(v.sort for v in macro.parameters)
        fitted = _fitted(args, wanted)
        if tuple(a.sort for a in fitted) != wanted:
            raise SortError(f"{word} takes {wanted}, not {tuple(a.sort for a in args)}")
        return substitute(macro.body, dict(zip(macro.parameters, fitted, strict=True))) if args else macro.body

    def _test(self, node: list[Node], name: Node, args: list[Term]) -> Term:
        """``((_ is C) x)``; as in ``((_ is (C (Int) T)) x)`` the name may come with its signature."""
        word = self.script.word(name if isinstance(name, int) else name[1])
        found = self.scope.meaning(word)
        if not isinstance(found, Construct):
            raise self.script.error(name, f"{word} is no constructor")
        return self._use(node, word, Test(found.sort, found.number), args)

    def qualified(self, node: list[Node], head: list[Node], args: list[Term]) -> Term:
        """``(as nil T)``, ``((as cons T) x y)``, ``((as const (Array Int Int)) 0)``."""
        if len(head) != 4 or not isinstance(head[2], int):
            raise self.script.error(head, "a name with a sort expected, as in (as nil List)")
        word, sort = self.script.word(head[2]), self.scope.sort(self.script, head[3])
        if word == "const" and sort.is_array and len(args) == 1:
            (element,) = _fitted(args, (sort.element,))
            if element.sort is not sort.element:
                raise self.script.error(node, f"an array of {sort.element!r} can't be made of {element.sort!r}")
            return t.const_array(sort.index, element)
        meaning = self.scope.meaning(word)
        if meaning is None:
            raise self.script.error(head, f"{word} is not declared")
        found = meaning if isinstance(meaning, Term) and not args else self._use(node, word, meaning, args)
        if found.sort is not sort:
            raise self.script.error(head, f"{word} is not of sort {sort!r}")
        return found

    def indexed_constant(self, node: list[Node]) -> Term:
        match self.script.words(node):
            case ["_", word, _] if word[:2] == "bv" and word[2:].isdecimal():
                bits = self._index(node[3])
                if bits < 1:
                    raise self.script.error(node, "a bit vector needs at least one bit")
                return t.bv(_integer(word[2:]), bits)
            case ["_", word, *_]:
                self.refuse(node, word)
        raise self.script.error(node, f"no constant that is known: {self.script.show(node)}")

    def _index(self, node: Node) -> int:
        word = self.script.word(node)
        if not word.isdecimal() or len(word) > 10:
            raise self.script.error(node, "a number expected")
        return int(word)


def _only_of(word: str, args: list[Term], sort: Sort) -> Term:
    if len(args) != 1 or args[0].sort is not sort:
        raise SortError(f"{word} takes one {sort!r}")
    return args[0]


def _fitted(args: list[Term], wanted: tuple[Sort, ...]) -> list[Term]:
    """Ints as Reals where Reals are wanted."""
    if REAL not in wanted or len(args) != len(wanted):
        return args
    return [as_real(a) if s is REAL and a.sort is INT else a for a, s in zip(args, wanted, strict=True)]


def _literal(word: str) -> Term | None:
    first = word[0]
    if first.isdecimal() and word.isascii():
        if word.isdecimal():
            return t.integer(_integer(word))
        whole, _, part = word.partition(".")
        if whole.isdecimal() and part.isdecimal():
            return t.real(Fraction(_integer(whole + part), 10 ** len(part)))
    elif first == "-" and word[1:].isdecimal():  # no numeral by the standard, but some tools write it
        return t.integer(-_integer(word[1:]))
    elif first == "#" and len(word) > 2:
        base, digits = {"b": (2, "01"), "x": (16, "0123456789abcdefABCDEF")}.get(word[1], (0, ""))
        if base and not word[2:].strip(digits):
            return t.bv(int(word[2:], base), (len(word) - 2) * (1 if base == 2 else 4))
    return None


def _integer(digits: str) -> int:
    """Through Decimal where Python refuses to read that many digits."""
    if len(digits) > _MOST_DIGITS:  # time grows with the square
        raise UnsupportedError(f"a numeral of {len(digits):,} digits is too long: {_MOST_DIGITS:,} are supported")
    return int(digits) if len(digits) < 4000 else int(Decimal(digits))
