"""Formulas as C: the compiled expression has the value that the formula has, for random formulas and values."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from cleave.export.c_expressions import c_expression
from cleave.export.c_types import CInteger
from cleave.frontends.c.clang.compile import compiler
from cleave.logic import terms as t
from cleave.logic.sorts import INT, bitvec
from cleave.logic.terms import Op, Term, make
from cleave.logic.values import Value
from cleave.validate.semantics.evaluate import World, evaluate

TYPES = {
    "a": ("signed char", CInteger(8, True)),
    "b": ("unsigned char", CInteger(8, False)),
    "c": ("int", CInteger(32, True)),
    "d": ("unsigned", CInteger(32, False)),
    "e": ("long long", CInteger(64, True)),
    "f": ("unsigned long long", CInteger(64, False)),
}
INTEGERS = {name: integer for name, (_, integer) in TYPES.items()}
BINARY = (
    *(Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_UDIV, Op.BV_UREM, Op.BV_SHL, Op.BV_LSHR),
)
COMPARISONS = (Op.EQ, Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)


class Dice:
    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)

    def number(self, width: int) -> int:
        special = (0, 1, 2, width - 1, width, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1)
        return self.pick.choice((*special, self.pick.getrandbits(width))) % (1 << width)

    def bits(self, width: int, depth: int) -> Term:
        fitting = [name for name, (_, type_) in TYPES.items() if type_.width == width]
        if depth == 0 or self.pick.random() < 0.2:
            leaf = self.pick.random() < 0.7 and fitting
            return t.var(self.pick.choice(fitting), bitvec(width)) if leaf else t.bv(self.number(width), width)
        match self.pick.randrange(6):
            case 0:
                return make(self.pick.choice((Op.BV_NOT, Op.BV_NEG)), (self.bits(width, depth - 1),), bitvec(width))
            case 1 if width == 8:
                wide, low = self.pick.choice((32, 64)), self.pick.randrange(8)
                return make(Op.EXTRACT, (self.bits(wide, depth - 1),), bitvec(8), (low + 7, low))
            case 1:
                how = self.pick.choice((Op.ZERO_EXTEND, Op.SIGN_EXTEND))
                return make(how, (self.bits(8, depth - 1),), bitvec(width), width - 8)
            case 2:
                one, other = self.bits(width, depth - 1), self.bits(width, depth - 1)
                return make(Op.ITE, (self.formula(depth - 1), one, other), bitvec(width))
            case _:
                parts = (self.bits(width, depth - 1), self.bits(width, depth - 1))
                return make(self.pick.choice(BINARY), parts, bitvec(width))

    def integer(self, depth: int) -> Term:
        if depth == 0 or self.pick.random() < 0.3:
            constant = t.integer(self.pick.choice((0, 1, -1, 200, -128, 2**31, -(2**32))))
            return t.var(self.pick.choice("abcd"), INT) if self.pick.random() < 0.6 else constant
        if self.pick.random() < 0.2:
            return make(Op.NEG, (self.integer(depth - 1),), INT)
        if self.pick.random() < 0.2:
            return make(Op.MOD, (self.integer(depth - 1), t.integer(self.pick.choice((1, 2, 7, 256)))), INT)
        parts = (self.integer(depth - 1), self.integer(depth - 1))
        return make(self.pick.choice((Op.ADD, Op.SUB, Op.MUL)), parts, INT)

    def formula(self, depth: int) -> Term:
        if depth > 0 and self.pick.random() < 0.3:
            op = self.pick.choice((Op.AND, Op.OR, Op.IMPLIES, Op.NOT))
            parts = tuple(self.formula(depth - 1) for _ in range(1 if op is Op.NOT else 2))
            return make(op, parts, t.TRUE.sort)
        if self.pick.random() < 0.2:
            parts = (self.integer(depth), self.integer(depth))
            return make(self.pick.choice((Op.EQ, Op.LE, Op.LT)), parts, t.TRUE.sort)
        width = self.pick.choice((8, 32, 64))
        parts = (self.bits(width, depth), self.bits(width, depth))
        return make(self.pick.choice(COMPARISONS), parts, t.TRUE.sort)


def value_of(values: Mapping[str, int], variable: Term) -> Value:
    """The bits, or the number that C takes them for."""
    bits, type_ = values[variable.name], INTEGERS[variable.name]
    negative = variable.sort is INT and type_.signed and bits >> (type_.width - 1)
    return bits - (1 << type_.width) if negative else bits


def value_in_c(name: str, number: int) -> str:
    return f"({TYPES[name][0]}){number}ULL"


def test_compiled_expressions_have_the_values_of_their_formulas(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
    dice = Dice(1)
    checks: list[str] = []
    while len(checks) < 250:
        formula = dice.formula(3)
        values = {name: dice.number(type_.width) for name, type_ in INTEGERS.items()}
        expected = evaluate(formula, partial(value_of, values), World())
        written = c_expression(formula, INTEGERS)
        if written is not None:
            declared = " ".join(f"{TYPES[name][0]} {name} = {value_in_c(name, n)};" for name, n in values.items())
            checks.append(f"{{ {declared} if (!!{written} != {int(bool(expected))}) exit({len(checks) % 250 + 1}); }}")
    program = "\n".join(
        (
            'static void exit(int code) { for (;;) __asm__ volatile("syscall" :: "a"(60), "D"(code)); }',
            "__attribute__((force_align_arg_pointer)) void _start(void) {",
            *checks,
            "exit(0); }",
        )
    )
    (tmp_path / "p.c").write_text(program)
    flags = ["-nostdlib", "-static", "-w", "-O0", "-fno-sanitize=all", "-fno-stack-protector"]
    made = str(tmp_path / "p")
    command = [compiler(), "cc", "-target", "x86_64-linux-none", *flags, "-o", made, str(tmp_path / "p.c")]
    subprocess.run(command, check=True)
    assert subprocess.run([made], check=False, timeout=20).returncode == 0


def test_comparisons_of_variables_are_written_plainly() -> None:
    c, d = t.var("c", bitvec(32)), t.var("d", bitvec(32))
    minus_one = t.bv(2**32 - 1, 32)
    assert c_expression(make(Op.BV_SLT, (c, minus_one), t.TRUE.sort), INTEGERS) == "(c < -1)"
    assert c_expression(make(Op.BV_ULE, (d, minus_one), t.TRUE.sort), INTEGERS) == "(d <= 4294967295U)"
    mixed = c_expression(make(Op.EQ, (c, d), t.TRUE.sort), INTEGERS)
    assert mixed == "(((unsigned long long)c & 4294967295ULL) == ((unsigned long long)d))"


def test_what_has_no_expression() -> None:
    wide = t.var("w", bitvec(128))
    assert c_expression(make(Op.EQ, (wide, wide), t.TRUE.sort), {"w": CInteger(128, True)}) is None
    unknown = t.var("u", bitvec(32))
    assert c_expression(make(Op.BV_SLT, (unknown, t.bv(1, 32)), t.TRUE.sort), INTEGERS) is None
    narrow = t.var("c", bitvec(8))  # not what the program declares
    assert c_expression(make(Op.EQ, (narrow, t.bv(1, 8)), t.TRUE.sort), INTEGERS) is None
