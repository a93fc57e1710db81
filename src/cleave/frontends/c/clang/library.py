"""Functions of the C library that are given as C: compiled and linked where a program calls one it does not define.

Their source is in ``library/``: strings and the like, input, sorting and searching, mathematics, floating-point
arithmetic, which the mathematics uses, time, and POSIX threads. ``headers/`` holds the headers that programs written
for other verifiers include.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path

from cleave.frontends.c.llvm import module as l

_HOME = Path(__file__).parents[1]
HEADERS = _HOME / "headers"
CANCELS = "CLEAVE_CANCEL"  # a macro: threads see that they are cancelled
DETACHES = "CLEAVE_DETACH"  # a macro: threads that were joined or detached can't be joined or detached
NO_SPURIOUS_WAKEUPS = "CLEAVE_NO_SPURIOUS_WAKEUPS"  # a macro: waiting ends with a signal only
# In this order: a file uses only those after it.
FILES = ("time.c", "input.c", "search.c", "string.c", "math.c", "float.c", "threads.c")
_PREFIX = "<cleave>/"  # of its files' names in traces
_FOLDER = _HOME / "library"
_DEFINITION = re.compile(r"^(?:[a-z_][\w ]*[ *]|  \w+ )(\w+(?:##\w+)*)\([^;\n]*\) \{", re.MULTILINE)
_FORMATS = ("half", "float", "double")  # what the macros of float.c are used for
_MADE = re.compile(r"^[A-Z_]+\((\w+)[,)]", re.MULTILINE)  # functions that a macro of threads.c writes


@cache
def provided(file: str) -> frozenset[str]:
    """The functions that a file of the library defines."""
    text = (_FOLDER / file).read_text("utf-8")
    found = [*_DEFINITION.findall(text), *_MADE.findall(text)]
    both = product(_FORMATS, _FORMATS)
    return frozenset(name.replace("##NAME##", one).replace("##TO", to) for one, to in both for name in found)


def source(file: str) -> tuple[str, bytes]:
    """The name that traces give to a file of the library, and what it holds."""
    return _PREFIX + file, (_FOLDER / file).read_bytes()


def is_ours(function: l.FunctionDefinition) -> bool:
    """Whether it is the library's, and not the program's own."""
    return function.location is not None and function.location.file.startswith(_PREFIX)


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
    defined = {f.name for module in modules for f in module.functions.values() if f.blocks}
    declared = {f.name for module in modules for f in module.functions.values()}
    return bool((declared - defined) & provided(file))
