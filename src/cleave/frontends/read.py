"""Reads a program with the front end that fits its file name."""

from __future__ import annotations

from pathlib import PurePath

from cleave.errors import UnsupportedError
from cleave.frontends.boogie import read_boogie_file
from cleave.ir.program import Program

READERS = {".bpl": read_boogie_file}


def read_program(file: str) -> Program:
    suffix = PurePath(file).suffix.lower()
    reader = READERS.get(suffix)
    if reader is None:
        known = ", ".join(sorted(READERS))
        ending = f"of a {suffix!r} file" if suffix else "of a file without an ending"
        raise UnsupportedError(f"can't tell the language {ending}; known are {known}", file=file)
    return reader(file)
