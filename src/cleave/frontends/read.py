"""Reads a program with the front end that fits its file name."""

from __future__ import annotations

from pathlib import PurePath

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.boogie import read_boogie_bytes
from cleave.ir.program import Program

READERS = {".bpl": read_boogie_bytes}


def read_bytes(file: str) -> bytes:
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"can't read the file: {reason}", file=file) from None


def read_program(file: str, content: bytes | None = None) -> Program:
    """The program in ``file``, or in ``content`` if it was read before."""
    suffix = PurePath(file).suffix.lower()
    reader = READERS.get(suffix)
    if reader is None:
        known = ", ".join(sorted(READERS))
        ending = f"of a {suffix!r} file" if suffix else "of a file without an ending"
        raise UnsupportedError(f"can't tell the language {ending}; known are {known}", file=file)
    return reader(read_bytes(file) if content is None else content, file)
