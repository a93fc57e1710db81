"""Floating point: what the processor computes is what the interpreter computes, for all kinds of operands."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path
from typing import Literal

import pytest

from cleave import Options, verify
from cleave.frontends.c.clang.compile import compiler
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.verdict import Safe, Unsafe, Verdict
from support.c_runtime import RUNTIME
from support.ir_execution import Execution

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

FORMATS = {"float": ("unsigned int", "<f", 32, 23), "double": ("unsigned long long", "<d", 64, 52)}
OPERATIONS = """
static void check(WORD x, WORD y) {
  REAL a = real(x), b = real(y);
  note_real(a + b); note_real(a - b); note_real(a * b); note_real(a / b); note_real(-a);
  note_real((REAL)(float)a); note_real((REAL)((double)a * (double)b));
  note(a < b); note(a <= b); note(a == b); note(a != b); note(a > b); note(a >= b); note(!(a < b)); note(!(a == b));
  note_real((REAL)(int)x); note_real((REAL)(unsigned char)y); note_real((REAL)(long long)x * 3);
  note_real((REAL)(unsigned long long)y); note_real(__builtin_fabs(a));
  if (a > -1e9f && a < 1e9f) { note((int)a); note((long long)a); }
  if (b > 0 && b < 200) { note((unsigned char)b); note((unsigned int)b); }
}
"""


def source(name: str, seed: int, count: int = 12) -> str:
    word, _, _, _ = FORMATS[name]
    dice = random.Random(seed)
    calls = "".join(f"  check({operand(name, dice)}, {operand(name, dice)});\n" for _ in range(count))
    return f"""typedef {word} WORD; typedef {name} REAL;
void print_number(unsigned int); void __VERIFIER_error(void); void *memcpy(void *, const void *, __SIZE_TYPE__);
static unsigned int checksum = 1;
static void note(unsigned long long value) {{
  checksum = (checksum << 1 | checksum >> 31) ^ (unsigned int)value ^ (unsigned int)(value >> 32);
}}
static REAL real(WORD bits) {{ union {{ WORD bits; REAL real; }} u; u.bits = bits; return u.real; }}
static void note_real(REAL value) {{
  union {{ WORD bits; REAL real; }} u; u.real = value; note(value != value ? 77 : u.bits);
}}
{OPERATIONS}
int main(void) {{
{calls}
#ifdef EXPECTED
  if (checksum != EXPECTED) __VERIFIER_error();
#else
  print_number(checksum);
#endif
  return 0;
}}"""


def operand(name: str, dice: random.Random) -> str:
    """Bits of a number: ordinary, special, tiny, or close to another."""
    _, code, width, mantissa = FORMATS[name]
    suffix = "ULL" if width == 64 else "u"
    match dice.randrange(5):
        case 0:
            bits = dice.getrandbits(width)
        case 1:
            special = (0, 1, (1 << mantissa) - 1, 1 << mantissa, ((1 << (width - mantissa - 1)) - 1) << mantissa)
            bits = dice.choice(special) + dice.choice((0, 0, 1, -1)) | dice.getrandbits(1) << (width - 1)
        case 2:
            bits = dice.getrandbits(mantissa + 2) | dice.getrandbits(1) << (width - 1)
        case _:
            number = dice.choice((0.1, 0.5, 1.0, 3.0, 1e10, 123.456, 2.0**24, 7e-5)) * dice.choice((1, -1))
            bits = int.from_bytes(struct.pack(code, number), "little") + dice.randint(-2, 2)
    return f"{bits % (1 << width)}{suffix}"


def printed(text: str, bits: int, folder: Path) -> int:
    (folder / "program.c").write_text(text, encoding="utf-8")
    (folder / "runtime.c").write_text(RUNTIME, encoding="utf-8")
    target = "x86_64-linux-none" if bits == 64 else "x86-linux-none"
    flags = ["-nostdlib", "-static", "-w", "-O0", "-fno-sanitize=all", "-fno-stack-protector"]
    files = [str(folder / name) for name in ("program.c", "runtime.c")]
    subprocess.run([compiler(), "cc", "-target", target, *flags, "-o", str(folder / "program"), *files], check=True)
    return int(subprocess.run([str(folder / "program")], capture_output=True, check=True, timeout=20).stdout)


def compare(name: str, seed: int, folder: Path) -> None:
    text = source(name, seed)
    checksum = printed(text, 64, folder)
    bits: Literal[32, 64] = 64 if seed % 2 else 32
    options = COptions(bits=bits, checks=("assertions",), defines=(f"EXPECTED={checksum}u",))
    assert Execution(read_c({"t.c": text.encode()}, options).program).run("main") == "finished"


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", FORMATS)
def test_operations(name: str, seed: int, tmp_path: Path) -> None:
    compare(name, seed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", FORMATS)
def test_many_operations(name: str, tmp_path: Path) -> None:
    for seed in range(2, 100):
        compare(name, seed, tmp_path)


def test_half_precision() -> None:
    text = b"""#include <assert.h>
int main(void) {
  _Float16 a = 1.5, b = 2.5, tenth = (_Float16)0.1f, small = (_Float16)6e-8;
  assert(a + b == 4.0 && a * b == 3.75 && (_Float16)3 / (_Float16)2 == a && a < b && -a == -1.5);
  assert((double)tenth == 0x1.998p-4 && (float)tenth == 0x1.998p-4f && small == 0x1p-24);
  assert((_Float16)70000.0 == __builtin_inff() && (int)(_Float16)7.9 == 7 && (_Float16)2049 == 2048);
}"""
    assert Execution(read_c({"t.c": text}).program).run("main") == "finished"


def test_structs_of_floats_are_passed() -> None:
    """In registers, as vectors; on 32 bit in memory."""
    text = """struct pair { float a, b; }; struct three { float a, b, c; }; void __VERIFIER_error(void);
struct pair swapped(struct pair x) { float a = x.a; x.a = x.b; x.b = a; return x; }
struct three turned(struct three x) { float a = x.a; x.a = x.c; x.c = x.b; x.b = a; return x; }
int main(void) {
  struct pair x = swapped((struct pair){1, 2});
  struct three y = turned((struct three){1, 2, 3});
  if (x.a != 2 || x.b != 1 || y.a != 3 || y.b != 1 || y.c != 2) __VERIFIER_error();
}"""
    for bits in (32, 64):
        program = read_c({"t.c": text.encode()}, COptions(bits=bits, checks=("assertions",))).program
        assert Execution(program).run("main") == "finished"


INTEGERS = """double __VERIFIER_nondet_double(void); void reach_error(void);
int main(void) {{ double x = __VERIFIER_nondet_double(); int i = (int)x; if ({condition}) reach_error(); }}"""


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("x >= 7 && x < 8 && i != 7", Safe),
        ("x > -2147483649.0 && x <= -2147483648.0 && i != -2147483647 - 1", Safe),
        ("x == 2147483648.0 && i == 5", Unsafe),  # undefined: any value
    ],
)
def test_conversions_to_integers(condition: str, right: type[Verdict], tmp_path: Path) -> None:
    path = tmp_path / "t.c"
    path.write_text(INTEGERS.format(condition=condition), encoding="utf-8")
    assert isinstance(verify(str(path), Options(engine="bmc", workers=1, timelimit=120, journal=None)).verdict, right)
