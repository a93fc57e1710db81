"""Operators on floating-point numbers as C that the processor's own floating point executes.

    (fp.add a b)    ──▶    add_double(a, b)

Only what IEEE 754 fixes is left to the processor: NaNs are dealt with before and after. Other formats, other ways to
round, and roots are computed on the bits.
"""

from __future__ import annotations

from cleave.logic.floats.formats import DOUBLE, SINGLE, Rounding
from cleave.logic.floats.operations import COMPARISONS, FROM_INTEGERS
from cleave.logic.terms import Op, Term

_NAMES = {SINGLE: "single", DOUBLE: "double"}
_CALLED = {Op.FP_ADD: "add", Op.FP_SUB: "sub", Op.FP_MUL: "mul", Op.FP_DIV: "div"}
_COMPARED = {Op.FP_EQ: "eq", Op.FP_LT: "lt", Op.FP_LE: "le"}

_FORMAT = """
static inline T F(of)(u64 a) { union { W bits; T number; } u; u.bits = (W)a; return u.number; }
static inline u64 F(bits)(T a) { union { W bits; T number; } u; u.number = a; return u.bits; }
static inline int F(nan)(u64 a) { return (a & (SIGN - 1)) > INFINITE; }
static inline u64 F(result)(T r) { return r != r ? (SIGN | INFINITE | QUIET) : F(bits)(r); }
#define BINARY(name, op) static inline u64 F(name)(u64 a, u64 b) { \\
  return F(nan)(a) ? a | QUIET : F(nan)(b) ? b | QUIET : F(result)(F(of)(a) op F(of)(b)); }
BINARY(add, +)
BINARY(sub, -)
BINARY(mul, *)
BINARY(div, /)
#undef BINARY
static inline u64 F(eq)(u64 a, u64 b) { return F(of)(a) == F(of)(b); }
static inline u64 F(lt)(u64 a, u64 b) { return F(of)(a) < F(of)(b); }
static inline u64 F(le)(u64 a, u64 b) { return F(of)(a) <= F(of)(b); }
static inline u64 F(from_signed)(long a) { return F(bits)((T)a); }
static inline u64 F(from_unsigned)(u64 a) { return F(bits)((T)a); }
#undef T
#undef W
#undef F
#undef SIGN
#undef INFINITE
#undef QUIET
"""
FLOATS = f"""
#define T float
#define W unsigned
#define F(name) name##_single
#define SIGN {SINGLE.sign}ul
#define INFINITE {SINGLE.infinity}ul
#define QUIET {SINGLE.quiet}ul
{_FORMAT}
#define T double
#define W u64
#define F(name) name##_double
#define SIGN {DOUBLE.sign}ul
#define INFINITE {DOUBLE.infinity}ul
#define QUIET {DOUBLE.quiet}ul
{_FORMAT}"""


def float_call(node: Term, args: list[str]) -> str | None:
    """The expression; None: the processor has no such operator."""
    name = _NAMES.get(node.value.format)
    if name is None or node.value.mode is not Rounding.NEAREST_EVEN:
        return None
    if node.op in COMPARISONS:
        return f"{_COMPARED[node.op]}_{name}({', '.join(args)})"
    if node.op in _CALLED:
        return f"{_CALLED[node.op]}_{name}({', '.join(args)})"
    if node.op in FROM_INTEGERS and node.args[0].sort.width <= 64:
        if node.op is Op.FP_FROM_UNSIGNED:
            return f"from_unsigned_{name}({args[0]})"
        return f"from_signed_{name}((long)extend64({args[0]}, {node.args[0].sort.width}, 64))"
    return None
