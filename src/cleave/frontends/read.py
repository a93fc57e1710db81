"""Reads a program with the front end that fits its file name, which is loaded only then: each is large."""

from __future__ import annotations

import logging
import os
import re
import stat
from pathlib import PurePath

from cleave.errors import InputError, InternalError, UnsupportedError, UsageError
from cleave.frontends.boogie_options import BoogieOptions
from cleave.frontends.c.options import COptions
from cleave.frontends.limits import NO_LIMITS, ReadingLimits
from cleave.ir.program import Program

_log = logging.getLogger(__name__)

MOST_BYTES = 200_000_000
"""Of one file; Cleave needs some hundred times as much memory to read it."""


def read_ir_bytes(content: bytes, file: str) -> Program:
    """A program in the text form of `ir.text`, which says more than any of the languages."""
    from cleave.ir.check import check_program
    from cleave.ir.reader import read_program as read_ir
    from cleave.logic.sexpr import decode_text

    program = read_ir(decode_text(content, file), file)
    try:
        check_program(program)
    except InternalError as error:
        raise InputError(str(error), file=file) from None
    return program


def _read_boogie(content: bytes, file: str, entry: str | None) -> Program:
    from cleave.frontends.boogie import read_boogie_bytes

    return read_boogie_bytes(content, file, entry)


def _read_c(content: bytes, file: str, entry: str | None) -> Program:
    from cleave.frontends.c.read import read_c_bytes

    return read_c_bytes(content, file)


def _read_ir(content: bytes, file: str, entry: str | None) -> Program:
    return read_ir_bytes(content, file)


READERS = {".bpl": _read_boogie, ".c": _read_c, ".i": _read_c, ".ir": _read_ir}
_C = frozenset({".c", ".i"})
_THREADS = re.compile(rb"\b(?:async|par|fork|join)\b")


def read_bytes(file: str) -> bytes:
    """What a regular file holds. Others, such as devices and pipes, may have no end."""
    try:
        file.encode()
    except UnicodeEncodeError:
        raise InputError("the file's name is not UTF-8: rename the file", file=file) from None
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            about = os.fstat(stream.fileno())
            if not stat.S_ISREG(about.st_mode):
                what = "a folder" if stat.S_ISDIR(about.st_mode) else "a device, a pipe or a socket"
                raise InputError(f"can't read the file: this is {what}, and no regular file", file=file)
            if about.st_size > MOST_BYTES:
                raise InputError(f"can't read the file: it has more than {MOST_BYTES:,} bytes", file=file)
            return stream.read(MOST_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"can't read the file: {reason}", file=file) from None


def compiled_source(file: str, c: COptions, limits: ReadingLimits = NO_LIMITS) -> bytes:
    """What the compiler makes of a C program's files: all that is needed to read it where there is no compiler."""
    from cleave.frontends.c.read import compile_program

    return compile_program({name: read_bytes(name) for name in (file, *c.others)}, c, limits)


def boogie_checks(names: tuple[str, ...] | None) -> tuple[str, ...]:
    """What is asked of a program with threads; none: what is asked of every program in Boogie."""
    if names is None:
        return ()
    from cleave.frontends.c.properties.built_in import ASSERTIONS, DATA_RACE
    from cleave.frontends.c.properties.registry import DEFAULT, chosen

    named = [ASSERTIONS] * (DEFAULT in names) + [one.name for one in chosen([one for one in names if one != DEFAULT])]
    if other := [name for name in named if name not in (ASSERTIONS, DATA_RACE)]:
        raise UsageError(f"of a program in Boogie, {ASSERTIONS} and {DATA_RACE} can be checked, not {other[0]}")
    found = tuple(dict.fromkeys(named))
    return () if found == (ASSERTIONS,) else found


def boogie_source(file: str, options: BoogieOptions) -> bytes:
    """All files of a Boogie program, and how to read them."""
    return options.added_to(read_bytes(file), {name: read_bytes(name) for name in options.others})


def is_boogie(file: str) -> bool:
    return _ending(file) == ".bpl"


def is_c(file: str) -> bool:
    return _ending(file) in _C


def may_have_threads(file: str, source: bytes) -> bool:
    """Whether it is worth reading the program to see if it starts threads."""
    return is_c(file) or _ending(file) == ".ir" or (is_boogie(file) and _THREADS.search(source) is not None)


def read_program(file: str, content: bytes | None = None, entry: str | None = None) -> Program:
    """The program in ``file``, or in ``content`` if it was read before, as it stands or by `compiled_source`. ``entry``
    is where it starts, if somebody says."""
    check_language(file)
    source = read_bytes(file) if content is None else content
    _log.info("reading %s: %s bytes", file, f"{len(source):,}")
    program = READERS[_ending(file)](source, file, entry)
    _log.info("read %s: %d procedures", file, len(program.procedures))
    return program


def check_language(file: str) -> None:
    """Refuses what is no program, by its name."""
    ending = _ending(file)
    if ending not in READERS:
        known = ", ".join(sorted(READERS))
        told = f"of a {ending!r} file" if ending else "of a file without an ending"
        raise UnsupportedError(f"can't recognise the language {told}; known are {known}", file=file)


def _ending(file: str) -> str:
    return PurePath(file).suffix.lower()
