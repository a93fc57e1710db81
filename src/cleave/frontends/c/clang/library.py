"""Functions of the C library that are given as C: compiled and linked where a program calls one it does not define.

Their source is in ``library/``: strings and the like, input, sorting and searching, mathematics, floating-point
arithmetic, which the mathematics uses, time, and POSIX threads. ``headers/`` holds the headers that programs written
for other verifiers include.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.link import AT_END
from cleave.frontends.c.llvm.module import mentioned

_HOME = Path(__file__).parents[1]
HEADERS = _HOME / "headers"
CANCELS = "CLEAVE_CANCEL"  # a macro: threads see that they are cancelled
DETACHES = "CLEAVE_DETACH"  # a macro: threads that were joined or detached can't be joined or detached
NO_SPURIOUS_WAKEUPS = "CLEAVE_NO_SPURIOUS_WAKEUPS"  # a macro: waiting ends with a signal only
# In this order: a file uses only those after it.
FILES = (
    *(
        "exit.c",
        "signal.c",
        "time.c",
        "files.c",
        "system.c",
        "search.c",
        "arguments.c",
        "format.c",
        "wide.c",
        "unknown.c",
    ),
    *("numbers.c", "string.c", "ctype.c", "math.c", "real.c", "threads.c", "errno.c"),
)
# What has a meaning without a body, too, and needs one only where other functions of its file are used.
_SIMPLE = frozenset(
    (
        *("exit", "quick_exit", "abort", "sleep", "usleep", "puts", "putchar", "fputs", "fputc", "putc", "fflush"),
        *("perror", "srand", "srandom", "srand48"),
    )
)
PREFIX = "<cleave>/"  # of its files' names in traces
FOLDER = _HOME / "library"
_DEFINED = (f"{PREFIX}math.c", f"{PREFIX}real.c", f"{PREFIX}ieee.h")
_DEFINITION = re.compile(r"^ *(?:[a-zA-Z_][\w ]*[ *]+)((?:\w|##)+)(?:\([^;\n]*\)| PARAMETERS) \{", re.MULTILINE)
_MACRO = re.compile(r"^#define (\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", re.MULTILINE)
_USE = re.compile(r"^([A-Z_]+)\((.*)\)$", re.MULTILINE)


@cache
def provided(file: str) -> frozenset[str]:
    """The functions that a file of the library defines, also those that its macros write."""
    text = (FOLDER / file).read_text("utf-8")
    macros = {name: (parameters.split(", "), body) for name, parameters, body in _MACRO.findall(text)}
    found = set(_DEFINITION.findall(_MACRO.sub("", text)))
    for name, given in _USE.findall(text):
        parameters, body = macros[name]
        arguments = dict(zip(parameters, (one.strip() for one in given.split(",")), strict=False))
        for pasted in _DEFINITION.findall(body):
            found.add("".join(arguments.get(part, part) for part in pasted.split("##")))
    return frozenset(found)


def source(file: str) -> tuple[str, bytes]:
    """The name that traces give to a file of the library, and what it holds."""
    return PREFIX + file, (FOLDER / file).read_bytes()


def is_ours(function: l.FunctionDefinition) -> bool:
    """Whether it is the library's, and not the program's own."""
    return function.location is not None and function.location.file.startswith(PREFIX)


def is_defined_everywhere(function: l.FunctionDefinition) -> bool:
    """Whether it is in a file that never divides by zero, shifts too far or converts a number to an integer type that
    can't hold it, whatever the program asks of it."""
    return function.location is not None and function.location.file in _DEFINED


def defines(modules: list[l.Module], macros: tuple[str, ...], *, spurious_wakeups: bool) -> tuple[str, ...]:
    """The macros that the library is compiled with; ``macros`` are those of properties."""
    used = {name for module in modules for name in module.functions}
    chosen = {
        CANCELS: not macros and "pthread_cancel" in used,
        DETACHES: not used.isdisjoint(("pthread_detach", "thrd_detach")),
        NO_SPURIOUS_WAKEUPS: not spurious_wakeups,
    }
    return (*macros, *(macro for macro, is_chosen in chosen.items() if is_chosen))


def is_wanted(file: str, modules: list[l.Module]) -> bool:
    """Whether the modules use a function of ``file`` that none of them defines."""
    wanted = _undefined(modules) & provided(file)
    return bool(wanted - _SIMPLE) or any(_result_is_used(name, modules) for name in wanted)


def _undefined(modules: list[l.Module]) -> set[str]:
    """The functions that the program may need and no module defines: all that the program's own files mention, and of
    the library's files, what these need."""
    defined = {f.name: f for module in modules for f in module.functions.values() if f.blocks}
    pending = [name for module in modules if not module.is_library for name in module.functions]
    pending += ["atexit"] * any(AT_END in module.globals for module in modules)
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            if name in defined:
                pending += mentioned(defined[name])
    return seen - set(defined)


def _result_is_used(name: str, modules: list[l.Module]) -> bool:
    for module in modules:
        for function in module.functions.values():
            calls = [one for one in function.instructions() if one.callee == l.GlobalRef(name)]
            results = {call.result for call in calls}
            if calls and any(
                isinstance(operand, l.Local) and operand.name in results
                for instruction in function.instructions()
                for operand in instruction.operands
            ):
                return True
    return False
