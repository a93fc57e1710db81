"""Terms as Python: a term of the program is executed thousands of times, so it is compiled once.

    (bvadd k (_ bv1 32))    ──▶    l[2] + 1 & 4294967295          where k is the third of its frame's variables

Values are those of `logic.values`; variables are places in two lists, ``l`` of the frame and ``g`` of the
program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from cleave.errors import UnsupportedError
from cleave.logic.operators import DIVISIONS, OPERATORS
from cleave.logic.sorts import SortKind
from cleave.logic.terms import Op, Term
from cleave.logic.values import MapValue, Value
from cleave.logic.walk import postorder

Function = Callable[[list[Value], list[Value]], Any]

_LONGEST = 200  # characters of a term that is written into the one that uses it
_MOST_BITS = 20_000  # of a number: in a loop, products and fractions grow without end
_BRANCHING = {Op.AND: " and ", Op.OR: " or "}
_WRAPPED = {Op.BV_ADD: "+", Op.BV_SUB: "-", Op.BV_MUL: "*"}
_PLAIN = {
    Op.BV_AND: "&",
    Op.BV_OR: "|",
    Op.BV_XOR: "^",
    Op.BV_ULT: "<",
    Op.BV_ULE: "<=",
    Op.EQ: "==",
    Op.LE: "<=",
    Op.LT: "<",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
}
_SIGNED = {Op.BV_SLT: "<", Op.BV_SLE: "<="}


class Source:
    """Python functions of the two lists, all compiled at once."""

    def __init__(self, places: Mapping[Term, str]) -> None:
        self._places = places
        self._objects: dict[str, Any] = {"store": _store, "small": _small}
        self._functions: list[str] = []

    def value(self, term: Term) -> int:
        """A function that gives the value of a term; its number is returned."""
        lines, (text,) = self._terms((term,))
        return self._function([*lines, f"return {text}"])

    def values(self, terms: tuple[Term, ...]) -> int:
        """A function that gives a list of values."""
        lines, texts = self._terms(terms)
        return self._function([*lines, f"return [{', '.join(texts)}]"])

    def assign(self, targets: tuple[Term, ...], values: tuple[Term, ...]) -> int:
        """A function that assigns all values at once."""
        lines, texts = self._terms(values)
        left = ", ".join(self._places[target] for target in targets)
        return self._function([*lines, f"{left} = {', '.join(texts)}" if targets else "pass"])

    def nothing(self) -> int:
        return self._function(["pass"])

    def compiled(self) -> list[Function]:
        """The functions, in the order of their numbers."""
        scope = dict(self._objects)
        exec("\n".join(self._functions), scope)
        return [scope[f"f{number}"] for number in range(len(self._functions))]

    def _function(self, lines: list[str]) -> int:
        number = len(self._functions)
        body = "\n ".join(lines)
        self._functions.append(f"def f{number}(l, g):\n {body}")
        return number

    def _terms(self, roots: Sequence[Term]) -> tuple[list[str], list[str]]:
        """Lines to execute first, and an expression for each of the terms."""
        uses: dict[Term, int] = {}
        order = list(postorder(roots))
        for node in order:
            for argument in node.args:
                uses[argument] = uses.get(argument, 0) + 1
        lines: list[str] = []
        texts: dict[Term, str] = {}
        for node in order:
            text = self._text(node, texts)
            if node.args and (uses.get(node, 0) > 1 or len(text) > _LONGEST):
                lines.append(f"t{len(lines)} = {text}")
                text = f"t{len(lines) - 1}"
            texts[node] = text
        return lines, [texts[root] for root in roots]

    def _text(self, node: Term, texts: Mapping[Term, str]) -> str:
        if node.op is Op.VAR:
            if node not in self._places:
                raise UnsupportedError(f"{node.value} is bound by a quantifier, or an old value")
            return self._places[node]
        if node.op is Op.VALUE:
            return repr(node.value) if node.sort.kind is not SortKind.REAL else self._object(node.value)
        return self._operation(node, [texts[argument] for argument in node.args])

    def _operation(self, node: Term, args: list[str]) -> str:
        op = node.op
        if op in _BRANCHING:
            return f"({_BRANCHING[op].join(args)})"
        if op in _WRAPPED:
            return f"({args[0]} {_WRAPPED[op]} {args[1]} & {(1 << node.sort.width) - 1})"
        if op in _PLAIN:
            if node.args[0].sort.is_array:
                raise UnsupportedError("whole arrays are compared")
            text = f"({args[0]} {_PLAIN[op]} {args[1]})"
            return f"small{text}" if op is Op.MUL or node.sort.kind is SortKind.REAL else text
        if op in _SIGNED:
            half = 1 << (node.args[0].sort.width - 1)
            return f"(({args[0]} ^ {half}) {_SIGNED[op]} ({args[1]} ^ {half}))"
        special = self._special(node, args)
        if special is not None:
            return special
        operator = OPERATORS.get(op)
        if operator is None or op in DIVISIONS:
            raise UnsupportedError(f"{op.value} is not executed")
        return f"{self._object(operator)}({', '.join((self._object(node), *args))})"

    def _special(self, node: Term, args: list[str]) -> str | None:
        match node.op:
            case Op.NOT:
                return f"(not {args[0]})"
            case Op.IMPLIES:
                return f"(not {args[0]} or {args[1]})"
            case Op.ITE:
                return f"({args[1]} if {args[0]} else {args[2]})"
            case Op.SELECT:
                return f"{args[0]}[{args[1]}]"
            case Op.STORE:
                return f"store({', '.join(args)})"
            case Op.ZERO_EXTEND:
                return args[0]
            case Op.EXTRACT:
                return f"({args[0]} >> {node.value[1]} & {(1 << node.sort.width) - 1})"
        return None

    def _object(self, value: Any) -> str:
        name = f"o{len(self._objects)}"
        self._objects[name] = value
        return name


def _store(old: MapValue, key: Value, value: Value) -> MapValue:
    """Not in the normal form of maps: these are never compared."""
    return MapValue(old.default, {**old.entries, key: value})


def _small(value: int | Fraction) -> int | Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > _MOST_BITS:
        raise UnsupportedError("numbers become too large to be computed with")
    return value
