"""Cleave's own properties, in the order in which results name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleave.frontends.c.properties.property import Place, Property
from cleave.logic.terms import bv, conj, eq, neg

if TYPE_CHECKING:
    from cleave.frontends.c.llvm.module import Instruction

ASSERTIONS = "assertions"
ERROR_LABEL = "error-label"
SIGNED_OVERFLOW = "signed-overflow"
DIVISION = "division"
SHIFT = "shift"
CONVERSION = "conversion"
UNREACHABLE = "unreachable"
UNINITIALISED = "uninitialised"
UNWINDING = "unwinding"
MEMORY = "memory"
LEAKS = "leaks"
LOST = "lost-memory"
DATA_RACE = "data-race"
DEADLOCK = "deadlock"

ARRAY_BOUNDS = "array-bounds"  # Clang's check of indices, also inside of objects
ARRAY_LENGTHS = "vla-bound"  # that of arrays with a length that is computed
_ABSOLUTE = {"abs": "int", "labs": "long", "llabs": "long long", "imaxabs": "intmax_t"}
_DIVIDING = {"div": "int", "ldiv": "long", "lldiv": "long long", "imaxdiv": "intmax_t"}


def _positive_fits(place: Place, instruction: Instruction) -> None:
    """There is no positive number for the least one."""
    name = place.called(instruction)
    if (name not in _ABSOLUTE and name not in _DIVIDING) or place.defines(name):
        return
    value = place.term(instruction.operands[0])
    is_least = eq(value, bv(1 << (value.sort.width - 1), value.sort.width))
    if name in _ABSOLUTE:
        place.check(neg(is_least), f"{name}({{0:signed}}) does not fit into {_ABSOLUTE[name]}", value)
        return
    divisor = place.term(instruction.operands[1])
    is_minus_one = eq(divisor, bv((1 << divisor.sort.width) - 1, divisor.sort.width))
    told = f"{{0:signed}} divided by {{1:signed}} does not fit into {_DIVIDING[name]}"
    place.check(neg(conj(is_least, is_minus_one)), told, value, divisor)


def _divides(place: Place, instruction: Instruction) -> None:
    name = place.called(instruction)
    if name in _DIVIDING and not place.defines(name):
        dividend, divisor = (place.term(operand) for operand in instruction.operands[:2])
        condition = neg(eq(divisor, bv(0, divisor.sort.width)))
        place.check(condition, "division by zero: {0:signed} is divided by 0", dividend)


BUILT_IN = (
    Property(
        name=ASSERTIONS,
        summary="An assertion fails, or an error function is called.",
        help="The trace shows an execution in which the condition is false. Correct the program or the condition. Use"
        " __VERIFIER_assume to say what the program may rely on.",
        competition=("unreach-call",),
        formulas=("G ! call(reach_error())", "G ! call(__VERIFIER_error())"),
        aliases=("reach", "assertion"),
        is_default=True,
    ),
    Property(
        name=ERROR_LABEL,
        summary="A label named ERROR is reached.",
        help="The trace shows how the execution gets to the label.",
        competition=("unreach-label",),
        formulas=("G ! label(ERROR)",),
    ),
    Property(
        name=MEMORY,
        summary="Memory is accessed or freed through a pointer that does not point into a living object.",
        help="The message says whether the pointer is null, or dangling, or how far it is outside. Check indices and"
        " what malloc returns, and let no pointer outlive its object.",
        competition=("valid-memsafety", "valid-deref", "valid-free"),
        formulas=("G valid-deref", "G valid-free"),
        is_default=True,
        sanitizers=(ARRAY_BOUNDS, ARRAY_LENGTHS),
        part=lambda violated: "valid-free" if violated.startswith("free ") else "valid-deref",
    ),
    Property(
        name=LEAKS,
        summary="Memory that was allocated is not freed when the program ends.",
        help="The trace shows which memory is allocated on the way. Free it before main returns or exit is called.",
        competition=("valid-memcleanup",),
        formulas=("G valid-memcleanup",),
    ),
    Property(
        name=LOST,
        summary="Memory that was allocated is not freed when the program ends, and no global variable leads to it.",
        help="The trace shows which memory is allocated on the way. Free it before its last pointer is lost.",
        competition=("valid-memsafety", "valid-memtrack"),
        formulas=("G valid-memtrack",),
    ),
    Property(
        name=SIGNED_OVERFLOW,
        summary="A result does not fit into its signed type.",
        help="Compute in a wider or an unsigned type, or test the operands before.",
        competition=("no-overflow",),
        formulas=("G ! overflow",),
        aliases=("overflow",),
        is_default=True,
        sanitizers=("signed-integer-overflow", "shift-base"),
        before=_positive_fits,
    ),
    Property(
        name=DIVISION,
        summary="The divisor of a division or a remainder is zero.",
        help="Test the divisor before.",
        aliases=("div-by-zero",),
        is_default=True,
        sanitizers=("integer-divide-by-zero",),
        before=_divides,
    ),
    Property(
        name=SHIFT,
        summary="The amount of a shift is negative or too large, or a left shift is of a negative number or loses bits"
        " of a signed number, or __builtin_clz or __builtin_ctz is given 0.",
        help="Shift unsigned numbers, by less than their width.",
        is_default=True,
        sanitizers=("shift-base", "shift-exponent", "builtin"),
    ),
    Property(
        name=CONVERSION,
        summary="A conversion that is not written as a cast changes a number, or a floating-point number does not fit"
        " into an integer type.",
        help="Use a type that is wide enough, test the range before, or write a cast if the change is meant.",
        sanitizers=(
            "implicit-unsigned-integer-truncation",
            "implicit-signed-integer-truncation",
            "implicit-integer-sign-change",
            "implicit-bitfield-conversion",
            "float-cast-overflow",
        ),
    ),
    Property(
        name=UNREACHABLE,
        summary="__builtin_unreachable is reached, or a call's value is used that ended without a return statement.",
        help="Handle the case, or return a value on every way through the function.",
        sanitizers=("unreachable",),
    ),
    Property(
        name=UNINITIALISED,
        summary="A variable or memory is read before it is set.",
        help="Give the variable a value where it is declared, or before each use. malloc sets nothing, calloc does.",
        aliases=("uninitialized",),
    ),
    Property(
        name=UNWINDING,
        summary="A loop has more iterations, or a function a deeper recursion, than --loop-bound allows.",
        help="The trace shows an execution beyond the bound. Choose a larger bound, or make the loop shorter.",
        aliases=("unwinding-assertions",),
    ),
    Property(
        name=DATA_RACE,
        summary="Two threads access the same memory at the same time, one of them writes, and not both are atomic.",
        help="Protect both accesses by the same lock, or make them atomic.",
        competition=("no-data-race",),
        formulas=("G ! data-race",),
    ),
    Property(
        name=DEADLOCK,
        summary="All threads that have not ended wait for ever.",
        help="Take locks in one order in all threads, and signal under the lock that the waiting thread holds.",
        competition=("no-deadlock",),
        formulas=("G ! deadlock",),
        macros=("CLEAVE_DEADLOCK",),
    ),
)
