"""From terms to the literals of a circuit: bit-blasting.

    blasting = Blasting(gates)
    blasting.define(x, bv_binary(Op.BV_ADD, y, one))       # x is another name of the sum's bits, without a clause
    blasting.literal(bv_compare(Op.BV_ULT, x, y))          # of a Boolean term

A bit vector is its bits, a Boolean is one. Arrays have none: their elements are read, see `blasted_arrays`. Int, Real,
data types, uninterpreted sorts and quantifiers are refused with `UnsupportedError`.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.errors import UnsupportedError
from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.operations import FLOATING
from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder
from cleave.smt.sat import bits as b
from cleave.smt.sat.bits import Bits
from cleave.smt.sat.blasted_arrays import Arrays, Element, Reads
from cleave.smt.sat.gates import FALSE, Gates

_BINARY: dict[Op, Callable[[Gates, Bits, Bits], Bits]] = {
    Op.BV_AND: lambda gates, x, y: tuple(gates.conj(pair) for pair in zip(x, y, strict=True)),
    Op.BV_OR: lambda gates, x, y: tuple(gates.disj(pair) for pair in zip(x, y, strict=True)),
    Op.BV_XOR: lambda gates, x, y: tuple(gates.xor(*pair) for pair in zip(x, y, strict=True)),
    Op.BV_ADD: b.add,
    Op.BV_SUB: b.subtract,
    Op.BV_MUL: b.multiply,
    Op.BV_UDIV: lambda gates, x, y: b.divide(gates, x, y)[0],
    Op.BV_UREM: lambda gates, x, y: b.divide(gates, x, y)[1],
    Op.BV_SDIV: lambda gates, x, y: b.signed_divide(gates, x, y)[0],
    Op.BV_SREM: lambda gates, x, y: b.signed_divide(gates, x, y)[1],
    Op.BV_SMOD: b.signed_modulo,
    Op.BV_SHL: b.shift_left,
    Op.BV_LSHR: b.shift_right,
    Op.BV_ASHR: lambda gates, x, y: b.shift_right(gates, x, y, x[-1]),
    Op.BV_ULT: lambda gates, x, y: (b.unsigned_less(gates, x, y),),
    Op.BV_ULE: lambda gates, x, y: (b.unsigned_less(gates, x, y, or_equal=True),),
    Op.BV_SLT: lambda gates, x, y: (b.signed_less(gates, x, y),),
    Op.BV_SLE: lambda gates, x, y: (b.signed_less(gates, x, y, or_equal=True),),
    Op.IMPLIES: lambda gates, x, y: (gates.disj((-x[0], y[0])),),
    Op.CONCAT: lambda gates, x, y: (*y, *x),
}


class Blasting:
    """``variable`` and ``element`` say which bits a variable and an element of one have: new ones, unless told."""

    def __init__(
        self,
        gates: Gates,
        variable: Callable[[Term], Bits] | None = None,
        element: Element | None = None,
        defined_arrays: dict[Term, Term] | None = None,
    ) -> None:
        self._gates = gates
        self._variable = variable or (lambda term: b.fresh(gates, b.width(term.sort)))
        self._seen: set[Term] = set()
        self.variables: dict[Term, Bits] = {}
        self.made: dict[Term, Bits] = {}
        self.reads = Reads(gates)
        self.defined_arrays: dict[Term, Term] = {} if defined_arrays is None else defined_arrays
        self._element = element or self.reads.element
        self._arrays = Arrays(gates, self.made, self._element, self.defined_arrays)

    def literal(self, term: Term) -> int:
        return self.bits(term)[0]

    def bits(self, term: Term) -> Bits:
        self._visit(term)
        return self.made[term]

    def define(self, variable: Term, value: Term) -> bool:
        """From now on, the variable is the value; not if anything uses it already."""
        self._visit(value)
        if variable in self._seen:
            return False
        self._seen.add(variable)
        if variable.sort.is_array:
            self.defined_arrays[variable] = value
        else:
            self.made[variable] = self.variables[variable] = self.made[value]
        return True

    def _visit(self, term: Term) -> None:
        for node in postorder((term,), self._seen):
            try:
                if not node.sort.is_array:
                    self.made[node] = self._bits(node)
            except BaseException:
                self._seen.discard(node)
                raise

    def _bits(self, node: Term) -> Bits:
        gates, op = self._gates, node.op
        if op is Op.SELECT:
            b.width(node.sort)
            return self._arrays.read(node.args[0], self.made[node.args[1]])
        if op is Op.EQ and node.args[0].sort.is_array:
            raise UnsupportedError("bit-blasting does not compare arrays")
        args = [self.made[arg] for arg in node.args]
        simple = _BINARY.get(op)
        if simple is not None:
            return simple(gates, *args)
        if op in FLOATING:
            return self.bits(circuit(node))
        match op:
            case Op.VAR:
                self.variables[node] = self._variable(node)
                return self.variables[node]
            case Op.APPLY:
                return self._element(node.value, tuple(bit for arg in args for bit in arg))
            case Op.VALUE:
                return b.constant(int(node.value), b.width(node.sort))
            case Op.NOT | Op.BV_NOT:
                return b.invert(args[0])
            case Op.AND:
                return (gates.conj([arg[0] for arg in args]),)
            case Op.OR:
                return (gates.disj([arg[0] for arg in args]),)
            case Op.ITE:
                return b.choose(gates, args[0][0], args[1], args[2])
            case Op.EQ:
                return (b.equal(gates, args[0], args[1]),)
            case Op.DISTINCT:
                pairs = ((x, y) for place, x in enumerate(args) for y in args[:place])
                return (gates.conj([-b.equal(gates, x, y) for x, y in pairs]),)
            case Op.BV_NEG:
                return b.negate(gates, args[0])
            case Op.EXTRACT:
                high, low = node.value
                return args[0][low : high + 1]
            case Op.ZERO_EXTEND:
                return (*args[0], *(FALSE,) * node.value)
            case Op.SIGN_EXTEND:
                return (*args[0], *(args[0][-1],) * node.value)
        raise UnsupportedError(f"bit-blasting does not handle {op.value} on {node.sort!r}")
