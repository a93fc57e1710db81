"""Terms of SMT-LIB, from s-expressions: every operator is known, and every sort is checked.

TermReader(scope).read(one("(let ((y (+ x 1))) (< y 3))"))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from cleave_check.refusal import Unreadable
from cleave_check.sexpr import Name, Node, name_of
from cleave_check.sorts import BOOL, INT, REAL, Sort, array, bits, show
from cleave_check.terms import FALSE, TRUE, Term, conj, integer, neg, value, var

MOST_DIGITS = 100_000
_NUMBER = re.compile(r"[0-9]+")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_BITS = re.compile(r"#b([01]+)|#x([0-9A-Fa-f]+)")
_BV = re.compile(r"bv([0-9]+)")

_SAME = (
    *("bvand", "bvor", "bvxor", "bvadd", "bvsub", "bvmul", "bvshl", "bvlshr", "bvashr"),
    *("bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"),
)
_SWAPPED = {"bvugt": "bvult", "bvuge": "bvule", "bvsgt": "bvslt", "bvsge": "bvsle", ">": "<", ">=": "<="}
_BIT_TESTS = frozenset(["bvult", "bvule", "bvslt", "bvsle"])


class Function(NamedTuple):
    """An uninterpreted function, or a predicate."""

    name: str
    arguments: tuple[Sort, ...]
    result: Sort


def numeral(text: str) -> int:
    if not _NUMBER.fullmatch(text) or len(text) > MOST_DIGITS:
        raise Unreadable("a number expected, of no more than 100,000 digits")
    return int(Decimal(text)) if len(text) > 4000 else int(text)


class TermReader:
    """``variables`` and ``functions`` by name. Sorts that nobody declared are uninterpreted."""

    def __init__(self, variables: Mapping[str, Term], functions: Mapping[str, Function]) -> None:
        self.variables = variables
        self.functions = functions

    # --- sorts ------------------------------------------------------------------------------------------------------

    def sort(self, node: Node, depth: int = 0) -> Sort:
        if depth > 100:
            raise Unreadable("a sort is nested too deeply")
        if isinstance(node, Name):
            return ("Sort", node.text)
        if isinstance(node, str):
            return (node,) if node in ("Bool", "Int", "Real") else ("Sort", node)
        if len(node) == 3 and node[:2] == ["_", "BitVec"] and isinstance(node[2], str):
            return bits(numeral(node[2]))
        if len(node) == 3 and node[0] == "Array":
            return array(self.sort(node[1], depth + 1), self.sort(node[2], depth + 1))
        raise Unreadable("a sort expected")

    # --- terms ------------------------------------------------------------------------------------------------------

    def read(self, root: Node) -> Term:
        """Without recursion: a stack of what is to be read and to be built; ``bound`` are the names of lets and
        quantifiers, the innermost last."""
        results: list[Term] = []
        bound: dict[str, list[Term]] = {}
        todo: list[tuple[str, Node]] = [("read", root)]
        while todo:
            what, node = todo.pop()
            if what == "read":
                self._read(node, results, bound, todo)
            elif what == "build":
                head, count = node
                args = tuple(results[len(results) - count :])
                del results[len(results) - count :]
                results.append(self._built(head, args))
            elif what == "bind":
                names, after = node
                values = results[len(results) - len(names) :]
                del results[len(results) - len(names) :]
                for name, term in zip(names, values, strict=True):
                    bound.setdefault(name, []).append(term)
                todo += [("release", names), ("read", after)]
            elif what == "release":
                for name in node:
                    bound[name].pop()
            else:
                quantifier, variables = node
                body = _boolean(results.pop())
                results.append(Term(quantifier, (body,), BOOL, variables))
        return results[0]

    def _read(
        self, node: Node, results: list[Term], bound: dict[str, list[Term]], todo: list[tuple[str, Node]]
    ) -> None:
        if not isinstance(node, list):
            results.append(self._atom(node, bound))
            return
        if not node:
            raise Unreadable("an empty list is no term")
        head = node[0]
        if head == "let" and len(node) == 3:
            pairs = [pair for pair in _list(node[1]) if len(_list(pair)) == 2]
            names = [name_of(pair[0]) for pair in pairs]
            if len(pairs) != len(node[1]) or len(set(names)) != len(names):
                raise Unreadable("a let binds distinct names to a term each")
            todo.append(("bind", (names, node[2])))
            todo.extend(("read", pair[1]) for pair in reversed(pairs))
        elif head in ("forall", "exists") and len(node) == 3:
            variables = self.declarations(node[1])
            names = [str(v.data) for v in variables]
            for variable in variables:
                bound.setdefault(str(variable.data), []).append(variable)
            todo += [("quantify", (head, variables)), ("release", names), ("read", node[2])]
        elif head == "!" and len(node) >= 2:  # patterns only help a search
            todo.append(("read", node[1]))
        elif head == "_" and len(node) == 3 and isinstance(node[1], str) and _BV.fullmatch(node[1]):
            width = bits(numeral(name_of(node[2])))
            results.append(_literal(numeral(node[1][2:]), width))
        else:
            todo.append(("build", (head, len(node) - 1)))
            todo.extend(("read", part) for part in reversed(node[1:]))

    def declarations(self, node: Node) -> tuple[Term, ...]:
        """``((x Int) (y Bool))``"""
        pairs = _list(node)
        if not all(len(_list(pair)) == 2 for pair in pairs):
            raise Unreadable("a variable is declared by its name and its sort")
        made = tuple(var(name_of(pair[0]), self.sort(pair[1])) for pair in pairs)
        if len({v.data for v in made}) != len(made):
            raise Unreadable("two variables of one name are declared together")
        return made

    def _atom(self, node: Node, bound: dict[str, list[Term]]) -> Term:
        name = name_of(node)
        if node in ("true", "false"):  # a variable of that name is written in another way
            return TRUE if node == "true" else FALSE
        inner = bound.get(name)
        found = inner[-1] if inner else self.variables.get(name)
        if found is not None:
            return found
        if isinstance(node, str):
            if _NUMBER.fullmatch(node):
                return integer(numeral(node))
            if _DECIMAL.fullmatch(node) and len(node) < MOST_DIGITS:
                return value(Fraction(node), REAL)
            if match := _BITS.fullmatch(node):
                digits, base = (match[1], 2) if match[1] else (match[2], 16)
                return _literal(int(digits, base), bits(len(digits) * (1 if base == 2 else 4)))
        function = self.functions.get(name)
        if function is not None and not function.arguments:
            return Term("apply", (), function.result, function)
        raise Unreadable(f"{name[:60]!r} is not known")

    def _built(self, head: Node, args: tuple[Term, ...]) -> Term:
        if isinstance(head, list):
            return self._indexed(head, args)
        build = _OPERATORS.get(head) if isinstance(head, str) else None
        if build is not None:
            return build(head, args)
        function = self.functions.get(name_of(head))
        if function is not None:
            if tuple(a.sort for a in args) != function.arguments:
                raise Unreadable(f"{function.name[:60]!r} is applied to other sorts than its own")
            return Term("apply", args, function.result, function)
        raise Unreadable(f"the operator {name_of(head)[:60]!r} is not known")

    def _indexed(self, head: Node, args: tuple[Term, ...]) -> Term:
        if len(args) != 1:
            raise Unreadable("an indexed operator takes one argument")
        (a,) = args
        if len(head) == 3 and head[:2] == ["as", "const"]:
            sort = self.sort(head[2])
            if sort[0] != "Array" or sort[2] != a.sort:
                raise Unreadable("a constant array is of another sort than its element")
            return Term("const", args, sort)
        if len(head) < 3 or head[0] != "_" or not all(isinstance(part, str) for part in head[1:]):
            raise Unreadable("an operator expected")
        word, indices = head[1], tuple(numeral(part) for part in head[2:])
        if word == "int_to_bv" and len(indices) == 1 and a.sort == INT:
            return Term(word, args, bits(indices[0]), indices)
        width = _width(a)
        if word == "extract" and len(indices) == 2 and width > indices[0] >= indices[1]:
            return Term(word, args, bits(indices[0] - indices[1] + 1), indices)
        if word in ("zero_extend", "sign_extend") and len(indices) == 1:
            return Term(word, args, bits(width + indices[0]), indices)
        raise Unreadable(f"the operator (_ {word[:60]} ...) is not known, or its indices are wrong")


# --- operators --------------------------------------------------------------------------------------------------------


def _list(node: Node) -> list[Node]:
    if not isinstance(node, list):
        raise Unreadable("a list expected")
    return node


def _literal(number: int, sort: Sort) -> Term:
    if number >> sort[1]:
        raise Unreadable("a bit vector's value has more bits than its sort")
    return value(number, sort)


def _boolean(term: Term) -> Term:
    if term.sort != BOOL:
        raise Unreadable(f"a Bool expected, not {show(term.sort)}")
    return term


def _width(term: Term) -> int:
    if term.sort[0] != "BitVec":
        raise Unreadable(f"a bit vector expected, not {show(term.sort)}")
    return int(term.sort[1])


def _need(condition: bool, word: str) -> None:
    if not condition:
        raise Unreadable(f"{word} does not take these arguments")


def _same(word: str, args: tuple[Term, ...], least: int = 2) -> Sort:
    _need(len(args) >= least and all(a.sort == args[0].sort for a in args), word)
    return args[0].sort


def _numbers(word: str, args: tuple[Term, ...], least: int = 2) -> tuple[tuple[Term, ...], Sort]:
    """Where Reals and Ints meet, the Ints are taken as Reals."""
    if any(a.sort == REAL for a in args):
        args = tuple(Term("to_real", (a,), REAL) if a.sort == INT else a for a in args)
    sort = _same(word, args, least)
    _need(sort in (INT, REAL), word)
    return args, sort


def _connective(word: str, args: tuple[Term, ...]) -> Term:
    for a in args:
        _boolean(a)
    return Term(word, args, BOOL) if len(args) != 1 else args[0]


def _implies(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) >= 1, word)
    return reduce(lambda done, a: Term("=>", (_boolean(a), done), BOOL), args[-2::-1], _boolean(args[-1]))


def _not(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 1, word)
    return Term("not", (_boolean(args[0]),), BOOL)


def _ite(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 3 and args[1].sort == args[2].sort, word)
    return Term("ite", (_boolean(args[0]), *args[1:]), args[1].sort)


def _equality(word: str, args: tuple[Term, ...]) -> Term:
    if {a.sort for a in args} == {INT, REAL}:
        args, _ = _numbers(word, args)
    _same(word, args)
    pairs = [Term("=", pair, BOOL) for pair in pairwise(args)]
    return pairs[0] if len(pairs) == 1 else conj(*pairs)


def _distinct(word: str, args: tuple[Term, ...]) -> Term:
    _same(word, args)
    return Term(word, args, BOOL)


def _compare(word: str, args: tuple[Term, ...]) -> Term:
    args, _ = _numbers(word, args)
    if word in _SWAPPED:
        word, args = _SWAPPED[word], args[::-1]
    pairs = [Term(word, pair, BOOL) for pair in pairwise(args)]
    return pairs[0] if len(pairs) == 1 else conj(*pairs)


def _arithmetic(word: str, args: tuple[Term, ...]) -> Term:
    if word == "-" and len(args) == 1:
        (a,) = args
        _need(a.sort in (INT, REAL), word)
        return value(-a.data, a.sort) if a.op == "value" else Term("neg", args, a.sort)
    args, sort = _numbers(word, args)
    return reduce(lambda a, b: Term(word, (a, b), sort), args)


def _divide(word: str, args: tuple[Term, ...]) -> Term:
    """A quotient of literals is a literal."""
    args = tuple(Term("to_real", (a,), REAL) if a.sort == INT and a.op != "value" else a for a in args)
    args = tuple(value(Fraction(a.data), REAL) if a.sort == INT else a for a in args)
    _need(_same(word, args) == REAL and len(args) == 2, word)
    if args[0].op == args[1].op == "value" and args[1].data:
        return value(args[0].data / args[1].data, REAL)
    return Term(word, args, REAL)


def _integral(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 2 and _same(word, args) == INT, word)
    return Term(word, args, INT)


def _convert(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 1 and args[0].sort == (INT if word == "to_real" else REAL), word)
    return Term(word, args, REAL if word == "to_real" else INT)


def _select(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 2 and args[0].sort[0] == "Array" and args[0].sort[1] == args[1].sort, word)
    return Term(word, args, args[0].sort[2])


def _store(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 3 and args[0].sort == ("Array", args[1].sort, args[2].sort), word)
    return Term(word, args, args[0].sort)


def _bit_operator(word: str, args: tuple[Term, ...]) -> Term:
    sort = _same(word, args)
    _width(args[0])
    return reduce(lambda a, b: Term(word, (a, b), sort), args)


def _bit_unary(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 1, word)
    _width(args[0])
    return Term(word, args, args[0].sort)


def _bit_test(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 2, word)
    _same(word, args)
    _width(args[0])
    if word in _SWAPPED:
        word, args = _SWAPPED[word], args[::-1]
    return Term(word, args, BOOL)


def _concat(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) >= 2, word)
    return reduce(lambda a, b: Term(word, (a, b), bits(_width(a) + _width(b))), args)


def _to_number(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 1, word)
    _width(args[0])
    return Term("ubv_to_int", args, INT)


def _xor(word: str, args: tuple[Term, ...]) -> Term:
    _need(len(args) == 2, word)
    return neg(Term("=", (_boolean(args[0]), _boolean(args[1])), BOOL))


_OPERATORS: dict[str, Callable[[str, tuple[Term, ...]], Term]] = {
    **dict.fromkeys(("and", "or"), _connective),
    **dict.fromkeys(("<", "<=", ">", ">="), _compare),
    **dict.fromkeys(("+", "-", "*"), _arithmetic),
    **dict.fromkeys(("div", "mod"), _integral),
    **dict.fromkeys(("to_real", "to_int"), _convert),
    **dict.fromkeys(_SAME, _bit_operator),
    **dict.fromkeys(("bvnot", "bvneg"), _bit_unary),
    **dict.fromkeys((*_BIT_TESTS, "bvugt", "bvuge", "bvsgt", "bvsge"), _bit_test),
    **dict.fromkeys(("ubv_to_int", "bv2nat"), _to_number),
    "=>": _implies,
    "not": _not,
    "xor": _xor,
    "ite": _ite,
    "=": _equality,
    "distinct": _distinct,
    "/": _divide,
    "select": _select,
    "store": _store,
    "concat": _concat,
}
