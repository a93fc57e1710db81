"""Small programs with and without a defect: each is verified, and each violation is run, compiled with a sanitizer.

    == bad: sum
    int x = INT(), y = INT(); return x + y;

A program is the body of ``main``, maybe with definitions before it, separated by a line with ``---``. ``INT()`` is any
number of its type; what it was is in the trace, and given that, the sanitizer must stop the program, too. ``bad alone``
are programs whose defect no sanitizer of C finds. Names that end in ``_x`` are those of one program alone.
"""

from __future__ import annotations

import re
import string
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cleave import Options, verify
from cleave.frontends.c.clang.compile import compiler
from cleave.frontends.c.options import COptions
from cleave.verdict import Result, Trace

TYPES = {
    "BOOL": "_Bool",
    "CHAR": "char",
    "UCHAR": "unsigned char",
    "SHORT": "short",
    "USHORT": "unsigned short",
    "INT": "int",
    "UINT": "unsigned int",
    "LONG": "long",
    "ULONG": "unsigned long",
    "DOUBLE": "double",
}
_DECLARED = "".join(f"{type} __VERIFIER_nondet_{name.lower()}(void);\n" for name, type in TYPES.items())
PROLOGUE = (
    _DECLARED
    + "".join(f"#define {name} __VERIFIER_nondet_{name.lower()}\n" for name in TYPES)
    + "#define MAX 2147483647\n#define MIN (-MAX - 1)\n#define LMAX 9223372036854775807L\n#define LMIN (-LMAX - 1)\n"
    + "#line 1\n"
)
_LETTERS = string.digits + string.ascii_letters
_SEPARATOR = re.compile(r"^\s*---\s*$", re.MULTILINE)
_CHOICE = re.compile(r"__VERIFIER_nondet_\w+")

# Reads 8 bytes for each input, and the number of the program before; needs no C library.
_RUNTIME = r"""
static void exit_with(long code) { __asm__ volatile("syscall" : : "a"(231L), "D"(code)); __builtin_trap(); }
static unsigned long word(void) {
  unsigned long found = 0; long count;
  __asm__ volatile("syscall" : "=a"(count) : "a"(0L), "D"(0L), "S"(&found), "d"(8L) : "rcx", "r11", "memory");
  if (count != 8) exit_with(77);
  return found;
}
void *memset(void *to, int byte, unsigned long size) {
  for (unsigned long i = 0; i < size; i++) ((volatile char *)to)[i] = (char)byte;
  return to;
}
void *memcpy(void *to, const void *from, unsigned long size) {
  for (unsigned long i = 0; i < size; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
"""
_HANDLERS = (
    *("add_overflow", "sub_overflow", "mul_overflow", "negate_overflow", "divrem_overflow", "shift_out_of_bounds"),
    *("implicit_conversion", "float_cast_overflow", "builtin_unreachable"),
)
# What a sanitizer calls: it is given the place first. The place is printed.
_REPORT = r"""
struct place { const char *file; unsigned line, column; };
static void put(unsigned long number) {
  char text[24]; int at = 24;
  text[--at] = ' ';
  do text[--at] = '0' + number % 10; while (number /= 10);
  long done;
  __asm__ volatile("syscall" : "=a"(done) : "a"(1L), "D"(1L), "S"(text + at), "d"(24L - at) : "rcx", "r11", "memory");
}
static void report(struct place *place) { put(place->line); put(place->column); exit_with(79); }
"""
_START = "__attribute__((force_align_arg_pointer)) void _start(void) { switch (word()) {\n%s  } exit_with(78); }\n"
ENDED, STARVED = "ended", "starved"


@dataclass(frozen=True, slots=True)
class Programs:
    """``alone``: names of bad programs that no sanitizer stops."""

    sanitizers: tuple[str, ...]
    bad: dict[str, str]
    good: dict[str, str]
    alone: frozenset[str]


def read_programs(file: Path) -> Programs:
    head, *parts = re.split(r"^== (bad alone|bad|good): (.*)$", file.read_text("utf-8"), flags=re.MULTILINE)
    found: dict[str, dict[str, str]] = {"bad alone": {}, "bad": {}, "good": {}}
    for kind, name, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        assert name not in found[kind], name
        found[kind][name] = text.strip()
    sanitizers = re.findall(r"^# sanitizers: (.*)$", head, re.MULTILINE)
    names = tuple(name for line in sanitizers for name in line.split(","))
    return Programs(names, {**found["bad"], **found["bad alone"]}, found["good"], frozenset(found["bad alone"]))


def source(program: str, main: str = "main") -> str:
    before, *body = _SEPARATOR.split(program)
    definitions, statements = (before, body[0]) if body else ("", before)
    return f"{definitions}\nint {main}(void) {{\n{statements}\nreturn 0; }}\n"


def checked(folder: Path, program: str, options: Options, checks: tuple[str, ...]) -> Result:
    file = folder / "program.c"
    file.write_text(PROLOGUE + source(program), encoding="utf-8")
    return verify(str(file), replace(options, workers=1, c=COptions(checks=checks)))


def inputs(trace: Trace) -> list[int]:
    """What the functions without a body returned, in their order."""
    found = []
    for step in trace.steps:
        if step.kind == "havoc":
            found += [_number(value) for name, value in step.values.items() if _CHOICE.match(name)]
    return found


def _number(shown: str) -> int:
    """Of ``7bv32``, ``true``."""
    if shown in ("true", "false"):
        return int(shown == "true")
    return int(shown.partition("bv")[0])


@dataclass(frozen=True, slots=True)
class Executable:
    """All programs in one file, each a function of its own."""

    file: Path
    numbers: Mapping[str, int]

    def run(self, name: str, values: Sequence[int]) -> str | tuple[int, int]:
        """How it ended: with a number to be read that was not given, or where a sanitizer found something."""
        given = b"".join(number.to_bytes(8, "little") for number in (self.numbers[name], *values))
        done = subprocess.run([str(self.file)], input=given, capture_output=True, timeout=20)
        if done.returncode == 79:
            line, column = done.stdout.split()
            return int(line), int(column)
        return {0: ENDED, 77: STARVED}[done.returncode]


def compiled(folder: Path, programs: Mapping[str, str], sanitizers: Iterable[str]) -> Executable:
    """With reports of what the sanitizers find."""
    numbers = {name: number for number, name in enumerate(programs, 1)}
    texts = [_RUNTIME, _REPORT]
    texts += [
        f"void __ubsan_handle_{kind}{abort}(struct place *place) {{ report(place); }}\n"
        for kind in _HANDLERS
        for abort in ("", "_abort")
    ]
    texts += [f"{type} __VERIFIER_nondet_{name.lower()}(void) {{ {_read(type)} }}\n" for name, type in TYPES.items()]
    cases = []
    for name, program in programs.items():
        number = numbers[name]
        texts.append("#line 1\n" + _renamed(source(program, f"main_{number}"), number))
        cases.append(f"    case {number}: main_{number}(); exit_with(0);\n")
    texts.append(_START % "".join(cases))
    written, made = folder / "all.c", folder / "all"
    written.write_text(PROLOGUE + "".join(texts), encoding="utf-8")
    flags = ("-target", "x86_64-linux-gnu", "-nostdlib", "-ffreestanding", "-static", "-w", "-O0", "-fno-sanitize=all")
    sanitized = ("-Xclang", f"-fsanitize={','.join(sanitizers)}")
    done = subprocess.run(
        [compiler(), "cc", *flags, *sanitized, "-o", str(made), str(written)], capture_output=True, timeout=100
    )
    assert done.returncode == 0, done.stderr.decode()
    return Executable(made, numbers)


def _read(type: str) -> str:
    if type == "double":
        return "union { unsigned long bits; double number; } u = { word() }; return u.number;"
    return f"return ({type})word();"


def _renamed(text: str, number: int) -> str:
    """Apart from those of the other programs, in names of the same length."""
    return re.sub(r"\b(\w+)_x\b", lambda found: f"{found[1]}_{_LETTERS[number]}", text)
