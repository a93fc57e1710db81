"""Arrays and functions in a circuit: only elements that are read have bits.

    read(store(memory, i, v), j)  =  v if i = j, else read(memory, j)

What is read from a variable is a new bit vector for each index. Two of them are equal where their indices are. That is
complete because arrays are compared nowhere: an equality that does not just give a variable its value is refused. The
results of a function are read in the same way, its arguments being the index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cleave.errors import UnsupportedError
from cleave.logic.sorts import Sort
from cleave.logic.terms import Function, Op, Term
from cleave.smt.sat import bits as b
from cleave.smt.sat.bits import Bits
from cleave.smt.sat.gates import FALSE, TRUE, Gates

Table = Term | Function
"""What is read from: a variable or a function."""
Element = Callable[[Table, Bits], Bits]
"""An element, given its index."""


def element_sort(table: Table) -> Sort:
    return table.sort.element if isinstance(table, Term) else table.result


class Reads:
    """The elements that were read: ``made[table][index]``."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self.made: dict[Table, dict[Bits, Bits]] = {}

    def element(self, table: Table, index: Bits) -> Bits:
        known = self.made.setdefault(table, {})
        if index in known:
            return known[index]
        element = b.fresh(self._gates, b.width(element_sort(table)))
        for other, value in known.items():
            same = b.equal(self._gates, index, other)
            if same != FALSE:
                for x, y in zip(element, value, strict=True):
                    self._gates.require((-same, -x, y))
                    self._gates.require((-same, x, -y))
        known[index] = element
        return element


class Arrays:
    """``bits`` are those of the terms inside arrays, which come before; ``defined`` are variables with a value."""

    def __init__(self, gates: Gates, bits: Mapping[Term, Bits], element: Element, defined: dict[Term, Term]) -> None:
        self._gates = gates
        self._bits = bits
        self._element = element
        self._defined = defined
        self._read: dict[tuple[Term, Bits], Bits] = {}

    def read(self, array: Term, index: Bits) -> Bits:
        found, stack = self._read, [array]
        while stack:
            node = stack[-1]
            waiting = [inner for inner in self._needed(node, index) if (inner, index) not in found]
            if (node, index) in found:
                stack.pop()
            elif waiting:
                stack += waiting
            else:
                found[node, index] = self._combined(node, index)
                stack.pop()
        return found[array, index]

    def _needed(self, array: Term, index: Bits) -> tuple[Term, ...]:
        """The arrays of which the element is needed first."""
        match array.op:
            case Op.STORE:
                return array.args[:1] if self._is_stored(array, index) != TRUE else ()
            case Op.ITE:
                condition = self._bits[array.args[0]][0]
                return (
                    array.args[1:]
                    if abs(condition) != TRUE
                    else array.args[1:2]
                    if condition == TRUE
                    else array.args[2:]
                )
            case Op.VAR:
                return (self._defined[array],) if array in self._defined else ()
        return ()

    def _combined(self, array: Term, index: Bits) -> Bits:
        below = [self._read[inner, index] for inner in self._needed(array, index)]
        match array.op:
            case Op.STORE:
                value = self._bits[array.args[2]]
                return b.choose(self._gates, self._is_stored(array, index), value, below[0]) if below else value
            case Op.ITE:
                condition = self._bits[array.args[0]][0]
                return b.choose(self._gates, condition, *below) if len(below) == 2 else below[0]
            case Op.VAR:
                return below[0] if below else self._element(array, index)
            case Op.CONST_ARRAY:
                return self._bits[array.args[0]]
        raise UnsupportedError(f"bit-blasting does not handle arrays by {array.op.value}")

    def _is_stored(self, array: Term, index: Bits) -> int:
        return b.equal(self._gates, self._bits[array.args[1]], index)
