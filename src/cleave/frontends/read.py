"""Reads a program with the front end that fits its file name, which is loaded only then: each is large."""

from __future__ import annotations

import logging
from pathlib import PurePath

from cleave.errors import InputError, InternalError, UnsupportedError
from cleave.frontends.c.options import COptions
from cleave.ir.program import Program

_log = logging.getLogger(__name__)


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


def _read_boogie(content: bytes, file: str) -> Program:
    from cleave.frontends.boogie import read_boogie_bytes

    return read_boogie_bytes(content, file)


def _read_c(content: bytes, file: str) -> Program:
    from cleave.frontends.c.read import read_c_bytes

    return read_c_bytes(content, file)


READERS = {".bpl": _read_boogie, ".c": _read_c, ".i": _read_c, ".ir": read_ir_bytes}
_C = frozenset({".c", ".i"})


def read_bytes(file: str) -> bytes:
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"can't read the file: {reason}", file=file) from None


def compiled_source(file: str, c: COptions) -> bytes:
    """What the compiler makes of a C program's files: all that is needed to read it where there is no compiler."""
    from cleave.frontends.c.read import compile_program

    return compile_program({name: read_bytes(name) for name in (file, *c.others)}, c)


def is_c(file: str) -> bool:
    return _ending(file) in _C


def may_have_threads(file: str) -> bool:
    """Whether programs in the file's language can start threads."""
    return is_c(file) or _ending(file) == ".ir"


def read_program(file: str, content: bytes | None = None) -> Program:
    """The program in ``file``, or in ``content`` if it was read before, as it stands or by `compiled_source`."""
    ending = _ending(file)
    if ending not in READERS:
        known = ", ".join(sorted(READERS))
        told = f"of a {ending!r} file" if ending else "of a file without an ending"
        raise UnsupportedError(f"can't tell the language {told}; known are {known}", file=file)
    source = read_bytes(file) if content is None else content
    _log.info("reading %s: %s bytes", file, f"{len(source):,}")
    program = READERS[ending](source, file)
    _log.info("read %s: %d procedures", file, len(program.procedures))
    return program


def _ending(file: str) -> str:
    return PurePath(file).suffix.lower()
