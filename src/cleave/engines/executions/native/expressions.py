"""Terms as C expressions.

    (bvadd k (_ bv1 32))    ──▶    ((l2 + 1ul) & 0xfffffffful)

A bit vector is an unsigned number below 2^width: ``u64`` up to 64 bit, ``u128`` up to 128. A Boolean is a ``u64``, 0 or
1. An array is a ``struct map *``; only elements of one are expressions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cleave.engines.executions.native.floats import float_call
from cleave.errors import UnsupportedError
from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.operations import FLOATING
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder

_INFIX = {Op.BV_ADD: "+", Op.BV_SUB: "-", Op.BV_MUL: "*", Op.BV_AND: "&", Op.BV_OR: "|", Op.BV_XOR: "^"}
_COMPARED = {Op.EQ: "==", Op.BV_ULT: "<", Op.BV_ULE: "<="}
_SIGNED = {Op.BV_SLT: "<", Op.BV_SLE: "<="}
_CALLED = {
    Op.BV_UDIV: "udiv",
    Op.BV_UREM: "urem",
    Op.BV_SDIV: "sdiv",
    Op.BV_SREM: "srem",
    Op.BV_SMOD: "smod",
    Op.BV_SHL: "shl",
    Op.BV_LSHR: "lshr",
    Op.BV_ASHR: "ashr",
}
_LONGEST = 400  # characters of an expression that is written into the one that uses it

# Functions for both sizes; F(name) is name64 or name128.
_SIZED = """
static inline U F(udiv)(U a, U b, int w) { return b ? DIVIDE(a, b) : MASK(w); }
static inline U F(urem)(U a, U b, int w) { return b ? REST(a, b) : a; }
static inline int F(negative)(U a, int w) { return (int)(a >> (w - 1)); }
static inline U F(size)(U a, int w) { return F(negative)(a, w) ? (-a & MASK(w)) : a; }
static inline U F(sdiv)(U a, U b, int w) {
  U q = F(udiv)(F(size)(a, w), F(size)(b, w), w);
  return F(negative)(a, w) != F(negative)(b, w) ? (-q & MASK(w)) : q;
}
static inline U F(srem)(U a, U b, int w) {
  U r = F(urem)(F(size)(a, w), F(size)(b, w), w);
  return F(negative)(a, w) ? (-r & MASK(w)) : r;
}
static inline U F(smod)(U a, U b, int w) {
  U r = F(urem)(F(size)(a, w), F(size)(b, w), w);
  if (F(negative)(a, w)) r = -r & MASK(w);
  return r && F(negative)(a, w) != F(negative)(b, w) ? (r + b) & MASK(w) : r;
}
static inline U F(shl)(U a, U b, int w) { return b < w ? (a << (int)b) & MASK(w) : 0; }
static inline U F(lshr)(U a, U b, int w) { return b < w ? a >> (int)b : 0; }
static inline U F(ashr)(U a, U b, int w) {
  U sign = F(negative)(a, w) ? MASK(w) : 0;
  return b < w ? ((a >> (int)b) | (b ? (sign << (w - (int)b)) & MASK(w) : 0)) : sign;
}
static inline U F(flip)(U a, int w) { return a ^ ((U)1 << (w - 1)); }  /* signed order as unsigned order */
static inline U F(extend)(U a, int from, int to) {
  return F(negative)(a, from) ? (a | (MASK(to) & ~MASK(from))) : a;
}
"""
OPERATORS = (
    """
static u128 divide128(u128 a, u128 b, u128 *rest) {
  u128 q = 0, r = 0;
  for (int i = 127; i >= 0; i--) {
    int top = (int)(r >> 127);
    r = r << 1 | ((a >> i) & 1);
    if (top || r >= b) { r -= b; q |= (u128)1 << i; }
  }
  *rest = r;
  return q;
}
static u128 quotient128(u128 a, u128 b) { u128 r; return divide128(a, b, &r); }
static u128 rest128(u128 a, u128 b) { u128 r; divide128(a, b, &r); return r; }
#define U u64
#define F(name) name##64
#define MASK(w) ((w) == 64 ? ~0ul : (1ul << (w)) - 1)
#define DIVIDE(a, b) ((a) / (b))
#define REST(a, b) ((a) % (b))
"""
    + _SIZED
    + """
#undef U
#undef F
#undef MASK
#undef DIVIDE
#undef REST
#define U u128
#define F(name) name##128
#define MASK(w) ((w) == 128 ? ~(u128)0 : ((u128)1 << (w)) - 1)
#define DIVIDE(a, b) quotient128(a, b)
#define REST(a, b) rest128(a, b)
"""
    + _SIZED
)


def size(sort: Sort) -> int:
    """64 or 128: the bits of the C type."""
    if sort.is_bool or (sort.is_bitvec and sort.width <= 64):
        return 64
    if sort.is_bitvec and sort.width <= 128:
        return 128
    raise UnsupportedError(f"values of sort {sort!r} are not executed in machine code")


def constant(value: int, sort: Sort) -> str:
    if size(sort) == 64:
        return f"{int(value)}ul"
    return f"((u128){value >> 64}ul << 64 | {value & (1 << 64) - 1}ul)"


def mask(sort: Sort) -> str:
    return constant((1 << sort.width) - 1, sort)


class Expressions:
    """Of one statement: lines to execute first, and names for what is used more than once."""

    def __init__(self, places: Mapping[Term, str], prefix: str) -> None:
        self._places = places
        self._prefix = prefix
        self.lines: list[str] = []
        self._texts: dict[Term, str] = {}

    def texts(self, roots: Sequence[Term]) -> list[str]:
        uses: dict[Term, int] = {}
        order = list(postorder(roots))
        for node in order:
            for argument in node.args:
                uses[argument] = uses.get(argument, 0) + 1
        for node in order:
            if node in self._texts or node.sort.is_array:
                continue
            text = self._text(node)
            if node.args and (uses.get(node, 0) > 1 or len(text) > _LONGEST):
                text = self.named(text, node.sort)
            self._texts[node] = text
        return [self._texts[root] for root in roots]

    def named(self, text: str, sort: Sort) -> str:
        name = f"{self._prefix}{len(self.lines)}"
        self.lines.append(f"u{size(sort)} {name} = {text};")
        return name

    def _text(self, node: Term) -> str:
        op, sort = node.op, node.sort
        size(sort)
        if op is Op.VAR:
            if node not in self._places:
                raise UnsupportedError(f"{node.value} is not executed")
            return self._places[node]
        if op is Op.VALUE:
            return constant(int(node.value), sort)
        if op is Op.SELECT:
            return self._element(node.args[0], self._texts[node.args[1]])
        if any(argument.sort.is_array for argument in node.args):
            raise UnsupportedError("whole arrays are compared")
        if op in FLOATING:
            return self._float(node)
        return self._operation(node, [self._texts[argument] for argument in node.args])

    def _operation(self, node: Term, args: list[str]) -> str:
        op, sort = node.op, node.sort
        first = node.args[0].sort
        if op in _INFIX:
            text = f"({args[0]} {_INFIX[op]} {args[1]})"
            return text if op in (Op.BV_AND, Op.BV_OR, Op.BV_XOR) else f"({text} & {mask(sort)})"
        if op in _COMPARED and len(args) == 2:
            return f"((u64)({args[0]} {_COMPARED[op]} {args[1]}))"
        if op in _SIGNED:
            flipped = [f"flip{size(first)}({argument}, {first.width})" for argument in args]
            return f"((u64)({flipped[0]} {_SIGNED[op]} {flipped[1]}))"
        if op in _CALLED:
            return f"{_CALLED[op]}{size(sort)}({args[0]}, {args[1]}, {sort.width})"
        match op:
            case Op.NOT:
                return f"(u64)!{args[0]}"
            case Op.AND:
                return f"((u64)({' && '.join(args)}))"
            case Op.OR:
                return f"((u64)({' || '.join(args)}))"
            case Op.IMPLIES if len(args) == 2:
                return f"((u64)(!{args[0]} || {args[1]}))"
            case Op.ITE:
                return f"({args[0]} ? {args[1]} : {args[2]})"
            case Op.DISTINCT if len(args) == 2:
                return f"((u64)({args[0]} != {args[1]}))"
            case Op.BV_NOT:
                return f"(~{args[0]} & {mask(sort)})"
            case Op.BV_NEG:
                return f"(-{args[0]} & {mask(sort)})"
            case Op.ZERO_EXTEND:
                return f"((u{size(sort)}){args[0]})"
            case Op.SIGN_EXTEND:
                return f"extend{size(sort)}({args[0]}, {first.width}, {sort.width})"
            case Op.EXTRACT:
                return f"((u{size(sort)})({args[0]} >> {node.value[1]}) & {mask(sort)})"
            case Op.CONCAT:
                low = node.args[1].sort.width
                return f"((u{size(sort)}){args[0]} << {low} | {args[1]})"
        raise UnsupportedError(f"{op.value} is not executed in machine code")

    def _float(self, node: Term) -> str:
        called = float_call(node, [self._texts[argument] for argument in node.args])
        return self.texts((circuit(node),))[0] if called is None else called

    def _element(self, array: Term, index: str) -> str:
        """Of a variable, or of one that was just written to."""
        match array.op:
            case Op.VAR if array in self._places:
                return f"((u{size(array.sort.element)})get({self._places[array]}, {index}))"
            case Op.STORE:
                base, key, value = array.args
                key_text, value_text = self.texts((key, value))
                return f"({index} == {key_text} ? {value_text} : {self._element(base, index)})"
            case Op.ITE:
                (condition,) = self.texts(array.args[:1])
                return f"({condition} ? {self._element(array.args[1], index)} : {self._element(array.args[2], index)})"
            case Op.CONST_ARRAY:
                return self.texts(array.args)[0]
        raise UnsupportedError(f"arrays made by {array.op.value} are not executed in machine code")
